package planrun

import (
	"errors"
	"fmt"
	"slices"

	"rung/change"
	"rung/change/effect"
	"rung/change/gate"
	"rung/model"
	"rung/model/plan"
	"rung/revision"
)

// Consequences of a change for an unfinished plan, and the obstacles of such a plan.

// keepRemedy is a remedy that always works.
const keepRemedy = "end the plan here (x, rung plan --keep)"

// stuckText tells why a plan can be neither continued nor rolled back, and every remedy.
func stuckText(err error) string {
	var astray *plan.MisplacedError
	if !errors.As(err, &astray) {
		return err.Error()
	}
	return astray.PlacesText() + ": " + astray.RemedyText() + ", or " + keepRemedy
}

// remedyText returns the remedies if one policy keeps a stopped plan from going in the requested direction.
func remedyText(p plan.PlanProgress, slots []plan.Placement, a plan.MisplacedPolicy) string {
	out := a.RemedyText()
	if _, found := p.Obstacles(slots, !p.Back); len(found) == 0 {
		if p.Back {
			out += ", continue"
		} else {
			out += ", roll back"
		}
	}
	return out + ", or " + keepRemedy
}

// planOutlook tells in which directions a plan can still go.
type planOutlook struct {
	continues, back bool
	step            int                  // blocked step; 0: all
	blockingPolicy  plan.MisplacedPolicy // blocking policy, if any
}

func findOutlook(p *plan.PlanProgress, slots []plan.Placement) (out planOutlook) {
	atBack, back := p.Obstacles(slots, true)
	atNext, next := p.Obstacles(slots, false)
	out.continues, out.back = len(next) == 0, len(back) == 0
	switch {
	case !out.continues:
		out.step, out.blockingPolicy = atNext, next[0]
	case !out.back:
		out.step, out.blockingPolicy = atBack, back[0]
	}
	return out
}

// PlanConsequences returns what a change means for the plan under way or stopped.
func (r *Plans) PlanConsequences(rev *revision.Revision, next func() *revision.Revision, p *gate.Preview) []effect.Consequence {
	anps := slices.ContainsFunc(p.Objects, func(c change.ObjectChange) bool {
		return c.Key.Kind == model.KindANP || c.Key.Kind == model.KindCNP && rev.Flags.CompileCNP
	})
	if !anps || p.Mutation.Plan {
		return nil
	}
	r.mu.Lock()
	_ = r.load()
	if r.job == nil || !r.state.IsOpen() {
		r.mu.Unlock()
		return nil
	}
	progress, state := *r.job.Progress, r.state
	r.mu.Unlock() // next may take long, as it compiles
	was, err := planBoard(rev)
	will, err2 := planBoard(next())
	if err != nil || err2 != nil {
		return nil // nor can the plan be judged now
	}
	rollsBack := progress.Back
	progress.Back = false
	before, then := findOutlook(&progress, was.Placements()), findOutlook(&progress, will.Placements())
	effect := ""
	switch active := state.IsUnderWay(); {
	case (before.continues || before.back) && !then.continues && !then.back:
		effect = "it can be neither continued nor rolled back"
	case before.continues && !then.continues:
		effect = "it cannot be continued"
	case before.back && !then.back:
		effect = "it cannot be rolled back"
	case !before.continues && then.continues && then.back:
		return planConsequence(&state, "again", "after this change it can be continued or rolled back again")
	case active && then.continues:
		progress.Back = rollsBack
		return contentChangeConsequences(&progress, &state, p.Objects)
	default:
		return nil
	}
	return planConsequence(&state, fmt.Sprintf("%s %v %v", then.blockingPolicy.Policy, then.continues, then.back),
		fmt.Sprintf("%s; after this change %s", blockedStepText(&progress, then), effect))
}

// contentChangeConsequences returns the consequence of changing the content of a policy that a running plan still has to
// move: the plan stops there, because the policy differs from the confirmed one.
func contentChangeConsequences(p *plan.PlanProgress, state *revision.PlanState, changes []change.ObjectChange) []effect.Consequence {
	for _, c := range changes {
		if c.Old == nil || c.New == nil || policyDigest(c.Old) == policyDigest(c.New) {
			continue
		}
		for i, s := range p.StepsLeft() {
			if change.StepMutation(s).Policy == c.Key {
				n := p.StepsMade(p.Done) + 1 + i
				if p.Back {
					n = p.StepsMade(p.Done) - i
				}
				return planConsequence(state, "stops "+s.Policy,
					fmt.Sprintf("its step %d moves %s; after this change it stops there, and can be continued", n, s.Policy))
			}
		}
	}
	return nil
}

// blockedStepText names the blocked step.
func blockedStepText(p *plan.PlanProgress, then planOutlook) string {
	if then.step == 0 {
		for i, s := range p.AllSteps() {
			if s.Policy == then.blockingPolicy.Policy {
				then.step = i + 1 // the last one, if it moves twice
			}
		}
		return fmt.Sprintf("its step %d moves %s", then.step, then.blockingPolicy.Policy)
	}
	s := p.AllSteps()[then.step-1]
	return fmt.Sprintf("its step %d, %s, passes %s", then.step, change.StepText(s), then.blockingPolicy.Policy)
}

// planConsequence returns a consequence for the plan. Its identity does not depend on the progress.
func planConsequence(state *revision.PlanState, is, text string) []effect.Consequence {
	how := "a plan stopped at " + state.PlaceText()
	if state.IsUnderWay() {
		how = "a plan is running, " + state.String()
	}
	return []effect.Consequence{{Identity: "plan " + is, Text: how + ": " + text, Warns: true}}
}

// EntryAtBegin returns the newest change at the time the unfinished plan began; ok is false if unknown.
func (r *Plans) EntryAtBegin() (id uint64, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.job == nil || r.job.After == nil {
		return 0, false
	}
	return *r.job.After, true
}

// RolledBackTitle returns the title of the plan rolled back last, or "" if change id was made after it.
func (r *Plans) RolledBackTitle(id uint64) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state.State != revision.PlanDone || !r.state.RollingBack || r.job == nil || r.job.After == nil || id > *r.job.After {
		return ""
	}
	return r.state.Title
}
