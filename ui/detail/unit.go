package detail

import (
	"cmp"
	"fmt"
	"net/netip"
	"regexp"
	"strings"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/verdict"
	"rung/model/words"
	"rung/pages/page"
	"rung/pages/rows"
	"rung/revision"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// RowsFilter returns the filter that finds the rows of a policy or other unit in a zone, by their owner's
// label.
func RowsFilter(k model.Key) string {
	ns := regexp.QuoteMeta(k.Namespace)
	switch k.Kind {
	case model.KindEF:
		return "EF " + ns + " rule"
	case model.KindNetpolNamespace:
		return "(deny|ARP|ICMP) of " + ns + ", " + model.Direction(k.Name).Lower()
	case model.KindNetpolDefault:
		return "hairpin "
	case model.KindNetpolNode:
		return "node " + regexp.QuoteMeta(k.Name) + " "
	case model.KindMulticastNS:
		return "multicast of " + ns
	case model.KindMulticastCluster:
		return words.Choose(k.Name == nb.TypeMulticastNodes, "multicast between", "multicast default")
	}
	return k.Label() + " "
}

// UnitPage returns the page with the rows of a policy or unit in a zone; for address sets, which no list of
// ACLs has, their first set.
func UnitPage(r *revision.Revision, k model.Key, z *model.ZoneState) nav.Page {
	if k.Kind != model.KindPodSelector && k.Kind != model.KindEFDNS {
		return nav.Page{Kind: nav.Rows, Key: k, Zone: z.Name, Text: RowsFilter(k)}
	}
	unit := r.Rows(k, z.Name)
	if unit == nil || len(unit.AddressSets) == 0 {
		return nav.Page{Kind: nav.Rows, Zone: z.Name}
	}
	set := unit.AddressSets[0]
	var live *nb.AddressSet
	if z.DB != nil {
		live = z.DB.AddressSetByName(set.Name)
	}
	return RowPage(z, live, set)
}

// DeciderPage returns the page of a deciding rule in a zone, or of rows without a rule.
func DeciderPage(r *revision.Revision, d *verdict.Decider, zone string) nav.Page {
	z := r.Zone(zone)
	switch {
	case d.Policy.Kind.IsPolicy() && d.Rule >= 0:
		p := nav.ToRule(d.Policy, d.Direction, d.Rule)
		p.Zone = zone
		return p
	case d.Policy.Kind.IsPolicy():
		return nav.ToPolicy(d.Policy)
	case z != nil && d.Policy != (model.Key{}):
		return UnitPage(r, d.Policy, z)
	}
	return nav.Page{}
}

// UnitLine summarizes a policy or unit over all zones in one line.
func UnitLine(env *view.Env, k model.Key) widget.Line {
	st, r := env.Styles, env.Rev
	s := revision.SummarizePolicy(r, k, env.Now)
	if s.Zones == 0 {
		return widget.StyledLine(words.Unknown+" not checked against live rows", st.Dim)
	}
	text := fmt.Sprintf("in sync in %s of %s", words.Thousands(s.InSync), words.Count(s.Zones, "zone"))
	if s.State == model.StateInSync {
		return widget.StyledLine(words.Yes+" "+text, st.OK)
	}
	state, rest := ZoneState(r, k, r.Zone(s.Zone), env.Now)
	l := widget.StyledLine(page.StateSign(state)+" "+string(state)+" in "+s.Zone, view.StateStyle(state, st))
	l = l.AddIf(rest != "", " "+rest, st.Text)
	return l.Add(" · "+text, st.Dim)
}

// LoggingLine returns the log levels of a policy, and the namespace that sets them, if any.
func LoggingLine(env *view.Env, p *model.Policy) widget.Line {
	st, l := env.Styles, revision.PolicyLogging(env.Rev, p)
	var out widget.Line
	switch {
	case l.Levels.IsOn():
		out = widget.StyledLine(l.Levels.String(), st.Info)
	case len(l.Problems) == 0:
		out = widget.StyledLine("off", st.Text)
	}
	if len(l.Problems) > 0 {
		out = out.AddIf(len(out) > 0, "  ", st.Text)
		out = out.Add(words.Failed+" invalid annotation", st.Error)
	}
	if left := l.TimeLeftText(env.Now); left != "" {
		out = out.Add(" "+left, st.Warn).Add("  session of "+l.Session.By+" until "+words.Clock(l.Session.Until.In(env.Now.Location()), env.Now),
			st.Dim)
	}
	out = out.AddIf(l.Namespace != "", "  set by namespace "+l.Namespace, st.Dim)
	return out
}

// AddressOwners names the pods and nodes of an address or network of an address set, with their page.
func AddressOwners(r *revision.Revision, addr string) (text string, to nav.Page) {
	host := addr
	if p, err := netip.ParsePrefix(addr); err == nil {
		if p.Bits() == 0 {
			if p.Addr().Is4() {
				return "every IPv4 address", nav.Page{}
			}
			return "every IPv6 address", nav.Page{}
		}
		if !p.IsSingleIP() {
			return "network", nav.Page{}
		}
		host = p.Addr().String()
	}
	owners := r.AddressOwners(host)
	if len(owners) == 0 {
		return "unknown address", nav.Page{}
	}
	names := make([]string, len(owners))
	for i, o := range owners {
		names[i] = ObjectName(o.Key)
		if o.Note != "" {
			names[i] += " (" + o.Note + ")"
		}
	}
	return words.JoinAtMost(names, ", ", 2), ObjectPage(r, owners[0].Key)
}

// ObjectName names a pod or node: "pod blue/api-7", "node ovn-worker".
func ObjectName(k model.Key) string {
	return strings.ToLower(string(k.Kind)) + " " + k.NamespacedName()
}

// FindingPage returns the page of a finding's rule, else of its policy, or the file of a policy that could not be
// read; the zero page if there is none.
func FindingPage(r *revision.Revision, f *model.Finding) nav.Page {
	if !f.Policy.Kind.IsPolicy() || f.Policy.Name == "" {
		return nav.Page{}
	}
	if p := r.Cluster.Policy(f.Policy); f.Direction != "" && p != nil && p.Rule(f.Direction, f.Rule) != nil {
		return nav.ToRule(f.Policy, f.Direction, f.Rule)
	}
	if file := nav.ToFile(f.Origin); !file.IsNone() && r.Cluster.Policy(f.Policy) == nil {
		return file
	}
	return nav.ToPolicy(f.Policy)
}

// ObjectPage returns the page of a pod, of a node's zone, or of a policy.
func ObjectPage(r *revision.Revision, k model.Key) nav.Page {
	switch {
	case k.Kind == model.KindPod:
		return nav.ToPod(k)
	case k.Kind == model.KindNode && r.Zone(k.Name) != nil:
		return nav.Page{Kind: nav.Rows, Zone: k.Name}
	case k.Kind.IsPolicy():
		return nav.ToPolicy(k)
	}
	return nav.Page{}
}

// PortPod names the pod of a logical switch port.
func PortPod(r *revision.Revision, name string) (text string, to nav.Page) {
	p := revision.PortPod(r, name)
	if p == nil {
		return "no known pod has this port", nav.Page{}
	}
	return ObjectName(p.Key) + "  " + cmp.Or(strings.Join(p.IPs, " "), "no address"), nav.ToPod(p.Key)
}

// nbctlCommand starts an ovn-nbctl command, with the zone's database if ovn-nbctl can reach its address.
func nbctlCommand(z *model.ZoneState) []string {
	args := []string{"ovn-nbctl"}
	if z != nil {
		for _, scheme := range []string{"unix:", "tcp:", "ssl:"} {
			if strings.HasPrefix(z.Endpoint, scheme) {
				return append(args, "--db="+z.Endpoint)
			}
		}
	}
	return args
}

// ListCommand returns the command that shows a row by its UUID.
func ListCommand(z *model.ZoneState, table, uuid string) string {
	return words.ShellJoin(append(nbctlCommand(z), "list", table, uuid)...)
}

// FindCommand returns the command that finds rows by external_ids, given as pairs of key and value.
func FindCommand(z *model.ZoneState, table string, pairs ...string) string {
	args := append(nbctlCommand(z), "find", table)
	for i := 0; i+1 < len(pairs); i += 2 {
		args = append(args, `external_ids:"`+pairs[i]+`"=`+nb.Atom(pairs[i+1]))
	}
	return words.ShellJoin(args...)
}

// FindNamed returns the command that finds a row by name.
func FindNamed(z *model.ZoneState, table, name string) string {
	return words.ShellJoin(append(nbctlCommand(z), "find", table, "name="+nb.Atom(name))...)
}

// RowCopies returns the parts of a row to copy.
func RowCopies(z *model.ZoneState, r nb.Row) []view.CopyItem {
	var out []view.CopyItem
	add := func(is bool, what, text string) {
		if is {
			out = append(out, view.CopyItem{What: what, Text: text})
		}
	}
	id, uuid, name, table := r.IDs()[nb.KeyID], r.RowUUID(), r.RowName(), nb.TableName(r)
	if a, ok := r.(*nb.ACL); ok {
		add(true, "match", a.Match)
	}
	add(name != "", "name", name)
	add(id != "", "id", id)
	add(uuid != "", "UUID", uuid)
	add(uuid != "", "ovn-nbctl list command", ListCommand(z, table, uuid))
	add(id != "", "ovn-nbctl find command", FindCommand(z, table, nb.KeyID, id))
	add(id == "" && name != "", "ovn-nbctl find command", FindNamed(z, table, name))
	add(true, "record", rows.NewRecord(r).String())
	return out
}
