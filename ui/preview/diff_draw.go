package preview

import (
	"math"
	"strings"
	"time"

	"rung/model/words"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/view"
	"rung/ui/widget"
)

// tableLeast is the least height of the table, header included; lowLeast the least height of the details if
// there is room; headLeast the least page height for summary lines that wrap.
const (
	tableLeast = 4
	lowLeast   = 7
	headLeast  = 20
)

// partNames name the tabs.
var partNames = [parts]string{"connections", "policies", "findings", "guard rails", "not counted"}

// Render draws the summary, the tabs, the shown part, and the selected line's details below.
func (v *diffPage) Render(env *view.Env, w, h int) string {
	head := v.headLines(env, w, h)
	if v.res == nil {
		return widget.PadBlock(head, h)
	}
	h -= len(head)
	l, lines := v.selectedLine(w)
	low := v.lowerHeight(len(lines), l.title != "", h)
	body := v.lister().Render(env.Styles, w, h-low)
	if low > 0 {
		body += "\n" + widget.DetailBlock(env.Styles, l.title, lines, w, low)
	}
	return strings.Join(append(head, body), "\n")
}

// lowerHeight returns the height of the details below the table.
func (v *diffPage) lowerHeight(lines int, isThere bool, h int) int {
	if !isThere || h < tableLeast+4 {
		return 0
	}
	return min(max(1+lines, min(h/3, lowLeast)), h/2)
}

// headLines returns the summary and the tabs, or why there are none.
func (v *diffPage) headLines(env *view.Env, w, h int) []string {
	st := env.Styles
	var lines []widget.Line
	say := func(sign string, look themes.Style, text string) {
		for _, part := range widget.FlowText(text, max(1, w-4)) {
			lines = append(lines, widget.Line{{Text: " " + sign + " ", Style: look}, {Text: part, Style: st.Text}})
			sign = " "
		}
	}
	switch {
	case v.before == "":
		return v.usageLines(env, w)
	case v.problem != "":
		say(words.Failed, st.Error, v.problem)
	case v.stopped:
		say(words.Noted, st.Dim, "stopped: "+env.KeyHint(action.DiffAgain)+" reads and compares again")
	case v.res == nil:
		if busy := env.BusyLine(v.WorkingSince(), v.workName()); busy != nil {
			lines = append(lines, widget.JoinLines(widget.PlainLine(" "), busy))
		}
	}
	if v.res != nil {
		lines = append(lines, v.summaryLines(env, w, h)...)
		if h-len(lines) < tableLeast+1 {
			lines = lines[:max(0, h-tableLeast-1)]
		}
		lines = append(lines, v.tabsLine(w))
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = l.Render(w)
	}
	return out
}

// usageLines explains how to give inputs.
func (v *diffPage) usageLines(env *view.Env, w int) (out []string) {
	key := env.KeyHint(action.DiffInput)
	for _, line := range []string{
		"Differences between another input and what is shown here: policies, connections, findings, guard rails.",
		"",
		":diff INPUT          from INPUT to what is shown here (" + env.Rev.Mode.Title + ")",
		":diff BEFORE AFTER   from one input to another",
		"",
		"An input is a file or folder of manifests, git:REV[:PATH], or context:NAME.",
		key + " asks for it here.",
	} {
		parts := []string{line}
		if !strings.HasPrefix(line, ":") {
			parts = widget.FlowText(line, max(1, w-2))
		}
		for _, part := range parts {
			out = append(out, widget.StyledLine(" "+part, env.Styles.Text).Render(w))
		}
	}
	return out
}

// summaryLines returns the answer in three lines, wrapped if there is room, and the workloads of only one
// side.
func (v *diffPage) summaryLines(env *view.Env, w, h int) (out []widget.Line) {
	st := v.st
	if v.res.facts.IsEmpty() {
		return []widget.Line{{{Text: " " + words.Yes + " ", Style: st.OK}, {Text: "nothing differs", Style: st.Text}}}
	}
	for _, line := range append(v.res.facts.Summary(), v.res.facts.WorkloadLines(mostWorkloads, env.KeyHint(action.Save)+" saves all")...) {
		what, rest, _ := strings.Cut(line, ":")
		parts := widget.FlowText(line, max(1, w-3))
		if h < headLeast || len(parts) > 2 {
			out = append(out, widget.Line{{Text: " "}, {Text: what + ":", Style: st.Title}, {Text: rest, Style: st.Text}})
			continue
		}
		for i, part := range parts {
			if i > 0 {
				out = append(out, widget.StyledLine("   "+part, st.Text))
				continue
			}
			out = append(out, widget.Line{{Text: " "}, {Text: what + ":", Style: st.Title}, {Text: strings.TrimPrefix(part, what+":"),
				Style: st.Text}})
		}
	}
	return out
}

