package logs

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"rung/engine/logs"
	"rung/engine/trace"
	"rung/model"
	"rung/model/logline"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/revision"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
)

// proposedRule is a rule made from lines, for the editor.
type proposedRule struct {
	p   *logs.Proposal
	err error
}

// askProposal asks for which lines to propose a rule (the selected one, or the marked ones, or all shown), its
// action, and the policy.
func askProposal(env *view.Env, e *logs.Entry, walk *lineWalk) {
	shown, marked := walk.chosenEntries()
	shown = slices.DeleteFunc(shown, func(e *logs.Entry) bool { return e.Gap != nil })
	if len(shown) == 0 {
		env.ShowFailure("no lines to propose a rule from")
		return
	}
	c := &view.ChoiceDialog{Title: "propose a rule"}
	type pick struct {
		of     []*logs.Entry
		action model.Action
	}
	var picks []pick
	add := func(key, what string, of []*logs.Entry, action model.Action) {
		c.Items = append(c.Items, view.ChoiceItem{Key: key, Text: what})
		picks = append(picks, pick{of, action})
	}
	if e != nil && e.Gap == nil {
		line, what := []*logs.Entry{e}, e.Src.Brief()+" → "+e.Dst.Brief()+" "+e.Traffic()
		add("a", "allow "+what, line, model.Allow)
		add("d", "deny "+what, line, model.Deny)
	}
	all := chosenText(shown, marked)
	if marked {
		c.StartAt(len(c.Items))
	}
	add("A", "allow the "+all, shown, model.Allow)
	add("D", "deny the "+all, shown, model.Deny)
	c.Done = func(env *view.Env, i int) { proposeFor(env, picks[i].of, picks[i].action) }
	env.AskDialog(c)
}

// proposeFor asks for the policy, then makes the rule in a goroutine.
func proposeFor(env *view.Env, entries []*logs.Entry, action model.Action) {
	env.AskDialog(&view.PromptDialog{Title: "propose a rule that " + map[model.Action]string{model.Allow: "allows",
		model.Deny: "denies"}[action] + " " + words.Count(len(entries), "line"),
		Label: "For which policy? " + strings.ToUpper(logs.TargetHelp[:1]) + logs.TargetHelp[1:] + ".", Value: logs.NewName(env.Rev),
		Check: func(text string) string {
			if _, err := logs.ParseTarget(env.Rev, text, action); err != nil {
				return err.Error()
			}
			return ""
		},
		Done: func(env *view.Env, text string) {
			rev := env.Rev
			env.Run("proposing a rule", func(ctx context.Context) any {
				t, err := logs.ParseTarget(rev, text, action)
				if err != nil {
					return proposedRule{nil, err}
				}
				log := logs.ListConnections(entries, logline.MostSeen)
				if log.LeftOut > 0 {
					return proposedRule{nil, logline.ErrTooMany}
				}
				p, err := logs.MakeProposal(ctx, rev, t, log.Connections)
				return proposedRule{p, err}
			})
		}})
}

// openEditor opens the editor with the proposal.
func (m proposedRule) openEditor(env *view.Env) {
	if m.err != nil {
		if m.p != nil && m.p.Proposal != nil && len(m.p.Left) > 0 && errors.Is(m.err, logline.ErrNothing) {
			env.ShowFailure("no rule for %s: %s", m.p.Policy.Label(), m.p.Left[0].Reason)
			return
		}
		env.ShowFailure("%v", m.err)
		return
	}
	k, priority := m.p.Policy, int32(0)
	if m.p.New {
		k, priority = model.PolicyKey{}, m.p.Priority
	}
	env.OpenPage(nav.ToProposal(k, priority, m.p.Text, m.p.Base, strings.Join(m.p.Notes(), "\n"), m.p.Wanted))
}

// openRow opens the row that logged a line; if several rows may have, the policy's rows.
func openRow(env *view.Env, e *logs.Entry) {
	if e == nil || e.Gap != nil {
		env.ShowFailure("no line here")
		return
	}
	acls := e.ACLs(env.Rev)
	switch len(acls) {
	case 0:
		env.ShowFailure("the row behind this line is unknown, or no longer exists")
	case 1:
		env.OpenPage(rowPage(env, e, acls[0]))
	default:
		env.OpenPage(nav.Page{Kind: nav.Rows, Key: e.UnitKey(), Zone: e.Line.Zone, Text: detail.RowsFilter(e.UnitKey())})
	}
}

// rowPage returns the live row of the zone, else the desired one.
func rowPage(env *view.Env, e *logs.Entry, acl *nb.ACL) nav.Page {
	z := env.Rev.Zone(e.Line.Zone)
	var live nb.Row
	if z != nil && z.DB != nil {
		if found := z.DB.ACLByID(acl.ID()); found != nil {
			live = found
		}
	}
	return detail.RowPage(z, live, acl)
}

