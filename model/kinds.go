package model

import (
	"cmp"
	"slices"
	"strings"

	"rung/model/ovn/nb"
)

// Kind is the kind of an object, spelled as in Kubernetes.
type Kind string

// The kinds Rung keeps.
const (
	KindNamespace     Kind = "Namespace"
	KindPod           Kind = "Pod"
	KindNode          Kind = "Node"
	KindService       Kind = "Service"
	KindEndpointSlice Kind = "EndpointSlice"
	KindEvent         Kind = "Event"
	KindANP           Kind = "AdminNetworkPolicy"
	KindBANP          Kind = "BaselineAdminNetworkPolicy"
	KindNP            Kind = "NetworkPolicy"
	KindEF            Kind = "EgressFirewall"
	// KindCNP is ClusterNetworkPolicy of policy.networking.k8s.io, the API after ANP and BANP.
	KindCNP Kind = "ClusterNetworkPolicy"
	// KindMNP is MultiNetworkPolicy of k8s.cni.cncf.io: a NetworkPolicy of secondary networks.
	KindMNP Kind = "MultiNetworkPolicy"

	// Kinds of additional networks (model/network).
	KindUDN  Kind = "UserDefinedNetwork"
	KindCUDN Kind = "ClusterUserDefinedNetwork"
	KindNAD  Kind = "NetworkAttachmentDefinition"
	KindCNC  Kind = "ClusterNetworkConnect"
)

// Kinds that lead from outside the cluster to Services.
const (
	KindIngress   Kind = "Ingress"
	KindHTTPRoute Kind = "HTTPRoute"
	KindRoute     Kind = "Route"
)

// Kinds of units with rows but no object, spelled as the owner types of OVN-Kubernetes' rows
// (ovn-kubernetes.md#owner-types).
const (
	KindNetpolNamespace  Kind = "NetpolNamespace"   // namespace, Ingress or Egress: default deny
	KindNetpolDefault    Kind = "NetpolDefault"     // allow-hairpinning
	KindNetpolNode       Kind = "NetpolNode"        // node: connections to its own pods
	KindPodSelector      Kind = "PodSelector"       // selector string: address sets shared by policies
	KindEFDNS            Kind = "EgressFirewallDNS" // DNS name: address sets
	KindMulticastNS      Kind = "MulticastNS"       // namespace, default
	KindMulticastCluster Kind = "MulticastCluster"  // DefaultDeny or AllowInterNode
)

// KindIsolation2016 is the isolation by the annotation of 2016
// (older-forms.md#the-isolation-annotation-of-2016): namespace, Ingress. It has no row.
const KindIsolation2016 Kind = "IsolationAnnotation"

// Kinds of units without an object, for plugins that apply rules at the ends.
const (
	KindOwnNode Kind = "AntreaNode"    // node: connections to its own pods
	KindHairpin Kind = "AntreaHairpin" // a Service's connection back to its own pod
)

// IsPolicy reports whether objects of the kind decide about connections, in any system.
func (k Kind) IsPolicy() bool {
	return k.IsAdmin() || k == KindNP || k == KindMNP || k == KindEF || k.IsTiered()
}

// IsAdmin reports whether the kind is AdminNetworkPolicy, its baseline, or ClusterNetworkPolicy, which is
// both.
func (k Kind) IsAdmin() bool { return k == KindANP || k == KindBANP || k == KindCNP }

// IsWorkload reports whether objects of the kind keep pods running. They are read but in no Cluster.
func (k Kind) IsWorkload() bool {
	return slices.Contains(workloadKinds, k)
}

// The kinds of workloads.
const (
	KindDeployment            Kind = "Deployment"
	KindReplicaSet            Kind = "ReplicaSet"
	KindStatefulSet           Kind = "StatefulSet"
	KindDaemonSet             Kind = "DaemonSet"
	KindReplicationController Kind = "ReplicationController"
	KindJob                   Kind = "Job"
	KindCronJob               Kind = "CronJob"
	KindDeploymentConfig      Kind = "DeploymentConfig"
	KindRollout               Kind = "Rollout"
	KindVM                    Kind = "VirtualMachine"
)

