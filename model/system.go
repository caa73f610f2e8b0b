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
