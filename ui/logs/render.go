package logs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rung/engine/logs"
	"rung/model"
	"rung/model/logline"
	"rung/model/words"
	"rung/revision"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// Render draws the header about logging, the lines, and the counts per rule.
func (v *logPage) Render(env *view.Env, w, h int) string {
	var above, below []string
	v.headed = 0
	if h >= 6 {
		above = v.headerLines(env, w)
		below = v.footerLines(env, w, h)
	}
	lines := v.drawList(env, w, max(1, h-len(above)-len(below)))
	return widget.PadBlock(slices.Concat(above, lines, below), h)
}

// headerLines describes the logging policies, the sources, and losses.
func (v *logPage) headerLines(env *view.Env, w int) []string {
	st := env.Styles
	l := widget.Line{{Text: " "}}
	k := v.page.Key
	switch {
	case env.Rev.Mode.Name == revision.LogsMode:
		l = l.Add("no cluster loaded: addresses and ACL names only; -f PATH adds pods, policies", st.Text)
	case k.Kind.IsPolicy():
		l = append(l, levelsLine(env, k)...)
	case k.Name != "":
		l = l.Add("connections with "+k.Label()+" at one end", st.Text)
	default:
		names, all := revision.LoggingPolicies(env.Rev)
		switch len(names) {
		case 0:
			l = l.Add(words.Warned+" "+env.Rev.EmptyText("no policy logs"), st.Warn)
		default:
			l = l.Add(fmt.Sprintf("%s of %s log: ", words.Thousands(len(names)), words.Count(all, "policy")), st.Text).Add(words.ListFew(names, 3),
				st.Accent)
		}
	}
	lines := []string{l.Render(w)}
	for _, s := range []widget.Line{v.streamLine(env), v.fileLine(env), v.unfilteredLine(env)} {
		if s != nil {
			lines = append(lines, s.Render(w))
		}
	}
	if v.filterError != nil && !v.filterError.Open {
		lines = append(lines, widget.StyledLine(" "+words.Warned+" not applied: "+widget.CleanText(v.filterError.Error()), st.Warn).Render(w))
	}
	for i, lost := range v.lostLines(env, v.page) {
		if i < 2 || env.H >= 20 {
			lines = append(lines, widget.StyledLine(" "+words.Warned+" "+lost, st.Warn).Render(w))
		}
	}
	v.headed = len(lines)
	return lines
}

// levelsLine returns the log levels of the page's policy.
func levelsLine(env *view.Env, k model.PolicyKey) widget.Line {
	st := env.Styles
	p := env.Rev.Cluster.Policy(k)
	if p == nil {
		return widget.StyledLine(words.Warned+" "+k.Label()+" no longer exists", st.Warn)
	}
	key := env.KeyHint(action.LogsLogging)
	who, change := "it", key+" switches logging on"
	logging := revision.PolicyLogging(env.Rev, p)
	if logging.Namespace != "" {
		who, change = "namespace "+logging.Namespace, "set by its annotation, "+key+" explains how"
	}
	now := logging.Levels
	switch {
	case len(logging.Problems) > 0 && logging.Namespace == "":
		return widget.StyledLine(words.Warned+" invalid logging annotation: the policy is not applied; "+key+" sets another", st.Warn)
	case !now.IsOn() && len(logging.Problems) > 0:
		return widget.StyledLine(words.Warned+" invalid logging annotation of "+who+": nothing is logged", st.Warn)
	case !now.IsOn():
		return widget.StyledLine(words.Warned+" "+who+" logs nothing; "+change, st.Warn)
	}
	var l widget.Line
	var off []string
	for _, a := range []model.Action{model.Deny, model.Allow, model.Pass} {
		switch level := now.ForAction(a); {
		case level != "" && p.Tiered != nil:
			l = l.Add(level, st.Title).Add(" for ", st.Dim).Add(string(a)+" rules", view.ActionStyle(a, st)).Add(" · ", st.Dim)
		case level != "":
			l = l.Add(level, st.Title).Add(" for ", st.Dim).Add(string(a), view.ActionStyle(a, st)).Add(" · ", st.Dim)
		case a != model.Pass || p.Kind.CanMove():
			off = append(off, string(a))
		}
	}
	l = l.AddIf(len(off) > 0, "off for "+strings.Join(off, ", ")+" · ", st.Dim)
	if logging.Namespace != "" {
		return l.Add("set by namespace "+logging.Namespace, st.Dim)
	}
	return l.Add(key, st.Key).Add(" changes it", st.Dim)
}