var workloadKinds = []Kind{KindDeployment, KindReplicaSet, KindStatefulSet, KindDaemonSet, KindReplicationController, KindJob, KindCronJob,
	KindDeploymentConfig, KindRollout, KindVM}

var workloadWords = map[string]string{"deploy": "deployment", "rs": "replicaset", "sts": "statefulset", "ds": "daemonset",
	"rc": "replicationcontroller", "cj": "cronjob", "dc": "deploymentconfig", "ro": "rollout", "vm": "virtualmachine"}

// WorkloadWord returns the kind of a workload as in names of workloads, "deployment", for any of kubectl's
// forms: "Deployment", "deployments", "deploy". It is empty for other kinds.
func WorkloadWord(text string) string {
	text = strings.ToLower(text)
	if word := workloadWords[text]; word != "" {
		return word
	}
	text = strings.TrimSuffix(text, "s")
	for _, k := range workloadKinds {
		if strings.ToLower(string(k)) == text {
			return text
		}
	}
	return ""
}

// IsNamespaced reports whether objects of the kind are in a namespace.
func (k Kind) IsNamespaced() bool {
	switch k {
	case KindIngress, KindHTTPRoute, KindRoute, KindPod, KindService, KindEndpointSlice, KindEvent, KindNP, KindMNP, KindEF, KindUDN, KindNAD,
		KindANNP, KindGroup:
		return true
	}
	return k.IsWorkload()
}

// HasPriority reports whether objects of the kind have a priority.
func (k Kind) HasPriority() bool { return k == KindANP || k == KindCNP }

// ActionWord returns an action in the words of the kind's API: a ClusterNetworkPolicy accepts.
func (k Kind) ActionWord(a Action) string {
	if k == KindCNP && a == Allow {
		return "Accept"
	}
	return string(a)
}

// RuleActionWord returns the action of a rule of such a policy, as its API spells it.
func (k Kind) RuleActionWord(r *Rule) string {
	if r.Tiered != nil {
		return r.ActionText()
	}
	return k.ActionWord(r.Action)
}

// Abbreviation returns the usual abbreviation: ANP, BANP, NP, EF, CNP, ACNP, ANNP. Other kinds with an API
// group get their name without the group.
func (k Kind) Abbreviation() string {
	if short := shortKinds[k]; short != "" {
		return short
	}
	word, _, _ := strings.Cut(string(k), ".") // names of Tier and the groups are unique without group
	return word
}

var shortKinds = map[Kind]string{KindANP: "ANP", KindBANP: "BANP", KindNP: "NP", KindEF: "EF", KindCNP: "CNP", KindMNP: "MNP",
	KindUDN: "UDN", KindCUDN: "CUDN", KindNAD: "NAD", KindACNP: "ACNP", KindANNP: "ANNP"}

// apiGroups are the API groups of kinds without a group in their name.
var apiGroups = map[Kind]string{KindANP: "policy.networking.k8s.io", KindBANP: "policy.networking.k8s.io",
	KindCNP: "policy.networking.k8s.io", KindNP: "networking.k8s.io", KindEF: "k8s.ovn.org",
	KindMNP: "k8s.cni.cncf.io", KindUDN: "k8s.ovn.org", KindCUDN: "k8s.ovn.org", KindNAD: "k8s.cni.cncf.io"}

// ResourceName returns the kind as in kubectl -o name: adminnetworkpolicy.policy.networking.k8s.io.
func (k Kind) ResourceName() string {
	name := strings.ToLower(string(k))
	if group := apiGroups[k]; group != "" {
		return name + "." + group
	}
	return name
}

// Key identifies an object. Namespace is empty for cluster-scoped kinds. The zero Key identifies nothing.
type Key struct {
	Kind            Kind
	Namespace, Name string
	// Network is the network of a unit's rows, if it is not the default one, in the spelling of that network's
	// controller (networks.md#names). Objects have none.
	Network string
}

