package preview

import (
	"fmt"
	"slices"
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"

	"rung/change/rewrite"
	"rung/model/clean"
	"rung/model/verdict"
	"rung/model/verdict/diff"
	"rung/model/words"
	"rung/revision/connections"
	"rung/themes"
	"rung/ui/view"
	"rung/ui/widget"
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

// conflict shows the three texts as two differences.
func (v *View) conflict(b *page, c *rewrite.Conflict) {
	switch {
	case c.Merged != "":
		b.point("▲", b.st.Warn, "Somebody changed the policy meanwhile. The two edits touch different lines: they can be merged.", b.st.Text)
	case c.Now != "" && c.Wanted != "":
		b.point("▲", b.st.Warn, "Somebody changed the policy meanwhile. Both edits touch the same lines; merge by hand.", b.st.Text)
	}
	b.heading("changed meanwhile: " + c.Key.Label())
	if c.Now == "" {
		b.text("The policy was removed.", b.st.Text)
	} else {
		b.diff(c.Diff)
	}
	b.heading("your change")
	if c.Wanted == "" {
		b.text("The policy was to be removed.", b.st.Text)
		return
	}
	b.diff(udiff.Unified("as it was", "wanted", ended(c.Base), ended(c.Wanted)))
}

func ended(s string) string {
	if s != "" && !strings.HasSuffix(s, "\n") {
		return s + "\n"
	}
	return s
}

// diff shows a unified difference.
func (b *page) diff(text string) {
	shown := clean.Escape(text)
	if shown != text {
		b.point("▲", b.st.Warn, widget.Escaped, b.st.Text)
	}
	for l := range strings.Lines(shown) {
		l = widget.Clean(strings.TrimSuffix(l, "\n"))
		st := b.st.Text
		switch {
		case strings.HasPrefix(l, "+"):
			st = b.st.Added
		case strings.HasPrefix(l, "-"):
			st = b.st.Removed
		case strings.HasPrefix(l, "@@"):
			st = b.st.Dim
		}
		b.add(widget.Line{{Text: " "}, {Text: l, Style: st}})
	}
}

// Copies are the commands, the texts after the change and the difference.
func (v *View) Copies(*view.Env) []view.Copy {
	out := slices.Clone(v.opt.Copies)
	if v.p == nil {
		return out
	}
	var texts, diffs []string
	for _, o := range v.p.Objects {
		if o.New != nil {
			texts = append(texts, ended(o.New.YAML))
		}
		diffs = append(diffs, o.Diff)
	}
	if len(v.p.Commands) > 0 {
		out = append(out, view.Copy{What: "kubectl command", Text: strings.Join(v.p.Commands, "\n")})
	}
	if len(texts) > 0 {
		out = append(out, view.Copy{What: "YAML after the change", Text: strings.Join(texts, "---\n")})
	}
	if len(diffs) > 0 {
		out = append(out, view.Copy{What: "difference", Text: strings.Join(diffs, "\n")})
	}
	return out
}
