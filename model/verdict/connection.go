package verdict

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"rung/model"
)

// Protocol is the protocol of a connection, spelled as in policies.
type Protocol string

// The protocols.
const (
	TCP  Protocol = "TCP"
	UDP  Protocol = "UDP"
	SCTP Protocol = "SCTP"
	ICMP Protocol = "ICMP" // no ports; ICMPv6 over IPv6
)

// Protocols are in the order of portRange.proto.
var Protocols = [...]Protocol{TCP, UDP, SCTP, ICMP}

// Number returns the protocol's place in Protocols, -1 if unknown.
func (p Protocol) Number() int { return slices.Index(Protocols[:], p) }

// Family is an address family. AnyFamily means any family that both ends have, IPv4 first.
type Family uint8

// The families.
const (
	AnyFamily Family = 0
	IPv4      Family = 4
	IPv6      Family = 6
)

// String returns "IPv4" or "IPv6".
func (f Family) String() string { return fmt.Sprintf("IPv%d", uint8(f)) }

// AddrFamily returns the family of an address.
func AddrFamily(a netip.Addr) Family {
	if a.Is4() {
		return IPv4
	}
	return IPv6
}

// Index returns the family as an index: 0 for IPv4, 1 for IPv6.
func (f Family) Index() int {
	if f == IPv6 {
		return 1
	}
	return 0
}

// Endpoint is one end of a connection: a pod, node or Service by its key, or an address. With a key, Addr
// chooses among its addresses; a pod's may also be a multicast group it joined.
type Endpoint struct {
	Key  model.Key
	Addr netip.Addr
}

// PodEnd returns a pod as an endpoint.
func PodEnd(namespace, name string) Endpoint {
	return Endpoint{Key: model.Key{Kind: model.KindPod, Namespace: namespace, Name: name}}
}

// NodeEnd returns a node as an endpoint: the node itself and pods on its network.
func NodeEnd(name string) Endpoint {
	return Endpoint{Key: model.Key{Kind: model.KindNode, Name: name}}
}

// ServiceEnd returns a Service as an endpoint; questions about it ask all its endpoints.
func ServiceEnd(namespace, name string) Endpoint {
	return Endpoint{Key: model.Key{Kind: model.KindService, Namespace: namespace, Name: name}}
}

// AddrEnd returns an address as an endpoint: outside, or of a pod or node.
func AddrEnd(a netip.Addr) Endpoint { return Endpoint{Addr: a.Unmap()} }

// String returns "blue/api-0", "node worker-1", "service blue/web" or an address.
func (e Endpoint) String() string {
	name := e.Key.Name
	if e.Key.Namespace != "" {
		name = e.Key.Namespace + "/" + name
	}
	switch e.Key.Kind {
	case model.KindNode:
		name = "node " + name
	case model.KindService:
		name = "service " + name
	}
	switch {
	case name == "":
		return e.Addr.String()
	case e.Addr.IsValid():
		return name + " (" + e.Addr.String() + ")"
	}
	return name
}

// MarshalText writes the endpoint as String does, for JSON.
func (e Endpoint) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// Connection is a question: may From begin a connection to To?
type Connection struct {
	From     Endpoint `json:"from"`
	To       Endpoint `json:"to"`
	Protocol Protocol `json:"protocol"`
	Port     uint16   `json:"port"` // of the destination or Service; 0 for ICMP
	Family   Family   `json:"-"`
	// Network is the network to judge on, by name or "default"; empty for the network that both ends share.
	Network string `json:"-"`
}

// String returns "blue/api-0 → red/web-0 tcp 80".
func (c Connection) String() string {
	s := c.From.String() + " → " + c.To.String() + " " + strings.ToLower(string(c.Protocol))
	if c.Protocol != ICMP {
		s += fmt.Sprintf(" %d", c.Port)
	}
	return s
}

// ErrQuestion marks a connection that cannot be judged; the text says why.
var ErrQuestion = errors.New("cannot ask")

