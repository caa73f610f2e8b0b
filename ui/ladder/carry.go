package ladder

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"rung/change"
	"rung/model"
	"rung/model/words"
	"rung/pages/ladder"
	"rung/ui/action"
	"rung/ui/view"
	"rung/ui/widget"
)

// strides are how far the keys of carrying go.
var strides = map[action.ID]int32{action.CarryUp: -1, action.CarryDown: 1, action.CarryFar: 10, action.CarryFarUp: -10}

// carriedPolicy is a policy on its way along the ladder.
type carriedPolicy struct {
	key                      model.PolicyKey
	fromPriority, atPriority int32
	stage                    model.Stage // the one to go back to: gaps are those of all together
	typed                    string      // digits of the priority to go to
	flips                    flipCounts
}

func (v *ladderPage) pickUp(env *view.Env, l *ladder.Line) {
	v.table.ArrangeBy(widget.Arrangement{Wide: v.table.Wide})
	env.SetPageFilter("")
	largest := v.frame.rev.Ladder().Max
	stage := v.stage
	v.setStage("")
	v.carry = &carriedPolicy{key: l.Key, fromPriority: l.Priority, atPriority: min(l.Priority, largest), stage: stage}
	v.Sync(env)
}

func (v *ladderPage) doCarry(env *view.Env, id action.ID) bool {
	c := v.carry
	largest := v.frame.rev.Ladder().Max
	step := strides[id]
	switch {
	case step != 0:
		c.typed = ""
		c.atPriority = min(max(0, c.atPriority+step), largest)
	case id == action.CarryErase:
		c.typed = c.typed[:max(0, len(c.typed)-1)]
		c.goTo(largest)
	case id == action.CarryDrop:
		v.putDown()
		if c.atPriority != c.fromPriority {
			env.PreviewChange(change.Mutation{Op: change.OpMove, Policy: c.key, Priority: float64(c.atPriority)})
		} else {
			env.SayText("%s stays at %d", c.key.Name, c.fromPriority)
		}
	case id == action.CarryCancel:
		v.putDown()
		env.SayText("%s stays at %d", c.key.Name, c.fromPriority)
	default:
		return false
	}
	v.Sync(env)
	return true
}

// TakeText takes digits while a policy is carried: it goes straight to that priority.
func (v *ladderPage) TakeText(env *view.Env, text string) bool {
	if v.carry == nil || len(text) != 1 || text[0] < '0' || text[0] > '9' {
		return false
	}
	c, largest := v.carry, v.frame.rev.Ladder().Max
	typed := strings.TrimLeft(c.typed+text, "0")
	if n, err := strconv.Atoi(cmp.Or(typed, "0")); err != nil || n > int(largest) {
		env.SayFailure("the largest priority is %d", largest)
		return true
	}
	c.typed = cmp.Or(typed, "0")
	c.goTo(largest)
	v.Sync(env)
	return true
}

// goTo goes to the priority that is typed, and back where nothing is.
func (c *carriedPolicy) goTo(largest int32) {
	if n, err := strconv.Atoi(c.typed); err == nil {
		c.atPriority = int32(n)
	} else {
		c.atPriority = min(c.fromPriority, largest)
	}
}

// putDown ends the carrying.
func (v *ladderPage) putDown() {
	stage := v.carry.stage
	v.carry = nil
	v.setStage(stage)
}

// carryLine says where the policy is on its way and what the place means.
func (c *carriedPolicy) carryLine(env *view.Env) widget.Line {
	st := env.Styles
	to := fmt.Sprintf("%d → %d", c.fromPriority, c.atPriority)
	if c.atPriority == c.fromPriority {
		to = fmt.Sprintf("%d (unchanged)", c.fromPriority)
	}
	if c.typed != "" {
		to = fmt.Sprintf("%d → %s_", c.fromPriority, c.typed)
	}
	var there []string
	if r := env.Rev.Ladder().RungAt(c.atPriority); r != nil {
		for _, p := range r.Policies {
			if p.Policy.Key != c.key {
				there = append(there, p.Policy.Name)
			}
		}
	}
	// The line of the path is shared with the page's name and the number of lines. Without room go, in
	// this order: that it is free, the log's lines, the policy's name, which its line has as well, and
	// the others there. The flips stay.
	const moving, least = "moving", 12
	room := env.W*2/3 - len("   99 lines")
	free, tie, tied := "", "", ""
	switch {
	case len(there) > 0:
		tie, tied = "  = with "+words.JoinAtMost(there, ", ", 1), "  = tie"
	case c.atPriority != c.fromPriority:
		free = "  free"
	}
	text, log := c.flips.outcomeText(c)
	if text != "" {
		text = "  " + text
	}
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
