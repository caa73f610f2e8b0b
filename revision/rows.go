package revision

import (
	"cmp"
	"slices"

	"rung/model"
	"rung/model/ladder"
	"rung/model/ovn/nb"
)

// CompareACLs orders ACLs as they decide: stage, tier, priority (highest first), then id. A direction unknown
// to OVN comes first.
func CompareACLs(a, b *nb.ACL) int {
	return cmp.Or(cmp.Compare(model.Stage(a.Stage()).Index(), model.Stage(b.Stage()).Index()), cmp.Compare(a.Tier, b.Tier),
		cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.ID(), b.ID()), cmp.Compare(a.UUID, b.UUID))
}

// SortedACLs returns the ACLs of a database in deciding order: stage, tier, priority (highest first), then id.
func SortedACLs(db *nb.DB) []*nb.ACL {
	return slices.SortedFunc(db.ACLs(), CompareACLs)
}

// PlacedACL is an ACL of the pipeline, with its owner and ties, and whether it decides after an egress Allow.
type PlacedACL struct {
	*nb.ACL
	Owner      nb.Owner
	Tie        PriorityTie // with other rows of the same priority
	AfterAllow bool        // see AfterEgressAllow
}

// PlaceACL returns the PlacedACL of a single ACL, without ties.
func PlaceACL(a *nb.ACL) PlacedACL {
	o := nb.OwnerOfRow(a)
	return PlacedACL{ACL: a, Owner: o, AfterAllow: AfterEgressAllow(a, o)}
}

// PlacedACLs returns the ACLs of SortedACLs with their owners and ties.
func PlacedACLs(db *nb.DB) []PlacedACL {
	sorted := SortedACLs(db)
	ties := tiesIn(sorted)
	out := make([]PlacedACL, len(sorted))
	for i, a := range sorted {
		out[i] = PlaceACL(a)
		out[i].Tie = ties[i]
	}
	return out
}

// OwnerName returns the owner of a row for people, from its external_ids.
func OwnerName(ids map[string]string) string { return OwnerOfIDs(ids).Label() }

// OwnerOfIDs returns the owner by external_ids without knowing the table: no id occurs in two tables.
func OwnerOfIDs(ids map[string]string) (o nb.Owner) {
	for _, table := range []string{nb.TableACL, nb.TableAddressSet, nb.TablePortGroup} {
		o = nb.ParseOwner(table, ids)
		if o.Form != nb.FormOdd && o.Form != nb.FormUnknown && o.Form != nb.FormNone {
			return o
		}
	}
	return o
}

// UnitOfOwner returns the unit that a row was compiled for: a policy, or a unit without an object, such as the
// default deny of a namespace. ok is false for rows of other owners and forms.
func UnitOfOwner(o nb.Owner) (k model.Key, ok bool) {
	if o.Form != nb.FormKnown && o.Form != nb.FormOdd || o.Name == "" {
		return model.Key{}, false
	}
	return model.Key{Kind: model.Kind(o.Type), Namespace: o.Namespace, Name: o.Name, Network: o.Network()}, true
}

// PolicyOfOwner returns the policy of a row in any form, including those of the enhancement of 2023 and of
// older releases. ok is false if the row has no policy.
func PolicyOfOwner(o nb.Owner) (k model.PolicyKey, ok bool) {
	k = model.Key{Kind: model.Kind(o.Type), Namespace: o.Namespace, Name: o.Name, Network: o.Network()}
	switch o.Form {
	case nb.FormKnown, nb.FormOdd, nb.FormLegacy:
		return k, k.Kind.IsPolicy() && k.Name != ""
	}
	return model.Key{}, false
}

// ZonePolicies returns the policies and units to judge in a zone: policies in deciding order, then units
// without an object and owners of leftover rows, by kind and name.
func ZonePolicies(r *Revision, z *model.ZoneState) []model.PolicyKey {
	out := ladder.PolicyOrder(r.Cluster)
	if z == nil {
		return out
	}
	var others []model.PolicyKey
	add := func(k model.PolicyKey) {
		if c := r.DesiredFor(k).Policy(k); c != nil && c.Policy != nil {
			return // its object is listed
		}
		if r.Cluster.Policy(k) == nil && r.InZone(k, z.Name) {
			others = append(others, k)
		}
	}
	for k := range z.Policies {
		add(k)
	}
	for _, k := range r.Units() {
		add(k)
	}
	slices.SortFunc(others, model.Key.Compare)
	return append(out, slices.Compact(others)...)
}

// RuleOfIDs returns the policy and rule that a row was compiled for, from its external_ids. ok is false for
// other owners; index is -1 for rows of the whole policy.
func RuleOfIDs(ids map[string]string) (k model.PolicyKey, dir model.Direction, index int, ok bool) {
	o := OwnerOfIDs(ids)
	k, ok = UnitOfOwner(o)
	if !ok || !k.Kind.IsPolicy() {
		return model.PolicyKey{}, "", -1, false
	}
	return k, ruleDirection(o), o.Index, true
}

// ruleDirection returns the direction of a row's rule. An EgressFirewall has only egress rules, so its rows do
// not name the direction.
func ruleDirection(o nb.Owner) model.Direction {
	if o.Type == nb.OwnerEgressFirewall && o.Index >= 0 {
		return model.Egress
	}
	return model.Direction(o.Direction)
}