// CheckQuestion returns the error in the question itself, whatever the cluster.
func (c Connection) CheckQuestion() error {
	switch n := c.Protocol.Number(); {
	case n < 0:
		return fmt.Errorf("%w: protocol %q: use TCP, UDP, SCTP or ICMP", ErrQuestion, c.Protocol)
	case c.Protocol == ICMP && c.Port != 0:
		return fmt.Errorf("%w: ICMP has no ports", ErrQuestion)
	case c.Protocol != ICMP && c.Port == 0:
		return fmt.Errorf("%w: %s needs a port from 1 to 65535", ErrQuestion, c.Protocol)
	case c.From.Key.Kind == model.KindService:
		return fmt.Errorf("%w: a Service cannot begin connections; use one of its pods", ErrQuestion)
	}
	for _, e := range [...]Endpoint{c.From, c.To} {
		if e.Key == (model.Key{}) && !e.Addr.IsValid() {
			return fmt.Errorf("%w: an end is neither pod, node, Service nor address", ErrQuestion)
		}
		if e.Addr.IsValid() && c.Family != AnyFamily && AddrFamily(e.Addr) != c.Family {
			return fmt.Errorf("%w: %s is not an %s address", ErrQuestion, e.Addr, c.Family)
		}
	}
	if c.From.Addr.IsValid() && c.To.Addr.IsValid() && c.From.Addr.Is4() != c.To.Addr.Is4() {
		return fmt.Errorf("%w: %s and %s are of different families", ErrQuestion, c.From.Addr, c.To.Addr)
	}
	return nil
}

// Compare orders connections by their ends, protocol and port.
func (c Connection) Compare(o Connection) int {
	return cmp.Or(c.From.compare(o.From), c.To.compare(o.To), strings.Compare(string(c.Protocol), string(o.Protocol)),
		cmp.Compare(c.Port, o.Port), cmp.Compare(c.Family, o.Family))
}

func (e Endpoint) compare(o Endpoint) int {
	return cmp.Or(e.Key.Compare(o.Key), e.Addr.Compare(o.Addr))
}

// AskedFamily returns the family a connection asks for, directly or by its destination address.
func (c *Connection) AskedFamily() Family {
	if c.Family == AnyFamily && c.To.Addr.IsValid() {
		return AddrFamily(c.To.Addr)
	}
	return c.Family
}

// FirstAddr returns the first address of the family; invalid if there is none.
func (f Family) FirstAddr(addrs []netip.Addr) netip.Addr {
	for _, a := range addrs {
		if AddrFamily(a) == f {
			return a
		}
	}
	return netip.Addr{}
}

// Ends are the sources or the destinations of several connections.
type Ends struct {
	Pods       int         `json:"pods"`
	FirstPods  []model.Key `json:"-"`          // the first three pods
	Namespaces []string    `json:"namespaces"` // of the pods, in order
	// Outside are networks and single addresses, except pods, Services and Except. The narrowest network of
	// both lists that holds an address decides.
	Outside []netip.Prefix `json:"outside"`
	Except  []netip.Prefix `json:"outside_except,omitempty"`
}

// HasOutside reports whether an outside address is one of the ends.
func (e *Ends) HasOutside(a netip.Addr) bool {
	narrowest := func(list []netip.Prefix) (bits int) {
		bits = -1
		for _, n := range list {
			if n.Contains(a) {
				bits = max(bits, n.Bits())
			}
		}
		return bits
	}
	return narrowest(e.Outside) > narrowest(e.Except)
}

// The kinds.
const (
	ClusterIP      FrontKind = "ClusterIP"
	ExternalIP     FrontKind = "external IP"
	LoadBalancerIP FrontKind = "load-balancer IP"
	NodePort       FrontKind = "NodePort"
)

// FrontKind is a kind of Service address.
type FrontKind string

// ServiceFront is the Service behind the address of a connection. Its traffic is load balanced before policies
// apply (ovn-kubernetes.md#service-addresses).
type ServiceFront struct {
	Service   model.Key
	Kind      FrontKind
	Addr      netip.Addr
	AskedPort uint16 // the port asked for
	Port      uint16 // the Service's port
	Node      string // of a NodePort
}

// String returns a sentence such as "10.96.0.11 is the ClusterIP of service blue/web".
func (f *ServiceFront) String() string {
	service := Endpoint{Key: f.Service}.String()
	if f.Kind == NodePort {
		return fmt.Sprintf("port %d of node %s is the NodePort of port %d of %s", f.AskedPort, f.Node, f.Port, service)
	}
	article := map[FrontKind]string{ClusterIP: "the", ExternalIP: "an", LoadBalancerIP: "a"}[f.Kind]
	return fmt.Sprintf("%s is %s %s of %s", f.Addr, article, f.Kind, service)
}
