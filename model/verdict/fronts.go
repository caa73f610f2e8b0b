package verdict

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"
	"sync"

	"rung/model"
)

// ServiceFronts are the addresses and NodePorts of a cluster's Services, found when first needed.
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
					f.NodePorts[at] = ServiceFront{Service: s.Key, Kind: NodePort, AskedPort: at.Lo, Port: uint16(p.Port)}
				}
			}
		}
	})
	return f
}

func serviceProtocol(p *model.ServicePort) Protocol {
	return Protocol(cmp.Or(p.Protocol, string(TCP)))
}

// ServicePort returns the Service's port with a protocol and number, or nil.
func ServicePort(s *model.Service, proto Protocol, port uint16) *model.ServicePort {
	for i := range s.Ports {
		if p := &s.Ports[i]; serviceProtocol(p) == proto && uint16(p.Port) == port {
			return p
		}
	}
	return nil
}

// NodeWithAddr returns the node that has the address as its own; empty if none does. Addresses of ports on the
// pod network do not count.
func (x *Index) NodeWithAddr(a netip.Addr) string {
	n := x.view.Cluster.Node(x.NodeByAddr[a])
	if n == nil || !slices.Contains(ParseAddrs(slices.Concat(n.InternalIPs, n.HostIPs)), a) {
		return ""
	}
	return n.Name
}

// ServicePorts returns the ports of a Service.
func (x *Index) ServicePorts(k model.Key) (out []Ports) {
	s, _ := x.view.Cluster.Get(k).(*model.Service)
	if s == nil {
		return nil
	}
	for i := range s.Ports {
		out = model.AppendNew(out, Ports{Protocol: serviceProtocol(&s.Ports[i]), Port: uint16(s.Ports[i].Port)})
	}
	return out
}

// IsServiceAddr reports whether an address is a ClusterIP, whose traffic is load balanced before policies
// apply. An address that a node has too counts as the node's.
func (x *Index) IsServiceAddr(a netip.Addr) bool {
	x.served.Do(func() {
		x.services = map[netip.Addr]bool{}
		for s := range x.view.Cluster.Services() {
			for _, a := range ParseAddrs(s.ClusterIPs) {
				x.services[a] = x.NodeByAddr[a] == ""
			}
		}
	})
	return x.services[a]
}

// FrontPorts returns the ports at which an address or node is a Service. only is the Service if the address is
// its ClusterIP, and so nothing else.
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
	// Not joined: adjacent ports may belong to different Services.
	slices.SortFunc(ports, func(a, b PortRange) int {
		return cmp.Or(cmp.Compare(a.Protocol, b.Protocol), cmp.Compare(a.Lo, b.Lo))
	})
	return slices.Compact(ports), model.Key{}
}
