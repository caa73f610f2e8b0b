package logs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rung/engine/logs"
	"rung/engine/revision"
	"rung/model"
	"rung/model/words"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/view"
	"rung/ui/widget"
)

// Render draws what logs at all, the lines, and the counts per rule.
func (v *logPage) Render(env *view.Env, w, h int) string {
	var above, below []string
	v.headed = 0
	if h >= 6 {
		above = v.header(env, w)
		below = v.footer(env, w, h)
	}
	lines := v.text(env, w, max(1, h-len(above)-len(below)))
	return widget.Pad(slices.Concat(above, lines, below), h)
}

// above is how many lines stand over the list, for the mouse.
func (v *logPage) above() int { return v.headed }

// header says what logs, and what is lost.
func (v *logPage) header(env *view.Env, w int) []string {
	st := env.Styles
	l := widget.Line{{Text: " "}}
	k := v.page.Key
	switch {
	case k.Kind.IsPolicy():
		l = append(l, v.levels(env)...)
	case k.Name != "":
		l = l.Add("connections with "+k.Label()+" at one end", st.Text)
	default:
		names, all := env.Rev.Loggers()
		switch len(names) {
		case 0:
			l = l.Add("▲ no policy logs", st.Warn)
		default:
			l = l.Add(fmt.Sprintf("%d of %d policies log: ", len(names), all), st.Text).Add(words.Few(names, 3), st.Accent)
		}
	}
	lines := []string{l.Render(w)}
	if s := v.streamLine(env); s != nil {
		lines = append(lines, s.Render(w))
	}
	for i, lost := range v.lost(env) {
		if i < 2 || env.H >= 20 {
			lines = append(lines, widget.Styled(" ▲ "+lost, st.Warn).Render(w))
		}
	}
	v.headed = len(lines)
	return lines
}

// levels say what the policy of the page logs.
func (v *logPage) levels(env *view.Env) widget.Line {
	st := env.Styles
	p := env.Rev.Cluster.Policy(v.page.Key)
	if p == nil {
		return widget.Styled("▲ "+v.page.Key.Label()+" is gone", st.Warn)
	}
	key := env.Keys.Action(action.LogsLogging).Shown()
	who, change := "it", key+" switches logging on"
	logging := env.Rev.Logging(p)
	if logging.Namespace != "" {
		who, change = "namespace "+logging.Namespace, "its annotation decides, "+key+" says how"
	}
	now := logging.Levels
	switch {
	case len(logging.Problems) > 0 && logging.Namespace == "":
		return widget.Styled("▲ its logging annotation is not valid: nothing of it is programmed; "+key+" sets another", st.Warn)
	case !now.Any() && len(logging.Problems) > 0:
		return widget.Styled("▲ the logging annotation of "+who+" is not valid: nothing is logged", st.Warn)
	case !now.Any():
		return widget.Styled("▲ "+who+" logs nothing; "+change, st.Warn)
	}
	var l widget.Line
	var off []string
	for _, a := range []model.Action{model.Deny, model.Allow, model.Pass} {
		switch level := now.For(a); {
		case level != "":
			l = l.Add(level, st.Title).Add(" for ", st.Dim).Add(string(a), view.ActionStyle(a, st)).Add(" · ", st.Dim)
		case a != model.Pass || p.Kind == model.KindANP:
			off = append(off, string(a))
		}
	}
	if len(off) > 0 {
		l = l.Add("off for "+strings.Join(off, ", ")+" · ", st.Dim)
	}
	if logging.Namespace != "" {
		return l.Add("as namespace "+logging.Namespace+" says", st.Dim)
	}
	return l.Add(key, st.Key).Add(" changes it", st.Dim)
}

// lost says which lines never come: those over a meter's rate, those that came
// too fast, those that could not be read.
func (v *logPage) lost(env *view.Env) (out []string) {
	for _, r := range v.perRule(env) {
		if r.stat.AtCap {
			out = append(out, fmt.Sprintf("%s: %d/s in %s, at the cap, lines are lost", v.ruleName(env, r.ref), r.stat.CapRate, r.stat.CapZone))
		}
		if len(out) == 2 {
			break
		}
	}
	var counts []string
	if n := v.stats.Dropped; n > 0 {
		counts = append(counts, fmt.Sprintf("%s lost: they came too fast", words.Total(n, "line")))
	}
	if n := v.stats.Unparsed; n > 0 {
		counts = append(counts, fmt.Sprintf("%s could not be read", words.Total(n, "line")))
	}
	gaps, long := v.missing()
	if gaps > 0 {
		counts = append(counts, words.Total(gaps, "gap")+" in what was followed")
	}
	if long > 0 {
		counts = append(counts, words.Total(long, "line")+" too long to read")
	}
	if len(counts) > 0 {
		out = append(out, strings.Join(counts, " · "))
	}
	return out
}

type ruleStat struct {
	ref  model.RuleRef
	stat logs.RuleStat
}

