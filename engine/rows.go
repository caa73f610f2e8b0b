package engine

import (
	"cmp"
	"slices"
	"strconv"

	"rung/model"
	"rung/model/nb"
)

var stageOrder = map[string]int{"from-lport": 0, "from-lport-after-lb": 1, "to-lport": 2}

// PipelineOrder lists the ACLs of a database in the order in which they decide:
// stage, tier, priority (highest first), then id.
func PipelineOrder(db *nb.DB) []*nb.ACL {
	out := slices.Collect(db.ACLs())
	slices.SortFunc(out, func(a, b *nb.ACL) int {
		return cmp.Or(cmp.Compare(stageOrder[a.Stage()], stageOrder[b.Stage()]), cmp.Compare(a.Tier, b.Tier),
			cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.ID(), b.ID()), cmp.Compare(a.UUID, b.UUID))
	})
	return out
}

// OwnerName names who owns a row from its external_ids: the rule for rows Rung
// compiles, owner type and what it is about for the others, "no owner" for rows
// without external_ids of OVN-Kubernetes.
func OwnerName(ids map[string]string) string {
	if k, dir, i, ok := RuleOf(ids); ok {
		return k.Label() + ruleSuffix(dir, i)
	}
	owner := ids[nb.KeyOwnerType]
	if owner == "" {
		return "no owner"
	}
	if name := ids[nb.KeyName]; name != "" {
		return owner + " " + name
	}
	if t := ids[nb.KeyType]; t != "" {
		return owner + " " + t
	}
	return owner
}

func ruleSuffix(dir model.Direction, i int) string {
	if dir == "" || i < 0 {
		return ""
	}
	return " " + dir.Lower() + " " + strconv.Itoa(i)
}

// ZonePolicies are the policies to judge in a zone: those of the ladder in its
// order, then those that only rows are left of, by kind and name.
func ZonePolicies(r *Revision, z *model.ZoneState) []model.PolicyKey {
	var out []model.PolicyKey
	for _, p := range r.adminPolicies() {
		out = append(out, p.Key)
	}
	if z == nil {
		return out
	}
	var stray []model.PolicyKey
	for k := range z.Policies {
		if r.Cluster.Policy(k) == nil {
			stray = append(stray, k)
		}
	}
	slices.SortFunc(stray, model.Key.Compare)
	return append(out, stray...)
}

// adminPolicies are the policies that are compiled, as they decide.
func (r *Revision) adminPolicies() []*model.Policy {
	var out []*model.Policy
	for _, k := range []model.Kind{model.KindANP, model.KindBANP} {
		out = slices.AppendSeq(out, r.Cluster.Policies(k))
	}
	slices.SortFunc(out, model.ComparePolicies)
	return out
}

// RuleOf finds the policy and rule a row was compiled for from its
// external_ids; ok is false for rows of other owners. index is -1 for rows of
// the whole policy.
func RuleOf(ids map[string]string) (k model.PolicyKey, dir model.Direction, index int, ok bool) {
	owner := ids[nb.KeyOwnerType]
	if owner != nb.OwnerANP && owner != nb.OwnerBANP {
		return k, "", -1, false
	}
	k = model.PolicyKey{Kind: model.Kind(owner), Name: ids[nb.KeyName]}
	index = -1
	if s := ids[nb.KeyGressIndex]; s != "" {
		n := 0
		for _, d := range s {
			if d < '0' || d > '9' || n > 1000 {
				return k, "", -1, true
			}
			n = n*10 + int(d-'0')
		}
		index = n
	}
	return k, model.Direction(ids[nb.KeyDirection]), index, true
}
