package preview

import (
	"fmt"
	"time"

	"rung/change"
	"rung/change/gate"
	"rung/model/words"
	"rung/pages/difference"
	"rung/revision"
	"rung/system"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/view"
	"rung/ui/widget"
)

// WhyNot says why an action is not possible now.
func (v *View) WhyNot(_ *view.Env, id action.ID) string {
	switch id {
	case action.PreviewApply:
		return v.whyNotApply()
	case action.PreviewEdit:
		switch {
		case v.opt.Edit == nil:
			return "this change has no text to edit"
		case v.phase > ready:
			return "already written"
		}
	case action.PreviewMerge:
		if v.p == nil || v.p.Conflict == nil {
			return "there is no conflict"
		}
		if v.p.Conflict.Merged == "" {
			return "both edits touch the same lines; merge by hand"
		}
	case action.PreviewDiff:
		if v.p == nil || len(v.p.Objects) == 0 {
			return "nothing changes"
		}
	}
	return ""
}

// OffersAction leaves impossible actions, and those of the question, out of the hints.
func (v *View) OffersAction(env *view.Env, id action.ID) bool {
	switch id {
	case action.PreviewSection:
		return v.readPane().IsLong()
	case action.PreviewNo, action.PreviewApply, action.PreviewEdit, action.PreviewMerge:
		if v.phase == ready {
			return false
		}
	}
	return v.WhyNot(env, id) == ""
}

// readPane returns the pane with the cursor.
func (v *View) readPane() *widget.DocView { return words.Choose(v.onRows && v.side, v.rows, v.change) }

func (v *View) whyNotApply() string {
	switch {
	case v.phase == working:
		return "still being computed"
	case v.phase == failed:
		return "it could not be computed"
	case v.phase == writing:
		return "it is being written"
	case v.phase > writing:
		return "already written"
	case v.p.Blocked != "":
		return v.p.Blocked
	}
	return ""
}

// Do carries out the preview's actions.
func (v *View) Do(env *view.Env, id action.ID) bool {
	switch id {
	case action.PreviewNo:
		if v.filtered {
			env.SetPageFilter("")
		} else {
			v.refuseChange(env)
		}
	case action.PreviewApply:
		if v.filtered { // the question needs all consequences in sight
			env.SetPageFilter("")
		}
		v.askConfirm(env)
	case action.PreviewEdit:
		v.opt.Edit(env)
	case action.PreviewWhole:
		v.whole = !v.whole
	case action.PreviewDiff:
		v.diff = !v.diff
	case action.PreviewMerge:
		v.mergeChange(env)
	case action.PreviewSection:
		v.readPane().GoSection(1)
	case action.PreviewSectionBack:
		v.readPane().GoSection(-1)
	case action.Pane:
		v.onRows = v.side && !v.onRows
	default:
		return v.readPane().Do(id)
	}
	v.buildDocs(env)
	return true
}

// refuseChange leaves without the change.
func (v *View) refuseChange(env *view.Env) {
	switch {
	case !v.CanLeave(env):
	case v.opt.Cancel != nil && v.phase < writing:
		v.opt.Cancel(env)
	default:
		if v.phase < writing {
			env.ShowText("nothing was changed")
		}
		env.GoBack()
	}
}

// askConfirm asks the last question.
func (v *View) askConfirm(env *view.Env) {
	if v.p != nil {
		env.AskDialog(v.confirmDialog(env.Rev))
	}
}

// confirmDialog returns the last question about the present change. Yes commits the change that the user read,
// even if the page shows another by then; if the change differs, the question is asked again.
func (v *View) confirmDialog(rev *revision.Revision) *view.ConfirmDialog {
	p := v.p
	name := p.ConfirmName
	c := &view.ConfirmDialog{Title: p.Title, Type: name, YesText: "yes", NoText: "no",
		Body: []string{confirmText(p, rev.Mode, rev.System.HasFeature(system.Rows))},
		Yes: func(env *view.Env) {
			v.commitChange(env, p, gate.Confirm{Yes: true, Name: name, By: "console"})
		},
		Changed: func() string { return v.changedSince(p) },
		Again: func() *view.ConfirmDialog {
			if v.phase != ready {
				return nil
			}
			return v.confirmDialog(v.workedFrom)
		},
		No: func(env *view.Env) { env.ShowText("nothing was changed") },
	}
	if len(p.Steps) == 0 {
		c.Trials = trialTimes
		c.YesTrial = func(env *view.Env, within time.Duration) {
			v.commitChange(env, p, gate.Confirm{Yes: true, Name: name, By: "console", TrialTime: within})
		}
	}
	if p.Blocked != "" { // it became blocked while the question was open
		c.Body, c.WhyNot = nil, p.Blocked
		return c
	}
	for _, g := range guardPoints(difference.PreviewText(p)) {
		c.Warn = append(c.Warn, g.Text) // the page has the examples
	}
	return c
}

// trialTimes are the times to confirm a change on trial, the usual one first.
var trialTimes = []time.Duration{time.Minute, 5 * time.Minute, 30 * time.Second}

