package sandbox

import (
	"fmt"
	"net/netip"
	"slices"

	"rung/model/ovn/nb"
	"rung/model/words"
)

// zoneTopology describes a zone's switches and router as in OVN-Kubernetes, as far as packets between pods,
// nodes and the outside need them. It has neither a gateway router nor a tunnel: packets for them leave at
// ports in their place.
type zoneTopology struct {
	cfg     ZoneConfig
	mgmt    []string
	routers []netip.Prefix // the router's addresses on the node's switch
	mac     string         // its MAC address there
}

// DefaultSubnets are the pod subnets of all nodes if none are known.
var DefaultSubnets = []netip.Prefix{netip.MustParsePrefix("10.244.0.0/16"), netip.MustParsePrefix("fd01::/48")}

func newTopology(cfg ZoneConfig) (*zoneTopology, error) {
	if cfg.Name == "" {
		return nil, fmt.Errorf("a zone needs a name")
	}
	if len(cfg.Subnets) == 0 {
		cfg.Subnets = []netip.Prefix{netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 244, byte(cfg.number), 0}), 24)}
	}
	if len(cfg.Cluster) == 0 {
		cfg.Cluster = DefaultSubnets
	}
	if cfg.MeterRate <= 0 {
		cfg.MeterRate = MeterRate
	}
	t := &zoneTopology{cfg: cfg, mgmt: cfg.Management}
	for _, s := range cfg.Subnets {
		first := s.Masked().Addr().Next()
		if !s.IsValid() || !s.Contains(first.Next()) {
			return nil, fmt.Errorf("subnet %s is too small for router and node", s)
		}
		t.routers = append(t.routers, netip.PrefixFrom(first, s.Bits()))
		if len(cfg.Management) == 0 {
			t.mgmt = append(t.mgmt, first.Next().String())
		}
	}
	first := t.routers[0].Addr()
	for _, r := range slices.Backward(t.routers) {
		if r.Addr().Is4() {
			first = r.Addr() // IPv4 has precedence, as on a cluster
		}
	}
	t.mac = nb.MAC(first)
	return t, nil
}

// ElsewherePort returns the logical port where packets to pods of other zones come out, and where packets from
// these pods enter.
func (z *Zone) ElsewherePort() string { return ElsewherePort(z.cfg.Name) }

// OutsidePort returns the logical port where packets to addresses outside the cluster come out, and where
// packets from these addresses enter.
func (z *Zone) OutsidePort() string { return OutsidePort(z.cfg.Name) }

// NodePort returns the logical port of the node itself: its management port.
func (z *Zone) NodePort() string { return nb.ManagementPort(z.cfg.Name) }

// seedOps returns the zone's first transaction.
func (t *zoneTopology) seedOps() []nb.Op {
	zone := t.cfg.Name
	ops := SeedRows(zone, t.mgmt, t.cfg.Foreign)
	for i := range ops {
		if ops[i].Table == nb.TableMeterBand {
			ops[i].Row["rate"] = t.cfg.MeterRate
		}
	}
	router := Router{Name: "ovn_cluster_router", Switch: zone, MAC: t.mac, Own: t.routers, Cluster: t.cfg.Cluster,
		Hosts: map[netip.Addr]netip.Addr{}}
	for _, host := range t.cfg.Host {
		for _, m := range t.mgmt {
			if hop, err := netip.ParseAddr(m); err == nil && hop.Is4() == host.Is4() {
				router.Hosts[host] = hop
				break
			}
		}
	}
	return append(ops, router.Ops()...)
}

// networkAround returns a network for the router on the node's switch, for an address outside its networks.
// It is the /24 or /64 around the address, and the router gets the highest free address.
func networkAround(addr netip.Addr, taken map[netip.Addr]string) netip.Prefix {
	bits := subnetBits(addr)
	b := netip.PrefixFrom(addr, bits).Masked().Addr().AsSlice()
	for n := byte(254); ; n-- {
		b[len(b)-1] = n
		at, _ := netip.AddrFromSlice(b)
		if _, is := taken[at]; !is || n == 0 {
			return netip.PrefixFrom(at, bits)
		}
	}
}

// subnetBits returns the length of the usual subnet of a node for an address.
func subnetBits(a netip.Addr) int {
	return words.Choose(a.Is6(), 64, 24)
}