// perRule are the counts of the rules the page is about, the most lines first.
func (v *logPage) perRule(env *view.Env) []ruleStat {
	var out []ruleStat
	for ref, s := range v.stats.PerRule {
		k := v.page.Key
		if k.Kind.IsPolicy() && ref.Policy != k && !denies(env, k, ref) || v.page.Dir != "" && (ref.Direction != v.page.Dir || ref.Rule != v.page.Rule) {
			continue
		}
		out = append(out, ruleStat{ref, s})
	}
	slices.SortFunc(out, func(a, b ruleStat) int {
		return cmp.Or(cmp.Compare(b.stat.Count, a.stat.Count), a.ref.Policy.Compare(b.ref.Policy),
			cmp.Compare(a.ref.Direction, b.ref.Direction), cmp.Compare(a.ref.Rule, b.ref.Rule))
	})
	return out
}

// denies says whether a name is that of a default deny which isolates the pods of
// the page's NetworkPolicy.
func denies(env *view.Env, k model.PolicyKey, ref model.RuleRef) bool {
	p := env.Rev.Cluster.Policy(k)
	return p != nil && isDeny(ref) && k.Kind == model.KindNP && ref.Policy.Namespace == k.Namespace && !revision.OutsideTypes(p, ref.Direction)
}

// isDeny says whether a name is that of the default deny of a namespace.
func isDeny(ref model.RuleRef) bool { return ref.Policy.Kind == model.KindNP && ref.Policy.Name == "" }

func (v *logPage) ruleName(env *view.Env, ref model.RuleRef) string {
	if isDeny(ref) {
		return revision.DefaultDeny(ref.Policy.Namespace, ref.Direction).Label()
	}
	name := ""
	if p := env.Rev.Cluster.Policy(ref.Policy); p != nil {
		if r := p.Rule(ref.Direction, ref.Rule); r != nil {
			name = r.Name
		}
	}
	label := revision.RuleLabel(ref.Direction, ref.Rule, name)
	if v.page.Key.Kind.IsPolicy() {
		return label
	}
	if k := ref.Policy; k.Kind == model.KindNP || k.Kind == model.KindEF {
		return k.Label() + " " + label
	}
	return ref.Policy.Name + " " + label
}

// footer is the line under the cursor in full, and the counts per rule.
func (v *logPage) footer(env *view.Env, w, h int) []string {
	st := env.Styles
	var lines []string
	if e := v.entry(); e != nil && e.Gap == nil && h >= 28 {
		lines = append(lines, widget.Heading("line", w, st).Render(w))
		lines = append(lines, widget.Plain(" "+e.Sentence()).Render(w))
		raw := widget.Flow(widget.Clean(e.Line.Raw), max(1, w-2))
		for i, l := range raw {
			if i == 2 {
				break
			}
			if i == 1 && len(raw) > 2 {
				l = widget.Truncate(l+" "+strings.Join(raw[2:], " "), w-2)
			}
			lines = append(lines, widget.Styled(" "+l, st.Dim).Render(w))
		}
	}
	rules := v.perRule(env)
	room := 1
	switch {
	case h >= 40:
		room = 6
	case h >= 24:
		room = 3
	}
	if len(rules) == 0 {
		return lines
	}
	title := "by rule"
	if env.Rev.Mode.Simulated {
		title = "by rule, simulated traffic"
	}
	lines = append(lines, widget.Heading(title, w, st).Render(w))
	return append(lines, v.counts(env, rules, w, room)...)
}

// counts puts the counts of rules side by side in as many lines as there is
// room.
func (v *logPage) counts(env *view.Env, rules []ruleStat, w, room int) []string {
	st := env.Styles
	var lines []string
	var line widget.Line
	for i, r := range rules {
		l := widget.Line{{Text: " " + v.ruleName(env, r.ref), Style: st.Accent}, {Text: " " + words.Thousands(r.stat.Count) + " "},
			{Text: widget.Sparkline(r.stat.Seconds[:]), Style: st.Info}, {Text: fmt.Sprintf(" %d/s", r.stat.Rate()), Style: st.Dim}}
		if r.stat.AtCap {
			l = l.Add(" at the cap", st.Warn)
		}
		if len(line) > 0 && line.Width()+l.Width()+2 > w {
			lines = append(lines, line.Render(w))
			line = nil
			if len(lines) == room {
				last := widget.Styled(fmt.Sprintf(" and %d more", len(rules)-i), st.Dim)
				lines[room-1] = strings.TrimRight(lines[room-1], " ")
				return append(lines[:room-1], v.tail(lines[room-1], last, w))
			}
		}
		if len(line) > 0 {
			line = line.Add("  ", themes.Style{})
		}
		line = append(line, l...)
	}
	return append(lines, line.Render(w))
}

// tail puts a note at the end of a line that was drawn, where it has room.
func (v *logPage) tail(drawn string, note widget.Line, w int) string {
	n := widget.Width(drawn)
	if n+note.Width() > w {
		return drawn
	}
	return drawn + note.Render(w-n)
}
