package view

import (
	"rung/themes"
	"rung/ui/action"
	"rung/ui/widget"
)

// Lister is a widget with lines to walk along: widget.Table, widget.Doc,
// widget.Text.
type Lister interface {
	Do(id action.ID) bool
	SetFilter(f widget.Filter)
	Counts() (shown, all int)
	Click(y int) bool
	Wheel(lines int)
	Render(st *themes.Styles, w, h int) string
}

// List is what a view around one such widget has in common: embed it and set
// Of. It gives Render, the filter and the mouse, and Do for the actions of the
// widget; the view's own Do calls it last.
type List struct{ Of Lister }

// Render draws the widget.
func (l List) Render(env *Env, w, h int) string { return l.Of.Render(env.Styles, w, h) }

// Do walks along the lines.
func (l List) Do(_ *Env, id action.ID) bool { return l.Of.Do(id) }

// SetFilter and Counts make the view a Filterer.
func (l List) SetFilter(f widget.Filter) { l.Of.SetFilter(f) }

// Counts are how many lines are shown, and how many there are.
func (l List) Counts() (shown, all int) { return l.Of.Counts() }

// Complete finds how a word of the lines goes on.
func (l List) Complete(begin string) string {
	if c, ok := l.Of.(Completer); ok {
		return c.Complete(begin)
	}
	return ""
}

// SaveText is all lines of the widget, those out of sight too.
func (l List) SaveText(*Env) string {
	if t, ok := l.Of.(interface{ AllText() string }); ok {
		return t.AllText()
	}
	return ""
}

// Click and Wheel make it a Clicker.
func (l List) Click(_ *Env, _, y int) bool { return l.Of.Click(y) }

// Wheel scrolls.
func (l List) Wheel(_ *Env, lines int) { l.Of.Wheel(lines) }
