package convert

import (
	"fmt"
	"strings"
	"time"

	"rung/engine/convert"
	labels "rung/model/convert"
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
func (v *page) Scopes() []action.Scope {
	s := []action.Scope{action.Of(nav.Convert)}
	if v.onText {
		s = append(s, action.Text)
	}
	return append(s, action.List, action.Global)
}

// Selected is the rule under the cursor.
func (v *page) Selected() nav.Page {
	if r, ok := v.table.Selected(); ok {
		return nav.ToRule(r.Policy, r.Direction, r.Index)
	}
	return nav.Page{}
}

// Crumb names the page.
func (v *page) Crumb() string { return strings.TrimRight("convert "+string(v.to), " ") }

// Tell says what is being worked out.
func (v *page) Tell(env *view.Env) widget.Line {
	if v.Working().IsZero() {
		if v.res != nil && v.rev.Cluster != env.Rev.Cluster {
			return widget.Styled("as of "+v.at.Format("15:04:05"), env.Styles.Dim)
		}
		return nil
	}
	return env.Busy(v.Working(), v.work())
}

// work names the work under way.
func (v *page) work() string {
	if v.makes.Under() {
		return "converting"
	}
	if doing := v.doing.Load(); doing != nil {
		return *doing
	}
	return "proving"
}

// Working is since when something is worked out.
func (v *page) Working() time.Time {
	if v.makes.Under() {
		return v.makes.Since()
	}
	return v.proves.Since()
}

// SaveText returns all converted policies, as manifests.
func (v *page) SaveText(*view.Env) string {
	if v.res == nil {
		return ""
	}
	return v.res.Text()
}

// Copies are the text of what the rule became, of all, and what is known of the rule.
func (v *page) Copies(*view.Env) (out []view.Copy) {
	if v.res == nil {
		return nil
	}
	r, ok := v.table.Selected()
	if ok {
		if made := v.res.PolicyOfRule(r); made != nil {
			out = append(out, view.Copy{What: "YAML of " + made.Key.Label(), Text: made.YAML})
		}
	}
	if n := len(v.res.Policies); n > 0 {
		out = append(out, view.Copy{What: "YAML of all " + words.Count(n, "policy"), Text: v.res.Text()})
	}
	if ok {
		out = append(out, view.Copy{What: "rule and reason", Text: r.Text()})
	}
	return append(out, view.Copy{What: "proof", Text: v.proof()})
}

// proof is the proof in full, or that there is none yet.
func (v *page) proof() string {
	if !v.proved {
		return "not proved yet"
	}
	lines := []string{v.res.ProofText()}
	for i := range v.res.Proof.Differs {
		lines = append(lines, "differs: "+v.res.Proof.Differs[i].String())
	}
	for i := range v.res.Proof.Later {
		lines = append(lines, "differs for labels that nobody has yet: "+v.res.Proof.Later[i].String())
	}
	return strings.Join(lines, "\n")
}

// Click puts the cursor on a line of the table.
func (v *page) Click(env *view.Env, x, y int) bool {
	y -= len(v.head(env, max(1, env.W)))
	if v.res == nil || y < 0 || v.onText {
		return false
	}
	did := v.List.Click(env, x, y)
	v.text(env)
	return did
}

// Wheel scrolls what has the keys.
func (v *page) Wheel(env *view.Env, lines int) {
	if v.onText {
		v.yaml.Wheel(lines)
		return
	}
	v.List.Wheel(env, lines)
	if v.res != nil {
		v.text(env)
	}
}

// Render draws the proof, the rules, the one under the cursor, and the text of what it became:
// beside them, or in their place.
func (v *page) Render(env *view.Env, w, h int) string {
	head := v.head(env, w)
	if v.res == nil || h <= len(head)+1 {
		return widget.Pad(head, h)
	}
	h -= len(head)
	var body string
	switch {
	case w >= beside:
		left := w * 3 / 5
		body = widget.Beside(env.Styles, v.rules(env, left, h), v.texts(env, w-left-1, h), h)
	case v.onText:
		body = v.texts(env, w, h)
	default:
		body = v.rules(env, w, h)
	}
	return strings.Join(head, "\n") + "\n" + body
}

// head is the proof, and how many rules there are of each label.
func (v *page) head(env *view.Env, w int) (lines []string) {
	st := env.Styles
	say := func(mark string, look themes.Style, text string) {
		parts := widget.Flow(widget.Clean(text), max(1, w-4))
		for i, l := range parts {
			if i == headMost {
				break
			}
			if i == headMost-1 && len(parts) > headMost {
				l = widget.Truncate(l, max(1, w-6)) + widget.Ellipsis
			}
			lines = append(lines, widget.Line{{Text: " " + mark + " ", Style: look}, {Text: l}}.Render(w))
			mark = " "
		}
	}
	switch {
	case v.wrong != "":
		say("✗", st.Error, v.wrong)
	case v.res == nil:
		if l := env.Busy(v.Working(), v.work()); l != nil {
			lines = append(lines, widget.Join(widget.Plain(" "), l).Render(w))
		}
		return lines
	case !v.proved:
		say("…", st.Info, "proof: "+v.work())
	case len(v.res.Policies)+len(v.res.Rules) == 0:
		return nil
	case v.res.Proof.Equal:
		say("✓", st.OK, "proof: "+v.res.ProofText())
	case len(v.res.Proof.Differs) == 0:
		say("≈", st.Warn, "proof: "+v.res.ProofText())
	default:
		say("✗", st.Error, "proof: "+v.res.ProofText())
	}
	if v.res == nil {
		return lines
	}
	return append(lines, v.counts(st).Render(w))
}

func (v *page) counts(st *themes.Styles) widget.Line {
	n := map[labels.FidelityLabel]int{}
	for i := range v.res.Rules {
		n[v.res.Rules[i].Label]++
	}
	l := widget.Plain(fmt.Sprintf("   %s: ", words.Count(len(v.res.Rules), "rule")))
	for i, is := range []labels.FidelityLabel{labels.Exact, labels.Approximate, labels.Inexpressible} {
		if i > 0 {
			l = l.Add(" · ", st.Dim)
		}
		s, look := sign(is, st)
		l = l.Add(s, look).Add(fmt.Sprintf(" %d %s", n[is], is), st.Text)
	}
	return l.Add(fmt.Sprintf(" → %s", words.Count(len(v.res.Policies), "policy")), st.Dim)
}

// rules are the table, and below it the rule under the cursor.
func (v *page) rules(env *view.Env, w, h int) string {
	r, ok := v.table.Selected()
	if !ok || h < tableLeast+4 {
		return v.table.Render(env.Styles, w, h)
	}
	lines := v.about(env, r, w)
	low := min(max(1+len(lines), min(lowLeast, h/3)), h/2, h-tableLeast)
	if room := low - 1; len(lines) > room {
		left := len(lines) - room + 1
		lines = append(lines[:room-1], widget.Styled(fmt.Sprintf("   … %d more lines; y copies it all", left), env.Styles.Dim).Render(w))
	}
	head := widget.Heading(r.Title(), w, env.Styles).Render(w)
	return v.table.Render(env.Styles, w, h-low) + "\n" + head + "\n" + widget.Pad(lines, low-1)
}

// about returns the lines about a rule: how exactly it was converted, why, a connection that
// shows it, and what the rule becomes.
func (v *page) about(env *view.Env, r *convert.Rule, w int) []string {
	st := env.Styles
	s := &detail.Sheet{St: st, W: w}
	mark, look := sign(r.Label, st)
	text := string(r.Label)
	if r.Why != "" {
		text += ": " + r.Why
	}
	s.Say("", 1, mark, look, st.Text, text, nav.Page{})
	switch {
	case r.Label == labels.Exact:
	case r.Witness != nil:
		s.Say("", 3, "", st.Dim, st.Text, "shown by "+r.Witness.String(), nav.Page{})
	case v.proved:
		s.Say("", 3, "", st.Dim, st.Dim, "no connection that it matches is decided otherwise, of those that were compared", nav.Page{})
	}
	if to := r.NewPlace(); to != "" {
		s.Say("", 1, "→", st.Dim, st.Text, to, nav.Page{})
	}
	for _, n := range v.res.Notes {
		if n.About == r.Policy {
			s.Say("", 1, "·", st.Dim, st.Dim, n.Text, nav.Page{})
		}
	}
	lines := make([]string, 0, len(s.Lines))
	for _, l := range s.Lines {
		lines = append(lines, l.Text.Render(w))
	}
	return lines
}

// texts are the text of what the rule under the cursor became, under its name.
func (v *page) texts(env *view.Env, w, h int) string {
	name := "no policy"
	if v.shown.Name != "" {
		name = v.shown.Label()
	}
	if v.onText {
		name = env.Keys.Action(action.ConvertText).Shown() + " back · " + name
	}
	return widget.Heading(name, w, env.Styles).Render(w) + "\n" + v.yaml.Render(env.Styles, w, h-1)
}
