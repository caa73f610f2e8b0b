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

// omissionInputs holds the inputs of the lines of omissions.
type omissionInputs struct {
	of *comparison
	st *themes.StyleSet
	w  int
}

// listOmissions lists the omissions.
func (v *diffPage) listOmissions(env *view.Env) {
	in := omissionInputs{v.res, env.Styles, env.W}
	if v.res == nil || in == v.drawnOmissions {
		return
	}
	v.drawnOmissions = in
	s := &detail.Sheet{St: env.Styles, W: env.W}
	detail.AddOmissions(s, v.res.notConsidered, len(v.res.notConsidered))
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
	if v.res == nil || v.part == omissionsPart {
		return nav.Page{}, "nothing to open here"
	}
	var here nav.Page
	var gone string
	is := false
	switch v.part {
	case connectionsPart:
		if c, ok := v.connections.SelectedItem(); ok {
			is, here = true, nav.ToTrace(c.Example.String())
			if c.Of.IsGone() {
				gone = "the connection is only in " + v.before + ": an end no longer exists"
			}
		}
	case policiesPart:
		if l, ok := v.policies.SelectedItem(); ok {
			is, here = true, nav.ToPolicy(l.Of.Key)
			if l.Of.IsGone() {
				gone = l.Of.Key.Label() + " is only in " + v.before
			}
		}
	case findingsPart:
		if l, ok := v.findings.SelectedItem(); ok {
			is, here = true, v.pageOfFinding(l.Of)
			if l.IsGone() {
				gone = "the finding is only in " + v.before
			}
		}
	case guardsPart:
		if g, ok := v.guards.SelectedItem(); ok {
			is, here = true, v.pageOfPolicy(g.Key)
			if here.IsNone() {
				gone = g.Key.Label() + " is only in " + v.before
			}
		}
	}
	switch {
	case !is:
		return nav.Page{}, "nothing to open here"
	case gone != "":
		return nav.Page{}, gone
	case !v.isConsoleSide(v.rev.Mode):
		return nav.Page{}, "the console shows " + v.rev.Mode.Title + ", not " + v.after
	case here.IsNone():
		return nav.Page{}, "the finding is about no policy"
	}
	return here, ""
}

// pageOfPolicy returns the page of a policy of the second side.
func (v *diffPage) pageOfPolicy(k model.PolicyKey) nav.Page {
	if !k.Kind.IsPolicy() || v.res.sides[1].Cluster.Policy(k) == nil {
		return nav.Page{}
	}
	return nav.ToPolicy(k)
}

// pageOfFinding returns the page of a finding's rule, else of its policy.
func (v *diffPage) pageOfFinding(f *model.Finding) nav.Page {
	p := v.res.sides[1].Cluster.Policy(f.Policy)
	if f.Direction != "" && p != nil && p.Rule(f.Direction, f.Rule) != nil {
		return nav.ToRule(f.Policy, f.Direction, f.Rule)
	}
	if !f.Policy.Kind.IsPolicy() || f.Policy.Name == "" {
		return nav.Page{}
	}
	return nav.ToPolicy(f.Policy)
}

// detailLines returns the selected line in full with a title; an empty title means nothing is selected.
func (v *diffPage) detailLines(w int) (title string, lines []string) {
	s := &detail.Sheet{St: v.st, W: w}
	say := func(indent int, sign string, mark, look themes.Style, text string) {
		s.AddParagraph("", indent, sign, mark, look, text, nav.Page{})
	}
	st := v.st
	switch v.part {
	case connectionsPart:
		c, ok := v.connections.SelectedItem()
		if !ok {
			return "", nil
		}
		title = c.Change
		say(1, "", st.Dim, st.Text, c.From+" → "+c.To+" "+c.PortsText())
		say(1, "", st.Dim, st.Text, "now     "+c.NowText())
		say(1, "", st.Dim, st.Dim, "before  "+c.BeforeText())
		say(1, "", st.Dim, st.Dim, "for example "+c.Example.String())
	case policiesPart:
		l, ok := v.policies.SelectedItem()
		if !ok {
			return "", nil
		}
		title = l.Of.Key.Label() + " · " + l.Of.Change
		if l.Of.Priority != "" {
			title += " · priority " + l.Of.Priority
		}
		say(1, "", st.Dim, st.Text, l.Detail)
	case findingsPart:
		l, ok := v.findings.SelectedItem()
		if !ok {
			return "", nil
		}
		title = l.Side + " · " + l.Of.Policy.Label() + " · " + l.Code
		sign := page.SeveritySign(l.Severity)
		say(1, sign.Text, st.StyleOf(sign.Role), st.Text, l.Message)
		if !l.Of.Witness.IsZero() {
			say(3, "", st.Dim, st.Text, "shown by "+l.Of.Witness.String())
		}
		if l.Of.Remedy != "" && !l.IsGone() {
			say(1, words.Remedy, st.Dim, st.Text, l.Of.Remedy)
		}
	case guardsPart:
		g, ok := v.guards.SelectedItem()
		if !ok {
			return "", nil
		}
		title = g.Code + " · " + g.Key.Label()
		say(1, words.Warned, st.Warn, st.Text, g.Message)
	default:
		return "", nil
	}
	for _, l := range s.Lines {
		lines = append(lines, l.Text.Render(w))
	}
	return title, lines
}

// Copies offers the selected line in words, and equivalent commands.
func (v *diffPage) Copies(*view.Env) (out []view.CopyItem) {
	if v.res == nil {
		return nil
	}
	switch v.part {
	case connectionsPart:
		if c, ok := v.connections.SelectedItem(); ok {
			out = append(out, view.CopyItem{What: "connection", Text: c.Sentence() + "\nnow " + c.NowText() + "\nbefore " + c.BeforeText()},
				view.CopyItem{What: "rung trace command", Text: c.Example.Command()})
		}
	case policiesPart:
		if l, ok := v.policies.SelectedItem(); ok {
			out = append(out, view.CopyItem{What: "change", Text: l.Of.Key.Label() + " " + l.Of.Change + ": " + l.Detail},
				view.CopyItem{What: "name", Text: l.Of.Key.Name})
		}
	case findingsPart:
		if l, ok := v.findings.SelectedItem(); ok {
			out = append(out, view.CopyItem{What: "finding", Text: l.Side + " " + l.Code + ": " + l.Message})
		}
	case guardsPart:
		if g, ok := v.guards.SelectedItem(); ok {
			out = append(out, view.CopyItem{What: "guard rail", Text: g.Code + ": " + g.Key.Label() + ": " + g.Message})
		}
	case omissionsPart:
		if l, ok := v.omissions.SelectedItem(); ok {
			out = append(out, view.CopyItem{What: "what is not counted", Text: l.Text.String()})
		}
	}
	if v.after != "" {
		out = append(out, view.CopyItem{What: "rung diff command", Text: words.ShellJoin("rung", "diff", v.before, v.after)})
	}
	return out
}
