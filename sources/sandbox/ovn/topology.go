package ovn

import (
	"fmt"
	"net/netip"
	"slices"

	"rung/model/ovn/nb"
	"rung/sources/sandbox/rows"
)

// Tables of the Northbound database that Rung itself has no use for.
const (
	tableRouter     = "Logical_Router"
	tableRouterPort = "Logical_Router_Port"
	tableRoute      = "Logical_Router_Static_Route"
)

// The networks between a node's router and the others: those of OVN-Kubernetes.
var (
	transitV4, transitV6 = netip.MustParsePrefix("100.88.0.2/16"), netip.MustParsePrefix("fd97::2/64")
	joinV4, joinV6       = netip.MustParsePrefix("100.64.0.1/16"), netip.MustParsePrefix("fd98::1/64")
	// The far ends, which stand for all other nodes and for the gateway router.
	elsewhereV4, elsewhereV6 = netip.MustParseAddr("100.88.255.254"), netip.MustParseAddr("fd97::fffe")
	outsideV4, outsideV6     = netip.MustParseAddr("100.64.255.254"), netip.MustParseAddr("fd98::fffe")
)

// zoneTopology is a zone's switches and router as OVN-Kubernetes has them, as far as
// packets between pods, nodes and the outside need them. There is no gateway router
// and no tunnel: what would go to one is seen at a port in its place.
type zoneTopology struct {
	cfg     ZoneConfig
	mgmt    []string
	routers []netip.Prefix // the router's addresses on the node's switch
	mac     string         // and its hardware address there
}

func newTopology(cfg ZoneConfig) (*zoneTopology, error) {
	if cfg.Name == "" {
		return nil, fmt.Errorf("a zone needs a name")
	}
	if len(cfg.Subnets) == 0 {
		cfg.Subnets = []netip.Prefix{netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 244, byte(cfg.number), 0}), 24)}
	}
	if len(cfg.Cluster) == 0 {
		cfg.Cluster = []netip.Prefix{netip.MustParsePrefix("10.244.0.0/16"), netip.MustParsePrefix("fd01::/48")}
	}
	if cfg.MeterRate <= 0 {
		cfg.MeterRate = rows.MeterRate
	}
	t := &zoneTopology{cfg: cfg, mgmt: cfg.Management}
	for _, s := range cfg.Subnets {
		first := s.Masked().Addr().Next()
		if !s.IsValid() || !s.Contains(first.Next()) {
			return nil, fmt.Errorf("subnet %s has no room for router and node", s)
		}
		t.routers = append(t.routers, netip.PrefixFrom(first, s.Bits()))
		if len(cfg.Management) == 0 {
			t.mgmt = append(t.mgmt, first.Next().String())
		}
	}
	first := t.routers[0].Addr()
	for _, r := range slices.Backward(t.routers) {
		if r.Addr().Is4() {
			first = r.Addr() // the IPv4 one has precedence, as on a cluster
		}
	}
	t.mac = nb.MAC(first)
	return t, nil
}

// elsewherePort and outsidePort are the ports in place of the other nodes and of the gateway
// router.
func (t *zoneTopology) elsewherePort() string { return "elsewhere-" + t.cfg.Name }
func (t *zoneTopology) outsidePort() string   { return "outside-" + t.cfg.Name }

// ElsewherePort is the logical port where packets to pods of other zones come out, and
// where those from there are put in.
func (z *Zone) ElsewherePort() string { return z.topo.elsewherePort() }

// OutsidePort is the logical port where packets to addresses outside of the cluster come
// out, and where those from there are put in.
func (z *Zone) OutsidePort() string { return z.topo.outsidePort() }

// NodePort is the logical port of the node itself: its management port.
func (z *Zone) NodePort() string { return nb.ManagementPort(z.cfg.Name) }

