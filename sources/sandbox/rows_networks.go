package sandbox

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/network"
	"rung/model/ovn/nb"
)

// External ids of a network's rows (networks.md#names).
const (
	KeyNetwork  = "k8s.ovn.org/network"
	KeyNAD      = "k8s.ovn.org/nad"
	KeyTopology = "k8s.ovn.org/topology"
	// KeySubnets and KeyRouter are the lab's own: the network's subnets, and its router's addresses on a
	// switch.
	KeySubnets = "rung-subnets"
	KeyRouter  = "rung-router"
)

// Networks describes the desired rows of all networks except the default one in a zone's database.
type Networks struct {
	Zone  string
	Parts []*network.ZonePart
	Node  *model.Node // nil if unknown
	// Lab means that packets are sent. Then routers are made, and ports of other zones' pods have no type, so
	// that packets can come out and enter there.
	Lab bool
	// Isolation is tier 0 of the default network; nil leaves its rows alone. With IsolateAnew the sandbox
	// writes its ACLs again.
	Isolation   *network.Isolation
	IsolateAnew bool
}

// Ops returns the operations that bring the rows to the desired state, none if they are in it.
func (w *Networks) Ops(db *nb.DB) []nb.Op {
	x := &networkWork{Networks: w, db: db, switches: map[string]bool{}, groups: map[string]bool{}}
	for _, p := range w.Parts {
		x.putPart(p)
	}
	x.removeOthers()
	if w.Isolation != nil {
		x.ops = append(x.ops, isolationOps(w.Isolation, db, w.IsolateAnew)...)
	}
	return x.ops
}

// networkWork collects the operations.
type networkWork struct {
	*Networks
	db               *nb.DB
	ops              []nb.Op
	made             int
	switches, groups map[string]bool // the desired ones
}

// putPart adds operations for a network's switch, ports and groups.
func (x *networkWork) putPart(p *network.ZonePart) {
	x.switches[p.Switch] = true
	sw := x.db.SwitchByName(p.Switch)
	refs := map[string]nb.Ref{}
	var fresh []nb.Ref
	put := func(name string, row map[string]any) {
		live := x.db.PortByName(name)
		if live == nil {
			x.made++
			id := "net" + strconv.Itoa(x.made)
			row["name"] = name
			x.ops = append(x.ops, InsertOp(nb.TablePort, id, row))
			refs[name] = nb.Ref{Name: id}
			fresh = append(fresh, refs[name])
			return
		}
		refs[name] = nb.Ref{UUID: live.UUID}
		if addresses, _ := row["addresses"].([]string); !slices.Equal(live.Addresses, addresses) {
			update := map[string]any{"addresses": addresses}
			if security, has := row["port_security"]; has {
				update["port_security"] = security
			}
			x.ops = append(x.ops, updateOp(nb.TablePort, live.UUID, update))
		}
	}
	x.portRows(p, put)
	ids := x.switchIDs(p)
	if sw == nil {
		x.ops = append(x.ops, InsertOp(nb.TableSwitch, "", map[string]any{"name": p.Switch, "ports": fresh, "external_ids": ids}))
	} else {
		var gone []nb.Ref
		for _, uuid := range sw.Ports {
			if live := x.db.Port(uuid); live != nil {
				if _, wanted := refs[live.Name]; !wanted {
					gone = append(gone, nb.Ref{UUID: uuid})
				}
			}
		}
		x.ops = append(append(x.ops, portsOps(nb.TableSwitch, sw.UUID, true, fresh)...), portsOps(nb.TableSwitch, sw.UUID, false, gone)...)
		if !maps.Equal(sw.ExternalIDs, ids) {
			x.ops = append(x.ops, updateOp(nb.TableSwitch, sw.UUID, map[string]any{"external_ids": ids}))
		}
	}
	for i := range p.Groups {
		x.putGroup(&p.Groups[i], refs)
	}
}

// portRows calls put for each port of a network's switch: the node's and the pods'.
func (x *networkWork) portRows(p *network.ZonePart, put func(name string, row map[string]any)) {
	n := p.Network
	ids := func() map[string]string {
		return map[string]string{KeyNetwork: n.Name, KeyTopology: string(n.Topology)}
	}
	if p.Management != "" {
		var ips []string
		if x.Node != nil {
			ips = n.NodeAddresses(x.Node)
		}
		put(p.Management, map[string]any{"addresses": []string{portAddresses(p.Management, ips)}, "external_ids": ids()})
	}
	if p.Router != "" {
		row := routerPortRow(p.Router, RouterPortTo(p.Switch))
		row["external_ids"] = ids()
		put(p.Router, row)
	}
	if p.Uplink != "" {
		put(p.Uplink, map[string]any{"type": "localnet", "addresses": []string{"unknown"}, "external_ids": ids(),
			"options": map[string]string{"network_name": n.Name}})
	}
	for i := range p.Pods {
		pod := &p.Pods[i]
		address := portAddresses(pod.Name, pod.IPs)
		own := ids()
		own["namespace"], own["pod"], own[KeyNAD] = pod.Pod.Namespace, "true", pod.Key
		row := map[string]any{"addresses": []string{address}, "port_security": []string{address}, "external_ids": own}
		switch {
		case !pod.Remote:
			row["options"] = map[string]string{"requested-chassis": x.Zone}
		case !x.Lab:
			row["type"], row["options"] = "remote", map[string]string{"requested-chassis": pod.Pod.NodeName}
		}
		put(pod.Name, row)
	}
}

