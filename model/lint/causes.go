package lint

import (
	"fmt"
	"slices"

	"rung/model"
	"rung/model/words"
)

// causedFinding is the index of a finding and the rule that causes it.
type causedFinding struct {
	index int
	rule  ruleAt
}

// groupUnderRoots puts findings with the same cause under one finding about that rule: OpenToAll or
// ClosedToAll if it has one, else a new finding that counts them.
func (d *verdictLint) groupUnderRoots() {
	by := map[ruleAt][]int{}
	var order []ruleAt
	for _, c := range d.causes {
		if by[c.rule] == nil {
			order = append(order, c.rule)
		}
		by[c.rule] = append(by[c.rule], c.index)
	}
	for _, at := range order {
		under := by[at]
		p := d.c.Policy(at.policy)
		if p == nil {
			continue
		}
		r := p.Rule(at.direction, at.rule)
		if r == nil {
			continue
		}
		cause := fmt.Sprintf("%s %s %d", p.Label(), r.Direction.Lower(), r.Index)
		root := slices.IndexFunc(d.out, func(f model.Finding) bool {
			return (f.Code == OpenToAll.Code || f.Code == ClosedToAll.Code) && f.Policy == at.policy && f.Direction == at.direction &&
				f.Rule == at.rule
		})
		if root < 0 {
			if len(under) == 1 {
				continue
			}
			root = len(d.out)
			d.addDecidesFirst(p, r, under)
		}
		d.out[root].Cause, d.out[root].Root = cause, true
		for _, i := range under {
			d.out[i].Cause = cause
		}
	}
}

// addDecidesFirst reports a rule because of which several others never decide.
func (d *verdictLint) addDecidesFirst(p *model.Policy, r *model.Rule, under []int) {
	severity := model.SeverityInfo
	policies := map[model.PolicyKey]bool{}
	var names []string
	for _, i := range under {
		f := &d.out[i]
		if f.Severity.Compare(severity) < 0 {
			severity = f.Severity
		}
		policies[f.Policy] = true
		names = append(names, ruleText(p, d.c.Policy(f.Policy), d.c.Policy(f.Policy).Rule(f.Direction, f.Rule)))
	}
	text := words.Count(len(under), "rule")
	if len(policies) > 1 {
		text += " of " + words.Count(len(policies), "policy")
	}
	d.addAboutRule(p, r, DecidesFirst, fmt.Sprintf("this %s shadows %s: %s", r.Action, text,
		words.ListFew(names, shown))).Severity = severity
	d.out[len(d.out)-1].Witness = d.out[under[0]].Witness
}

// sortUnderRoots moves findings behind their root, and keeps the order of the others.
func sortUnderRoots(found []model.Finding) []model.Finding {
	roots := model.RootCauses(found)
	if len(roots) == 0 {
		return found
	}
	under := map[string][]model.Finding{}
	out := make([]model.Finding, 0, len(found))
	for _, f := range found {
		if roots.IsUnderRoot(&f) {
			under[f.Cause] = append(under[f.Cause], f)
		}
	}
	for _, f := range found {
		if !roots.IsUnderRoot(&f) {
			out = append(out, f)
		}
		if f.Root {
			out = append(out, under[f.Cause]...)
		}
	}
	return out
}
