package pod

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"rung/model"
	"rung/model/ladder"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
	"rung/themes"
)

// PodFacts is the JSON of a pod (command-line.md#output).
type PodFacts struct {
	Pod
	PrimaryUDN string `json:"primary_udn,omitempty"`
	// Isolated are the NetworkPolicies that isolate the pod, by direction: what none of them allows is
	// dropped.
	Isolated map[string][]string `json:"isolated_by"`
	Touches  []*TouchingRule     `json:"touches"`

	Lines []*Line `json:"-"` // in deciding order, under headings
	by    map[model.Direction][]model.PolicyKey
}

// TouchingRule is a rule that touches a pod.
type TouchingRule struct {
	Policy    string `json:"policy"`
	Priority  *int32 `json:"priority,omitempty"`
	Tier      int    `json:"tier"`
	Direction string `json:"direction"`
	Rule      int    `json:"rule"`
	RuleName  string `json:"rule_name,omitempty"`
	Action    string `json:"action"`
	Subject   bool   `json:"subject"`
	Peer      bool   `json:"peer"`
	// Network is the network peer that contains the pod's address, if no selector selects it.
	Network string `json:"network,omitempty"`
	// On are the user-defined networks on which the policy is programmed.
	On []string `json:"on,omitempty"`
	// NoRows says why the policy is not enforced.
	NoRows string `json:"no_rows,omitempty"`
	// Broken names the parts of the rule that match nothing.
	Broken string `json:"broken,omitempty"`

	PolicyKey    model.PolicyKey `json:"-"` // the policy, or the unit of a default deny
	Dir          model.Direction `json:"-"`
	rule         *model.Rule     // nil for a default deny, whose Rule is -1
	band, prio   string          // its tier, and its priority there
	label, short string          // of the policy: full, and below the heading of its tier
	word         string          // the action as its API spells it
	mark         string          // shown before both if the policy is not enforced
	note         string          // a remark on the rule, for printed output
}

// Line is a rule that touches a pod, a default deny that isolates it, a heading, or a line of text.
type Line struct {
	ID   string
	Full page.Line // the whole screen line
	Head bool
	*TouchingRule
}

// IsPrinted reports whether a command prints the line.
func (l *Line) IsPrinted() bool { return l.TouchingRule != nil }

// FactsOfPod returns the facts about a pod, with the rules that touch it.
func FactsOfPod(r *revision.Revision, pod *model.Pod, now time.Time) *PodFacts {
	out := &PodFacts{Pod: newPod(pod), PrimaryUDN: pod.PrimaryUDN(), Isolated: map[string][]string{}, Touches: []*TouchingRule{},
		by: map[model.Direction][]model.PolicyKey{}}
	pod = r.JudgedPod(pod.Namespace, pod.Name)
	for _, dir := range model.Directions {
		out.by[dir] = revision.IsolatingPolicies(r, pod, dir)
		out.Isolated[dir.Lower()] = model.MapList(out.by[dir], model.PolicyKey.String)
	}
	touches := revision.RulesTouchingPod(r, pod)
	order := r.PolicyOrder()
	places, behind := map[model.PolicyKey]int{}, 0 // behind is the place after the NetworkPolicies
	for i := range order {
		places[order[i].Policy.Key] = i
		if order[i].Policy.Kind == model.KindNP {
			behind = i + 1
		}
	}
	last, denied := "", false
	head := func(next string) {
		if next != last {
			last = next
			out.Lines = append(out.Lines, HeadingLine(next))
		}
	}
	deny := func() {
		if !denied {
			denied = true
			out.addDefaultDenies(r, touches, head)
		}
	}
	for _, t := range touches {
		p := r.Cluster.Policy(t.Policy)
		rule := p.Rule(t.Direction, t.Rule)
		o := &TouchingRule{Policy: t.Policy.String(), Tier: p.Tier, Direction: t.Direction.Lower(), Rule: t.Rule, RuleName: rule.Name,
			Action:  p.Kind.ActionWord(rule.Action),
			Subject: t.AsSubject, Peer: t.AsPeer, Network: t.Network, Broken: rule.BrokenPortsText(), PolicyKey: t.Policy,
			Dir: t.Direction, rule: rule,
			band:  strconv.Itoa(p.Tier),
			label: p.Label(), short: p.Label(), word: p.Kind.RuleActionWord(rule), note: rule.Name}
		if on := r.Desired.Networks().NetworksOfPolicy(p); len(on) > 0 {
			o.On = on
			o.note = strings.TrimPrefix(o.note+" on "+words.ListFew(on, 2), " ")
		}
		title, late := policyHeading(p), p.Kind == model.KindEF || p.Tier > model.TierNetwork
		if p.Kind.HasPriority() {
			o.Priority, o.prio = &p.Priority, strconv.Itoa(int(p.Priority))
		}
		if i, ok := places[p.Key]; ok {
			late = i >= behind
			title, o.band, o.prio = tierPlace(&order[i])
		}
		o.describePolicy(r, p, now)
		if late {
			deny()
		}
		head(title)
		out.Touches = append(out.Touches, o)
		out.Lines = append(out.Lines, &Line{ID: o.Policy + " " + o.Direction + " " + strconv.Itoa(t.Rule), TouchingRule: o})
	}
	deny()
	return out
}

// HeadingLine returns the line of a heading.
func HeadingLine(title string) *Line {
	return &Line{ID: "# " + title, Full: page.HeadingLine(title), Head: true}
}

