package sandbox

import (
	"fmt"
	"net/netip"

	"rung/model/ovn/nb"
	"rung/model/words"
)

// Tables of the Northbound database that only the lab uses.
const (
	TableRouter     = "Logical_Router"
	TableRouterPort = "Logical_Router_Port"
	tableRoute      = "Logical_Router_Static_Route"
)

// OVN-Kubernetes' networks between a router of the lab and its far ends.
var (
	TransitV4, TransitV6 = netip.MustParsePrefix("100.88.0.2/16"), netip.MustParsePrefix("fd97::2/64")
	JoinV4, JoinV6       = netip.MustParsePrefix("100.64.0.1/16"), netip.MustParsePrefix("fd98::1/64")
	// The far ends: they stand for all other nodes and for the gateway router.
	ElsewhereV4, ElsewhereV6 = netip.MustParseAddr("100.88.255.254"), netip.MustParseAddr("fd97::fffe")
	OutsideV4, OutsideV6     = netip.MustParseAddr("100.64.255.254"), netip.MustParseAddr("fd98::fffe")
)

// ElsewherePort and OutsidePort return the ports that stand for the other nodes and for the gateway router,
// for packets of a switch.
func ElsewherePort(of string) string { return "elsewhere-" + of }
func OutsidePort(of string) string   { return "outside-" + of }

// RouterPortTo returns the router's port on a switch.
func RouterPortTo(of string) string { return "rtos-" + of }

// KeyServes is the external id of the lab's routers and of their far switches. It names the switch that they
// serve.
const KeyServes = "rung-serves"

// Router is a router of the lab, with a switch towards other nodes and a switch out of the cluster. There is
// no gateway router and no tunnel: packets for them come out at ports in their place.
type Router struct {
	Name   string
	Prefix string // prefix of the two switches' names
	Switch string // the switch it routes for
	MAC    string // its MAC and addresses on the switch
	Own    []netip.Prefix
	// Cluster are the networks reached through other nodes; empty means none.
	Cluster []netip.Prefix
	// Hosts maps addresses to the address of the port that leads to them.
	Hosts map[netip.Addr]netip.Addr
	Serve bool // sets KeyServes
}

// Ops returns the operations that make the router and the two switches. They exclude the port on Switch
// itself.
func (r *Router) Ops() (ops []nb.Op) {
	var routes []nb.Ref
	route := func(prefix netip.Prefix, v4, v6 netip.Addr, out string) {
		hop := words.Choose(prefix.Addr().Is4(), v4, v6)
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
	ids := map[string]string{}
	if r.Serve {
		ids[KeyServes] = r.Switch
	}
	ops = append(ops, InsertOp(TableRouterPort, "rtos", map[string]any{"name": near, "mac": r.MAC, "networks": textsOf(r.Own)}))
	ports := NamedRefs("rtos")
	far := func(network, name, lrp string, v4, v6 netip.Prefix, farName string, far4, far6 netip.Addr) {
		id := func(part string) string { return part + network }
		ports = append(ports, nb.Ref{Name: id("lrp")})
		ops = append(ops,
			InsertOp(TableRouterPort, id("lrp"), map[string]any{"name": lrp, "mac": DeriveMAC(v4.Addr().String(), ""),
				"networks": []string{v4.String(), v6.String()}}),
			InsertOp(nb.TablePort, id("near"), routerPortRow("r"+lrp, lrp)),
			InsertOp(nb.TablePort, id("far"), map[string]any{"name": farName,
				"addresses": []string{DeriveMAC(far4.String(), "") + " " + far4.String() + " " + far6.String()}}),
			InsertOp(nb.TableSwitch, "", map[string]any{"name": name, "ports": NamedRefs(id("near"), id("far")), "external_ids": ids}))
	}
	if len(r.Cluster) > 0 {
		far("transit", r.Prefix+"transit_switch", transit, TransitV4, TransitV6, ElsewherePort(r.Switch), ElsewhereV4, ElsewhereV6)
	}
	far("join", r.Prefix+"join", join, JoinV4, JoinV6, OutsidePort(r.Switch), OutsideV4, OutsideV6)
	return append(ops, InsertOp(TableRouter, "", map[string]any{"name": r.Name, "ports": ports, "static_routes": routes, "external_ids": ids}))
}
