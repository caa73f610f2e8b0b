package logs

import (
	"slices"

	"rung/model/words"
	"rung/themes"
	"rung/ui/view"
	"rung/ui/widget"
)

// columnChoice asks for the columns of lines and their order.
type columnChoice struct {
	order    []LineColumn // all columns
	isChosen [columnCount]bool
	cursorAt int
	onChosen func(env *view.Env, chosen []LineColumn)
}

// AskColumns asks for the columns of lines; nil means the columns of a sentence.
func AskColumns(env *view.Env, now []LineColumn, done func(env *view.Env, chosen []LineColumn)) {
	c := &columnChoice{order: slices.Clone(now), onChosen: func(env *view.Env, chosen []LineColumn) {
		if slices.Equal(chosen, sentence) {
			chosen = nil
		}
		done(env, chosen)
	}}
	if now == nil {
		c.order = slices.Clone(sentence)
	}
	for _, x := range c.order {
		c.isChosen[x] = true
	}
	for x := range columnCount {
		if !c.isChosen[x] {
			c.order = append(c.order, x)
		}
	}
	env.AskDialog(c)
}

// PressKey moves the cursor, chooses columns and moves them.
func (c *columnChoice) PressKey(env *view.Env, key, _ string) bool {
	switch key {
	case "esc", "q":
		return true
	case "down", "j", "tab", "ctrl+n":
		c.cursorAt = min(c.cursorAt+1, len(c.order)-1)
	case "up", "k", "shift+tab", "ctrl+p":
		c.cursorAt = max(c.cursorAt-1, 0)
	case "space":
		x := c.order[c.cursorAt]
		c.isChosen[x] = !c.isChosen[x]
	case "right", "l":
		c.moveColumn(1)
	case "left", "h":
		c.moveColumn(-1)
	case "0":
		c.isChosen, c.order = [columnCount]bool{}, c.order[:0]
		for x := range columnCount {
			c.isChosen[x], c.order = slices.Contains(sentence, x), append(c.order, x)
		}
	case "enter":
		var chosen []LineColumn
		for _, x := range c.order {
			if c.isChosen[x] {
				chosen = append(chosen, x)
			}
		}
		if len(chosen) == 0 {
			env.ShowFailure("a line needs at least one column")
			return false
		}
		c.onChosen(env, chosen)
		return true
	}
	return false
}

func (c *columnChoice) moveColumn(d int) {
	if to := c.cursorAt + d; to >= 0 && to < len(c.order) {
		c.order[c.cursorAt], c.order[to] = c.order[to], c.order[c.cursorAt]
		c.cursorAt = to
	}
}

// FocusLine returns the line of the cursor.
func (c *columnChoice) FocusLine() int { return c.cursorAt }

// Draw lists the columns in their order.
func (c *columnChoice) Draw(st *themes.StyleSet, w int) (string, []string) {
	var lines []string
	for i, x := range c.order {
		sign, look := "[ ] ", st.Dim
		if c.isChosen[x] {
			sign, look = "[x] ", st.Text
		}
		l := widget.StyledLine("  "+sign+columnNames[x], look)
		if i == c.cursorAt {
			lines = append(lines, widget.PlainLine(words.Cursor+" "+sign+columnNames[x]).RenderAs(w, st.Selection))
		} else {
			lines = append(lines, l.Render(w))
		}
	}
	lines = append(lines, "")
	for _, t := range widget.FlowText("space on or off · ← earlier · → later · 0 default · enter keep · esc cancel", w-2) {
		lines = append(lines, widget.StyledLine(" "+t, st.Dim).Render(w))
	}
	return "columns, from left to right", lines
}
