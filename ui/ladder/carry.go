package ladder

import (
	"fmt"

	"rung/engine/gate"
	"rung/model"
	"rung/model/ladder"
	"rung/model/words"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/view"
	"rung/ui/widget"
)

// strides are how far the keys of carrying go.
var strides = map[action.ID]int32{action.CarryUp: -1, action.CarryDown: 1, action.CarryFar: 10, action.CarryFarUp: -10}

// carry is a policy on its way along the ladder.
type carry struct {
	key      model.PolicyKey
	from, at int32
	stage    model.Stage // the one to go back to: gaps are those of all together
}

func (v *ladderPage) pickUp(env *view.Env, it *item) {
	v.table.Natural()
	env.Filter("")
	largest := v.frame.rev.Ladder().Max
	stage := v.stage
	v.setStage("")
	v.carry = &carry{key: it.key, from: it.prio, at: min(it.prio, largest), stage: stage}
	v.Sync(env)
}

func (v *ladderPage) doCarry(env *view.Env, id action.ID) bool {
	c := v.carry
	largest := v.frame.rev.Ladder().Max
	step := strides[id]
	switch {
	case step != 0:
		c.at = min(max(0, c.at+step), largest)
	case id == action.CarryDrop:
		v.putDown()
		if c.at != c.from {
			env.Preview(gate.Mutation{Op: gate.OpMove, Policy: c.key, Priority: c.at})
		} else {
			env.Say("%s stays at %d", c.key.Name, c.from)
		}
	case id == action.CarryCancel:
		v.putDown()
		env.Say("%s stays at %d", c.key.Name, c.from)
	default:
		return false
	}
	v.Sync(env)
	return true
}

// putDown ends the carrying.
func (v *ladderPage) putDown() {
	stage := v.carry.stage
	v.carry = nil
	v.setStage(stage)
}

// says marks the carried policy on the ladder.
func (c *carry) says(r *ladder.Rung, st *themes.Styles) widget.Line {
	switch {
	case c.at == c.from:
		return widget.Styled("← carried", st.Key)
	case len(r.Policies) > 1:
		return widget.Styled("← = shared", st.Warn)
	}
	return widget.Styled("← free", st.Key)
}

// tell says where the policy is on its way and what the place means.
func (c *carry) tell(env *view.Env) widget.Line {
	st := env.Styles
	l := widget.Styled(fmt.Sprintf("carrying %s  %d → %d", c.key.Name, c.from, c.at), st.Key)
	var there []string
	if r := env.Rev.Ladder().Rung(c.at); r != nil {
		for _, p := range r.Policies {
			if p.Policy.Key != c.key {
				there = append(there, p.Policy.Name)
			}
		}
	}
	switch {
	case c.at == c.from:
		return l.Add("  where it is", st.Dim)
	case len(there) > 0:
		return l.Add("  = shared with "+words.Cut(there, ", ", 1), st.Warn)
	}
	return l.Add("  free", st.Dim)
}