// changedSince says why the previewed change can no longer be confirmed.
func (v *View) changedSince(p *gate.Preview) string {
	switch {
	case v.phase == failed:
		return "the change can no longer be computed"
	case v.phase != ready:
		return "it is already being written"
	case v.p == p:
		return ""
	}
	return p.ChangesSince(v.p)
}

// confirmText says in one sentence what yes does, and to what; rows: policies have rows.
func confirmText(p *gate.Preview, m revision.Mode, rows bool) string {
	to := "cluster " + m.Title
	switch {
	case m.WriteBack:
		to = "files of " + m.Title + " and sandbox"
	case m.Sandbox:
		to = "sandbox only"
	case m.Name == "files":
		to = m.Title
	}
	if !rows {
		return fmt.Sprintf("Writes %s (%s).", words.Count(len(p.Objects), "object"), to)
	}
	return fmt.Sprintf("Writes %s, %s per zone (%s).", words.Count(len(p.Objects), "policy"), words.Count(len(p.Rows), "row"), to)
}

// mergeChange previews the merge of the user's change with the one made meanwhile.
func (v *View) mergeChange(env *view.Env) {
	c := v.p.Conflict
	v.m = change.Mutation{Op: change.OpApply, YAML: []byte(c.Merged), Base: []byte(c.Now)}
	v.phase, v.notice = working, "merged: your change on top of the one made meanwhile"
	v.workOut(env)
}

// questionLines returns the lines at the bottom: how to answer, or why that is not possible.
func (v *View) questionLines(env *view.Env, w int) []string {
	st := env.Styles
	key := env.KeyHint
	edit := widget.Line{}
	if v.opt.Edit != nil {
		edit = widget.Line{{Text: "   "}, {Text: key(action.PreviewEdit), Style: st.Key}, {Text: " keep editing"}}
	}
	leave := func(text string) widget.Line {
		return widget.Line{{Text: " "}, {Text: key(action.PreviewNo), Style: st.Key}, {Text: " " + text}}
	}
	rule := widget.StyledLine(dashesText(w), st.Border).Render(w)
	switch v.phase {
	case working:
		return []string{rule, widget.JoinLines(widget.PlainLine(" "), env.BusyLine(v.beganAt, "computing the change")).Render(w)}
	case failed:
		return []string{rule, widget.JoinLines(leave("leave"), edit).Render(w)}
	case writing:
		if other := v.pending.waitsFor(); other != "" {
			return append(append([]string{rule}, flowText(words.Waiting+" ", "Waiting for another change: "+other, st.Info, w, 2)...),
				leave("do not wait").Render(w))
		}
		return []string{rule, widget.JoinLines(widget.PlainLine(" "), env.BusyLine(v.beganAt, "writing")).Render(w)}
	case waiting:
		return []string{rule, widget.JoinLines(widget.StyledLine(" Written. Waiting for the rows of every zone …", st.Info),
			leave("leave; the rows change by themselves")).Render(w)}
	case zonesLate:
		return []string{rule, leave("leave; the ladder shows when rows are in sync").Render(w)}
	}
	if v.p.Blocked != "" {
		l := leave("leave")
		if c := v.p.Conflict; c != nil && c.Merged != "" {
			l = l.Add("   ", st.Text).Add(key(action.PreviewMerge), st.Key).Add(" merge", st.Text)
		}
		return append([]string{rule}, append(flowText(words.No+" ", change.BlockedText(v.p.Blocked), st.Error, w, 6),
			widget.JoinLines(l, edit).Render(w))...)
	}
	yes := "yes"
	if name := v.p.ConfirmName; name != "" {
		yes = "apply (type " + name + ")"
	}
	q := v.opt.Question
	switch n := len(v.p.Steps); {
	case q != "":
	case n > 0:
		q = fmt.Sprintf("Run %s, waiting for every zone after each?", words.Count(n, "step"))
	default:
		q = "Apply?"
	}
	l := widget.Line{{Text: " " + q + "  ", Style: st.Title}}
	answers := widget.JoinLines(widget.Line{{Text: key(action.PreviewNo), Style: st.Key}, {Text: " no   "},
		{Text: key(action.PreviewApply), Style: st.Key}, {Text: " " + yes}}, edit)
	if l.LineWidth()+answers.LineWidth() > w {
		return []string{rule, l.Render(w), widget.JoinLines(widget.PlainLine(" "), answers).Render(w)}
	}
	return []string{rule, widget.JoinLines(l, answers).Render(w)}
}

// flowText breaks text into at most n lines with a mark before the first.
func flowText(mark, text string, style themes.Style, w, n int) []string {
	var out []string
	for i, l := range widget.FlowText(text, max(1, w-3)) {
		if i == n {
			out[n-1] = widget.TruncateText(out[n-1], max(0, w-1)) + widget.Ellipsis
			break
		}
		out = append(out, widget.Line{{Text: " " + mark, Style: style}, {Text: l, Style: style}}.Render(w))
		mark = "  "
	}
	return out
}
