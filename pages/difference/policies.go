package difference

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"rung/change"
	"rung/change/effect"
	"rung/model"
	"rung/model/verdict"
	"rung/model/words"
	"rung/revision"
)

// PolicyChange is the difference of a policy, with the JSON of rung diff (command-line.md#output). A new policy
// has no Old, a removed one no New.
type PolicyChange struct {
	Policy   string       `json:"policy"`
	Change   string       `json:"change"`             // new, gone, moved, changed, or "moved, changed"
	Priority string       `json:"priority,omitempty"` // "34", or "34 → 36" if the policy moved
	Rules    []RuleChange `json:"rules"`
	// Other authored fields that differ: subject, labels, annotations.
	Fields []change.FieldChange `json:"fields"`

	change.ObjectChange `json:"-"`
}

// RuleChange is a new (Before empty), deleted (After empty) or changed rule, or rules in another order.
type RuleChange struct {
	Rule   string `json:"rule"` // as `ingress rule 2 "db"`
	Before string `json:"before"`
	After  string `json:"after"`
}

// IsGone reports whether only the first side has the policy.
func (c *PolicyChange) IsGone() bool { return c.New == nil }

// comparePolicies lists the policies whose content differs, by kind and name.
func comparePolicies(before, after *revision.Revision) []*PolicyChange {
	out := []*PolicyChange{}
	key := func(p *model.Policy) model.Key { return p.Key }
	keys := slices.Concat(model.MapSeq(before.Cluster.EveryPolicy(), key), model.MapSeq(after.Cluster.EveryPolicy(), key))
	slices.SortFunc(keys, model.Key.Compare)
	for _, k := range slices.Compact(keys) {
		old, now := before.Cluster.Policy(k), after.Cluster.Policy(k)
		isUnread := before.NeverRead(k.Kind) != nil || after.NeverRead(k.Kind) != nil // additions and removals are unknown
		if !model.SameContent(old, now) && (old != nil && now != nil || !isUnread) {
			out = append(out, newPolicyChange(k, old, now))
		}
	}
	return out
}

func newPolicyChange(k model.PolicyKey, old, now *model.Policy) *PolicyChange {
	c := &PolicyChange{Policy: k.String(), Change: "changed", Rules: []RuleChange{}, Fields: []change.FieldChange{},
		ObjectChange: change.ObjectChange{Key: k, Old: old, New: now}}
	if p := cmp.Or(old, now); k.Kind.HasPriority() {
		c.Priority = fmt.Sprint(p.Priority)
	}
	if old == nil || now == nil {
		c.Change = words.Choose(old == nil, "new", "gone")
		for r := range cmp.Or(old, now).AllRules() {
			pair := rulePair{now: r}
			if now == nil {
				pair = rulePair{old: r}
			}
			c.Rules = append(c.Rules, pair.describe(k.Kind))
		}
		return c
	}
	var pairs []rulePair
	var reordered []RuleChange
	for _, d := range model.Directions {
		rules, isReordered := compareRules(old.Rules(d), now.Rules(d))
		pairs = append(pairs, rules...)
		if isReordered && k.Kind != model.KindNP { // the order of NetworkPolicy rules has no meaning
			reordered = append(reordered, RuleChange{Rule: d.Lower() + " rules", Before: "in another order", After: "in another order"})
		}
	}
	for i := range pairs {
		c.Rules = append(c.Rules, pairs[i].describe(k.Kind))
	}
	c.Rules = append(c.Rules, reordered...)
	for _, f := range effect.FieldChanges(old, now) {
		if !strings.HasPrefix(f.Path, "spec.ingress") && !strings.HasPrefix(f.Path, "spec.egress") && f.Path != "spec.priority" {
			c.Fields = append(c.Fields, f)
		}
	}
	c.Fields = append(c.Fields, ruleFields(old, now, pairs)...)
	if old.Priority != now.Priority || old.Tier != now.Tier {
		c.Change = words.Choose(len(c.Rules)+len(c.Fields) > 0, "moved, changed", "moved")
		if k.Kind.HasPriority() {
			c.Priority = fmt.Sprintf("%d → %d", old.Priority, now.Priority)
		}
	} else if len(c.Rules)+len(c.Fields) == 0 {
		c.Fields = append(c.Fields, effect.FieldChanges(old, now)...) // report every difference
	}
	return c
}

