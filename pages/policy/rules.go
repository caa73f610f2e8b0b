package policy

import (
	"cmp"

	"rung/model"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"

	"slices"
	"strconv"
	"strings"

	"rung/themes"
)

// Rule is the JSON of a rule, and a line of the table of rules.
type Rule struct {
	Direction string   `json:"direction"`
	Index     int      `json:"index"`
	Name      string   `json:"name,omitempty"`
	Action    string   `json:"action"`
	Peers     []string `json:"peers"`
	Ports     []string `json:"ports"`
	PeerPods  int      `json:"peer_pods"`
	ACLs      []string `json:"acls"`
	// AppliedTo describes the pods of a tiered rule that names its own.
	AppliedTo string `json:"applied_to,omitempty"`
	// Note is a warning about the rule. Broken names the parts that match nothing.
	Note   string `json:"note,omitempty"`
	Broken string `json:"broken,omitempty"`

	Original *model.Rule `json:"-"` // nil for a heading
	head     string
	kind     model.Kind
	// pods counts pods behind peers that select pods; log says whether a tiered rule logs.
	pods, log string
}

// ListRules returns the rules of a policy, ingress before egress.
func ListRules(r *revision.Revision, p *model.Policy) []*Rule {
	return model.MapList(revision.ListRuleFacts(r, p), func(f revision.RuleFacts) *Rule {
		o := &Rule{Direction: f.Direction.Lower(), Index: f.Index, Name: f.Name, Action: p.Kind.RuleActionWord(f.Rule), PeerPods: f.Pods,
			Peers: f.PeerTexts(), Ports: f.PortTexts(), ACLs: append([]string{}, f.ACLs...), Broken: f.BrokenPortsText(),
			Original: f.Rule, kind: p.Kind,
			pods: page.None.Text}
		if f.SelectsPods && r.WhyNoRows(p.Key) == nil {
			o.pods = r.Unread(model.KindPod, model.KindNamespace).CountText(f.Pods)
		}
		if a := f.Tiered; a != nil {
			o.log = words.Choose(a.Logging, "on", "off")
			if len(a.AppliedTo) > 0 {
				o.AppliedTo = model.AppliedText(a.AppliedTo, p.Namespace)
			}
			if slices.ContainsFunc(f.Peers, func(p model.Peer) bool { return p.Match != nil }) {
				o.pods = "by pod" // depends on the pod that the rule applies to
			}
		}
		if revision.OutsideTypes(p, f.Direction) {
			o.Note = "policyTypes leave " + string(f.Direction) + " out: it isolates nothing there, but still allows"
		}
		return o
	})
}

// RulesWithHeadings returns the rules under a heading for each direction.
func RulesWithHeadings(p *model.Policy, rules []*Rule) (out []*Rule) {
	last := model.Direction("")
	for _, x := range rules {
		if dir := x.Original.Direction; dir != last {
			last = dir
			title := "ingress · traffic to the subject's pods"
			if dir == model.Egress {
				title = "egress · traffic from the subject's pods"
			}
			switch {
			case p.Kind != model.KindNP:
				title += " · first match decides"
			case revision.OutsideTypes(p, dir):
				title = dir.Lower() + " · " + words.Warned + " not in policyTypes: isolates nothing, but still allows"
			default:
				title += " · any match is allowed"
			}
			out = append(out, &Rule{head: title})
		}
		out = append(out, x)
	}
	return out
}

// ID returns the rule's direction and number.
func (x *Rule) ID() string {
	if x.Original == nil {
		return "# " + x.head
	}
	return x.Direction + " " + strconv.Itoa(x.Index)
}

