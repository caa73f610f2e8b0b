package preview

import (
	"slices"
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"

	"rung/change/rewrite"
	"rung/model/clean"
	"rung/pages/consequences"
	"rung/themes"
	"rung/ui/view"
	"rung/ui/widget"
)

// conflict shows the three texts as two differences.
func (v *View) conflict(b *pane, c *rewrite.Conflict) {
	switch {
	case c.Merged != "":
		b.point(consequences.Warns, "Somebody changed the policy meanwhile. The two edits touch different lines: they can be merged.", themes.Text)
	case c.Now != "" && c.Wanted != "":
		b.point(consequences.Warns, "Somebody changed the policy meanwhile. Both edits touch the same lines; merge by hand.", themes.Text)
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
func (b *pane) diff(text string) {
	shown := clean.Escape(text)
	if shown != text {
		b.point(consequences.Warns, widget.Escaped, themes.Text)
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
