package preview

import (
	"rung/model"
	"rung/model/words"
	"rung/pages/page"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
)

// omissionInputs holds the inputs from which the lines of omissions were last made.
type omissionInputs struct {
	result *comparison
	st     *themes.StyleSet
	w      int
}

// listOmissions lists the omissions.
func (v *diffPage) listOmissions(env *view.Env) {
	in := omissionInputs{v.res, env.Styles, env.W}
	if v.res == nil || in == v.drawnOmissions {
		return
	}
	v.drawnOmissions = in
	s := &detail.Sheet{St: env.Styles, W: env.W}
	detail.AddOmissions(s, v.res.facts.NotConsidered, len(v.res.facts.NotConsidered))
	v.omissions.SetItems(s.Lines)
}

// SelectedPage returns the page of the selected line, if the console shows that side.
func (v *diffPage) SelectedPage() nav.Page {
	page, _ := v.selectedLink()
	return page
}

// WhyNot says why an action is not possible on the selected line.
func (v *diffPage) WhyNot(_ *view.Env, id action.ID) string {
	switch id {
	case action.Open:
		_, why := v.selectedLink()
		return why
	case action.DiffAgain:
		if v.before == "" {
			return "no input was given"
		}
	}
	return ""
}

// selectedLink returns the page of the selected line: the trace of a connection, a policy, or the rule of a
// finding; else why there is none.
func (v *diffPage) selectedLink() (nav.Page, string) {
	switch l, _ := v.selectedLine(leastDetails); {
	case l.title == "":
		return nav.Page{}, "nothing to open here"
	case l.gone != "":
		return nav.Page{}, l.gone
	case !v.isConsoleSide(v.rev.Mode):
		return nav.Page{}, "the console shows " + v.rev.Mode.Title + ", not " + v.after
	case l.page.IsNone():
		return nav.Page{}, "the finding is about no policy"
	default:
		return l.page, ""
	}
}

// pageOfPolicy returns the page of a policy of the second side.
func (v *diffPage) pageOfPolicy(k model.PolicyKey) nav.Page {
	if !k.Kind.IsPolicy() || v.res.sides[1].Cluster.Policy(k) == nil {
		return nav.Page{}
	}
	return nav.ToPolicy(k)
}

// diffLine is the selected line: its page, its title, and texts to copy. The title is empty for an omission, and
// without a selection.
type diffLine struct {
	page   nav.Page
	gone   string // why it is only on the first side, empty if it is not
	title  string
	copies []view.CopyItem
}

// leastDetails is a width for details that are not drawn.
const leastDetails = 80

// selectedLine returns the selected line, and its details in lines of w cells.
func (v *diffPage) selectedLine(w int) (x diffLine, lines []string) {
	if v.res == nil {
		return x, nil
	}
	s, st := &detail.Sheet{St: v.st, W: w}, v.st
	say := func(indent int, sign string, mark, look themes.Style, text string) {
		s.AddNote("", indent, sign, mark, look, text)
	}
	only := func(gone bool, what string) string { return words.Choose(gone, what+" is only in "+v.before, "") }
	switch v.part {
	case connectionsPart:
		if c, ok := v.connections.SelectedItem(); ok {
			x = diffLine{nav.ToTrace(c.Example.String()), words.Between("", only(c.Original.IsGone(), "the connection"),
				": an end no longer exists"),
				c.Change, []view.CopyItem{{What: "connection", Text: c.Sentence() + "\nnow " + c.NowText() + "\nbefore " + c.BeforeText()},
					{What: "rung trace command", Text: c.Example.Command()}}}
			say(1, "", st.Dim, st.Text, c.EndsText()+" "+c.PortsText())
			say(1, "", st.Dim, st.Text, "now     "+c.NowText())
			say(1, "", st.Dim, st.Dim, "before  "+c.BeforeText())
			say(1, "", st.Dim, st.Dim, "for example "+c.Example.String())
		}
	case policiesPart:
		if l, ok := v.policies.SelectedItem(); ok {
			name := l.Policy.Key.Label()
			x = diffLine{nav.ToPolicy(l.Policy.Key), only(l.Policy.IsGone(), name), name + " · " + l.Policy.Change +
				words.Between(" · priority ", l.Policy.Priority, ""), []view.CopyItem{{What: "change", Text: name + " " +
				l.Policy.Change + ": " + l.Detail},
				{What: "name", Text: l.Policy.Key.Name}}}
			say(1, "", st.Dim, st.Text, l.Detail)
		}
	case findingsPart:
		if l, ok := v.findings.SelectedItem(); ok {
			x = diffLine{detail.FindingPage(v.res.sides[1], l.Original),
				only(l.IsGone(), "the finding"), l.Side + " · " + l.Original.Policy.Label() + " · " + l.Code,
				[]view.CopyItem{{What: "finding", Text: l.Side + " " + l.Code + ": " + l.Message}}}
			sign := page.SeveritySign(l.Severity)
			say(1, sign.Text, st.TokenStyle(sign.Role), st.Text, l.Message)
			if !l.Original.Witness.IsZero() {
				say(3, "", st.Dim, st.Text, "shown by "+l.Original.Witness.String())
			}
			if l.Original.Remedy != "" && !l.IsGone() {
				say(1, words.Remedy, st.Dim, st.Text, l.Original.Remedy)
			}
		}
	case guardsPart:
		if g, ok := v.guards.SelectedItem(); ok {
			to, name := v.pageOfPolicy(g.Key), g.Key.Label()
			x = diffLine{to, only(to.IsNone(), name), g.Code + " · " + name,
				[]view.CopyItem{{What: "guard rail", Text: g.Code + ": " + name + ": " + g.Message}}}
			say(1, words.Warned, st.Warn, st.Text, g.Message)
		}
	case omissionsPart:
		if l, ok := v.omissions.SelectedItem(); ok {
			x.copies = []view.CopyItem{{What: "what is not counted", Text: l.Text.String()}}
		}
	}
	return x, s.RenderLines(w)
}

// Copies offers the selected line in words, and equivalent commands.
func (v *diffPage) Copies(*view.Env) []view.CopyItem {
	l, _ := v.selectedLine(leastDetails)
	if v.res != nil && v.after != "" {
		return append(l.copies, view.CopyItem{What: "rung diff command", Text: words.ShellJoin("rung", "diff", v.before, v.after)})
	}
	return l.copies
}