// seedOps is the zone's first transaction.
func (t *zoneTopology) seedOps() []nb.Op {
	zone := t.cfg.Name
	ops := rows.SeedRows(zone, t.mgmt, t.cfg.Foreign)
	for i := range ops {
		if ops[i].Table == nb.TableMeterBand {
			ops[i].Row["rate"] = t.cfg.MeterRate
		}
	}
	var routes []nb.Ref
	route := func(prefix netip.Prefix, v4, v6 netip.Addr, out string) {
		hop := v6
		if prefix.Addr().Is4() {
			hop = v4
		}
		id := fmt.Sprint("route", len(routes))
		routes = append(routes, nb.Ref{Name: id})
		ops = append(ops, rows.InsertOp(tableRoute, id, map[string]any{"ip_prefix": prefix.String(), "nexthop": hop.String(), "output_port": out}))
	}
	for _, p := range t.cfg.Cluster {
		route(p, elsewhereV4, elsewhereV6, t.transitPort())
	}
	route(netip.MustParsePrefix("0.0.0.0/0"), outsideV4, outsideV6, t.joinPort())
	route(netip.MustParsePrefix("::/0"), outsideV4, outsideV6, t.joinPort())
	for _, host := range t.cfg.Host {
		for _, m := range t.mgmt {
			if hop, err := netip.ParseAddr(m); err == nil && hop.Is4() == host.Is4() {
				route(netip.PrefixFrom(host, host.BitLen()), hop, hop, t.switchPort())
				break
			}
		}
	}
	var networks []string
	for _, p := range t.routers {
		networks = append(networks, p.String())
	}
	ops = append(ops, rows.InsertOp(tableRouterPort, "rtos", map[string]any{"name": t.switchPort(), "mac": t.mac, "networks": networks}))
	far := func(network, name, lrp string, v4, v6 netip.Prefix, farName string, far4, far6 netip.Addr) {
		id := func(part string) string { return part + network }
		ops = append(ops,
			rows.InsertOp(tableRouterPort, id("lrp"), map[string]any{"name": lrp, "mac": rows.MACOf(v4.Addr().String(), ""),
				"networks": []string{v4.String(), v6.String()}}),
			rows.InsertOp(nb.TablePort, id("near"), map[string]any{"name": "r" + lrp, "type": "router", "addresses": []string{"router"},
				"options": map[string]string{"router-port": lrp}}),
			rows.InsertOp(nb.TablePort, id("far"), map[string]any{"name": farName,
				"addresses": []string{rows.MACOf(far4.String(), "") + " " + far4.String() + " " + far6.String()}}),
			rows.InsertOp(nb.TableSwitch, "", map[string]any{"name": name, "ports": rows.NamedRefs(id("near"), id("far"))}))
	}
	far("transit", "transit_switch", t.transitPort(), transitV4, transitV6, t.elsewherePort(), elsewhereV4, elsewhereV6)
	far("join", "join", t.joinPort(), joinV4, joinV6, t.outsidePort(), outsideV4, outsideV6)
	return append(ops, rows.InsertOp(tableRouter, "", map[string]any{"name": "ovn_cluster_router",
		"ports": rows.NamedRefs("rtos", "lrptransit", "lrpjoin"), "static_routes": routes}))
}

// The router's ports.
func (t *zoneTopology) switchPort() string  { return "rtos-" + t.cfg.Name }
func (t *zoneTopology) transitPort() string { return "rtots-" + t.cfg.Name }
func (t *zoneTopology) joinPort() string    { return "rtoj-" + t.cfg.Name }

// nearMAC is the hardware address a packet is sent to that is to be routed, from a port.
func (t *zoneTopology) nearMAC(lport string) string {
	switch lport {
	case t.elsewherePort():
		return rows.MACOf(transitV4.Addr().String(), "")
	case t.outsidePort():
		return rows.MACOf(joinV4.Addr().String(), "")
	}
	return t.mac
}

// isOnSwitch says whether a port is one of the node's switch.
func (t *zoneTopology) isOnSwitch(lport string) bool {
	return lport != t.elsewherePort() && lport != t.outsidePort()
}

// macsOnSwitch are the hardware addresses of the ports on the node's switch.
func (t *zoneTopology) macsOnSwitch(known map[string]vif) map[netip.Addr]string {
	out := map[netip.Addr]string{}
	for name, v := range known {
		for _, a := range v.addrs {
			if t.isOnSwitch(name) {
				out[a] = v.mac
			}
		}
	}
	return out
}

// roomForAddress is the network that the router needs on the node's switch for an address that
// is in none of its networks: the /24 or /64 around it, with the router at the highest
// address that nobody has.
func roomForAddress(addr netip.Addr, taken map[netip.Addr]bool) netip.Prefix {
	bits := 24
	if addr.Is6() {
		bits = 64
	}
	net := netip.PrefixFrom(addr, bits).Masked()
	b := net.Addr().AsSlice()
	for n := byte(254); ; n-- {
		b[len(b)-1] = n
		if at, ok := netip.AddrFromSlice(b); ok && (!taken[at] || n == 0) {
			return netip.PrefixFrom(at, bits)
		}
	}
}
