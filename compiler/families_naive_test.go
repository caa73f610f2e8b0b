package compiler

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"rung/model"
	"rung/model/ovn/nb"
)

// naive compiles the tier-2 families (ovn-kubernetes.md#networkpolicy, #egressfirewall,
// #multicast) by asking every object about everything, with nothing of the compiler.
type naive struct {
	c      *model.Cluster
	o      Options
	v4, v6 bool
	zone   string // empty: all together
	units  map[model.PolicyKey]*model.PolicyRows
}

// naiveUnits lists the rows of all units in a zone. ACLs are sorted by id.
func naiveUnits(c *model.Cluster, o Options, v4, v6 bool, zone string) map[model.PolicyKey]*model.PolicyRows {
	n := &naive{c: c, o: o, v4: v4, v6: v6, zone: zone, units: map[model.PolicyKey]*model.PolicyRows{}}
	for p := range c.Policies(model.KindNP) {
		n.networkPolicy(p)
	}
	n.defaults()
	for p := range c.Policies(model.KindEF) {
		n.egressFirewall(p)
	}
	n.multicast()
	for _, u := range n.units {
		slices.SortFunc(u.ACLs, func(a, b *nb.ACL) int { return strings.Compare(a.ID(), b.ID()) })
		if u.PortGroup == nil {
			continue
		}
		for _, a := range u.ACLs {
			u.PortGroup.ACLs = append(u.PortGroup.ACLs, a.ID())
		}
		slices.Sort(u.PortGroup.Ports)
	}
	return n.units
}

// compareUnits says how the tier-2 rows of a zone, compiled with o, differ from the naive ones. A
// unit without rows there and a unit that does not exist are the same, and why
// one has none is not asked.
func compareUnits(d *Desired, o Options, zone string) error {
	v4, v6 := d.Families()
	want := naiveUnits(d.Cluster(), o, v4, v6, zone)
	got := map[model.PolicyKey]*model.PolicyRows{}
	for c := range d.Policies() {
		if !c.Key.Kind.IsAdmin() {
			got[c.Key] = d.RowsOfUnit(c.Key, zone, nil)
		}
	}
	for _, units := range []map[model.PolicyKey]*model.PolicyRows{want, got} {
		for k, u := range units {
			if u == nil || u.None != nil || u.PortGroup == nil && len(u.ACLs)+len(u.AddressSets) == 0 {
				delete(units, k)
			}
		}
	}
	if reflect.DeepEqual(plainUnits(want), plainUnits(got)) {
		return nil // cmp takes twenty times as long to say so
	}
	if diff := cmp.Diff(want, got, byRowID, cmpopts.EquateEmpty()); diff != "" {
		return fmt.Errorf("zone %q (-naive +got):\n%s", zone, diff)
	}
	return nil
}

// plainUnits are units in a form in which equal ones are deeply equal: ACLs by
// id, and nothing empty that is not nil.
func plainUnits(units map[model.PolicyKey]*model.PolicyRows) map[model.PolicyKey]model.PolicyRows {
	out := make(map[model.PolicyKey]model.PolicyRows, len(units))
	for k, u := range units {
		rows := *u
		rows.ACLs, rows.AddressSets = nil, nil
		for _, a := range u.ACLs {
			row := *a
			if len(row.Options) == 0 {
				row.Options = nil
			}
			rows.ACLs = append(rows.ACLs, &row)
		}
		slices.SortFunc(rows.ACLs, func(a, b *nb.ACL) int { return strings.Compare(a.ID(), b.ID()) })
		for _, s := range u.AddressSets {
			row := *s
			row.Addresses = append([]string(nil), s.Addresses...)
			rows.AddressSets = append(rows.AddressSets, &row)
		}
		if g := u.PortGroup; g != nil {
			row := *g
			row.Ports, row.ACLs = append([]string(nil), g.Ports...), append([]string(nil), g.ACLs...)
			rows.PortGroup = &row
		}
		out[k] = rows
	}
	return out
}

var byRowID = cmpopts.SortSlices(func(a, b *nb.ACL) bool { return a.ID() < b.ID() })

func (n *naive) unit(kind model.Kind, namespace, name string) *model.PolicyRows {
	k := model.PolicyKey{Kind: kind, Namespace: namespace, Name: name}
	if n.units[k] == nil {
		n.units[k] = &model.PolicyRows{Policy: k}
	}
	return n.units[k]
}

