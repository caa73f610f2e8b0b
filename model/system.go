package model

import "strings"

// IsSystemNamespace says whether a namespace holds parts of the cluster itself: a Deny
// there can leave the cluster unresponsive, and nobody can mend a policy then. Findings and
// guard rails mean the same ones.
func IsSystemNamespace(name string) bool {
	switch name {
	case "openshift", "ovn-kubernetes":
		return true
	}
	return strings.HasPrefix(name, "kube-") || strings.HasPrefix(name, "openshift-")
}

// IsPlatformNamespace says whether a namespace holds what a cluster lives on: its own parts,
// the network plugin's, ingress controllers and monitoring. Guard rails keep its connections,
// with those of the namespaces that the configuration names.
func IsPlatformNamespace(name string) bool {
	return IsSystemNamespace(name) || platform[name] || strings.HasPrefix(name, "ingress-") || strings.HasSuffix(name, "-ingress") ||
		strings.HasPrefix(name, "monitoring-") || strings.HasSuffix(name, "-monitoring")
}

// platform are the usual namespaces of network plugins, ingress controllers and monitoring.
var platform = map[string]bool{
	"ovn-host-network": true, "antrea": true, "antrea-system": true, "calico-system": true, "calico-apiserver": true, "cilium": true,
	"tigera-operator": true, "metallb-system": true,
	"ingress": true, "nginx-ingress": true, "traefik": true, "haproxy-controller": true, "projectcontour": true, "kong": true,
	"istio-system": true, "gateway-system": true, "envoy-gateway-system": true,
	"monitoring": true, "prometheus": true, "observability": true, "grafana": true,
}
