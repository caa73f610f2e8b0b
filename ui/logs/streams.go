package logs

import (
	"fmt"
	"slices"
	"strings"

	"rung/engine/logs"
	"rung/model/logline"
	"rung/model/words"
	"rung/revision"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// streamLine says how many nodes' logs are followed, and why others are not; nil without a cluster.
func (v *sourceStates) streamLine(env *view.Env) widget.Line {
	st := env.Styles
	switch {
	case env.Rev.Mode.Name != revision.ClusterMode:
		return nil
	case len(v.streams) == 0:
		return widget.StyledLine(" "+words.Waiting+" no node's log is followed yet", st.Info)
	}
	by := map[logline.StreamState][]string{}
	var order []logline.StreamState
	for i := range v.streams {
		s := &v.streams[i]
		if by[s.State] == nil {
			order = append(order, s.State)
		}
		by[s.State] = append(by[s.State], s.Zone)
	}
	text := fmt.Sprintf("%s of %s followed", words.Thousands(len(by[logline.StreamOpen])), words.Count(uint64(len(v.streams)), "node"))
	if len(order) == 1 && order[0] == logline.StreamOpen {
		return widget.StyledLine(" "+words.Live+" ", st.OK).Add(text, st.Dim)
	}
	l := widget.StyledLine(" "+words.Warned+" "+text, st.Warn)
	slices.Sort(order)
	for _, s := range order {
		if s != logline.StreamOpen {
			l = l.Add(" · "+string(s)+": "+words.ListFew(by[s], 2), st.Warn)
		}
	}
	return l
}

// countMissing counts the gaps, the lines that were too long, and the numbers missing in ovn-controller's
// lines.
func (v *sourceStates) countMissing() (gaps, long, unseen uint64) {
	for _, s := range slices.Concat(v.streams, v.files) {
		gaps, long, unseen = gaps+s.Gaps, long+s.TooLong, unseen+s.Unseen
	}
	return gaps, long, unseen
}

// checkLines returns the steps from a policy to a log line, each with its state's sign in front, and the key
// or command that fixes it.
func checkLines(env *view.Env, page nav.Page) (out []string) {
	l := env.Console.Logs()
	if l == nil {
		return nil
	}
	key := env.KeyHint(action.LogsLogging)
	about := logs.Subject{Policy: page.Key, Dir: page.Dir, Rule: page.Rule}
	for _, c := range logs.CheckSteps(l, env.Rev, about) {
		switch {
		case c.Levels && c.Step == "annotation":
			c.Text, c.Remedy = c.Text+" "+key+" switches logging on.", ""
		case c.Levels:
			c.Text, c.Remedy = c.Text+" "+key+" changes it.", ""
		case !about.Policy.Kind.IsPolicy() && c.Step == "annotation" && c.Remedy != "":
			c.Text, c.Remedy = c.Text+" "+env.KeyHint(action.LadderLogging)+" on a policy of the ladder switches logging on.", ""
		}
		out = append(out, c.TextLine())
	}
	return out
}

// reasonLines wraps a reason into lines of w cells, with the sign of a check or a dot in front.
func reasonLines(text string, w int, st *themes.StyleSet) (lines []string) {
	mark, look := words.Noted, st.Dim
	for sign, of := range map[string]themes.Style{logs.Fine.Sign(): st.OK, logs.Wrong.Sign(): st.Deny, logs.Unknown.Sign(): st.Warn,
		logs.Noted.Sign(): st.Dim} {
		if rest, ok := strings.CutPrefix(text, sign+" "); ok {
			text, mark, look = rest, sign, of
		}
	}
	for i, l := range widget.FlowText(text, max(1, w-6)) {
		if i > 0 {
			mark = " "
		}
		lines = append(lines, widget.Line{{Text: "  "}, {Text: mark, Style: look}, {Text: " " + l}}.Render(w))
	}
	return lines
}

// overLimit names the page's ACL that lost the most lines at its meter, and counts the others.
func (v *sourceStates) overLimit(env *view.Env, page nav.Page) (out []string) {
	k := page.Key
	var first *logs.MeterLoss
	others, lost := 0, uint64(0)
	for i := range v.losses {
		x := &v.losses[i]
		switch {
		case k.Kind.IsPolicy() && x.Rule.Policy != k && !isDefaultDeny(env, k, x.Rule),
			page.Dir != "" && (x.Rule.Direction != page.Dir || x.Rule.Rule != page.Rule), !x.IsLosing() && x.Lost == 0:
		case first == nil:
			first = x
		default:
			others, lost = others+1, lost+x.Lost
		}
	}
	if first == nil {
		return nil
	}
	what := first.ACLText()
	if k.Kind.IsPolicy() {
		what = strings.TrimPrefix(what, k.ShortLabel()+" ")
	}
	out = append(out, what+" in "+first.Zone+": "+first.ShortText())
	if others > 0 {
		text := words.Count(others, "other ACL") + " at the limit"
		if lost > 0 {
			text = words.Count(others, "other ACL") + ": " + words.Count(lost, "line") + " lost"
		}
		out = append(out, text)
	}
	return out
}