func naiveIDs(owner string, keysAndValues ...string) map[string]string {
	var pairs []nb.IDPair
	for i := 0; i < len(keysAndValues); i += 2 {
		pairs = append(pairs, nb.IDPair{Key: keysAndValues[i], Value: keysAndValues[i+1]})
	}
	return nb.IDs("default-network-controller", owner, pairs...)
}

// row follows ovn-kubernetes.md#acl-columns and #samples.
func (n *naive) row(u *model.PolicyRows, ids map[string]string, dir, name string, priority int, action, level, match string) {
	a := &nb.ACL{ExternalIDs: ids, Name: name[:min(63, len(name))], Priority: priority, Action: action, Match: match,
		Meter: "acl-logging", Tier: 2, Direction: "to-lport", Log: level != "", Severity: level}
	if dir == "Egress" {
		a.Direction, a.Options = "from-lport", map[string]string{"apply-after-lb": "true"}
	}
	if level == "" && n.o.AlternateForms.Has("meter-of-unlogged-acls") {
		a.Meter = ""
	}
	if n.o.Observability && ids["k8s.ovn.org/owner-type"] != "NetpolDefault" {
		h := fnv.New32a()
		fmt.Fprint(h, ids["k8s.ovn.org/id"]+match+action)
		a.SampleNew = strconv.FormatUint(uint64(h.Sum32()), 10)
		a.SampleEst = a.SampleNew
	}
	u.ACLs = append(u.ACLs, a)
}

// levels are those of a namespace (ovn-kubernetes.md#namespace-logging): a bad level is
// off, bad JSON all.
func (n *naive) levels(namespace string) (allow, deny string) {
	ns := n.c.Namespace(namespace)
	var l struct{ Allow, Deny, Pass string }
	if ns == nil || json.Unmarshal([]byte(ns.Annotations["k8s.ovn.org/acl-logging"]), &l) != nil {
		return "", ""
	}
	valid := []string{"alert", "warning", "notice", "info", "debug"}
	if slices.Contains(valid, l.Allow) {
		allow = l.Allow
	}
	if slices.Contains(valid, l.Deny) {
		deny = l.Deny
	}
	return allow, deny
}

func (n *naive) families() (out []string) {
	if n.v4 {
		out = append(out, "4")
	}
	if n.v6 {
		out = append(out, "6")
	}
	return out
}

// naiveEither joins the families' expressions: one alone, two in parentheses.
func naiveEither(exprs ...string) string {
	if len(exprs) == 1 {
		return exprs[0]
	}
	return "(" + strings.Join(exprs, " || ") + ")"
}

func naiveLport(dir, group string) string {
	return map[string]string{"Ingress": "outport", "Egress": "inport"}[dir] + " == @" + group
}

func naiveSide(dir string) string { return map[string]string{"Ingress": "src", "Egress": "dst"}[dir] }

// naiveSetName is the name of a family's address set of a unit.
func naiveSetName(owner, name, family string) string {
	return nb.HashedName(d + owner + ":" + name + ":v" + family)
}

func (n *naive) sets(u *model.PolicyRows, addresses []string) {
	u.AddressSets = nil
	for _, f := range n.families() {
		id := naiveIDs(string(u.Policy.Kind), "k8s.ovn.org/name", u.Policy.Name, "ip-family", "v"+f)
		s := &nb.AddressSet{Name: nb.HashedName(id["k8s.ovn.org/id"]), ExternalIDs: id, Addresses: []string{}}
		for _, a := range addresses {
			if strings.Contains(a, ":") == (f == "6") {
				s.Addresses = append(s.Addresses, a)
			}
		}
		slices.Sort(s.Addresses)
		s.Addresses = slices.Compact(s.Addresses)
		u.AddressSets = append(u.AddressSets, s)
	}
}