// maxCopied bounds the lines copied at once: clipboards take no more.
const maxCopied = 300

// Copies offers the selected line in its forms.
func (v *logPage) Copies(*view.Env) []view.CopyItem {
	e := v.selectedEntry()
	if e == nil {
		return nil
	}
	if e.Gap != nil {
		return []view.CopyItem{{What: "gap", Text: e.Line.At.Format(time.RFC3339Nano) + " " + e.Sentence()}}
	}
	out := []view.CopyItem{{What: "sentence", Text: e.Line.At.Format(time.RFC3339Nano) + " " + e.Line.Zone + " " + e.Sentence()},
		{What: "raw line", Text: e.Line.Raw}}
	if e.Line.Name != "" {
		out = append(out, view.CopyItem{What: "ACL name", Text: e.Line.Name})
	}
	if e.Attributed {
		if n := e.Rule.Policy.Name; n != "" {
			out = append(out, view.CopyItem{What: "policy name", Text: n})
		}
	}
	if v.by != ungrouped {
		return append(out, view.CopyItem{What: "table", Text: v.buckets.table.AllText()})
	}
	all, marked := v.chosenEntries()
	newest, what := all[max(0, len(all)-maxCopied):], chosenText(all, marked)
	if len(newest) < len(all) {
		what = "newest " + words.Count(uint64(len(newest)), "line")
	}
	return append(out, view.CopyItem{What: what, Text: linesText(newest, sentenceLine)}, view.CopyItem{What: "rung command",
		Text: commandText(v.page, v.filter)})
}

// traceLines opens the trace of the selected line's connection. Without a line it asks for a connection; among
// marked lines it asks which to trace.
func (v *logPage) traceLines(env *view.Env, page func(question string) nav.Page, ask func(*view.Env, trace.Question)) {
	entries, marked := v.chosenEntries()
	entries = words.Choose(marked, entries, []*logs.Entry{v.selectedEntry()})
	entries = model.Filter(entries, func(e *logs.Entry) bool { return e != nil && e.Gap == nil })
	if len(entries) == 0 {
		ask(env, view.PrefilledTrace(env.Rev, env.Page))
		return
	}
	questions, whyNot := []string(nil), ""
	c := &view.ChoiceDialog{Title: "trace which of the marked connections"}
	for _, e := range slices.Backward(entries) { // the newest first
		q, why := lineQuestion(env.Rev, e)
		whyNot = cmp.Or(why, whyNot)
		if text := q.String(); why == "" && !slices.Contains(questions, text) && len(questions) < 9 { // a digit chooses one
			questions = append(questions, text)
			c.Items = append(c.Items, view.ChoiceItem{Key: strconv.Itoa(len(questions)),
				Text: e.Src.Brief() + " → " + e.Dst.Brief() + " " + e.Traffic()})
		}
	}
	switch len(questions) {
	case 0:
		env.ShowFailure("trace: %s", whyNot)
	case 1:
		env.OpenPage(page(questions[0]))
	default:
		c.Done = func(env *view.Env, i int) { env.OpenPage(page(questions[i])) }
		env.AskDialog(c)
	}
}

// probeLine asks to probe the connection of a line with packets.
func probeLine(env *view.Env, e *logs.Entry) {
	var q trace.Question
	if e == nil || e.Gap != nil {
		q = view.PrefilledTrace(env.Rev, env.Page)
	} else if of, why := lineQuestion(env.Rev, e); why == "" {
		q = of
	}
	view.AskProbe(env, q)
}

// lineQuestion returns the connection of a line as a question; why says why it has none.
func lineQuestion(r *revision.Revision, e *logs.Entry) (q trace.Question, why string) {
	q = trace.Question{From: questionEnd(r, &e.Src), To: questionEnd(r, &e.Dst), Port: int(e.Line.DstPort)}
	p, err := trace.ParseProtocol(strings.TrimSuffix(e.Line.Proto, "6"))
	if err != nil {
		return q, "the line is about " + e.Line.Proto + ", which has no ports"
	}
	q.Protocol = string(p)
	if why := q.Check(); why != "" {
		return q, why
	}
	return q, ""
}

// questionEnd returns an end for a question: the pod if the address is still its first, else the address.
func questionEnd(r *revision.Revision, d *logs.End) string {
	if d.Key.Kind == model.KindPod && d.Gone.IsZero() {
		if p := r.Cluster.Pod(d.Key.Namespace, d.Key.Name); p != nil && len(p.IPs) > 0 && p.IPs[0] == d.Addr {
			return trace.EndText(d.Key)
		}
	}
	return d.Addr
}
