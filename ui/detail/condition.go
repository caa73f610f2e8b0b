package detail

import (
	"fmt"
	"time"

	"rung/model"
	"rung/model/words"
	"rung/themes"
	"rung/ui/nav"
)

// Condition is what a controller reported: with when, and never as proof.
func (s *Sheet) Condition(id string, c *model.Condition, now time.Time, st *themes.Styles, to nav.Page) {
	sign, look := "✓", st.OK
	if c.Status != "True" {
		sign, look = "●", st.Error
	}
	text := fmt.Sprintf("%s %s: controller reported %s", c.Type, c.Status, c.Reason)
	if !c.Changed.IsZero() {
		text += " at " + words.Clock(c.Changed, now)
	}
	if c.Message != "" {
		text += ": " + c.Message
	}
	s.Say(id, 0, sign, look, st.Text, text, to)
}
