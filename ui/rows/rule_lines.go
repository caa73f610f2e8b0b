package rows

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/ovn/flow"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/revision"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

const nameWidth = 15

// ruleLines adds the rule as written, and what it compiles to.
func (v *RuleView) ruleLines(env *view.Env, s *detail.Sheet) {
	st, r := env.Styles, v.rule
	word := words.Choose(r.Direction == model.Ingress, "from", "to")
	lead := widget.Line{{Text: v.page.Key.Kind.RuleActionWord(r), Style: view.ActionStyle(r.Action, st)}}
	lead = lead.Add("  "+word, st.Dim)
	for i := range r.Peers {
		n := ""
		for _, text := range v.peerCounts(env, i) {
			n = " → " + text
			if widget.TextWidth(r.Peers[i].String()+n) <= s.TextWidth()-nameWidth {
				break
			}
		}
		text := widget.PlainLine(widget.TruncateText(r.Peers[i].String(), max(8, s.TextWidth()-nameWidth-widget.TextWidth(n))) + n)
		if i > 0 {
			lead = nil
		}
		s.Add(fmt.Sprintf("peer.%d", i), detail.SideBySide(lead, nameWidth, text), v.addressSetPage(env))
	}
	if r.Tiered != nil && len(r.Tiered.ToServices) > 0 {
		s.Add("peer", detail.SideBySide(lead, nameWidth, widget.PlainLine(strings.Join(r.PeerTexts(), ", "))), nav.Page{})
	} else if r.AnyPeer || len(r.Peers) == 0 {
		s.Add("peer", detail.SideBySide(lead, nameWidth, widget.PlainLine("everything")), nav.Page{})
	}
	s.AddField("ports", "ports", nameWidth, widget.PlainLine(cmp.Or(strings.Join(r.PortTexts(), ", "), "any")), nav.Page{})
	if k := v.page.Key; !k.Kind.IsAdmin() { // such rules have no names that identify them
		s.AddField("policy", "policy", nameWidth, widget.StyledLine(k.Label(), st.Accent), nav.ToPolicy(k))
	}
	if env.Rev.BySelectors(v.policy) {
		v.placedLines(env, s)
		return
	}
	v.subjectLine(env, s)
	v.orderLines(env, s)
	if len(v.entries) == 0 {
		s.AddField("acls", "ACL", nameWidth, widget.StyledLine(noACL(env.Rev, v.page.Key), st.Warn), nav.Page{})
	}
	for i, e := range v.entries {
		name := words.Choose(i == 0, "ACL", "")
		mark := ""
		switch {
		case len(v.entries) == 1:
		case e == v.shownACL():
			mark = words.Here + " "
		default:
			mark = "  "
		}
		text, bad := comparisonText(e, v.isZoneRead())
		if e.Live != nil {
			if f := revision.FlowsOfACL(env.Rev, v.state, e.Live, env.Now); f.AreLate(env.Now) {
				text, bad = text+", "+words.Differs+" its flows "+flowsWord[f.State], true
			}
		}
		look := words.Choose(bad, st.Error, st.Dim)
		l := widget.Line{{Text: mark, Style: st.Key}, {Text: detail.ShortID(e.ID, v.page.Key), Style: st.Accent},
			{Text: "  " + text, Style: look}}
		s.Add(aclPrefix+e.ID, detail.SideBySide(widget.StyledLine(name, st.Dim), nameWidth, l), detail.RowPage(v.state, e.Live, e.Desired))
		if e == v.shownACL() {
			v.columnLines(env, s, e)
		}
	}
}

// flowsWord says what is wrong with flows, by their state.
var flowsWord = map[flow.State]string{flow.StateMissing: "are missing", flow.StateOld: "are of an older row"}

// isZoneRead reports whether the chosen zone's rows were ever read.
func (v *RuleView) isZoneRead() bool { return v.state != nil && v.state.DB != nil }

// noACL says why a policy's rule compiles to nothing.
func noACL(r *revision.Revision, k model.PolicyKey) string {
	switch none := r.WhyNoRows(k); {
	case none != nil:
		return "nothing: " + revision.NoRowsShort(r, none)
	case k.Kind == model.KindEF:
		return "nothing: its destination has no address now; its index stays reserved"
	case k.Kind == model.KindNP:
		return "nothing: no protocol that OVN-Kubernetes knows"
	}
	return "nothing here: no container has a port of that name"
}

// peerCounts counts the pods or nodes of a peer, in forms from long to short.
func (v *RuleView) peerCounts(env *view.Env, i int) []string {
	pe := &v.rule.Peers[i]
	switch pe.Kind {
	case model.PeerNamespaces, model.PeerPods, model.PeerGroup, model.PeerServiceAccount:
		if pe.Match != nil {
			return []string{"of each pod it applies to"}
		}
		n := revision.CountPeers(env.Rev, v.page.Key, v.rule.Direction, v.rule.Index, i)
		return []string{n.String(), n.BriefText(), words.Count(n.Pods, "pod")}
	case model.PeerNodes:
		nodes := 0
		for node := range env.Rev.Cluster.Nodes() {
			if pe.Nodes.Matches(node.Labels) {
				nodes++
			}
		}
		return []string{words.Count(nodes, "node")}
	}
	return nil
}