// networkPolicy follows ovn-kubernetes.md#isolation-groups, #default-deny and
// #rule-rows. The pods of a namespace that nobody knows are subjects of nothing, as
// with AdminNetworkPolicies.
func (n *naive) networkPolicy(p *model.Policy) {
	u := n.unit(model.KindNP, p.Namespace, p.Name)
	if len(p.Invalid) > 0 {
		u.None = &model.NoRows{Code: "profile", Message: p.Invalid[0].Message}
		return
	}
	var ports []string
	for pod := range n.c.PodsIn(p.Namespace) {
		if n.c.Namespace(p.Namespace) != nil && !pod.HostNetwork && pod.Phase != "Succeeded" && pod.Phase != "Failed" &&
			pod.NodeName != "" && (n.zone == "" || n.zone == pod.NodeName) && p.Subject.Pods.Matches(pod.Labels) {
			ports = append(ports, p.Namespace+"_"+pod.Name)
		}
	}
	allow, deny := n.levels(p.Namespace)
	u.PortGroup = n.group(naiveIDs("NetworkPolicy", "k8s.ovn.org/name", p.Namespace+":"+p.Name), ports)
	for _, dir := range []string{"Ingress", "Egress"} {
		n.isolation(p.Namespace, dir, deny, ports, map[string]bool{"Ingress": p.IsolatesIngress, "Egress": p.IsolatesEgress}[dir])
		for i, r := range p.Rules(model.Direction(dir)) {
			l3 := n.l3(p.Namespace, dir, r.Peers)
			for proto, l4 := range naiveL4(r.Ports) {
				for block, expr := range l3 {
					action := "allow-related"
					if n.o.Stateless && p.Annotations["k8s.ovn.org/acl-stateless"] == "true" {
						action = "allow-stateless"
					}
					if l4 != "" {
						expr += " && " + l4
					}
					n.row(u, naiveIDs("NetworkPolicy", "k8s.ovn.org/name", p.Namespace+":"+p.Name, "direction", dir, "gress-index", strconv.Itoa(i),
						"port-policy-protocol", proto, "ip-block-index", block), dir, fmt.Sprintf("NP:%s:%s:%s:%d", p.Namespace, p.Name, dir, i),
						1001, action, allow, expr+" && "+naiveLport(dir, u.PortGroup.Name))
				}
			}
		}
	}
}

func (n *naive) group(ids map[string]string, ports []string) *nb.PortGroup {
	return &nb.PortGroup{Name: nb.HashedName(ids["k8s.ovn.org/id"]), ExternalIDs: ids, Ports: slices.Clone(ports)}
}

// isolation follows ovn-kubernetes.md#isolation-groups: made by the first policy of the
// namespace, each isolating policy adds its pods.
func (n *naive) isolation(ns, dir, deny string, ports []string, isolates bool) {
	u := n.unit(model.KindNetpolNamespace, ns, dir)
	if u.PortGroup == nil {
		u.PortGroup = n.group(naiveIDs("NetpolNamespace", "k8s.ovn.org/name", ns, "direction", dir), nil)
		at := naiveLport(dir, u.PortGroup.Name)
		row := func(what string, priority int, action, level, match string) {
			n.row(u, naiveIDs("NetpolNamespace", "k8s.ovn.org/name", ns, "direction", dir, "type", what), dir, "NP:"+ns+":"+dir, priority, action, level, match)
		}
		row("defaultDeny", 1000, "drop", deny, at)
		row("arpAllow", 1001, "allow", "", at+" && (arp || nd)")
		if n.o.AllowICMP {
			row("icmpAllow", 1001, "allow", "", at+" && (icmp || icmp6)")
		}
	}
	if isolates {
		u.PortGroup.Ports = append(u.PortGroup.Ports, ports...)
		slices.Sort(u.PortGroup.Ports)
		u.PortGroup.Ports = slices.Compact(u.PortGroup.Ports)
	}
}

// l3 is what a rule says of its peers, by ip-block-index (ovn-kubernetes.md#rule-rows,
// #ip-blocks).
func (n *naive) l3(ns, dir string, peers []model.Peer) map[string]string {
	out := map[string]string{}
	var names, blocks []string
	for _, p := range peers {
		if p.Kind != model.PeerNetworks {
			names = append(names, n.podSelector(ns, p))
			continue
		}
		for _, cidr := range p.Networks {
			ip := "ip4."
			if strings.Contains(cidr, ":") {
				ip = "ip6."
			}
			b := ip + naiveSide(dir) + " == " + cidr
			if len(p.Except) > 0 {
				b += " && " + ip + naiveSide(dir) + " != {" + strings.Join(p.Except, ", ") + "}"
			}
			if !n.o.AlternateForms.Has("merged-ip-blocks") && len(p.Except) > 0 {
				b = "(" + b + ")"
			}
			blocks = append(blocks, b)
		}
	}
	switch {
	case n.o.AlternateForms.Has("merged-ip-blocks"):
		for i, b := range blocks {
			out[fmt.Sprint(i)] = b
		}
	case len(blocks) > 0:
		out["-2"] = naiveEither(blocks...)
	}
	var exprs []string
	for _, f := range n.families() {
		if len(peers) == 0 {
			exprs = append(exprs, "ip"+f)
			continue
		}
		var sets []string
		for _, name := range names {
			sets = append(sets, "$"+naiveSetName("PodSelector", name, f))
		}
		slices.Sort(sets)
		exprs = append(exprs, "ip"+f+"."+naiveSide(dir)+" == {"+strings.Join(slices.Compact(sets), ", ")+"}")
	}
	if len(names) > 0 || len(peers) == 0 {
		out["-1"] = naiveEither(exprs...)
	}
	return out
}

