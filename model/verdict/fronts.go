package verdict

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"
	"sync"

	"rung/model"
)

// ServiceFronts are the addresses and NodePorts of a cluster's Services; made when one is first
// asked.
type ServiceFronts struct {
	once      sync.Once
	ByAddr    map[netip.Addr][]ServiceFront
	NodePorts map[PortRange]ServiceFront
}

func (x *Index) ServiceFronts() *ServiceFronts {
	f := x.fronts
	f.once.Do(func() {
		f.ByAddr, f.NodePorts = map[netip.Addr][]ServiceFront{}, map[PortRange]ServiceFront{}
		for s := range x.view.Cluster.Services() {
			for _, by := range []struct {
				kind FrontKind
				ips  []string
			}{{ClusterIP, s.ClusterIPs}, {ExternalIP, s.ExternalIPs}, {LoadBalancerIP, s.LoadBalancerIPs}} {
				for _, a := range ParseAddrs(by.ips) {
					f.ByAddr[a] = append(f.ByAddr[a], ServiceFront{Service: s.Key, Kind: by.kind, Addr: a})
				}
			}
			for i := range s.Ports {
				if p := &s.Ports[i]; p.NodePort > 0 {
					at := PortRange{Protocol: serviceProtocol(p), Lo: uint16(p.NodePort), Hi: uint16(p.NodePort)}
					f.NodePorts[at] = ServiceFront{Service: s.Key, Kind: NodePort, AskedAddr: at.Lo, Port: uint16(p.Port)}
				}
			}
		}
	})
	return f
}

func serviceProtocol(p *model.ServicePort) Protocol {
	return Protocol(cmp.Or(p.Protocol, string(TCP)))
}

// ServicePort is the port of a Service, nil where it has none such.
func ServicePort(s *model.Service, proto Protocol, port uint16) *model.ServicePort {
	for i := range s.Ports {
		if p := &s.Ports[i]; serviceProtocol(p) == proto && uint16(p.Port) == port {
			return p
		}
	}
	return nil
}

// NodeWithAddr is the node whose own address it is: not that of a port of the pods' network.
func (x *Index) NodeWithAddr(a netip.Addr) string {
	n := x.view.Cluster.Node(x.NodeOf[a])
	if n == nil || !slices.Contains(ParseAddrs(slices.Concat(n.InternalIPs, n.HostIPs)), a) {
		return ""
	}
	return n.Name
}

// ServicePorts are the ports of a Service.
func (x *Index) ServicePorts(k model.Key) (out []Ports) {
	s, _ := x.view.Cluster.Get(k).(*model.Service)
	if s == nil {
		return nil
	}
	for i := range s.Ports {
		if p := (Ports{Protocol: serviceProtocol(&s.Ports[i]), Port: uint16(s.Ports[i].Port)}); !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// IsServiceAddr says whether an address is a Service's: what goes there is load balanced before
// policies are asked. One that is a node's, too, is the node's.
func (x *Index) IsServiceAddr(a netip.Addr) bool {
	x.served.Do(func() {
		x.services = map[netip.Addr]bool{}
		for s := range x.view.Cluster.Services() {
			for _, a := range ParseAddrs(s.ClusterIPs) {
				x.services[a] = x.NodeOf[a] == ""
			}
		}
	})
	return x.services[a]
}

// FrontPorts are the ports at which an end that is an address or a node is a Service, and where
// it is nothing else that Service.
func (x *Index) FrontPorts(e Endpoint) (ports []PortRange, only model.Key) {
	all := x.ServiceFronts()
	for _, f := range all.ByAddr[e.Addr] {
		if f.Kind == ClusterIP && e.Key.Kind == "" {
			return nil, f.Service
		}
		s, _ := x.Cluster().Get(f.Service).(*model.Service)
		for i := range s.Ports {
			p := &s.Ports[i]
			ports = append(ports, PortRange{Protocol: serviceProtocol(p), Lo: uint16(p.Port), Hi: uint16(p.Port)})
		}
	}
	if e.Key.Kind == model.KindNode || e.Key.Kind == "" && x.NodeWithAddr(e.Addr) != "" {
		ports = slices.AppendSeq(ports, maps.Keys(all.NodePorts))
	}
	// Each by itself: two that follow each other may be of two Services.
	slices.SortFunc(ports, func(a, b PortRange) int {
		return cmp.Or(cmp.Compare(a.Protocol, b.Protocol), cmp.Compare(a.Lo, b.Lo))
	})
	return slices.Compact(ports), model.Key{}
}
