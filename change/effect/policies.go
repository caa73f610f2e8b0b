package effect

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"rung/change"
	"rung/change/guard"
	"rung/model"
	"rung/model/verdict"
	"rung/model/words"
	"rung/revision"
)

// PolicyChange is the difference of a policy. A new policy has no Old, a removed one no New.
type PolicyChange struct {
	guard.PolicyChange
	// Set if its priority or tier changed.
	Moved bool
	// Rules that differ, by direction and index. Reordered are the directions in which equal rules changed
	// their order.
	Rules     []RuleChange
	Reordered []model.Direction
	// Other authored fields that differ: subject, labels, annotations.
	Fields []change.FieldChange
}

// RuleChange is an added (Old nil), removed (New nil) or changed rule.
type RuleChange struct {
	Direction model.Direction
	Old, New  *model.Rule
}

// Outcome returns "new", "gone", "moved", "changed", or "moved, changed".
func (c *PolicyChange) Outcome() string {
	switch {
	case c.Old == nil:
		return "new"
	case c.New == nil:
		return "gone"
	case c.Moved && len(c.Rules)+len(c.Reordered)+len(c.Fields) > 0:
		return "moved, changed"
	case c.Moved:
		return "moved"
	}
	return "changed"
}

// Priorities returns "34", or "34 → 36" if the policy moved; empty for a kind without priorities.
func (c *PolicyChange) Priorities() string {
	if !c.Key.Kind.HasPriority() {
		return ""
	}
	switch {
	case c.Old == nil:
		return fmt.Sprint(c.New.Priority)
	case c.New == nil || !c.Moved:
		return fmt.Sprint(c.Old.Priority)
	}
	return fmt.Sprintf("%d → %d", c.Old.Priority, c.New.Priority)
}

// comparePolicies lists the policies whose content differs, by kind and name.
func comparePolicies(before, after *revision.Revision) (out []PolicyChange) {
	var keys []model.Key
	for p := range before.Cluster.EveryPolicy() {
		keys = append(keys, p.Key)
	}
	for p := range after.Cluster.EveryPolicy() {
		if before.Cluster.Policy(p.Key) == nil {
			keys = append(keys, p.Key)
		}
	}
	slices.SortFunc(keys, model.Key.Compare)
	for _, k := range keys {
		old, now := before.Cluster.Policy(k), after.Cluster.Policy(k)
		isUnread := before.NeverRead(k.Kind) != nil || after.NeverRead(k.Kind) != nil // additions and removals are unknown
		if model.SameContent(old, now) || (old == nil || now == nil) && isUnread {
			continue
		}
		c := PolicyChange{PolicyChange: guard.PolicyChange{Key: k, Old: old, New: now}}
		if old != nil && now != nil {
			c.Moved = old.Priority != now.Priority || old.Tier != now.Tier
			for _, d := range model.Directions {
				rules, reordered := compareRules(d, old.Rules(d), now.Rules(d))
				c.Rules = append(c.Rules, rules...)
				if reordered && k.Kind != model.KindNP { // the order of NetworkPolicy rules has no meaning
					c.Reordered = append(c.Reordered, d)
				}
			}
			c.Fields = slices.DeleteFunc(FieldChanges(old, now), func(f change.FieldChange) bool {
				return strings.HasPrefix(f.Path, "spec.ingress") || strings.HasPrefix(f.Path, "spec.egress") || f.Path == "spec.priority"
			})
			c.Fields = append(c.Fields, ruleFields(old, now, c.Rules)...)
			if len(c.Rules)+len(c.Reordered)+len(c.Fields) == 0 && !c.Moved {
				c.Fields = FieldChanges(old, now) // report every difference
			}
		}
		if old == nil {
			for r := range now.AllRules() {
				c.Rules = append(c.Rules, RuleChange{r.Direction, nil, r})
			}
		}
		if now == nil {
			for r := range old.AllRules() {
				c.Rules = append(c.Rules, RuleChange{r.Direction, r, nil})
			}
		}
		out = append(out, c)
	}
	return out
}

// fieldsOutsideText are the fields of rules that RuleText omits.
var fieldsOutsideText = []string{"name", "appliedTo", "enableLogging", "l7Protocols", "logLabel"}

// ruleFields returns the differing fields that RuleText omits, by the rule's present index.
func ruleFields(old, now *model.Policy, rules []RuleChange) (out []change.FieldChange) {
	before, after := old.AuthoredContent(), now.AuthoredContent()
	for _, r := range rules {
		if r.Old == nil || r.New == nil {
			continue
		}
		a, b := ruleContent(before, r.Old), ruleContent(after, r.New)
		for _, field := range fieldsOutsideText {
			out = append(out, ValueChanges(fmt.Sprintf("spec.%s[%d].%s", r.Direction.Lower(), r.New.Index, field), a[field], b[field])...)
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

// compareRules pairs equal rules first, then remaining rules of one name, then remaining rules of one index.
// reordered reports whether equal rules changed their order.
func compareRules(d model.Direction, old, now []model.Rule) (out []RuleChange, reordered bool) {
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
			out = append(out, RuleChange{d, &old[i], nil})
		case !same(&old[i], &now[j]):
			out = append(out, RuleChange{d, &old[i], &now[j]})
		}
	}
	for j := range now {
		if !taken[j] {
			out = append(out, RuleChange{d, nil, &now[j]})
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

// RuleText describes a rule in one line: "Allow tcp 5432 from pods: app=web in shop".
func RuleText(k model.Kind, r *model.Rule) string {
	ports, way := strings.Join(r.PortTexts(), ", "), "from"
	if ports == "" {
		ports = "any port"
	}
	if r.Direction == model.Egress {
		way = "to"
	}
	return fmt.Sprintf("%s %s %s %s", k.RuleActionWord(r), ports, way, words.OrNone(strings.Join(r.PeerTexts(), ", ")))
}
