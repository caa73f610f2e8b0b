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
	// Version is the API server's resourceVersion, empty elsewhere.
	Version     string
	Labels      Labels
	Annotations map[string]string // those Rung uses; see each source
	Created     time.Time
	Origin      Origin
}

// ObjectKey makes every object that embeds Meta an Object.
func (m *Meta) ObjectKey() Key { return m.Key }

// Origin is where an object was read.
type Origin struct {
	// Source is the id of the source ("files", "demo", a context's name).
	Source string
	// File is the path, empty if the object did not come from a file; "-" is standard input. Doc counts
	// documents in the file from 0, Item the items of a List from 0 (-1 outside a List), Line is the object's
	// first line from 1.
	File            string
	Doc, Item, Line int
}

// IsBuiltIn reports whether the object is in a file that is part of Rung.
func (o Origin) IsBuiltIn() bool { return o.Source == "demo" }

// Object is anything a Cluster holds.
type Object interface{ ObjectKey() Key }

// Namespace is a Kubernetes Namespace.
type Namespace struct{ Meta }

// Pod is a Kubernetes Pod as far as policies need it.
type Pod struct {
	Meta
	NodeName string
	// ServiceAccount is the name of its service account, "" if unknown.
	ServiceAccount string
	HostNetwork    bool
	Phase          string // Pending, Running, Succeeded, Failed, Unknown
	// IPs are the default network's addresses in canonical text, in the order of ovn-kubernetes.md#peers:
	// status.podIPs, else the pod-networks annotation's default entry, else status.podIP.
	IPs   []string
	Ports []ContainerPort // of regular containers only
	// Networks are all networks of the pod-networks annotation; NetworksErr is why it cannot be read.
	Networks    []PodNetwork
	NetworksErr string
	// Attachments are the keys of the NetworkAttachmentDefinitions that the pod requests in addition to its
	// primary network, in order. Repeated ones get an index (networks.md#pods). AttachmentsErr is why the
	// annotation cannot be read.
	Attachments    []string
	AttachmentsErr string
	// OpenPorts are the ports of the default network that a pod with its own primary network leaves open
	// (networks.md#tier-0), as in OVN's matches: "tcp.dst == 80", "icmp".
	OpenPorts []string
	// Network is the network, other than the default one, on which the pod is shown; empty for the default network.
	// IPs and LogicalPorts are its addresses and port names on that network. On the default network the port is
	// named after the pod.
	Network      string
	LogicalPorts []string
	Deleting     bool
	Ready        bool
	// Assumed is why the pod is judged with an assumed node or address, or empty.
	Assumed string
	// MadeUpIPs reports that IPs are assumed, too.
	MadeUpIPs bool
	// Workload is the workload that controls the pod, in kubectl's form: "deployment/web", "cronjob/report";
	// empty for a bare pod.
	Workload string
	// Planned marks a pod that does not exist yet: from a workload's template, or a manifest without status.
	Planned *PlannedPod
}

// PlannedPod has facts about a pod that does not exist yet, in addition to its manifest or template.
type PlannedPod struct {
	Node string // the node it names, or that a DaemonSet creates it on; empty for any node
}

// ContainerPort is a declared port of a regular container.
type ContainerPort struct {
	Name     string
	Protocol string // TCP, UDP, SCTP; empty if the manifest's is unknown
	Port     int32
}

// PodNetwork is an entry of the pod-networks annotation.
type PodNetwork struct {
	Name string // "default", or namespace/name of a network attachment, with an index after a slash
	Role string // primary, secondary, infrastructure-locked, or empty
	IPs  []string
}

// PortNames returns the names of the pod's logical switch ports on the network on which it is shown.
func (p *Pod) PortNames() []string {
	if p.Network != "" {
		return p.LogicalPorts
	}
	return []string{nb.PortName(p.Namespace, p.Name)}
}

// IsCompleted reports whether the pod's phase is Succeeded or Failed; others may have its addresses by now.
func (p *Pod) IsCompleted() bool { return p.Phase == "Succeeded" || p.Phase == "Failed" }

// LabelPrimaryUDN marks namespaces whose pods have a user-defined network as their primary one.
const LabelPrimaryUDN = "k8s.ovn.org/primary-user-defined-network"

// GivesNetwork reports whether the namespace gives its pods their own primary network.
func (n *Namespace) GivesNetwork() bool {
	_, has := n.Labels.Map()[LabelPrimaryUDN]
	return has
}

