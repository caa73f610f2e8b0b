package model

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"rung/model/ovn/nb"
)

// Meta is the metadata that every object has. Text is clean.
type Meta struct {
	Key
	UID string
	// Version is the resourceVersion the API server gave, empty elsewhere.
	Version     string
	Labels      Labels
	Annotations map[string]string // those that matter to Rung; see each source
	Created     time.Time
	Origin      Origin
}

// ObjectKey makes every object that embeds Meta an Object.
func (m *Meta) ObjectKey() Key { return m.Key }

// Origin says where an object was read.
type Origin struct {
	// Source is the id of the source ("files", "demo", a context's name).
	Source string
	// File is the path, empty when the object did not come from a file; "-" is
	// standard input. Doc counts documents in the file from 0, Item the items
	// of a List from 0 (-1 outside a List), Line is the object's first line
	// from 1.
	File            string
	Doc, Item, Line int
}

// Object is anything a Cluster holds.
type Object interface{ ObjectKey() Key }

// Namespace is a Kubernetes Namespace.
type Namespace struct{ Meta }

// Pod is a Kubernetes Pod as far as policy goes.
type Pod struct {
	Meta
	NodeName string
	// ServiceAccount is the name of the one it runs as, "" where that is not known.
	ServiceAccount string
	HostNetwork    bool
	Phase          string // Pending, Running, Succeeded, Failed, Unknown
	// IPs are the default network's addresses in canonical text, in the order
	// of ovn-kubernetes.md#peers: status.podIPs, else the pod-networks annotation's
	// default entry, else status.podIP.
	IPs   []string
	Ports []ContainerPort // of regular containers only
	// Networks are all networks of the pod-networks annotation, NetworksErr why it cannot be read.
	Networks    []PodNetwork
	NetworksErr string
	// Attachments are the keys of the NetworkAttachmentDefinitions that the pod asks for besides its
	// primary network, in its order, a second time to the same one with an index (networks.md#pods);
	// AttachmentsErr is why its annotation cannot be read.
	Attachments    []string
	AttachmentsErr string
	// OpenPorts are the ports of the default network that a pod on a primary network of its own
	// leaves open (networks.md#tier-0), as OVN's matches write them: "tcp.dst == 80", "icmp".
	OpenPorts []string
	// Network says that the pod is shown as it stands on that network: IPs are its addresses and
	// LogicalPorts the names of its ports there. Empty for the default network, where the port is
	// named after the pod.
	Network      string
	LogicalPorts []string
	Deleting     bool
	Ready        bool
	// Assumed says of a pod that is judged as if it had the node or the address that it has
	// not, why; empty for a pod as it is.
	Assumed string
	// MadeUpIPs says that IPs are assumed, too.
	MadeUpIPs bool
	// Workload is the workload that keeps the pod running, as kubectl names it: "deployment/web",
	// "cronjob/report"; empty for a pod of its own.
	Workload string
	// ToBe says that the pod does not exist yet: it is what the template of its workload makes, or a
	// manifest without a status.
	ToBe *PodToBe
}

// PodToBe has the facts about a pod that does not exist yet, beside its manifest or template.
type PodToBe struct {
	Node string // the node that it names, or that a DaemonSet makes it on; empty where any may be
}

// ContainerPort is a declared port of a regular container.
type ContainerPort struct {
	Name     string
	Protocol string // TCP, UDP, SCTP; empty when the manifest's is unknown
	Port     int32
}

// PodNetwork is one entry of the pod-networks annotation.
type PodNetwork struct {
	Name string // "default", or namespace/name of a network attachment, with an index after a slash
	Role string // primary, secondary, infrastructure-locked, or empty
	IPs  []string
}

// PortNames are the names of the pod's logical switch ports on the network that it is shown on.
func (p *Pod) PortNames() []string {
	if p.Network != "" {
		return p.LogicalPorts
	}
	return []string{nb.PortName(p.Namespace, p.Name)}
}

// IsCompleted says whether the pod's phase is Succeeded or Failed; its addresses
// may belong to somebody else by now.
func (p *Pod) IsCompleted() bool { return p.Phase == "Succeeded" || p.Phase == "Failed" }

// LabelPrimaryUDN is on namespaces whose pods have a user-defined network as their primary one.
const LabelPrimaryUDN = "k8s.ovn.org/primary-user-defined-network"

// GivesNetwork says whether the namespace's pods have a primary network of its own.
func (n *Namespace) GivesNetwork() bool {
	_, has := n.Labels.Map()[LabelPrimaryUDN]
	return has
}

// NetworkOfNamespace begins the name of the primary network of a pod that has no annotation yet; the
// namespace is its end.
const NetworkOfNamespace = "the user-defined network of namespace "

// OnNetworkOfNamespace is a copy of the pod on the primary network that a namespace with LabelPrimaryUDN
// gives its pods: OVN-Kubernetes makes them there or not at all. A pod that has one, or the node's, is
// left as it is.
func (p *Pod) OnNetworkOfNamespace() *Pod {
	if p.HostNetwork || p.PrimaryUDN() != "" {
		return p
	}
	q := *p
	q.Networks = append(slices.Clip(q.Networks), PodNetwork{Name: NetworkOfNamespace + p.Namespace, Role: "primary"})
	return &q
}