// mostWorkloads bounds the named workloads of only one side.
const mostWorkloads = 5

// tabsLine draws the tabs with their counts, the shown one marked.
func (v *diffPage) tabsLine(w int) widget.Line {
	l := widget.Line{{Text: " "}}
	for p := range parts {
		if p == v.part {
			l = l.Add("["+v.tabText(p)+"]", v.st.Selection)
		} else {
			l = l.Add(" "+v.tabText(p)+" ", v.st.Dim)
		}
	}
	if n := w - l.LineWidth() - 1; n > 0 {
		l = l.Add(" "+strings.Repeat("─", n), v.st.Border)
	}
	return l
}

// tabText names a part with its count.
func (v *diffPage) tabText(p pagePart) string {
	f := v.res.facts
	n := [parts]int{len(f.Connections), len(f.Policies), len(f.Findings.New) + len(f.Findings.Gone), len(f.Guards),
		len(f.NotConsidered)}[p]
	return partNames[p] + " " + words.Thousands(n)
}

// Click puts the cursor on a line, or shows the clicked tab.
func (v *diffPage) Click(env *view.Env, x, y int) bool {
	head := len(v.headLines(env, env.W, env.H))
	l, lines := v.selectedLine(env.W)
	switch {
	case v.res == nil || y >= env.H-v.lowerHeight(len(lines), l.title != "", env.H-head):
		return false
	case y != head-1:
		return v.lister().Click(y - head)
	}
	at := 1
	for p := range parts {
		w := widget.TextWidth(v.tabText(p)) + 2
		if x >= at && x < at+w {
			v.part = p
			v.listOmissions(env)
			break
		}
		at += w
	}
	return false // the cursor did not move: a second click opens nothing
}

// Wheel scrolls.
func (v *diffPage) Wheel(_ *view.Env, lines int) { v.lister().Wheel(lines) }

// SetFilter filters every part.
func (v *diffPage) SetFilter(f widget.LineFilter) {
	v.filtered = !f.IsEmpty()
	v.listConnections()
	for _, l := range []view.Lister{v.connections, v.policies, v.findings, v.guards, v.omissions} {
		l.SetFilter(f)
	}
}

// CountLines counts the lines of the shown part.
func (v *diffPage) CountLines() (shown, all int) { return v.lister().CountLines() }

// CompleteWord completes a word of the shown part.
func (v *diffPage) CompleteWord(begin string) string {
	return view.List{Widget: v.lister()}.CompleteWord(begin)
}

// ColumnHelps explains the columns of the shown part.
func (v *diffPage) ColumnHelps() []widget.ColumnHelp {
	return view.List{Widget: v.lister()}.ColumnHelps()
}

// SaveText returns the summary and all lines of the shown part.
func (v *diffPage) SaveText(env *view.Env) string {
	if v.res == nil {
		return ""
	}
	f := v.res.facts
	return strings.Join(append(f.Summary(), f.WorkloadLines(math.MaxInt, "")...), "\n") + "\n\n" + view.List{Widget: v.lister()}.SaveText(env)
}

// StateLine shows the running work, or the time of an outdated answer.
func (v *diffPage) StateLine(env *view.Env) widget.Line {
	switch {
	case v.work.IsUnderWay() && v.res != nil:
		return env.BusyLine(v.WorkingSince(), v.workName())
	case v.isOutdated(env):
		return widget.StyledLine("as of "+v.comparedAt.Format("15:04:05"), env.Styles.Dim)
	}
	return nil
}

// workName names the running work.
func (v *diffPage) workName() string {
	if doing := v.doing.Load(); doing != nil {
		return *doing + " · esc stops"
	}
	return "comparing"
}

// WorkingSince returns when reading and comparing began.
func (v *diffPage) WorkingSince() time.Time { return v.work.BeganAt() }
