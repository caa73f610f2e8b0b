package policy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/words"
	"rung/pages/page/role"
	"rung/revision"
	"rung/revision/connections"
	"rung/revision/finding"
	"rung/revision/policies"
	"rung/themes"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// ruleItem is a line of the table of rules.
type ruleItem struct {
	rule       *model.Rule // nil for a heading
	head       string
	peers      string
	ports      string
	pods, acls string
	applied    string // a rule's own appliedTo
	hits, log  string
	mark       widget.Line
}

func (it *ruleItem) id() string {
	if it.rule == nil {
		return "# " + it.head
	}
	return it.rule.Direction.Lower() + " " + strconv.Itoa(it.rule.Index)
}

func (v *View) makeTables() {
	heading := func(it *ruleItem) widget.Line {
		if it.rule != nil {
			return nil
		}
		return widget.Line{{Text: "── ", Style: v.st.Border}, {Text: it.head, Style: v.st.Title}, {Text: " ──", Style: v.st.Border}}
	}
	plain := func(f func(*ruleItem) string) func(*ruleItem) widget.Line {
		return func(it *ruleItem) widget.Line {
			if it.rule == nil {
				return nil
			}
			return widget.Plain(f(it))
		}
	}
	v.rules = widget.Table[*ruleItem]{
		ID: func(it *ruleItem) string { return it.id() }, Full: heading, Empty: "no rules",
		Skip:  func(it *ruleItem) bool { return it.rule == nil },
		Fixed: func(it *ruleItem) bool { return it.rule == nil },
		Columns: []widget.Column[*ruleItem]{
			{Title: "RULE", Cell: plain((*ruleItem).id)},
			{Title: "ACTION", Cell: func(it *ruleItem) widget.Line {
				if it.rule == nil {
					return nil
				}
				return widget.Styled(v.key.Kind.RuleActionWord(it.rule), view.ActionStyle(it.rule.Action, v.st))
			}},
			{Title: "NAME", Min: 14, Cell: func(it *ruleItem) widget.Line {
				if it.rule == nil {
					return nil
				}
				return widget.Styled(it.rule.Name, v.st.Accent)
			}},
			{Title: "PEERS", Min: 16, Cell: plain(func(it *ruleItem) string { return it.peers })},
			{Title: "PORTS", Min: 8, Drop: 4, Cell: plain(func(it *ruleItem) string { return it.ports })},
			{Title: "PODS", Right: true, Drop: 2, Cell: plain(func(it *ruleItem) string { return it.pods })},
			{Title: aclsColumn, Right: true, Drop: 3, Cell: plain(func(it *ruleItem) string { return it.acls })},
			{Title: "HITS", Wide: true, Cell: plain(func(it *ruleItem) string { return it.hits })},
			{Title: "FINDINGS", Min: 3, Drop: 1, Cell: func(it *ruleItem) widget.Line { return it.mark }},
		},
	}
	v.columns = v.rules.Columns
	v.pods = widget.Table[*model.Pod]{
		ID: func(p *model.Pod) string { return p.Namespace + "/" + p.Name }, Empty: "the subject selects no pods",
		Columns: []widget.Column[*model.Pod]{
			{Title: "POD", Name: true, Min: 24, Cell: func(p *model.Pod) widget.Line {
				return widget.Styled(p.Namespace+"/"+p.Name, v.st.Accent)
			}},
			{Title: "ADDRESS", Cell: func(p *model.Pod) widget.Line {
				if len(p.IPs) == 0 {
					return widget.Styled("none", v.st.Warn)
				}
				return widget.Plain(strings.Join(p.IPs, " "))
			}},
			{Title: "NODE", Drop: 2, Cell: func(p *model.Pod) widget.Line { return widget.Plain(p.NodeName) }},
			{Title: "PHASE", Drop: 4, Cell: func(p *model.Pod) widget.Line { return widget.Plain(p.Phase) }},
			{Title: "NOTE", Min: 12, Drop: 3, Cell: v.podNote},
			{Title: "LABELS", Min: 10, Drop: 5, Cell: func(p *model.Pod) widget.Line { return widget.Styled(p.Labels.String(), v.st.Dim) }},
		},
	}
}

// aclsColumn is there where rules have rows.
const aclsColumn = "ACLS"

// ruleColumns are the columns of the table of rules. Where there are no rows, what a rule
// applies to and whether it logs stand in place of its ACLs.
func (v *View) ruleColumns(env *view.Env) []widget.Column[*ruleItem] {
	if !env.Rev.BySelectors(v.policy) {
		return v.columns
	}
	own := false
	for r := range v.policy.AllRules() {
		own = own || r.Tiered != nil && len(r.Tiered.AppliedTo) > 0
	}
	text := func(f func(*ruleItem) string) func(*ruleItem) widget.Line {
		return func(it *ruleItem) widget.Line {
			if it.rule == nil {
				return nil
			}
			return widget.Plain(f(it))
		}
	}
	var out []widget.Column[*ruleItem]
	for _, c := range v.columns {
		switch c.Title {
		case "PEERS":
			if own {
				out = append(out, widget.Column[*ruleItem]{Title: "APPLIED TO", Min: 12, Cell: text(func(it *ruleItem) string { return it.applied })})
			}
		case aclsColumn:
			if v.policy.Tiered == nil {
				continue // a NetworkPolicy logs as its namespace says
			}
			c = widget.Column[*ruleItem]{Title: "LOG", Drop: 3, Cell: text(func(it *ruleItem) string { return it.log })}
		}
		out = append(out, c)
	}
	return out
}

