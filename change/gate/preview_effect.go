package gate

import (
	"fmt"
	"slices"
	"time"

	"rung/change"
	"rung/change/effect"
	"rung/change/guard"
	"rung/revision"
)

// clusterFacts returns the protected namespaces and the allowed connections of the log, which the guard rails
// consult in addition to the objects.
func (g *Gate) clusterFacts() guard.ClusterFacts {
	return guard.ClusterFacts{Protected: g.Config.Protected, Log: g.Config.LogConnections(true)}
}

// StepTexts returns a line for each step of a plan that changes verdicts, or one saying that none does.
func (p *Preview) StepTexts() (out []string) {
	quiet := true
	for i, e := range p.StepEffects {
		if e == nil {
			continue
		}
		quiet = quiet && e.Difference != nil
		if e.FlipsVerdicts() || e.Difference == nil {
			quiet = false
			text := fmt.Sprintf("step %d: %s", p.FirstStep+i, e.Text())
			if brief := revision.LogDiffBrief(e.Log); brief != "" {
				text += "; " + brief
			}
			out = append(out, text)
		}
	}
	if quiet && len(p.StepEffects) > 0 {
		out = append(out, "no step changes a verdict")
	}
	return out
}

// freshTime limits the time in which an undo that changes no verdict needs no name to be typed.
const freshTime = 2 * time.Minute

// isFreshUndo reports whether a preview undoes a change made less than freshTime ago, and changes no verdict. The
// change is no undo itself: undoing that may delete what is old.
func (g *Gate) isFreshUndo(p *Preview) bool {
	if p.Mutation.Op != change.OpUndo || p.Effect != nil && (p.Effect.Unknown != "" || p.Effect.FlipsVerdicts()) {
		return false
	}
	e, ok := g.Config.History.FindEntry(p.Undoes)
	age := g.Config.Now().Sub(e.At)
	return ok && e.Undoes == 0 && age >= 0 && age < freshTime
}

// judgeEffect sets the effect of a change on connections, and the guard rails it hits. If the effect is
// unknown, the policies alone decide the guard rails.
func (g *Gate) judgeEffect(p *Preview, e *effect.Effect, rev *revision.Revision) {
	p.Effect = e
	p.Guards = nil
	switch {
	case e == nil:
	case e.Unknown != "":
		anything := effect.IsAnyPod(rev.JudgedCluster()) || effect.UnreadDeciders(rev) != nil
		p.Guards = guard.UnknownEffectRails(rev, p.Objects, guard.ClusterFacts{Protected: g.Config.Protected}, e.Unknown, anything)
	default:
		p.Guards = slices.Clone(e.Guards)
	}
	if !g.isFreshUndo(p) {
		p.Guards = append(p.Guards, guard.DeletionRails(p.Objects)...)
	}
	p.ConfirmName = guard.ConfirmName(p.Guards, p.Objects)
}