// naiveL4 follows ovn-kubernetes.md#acl-match by protocol, and
// ovn-kubernetes.md#rule-rows for ports without a number.
func naiveL4(ports []model.Port) map[string]string {
	if len(ports) == 0 {
		return map[string]string{"None": ""}
	}
	out := map[string]string{}
	for _, p := range ports {
		proto := strings.ToLower(p.Protocol)
		var single, terms []string
		for _, q := range ports {
			switch {
			case q.Protocol != p.Protocol || q.Name != "" || q.Start == 0:
			case q.Start == q.End:
				single = append(single, strconv.Itoa(int(q.Start)))
			default:
				terms = append(terms, fmt.Sprintf("%d<=%s.dst<=%d", q.Start, proto, q.End))
			}
		}
		switch len(single) {
		case 0:
		case 1:
			terms = append([]string{proto + ".dst==" + single[0]}, terms...)
		default:
			terms = append([]string{proto + ".dst=={" + strings.Join(single, ",") + "}"}, terms...)
		}
		out[proto] = proto
		if len(terms) > 0 {
			out[proto] += " && " + naiveEither(terms...)
		}
	}
	return out
}

// podSelector makes the sets behind a peer of a policy in ns
// (ovn-kubernetes.md#pod-selector-sets) and gives their name.
func (n *naive) podSelector(ns string, p model.Peer) string {
	switch {
	case p.Kind == model.PeerNamespaces:
		return n.selected(p.Namespaces.OVNText()+"_LS{}_LNM", true, p.Pods, func(o *model.Namespace) bool { return p.Namespaces.Matches(o.Labels) })
	case p.Namespace != "":
		return n.selected(ns+"_"+p.Pods.OVNText(), false, p.Pods, func(o *model.Namespace) bool { return o.Name == ns })
	}
	return n.selected(p.Namespaces.OVNText()+"_"+p.Pods.OVNText(), false, p.Pods, func(o *model.Namespace) bool { return p.Namespaces.Matches(o.Labels) })
}

func (n *naive) selected(name string, lnm bool, pods model.Selector, in func(*model.Namespace) bool) string {
	host := n.o.HostNetworkNamespace
	if host == "" {
		host = "ovn-host-network"
	}
	var all []string
	for ns := range n.c.Namespaces() {
		if !in(ns) {
			continue
		}
		for pod := range n.c.PodsIn(ns.Name) {
			if pod.Phase != "Succeeded" && pod.Phase != "Failed" && pod.NodeName != "" && !(lnm && pod.HostNetwork) && pods.Matches(pod.Labels) {
				all = append(all, pod.IPs...)
			}
		}
		if lnm && ns.Name == host {
			for node := range n.c.Nodes() {
				all = append(append(all, node.MgmtIPs...), node.GatewayIPs...)
			}
		}
	}
	n.sets(n.unit(model.KindPodSelector, "", name), all)
	return name
}

// defaults follows ovn-kubernetes.md#hairpin-and-node-rows.
func (n *naive) defaults() {
	isolated := false
	for p := range n.c.Policies(model.KindNP) {
		isolated = isolated || len(p.Invalid) == 0
	}
	if n.o.Defaults == Off || n.o.Defaults == Auto && !isolated {
		return
	}
	masquerade := map[string]string{"4": "169.254.169.5", "6": "fd69::5"}
	var from []string
	for _, f := range n.families() {
		from = append(from, "ip"+f+".src == "+masquerade[f])
	}
	u := n.unit(model.KindNetpolDefault, "", "allow-hairpinning")
	for _, dir := range []string{"Ingress", "Egress"} {
		n.row(u, naiveIDs("NetpolDefault", "k8s.ovn.org/name", "allow-hairpinning", "direction", dir), dir, "", 1001, "allow-related", "", naiveEither(from...))
	}
	for node := range n.c.Nodes() {
		u := n.unit(model.KindNetpolNode, "", node.Name)
		for _, ip := range node.MgmtIPs {
			f := "ip4"
			if strings.Contains(ip, ":") {
				f = "ip6"
			}
			if n.zone == "" || n.zone == node.Name {
				n.row(u, naiveIDs("NetpolNode", "k8s.ovn.org/name", node.Name, "ip", ip), "Ingress", "", 1001, "allow-related", "", f+".src=="+ip)
			}
		}
	}
}
