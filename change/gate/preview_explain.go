package gate

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"rung/change"
	"rung/change/effect"
	"rung/model"
	"rung/model/words"
	"rung/revision"
	"rung/revision/connections"
	"rung/revision/finding"
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
	p.next = nil
	if next == nil {
		next = effect.After(rev, p.Objects)
	}
	p.seen.plan = g.meetsPlan(rev, func() *revision.Revision { return next }, p)
	p.seen.facts = append(p.seen.facts, p.seen.plan...)
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("previewing %q: %w", p.Title, err)
	}
	ahead := p.ahead
	p.ahead = nil
	if ahead == nil {
		ahead = workOut(rev, next, p.Objects)
	}
	p.Rows = ahead.rows
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("previewing %q: %w", p.Title, err)
	}
	p.Findings = effect.NewFindings(rev, next)
	p.seen.rows(p.Rows)
	p.seen.findings(p.Findings)
	p.seen.facts = append(p.seen.facts, ahead.reach...)
	p.NotConsidered = p.Effect.NotConsidered(rev)
	p.seen.effect(p.Effect)
	p.findSurplus(ctx, rev, next)
	p.Effect = p.Effect.Against(ctx, g.log(false), rev, next)
	for i, f := range p.seen.plan {
		p.Notes = slices.Insert(p.Notes, i, f.Text) // what cannot be undone so easily comes first
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
		for _, f := range effect.Notes(rev, next, &p.Objects[i], isolated) {
			p.Notes = append(p.Notes, f.Text)
			p.seen.facts = append(p.seen.facts, f)
		}
	}
	for _, f := range effect.OfDecisions(p.Effect, next) {
		p.Notes = append(p.Notes, f.Text)
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
	limit, cancel := context.WithTimeout(ctx, effect.MaxTime)
	defer cancel()
	p.Surplus = connections.FindSurplus(rev, limit, next, w)
	is := "surplus " + p.Surplus.Unknown
	if g := p.Surplus.Group; g != nil {
		is += effect.GroupID(g)
	}
	p.seen.add(is, p.Surplus.Text())
}

// ahead holds the parts of an explanation that need nothing else of the preview.
type ahead struct {
	rows  []change.RowChange
	reach []effect.Consequence
}

func workOut(rev, next *revision.Revision, changes []change.ObjectChange) *ahead {
	return &ahead{effect.Rows(rev, next, changes), effect.Reached(rev, changes)}
}

// workAhead starts the parts of an explanation that need nothing else of the preview,
// while the effect of the change on connections is worked out. The function it returns
// waits until they are done.
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