// NetworkOfNamespace begins the primary network's name for a pod that has no annotation yet; the namespace
// follows.
const NetworkOfNamespace = "the user-defined network of namespace "

// OnNetworkOfNamespace returns a copy of the pod on the primary network of a namespace with LabelPrimaryUDN,
// since OVN-Kubernetes creates it only there. A pod that already has a primary network, or the node's, is
// returned unchanged.
func (p *Pod) OnNetworkOfNamespace() *Pod {
	if p.HostNetwork || p.PrimaryUDN() != "" {
		return p
	}
	q := *p
	q.Networks = append(slices.Clip(q.Networks), PodNetwork{Name: NetworkOfNamespace + p.Namespace, Role: "primary"})
	return &q
}

// PrimaryUDN returns the name of the pod's primary user-defined network. It is empty for the default network,
// and for the network on which the pod is shown. ANPs do not apply to such a network.
func (p *Pod) PrimaryUDN() string {
	if p.Network != "" {
		return "" // the pod is shown on that network
	}
	for _, n := range p.Networks {
		if n.Role == "primary" && n.Name != "default" {
			return n.Name
		}
	}
	return ""
}

// CanBeSubject reports whether the pod can be a subject: not host-networked, not completed, scheduled
// (ovn-kubernetes.md#subject-pods). An address is not required.
func (p *Pod) CanBeSubject() bool {
	return !p.HostNetwork && !p.IsCompleted() && p.NodeName != ""
}

// CanBePeer reports whether the pod's addresses enter address sets (ovn-kubernetes.md#peers).
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
	// HostIPs are the addresses of the annotation k8s.ovn.org/host-cidrs, without prefix length. HostErr is
	// set, and HostIPs empty, if the annotation cannot be read: policies with a nodes peer that selects the
	// node then fail as a whole (ovn-kubernetes.md#no-rows).
	HostIPs []string
	HostErr string
	// MgmtIPs are the management port's addresses: the second of each pod subnet of the default network.
	// GatewayIPs are the gateway router's addresses on the default network. Unreadable annotations give none.
	MgmtIPs, GatewayIPs []string
	// Subnets are its pod subnets on the default network. NetworkSubnets are its pod subnets on other networks, by network name.
	Subnets        []string
	NetworkSubnets map[string][]string
	// PodCIDRs of its spec: the first address of each is a gateway's.
	PodCIDRs []string
	// InternalIPs of status.addresses.
	InternalIPs []string
	Ready       bool
}

// Service is a Kubernetes Service.
type Service struct {
	Meta
	ClusterIPs []string
	// ExternalIPs are from its spec. LoadBalancerIPs are from its status, if the cluster load balances them.
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

// EndpointPort is the port at which a slice's endpoints serve the Service's port of the same name.
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
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
	Changed Stamp  `json:"at,omitzero"`
}

// Broken is an object that was not accepted, or not as written; it is kept for display.
type Broken struct {
	// Severity is error for a rejected object, warning for one accepted with a doubt, info for one that Rung
	// ignores. Empty counts as error.
	Severity Severity
	Origin   Origin
	// Key is the readable part of the object's identity; fields may be empty.
	Key Key
	// Priority is the stated priority of a rejected policy, valid if HasPriority.
	Priority    int32
	HasPriority bool
	// Field is the path of the offending field, or empty.
	Field string
	// Code is stable, e.g. "unknown-field", "yaml", "schema", "cel", "profile".
	Code    string
	Message string // one line
	Remedy  string
	// Release is the API release whose CRD accepts what the assumed one rejects, or empty.
	Release string
}

// EntryPoint is an object that leads from outside the cluster to Services, through an ingress controller whose pods
// connect to the Services' pods.
type EntryPoint struct {
	Meta
	Targets []Target
}

// Target is a Service that an EntryPoint leads to.
type Target struct {
	Host, Path string // empty for any
	Namespace  string // of the Service
	Service    string
	Port       string // of the Service, number or name; empty for its only port
}

// EntryPoints returns the objects of a cluster that lead from outside to Services.
func EntryPoints(c *Cluster) (out []*EntryPoint) {
	for _, k := range []Kind{KindIngress, KindHTTPRoute, KindRoute} {
		for w := range ObjectsOfKind[*EntryPoint](c, k) {
			out = append(out, w)
		}
	}
	return out
}
