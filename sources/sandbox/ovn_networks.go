package sandbox

import (
	"cmp"
	"context"
	"maps"
	"net/netip"
	"slices"

	"rung/model/ovn/nb"
)

// neighbours describes the switch of a port. nil and the zero value have no ports.
type neighbours struct {
	name   string // the switch's name
	ids    map[string]string
	router string                // the router's port on the switch, empty if none
	mac    string                // its MAC address
	ports  map[netip.Addr]string // MAC addresses of the ports without a type
	vifs   []string              // their names, sorted
}

// strayMAC belongs to no port: packets to it are lost.
const strayMAC = "0a:58:ff:ff:ff:fe"

// nextHopMAC returns a packet's destination MAC: of the port with the destination address, else of the router.
func (n *neighbours) nextHopMAC(p *Packet) string {
	switch {
	case p.Dst.IsMulticast():
		return groupMAC(p.Dst).String()
	case n == nil:
		return strayMAC
	}
	return cmp.Or(n.ports[p.Dst], n.mac, strayMAC)
}

// currentSwitches returns the switches with their ports, by name.
func (b *zoneBridge) currentSwitches(known map[string]vif) map[string]*neighbours {
	tables, _, _ := b.zone.nb.currentRows(nb.TableSwitch, nb.TablePort, TableRouterPort)
	macs := map[string]string{}
	for _, r := range tables[2] {
		macs[r.stringAt("name")] = r.stringAt("mac")
	}
	out := make(map[string]*neighbours, len(tables[0]))
	for _, sw := range tables[0] {
		n := &neighbours{name: sw.stringAt("name"), ids: sw.mapAt("external_ids"), ports: map[netip.Addr]string{}}
		for _, uuid := range sw.refsAt("ports") {
			port := tables[1][uuid]
			if v, is := known[port.stringAt("name")]; is {
				n.vifs = append(n.vifs, v.name)
				for _, a := range v.addrs {
					n.ports[a] = v.mac
				}
			} else if port.stringAt("type") == "router" {
				n.router = port.mapAt("options")["router-port"]
				n.mac = macs[n.router]
			}
		}
		slices.Sort(n.vifs)
		out[n.name] = n
	}
	return out
}

// portNeighbours returns the neighbours of each port by port name.
func (b *zoneBridge) portNeighbours(known map[string]vif) map[string]*neighbours {
	out := make(map[string]*neighbours, len(known))
	for _, n := range b.currentSwitches(known) {
		for _, name := range n.vifs {
			out[name] = n
		}
	}
	return out
}

// routeSwitches makes the missing router of every switch that has a port to one. It adds a network to a router
// for each port outside the router's networks, and removes the routers of deleted switches.
func (b *zoneBridge) routeSwitches(ctx context.Context, want map[string]vif) error {
	tables, _, _ := b.zone.nb.currentRows(TableRouterPort, TableRouter, nb.TableSwitch)
	switches := b.currentSwitches(want)
	routers := map[string]tableRow{}
	uuids := map[string]string{}
	for uuid, r := range tables[0] {
		routers[r.stringAt("name")], uuids[r.stringAt("name")] = r, uuid
	}
	var ops []nb.Op
	for i, table := range []string{TableRouter, nb.TableSwitch} {
		for uuid, r := range tables[i+1] {
			if serves := r.mapAt("external_ids")[KeyServes]; serves != "" && switches[serves] == nil {
				ops = append(ops, deleteOp(table, uuid))
			}
		}
	}
	if len(ops) > 0 {
		return b.zone.Transact(ctx, ops...)
	}
	for _, name := range slices.Sorted(maps.Keys(switches)) {
		n := switches[name]
		if n.router == "" {
			continue
		}
		r, there := routers[n.router]
		more := n.missingNetworks(prefixes(r.stringsAt("networks")))
		switch {
		case !there:
			if router, ok := NewRouter(name, n.ids, more); ok {
				if err := b.zone.Transact(ctx, router.Ops()...); err != nil {
					return err
				}
			}
		case len(more) > 0:
			ops = append(ops, nb.Op{Kind: nb.OpMutate, Table: TableRouterPort, UUID: uuids[n.router],
				Mutations: []nb.Mutation{{Column: "networks", Insert: true, Strings: textsOf(more)}}})
		}
	}
	if len(ops) > 0 {
		return b.zone.Transact(ctx, ops...)
	}
	return nil
}

// missingNetworks returns the networks that the router lacks for the switch's ports.
func (n *neighbours) missingNetworks(nets []netip.Prefix) (more []netip.Prefix) {
	for _, a := range slices.SortedFunc(maps.Keys(n.ports), netip.Addr.Compare) {
		if slices.ContainsFunc(nets, func(p netip.Prefix) bool { return p.Contains(a) }) {
			continue
		}
		p := networkAround(a, n.ports)
		nets, more = append(nets, p), append(more, p)
	}
	return more
}

// OutsidePortFor returns the logical port at which packets from outside the cluster enter the network of
// lport.
func (z *Zone) OutsidePortFor(lport string) string {
	known, _ := z.bridge.wantedVIFs()
	if n := z.bridge.portNeighbours(known)[lport]; n != nil {
		return OutsidePort(n.name)
	}
	return z.OutsidePort()
}

// portTowards returns the port by which packets between lport and a port of another zone leave and enter. It is the
// other port itself if the switch has it (networks.md#pods), else the port for other nodes.
func (z *Zone) portTowards(lport, other string) string {
	known, _ := z.bridge.wantedVIFs()
	around := z.bridge.portNeighbours(known)
	switch n := around[lport]; {
	case n == nil:
		return z.ElsewherePort()
	case around[other] != n:
		return ElsewherePort(n.name)
	}
	return other
}