// RuleTable lists the rules of a policy: with ACLs if rows is true, else with appliedTo and logging.
func RuleTable(p *model.Policy, rows bool) *page.Table[*Rule] {
	tiered, own := p != nil && p.Tiered != nil, false
	if tiered {
		for r := range p.AllRules() {
			own = own || r.Tiered != nil && len(r.Tiered.AppliedTo) > 0
		}
	}
	t := &page.Table[*Rule]{Help: map[string]string{"pods": "pods that its peers match"}, ID: (*Rule).ID, Empty: "no rules",
		Head: func(x *Rule) bool { return x.Original == nil },
		Full: func(x *Rule) page.Line {
			if x.Original != nil {
				return nil
			}
			return page.HeadingLine(x.head)
		}}
	for _, c := range ruleColumns {
		switch {
		case c.Key == "acls" && !rows, c.Key == "log" && !tiered, // the namespace sets a NetworkPolicy's logging
			c.Key == "applied_to" && !own && (c.Place == page.OnScreen || !tiered):
		default:
			t.Columns = append(t.Columns, c)
		}
	}
	return t
}

// ruleColumns are all columns: a screen has names first, a command long texts last.
var ruleColumns = []page.Column[*Rule]{
	{Key: "rule", Title: "RULE", Importance: page.Always, Cell: page.TextCell((*Rule).ID)},
	{Key: "action", Title: "ACTION", Importance: page.Always,
		Cell: func(x *Rule) page.Cell { return page.Cell{Text: x.Action, Role: page.ActionRole(x.Original.Action)} }},
	{Key: "pods", Title: "PODS", Place: page.Printed, Importance: 98, Cell: page.TextCell(podsText)},
	{Key: "acls", Title: "ACLS", Place: page.Printed, Importance: 97, Cell: page.TextCell(aclsText)},
	{Key: "ports", Title: "PORTS", Place: page.Printed, Importance: page.Always, Cell: page.TextCell(portsText)},
	{Key: "name", Title: "NAME", Place: page.Printed, Importance: page.Always, Cell: page.TextCell(func(x *Rule) string {
		text := cmp.Or(x.Name, x.Note)
		text += words.Between("  "+words.No+" ", x.Broken, "")
		return strings.TrimSpace(text)
	})},
	{Key: "applied_to", Title: "APPLIED TO", Place: page.Printed, Importance: page.Always,
		Cell: page.TextCell(func(x *Rule) string { return cmp.Or(x.AppliedTo, "as the policy") })},
	{Key: "peers", Title: "PEERS", Place: page.Printed, Importance: page.Always, Flex: true, Cell: page.TextCell(peersText)},

	{Key: "name", Title: "NAME", Place: page.OnScreen, Min: 14, Importance: page.Always,
		Cell: page.RoleCell(themes.Accent, func(x *Rule) string { return x.Name })},
	{Key: "applied_to", Title: "APPLIED TO", Place: page.OnScreen, Min: 12, Importance: page.Always,
		Cell: page.TextCell(func(x *Rule) string { return x.AppliedTo })},
	{Key: "peers", Title: "PEERS", Place: page.OnScreen, Min: 16, Importance: page.Always, Cell: page.TextCell(peersText)},
	{Key: "ports", Title: "PORTS", Place: page.OnScreen, Min: 8, Importance: 96, Cell: func(x *Rule) page.Cell {
		c := page.Cell{Text: portsText(x)}
		if x.Broken != "" {
			c.Sign = page.Span{Text: page.StateSign(model.StateNotEnforced)}
		}
		return c
	}},
	{Key: "pods", Title: "PODS", Place: page.OnScreen, Right: true, Importance: 98, Cell: page.TextCell(podsText)},
	{Key: "acls", Title: "ACLS", Place: page.OnScreen, Right: true, Importance: 97, Cell: page.TextCell(aclsText)},
	{Key: "log", Title: "LOG", Place: page.OnScreen, Importance: 97, Cell: page.TextCell(func(x *Rule) string { return x.log })},
}

func podsText(x *Rule) string  { return x.pods }
func aclsText(x *Rule) string  { return words.Thousands(len(x.ACLs)) }
func portsText(x *Rule) string { return cmp.Or(strings.Join(x.Ports, ", "), "any") }
func peersText(x *Rule) string { return cmp.Or(strings.Join(x.Peers, " | "), "everything") }