// switchIDs returns the external_ids of a network's switch.
func (x *networkWork) switchIDs(p *network.ZonePart) map[string]string {
	n := p.Network
	ids := map[string]string{KeyNetwork: n.Name, KeyTopology: string(n.Topology)}
	if !x.Lab || p.Router == "" {
		return ids
	}
	if n.Topology == network.Layer3 { // a layer 2 network has a single subnet
		ids[KeySubnets] = strings.Join(n.SubnetTexts(), " ")
	}
	if own := n.RouterAddresses(cmp.Or(x.Node, &model.Node{})); len(own) > 0 {
		ids[KeyRouter] = strings.Join(textsOf(own), " ")
	}
	return ids
}

// portAddresses returns the addresses column of a port: MAC address, then IP addresses.
func portAddresses(port string, ips []string) string {
	first := ""
	for _, ip := range ips {
		if a, err := netip.ParseAddr(ip); err == nil && (first == "" || a.Is4() && strings.Contains(first, ":")) {
			first = ip
		}
	}
	return strings.Join(append([]string{DeriveMAC(first, port)}, ips...), " ")
}

func (x *networkWork) putGroup(g *network.PortGroup, refs map[string]nb.Ref) {
	x.groups[g.Name] = true
	ports := make([]nb.Ref, 0, len(g.Ports))
	var uuids []string
	fresh := false
	for _, name := range g.Ports {
		ports, uuids = append(ports, refs[name]), append(uuids, refs[name].UUID)
		fresh = fresh || refs[name].UUID == ""
	}
	slices.Sort(uuids)
	live := x.db.PortGroupByName(g.Name)
	switch {
	case live == nil:
		x.ops = append(x.ops, InsertOp(nb.TablePortGroup, "", map[string]any{"name": g.Name, "external_ids": g.IDs, "ports": ports}))
	case fresh || !sameSet(live.Ports, uuids):
		x.ops = append(x.ops, updateOp(nb.TablePortGroup, live.UUID, map[string]any{"ports": ports}))
	}
}

// removeOthers deletes the switches and groups of removed networks, with their ports and ACLs.
func (x *networkWork) removeOthers() {
	for sw := range x.db.Switches() {
		if sw.ExternalIDs[KeyNetwork] != "" && !x.switches[sw.Name] {
			x.ops = append(x.ops, deleteOp(nb.TableSwitch, sw.UUID))
		}
	}
	for g := range x.db.PortGroups() {
		o := nb.ParseOwner(nb.TablePortGroup, g.ExternalIDs)
		if o.Network() != "" && (o.Type == nb.OwnerCluster || o.Type == nb.OwnerNamespace) && !x.groups[g.Name] {
			x.ops = append(x.ops, deleteOp(nb.TablePortGroup, g.UUID))
		}
	}
}

// NewRouter returns the lab's router for a network's switch, as its external ids describe it. room are its
// networks if they name none. ok is false if no router is needed.
func NewRouter(name string, ids map[string]string, room []netip.Prefix) (r *Router, ok bool) {
	n := network.Prefix(ids[KeyNetwork])
	r = &Router{Name: n + "ovn_cluster_router", Prefix: n, Switch: name, Own: prefixes(strings.Fields(ids[KeyRouter])),
		Cluster: prefixes(strings.Fields(ids[KeySubnets])), Serve: true}
	if len(r.Own) == 0 {
		r.Own = room
	}
	if len(r.Own) == 0 {
		return nil, false
	}
	r.MAC = nb.MAC(r.Own[0].Addr())
	return r, true
}

// textsOf returns values as texts.
func textsOf[T fmt.Stringer](values []T) (out []string) {
	for _, v := range values {
		out = append(out, v.String())
	}
	return out
}

// prefixes parses networks and skips invalid texts.
func prefixes(texts []string) (out []netip.Prefix) {
	for _, text := range texts {
		if p, err := netip.ParsePrefix(text); err == nil {
			out = append(out, p)
		}
	}
	return out
}

// addresses parses addresses, with IPv4 in its own form, and skips invalid texts.
func addresses(texts []string) (out []netip.Addr) {
	for _, text := range texts {
		if a, err := netip.ParseAddr(text); err == nil {
			out = append(out, a.Unmap())
		}
	}
	return out
}