// lostLines counts lost lines: over a meter's rate, too fast for Rung, unreadable.
func (v *sourceStates) lostLines(env *view.Env, page nav.Page) (out []string) {
	out = v.overLimit(env, page)
	var counts []string
	if n := v.stats.Dropped; n > 0 {
		counts = append(counts, fmt.Sprintf("%s lost: too fast for Rung", words.Count(n, "line")))
	}
	if n := v.stats.Unparsed; n > 0 {
		counts = append(counts, fmt.Sprintf("%s not parsed", words.Count(n, "line")))
	}
	gaps, long, unseen := v.countMissing()
	if gaps > 0 {
		counts = append(counts, words.Count(gaps, "gap")+" in the logs")
	}
	if long > 0 {
		counts = append(counts, words.Count(long, "line")+" too long to read")
	}
	if unseen > 0 {
		counts = append(counts, words.Count(unseen, "number")+" missing in ovn-controller's lines")
	}
	if len(counts) > 0 {
		out = append(out, strings.Join(counts, " · "))
	}
	return out
}

// ruleStat is a rule with the number of its lines shown, its recent lines per second, and the counts of all
// its lines.
type ruleStat struct {
	ref    logline.RuleRef
	shown  uint64
	recent logs.RecentSeconds
	stat   logs.RuleStat
	// ruleName is " of N" with the number of all lines, empty if equal or on the page of a pod.
	ruleName string
}

// perRule returns the counts of the page's rules, most lines first. On a page with a filter or a pod, rules
// without shown lines are left out.
func (v *logPage) perRule(env *view.Env) []ruleStat {
	var out []ruleStat
	k := v.page.Key
	narrowed := k.Kind == model.KindPod || !v.feed.query.ShowsAll()
	for ref, s := range v.stats.PerRule {
		if k.Kind.IsPolicy() && ref.Policy != k && !isDefaultDeny(env, k, ref) || v.page.Dir != "" &&
			(ref.Direction != v.page.Dir || ref.Rule != v.page.Rule) {
			continue
		}
		if n, recent := v.feed.tally.countOfRule(ref, v.pacedAt); n > 0 || !narrowed {
			r := ruleStat{ref: ref, shown: n, recent: recent, stat: s}
			if n < s.Count && k.Kind != model.KindPod {
				r.ruleName = " of " + words.Thousands(s.Count)
			}
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b ruleStat) int {
		return cmp.Or(cmp.Compare(b.shown, a.shown), cmp.Compare(b.stat.Count, a.stat.Count), a.ref.Policy.Compare(b.ref.Policy),
			cmp.Compare(a.ref.Direction, b.ref.Direction), cmp.Compare(a.ref.Rule, b.ref.Rule))
	})
	return out
}

// isDefaultDeny reports whether ref is a default deny that isolates the pods of the page's NetworkPolicy.
func isDefaultDeny(env *view.Env, k model.PolicyKey, ref logline.RuleRef) bool {
	p := env.Rev.Cluster.Policy(k)
	return p != nil && IsDeny(ref) && k.Kind == model.KindNP && ref.Policy.Namespace == k.Namespace && !revision.OutsideTypes(p, ref.Direction)
}

// ruleName names a rule beside its counts; short leaves out the rule's own name.
func ruleName(r *revision.Revision, ref logline.RuleRef, page model.Key, short bool) string {
	if IsDeny(ref) {
		return revision.DefaultDeny(ref.Policy.Namespace, ref.Direction).Label()
	}
	name := ""
	if p := r.Cluster.Policy(ref.Policy); p != nil && !short {
		if rule := p.Rule(ref.Direction, ref.Rule); rule != nil {
			name = rule.Name
		}
	}
	label := revision.RuleLabel(ref.Direction, ref.Rule, name)
	if page.Kind.IsPolicy() {
		return label
	}
	return ref.Policy.ShortLabel() + " " + label
}

