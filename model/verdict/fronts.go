package verdict

import (
	"cmp"
	"net/netip"
	"slices"
	"sync"

	"rung/model"
)

// fronts are the addresses and NodePorts of a cluster's Services; made when one is first
// asked.
type fronts struct {
	once      sync.Once
	at        map[netip.Addr][]Front
	nodePorts map[PortRange]Front
}

func (x *Index) frontsOf() *fronts {
	f := x.fronts
	f.once.Do(func() {
		f.at, f.nodePorts = map[netip.Addr][]Front{}, map[PortRange]Front{}
		for s := range x.view.Cluster.Services() {
			for _, by := range []struct {
				kind FrontKind
				ips  []string
			}{{ClusterIP, s.ClusterIPs}, {ExternalIP, s.ExternalIPs}, {LoadBalancerIP, s.LoadBalancerIPs}} {
				for _, a := range addrsOf(by.ips) {
					f.at[a] = append(f.at[a], Front{Service: s.Key, Kind: by.kind, Addr: a})
				}
			}
			for i := range s.Ports {
				if p := &s.Ports[i]; p.NodePort > 0 {
					at := PortRange{serviceProtocol(p), uint16(p.NodePort), uint16(p.NodePort)}
					f.nodePorts[at] = Front{Service: s.Key, Kind: NodePort, Asked: at.Lo, Port: uint16(p.Port)}
				}
			}
		}
	})
	return f
}

func serviceProtocol(p *model.ServicePort) Protocol { return Protocol(cmp.Or(p.Protocol, string(TCP))) }

// servicePort is the port of a Service, nil where it has none such.
func servicePort(s *model.Service, proto Protocol, port uint16) *model.ServicePort {
	for i := range s.Ports {
		if p := &s.Ports[i]; serviceProtocol(p) == proto && uint16(p.Port) == port {
			return p
		}
	}
	return nil
}

// hostOf is the node whose own address it is: not that of a port of the pods' network.
func (x *Index) hostOf(a netip.Addr) string {
	n := x.view.Cluster.Node(x.nodeOf[a])
	if n == nil || !slices.Contains(addrsOf(slices.Concat(n.InternalIPs, n.HostIPs)), a) {
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
		if p := (Ports{serviceProtocol(&s.Ports[i]), uint16(s.Ports[i].Port)}); !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// ofService says whether an address is a Service's: what goes there is load balanced before
// policies are asked. One that is a node's, too, is the node's.
func (x *Index) ofService(a netip.Addr) bool {
	x.served.Do(func() {
		x.services = map[netip.Addr]bool{}
		for s := range x.view.Cluster.Services() {
			for _, a := range addrsOf(s.ClusterIPs) {
				x.services[a] = x.nodeOf[a] == ""
			}
		}
	})
	return x.services[a]
}

// Fronts are the ports at which an end that is an address or a node is a Service, and where
// it is nothing else that Service.
func (x *Index) Fronts(e Endpoint) (ports []PortRange, only model.Key) {
	all := x.frontsOf()
	for _, f := range all.at[e.Addr] {
		if f.Kind == ClusterIP && e.Key.Kind == "" {
			return nil, f.Service
		}
		s, _ := x.Cluster().Get(f.Service).(*model.Service)
		for i := range s.Ports {
			p := &s.Ports[i]
			ports = append(ports, PortRange{serviceProtocol(p), uint16(p.Port), uint16(p.Port)})
		}
	}
	if e.Key.Kind == model.KindNode || e.Key.Kind == "" && x.hostOf(e.Addr) != "" {
		for p := range all.nodePorts {
			ports = append(ports, p)
		}
	}
	// Each by itself: two that follow each other may be of two Services.
	slices.SortFunc(ports, func(a, b PortRange) int { return cmp.Or(cmp.Compare(a.Protocol, b.Protocol), cmp.Compare(a.Lo, b.Lo)) })
	return slices.Compact(ports), model.Key{}
}
