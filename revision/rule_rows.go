package revision

import (
	"fmt"
	"slices"
	"strings"

	"rung/model"
	"rung/model/ovn/match"
	"rung/model/ovn/nb"
)

// RuleACL is one ACL of a rule in a zone: desired, live, or both.
type RuleACL struct {
	ID            string
	Desired, Live *nb.ACL
	Fields        []ComparedField
	Differs       int // number of columns
	// Members means that a set or group in the match differs from the desired one.
	Members bool
}

// RuleACLs returns a rule's ACLs in a zone, by id: the desired ones, and live ones of the rule that are not
// desired. Without a zone it returns the desired ones.
func RuleACLs(r *Revision, k model.PolicyKey, rule *model.Rule, z *model.ZoneState) []*RuleACL {
	var out []*RuleACL
	byID := map[string]*RuleACL{}
	unit := UnitKey(r, k)
	of := func(a *nb.ACL) bool {
		owner, dir, i, ok := RuleOfIDs(a.ExternalIDs)
		return ok && owner == unit && dir == rule.Direction && i == rule.Index
	}
	zone := ""
	if z != nil {
		zone = z.Name
	}
	for _, a := range r.ACLs(k, zone) {
		if of(a) {
			e := &RuleACL{ID: a.ID(), Desired: a}
			byID[e.ID] = e
			out = append(out, e)
		}
	}
	if z != nil && z.DB != nil {
		for _, a := range LiveACLs(r, z.DB, k) {
			switch e := byID[a.ID()]; {
			case e != nil && e.Live == nil:
				e.Live = a
			case of(a):
				out = append(out, &RuleACL{ID: a.ID(), Live: a})
			}
		}
		for _, e := range out {
			if e.Live == nil {
				e.Live = z.DB.ACLByID(e.ID) // it exists, but not in the policy's port group
			}
		}
	}
	slices.SortStableFunc(out, func(a, b *RuleACL) int { return strings.Compare(a.ID, b.ID) })
	members := membersDiffer(r, z, k, rule)
	for _, e := range out {
		e.Members = members
		e.Fields = CompareACL(e.Desired, e.Live)
		for _, f := range e.Fields {
			if f.Differs {
				e.Differs++
			}
		}
	}
	return out
}

// membersDiffer reports whether an address set of the rule, or the ports of its policy, differ from desired in
// a zone. Shared sets are judged separately, as units.
func membersDiffer(r *Revision, z *model.ZoneState, k model.PolicyKey, rule *model.Rule) bool {
	if z == nil {
		return false
	}
	of := fmt.Sprintf(":%s:%s:%d:", k.Name, rule.Direction, rule.Index)
	differs := func(unit model.PolicyKey, mine func(*model.RowDiff) bool) bool {
		p := z.PolicyJoin(unit)
		return p != nil && slices.ContainsFunc(p.Diffs, func(d model.RowDiff) bool { return d.Waiting == "" && mine(&d) })
	}
	for _, unit := range RuleSets(r, k, rule) {
		if differs(unit, func(*model.RowDiff) bool { return true }) {
			return true
		}
	}
	return differs(k, func(d *model.RowDiff) bool {
		return d.Table == nb.TableAddressSet && strings.Contains(d.ID, of) ||
			d.Table == nb.TablePortGroup && (d.Kind == model.DiffMissing || d.DiffOfColumn("ports") != nil)
	})
}

// RuleSets returns the shared units whose address sets are in the rule's matches
// (ovn-kubernetes.md#pod-selector-sets).
func RuleSets(r *Revision, k model.PolicyKey, rule *model.Rule) (out []model.PolicyKey) {
	units := model.Filter(r.RelatedUnits(k), func(unit model.PolicyKey) bool {
		return unit.Kind == model.KindPodSelector || unit.Kind == model.KindEFDNS
	})
	if len(units) == 0 {
		return nil
	}
	named := map[string]bool{}
	for _, a := range r.ACLs(k, "") {
		if _, dir, i, ok := RuleOfIDs(a.ExternalIDs); ok && dir == rule.Direction && i == rule.Index {
			for ref := range match.RefsIn(a.Match) {
				named[ref.Name] = true
			}
		}
	}
	for _, unit := range units {
		if slices.ContainsFunc(SetNames(unit), func(n string) bool { return named[n] }) {
			out = append(out, unit)
		}
	}
	return out
}

// SetNames returns the names of a shared unit's sets, for both families.
func SetNames(k model.PolicyKey) (out []string) {
	for _, family := range []string{"v4", "v6"} {
		ids := nb.IDs(nb.DefaultController, string(k.Kind), nb.IDPair{Key: nb.KeyName, Value: k.Name},
			nb.IDPair{Key: nb.KeyIPFamily, Value: family})
		out = append(out, nb.HashedName(ids[nb.KeyID]))
	}
	return out
}
