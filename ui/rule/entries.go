package rule

import (
	"fmt"
	"slices"
	"strings"

	"rung/engine/revision"
	"rung/model"
	"rung/model/nb"
	"rung/ui/detail"
)

// entry is one ACL of the rule: desired, live, or both.
type entry struct {
	id            string
	desired, live *nb.ACL
	fields        []detail.Field
	differs       int // columns
	// members says that a set or group the match names is not as desired.
	members bool
}

// entries are the rule's ACLs in a zone, by id: the desired ones, and what is
// live under the rule's name though nobody wants it.
func entries(r *revision.Revision, k model.PolicyKey, rule *model.Rule, z *model.ZoneState) []*entry {
	var out []*entry
	byID := map[string]*entry{}
	of := func(a *nb.ACL) bool {
		owner, dir, i, ok := revision.RuleOf(a.ExternalIDs)
		return ok && owner == k && dir == rule.Direction && i == rule.Index
	}
	zone := ""
	if z != nil {
		zone = z.Name
	}
	for _, a := range r.ACLs(k, zone) {
		if of(a) {
			e := &entry{id: a.ID(), desired: a}
			byID[e.id] = e
			out = append(out, e)
		}
	}
	if z != nil && z.DB != nil {
		for _, a := range detail.LiveACLs(z.DB, k) {
			switch e := byID[a.ID()]; {
			case e != nil && e.live == nil:
				e.live = a
			case of(a):
				out = append(out, &entry{id: a.ID(), live: a})
			}
		}
		for _, e := range out {
			if e.live == nil {
				e.live = z.DB.ACLByID(e.id) // there, but in no port group of the policy
			}
		}
	}
	slices.SortStableFunc(out, func(a, b *entry) int { return strings.Compare(a.id, b.id) })
	members := membersDiffer(r, z, k, rule)
	for _, e := range out {
		e.members = members
		e.fields = detail.CompareACL(e.desired, e.live)
		for _, f := range e.fields {
			if f.Differs {
				e.differs++
			}
		}
	}
	return out
}

// membersDiffer says whether an address set that the rule reads, or the ports of
// its policy, are not as desired in a zone. Sets that policies share are judged by
// themselves.
func membersDiffer(r *revision.Revision, z *model.ZoneState, k model.PolicyKey, rule *model.Rule) bool {
	if z == nil {
		return false
	}
	of := fmt.Sprintf(":%s:%s:%d:", k.Name, rule.Direction, rule.Index)
	differs := func(unit model.PolicyKey, mine func(*model.RowDiff) bool) bool {
		p := z.Policy(unit)
		return p != nil && slices.ContainsFunc(p.Diffs, func(d model.RowDiff) bool { return d.Waiting == "" && mine(&d) })
	}
	for _, unit := range setsOf(r, k, rule) {
		if differs(unit, func(*model.RowDiff) bool { return true }) {
			return true
		}
	}
	return differs(k, func(d *model.RowDiff) bool {
		return d.Table == nb.TableAddressSet && strings.Contains(d.ID, of) ||
			d.Table == nb.TablePortGroup && (d.Kind == model.DiffMissing || detail.FieldOf(d, "ports") != nil)
	})
}

// setsOf are the shared units whose address sets the rule's matches name
// (ovn-kubernetes.md#pod-selector-sets).
func setsOf(r *revision.Revision, k model.PolicyKey, rule *model.Rule) (out []model.PolicyKey) {
	var units []model.PolicyKey
	for _, unit := range r.Related(k) {
		if unit.Kind == model.KindPodSelector || unit.Kind == model.KindEFDNS {
			units = append(units, unit)
		}
	}
	if len(units) == 0 {
		return nil
	}
	var text strings.Builder
	for _, a := range r.ACLs(k, "") {
		if _, dir, i, ok := revision.RuleOf(a.ExternalIDs); ok && dir == rule.Direction && i == rule.Index {
			text.WriteString(a.Match + "\n")
		}
	}
	for _, unit := range units {
		if slices.ContainsFunc(setNames(unit), func(n string) bool { return strings.Contains(text.String(), "$"+n) }) {
			out = append(out, unit)
		}
	}
	return out
}

// setNames are the names of a shared unit's sets, of both families.
func setNames(k model.PolicyKey) (out []string) {
	for _, family := range []string{"v4", "v6"} {
		ids := nb.IDs(nb.DefaultController, string(k.Kind), nb.Pair{Key: nb.KeyName, Value: k.Name}, nb.Pair{Key: nb.KeyIPFamily, Value: family})
		out = append(out, nb.HashedName(ids[nb.KeyID]))
	}
	return out
}

// state is how the live row stands to the desired one, in a few words.
func (e *entry) state(read bool) (text string, bad bool) {
	switch {
	case !read:
		return "not checked against a live row", false
	case e.live == nil:
		return "≠ missing here", true
	case e.desired == nil:
		return "≠ live, not desired", true
	case e.differs > 0:
		return "≠ " + detail.ColumnsDiffer(e.differs), true
	}
	if e.members {
		return "as desired, ≠ its members differ", true
	}
	return "as desired", false
}

// neighbours are the rules that decide right before and after one in its
// direction, along the ladder. Nothing is before the first and after the last.
func neighbours(r *revision.Revision, p *model.Policy, rule *model.Rule) (before, after *place) {
	if prev := p.Rule(rule.Direction, rule.Index-1); prev != nil {
		before = &place{p, prev}
	}
	if next := p.Rule(rule.Direction, rule.Index+1); next != nil {
		after = &place{p, next}
	}
	if before != nil && after != nil || !p.Kind.IsAdmin() {
		return before, after
	}
	var last *place
	seen := false
	for _, tier := range r.Ladder().Tiers {
		for i := range tier.Rungs {
			for j := range tier.Rungs[i].Policies {
				q := tier.Rungs[i].Policies[j].Policy
				rules := q.Rules(rule.Direction)
				switch {
				case q.Key == p.Key:
					if before == nil {
						before = last
					}
					seen = true
				case len(rules) == 0 || tier.Rungs[i].Unsupported:
				case !seen:
					last = &place{q, &rules[len(rules)-1]}
				case after == nil:
					after = &place{q, &rules[0]}
				}
			}
		}
	}
	return before, after
}

// place is a rule with its policy.
type place struct {
	policy *model.Policy
	rule   *model.Rule
}