func (v *View) podNote(p *model.Pod) widget.Line {
	var notes []string
	if v.waiting[p.Namespace+"_"+p.Name] {
		notes = append(notes, "no logical switch port yet")
	}
	if n := p.PrimaryUDN(); n != "" {
		notes = append(notes, "not enforced on its primary network "+n)
	}
	if p.Deleting {
		notes = append(notes, "being deleted")
	}
	return widget.Styled(strings.Join(notes, ", "), v.st.Warn)
}

func (v *View) syncPods(env *view.Env) {
	v.waiting = policies.WaitingPorts(env.Rev, v.key)
	if v.cluster != env.Rev.Cluster || len(v.pods.Items()) == 0 {
		v.pods.SetItems(v.subjects(env))
	}
}

// ruleItems are the rules, ingress before egress.
func (v *View) ruleItems(env *view.Env) []*ruleItem {
	if v.policy == nil {
		return nil
	}
	facts := policies.ListRuleFacts(env.Rev, v.policy)
	finds := map[string][]model.Finding{}
	for _, f := range finding.KnownFindingsOf(env.Rev, v.key) {
		if f.Rule >= 0 {
			id := f.Direction.Lower() + " " + strconv.Itoa(f.Rule)
			finds[id] = append(finds[id], f)
		}
	}
	var out []*ruleItem
	for _, dir := range []model.Direction{model.Ingress, model.Egress} {
		rules := v.policy.Rules(dir)
		if len(rules) == 0 {
			continue
		}
		title := "ingress · traffic to the subject's pods"
		if dir == model.Egress {
			title = "egress · traffic from the subject's pods"
		}
		if connections.OutsideTypes(v.policy, dir) {
			title = dir.Lower()
		}
		out = append(out, &ruleItem{head: title + " · " + howDecided(v.policy, dir)})
		for range rules {
			it := v.ruleItem(env, &facts[0])
			facts = facts[1:]
			it.mark = ruleMark(finds[it.id()], env.W >= roomy, v.st)
			out = append(out, it)
		}
	}
	return out
}

// howDecided says how rules of one direction stand to each other.
func howDecided(p *model.Policy, dir model.Direction) string {
	switch {
	case p.Kind != model.KindNP:
		return "first match decides"
	case connections.OutsideTypes(p, dir):
		return "▲ not in policyTypes: isolates nothing, but still allows"
	}
	return "any match is allowed"
}

func (v *View) ruleItem(env *view.Env, f *policies.RuleFacts) *ruleItem {
	it := &ruleItem{rule: f.Rule, pods: "–", acls: strconv.Itoa(len(f.ACLs)), ports: "any", peers: strings.Join(f.PeerTexts(), " | ")}
	if v.hits != nil {
		it.hits = v.hits.UseOfRule(v.policy, f.Rule).ShortText()
	}
	if f.SelectsPods && env.Rev.WhyNoRows(v.key) == nil {
		it.pods = words.Thousands(f.Pods)
	}
	if a := f.Tiered; a != nil {
		it.log = "off"
		if a.Logging {
			it.log = "on"
		}
		it.applied = model.AppliedText(a.AppliedTo, v.policy.Namespace)
		if slices.ContainsFunc(f.Peers, func(p model.Peer) bool { return p.Match != nil }) {
			it.pods = "by pod" // other ones for each pod that the rule applies to
		}
	}
	if len(f.Ports) > 0 {
		it.ports = strings.Join(f.PortTexts(), ", ")
	}
	if f.BrokenPortsText() != "" {
		it.ports = role.StateSign(model.StateNotEnforced) + " " + it.ports
	}
	return it
}

// roomy is from what width on findings are told in the table of rules; below
// it their sign has to do.
const roomy = 150

// ruleMark counts the findings of a rule, and says the worst where there is room.
func ruleMark(finds []model.Finding, full bool, st *themes.Styles) widget.Line {
	if len(finds) == 0 {
		return nil
	}
	l := detail.FindingCount(model.CountFindings(finds), st)
	if !full {
		return l
	}
	return l.Add(" "+finds[0].Message, st.Text)
}

// findingLines are the findings that the tab counts, worst first, each with its remedy.
func (v *View) findingLines(env *view.Env) []detail.Line {
	s := &detail.Sheet{St: env.Styles, W: env.W}
	for _, f := range finding.KnownFindingsOf(env.Rev, v.key) {
		sign, look := detail.Sign(f.Severity, env.Styles)
		to := nav.Page{}
		text := f.Message
		if v.policy != nil && v.policy.Rule(f.Direction, f.Rule) != nil {
			to = nav.ToRule(v.key, f.Direction, f.Rule)
			text = revision.RuleLabel(f.Direction, f.Rule, "") + ": " + text
		}
		if v.policy == nil && f.Origin.Place() != "" {
			text = f.Origin.Place() + ": " + text
		}
		id := fmt.Sprintf("finding.%s.%s.%d.%s", f.Code, f.Direction, f.Rule, f.Message)
		s.Say(id, 0, sign, look, env.Styles.Text, text+"  ("+f.Code+")", to)
		if f.Remedy != "" {
			s.Say(id+".remedy", 2, "→", env.Styles.Dim, env.Styles.Dim, f.Remedy, to)
			s.Lines[len(s.Lines)-1].Skip = true
		}
	}
	return s.Lines
}

// broken are objects of the policy's name that could not be read, where it is not there.
func (v *View) broken(env *view.Env) (out []model.Broken) {
	for _, b := range env.Rev.Broken {
		if b.Key == v.key && v.policy == nil {
			out = append(out, b)
		}
	}
	return out
}