// PrimaryUDN names the pod's primary user-defined network, empty when its primary network is the
// default one, or the one that it is shown on. ANPs do not apply to such a network.
func (p *Pod) PrimaryUDN() string {
	if p.Network != "" {
		return "" // the pod is shown as it stands there
	}
	for _, n := range p.Networks {
		if n.Role == "primary" && n.Name != "default" {
			return n.Name
		}
	}
	return ""
}

// CanBeSubject says whether the pod can be a subject: not host-networked, not
// completed, scheduled (ovn-kubernetes.md#subject-pods). An address is not required.
func (p *Pod) CanBeSubject() bool {
	return !p.HostNetwork && !p.IsCompleted() && p.NodeName != ""
}

// CanBePeer says whether the pod's addresses enter address sets
// (ovn-kubernetes.md#peers).
func (p *Pod) CanBePeer() bool { return p.CanBeSubject() && len(p.IPs) > 0 }

// LeavesOpen reports whether the pod leaves a port of a protocol open on the default network; ICMP has no ports.
func (p *Pod) LeavesOpen(protocol string, port uint16) bool {
	term := strings.ToLower(protocol)
	if protocol != "ICMP" {
		term += ".dst == " + strconv.Itoa(int(port))
	}
	return slices.Contains(p.OpenPorts, term)
}

// Node is a Kubernetes Node.
type Node struct {
	Meta
	// HostIPs are the addresses of the annotation k8s.ovn.org/host-cidrs, without
	// prefix length. HostErr is set, and
	// HostIPs empty, when the annotation cannot be read: policies that select
	// the node by a nodes peer then fail as a whole (ovn-kubernetes.md#no-rows).
	HostIPs []string
	HostErr string
	// MgmtIPs are the addresses of its management port: the second of each pod
	// subnet of the default network. GatewayIPs are those of its gateway router
	// on the default network. Annotations that cannot be read give none.
	MgmtIPs, GatewayIPs []string
	// Subnets are the subnets that its pods have their addresses from, on the default
	// network. NetworkSubnets are those of other networks, by the network's name.
	Subnets        []string
	NetworkSubnets map[string][]string
	// PodCIDRs of its spec: the first address of each is that of a gateway.
	PodCIDRs []string
	// InternalIPs of status.addresses.
	InternalIPs []string
	Ready       bool
}

// Service is a Kubernetes Service.
type Service struct {
	Meta
	ClusterIPs []string
	// ExternalIPs stand in its spec; LoadBalancerIPs in its status, as far as they are load
	// balanced in the cluster.
	ExternalIPs, LoadBalancerIPs []string
	Selector                     Labels
	Ports                        []ServicePort
	Type                         string
}

// ServicePort is one port of a Service.
type ServicePort struct {
	Name, Protocol, TargetPort string
	Port                       int32
	NodePort                   int32 // 0 for none
}

// EndpointSlice is a Kubernetes EndpointSlice.
type EndpointSlice struct {
	Meta
	Service   string
	Addresses []string
	Ports     []EndpointPort
}

// EndpointPort is the port that the endpoints of a slice serve one of the Service's by, of the same
// name.
type EndpointPort struct {
	Name, Protocol string
	Port           int32
}

// Event is a Kubernetes Event about an object.
type Event struct {
	Meta
	About           Key
	Type            string // Normal, Warning
	Reason, Message string
	Reporter        string // reporting instance, e.g. the node whose controller wrote it
	Last            time.Time
	Count           int
}

// Condition is a status condition as reported by a controller: never proof.
type Condition struct {
	Type, Status, Reason, Message string
	Changed                       time.Time
}

// Broken is an object that could not be taken in, or not as it was written,
// kept so that it is seen.
type Broken struct {
	// Severity is error for what was not taken in and should have been, warning
	// for what was taken in with a doubt, info for what is none of Rung's
	// business. Empty counts as error.
	Severity Severity
	Origin   Origin
	// Key is the object's identity as far as it could be read; fields may be empty.
	Key Key
	// Priority is the priority that a refused policy states, where HasPriority says that it
	// could be read.
	Priority    int32
	HasPriority bool
	// Field is the path of the offending field, empty when there is none.
	Field string
	// Code is stable, e.g. "unknown-field", "yaml", "schema", "cel", "profile".
	Code    string
	Message string // one line
	Remedy  string
	// Release is the release of the API whose CRD takes what the assumed one refuses, empty
	// for none.
	Release string
}

// WayIn is an object that leads from outside the cluster to Services: through an ingress
// controller, whose pods connect to the pods behind them.
type WayIn struct {
	Meta
	Targets []Target
}

// Target is a Service that a way in leads to.
type Target struct {
	Host, Path string // empty for any
	Namespace  string // of the Service
	Service    string
	Port       string // of the Service, its number or name; empty for its only one
}

// WaysIn returns the objects of a cluster that lead from outside to Services.
func WaysIn(c *Cluster) (out []*WayIn) {
	for _, k := range []Kind{KindIngress, KindHTTPRoute, KindRoute} {
		for w := range ObjectsOf[*WayIn](c, k) {
			out = append(out, w)
		}
	}
	return out
}
