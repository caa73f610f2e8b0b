package ladder

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"rung/change"
	"rung/model"
	"rung/model/plan"
	"rung/model/words"
	"rung/pages/ladder"
	"rung/revision"
	"rung/ui/action"
	"rung/ui/view"
	"rung/ui/widget"
)

// strides are the steps of the carrying keys.
var strides = map[action.ID]int32{action.CarryUp: -1, action.CarryDown: 1, action.CarryFar: 10, action.CarryFarUp: -10}

// carriedPolicy is a policy being moved along the ladder.
type carriedPolicy struct {
	key      model.PolicyKey
	from, at plan.TierPlace // original and current place; without tiers only a priority
	stage    model.Stage    // stage to restore: gaps need all stages together
	typed    string         // typed digits of the target priority
	flips    flipCounts
	// places are the possible places in a plugin's own tiers, slot the current index; nil if every priority is
	// a place.
	places     []plan.TierPlace
	placeIndex int
}

// isMoved reports whether the policy left its original place.
func (c *carriedPolicy) isMoved() bool { return c.at != c.from }

// placeText formats a place.
func placeText(at plan.TierPlace) string { return model.PlaceText(at.Tier, at.Priority) }

// movedCopy returns the policy at the current place.
func (c *carriedPolicy) movedCopy(p *model.Policy) *model.Policy {
	moved := *p
	if p.Tiered == nil {
		moved.Priority = int32(c.at.Priority)
		return &moved
	}
	tiered := *p.Tiered
	tiered.Tier, tiered.Priority = c.at.Tier, c.at.Priority
	moved.Tiered = &tiered
	return &moved
}

func (v *ladderPage) beginCarry(env *view.Env, l *ladder.Line) {
	v.table.ArrangeBy(widget.Arrangement{Wide: v.table.Wide})
	env.SetPageFilter("")
	c := &carriedPolicy{key: l.Key, stage: v.stage, from: plan.TierPlace{Priority: float64(l.Priority)}}
	v.setStage("")
	v.carry, c.at = c, plan.TierPlace{Priority: min(c.from.Priority, float64(v.frame.rev.Ladder().Max))}
	if a := l.Policy.Tiered; a != nil {
		c.from = plan.TierPlace{Tier: a.Tier, Priority: a.Priority}
		c.at = c.from
		c.places, c.placeIndex = plan.PlacesInTiers(revision.LadderBands(v.frame.rev), l.Key, c.from)
	}
	v.Sync(env)
}

func (v *ladderPage) doCarry(env *view.Env, id action.ID) bool {
	c := v.carry
	largest := v.frame.rev.Ladder().Max
	step := strides[id]
	switch {
	case step != 0 && c.places != nil:
		c.typed = ""
		c.placeIndex = min(max(0, c.placeIndex+int(step)), len(c.places)-1)
		c.at = c.places[c.placeIndex]
	case step != 0:
		c.typed = ""
		c.at.Priority = min(max(0, c.at.Priority+float64(step)), float64(largest))
	case id == action.CarryErase:
		c.typed = c.typed[:max(0, len(c.typed)-1)]
		c.goTo(largest)
	case id == action.CarryDrop:
		v.endCarry()
		if c.isMoved() {
			m := change.Mutation{Op: change.OpMove, Policy: c.key, Priority: c.at.Priority}
			if c.at.Tier != c.from.Tier {
				m.Tier = c.at.Tier
			}
			env.PreviewChange(m)
		} else {
			env.ShowText("%s stays at %s", c.key.Name, placeText(c.from))
		}
	case id == action.CarryCancel:
		v.endCarry()
		env.ShowText("%s stays at %s", c.key.Name, placeText(c.from))
	default:
		return false
	}
	v.Sync(env)
	return true
}

// TakeText takes digits while a policy is carried: it goes to the typed priority.
func (v *ladderPage) TakeText(env *view.Env, text string) bool {
	if v.carry != nil && v.carry.places != nil {
		return v.takeFraction(env, text)
	}
	if v.carry == nil || len(text) != 1 || text[0] < '0' || text[0] > '9' {
		return false
	}
	c, largest := v.carry, v.frame.rev.Ladder().Max
	typed := strings.TrimLeft(c.typed+text, "0")
	if n, err := strconv.Atoi(cmp.Or(typed, "0")); err != nil || n > int(largest) {
		env.ShowFailure("the largest priority is %d", largest)
		return true
	}
	c.typed = cmp.Or(typed, "0")
	c.goTo(largest)
	v.Sync(env)
	return true
}

