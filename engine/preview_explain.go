package engine

import (
	"context"
	"fmt"

	"rung/compiler"
	"rung/model"
	"rung/model/lint"
)

// explain works out what follows from the objects of a preview: rows, findings
// and notes.
func (g *gate) explain(ctx context.Context, rev *Revision, p *Preview) error {
	after, next := g.compile(rev, p.Objects)
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, c := range p.Objects {
		p.Rows = append(p.Rows, g.rows(rev, c, after)...)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	p.Findings = newFindings(rev, next)
	for i := range p.Objects {
		n := noter{rev: rev, next: next, c: &p.Objects[i], after: after}
		p.Notes = append(p.Notes, n.notes()...)
	}
	return nil
}

// compile compiles the policies of a change as they will be, and none besides:
// pods, namespaces and nodes are those of the revision. It returns the cluster
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
	return compiler.Compile(few, o), next
}

// rows are the rows that one object's change adds, changes and removes. A
// policy that will not be programmed keeps what it has.
func (g *gate) rows(rev *Revision, c ObjectChange, after *compiler.Desired) []RowChange {
	if !c.Key.Kind.IsAdmin() {
		return nil
	}
	var will *model.PolicyRows
	if c.New != nil {
		if will = after.Rows(c.Key, "", nil); will == nil || will.None != nil {
			return nil
		}
	}
	return rowChanges(c.Key, rev.Rows(c.Key, ""), will)
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
	for _, f := range lint.Run(next, rev.Broken, lint.Options{MaxPriority: rev.maxPriority}) {
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

func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