// PolicyKey is a Key whose Kind is a policy kind.
type PolicyKey = Key

// String returns "Kind/name" or "Kind/namespace/name", with "@network" for a unit of another network.
func (k Key) String() string {
	at := ""
	if k.Network != "" {
		at = "@" + k.Network
	}
	if k.Namespace == "" {
		return string(k.Kind) + "/" + k.Name + at
	}
	return string(k.Kind) + "/" + k.Namespace + "/" + k.Name + at
}

// Label returns the short form for people: "ANP cluster-control", "NP blue/allow-web", "default deny of blue,
// ingress". A unit of another network names it.
func (k Key) Label() string {
	if k.Network != "" {
		on := k.Network
		k.Network = ""
		return k.Label() + " on " + on
	}
	switch k.Kind {
	case KindNetpolNamespace:
		return "default deny of " + k.Namespace + ", " + Direction(k.Name).Lower()
	case KindIsolation2016:
		return "isolation annotation of " + k.Namespace
	case KindOwnNode:
		return "node " + k.Name + " to its own pods"
	case KindHairpin:
		return "hairpin traffic of a Service"
	case KindNetpolDefault:
		return "hairpin rows"
	case KindNetpolNode:
		return "rows of node " + k.Name
	case KindPodSelector:
		return "sets of " + k.Name
	case KindEFDNS:
		return "sets of DNS name " + k.Name
	case KindMulticastNS:
		return "multicast of " + k.Namespace
	case KindMulticastCluster:
		if k.Name == nb.TypeMulticastNodes {
			return "multicast, cluster: between nodes"
		}
		return "multicast, cluster: default deny"
	}
	return k.Kind.Abbreviation() + " " + k.NamespacedName()
}

// ShortLabel returns Label without the kind of an AdminNetworkPolicy, which is the usual kind.
func (k Key) ShortLabel() string {
	if k.Kind == KindANP {
		return k.Name
	}
	return k.Label()
}

// NamespacedName returns the name with its namespace, if it has one.
func (k Key) NamespacedName() string {
	if k.Namespace == "" {
		return k.Name
	}
	return k.Namespace + "/" + k.Name
}

// Compare orders keys by kind, namespace, name, network.
func (k Key) Compare(o Key) int {
	return cmp.Or(strings.Compare(string(k.Kind), string(o.Kind)), strings.Compare(k.Namespace, o.Namespace),
		strings.Compare(k.Name, o.Name), strings.Compare(k.Network, o.Network))
}

// NoController is the code of NoRows of a ClusterNetworkPolicy that no controller programs.
const NoController = "no-controller"

// Codes of NoRows of policies that no network's controller programs (networks.md#namespaces).
const (
	NoNetwork      = "no-network"       // the network does not exist
	NoNetworkLabel = "no-network-label" // the namespace lacks the label of primary networks
	OtherNetwork   = "other-network"    // another network than the one asked about has its rows
	NoAddresses    = "no-addresses"     // the network has no addresses for selectors to match
)

// Tiers of precedence (ovn-kubernetes.md#tiers).
const (
	TierIsolation = 0
	TierAdmin     = 1
	TierNetwork   = 2
	TierBaseline  = 3
)

// Action is the effect of a rule, in the API's words.
type Action string

// The actions.
const (
	Allow Action = "Allow"
	Deny  Action = "Deny"
	Pass  Action = "Pass"
)

// Direction of a rule, spelled as in OVN-Kubernetes' external_ids.
type Direction string

// The directions.
const (
	Ingress Direction = "Ingress"
	Egress  Direction = "Egress"
)

// Lower returns "ingress" or "egress", as people write it.
func (d Direction) Lower() string { return strings.ToLower(string(d)) }

