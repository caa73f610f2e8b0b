package gate

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"rung/model"
	"rung/model/words"
	"rung/revision"
	"rung/revision/connections"
	"rung/revision/finding"
	"rung/revision/policies"
)

// explain works out what follows from the objects of a preview of now: rows, findings
// and notes. rev is now with what a server has of the objects.
func (g *Gate) explain(ctx context.Context, now, rev *revision.Revision, p *Preview) error {
	p.seen = see(now)
	p.seen.base, p.seen.live = slices.Clone(p.Notes), liveOf(now, p.Objects)
	if len(p.Objects) == 0 {
		return nil
	}
	p.seen.note(p.Notes...)
	next := p.next
	if p.next = nil; next == nil {
		next = after(rev, p.Objects)
	}
	p.seen.plan = g.plans.meets(rev, func() *revision.Revision { return next }, p)
	p.seen.facts = append(p.seen.facts, p.seen.plan...)
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("previewing %q: %w", p.Title, err)
	}
	ahead := p.ahead
	if p.ahead = nil; ahead == nil {
		ahead = workOut(rev, next, p.Objects)
	}
	p.Rows = ahead.rows
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("previewing %q: %w", p.Title, err)
	}
	p.Findings = newFindings(rev, next)
	p.seen.rows(p.Rows)
	p.seen.findings(p.Findings)
	p.seen.facts = append(p.seen.facts, ahead.reach...)
	p.NotConsidered = p.Effect.notConsidered(rev)
	p.seen.effect(p.Effect)
	p.findSurplus(ctx, rev, next)
	p.Effect = p.Effect.against(ctx, g.log(), rev, next)
	for i, f := range p.seen.plan {
		p.Notes = slices.Insert(p.Notes, i, f.text) // what cannot be undone so easily comes first
	}
	isolated := map[string]bool{}
	if cost := g.logCost(next, p); cost != "" {
		p.Notes = append(p.Notes, cost)
		p.seen.add("log cost", cost)
	}
	for i := range p.Objects {
		if p.Objects[i].Key.Kind == model.KindNamespace {
			continue
		}
		n := noter{rev: rev, next: next, c: &p.Objects[i], isolated: isolated}
		for _, f := range n.notes() {
			p.Notes = append(p.Notes, f.text)
			p.seen.facts = append(p.seen.facts, f)
		}
	}
	for _, f := range ofDecisions(p.Effect, next) {
		p.Notes = append(p.Notes, f.text)
		p.seen.facts = append(p.seen.facts, f)
	}
	if lost := p.seen.lost; len(lost) > 0 {
		p.Notes = append(p.Notes, "out of reach: "+words.Some(lost, 3)+": cannot see whether the rows follow there")
	}
	return nil
}

// findSurplus works out what the change does besides what it is wanted for.
func (p *Preview) findSurplus(ctx context.Context, rev, next *revision.Revision) {
	w := p.Mutation.Wanted
	if w == nil {
		return
	}
	limit, cancel := context.WithTimeout(ctx, effectTime)
	defer cancel()
	p.Surplus = connections.FindSurplus(rev, limit, next, w)
	is := "surplus " + p.Surplus.Unknown
	if g := p.Surplus.Group; g != nil {
		is += groupIs(g)
	}
	p.seen.add(is, p.Surplus.Text())
}

// ahead is what of an explanation needs nothing else of the preview.
type ahead struct {
	rows  []RowChange
	reach []consequence
}

func workOut(rev, next *revision.Revision, changes []ObjectChange) *ahead {
	return &ahead{rowsOf(rev, next, changes), reach(rev, changes)}
}

// workAhead begins what explain wants, beside what the change does to connections. What it
// returns waits until that is done.
func (p *Preview) workAhead(rev *revision.Revision) (wait func()) {
	if len(p.Objects) == 0 {
		return func() {}
	}
	next, changes := p.next, slices.Clone(p.Objects)
	var work sync.WaitGroup
	work.Go(func() { _, _ = finding.Findings(rev), finding.Findings(next) }) // revisions keep them
	work.Go(func() { p.ahead = workOut(rev, next, changes) })
	return work.Wait
}

// after is a revision as it will be once objects changed.
func after(rev *revision.Revision, changes []ObjectChange) *revision.Revision {
	var upsert []model.Object
	var remove []model.Key
	for _, c := range changes {
		if c.New != nil {
			upsert = append(upsert, asObject(rev, c.New))
		} else {
			remove = append(remove, c.Key)
		}
	}
	return rev.With(upsert, remove)
}

// asObject is a policy as it is, and of a LoggedNamespace the whole namespace.
func asObject(rev *revision.Revision, p *model.Policy) model.Object {
	if ns := rev.Cluster.Namespace(p.Name); p.Kind == model.KindNamespace && ns != nil {
		return ns.WithLogging(p)
	}
	return p
}

// rowsOf are the rows that changes of objects add, change and remove. A policy
// that will not be programmed keeps its rows. Units that policies share are listed
// once.
func rowsOf(rev, next *revision.Revision, changes []ObjectChange) (out []RowChange) {
	shared := map[model.PolicyKey]bool{}
	for _, c := range changes {
		if c.Key.Kind == model.KindNamespace {
			for _, k := range policies.LoggedUnits(rev, c.Key) {
				out = append(out, rowChanges(k, rev.Rows(k, ""), next.Rows(k, ""))...)
			}
			continue
		}
		var will *model.PolicyRows
		if c.New != nil {
			if will = next.Rows(c.Key, ""); will == nil || will.None != nil {
				continue
			}
		}
		out = append(out, rowChanges(c.Key, rev.Rows(c.Key, ""), will)...)
		if c.Key.Kind.IsAdmin() {
			continue
		}
		// Rows of others that change with it: default deny, sets that no other policy
		// needs, and with the first NetworkPolicy those that all of them rely on.
		with := append(rev.Related(c.Key), next.Related(c.Key)...)
		slices.SortFunc(with, model.Key.Compare)
		for _, k := range append(with, common(rev, next)...) {
			if !shared[k] {
				shared[k] = true
				out = append(out, rowChanges(k, rev.Rows(k, ""), next.Rows(k, ""))...)
			}
		}
	}
	return out
}

// common are the hairpin and node rows where a change makes them come or go
// (ovn-kubernetes.md#hairpin-and-node-rows).
func common(before, after *revision.Revision) (out []model.PolicyKey) {
	for _, k := range append(before.Units(), after.Units()...) {
		shared := k.Kind == model.KindNetpolDefault || k.Kind == model.KindNetpolNode
		if shared && before.Compiled(k) != after.Compiled(k) {
			out = append(out, k)
		}
	}
	return out
}

// newFindings are the findings that appear with a change.
func newFindings(rev, next *revision.Revision) (out []model.Finding) {
	type id struct {
		code, message string
		policy        model.PolicyKey
		direction     model.Direction
		rule          int
	}
	of := func(f model.Finding) id { return id{f.Code, f.Message, f.Policy, f.Direction, f.Rule} }
	had := map[id]bool{}
	for _, f := range finding.Findings(rev) {
		had[of(f)] = true
	}
	for _, f := range finding.Findings(next) {
		if !had[of(f)] {
			out = append(out, f)
		}
	}
	return out
}

// liveIn counts the zones in which a policy has live ACLs and says which
// priority they carry, -1 when that is not known.
func liveIn(rev *revision.Revision, k model.PolicyKey) (zones int, priority int32) {
	priority = -1
	for _, z := range rev.Zones {
		if p := z.Policy(k); p != nil && p.LiveACLs > 0 {
			zones++
			priority = p.LivePriority
		}
	}
	return zones, priority
}