// footerLines returns the selected line in full, and the counts per rule.
func (v *logPage) footerLines(env *view.Env, w, h int) []string {
	lines := entryLines(v.selectedEntry(), env.Styles, w, h)
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
	if slices.ContainsFunc(rules, func(r ruleStat) bool { return r.ruleName != "" }) {
		title += ", lines shown of all received"
	}
	if text, _ := env.Rev.Mode.TrafficTexts(); text != "" {
		title += ", " + text
	}
	lines = append(lines, widget.HeadingLine(title, w, env.Styles).Render(w))
	return append(lines, ruleCountLines(env, rules, v.page.Key, w, room)...)
}

// entryLines returns the selected line in full.
func entryLines(e *logs.Entry, st *themes.StyleSet, w, h int) []string {
	if e == nil || e.Gap != nil || h < 18 {
		return nil
	}
	lines := []string{widget.HeadingLine("line", w, st).Render(w)}
	// Break between connection and verdict, which splits no name.
	sentence, rest := e.Sentence(), ""
	if i := strings.Index(sentence, " "+e.Action+" by "); w < 120 && i >= 0 && widget.TextWidth(sentence) > w-2 {
		sentence, rest = sentence[:i], sentence[i+1:]
	}
	lines = append(lines, widget.PlainLine(" "+shortenNames(sentence, w-2)).Render(w))
	if w < 120 { // always, so that the list keeps its height
		lines = append(lines, widget.PlainLine(" "+widget.TruncateText(rest, w-2)).Render(w))
	}
	if h < 28 {
		return lines
	}
	return append(lines, atMost(widget.CleanText(e.Line.Raw), w, 2, st.Dim)...)
}

// shortenNames cuts the longest words of a sentence, its names, in their middle until it fits into w cells:
// the end of the sentence stays.
func shortenNames(sentence string, w int) string {
	const least = 8
	names := strings.Split(sentence, " ")
	widths := make([]int, len(names))
	for i, n := range names {
		widths[i] = widget.TextWidth(n)
	}
	for over := widget.TextWidth(sentence) - w; over > 0; over-- {
		long := slices.Index(widths, slices.Max(widths))
		if widths[long] <= least {
			return widget.TruncateText(sentence, w)
		}
		widths[long]--
	}
	for i, n := range names {
		names[i] = widget.CutName(n, widths[i])
	}
	return strings.Join(names, " ")
}

// atMost breaks a text into exactly n lines; the last is cut if the text is longer.
func atMost(text string, w, n int, style themes.Style) []string {
	parts := widget.FlowText(text, max(1, w-2))
	if len(parts) > n {
		parts[n-1] = widget.TruncateText(strings.Join(parts[n-1:], " "), w-2)
	}
	lines := make([]string, n)
	for i := range lines {
		if i < len(parts) {
			lines[i] = widget.StyledLine(" "+parts[i], style).Render(w)
		}
	}
	return lines
}

// ruleCountLines puts the counts of rules side by side, in at most room lines.
func ruleCountLines(env *view.Env, rules []ruleStat, page model.Key, w, room int) []string {
	st := env.Styles
	var lines []string
	var line widget.Line
	for i, r := range rules {
		l := widget.Line{{Text: " " + ruleName(env.Rev, r.ref, page, w < 100), Style: st.Accent},
			{Text: ": " + words.Thousands(r.shown) + r.ruleName + " "},
			{Text: widget.Sparkline(r.recent[:]), Style: st.Info}, {Text: fmt.Sprintf(" %s/s", words.Thousands(r.recent.Rate())), Style: st.Dim}}
		l = l.AddIf(r.stat.AtCap, " meter full", st.Warn)
		if len(line) > 0 && line.LineWidth()+l.LineWidth()+2 > w {
			lines = append(lines, line.Render(w))
			line = nil
			if len(lines) == room {
				last := widget.StyledLine("  and "+words.Thousands(len(rules)-i)+" more", st.Dim)
				end := strings.TrimRight(lines[room-1], " ")
				if n := widget.TextWidth(end); n+last.LineWidth() <= w {
					end += last.Render(w - n)
				}
				return append(lines[:room-1], end)
			}
		}
		line = line.AddIf(len(line) > 0, "  ", themes.Style{})
		line = append(line, l...)
	}
	return append(lines, line.Render(w))
}
