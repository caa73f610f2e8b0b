package effect

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"rung/change"
	"rung/model"
	"rung/model/selectors"
	"rung/revision"
	"rung/system"
	"slices"
	"strings"
)

// Consequence is a consequence of a change: the identity to compare it by, and its text.
type Consequence struct {
	Identity, Text string
	// Set if it may harm, such as cut connections.
	Warns bool
}

func SameConsequence(a, b Consequence) bool { return a.Identity == b.Identity }

// ReachConsequences identifies the kinds of pods, and the nodes, that the changed policies apply to and reach.
func ReachConsequences(rev *revision.Revision, changes []change.ObjectChange) (out []Consequence) {
	x := rev.PodIndex()
	for i := range changes {
		for _, p := range []*model.Policy{changes[i].Old, changes[i].New} {
			if p == nil || p.Kind == model.KindNamespace || p.Represents != nil { // Effect covers them
				continue
			}
			h := sha256.New()
			add := func(what string, parts []string) { fmt.Fprintf(h, "%s\n%s\n", what, strings.Join(parts, "\n")) }
			subject := x.SubjectSet(p)
			if p.Tiered != nil {
				subject = revision.AppliedPods(rev, p)
			}
			add("subject", replicaKinds(x, subject))
			for _, d := range []model.Direction{model.Ingress, model.Egress} {
				for j := range p.Rules(d) {
					r := &p.Rules(d)[j]
					add(fmt.Sprint(d, j), replicaKinds(x, x.ReachOfRule(r).ReachedPods()))
					for k := range r.Peers {
						if r.Peers[k].Kind == model.PeerNodes {
							var names []string
							for _, n := range x.NodesMatching(r.Peers[k].Nodes) {
								names = append(names, n.Name)
							}
							slices.Sort(names)
							add("nodes", names)
						}
					}
				}
			}
			out = append(out, Consequence{fmt.Sprintf("reach %s %x", p.Key, h.Sum(nil)),
				p.Key.Label() + " applies to or reaches other pods than before", false})
		}
	}
	return out
}

// replicaKinds returns the kinds of pods in a set, by namespace and labels.
func replicaKinds(x *selectors.PodIndex, set selectors.PodSet) []string {
	had := map[[2]string]bool{}
	kinds := map[string]bool{}
	for p := range x.Pods(set) {
		id := [2]string{p.Namespace, p.Labels.Key()}
		if !had[id] {
			had[id] = true
			kinds[selectors.ReplicaKey(p)] = true
		}
	}
	return slices.Sorted(maps.Keys(kinds))
}

// RevisionAfter returns the revision after the changes.
func RevisionAfter(rev *revision.Revision, changes []change.ObjectChange) *revision.Revision {
	var upsert []model.Object
	var remove []model.Key
	for _, c := range changes {
		if c.New != nil {
			upsert = append(upsert, ObjectOfPolicy(rev, c.New))
		} else {
			remove = append(remove, c.Key)
		}
	}
	return rev.WithPolicies(upsert, remove)
}

// RevisionBefore returns the revision before the changes.
func RevisionBefore(rev *revision.Revision, changes []change.ObjectChange) *revision.Revision {
	back := slices.Clone(changes)
	for i := range back {
		back[i].Old, back[i].New = back[i].New, back[i].Old
	}
	return RevisionAfter(rev, back)
}

// ObjectOfPolicy returns the object that holds a policy: the whole namespace for a LoggedNamespace.
func ObjectOfPolicy(rev *revision.Revision, p *model.Policy) model.Object {
	if ns := rev.Cluster.Namespace(p.Name); p.Kind == model.KindNamespace && ns != nil {
		return ns.WithLogging(p)
	}
	return p.Object()
}

// ChangedRows returns the rows that changes add, change and remove. A policy that will not be programmed
// keeps its rows. Units shared by policies are listed once.
func ChangedRows(rev, next *revision.Revision, changes []change.ObjectChange) (out []change.RowChange) {
	if !rev.System.HasFeature(system.Rows) {
		return nil
	}
	shared := map[model.PolicyKey]bool{}
	for _, c := range changes {
		if c.Key.Kind == model.KindNamespace {
			for _, k := range revision.LoggedUnits(rev, c.Key) {
				out = append(out, RowChanges(k, rev.Rows(k, ""), next.Rows(k, ""))...)
			}
			continue
		}
		var will *model.PolicyRows
		if c.New != nil {
			will = next.Rows(c.Key, "")
			if will == nil || will.None != nil {
				continue
			}
		}
		out = append(out, RowChanges(c.Key, rev.Rows(c.Key, ""), will)...)
		if c.Key.Kind.IsAdmin() {
			continue
		}
		// Rows of other units that change too: default deny, sets that no other policy needs, and with the
		// first NetworkPolicy the rows that all NetworkPolicies rely on.
		with := append(rev.RelatedUnits(c.Key), next.RelatedUnits(c.Key)...)
		slices.SortFunc(with, model.Key.Compare)
		for _, k := range append(with, hairpinAndNodeKeys(rev, next)...) {
			if !shared[k] {
				shared[k] = true
				out = append(out, RowChanges(k, rev.Rows(k, ""), next.Rows(k, ""))...)
			}
		}
	}
	return out
}

// hairpinAndNodeKeys returns the hairpin and node rows that a change adds or removes
// (ovn-kubernetes.md#hairpin-and-node-rows).
func hairpinAndNodeKeys(before, after *revision.Revision) (out []model.PolicyKey) {
	for _, k := range append(before.Units(), after.Units()...) {
		shared := k.Kind == model.KindNetpolDefault || k.Kind == model.KindNetpolNode
		if shared && before.IsCompiled(k) != after.IsCompiled(k) {
			out = append(out, k)
		}
	}
	return out
}

// FindingID returns an identity shared by equal findings about the same rule.
func FindingID(f *model.Finding) string {
	return strings.Join([]string{f.Code, f.Policy.String(), string(f.Direction), fmt.Sprint(f.Rule), f.Message}, "\x00")
}

// NewFindings returns the findings that a change brings.
func NewFindings(rev, next *revision.Revision) (out []model.Finding) {
	of := func(f model.Finding) string {
		if f.NamesOthers && rev.Cluster.Policy(f.Policy) == next.Cluster.Policy(f.Policy) { // untouched
			f.Message = ""
		}
		return FindingID(&f)
	}
	had := map[string]bool{}
	for _, f := range revision.FindingsOfObjects(rev) {
		had[of(f)] = true
	}
	for _, f := range revision.FindingsOfObjects(next) {
		if !had[of(f)] {
			out = append(out, f)
		}
	}
	return out
}

// CountLiveZones counts the zones with live ACLs of a policy and returns their priority, -1 if unknown.
func CountLiveZones(rev *revision.Revision, k model.PolicyKey) (zones int, priority int32) {
	priority = -1
	for _, z := range rev.Zones {
		if p := z.PolicyJoin(k); p != nil && p.LiveACLs > 0 {
			zones++
			priority = p.LivePriority
		}
	}
	return zones, priority
}
