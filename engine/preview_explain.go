package engine

import (
	"context"
	"slices"

	"rung/compiler"
	"rung/model"
	"rung/model/lint"
	"rung/model/words"
)

// explain works out what follows from the objects of a preview: rows, findings
// and notes.
func (g *gate) explain(ctx context.Context, rev *Revision, p *Preview) error {
	p.seen.note(p.Notes...)
	after, next := g.compile(rev, p.Objects)
	if err := ctx.Err(); err != nil {
		return err
	}
	shared := map[model.PolicyKey]bool{}
	for _, c := range p.Objects {
		p.Rows = append(p.Rows, g.rows(rev, c, after, shared)...)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	p.Findings = newFindings(rev, next)
	p.seen.rows(p.Rows)
	p.seen.findings(p.Findings)
	p.seen.reach(rev.Cluster, p.Objects)
	isolated := map[string]bool{}
	for i := range p.Objects {
		n := noter{rev: rev, next: next, c: &p.Objects[i], after: after, isolated: isolated}
		for _, f := range n.notes() {
			p.Notes = append(p.Notes, f.text)
			p.seen.facts = append(p.seen.facts, f)
		}
	}
	if lost := p.seen.lost; len(lost) > 0 {
		p.Notes = append(p.Notes, "out of reach: "+words.Some(lost, 3)+": whether the rows follow there cannot be seen")
	}
	return nil
}

// compile compiles the policies of a change as they will be, and none besides:
// pods, namespaces and nodes are those of the revision. Where policies share rows
// with others, as those of tier 2 do, all are compiled. It returns the cluster
// after the change, too.
func (g *gate) compile(rev *Revision, changes []ObjectChange) (after *compiler.Desired, next *model.Cluster) {
	var upsert []model.Object
	var remove, others []model.Key
	for _, c := range changes {
		if c.New != nil {
			upsert = append(upsert, c.New)
		} else {
			remove = append(remove, c.Key)
		}
	}
	next, _ = rev.Cluster.Upsert(upsert, remove)
	for q := range rev.Cluster.AllPolicies() {
		others = append(others, q.Key)
	}
	few, _ := rev.Cluster.Upsert(upsert, others)
	o := g.options
	o.IPv4, o.IPv6 = rev.desired.Families()
	o.MaxPriority = rev.maxPriority
	if slices.ContainsFunc(changes, func(c ObjectChange) bool { return !c.Key.Kind.IsAdmin() }) {
		few = next
	}
	return compiler.Compile(few, o), next
}

// rows are the rows that one object's change adds, changes and removes. A
// policy that will not be programmed keeps what it has. Units that policies share
// are told once: shared notes which were.
func (g *gate) rows(rev *Revision, c ObjectChange, after *compiler.Desired, shared map[model.PolicyKey]bool) []RowChange {
	var will *model.PolicyRows
	if c.New != nil {
		if will = after.Rows(c.Key, "", nil); will == nil || will.None != nil {
			return nil
		}
	}
	out := rowChanges(c.Key, rev.Rows(c.Key, ""), will)
	if c.Key.Kind.IsAdmin() {
		return out
	}
	// What comes, changes or goes along: default deny, sets that nobody else needs,
	// and with the first NetworkPolicy what all of them rely on.
	with := append(rev.desired.Related(c.Key), after.Related(c.Key)...)
	slices.SortFunc(with, model.Key.Compare)
	for _, k := range append(with, common(rev.desired, after)...) {
		if shared[k] {
			continue
		}
		shared[k] = true
		out = append(out, rowChanges(k, rev.Rows(k, ""), after.Rows(k, "", nil))...)
	}
	return out
}

// common are the hairpin and node rows where a change makes them come or go
// (ovn-kubernetes.md#hairpin-and-node-rows).
func common(before, after *compiler.Desired) (out []model.PolicyKey) {
	for _, d := range []*compiler.Desired{before, after} {
		for c := range d.Policies() {
			if k := c.Key; (k.Kind == model.KindNetpolDefault || k.Kind == model.KindNetpolNode) && (before.Policy(k) == nil) != (after.Policy(k) == nil) {
				out = append(out, k)
			}
		}
	}
	return out
}

// newFindings are the findings that appear with a change.
func newFindings(rev *Revision, next *model.Cluster) (out []model.Finding) {
	type id struct {
		code, message string
		policy        model.PolicyKey
		direction     model.Direction
		rule          int
	}
	of := func(f model.Finding) id { return id{f.Code, f.Message, f.Policy, f.Direction, f.Rule} }
	had := map[id]bool{}
	for _, f := range rev.Findings() {
		had[of(f)] = true
	}
	for _, f := range lint.Run(next, rev.Broken, rev.lintOptions()) {
		if !had[of(f)] {
			out = append(out, f)
		}
	}
	return out
}

// liveIn counts the zones in which a policy has live ACLs and says which
// priority they carry, -1 when that cannot be told.
func liveIn(rev *Revision, k model.PolicyKey) (zones int, priority int32) {
	priority = -1
	for _, z := range rev.Zones {
		if p := z.Policy(k); p != nil && p.LiveACLs > 0 {
			zones++
			priority = p.LivePriority
		}
	}
	return zones, priority
}
