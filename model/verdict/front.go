package verdict

import (
	"fmt"
	"net/netip"

	"rung/model"
)

// The kinds.
const (
	ClusterIP      FrontKind = "ClusterIP"
	ExternalIP     FrontKind = "external IP"
	LoadBalancerIP FrontKind = "load-balancer IP"
	NodePort       FrontKind = "NodePort"
)

// FrontKind is by what kind of address a Service is reached.
type FrontKind string

// Front is a Service behind the address of a connection: what goes there is load balanced
// before policies are asked (ovn-kubernetes.md#service-addresses).
type Front struct {
	Service model.Key
	Kind    FrontKind
	Addr    netip.Addr
	Asked   uint16 // the port that was asked for
	Port    uint16 // that of the Service
	Node    string // of a NodePort
}

// String says it: "10.96.0.11 is the ClusterIP of service blue/web".
func (f *Front) String() string {
	service := Endpoint{Key: f.Service}.String()
	if f.Kind == NodePort {
		return fmt.Sprintf("port %d of node %s is the NodePort of port %d of %s", f.Asked, f.Node, f.Port, service)
	}
	article := "the"
	if f.Kind != ClusterIP {
		article = "an"
		if f.Kind == LoadBalancerIP {
			article = "a"
		}
	}
	return fmt.Sprintf("%s is %s %s of %s", f.Addr, article, f.Kind, service)
}
