package sandbox

import (
	"fmt"
	"net/netip"

	"rung/model/ovn/nb"
)

// Tables of the Northbound database that Rung itself has no use for.
const (
	TableRouter     = "Logical_Router"
	TableRouterPort = "Logical_Router_Port"
	tableRoute      = "Logical_Router_Static_Route"
)

// The networks between a router of the lab and what is beyond it: those of OVN-Kubernetes.
var (
	TransitV4, TransitV6 = netip.MustParsePrefix("100.88.0.2/16"), netip.MustParsePrefix("fd97::2/64")
	JoinV4, JoinV6       = netip.MustParsePrefix("100.64.0.1/16"), netip.MustParsePrefix("fd98::1/64")
	// The far ends, which stand for all other nodes and for the gateway router.
	ElsewhereV4, ElsewhereV6 = netip.MustParseAddr("100.88.255.254"), netip.MustParseAddr("fd97::fffe")
	OutsideV4, OutsideV6     = netip.MustParseAddr("100.64.255.254"), netip.MustParseAddr("fd98::fffe")
)

// ElsewherePort and OutsidePort are the ports in place of the other nodes and of the gateway router,
// as the packets of a switch see them.
func ElsewherePort(of string) string { return "elsewhere-" + of }
func OutsidePort(of string) string   { return "outside-" + of }

// RouterPortTo is the router's port on a switch.
func RouterPortTo(of string) string { return "rtos-" + of }

// KeyServes is the external id of the lab's routers, and of the switches beyond them: the switch that
// they are there for.
const KeyServes = "rung-serves"

// Router is a router of the lab, with a switch for the way to other nodes and one for the way out of
// the cluster. There is no gateway router and no tunnel: what would go to one is seen at a port
// in its place.
type Router struct {
	Name   string
	Prefix string // before the names of the two switches
	Switch string // the one whose ports it routes for
	MAC    string // and its addresses there
	Own    []netip.Prefix
	// Cluster are the networks that are reached through other nodes; without any there is no way there.
	Cluster []netip.Prefix
	// Hosts are addresses that are behind a port on the switch, by that port's address.
	Hosts map[netip.Addr]netip.Addr
	Serve bool // it is marked as serving the switch
}

// Ops are the operations that make the router and the two switches. The port on the switch itself is
// not among them.
func (r *Router) Ops() (ops []nb.Op) {
	var routes []nb.Ref
	route := func(prefix netip.Prefix, v4, v6 netip.Addr, out string) {
		hop := v6
		if prefix.Addr().Is4() {
			hop = v4
		}
		id := fmt.Sprint("route", len(routes))
		routes = append(routes, nb.Ref{Name: id})
		ops = append(ops, InsertOp(tableRoute, id, map[string]any{"ip_prefix": prefix.String(), "nexthop": hop.String(), "output_port": out}))
	}
	near, transit, join := RouterPortTo(r.Switch), "rtots-"+r.Switch, "rtoj-"+r.Switch
	for _, p := range r.Cluster {
		route(p, ElsewhereV4, ElsewhereV6, transit)
	}
	route(netip.MustParsePrefix("0.0.0.0/0"), OutsideV4, OutsideV6, join)
	route(netip.MustParsePrefix("::/0"), OutsideV4, OutsideV6, join)
	for host, hop := range r.Hosts {
		route(netip.PrefixFrom(host, host.BitLen()), hop, hop, near)
	}
	var networks []string
	for _, p := range r.Own {
		networks = append(networks, p.String())
	}
	ids := map[string]string{}
	if r.Serve {
		ids[KeyServes] = r.Switch
	}
	ops = append(ops, InsertOp(TableRouterPort, "rtos", map[string]any{"name": near, "mac": r.MAC, "networks": networks}))
	ports := NamedRefs("rtos")
	far := func(network, name, lrp string, v4, v6 netip.Prefix, farName string, far4, far6 netip.Addr) {
		id := func(part string) string { return part + network }
		ports = append(ports, nb.Ref{Name: id("lrp")})
		ops = append(ops,
			InsertOp(TableRouterPort, id("lrp"), map[string]any{"name": lrp, "mac": MACOf(v4.Addr().String(), ""),
				"networks": []string{v4.String(), v6.String()}}),
			InsertOp(nb.TablePort, id("near"), map[string]any{"name": "r" + lrp, "type": "router", "addresses": []string{"router"},
				"options": map[string]string{"router-port": lrp}}),
			InsertOp(nb.TablePort, id("far"), map[string]any{"name": farName,
				"addresses": []string{MACOf(far4.String(), "") + " " + far4.String() + " " + far6.String()}}),
			InsertOp(nb.TableSwitch, "", map[string]any{"name": name, "ports": NamedRefs(id("near"), id("far")), "external_ids": ids}))
	}
	if len(r.Cluster) > 0 {
		far("transit", r.Prefix+"transit_switch", transit, TransitV4, TransitV6, ElsewherePort(r.Switch), ElsewhereV4, ElsewhereV6)
	}
	far("join", r.Prefix+"join", join, JoinV4, JoinV6, OutsidePort(r.Switch), OutsideV4, OutsideV6)
	return append(ops, InsertOp(TableRouter, "", map[string]any{"name": r.Name, "ports": ports, "static_routes": routes, "external_ids": ids}))
}