// The headings of tiers, in deciding order; each fits 80 columns. An EgressFirewall decides in the to-lport
// stage, whatever the egress stages allowed (ovn-kubernetes.md#firewall-rows).
const (
	adminTitle    = "tier 1 · AdminNetworkPolicy · first match decides"
	networkTitle  = "tier 2 · NetworkPolicy · unless a rule above decided"
	firewallTitle = "tier 2, to-lport · EgressFirewall · decides even after an egress Allow"
	baselineTitle = "tier 3 · baseline · unless a rule above decided"
	placedTitle   = "NetworkPolicy · unless a tier above decided"
)

// policyHeading returns the heading for the rules of a policy.
func policyHeading(p *model.Policy) string {
	switch {
	case p.Kind == model.KindNP:
		return networkTitle
	case p.Kind == model.KindEF:
		return firewallTitle
	case p.Tier == model.TierBaseline:
		return baselineTitle
	}
	return adminTitle
}

// tierPlace returns a policy's heading, tier and priority in its plugin's tiers.
func tierPlace(p *ladder.Place) (title, band, prio string) {
	prio = strconv.FormatFloat(p.Priority(), 'g', -1, 64)
	switch {
	case p.Missing:
		return "tier " + p.TierName + " does not exist: decides nothing", p.TierName, prio
	case p.Policy.Kind == model.KindNP:
		return placedTitle, page.None.Text, ""
	case p.TierName == "":
		return fmt.Sprintf("%s (%d)", p.Policy.Kind, p.Tier), strconv.Itoa(int(p.Tier)), prio
	}
	return fmt.Sprintf("tier %s (%d) · first match decides", p.TierName, p.Tier), fmt.Sprintf("%s %d", p.TierName, p.Tier), prio
}

// describePolicy sets the policy's short name and the remark on the rule. As on the ladder, it marks policies
// without rows, and those whose old rows still decide.
func (t *TouchingRule) describePolicy(r *revision.Revision, p *model.Policy, now time.Time) {
	if p.Kind == model.KindANP {
		t.short = p.Name
	}
	switch {
	case p.Kind == model.KindEF:
		t.note = "to-lport: even after an egress Allow, not after a Deny"
	case t.Broken != "":
		t.note += "  " + words.No + " " + t.Broken
	}
	if none := r.WhyNoRows(p.Key); none != nil {
		t.NoRows = none.Message
		t.note += "  " + words.No + " not enforced: " + revision.NoRowsShort(r, none)
		sign := page.StateSign(model.StateNotEnforced)
		if revision.SummarizePolicy(r, p.Key, now).State == model.StateFrozen {
			sign = page.StateSign(model.StateFrozen) + " frozen"
		}
		t.mark = sign + " "
	}
	t.note = strings.TrimSpace(t.note)
}

// addDefaultDenies adds the default denies after the rules that allow (ovn-kubernetes.md#default-deny), the
// number of NetworkPolicies about the pod, and the number of rules without peers.
func (o *PodFacts) addDefaultDenies(r *revision.Revision, touches []revision.RuleTouch, head func(title string)) {
	rows := r.PolicyOrder() == nil
	var out []*Line
	for _, dir := range model.Directions {
		by := o.by[dir]
		if len(by) == 0 {
			continue
		}
		deny := &TouchingRule{Dir: dir, Direction: dir.Lower(), Rule: -1, band: page.None.Text, label: "default deny of " + o.Namespace,
			word: string(model.Deny), note: "by " + policyLabels(by)}
		name := "isolated, " + deny.Direction
		if rows {
			deny.PolicyKey, deny.band = revision.DefaultDeny(o.Namespace, dir), strconv.Itoa(model.TierNetwork)
			name = deny.PolicyKey.Label()
		}
		names := model.MapList(by, func(k model.PolicyKey) string {
			if k.Kind == model.KindIsolation2016 {
				return "its namespace's annotation"
			}
			return "NP " + k.Name
		})
		full := page.Line{{Text: name, Role: themes.Accent}, {Text: "  "}, {Text: string(model.Deny), Role: themes.Deny},
			{Text: "  " + isolatedText(words.List(names, 4))}}
		out = append(out, &Line{ID: "isolated." + string(dir), Full: full, TouchingRule: deny})
	}
	dim := func(id, text string) {
		out = append(out, &Line{ID: id, Full: page.Line{{Text: text, Role: themes.Dim}}})
	}
	subject, peer := 0, 0
	touched := map[model.PolicyKey]bool{}
	for _, t := range touches {
		if k := t.Policy; rows && k.Kind == model.KindNP && !touched[k] {
			touched[k] = true
			if t.AsSubject {
				subject++
			} else {
				peer++
			}
		}
	}
	if len(touched) > 0 {
		dim("subject of", fmt.Sprintf("subject of %s, peer of %s more", words.Count(subject, "NetworkPolicy"), words.Thousands(peer)))
	}
	if open := revision.CountPeerlessRules(r, o.Original); rows && open > 0 {
		dim("everybody", words.Count(open, "rule")+" for other pods "+words.OneOrMany(open, "names", "name")+" no peer and "+
			words.OneOrMany(open, "matches", "match")+" this pod too")
	}
	switch {
	case len(out) == 0:
		return
	case rows:
		head(networkTitle)
	default:
		head(placedTitle)
	}
	o.Lines = append(o.Lines, out...)
}

// isolatedText names the policies that isolate a pod, and says which traffic is denied.
func isolatedText(by string) string {
	return "isolated by " + by + ": what no NetworkPolicy allows is denied"
}
