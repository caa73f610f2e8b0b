package rows

import (
	"fmt"
	"slices"

	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/revision"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// addMembers lists an address set: differing members first, then all.
func (v *RowView) addMembers(env *view.Env, s *detail.Sheet, set *nb.AddressSet) {
	st := env.Styles
	d := v.diff.DiffOfColumn("addresses")
	missing, extra := 0, map[string]bool{}
	if d != nil {
		missing = len(d.Missing)
		for _, a := range d.Extra {
			extra[a] = true
		}
	}
	title := words.Count(len(set.Addresses), "address")
	if d != nil {
		title += fmt.Sprintf(" · "+words.Differs+" %s missing, %s extra", words.Thousands(missing), words.Thousands(len(extra)))
	}
	s.AddHead(title)
	if d != nil {
		for _, a := range d.Missing {
			text, to := detail.AddressOwners(env.Rev, a)
			s.Add("missing."+a, detail.SideBySide(widget.Line{{Text: words.Differs + " " + a, Style: st.Error}}, 24,
				widget.StyledLine("missing here: ", st.Error).Add(text, linkStyle(st, to))), to)
		}
	}
	for _, a := range naturalOrder(set.Addresses) {
		mark := words.Choose(extra[a], words.Differs+" ", "  ")
		rev := env.Rev
		_, to := detail.AddressOwners(rev, a)
		s.AddLazy("member."+a, func() widget.Line {
			text, to := detail.AddressOwners(rev, a)
			right := widget.StyledLine(text, linkStyle(st, to))
			if mark != "  " {
				right = widget.StyledLine("not desired: ", st.Error).Add(text, linkStyle(st, to))
			}
			return detail.SideBySide(widget.Line{{Text: mark, Style: st.Error}, {Text: a}}, 24, right)
		}, to)
	}
}

// naturalOrder sorts a list naturally unless it is very long.
func naturalOrder(in []string) []string {
	if len(in) > 20000 {
		return in
	}
	return detail.NaturalOrder(in)
}

// groupACLs lists the ACLs of a port group in order of precedence.
func (v *RowView) groupACLs(env *view.Env, s *detail.Sheet, g *nb.PortGroup) {
	st := env.Styles
	s.AddHead(words.Count(len(g.ACLs), "ACL"))
	if v.live == nil {
		for _, id := range g.ACLs {
			s.Add("acl."+id, widget.StyledLine("  "+detail.ShortID(id, v.policy), st.Accent),
				nav.Page{Kind: nav.Row, Zone: v.page.Zone, Table: nb.TableACL, ID: id})
		}
		return
	}
	v.addACLs(s, g.ACLs)
}

// addACLs lists live ACLs in order of precedence.
func (v *RowView) addACLs(s *detail.Sheet, uuids []string) {
	var acls []*nb.ACL
	for _, uuid := range uuids {
		if a := v.state.DB.ACL(uuid); a != nil {
			acls = append(acls, a)
		} else {
			s.Add("acl."+uuid, widget.Line{{Text: "  " + uuid}, {Text: "  not there", Style: s.St.Error}}, nav.Page{})
		}
	}
	slices.SortFunc(acls, revision.CompareACLs)
	for _, a := range acls {
		s.Add("acl."+a.UUID, detail.ACLLine(a, v.policy, s.St), detail.RowPage(v.state, a, nil))
	}
}

// groupPorts lists the ports of a port group with their pods.
func (v *RowView) groupPorts(env *view.Env, s *detail.Sheet, g *nb.PortGroup) {
	st := env.Styles
	d := v.diff.DiffOfColumn("ports")
	title := words.Count(len(g.Ports), "logical port")
	if d != nil {
		title += fmt.Sprintf(" · "+words.Differs+" %s missing, %s extra", words.Thousands(len(d.Missing)), words.Thousands(len(d.Extra)))
	}
	s.AddHead(title)
	rev := env.Rev
	line := func(id, mark, name, note string, page nav.Page) {
		s.AddLazy(id, func() widget.Line {
			text, to := detail.PortPod(rev, name)
			return detail.SideBySide(widget.Line{{Text: mark, Style: st.Error}, {Text: name}}, 40, widget.StyledLine(note, st.Error).Add(text,
				linkStyle(st, to)))
		}, page)
	}
	to := func(name string) nav.Page {
		if p := revision.PortPod(rev, name); p != nil {
			return nav.ToPod(p.Key)
		}
		return nav.Page{}
	}
	extra := map[string]bool{}
	if d != nil {
		for _, n := range d.Missing {
			line("missing."+n, words.Differs+" ", n, "missing here: ", to(n))
		}
		for _, n := range d.Extra {
			extra[n] = true
		}
	}
	if p := v.state.PolicyJoin(v.policy); p != nil {
		for i := range p.Diffs {
			if w := &p.Diffs[i]; w.Waiting != "" && w.Table == nb.TablePortGroup && len(w.Fields) > 0 {
				for _, n := range w.Fields[0].Missing {
					line("waiting."+n, words.Waiting+" ", n, "waits for its logical switch port: ", to(n))
				}
			}
		}
	}
	names := g.Ports
	if v.live != nil {
		names = detail.PortNames(v.state.DB, g.Ports)
	}
	for _, n := range names {
		mark, note := "  ", ""
		if extra[n] {
			mark, note = words.Differs+" ", "not desired: "
		}
		page := to(n)
		if page.IsNone() && v.live != nil {
			if p := v.state.DB.PortByName(n); p != nil {
				page = detail.RowPage(v.state, p, nil)
			}
		}
		line("port."+n, mark, n, note, page)
	}
}

// switchRefs lists the ACLs and ports of a logical switch.
func (v *RowView) switchRefs(env *view.Env, s *detail.Sheet, r *nb.LogicalSwitch) {
	st := env.Styles
	if len(r.ACLs) > 0 {
		s.AddHead(words.Count(len(r.ACLs), "ACL"))
		v.addACLs(s, r.ACLs)
	}
	s.AddHead(words.Count(len(r.Ports), "logical port"))
	ports := make([]*nb.LogicalSwitchPort, 0, len(r.Ports))
	for _, uuid := range r.Ports {
		if p := v.state.DB.Port(uuid); p != nil {
			ports = append(ports, p)
		}
	}
	slices.SortFunc(ports, func(a, b *nb.LogicalSwitchPort) int { return words.CompareNatural(a.Name, b.Name) })
	rev := env.Rev
	for _, p := range ports {
		s.AddLazy("port."+p.UUID, func() widget.Line {
			text, _ := detail.PortPod(rev, p.Name)
			return detail.SideBySide(widget.StyledLine("  "+p.Name, st.Accent), 40, widget.PlainLine(text))
		}, detail.RowPage(v.state, p, nil))
	}
}
