package networks

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/netip"
	"slices"
	"strings"

	"rung/model"
)

// Options are the settings of the process that writes the rows.
type Options struct {
	IPv4, IPv6      bool // of the cluster
	AllowICMP       bool
	Stateless       bool
	Multicast       bool
	NoMultiPolicies bool
	ClusterSubnets  []netip.Prefix
	DNS             map[string][]string
	HairpinV4       string
	HairpinV6       string
}

// Row is a row of the database, by what is said of it.
type Row struct {
	Table, Name    string
	IDs            map[string]string
	Priority, Tier int
	Direction      string
	AfterLB        bool
	Action, Match  string
	Severity       string
	Ports, ACLs    []string // of a port group
	Addresses      []string // of a set
	Frozen         bool     // a set that a pod keeps from following: its addresses are not known
	HolderOfACL    string   // table and name of the row that an ACL hangs on
}

// Rows are the rows of the zone of a node, by table and id.
func Rows(c *model.Cluster, o Options, zone string) map[string]Row {
	r := &reference{c: c, o: o, zone: zone, rows: map[string]Row{}, networks: newNetworks(c)}
	r.policies()
	r.defaults()
	for p := range c.Policies(model.KindEF) {
		r.egressFirewall(p)
	}
	r.multicast()
	for id, row := range r.rows {
		slices.Sort(row.Ports)
		slices.Sort(row.ACLs)
		slices.Sort(row.Addresses)
		row.Ports, row.Addresses = slices.Compact(row.Ports), slices.Compact(row.Addresses)
		r.rows[id] = row
	}
	return r.rows
}

type reference struct {
	c        *model.Cluster
	o        Options
	zone     string
	networks *networks
	rows     map[string]Row
}

// pair is a key of external_ids with its value.
type pair struct{ key, value string }

// controllerName owns the rows of a network; nil is the default one.
func controllerName(n *net) string {
	if n == nil {
		return "default-network-controller"
	}
	return n.name + "-network-controller"
}

func joinID(controller, owner string, pairs ...pair) string {
	id := controller + ":" + owner
	for _, p := range pairs {
		id += ":" + p.value
	}
	return id
}

func externalIDs(controller, owner string, pairs ...pair) map[string]string {
	ids := map[string]string{"k8s.ovn.org/owner-controller": controller, "k8s.ovn.org/owner-type": owner, "k8s.ovn.org/id": joinID(controller, owner, pairs...)}
	for _, p := range pairs {
		ids[p.key] = p.value
	}
	return ids
}

// Hashed is the name of a port group or set with that id.
func Hashed(id string) string {
	h := fnv.New64a()
	h.Write([]byte(id))
	return fmt.Sprintf("a%d", h.Sum64())
}

func named(value string) pair       { return pair{"k8s.ovn.org/name", value} }
func directed(value string) pair    { return pair{"direction", value} }
func (r *reference) put(row Row)    { r.rows[row.Table+" "+row.IDs["k8s.ovn.org/id"]] = row }
func isCompleted(p *model.Pod) bool { return p.Phase == "Succeeded" || p.Phase == "Failed" }

// acl puts an ACL of tier 2; dir is Ingress or Egress. Of a port group that the row stands in by itself
// holder is the id.
func (r *reference) acl(controller, owner, dir, name string, priority int, action, match, severity, holder string, pairs ...pair) {
	row := Row{Table: "ACL", Name: name[:min(63, len(name))], IDs: externalIDs(controller, owner, pairs...), Priority: priority, Tier: 2,
		Direction: "to-lport", Action: action, Match: match, Severity: severity, HolderOfACL: holder}
	if dir == "Egress" {
		row.Direction, row.AfterLB = "from-lport", true
	}
	r.put(row)
	if group, ok := r.rows["Port_Group "+holder]; ok {
		group.ACLs = append(group.ACLs, row.IDs["k8s.ovn.org/id"])
		r.rows["Port_Group "+holder] = group
		row.HolderOfACL = "Port_Group " + group.Name
		r.put(row)
	}
}

// levels are the severities of a namespace.
func (r *reference) levels(namespace string) (allow, deny string) {
	ns := r.c.Namespace(namespace)
	if ns == nil {
		return "", ""
	}
	var l struct{ Allow, Deny string }
	if json.Unmarshal([]byte(ns.Annotations["k8s.ovn.org/acl-logging"]), &l) != nil {
		return "", ""
	}
	known := func(level string) string {
		if slices.Contains([]string{"alert", "warning", "notice", "info", "debug"}, level) {
			return level
		}
		return ""
	}
	return known(l.Allow), known(l.Deny)
}

// families are "4" and "6", as far as a network has them.
func (r *reference) families(n *net) (out []string) {
	four, six := r.o.IPv4, r.o.IPv6
	if n != nil {
		four, six = n.v4, n.v6
	}
	if four {
		out = append(out, "4")
	}
	if six {
		out = append(out, "6")
	}
	return out
}

// either joins expressions: one alone, several in brackets.
func either(exprs ...string) string {
	if len(exprs) == 1 {
		return exprs[0]
	}
	return "(" + strings.Join(exprs, " || ") + ")"
}

func addressFamily(address string) string {
	if strings.Contains(address, ":") {
		return "6"
	}
	return "4"
}

func portTerm(dir, group string) string {
	if dir == "Egress" {
		return "inport == @" + group
	}
	return "outport == @" + group
}
