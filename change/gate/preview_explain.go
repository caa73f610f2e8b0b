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
)

// explainPreview works out the consequences of a preview of revision now: rows, findings and notes. rev is now
// with the server's version of the objects.
func (g *Gate) explainPreview(ctx context.Context, now, rev *revision.Revision, p *Preview) error {
	p.compared = newComparedState(now)
	p.compared.baseNotes, p.compared.liveRows = slices.Clone(p.Notes), liveRowsText(now, p.Objects)
	if len(p.Objects) == 0 {
		return nil
	}
	p.compared.addNotes(p.Notes...)
	next := p.next
	p.next = nil
	if next == nil {
		next = effect.RevisionAfter(rev, p.Objects)
	}
	p.compared.plan = g.planNotes(rev, func() *revision.Revision { return next }, p)
	p.compared.facts = append(p.compared.facts, p.compared.plan...)
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("previewing %q: %w", p.Title, err)
	}
	if !p.isEarly {
		p.findRows(rev, next, p.Objects)
	}
	p.isEarly = false
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("previewing %q: %w", p.Title, err)
	}
	p.Findings = effect.NewFindings(rev, next)
	p.compared.addRows(p.Rows)
	p.compared.addFindings(p.Findings)
	p.compared.facts = append(p.compared.facts, p.reach...)
	p.NotConsidered = p.Effect.NotConsidered(rev)
	p.compared.addEffect(p.Effect)
	p.findSurplus(ctx, rev, next)
	p.Effect = p.Effect.AgainstLog(ctx, g.Config.LogConnections(false), rev, next)
	for i, f := range p.compared.plan {
		p.Notes = slices.Insert(p.Notes, i, f.Text) // what is harder to undo comes first
		p.Warnings = append(p.Warnings, f.Text)
	}
	isolated := map[string]bool{}
	var more []effect.Consequence
	if m := p.Mutation; m.Op == change.OpLogLevel && m.Levels.IsOn() {
		more = g.logConsequences(next, p)
	}
	for i := range p.Objects {
		if p.Objects[i].Key.Kind != model.KindNamespace {
			more = append(more, effect.NotesOfChange(rev, next, &p.Objects[i], isolated)...)
		}
	}
	for _, f := range append(more, effect.DecisionConsequences(p.Effect, next)...) {
		p.Notes = append(p.Notes, f.Text)
		if f.Warns {
			p.Warnings = append(p.Warnings, f.Text)
		}
		p.compared.facts = append(p.compared.facts, f)
	}
	if lost := p.compared.unreachableZones; len(lost) > 0 {
		text := "out of reach: " + words.ListSome(lost, 3) + ": cannot see whether the rows follow there"
		p.Notes, p.Warnings = append(p.Notes, text), append(p.Warnings, text)
	}
	return nil
}

// findSurplus works out the effects of the change beyond the wanted ones.
func (p *Preview) findSurplus(ctx context.Context, rev, next *revision.Revision) {
	w := p.Mutation.Wanted
	if w == nil {
		return
	}
	limit, cancel := context.WithTimeout(ctx, effect.MaxTime)
	defer cancel()
	p.Surplus = revision.FindSurplus(rev, limit, next, w)
	is := "surplus " + p.Surplus.Unknown
	if g := p.Surplus.FlipGroup; g != nil {
		is += effect.GroupID(g)
	}
	p.compared.addFact(is, p.Surplus.Text())
}

// findRows works out the rows and consequences that need no other part of the preview.
func (p *Preview) findRows(rev, next *revision.Revision, changes []change.ObjectChange) {
	p.Rows, p.reach = effect.ChangedRows(rev, next, changes), effect.ReachConsequences(rev, changes)
}

// startEarlyParts starts the parts of an explanation that do not need the effect on connections, while that
// effect is worked out. The returned function waits until they are done.
func (p *Preview) startEarlyParts(rev *revision.Revision) (wait func()) {
	if len(p.Objects) == 0 {
		return func() {}
	}
	next, changes := p.next, slices.Clone(p.Objects)
	var work sync.WaitGroup
	work.Go(func() { _, _ = revision.FindingsOfObjects(rev), revision.FindingsOfObjects(next) }) // cached by the revisions
	work.Go(func() { p.findRows(rev, next, changes) })
	p.isEarly = true
	return work.Wait
}