// Annotations that OVN-Kubernetes reads.
const (
	AnnotationLogging     = "k8s.ovn.org/acl-logging"
	AnnotationPodNetworks = "k8s.ovn.org/pod-networks"
	AnnotationHostCIDRs   = "k8s.ovn.org/host-cidrs"
	// AnnotationStateless on a NetworkPolicy requests allow-stateless rows (ovn-kubernetes.md#rule-rows).
	AnnotationStateless = "k8s.ovn.org/acl-stateless"
	// AnnotationMulticast on a Namespace allows multicast (ovn-kubernetes.md#multicast).
	AnnotationMulticast = "k8s.ovn.org/multicast-enabled"
	// AnnotationPolicyFor on a MultiNetworkPolicy names its NetworkAttachmentDefinitions.
	// AnnotationAttachments on a pod names those it requests (networks.md#multinetworkpolicy, #pods).
	AnnotationPolicyFor   = "k8s.v1.cni.cncf.io/policy-for"
	AnnotationAttachments = "k8s.v1.cni.cncf.io/networks"
	// AnnotationOpenPorts lists the ports that a pod with its own primary network leaves open on the default
	// network (networks.md#tier-0).
	AnnotationOpenPorts = "k8s.ovn.org/open-default-ports"
	// AnnotationNodeSubnets and AnnotationGatewayAddrs are a node's pod subnets and the addresses of its
	// gateway router, by network.
	AnnotationNodeSubnets  = "k8s.ovn.org/node-subnets"
	AnnotationGatewayAddrs = "k8s.ovn.org/node-gateway-router-lrp-ifaddrs"
)

// AnnotationIsolation on a Namespace in 2016 restricted its pods to what NetworkPolicies allow
// (older-forms.md#the-isolation-annotation-of-2016).
const AnnotationIsolation = "net.beta.kubernetes.io/network-policy"

// APIVersionNP2016 was the API version of NetworkPolicies then.
const APIVersionNP2016 = "extensions/v1beta1"

// MaxPriority is the largest priority that OVN-Kubernetes enforces by default; the API allows 0 to 1000
// (ovn-kubernetes.md#priorities). Clusters may have another maximum.
const MaxPriority = 99

// AnnotationConverted records, as JSON, which policy a policy was converted from, and for which value.
const AnnotationConverted = "rung/converted"

// IsSystemNamespace reports whether a namespace holds parts of the cluster itself. A Deny there can leave the
// cluster unresponsive, so that no policy can be fixed. Findings and guard rails use the same namespaces.
func IsSystemNamespace(name string) bool {
	return name == "openshift" || name == "ovn-kubernetes" || strings.HasPrefix(name, "kube-") || strings.HasPrefix(name, "openshift-")
}

// IsPlatformNamespace reports whether a namespace holds what a cluster depends on: its own parts, the network
// plugin, ingress controllers or monitoring. Guard rails protect it like configured namespaces.
func IsPlatformNamespace(name string) bool {
	return IsSystemNamespace(name) || platform[name] || IsIngressNamespace(name) || strings.HasPrefix(name, "monitoring-") ||
		strings.HasSuffix(name, "-monitoring")
}

// IsIngressNamespace reports whether ingress controllers usually run in a namespace.
func IsIngressNamespace(name string) bool {
	return ingress[name] || strings.HasPrefix(name, "ingress-") || strings.HasSuffix(name, "-ingress")
}

// ingress are the usual namespaces of ingress controllers.
var ingress = map[string]bool{"ingress": true, "nginx-ingress": true, "traefik": true, "haproxy-controller": true, "projectcontour": true,
	"kong": true, "istio-system": true, "gateway-system": true, "envoy-gateway-system": true}

// IsProtectedNamespace reports whether a namespace is a platform namespace or a configured one.
func IsProtectedNamespace(name string, configured []string) bool {
	return IsPlatformNamespace(name) || slices.Contains(configured, name)
}

// platform are the usual namespaces of network plugins and monitoring.
var platform = map[string]bool{
	"ovn-host-network": true, "antrea": true, "antrea-system": true, "calico-system": true, "calico-apiserver": true, "cilium": true,
	"tigera-operator": true, "metallb-system": true,
	"monitoring": true, "prometheus": true, "observability": true, "grafana": true,
}

// FalseFirst compares booleans: false comes before true.
func FalseFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
