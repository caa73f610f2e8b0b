package pod

import (
	"fmt"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/pages/page/role"
	"rung/revision/connections"
	"rung/revision/policies"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// item is a line: a rule that touches the pod, or a line of its own.
type item struct {
	id   string
	full widget.Line // over the whole width, instead of the columns
	skip bool
	to   nav.Page

	prio, policy, rule   string
	action, name, is, at widget.Line
	ports                string
}

func (v *View) columns() []widget.Column[*item] {
	plain := func(f func(*item) string) func(*item) widget.Line {
		return func(it *item) widget.Line { return widget.Plain(f(it)) }
	}
	return []widget.Column[*item]{
		{Title: "PRIO", Right: true, Cell: plain(func(it *item) string { return it.prio })},
		{Title: "POLICY", Name: true, Min: 24, Cell: func(it *item) widget.Line { return widget.Styled(it.policy, v.st.Accent) }},
		{Title: "RULE", Cell: plain(func(it *item) string { return it.rule })},
		{Title: "ACTION", Cell: func(it *item) widget.Line { return it.action }},
		{Title: "POD IS", Cell: func(it *item) widget.Line { return it.is }},
		{Title: "NAME", Min: 14, Drop: 3, Cell: func(it *item) widget.Line { return it.name }},
		{Title: "PEERS", Min: 14, Drop: 4, Cell: func(it *item) widget.Line { return it.at }},
		{Title: "PORTS", Min: 8, Drop: 5, Cell: plain(func(it *item) string { return it.ports })},
	}
}

func (v *View) heading(title string) *item {
	return &item{id: "# " + title, skip: true,
		full: widget.Line{{Text: "── ", Style: v.st.Border}, {Text: title, Style: v.st.Title}, {Text: " ──", Style: v.st.Border}}}
}

func (v *View) line(id string, l widget.Line, to nav.Page) *item {
	return &item{id: id, full: l, to: to}
}

// touchItems are the rules that touch the pod in precedence order, with a heading
// for each tier. In tier 2 the EgressFirewall comes last and by itself: it is asked
// in the to-lport stage, whatever the egress stages allowed
// (ovn-kubernetes.md#firewall-rows).
func (v *View) touchItems(env *view.Env) []*item {
	touches := connections.RulesTouchingPod(env.Rev, v.pod)
	if order := env.Rev.PolicyOrder(); order != nil {
		return v.placedItems(env, order, touches)
	}
	byTitle := map[string][]*item{}
	for _, t := range touches {
		if p := env.Rev.Cluster.Policy(t.Policy); p != nil {
			title := partTitle(p)
			byTitle[title] = append(byTitle[title], v.touch(env, p, t))
		}
	}
	byTitle[networkTitle] = append(byTitle[networkTitle], v.isolationItems(env, touches)...)
	var out []*item
	for _, title := range []string{adminTitle, networkTitle, firewallTitle, baselineTitle} {
		if items := byTitle[title]; len(items) > 0 {
			out = append(append(out, v.heading(title)), items...)
		}
	}
	return out
}

// The headings of the parts, in precedence order; each fits 80 columns.
const (
	adminTitle    = "tier 1 · AdminNetworkPolicy · the first that matches decides"
	networkTitle  = "tier 2 · NetworkPolicy · where nothing above decided"
	firewallTitle = "tier 2, to-lport · EgressFirewall · decides even after an egress Allow"
	baselineTitle = "tier 3 · baseline · where nothing above decided"
)

// partTitle is the heading a policy's rules stand under.
func partTitle(p *model.Policy) string {
	switch p.Kind {
	case model.KindNP:
		return networkTitle
	case model.KindEF:
		return firewallTitle
	}
	if p.Tier == model.TierBaseline {
		return baselineTitle
	}
	return adminTitle
}

// isolationItems are the policies that isolate the pod, by direction, behind the rules that let
// something through (ovn-kubernetes.md#default-deny); how many NetworkPolicies it has
// to do with; and the rules that mean everybody.
func (v *View) isolationItems(env *view.Env, touches []connections.RuleTouch) []*item {
	var out []*item
	st := v.st
	z := env.Rev.Zone(v.pod.NodeName)
	for _, dir := range []model.Direction{model.Ingress, model.Egress} {
		by := connections.IsolatingPolicies(env.Rev, v.pod, dir)
		if len(by) == 0 {
			continue
		}
		names := make([]string, len(by))
		for i, k := range by {
			names[i] = "NP " + k.Name
			if k.Kind == model.KindIsolation2016 {
				names[i] = "its namespace's annotation"
			}
		}
		unit := connections.DefaultDeny(v.pod.Namespace, dir)
		to := nav.Page{}
		if z != nil {
			to = detail.UnitPage(env.Rev, unit, z)
		}
		l := widget.Line{{Text: unit.Label(), Style: st.Accent}, {Text: "  "}, {Text: string(model.Deny), Style: st.Deny}}
		out = append(out, v.line("isolated."+string(dir), l.Add("  isolated by "+words.List(names, 4)+": what no NetworkPolicy allows is dropped", st.Text), to))
	}
	subject, peer := 0, 0
	touched := map[model.PolicyKey]bool{}
	for _, t := range touches {
		if k := t.Policy; k.Kind == model.KindNP && !touched[k] {
			touched[k] = true
			if t.AsSubject {
				subject++
			} else {
				peer++
			}
		}
	}
	if len(touched) > 0 {
		text := fmt.Sprintf("subject of %s, peer of %d more", words.Count(subject, "NetworkPolicy"), peer)
		out = append(out, v.line("subject of", widget.Styled(text, st.Dim), nav.Page{}))
	}
	if open := policies.OpenRules(env.Rev, v.pod); open > 0 {
		text := words.Total(open, "rule") + " for other pods " + words.Form(open, "names", "name") + " no peer and so " + words.Form(open, "covers", "cover") + " this pod, too"
		out = append(out, v.line("everybody", widget.Styled(text, st.Dim), nav.Page{}))
	}
	return out
}

func (v *View) touch(env *view.Env, p *model.Policy, t connections.RuleTouch) *item {
	st := v.st
	r := p.Rule(t.Direction, t.Rule)
	it := &item{id: fmt.Sprintf("%s %s %d", t.Policy, t.Direction, t.Rule), to: nav.ToRule(t.Policy, t.Direction, t.Rule),
		policy: p.Name, rule: t.Direction.Lower() + " " + strconv.Itoa(t.Rule),
		action: widget.Styled(p.Kind.RuleActionWord(r), view.ActionStyle(r.Action, st)), name: widget.Plain(r.Name)}
	if p.Kind.HasPriority() {
		it.prio = strconv.Itoa(int(p.Priority))
	}
	switch {
	case t.AsSubject && t.AsPeer:
		it.is = widget.Plain("subject, peer")
	case t.AsSubject:
		it.is = widget.Plain("subject")
	default:
		it.is = widget.Styled("peer", st.Info)
	}
	if p.Kind != model.KindANP {
		it.policy = t.Policy.Label()
	}
	if env.Rev.WhyNoRows(t.Policy) != nil {
		// As on the ladder: it has no rows, or old ones still decide.
		sign := role.StateSign(model.StateNotEnforced)
		if policies.SummarizePolicy(env.Rev, t.Policy, env.Now).State == model.StateFrozen {
			sign = role.StateSign(model.StateFrozen) + " frozen"
		}
		it.policy = sign + " " + it.policy
	}
	word := "to "
	if t.Direction == model.Ingress {
		word = "from "
	}
	it.at = widget.Line{{Text: word, Style: st.Dim}, {Text: strings.Join(r.PeerTexts(), " | ")}}
	it.ports = strings.Join(r.PortTexts(), ", ")
	if it.ports == "" {
		it.ports = "any"
	}
	if r.BrokenPortsText() != "" {
		it.ports = role.StateSign(model.StateNotEnforced) + " " + it.ports
	}
	return it
}

// networkItems are the pod's networks and its logical port.
func (v *View) networkItems(env *view.Env) []*item {
	st, p := v.st, v.pod
	out := []*item{v.heading("networks and logical port")}
	if len(p.Networks) == 0 {
		out = append(out, v.line("net", widget.Line{{Text: "default  ", Style: st.Text}, {Text: words.OrNone(strings.Join(p.IPs, " "))}, {Text: "  no annotation " + model.AnnotationPodNetworks, Style: st.Dim}}, nav.Page{}))
	}
	for i, n := range p.Networks {
		l := widget.Line{{Text: n.Name + "  ", Style: st.Text}, {Text: words.OrNone(strings.Join(n.IPs, " "))}}
		if n.Role != "" {
			l = l.Add("  role "+n.Role, st.Dim)
		}
		if n.Role == "primary" && n.Name != "default" {
			l = l.Add("  ANP not enforced on it", st.Warn)
		}
		out = append(out, v.line(fmt.Sprintf("net.%d", i), l, nav.Page{}))
	}
	name := portName(p.Key)
	for _, z := range env.Rev.Zones {
		here := z.Name == p.NodeName
		lsp := z.DB.PortByName(name)
		if lsp == nil && !here {
			continue
		}
		l := widget.Line{{Text: "port " + name + " in " + z.Name + "  "}}
		to := nav.Page{}
		switch {
		case z.DB == nil:
			l = l.Add("zone not read: "+detail.Unread(z, env.Now), st.Dim)
		case lsp == nil && p.CanBeSubject():
			l = l.Add("○ does not exist yet: no policy is enforced on it", st.Warn)
		case lsp == nil:
			l = l.Add("none, as it should be", st.Dim)
		case !here:
			l = l.Add("≠ the pod does not run there", st.Error)
			to = detail.RowPage(z, lsp, nil)
		default:
			l = l.Add("present", st.OK)
			to = detail.RowPage(z, lsp, nil)
			l[0].Style = st.Accent
		}
		out = append(out, v.line("port."+z.Name, l, to))
	}
	return out
}

func portName(k model.Key) string { return nb.PortName(k.Namespace, k.Name) }