// rulePair is an added (old nil), removed (now nil) or changed rule.
type rulePair struct{ old, now *model.Rule }

// describe returns the change of a rule of a policy of a kind.
func (p *rulePair) describe(k model.Kind) (out RuleChange) {
	if p.old != nil {
		out.Rule, out.Before = p.old.Label(), ruleText(k, p.old)
	}
	if p.now != nil {
		out.Rule, out.After = p.now.Label(), ruleText(k, p.now)
	}
	if p.old != nil && p.now != nil && p.old.Index != p.now.Index {
		out.Rule += fmt.Sprintf(" (was %d)", p.old.Index)
	}
	return out
}

// fieldsOutsideText are the fields of rules that ruleText omits.
var fieldsOutsideText = []string{"name", "appliedTo", "enableLogging", "l7Protocols", "logLabel"}

// ruleFields returns the differing fields that ruleText omits, by the rule's present index.
func ruleFields(old, now *model.Policy, rules []rulePair) (out []change.FieldChange) {
	before, after := old.AuthoredContent(), now.AuthoredContent()
	for _, r := range rules {
		if r.old == nil || r.now == nil {
			continue
		}
		a, b := ruleContent(before, r.old), ruleContent(after, r.now)
		for _, field := range fieldsOutsideText {
			out = append(out, effect.ValueChanges(fmt.Sprintf("spec.%s[%d].%s", r.now.Direction.Lower(), r.now.Index, field), a[field], b[field])...)
		}
	}
	return out
}

// ruleContent returns the authored tree of a rule, nil if the policy has no such rule.
func ruleContent(policy map[string]any, r *model.Rule) map[string]any {
	spec, _ := policy["spec"].(map[string]any)
	rules, _ := spec[r.Direction.Lower()].([]any)
	if r.Index >= len(rules) {
		return nil
	}
	content, _ := rules[r.Index].(map[string]any)
	return content
}

// compareRules pairs equal rules first, then rules of one name, then rules of one index. reordered reports
// whether equal rules changed their order.
func compareRules(old, now []model.Rule) (out []rulePair, reordered bool) {
	of, taken := make([]int, len(old)), make([]bool, len(now))
	for i := range of {
		of[i] = -1
	}
	pair := func(alike func(a, b *model.Rule) bool) {
		for i := range old {
			for _, j := range nearestFirst(i, len(now)) {
				if of[i] < 0 && !taken[j] && alike(&old[i], &now[j]) {
					of[i], taken[j] = j, true
				}
			}
		}
	}
	same := func(a, b *model.Rule) bool {
		return a.Name == b.Name && a.Action == b.Action && verdict.RuleMatch(a) == verdict.RuleMatch(b) && reflect.DeepEqual(a.Tiered, b.Tiered)
	}
	pair(same)
	last := -1
	for _, j := range of {
		if j >= 0 {
			reordered = reordered || j < last
			last = max(last, j)
		}
	}
	pair(func(a, b *model.Rule) bool { return a.Name != "" && a.Name == b.Name })
	pair(func(a, b *model.Rule) bool { return a.Index == b.Index })
	for i, j := range of {
		switch {
		case j < 0:
			out = append(out, rulePair{&old[i], nil})
		case !same(&old[i], &now[j]):
			out = append(out, rulePair{&old[i], &now[j]})
		}
	}
	for j := range now {
		if !taken[j] {
			out = append(out, rulePair{nil, &now[j]})
		}
	}
	return out, reordered
}

// nearestFirst returns the indexes below n, ordered by distance from at.
func nearestFirst(at, n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	slices.SortStableFunc(out, func(a, b int) int { return max(a-at, at-a) - max(b-at, at-b) })
	return out
}

// ruleText describes a rule in one line: "Allow tcp 5432 from pods: app=web in shop".
func ruleText(k model.Kind, r *model.Rule) string {
	ports, way := strings.Join(r.PortTexts(), ", "), "from"
	if ports == "" {
		ports = "any port"
	}
	if r.Direction == model.Egress {
		way = "to"
	}
	return fmt.Sprintf("%s %s %s %s", k.RuleActionWord(r), ports, way, words.OrNone(strings.Join(r.PeerTexts(), ", ")))
}
