package preview

import (
	"fmt"

	"rung/model/verdict"
	"rung/model/verdict/diff"
	"rung/model/words"
	"rung/revision/connections"
	"rung/themes"
)

// maxGroups bounds the groups of connections that are listed; all of them are counted.
const maxGroups = 40

// effect says in a line what happens to connections, and of a plan at which step.
func (v *View) effect(b *page) {
	e := v.p.Effect
	if e == nil {
		return
	}
	mark, st := "·", b.st.Dim
	if e.Flipping() || e.Difference == nil {
		mark, st = "▲", b.st.Warn
	}
	b.point(mark, st, e.Text(), b.st.Text)
	for _, text := range v.p.StepTexts() {
		b.point("·", b.st.Dim, text, b.st.Text)
	}
	b.logged(e.Log)
}

// logged counts the log lines that would have gone the other way.
func (b *page) logged(o *diff.Otherwise) {
	text := connections.OtherwiseText(o)
	if text == "" {
		return
	}
	mark, st := "·", b.st.Dim
	if o.Lines > 0 {
		mark, st = "▲", b.st.Warn
	}
	b.point(mark, st, text, b.st.Text)
	if text := connections.ContraryText(o); text != "" {
		b.point("▲", b.st.Warn, text, b.st.Text)
	}
}

// flips lists the connections that become another verdict, and those that another rule
// decides.
func (v *View) flips(b *page) {
	e := v.p.Effect
	if e == nil {
		return
	}
	b.seen(e.Log)
	if e.Difference == nil {
		return
	}
	if len(e.Flips) > 0 {
		b.heading("connections that change")
		b.groups(e.Flips)
	}
	if len(e.Others) > 0 {
		b.heading("same verdict, by another rule")
		b.groups(e.Others)
	}
}

func (b *page) groups(gs []diff.Group) {
	for i := range gs {
		if i == maxGroups {
			b.text(fmt.Sprintf("and %s", words.Count(len(gs)-maxGroups, "more group")), b.st.Dim)
			return
		}
		g := &gs[i]
		mark, st := b.sign(g.Before, g.After)
		what := string(g.After)
		if g.Before != g.After {
			what = fmt.Sprintf("%s → %s", g.Before, g.After)
		}
		b.point(mark, st, what+": "+connections.GroupText(g), b.st.Text)
		b.point(" ", b.st.Dim, connections.DecidedText(g)+"; "+connections.ExampleText(g), b.st.Dim)
	}
}

// seen lists the log lines that would have gone the other way.
func (b *page) seen(o *diff.Otherwise) {
	if o == nil || len(o.Groups) == 0 {
		return
	}
	b.heading("log lines that would have gone the other way")
	for i := range o.Groups {
		if i == maxGroups {
			b.text(fmt.Sprintf("and %s", words.Count(len(o.Groups)-maxGroups, "more group")), b.st.Dim)
			return
		}
		g := &o.Groups[i]
		mark, st := b.sign(g.Before, g.After)
		b.point(mark, st, fmt.Sprintf("%s → %s: %s", g.Before, g.After, connections.SeenText(g)), b.st.Text)
		b.point(" ", b.st.Dim, connections.SeenSaid(g)+"; "+connections.SeenExample(g), b.st.Dim)
	}
}

// sign marks what becomes of a group, not by colour alone.
func (b *page) sign(before, after verdict.Verdict) (string, themes.Style) {
	switch {
	case before == after:
		return "·", b.st.Dim
	case after == verdict.Deny:
		return "-", b.st.Removed
	case after == verdict.Allow:
		return "+", b.st.Added
	}
	return "?", b.st.Warn
}
