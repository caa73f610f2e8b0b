package convert

import (
	"fmt"
	"strings"
	"time"

	"rung/engine/convert"
	labels "rung/model/convert"
	"rung/model/signs"
	"rung/model/words"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// Where there is room for the text beside the rules, how many lines the table and what is
// below it keep, and how many the proof may take.
const (
	beside     = 120
	tableLeast = 5
	lowLeast   = 8
	headMost   = 3
)

// Scopes are the keys: those of text while it has them.
func (v *convertPage) Scopes() []action.Scope {
	s := []action.Scope{action.ScopeOf(nav.Convert)}
	if v.onText {
		s = append(s, action.Text)
	}
	return append(s, action.List, action.Global)
}

// SelectedPage is the rule under the cursor.
func (v *convertPage) SelectedPage() nav.Page {
	if r, ok := v.table.SelectedItem(); ok {
		return nav.ToRule(r.Policy, r.Direction, r.Index)
	}
	return nav.Page{}
}

// Crumb names the page.
func (v *convertPage) Crumb() string { return strings.TrimRight("convert "+string(v.targetKind), " ") }

// TellState says what is being worked out.
func (v *convertPage) TellState(env *view.Env) widget.Line {
	if v.WorkingSince().IsZero() {
		if v.res != nil && v.rev.Cluster != env.Rev.Cluster {
			return widget.StyledLine("as of "+v.workedOutAt.Format("15:04:05"), env.Styles.Dim)
		}
		return nil
	}
	return env.BusyLine(v.WorkingSince(), v.workName())
}

// workName names the work under way.
func (v *convertPage) workName() string {
	if v.makes.IsUnderWay() {
		return "converting"
	}
	if doing := v.doing.Load(); doing != nil {
		return *doing
	}
	return "proving"
}

// WorkingSince is since when something is worked out.
func (v *convertPage) WorkingSince() time.Time {
	if v.makes.IsUnderWay() {
		return v.makes.BeganAt()
	}
	return v.proves.BeganAt()
}

// SaveText returns all converted policies, as manifests.
func (v *convertPage) SaveText(*view.Env) string {
	if v.res == nil {
		return ""
	}
	return v.res.Text()
}

// Copies are the text of what the rule became, of all, and what is known of the rule.
func (v *convertPage) Copies(*view.Env) (out []view.CopyItem) {
	if v.res == nil {
		return nil
	}
	r, ok := v.table.SelectedItem()
	if ok {
		if made := v.res.PolicyOfRule(r); made != nil {
			out = append(out, view.CopyItem{What: "YAML of " + made.Key.Label(), Text: made.YAML})
		}
	}
	if n := len(v.res.Policies); n > 0 {
		out = append(out, view.CopyItem{What: "YAML of all " + words.Count(n, "policy"), Text: v.res.Text()})
	}
	if ok {
		out = append(out, view.CopyItem{What: "rule and reason", Text: r.Text()})
	}
	text := "not proved yet"
	if v.proved {
		text = strings.Join(v.res.Remarks(), "\n")
	}
	return append(out, view.CopyItem{What: "notes and proof", Text: text})
}

// Click puts the cursor on a line of the table.
func (v *convertPage) Click(env *view.Env, x, y int) bool {
	y -= len(v.headLines(env, max(1, env.W)))
	if v.res == nil || y < 0 || v.onText {
		return false
	}
	did := v.List.Click(env, x, y)
	v.showPolicyText(env)
	return did
}

// Wheel scrolls what has the keys.
func (v *convertPage) Wheel(env *view.Env, lines int) {
	if v.onText {
		v.yaml.Wheel(lines)
		return
	}
	v.List.Wheel(env, lines)
	if v.res != nil {
		v.showPolicyText(env)
	}
}

// Render draws the proof, the rules, the one under the cursor, and the text of what it became:
// beside them, or in their place.
func (v *convertPage) Render(env *view.Env, w, h int) string {
	head := v.headLines(env, w)
	if v.res == nil || h <= len(head)+1 {
		return widget.PadBlock(head, h)
	}
	h -= len(head)
	var body string
	switch {
	case w >= beside:
		left := w * 3 / 5
		body = widget.BesideBlocks(env.Styles, v.drawRules(env, left, h), v.drawTexts(env, w-left-1, h), h)
	case v.onText:
		body = v.drawTexts(env, w, h)
	default:
		body = v.drawRules(env, w, h)
	}
	return strings.Join(head, "\n") + "\n" + body
}

// headLines is the proof, and how many rules there are of each label.
func (v *convertPage) headLines(env *view.Env, w int) (lines []string) {
	st := env.Styles
	say := func(mark string, look themes.Style, text string) {
		parts := widget.FlowText(widget.CleanText(text), max(1, w-4))
		for i, l := range parts {
			if i == headMost {
				break
			}
			if i == headMost-1 && len(parts) > headMost {
				l = widget.TruncateText(l, max(1, w-6)) + widget.Ellipsis
			}
			lines = append(lines, widget.Line{{Text: " " + mark + " ", Style: look}, {Text: l}}.Render(w))
			mark = " "
		}
	}
	switch {
	case v.problem != "":
		say(signs.No, st.Error, v.problem)
	case v.res == nil:
		if l := env.BusyLine(v.WorkingSince(), v.workName()); l != nil {
			lines = append(lines, widget.JoinLines(widget.PlainLine(" "), l).Render(w))
		}
		return lines
	case !v.proved:
		say(signs.Working, st.Info, "proof: "+v.workName())
	case len(v.res.Policies)+len(v.res.Rules) == 0:
		return nil
	case v.res.Proof.Equal:
		say(signs.Yes, st.OK, "proof: "+v.res.ProofText())
	case len(v.res.Proof.Differs) == 0:
		say(signs.Near, st.Warn, "proof: "+v.res.ProofText())
	default:
		say(signs.No, st.Error, "proof: "+v.res.ProofText())
	}
	if v.res == nil {
		return lines
	}
	lines = append(lines, v.countsLine(st).Render(w))
	if notes := v.res.NotesBesideRules(); len(notes) == 1 {
		say(signs.Noted, st.Dim, notes[0].String())
	} else if len(notes) > 1 {
		say(signs.Noted, st.Dim, fmt.Sprintf("%s (%s; y copies all)", notes[0], words.Count(len(notes)-1, "more note")))
	}
	return lines
}

func (v *convertPage) countsLine(st *themes.StyleSet) widget.Line {
	n := map[labels.FidelityLabel]int{}
	for i := range v.res.Rules {
		n[v.res.Rules[i].Label]++
	}
	l := widget.PlainLine(fmt.Sprintf("   %s: ", words.Count(len(v.res.Rules), "rule")))
	for i, is := range []labels.FidelityLabel{labels.Exact, labels.Approximate, labels.Inexpressible} {
		if i > 0 {
			l = l.Add(" · ", st.Dim)
		}
		s, look := labelSign(is, st)
		l = l.Add(s, look).Add(fmt.Sprintf(" %s %s", words.Thousands(n[is]), is), st.Text)
	}
	return l.Add(fmt.Sprintf(" → %s", words.Count(len(v.res.Policies), "policy")), st.Dim)
}

// drawRules are the table, and below it the rule under the cursor.
func (v *convertPage) drawRules(env *view.Env, w, h int) string {
	r, ok := v.table.SelectedItem()
	if !ok || h < tableLeast+4 {
		return v.table.Render(env.Styles, w, h)
	}
	lines := v.ruleLines(env, r, w)
	var heads []string // the title, on as many lines as it needs
	for i, part := range widget.FlowText(r.Title(), max(8, w-len("──   "))) {
		head := widget.HeadingLine(part, w, env.Styles)
		if i > 0 {
			head = widget.StyledLine("   "+part, env.Styles.Title)
		}
		heads = append(heads, head.Render(w))
	}
	low := min(max(len(heads)+len(lines), min(lowLeast, h/3)), h/2, h-tableLeast)
	heads = heads[:min(len(heads), max(1, low-2))]
	if room := low - len(heads); len(lines) > room {
		left := len(lines) - room + 1
		lines = append(lines[:room-1], widget.StyledLine(fmt.Sprintf("   … %s more lines; y copies it all", words.Thousands(left)), env.Styles.Dim).Render(w))
	}
	return v.table.Render(env.Styles, w, h-low) + "\n" + strings.Join(heads, "\n") + "\n" + widget.PadBlock(lines, low-len(heads))
}

// ruleLines returns the lines about a rule: how exactly it was converted, why, a connection that
// shows it, and what the rule becomes.
func (v *convertPage) ruleLines(env *view.Env, r *convert.Rule, w int) []string {
	st := env.Styles
	s := &detail.Sheet{St: st, W: w}
	mark, look := labelSign(r.Label, st)
	text := string(r.Label)
	if r.Why != "" {
		text += ": " + r.Why
	}
	s.AddParagraph("", 1, mark, look, st.Text, text, nav.Page{})
	switch {
	case r.Label == labels.Exact:
	case r.Witness != nil:
		s.AddParagraph("", 3, "", st.Dim, st.Text, "shown by "+r.Witness.String(), nav.Page{})
	case v.proved:
		s.AddParagraph("", 3, "", st.Dim, st.Dim, "no connection that it matches is decided otherwise, of those that were compared", nav.Page{})
	}
	if to := r.NewPlace(); to != "" {
		s.AddParagraph("", 1, "→", st.Dim, st.Text, to, nav.Page{})
	}
	for _, n := range v.res.Notes {
		if n.About == r.Policy {
			s.AddParagraph("", 1, signs.Noted, st.Dim, st.Dim, n.Text, nav.Page{})
		}
	}
	lines := make([]string, 0, len(s.Lines))
	for _, l := range s.Lines {
		lines = append(lines, l.Text.Render(w))
	}
	return lines
}

// drawTexts are the text of what the rule under the cursor became, under its name.
func (v *convertPage) drawTexts(env *view.Env, w, h int) string {
	name := "no policy"
	if v.shownPolicy.Name != "" {
		name = v.shownPolicy.Label()
	}
	if v.onText {
		name = env.Keys.ActionByID(action.ConvertText).HintKey() + " back · " + name
	}
	return widget.HeadingLine(name, w, env.Styles).Render(w) + "\n" + v.yaml.Render(env.Styles, w, h-1)
}