// addressSetPage returns the page of the address set of the rule's peers.
func (v *RuleView) addressSetPage(env *view.Env) nav.Page {
	var names []string
	if v.page.Key.Kind.IsAdmin() {
		for _, family := range []string{"v4", "v6"} {
			names = append(names,
				nb.HashedName(nb.IDs(nb.DefaultController, string(v.page.Key.Kind), nb.IDPair{Key: nb.KeyName, Value: v.page.Key.Name},
					nb.IDPair{Key: nb.KeyDirection, Value: string(v.rule.Direction)}, nb.IDPair{Key: nb.KeyGressIndex, Value: fmt.Sprint(v.rule.Index)},
					nb.IDPair{Key: nb.KeyIPFamily, Value: family})[nb.KeyID]))
		}
	} else if units := revision.RuleSets(env.Rev, v.page.Key, v.rule); len(units) == 1 {
		names = revision.SetNames(units[0]) // with several, the match shows which is which
	}
	for _, name := range names {
		if v.isZoneRead() {
			if live := v.state.DB.AddressSetByName(name); live != nil {
				return detail.RowPage(v.state, live, nil)
			}
		}
		if d := env.Rev.DesiredSet(v.page.Key, name); d != nil {
			return detail.RowPage(v.state, nil, d)
		}
	}
	return nav.Page{}
}

func (v *RuleView) subjectLine(env *view.Env, s *detail.Sheet) {
	var to nav.Page
	here := 0
	for _, p := range env.Rev.Subjects(v.page.Key) {
		if p.NodeName == v.zone && p.PrimaryUDN() == "" {
			here++
		}
	}
	n := revision.CountSubjects(env.Rev, v.page.Key)
	in := words.Choose(v.state != nil, fmt.Sprintf(" (%s here)", words.Thousands(here)), "")
	count := " → " + n.String() + in
	if widget.TextWidth(v.policy.Subject.String()+count) > s.TextWidth()-nameWidth {
		count = " → " + n.BriefText() + in // the policy's page explains the difference
	}
	if v.isZoneRead() {
		if g := v.state.DB.PortGroupByName(revision.GroupName(env.Rev, v.page.Key)); g != nil {
			to = detail.RowPage(v.state, g, nil)
		}
	}
	if d := env.Rev.DesiredGroup(v.page.Key, v.zone); to.IsNone() && d != nil {
		to = detail.RowPage(v.state, nil, d)
	}
	text := v.policy.Subject.String()
	text = widget.TruncateText(text, max(8, s.TextWidth()-nameWidth-widget.TextWidth(count))) + count
	s.AddField("subject", "subject", nameWidth, widget.PlainLine(text), to)
}

// orderLines adds the rule's place among the others.
func (v *RuleView) orderLines(env *view.Env, s *detail.Sheet) {
	p, r := v.policy, v.rule
	text := fmt.Sprintf("rule %d", r.Index)
	if p.Kind.HasPriority() {
		text = fmt.Sprintf("%d·%d", p.Priority, r.Index)
	}
	tier := fmt.Sprintf(", tier %d", p.Tier) // if it has no row
	for _, e := range v.entries {
		if e.Desired != nil {
			tier = fmt.Sprintf(" → OVN priority %d, tier %d", e.Desired.Priority, e.Desired.Tier)
			break
		}
	}
	text += tier
	s.AddField("order", "order", nameWidth, widget.PlainLine(text), nav.Page{})
	switch {
	case p.Kind == model.KindNP:
		s.AddField("alike", "", nameWidth, widget.StyledLine("any matching NetworkPolicy allows it", env.Styles.Dim), nav.Page{})
		v.denyLine(env, s)
		return
	case p.Kind == model.KindEF:
		s.AddField("stage", "stage", nameWidth, widget.PlainLine("to-lport: "+strings.TrimPrefix(revision.AfterAllow, "decides ")), nav.Page{})
	}
	before, after := revision.NeighbourRules(env.Rev, p, r)
	v.addNeighbour(env, s, "previous rule", before, "none: the first "+orderScope(p, r))
	v.addNeighbour(env, s, "next rule", after, "none: the last "+orderScope(p, r))
}

// orderScope names the rules among which a rule is the first or last.
func orderScope(p *model.Policy, r *model.Rule) string {
	if p.Kind == model.KindEF {
		return "rule of the EgressFirewall"
	}
	return r.Direction.Lower() + " rule of all"
}

// denyLine adds the default deny that follows all NetworkPolicies, for isolated pods.
func (v *RuleView) denyLine(env *view.Env, s *detail.Sheet) {
	unit := revision.DefaultDeny(v.policy.Namespace, v.rule.Direction)
	to := nav.Page{}
	if v.state != nil {
		to = detail.UnitPage(env.Rev, unit, v.state)
	}
	l := widget.Line{{Text: unit.Label(), Style: env.Styles.Accent}}
	l = l.Add("  "+string(model.Deny), view.ActionStyle(model.Deny, env.Styles))
	if revision.OutsideTypes(v.policy, v.rule.Direction) {
		l = l.Add("  "+words.Warned+" not because of this policy: its policyTypes leave "+string(v.rule.Direction)+" out", env.Styles.Warn)
	}
	s.AddField("then", "then", nameWidth, l, to)
}

func (v *RuleView) addNeighbour(env *view.Env, s *detail.Sheet, name string, at *revision.PlacedRule, nothing string) {
	if at == nil {
		s.AddField(name, name, nameWidth, widget.StyledLine("("+nothing+")", env.Styles.Dim), nav.Page{})
		return
	}
	k := at.Policy.Key
	text := revision.RuleLabel(at.Rule.Direction, at.Rule.Index, "")
	if k != v.page.Key {
		text = k.ShortLabel() + " " + text
	}
	action := "  " + at.Rule.ActionText()
	if own := strconv.Quote(at.Rule.Name); at.Rule.Name != "" && nameWidth+widget.TextWidth(text+" "+own+action) <= s.TextWidth() {
		text += " " + own
	}
	l := widget.Line{{Text: text, Style: env.Styles.Accent}}
	l = l.Add(action, view.ActionStyle(at.Rule.Action, env.Styles))
	s.AddField(name, name, nameWidth, l, nav.ToRule(k, at.Rule.Direction, at.Rule.Index))
}