// takeFraction takes a digit or the point of a priority within the policy's tier.
func (v *ladderPage) takeFraction(env *view.Env, text string) bool {
	if len(text) != 1 || !strings.Contains("0123456789.", text) {
		return false
	}
	c := v.carry
	if n, err := strconv.ParseFloat(c.typed+text+"0", 64); err != nil || n > 10*plan.MostPlace {
		env.ShowFailure("a priority must be 1–10000")
		return true
	}
	c.typed += text
	c.goTo(0)
	v.Sync(env)
	return true
}

// goTo moves to the typed priority, or back if nothing is typed.
func (c *carriedPolicy) goTo(largest int32) {
	if c.places != nil {
		c.at = c.places[c.placeIndex]
		if n, err := strconv.ParseFloat(strings.TrimSuffix(c.typed, "."), 64); err == nil {
			c.at.Priority = min(n, plan.MostPlace)
		}
		return
	}
	if n, err := strconv.Atoi(c.typed); err == nil {
		c.at.Priority = float64(n)
	} else {
		c.at.Priority = min(c.from.Priority, float64(largest))
	}
}

// endCarry ends the carrying.
func (v *ladderPage) endCarry() {
	stage := v.carry.stage
	v.carry = nil
	v.setStage(stage)
}

// othersThere returns the names of the other policies at the current place.
func (c *carriedPolicy) othersThere(rev *revision.Revision) (names []string) {
	if c.places != nil {
		for _, b := range revision.LadderBands(rev) {
			for i := range b.Rungs {
				if b.Tier == nil || b.Name != c.at.Tier || b.Rungs[i].Priority != c.at.Priority {
					continue
				}
				for _, p := range b.Rungs[i].Policies {
					if p.Policy.Key != c.key {
						names = append(names, p.Policy.Name)
					}
				}
			}
		}
		return names
	}
	if r := rev.Ladder().RungAt(int32(c.at.Priority)); r != nil {
		for _, p := range r.Policies {
			if p.Policy.Key != c.key {
				names = append(names, p.Policy.Name)
			}
		}
	}
	return names
}

// carryLine describes the current place and its effect.
func (c *carriedPolicy) carryLine(env *view.Env) widget.Line {
	st := env.Styles
	from := placeText(c.from)
	to := from + " → " + placeText(c.at)
	if !c.isMoved() {
		to = from + " (unchanged)"
	}
	if c.typed != "" {
		to = fmt.Sprintf("%s → %s_", from, strings.TrimSpace(c.at.Tier+" "+c.typed))
	}
	there := c.othersThere(env.Rev)
	// The breadcrumbs share the line. Without room these are dropped in order: "free", log lines, the policy's
	// name (its row has it), the other policies there. The flips stay.
	const moving, least = "moving", 12
	room := env.W*2/3 - len("   99 lines")
	free, tie, tied := "", "", ""
	if !c.isMoved() && c.typed == "" && c.at.Tier == "" {
		free = ", type a number"
	}
	switch {
	case len(there) > 0:
		tie, tied = "  = with "+words.JoinAtMost(there, ", ", 1), "  = tie"
	case c.isMoved():
		free = "  free"
	}
	text, log := c.flips.outcomeText(c)
	text = words.Between("  ", text, "")
	line := func(name, free, tie, text string) widget.Line {
		return widget.StyledLine(moving+name+": "+to, st.Key).Add(free, st.Dim).Add(tie, st.Warn).Add(text, st.Text)
	}
	for _, try := range [][3]string{{free, tie, text + log}, {"", tie, text + log}, {"", tie, text}} {
		left := room - line(" ", try[0], try[1], try[2]).LineWidth()
		if left >= min(least, widget.TextWidth(c.key.Name)) {
			return line(" "+widget.CutName(c.key.Name, left), try[0], try[1], try[2])
		}
	}
	for _, try := range [][2]string{{tie, text + log}, {tie, text}} {
		l := line("", "", try[0], try[1])
		if l.LineWidth() <= room {
			return l
		}
	}
	return line("", "", tied, text)
}
