package diff

import (
	"context"
	"slices"

	"rung/model/verdict"
)

// PortDecision is the verdict of connections at a range of ports, with the deciding rules.
type PortDecision struct {
	verdict.PortRange
	Verdict verdict.Verdict
	// By are the deciders: of every stage for an allowed connection, else of the stage that settles the
	// verdict. It is empty if nothing matches. Equal deciders have equal IDs in both indexes.
	By []verdict.Decider
	ID [verdict.Walks]int32
}

// noDeciders is the ID of a default decision.
var noDeciders = [verdict.Walks]int32{-1, -1, -1, -1, -1}

// DecidedPair holds the decisions about the connections between two classes of ends, for one node pairing.
// Before is nil if only one index is read.
type DecidedPair struct {
	From, To      int32
	Nodes         verdict.NodePairing
	Before, After []PortDecision
}

// EachDecision visits the connections between all classes of ends. Equal decisions share one slice, which must
// not be changed. The error is the context's.
func EachDecision(ctx context.Context, x *verdict.Index, visit func(c *verdict.Classes, p *DecidedPair)) error {
	d := newDecider(verdict.ComparisonOfOne(x))
	return d.eachPair(ctx, func(p *DecidedPair, _, after *decisions) {
		p.After = d.described(1, after)
		visit(d.After, p)
	})
}

// EachDecisionOfBoth is EachDecision for two indexes. It visits the classes of the ends they share, with the
// decisions of both; classes have the same numbers in both.
func EachDecisionOfBoth(ctx context.Context, before, after *verdict.Index, visit func(c *verdict.Comparison, p *DecidedPair)) error {
	d := newDecider(verdict.WholeComparison(before, after))
	return d.eachPair(ctx, func(p *DecidedPair, was, is *decisions) {
		p.Before, p.After = d.described(0, was), d.described(1, is)
		visit(d.Comparison, p)
	})
}

type decider struct {
	*differ
	known [2]map[*decisions][]PortDecision
}

func newDecider(c *verdict.Comparison) *decider {
	d := &decider{differ: newDiffer(c, DiffQuestions{}), known: [2]map[*decisions][]PortDecision{{}, {}}}
	d.usesByRule = [2]map[int32][]int{{}, {}} // do not track the use of rules
	return d
}

// eachPair visits the pairs of classes, with the decisions of both sides.
func (d *decider) eachPair(ctx context.Context, visit func(p *DecidedPair, before, after *decisions)) error {
	n := 0
	d.EachPair(func(a, b int32, how verdict.ConnectionMode, nodes verdict.NodePairing) bool {
		n++
		if n%256 == 0 && ctx.Err() != nil {
			return false
		}
		after := d.decisionsAbout(1, a, b, how, nodes)
		before := after
		if d.Before != d.After {
			before = d.decisionsAbout(0, a, b, how, nodes)
		}
		visit(&DecidedPair{From: a, To: b, Nodes: nodes}, before, after)
		return true
	})
	return ctx.Err()
}

// described returns the decisions of a side with their deciders.
func (d *decider) described(side int, all *decisions) []PortDecision {
	if out, is := d.known[side][all]; is {
		return out
	}
	out := make([]PortDecision, 0, len(all.list))
	for i := range all.list {
		r := &all.list[i].Verdict
		p := PortDecision{PortRange: all.list[i].Ports(), Verdict: r.verdict, ID: noDeciders}
		for k := range r.walks {
			if r.verdict != verdict.Allow && k != r.settlingWalk() {
				continue
			}
			p.ID[k] = r.walks[k].decider
			for _, by := range d.sides[side].decidersOfID(r.walks[k].decider) {
				if !slices.ContainsFunc(p.By, func(o verdict.Decider) bool {
					return o.Policy == by.Policy && o.Direction == by.Direction && o.Rule == by.Rule
				}) {
					p.By = append(p.By, by)
				}
			}
		}
		if r.verdict != verdict.Allow { // the settling stage does not matter
			settled := p.ID[r.settlingWalk()]
			p.ID = noDeciders
			p.ID[0] = settled
		}
		out = append(out, p)
	}
	d.known[side][all] = out
	return out
}
