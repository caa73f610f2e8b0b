package ui

import (
	"context"

	"rung/engine/trace"
	"rung/revision"
	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/view"
)

// places maps actions to the page each opens.
var places = map[action.ID]nav.PageKind{
	action.GoLadder:   nav.Ladder,
	action.GoRows:     nav.Rows,
	action.GoZones:    nav.Zones,
	action.GoLogs:     nav.Logs,
	action.GoActivity: nav.Activity,
	action.GoPlan:     nav.Plan,
	action.GoContexts: nav.Contexts,
	action.GoCluster:  nav.Cluster,
	action.GoFindings: nav.Findings,
	action.GoMatrix:   nav.Matrix,
	action.GoSessions: nav.Sessions,
	action.GoDiff:     nav.Diff,
	action.GoOmitted:  nav.Omitted,
	action.GoMessages: nav.Messages,
}

// Do carries out an action that every page has, on the page of v.
func Do(env *view.Env, v view.View, id action.ID) {
	switch id {
	case action.Writes:
		toggleWrites(env)
	case action.Copy:
		copySomething(env, v)
	case action.Save:
		savePage(env, v)
	case action.Confirm:
		confirmTrial(env)
	case action.GoTrace, action.LadderTrace, action.PolicyTrace, action.RuleTrace, action.PodTrace:
		view.AskTrace(env, view.PrefilledTrace(env.Rev, env.Page, v.SelectedPage()))
	case action.PodOVN:
		view.AskOVNTrace(env, view.PrefilledTrace(env.Rev, env.Page, v.SelectedPage()))
	case action.GoProbe:
		askProbe(env, v)
	default:
		if kind, ok := places[id]; ok {
			page := nav.NewPage(kind)
			if kind == nav.Matrix || kind == nav.Ladder && env.Page.Kind != nav.Ladder {
				network := env.Page.Network
				if env.Page.Kind == nav.Trace {
					network = view.PrefilledTrace(env.Rev, env.Page).Network
				}
				page = page.OnNetwork(network)
			}
			env.OpenPage(page)
		}
	}
}

// askProbe asks which connection to probe with packets, beginning with the selected object. A connection that
// fits a rule is searched in a goroutine, since that takes a moment.
func askProbe(env *view.Env, v view.View) {
	pages := []nav.Page{v.SelectedPage(), env.Page}
	switch env.Page.Kind {
	case nav.Pod, nav.Trace, nav.Probe:
		pages = pages[1:] // the lines are rules, but the page is about the pod or connection
	}
	for _, p := range pages {
		if p.Kind != nav.Rule {
			continue
		}
		rev := env.Rev
		env.Run("looking for a connection of the rule", func(context.Context) any {
			q := trace.QuestionOfRule(rev, p.Key, p.Dir, p.Rule)
			if c, ok := trace.SuggestConnection(rev, p.Key, p.Dir, p.Rule); ok {
				q = trace.NewQuestion(c)
			}
			return view.PreparedDialog(func(env *view.Env) { view.AskProbe(env, q) })
		})
		return
	}
	view.AskProbe(env, view.PrefilledTrace(env.Rev, pages...))
}

// toggleWrites allows changes after a question, or returns to read-only.
func toggleWrites(env *view.Env) {
	console, mode := env.Console, env.Rev.Mode
	set := func(env *view.Env, on bool, text string) {
		env.Run("changing the mode", func(context.Context) any {
			if err := console.SetWrites(on); err != nil {
				return view.ToastAsk{Text: err.Error(), Bad: true}
			}
			return view.ToastAsk{Text: text}
		})
	}
	if mode.Writes {
		set(env, false, "read-only: changes are not allowed")
		return
	}
	if mode.WhyNot != "" {
		env.ShowFailure("changes stay off: %s", mode.WhyNot)
		return
	}
	body := "Changes made here are real: policies of " + mode.Title + " can then be changed and deleted. Every change still shows a " +
		"preview and asks."
	switch {
	case mode.IsPersistent():
	case mode.Name != revision.FilesMode:
		body = "Policies of " + mode.Title + " can then be changed and deleted. Changes stay in the sandbox and end with Rung. Every change " +
			"still shows a preview and asks."
	default:
		body = "Policies can then be changed and deleted in the sandbox; the files stay unchanged (--write-back changes them too). Every " +
			"change still shows a preview and asks."
	}
	env.AskDialog(&view.ConfirmDialog{Title: "Allow changes", Body: []string{body}, YesText: "allow changes", NoText: "stay read-only",
		Changed: func() string {
			switch now := console.Revision().Mode; {
			case now.Writes:
				return "changes are already allowed"
			case now != mode && now.WhyNot != "":
				return "changes stay off: " + now.WhyNot
			case now != mode:
				return "changes would now apply to another target"
			}
			return ""
		},
		Yes: func(env *view.Env) { set(env, true, "changes are allowed; W returns to read-only") }})
}

// confirmTrial keeps the change on trial.
func confirmTrial(env *view.Env) {
	console, what := env.Console, "confirmed"
	if u := env.Rev.Unconfirmed; u.IsOpen() && u.Partly != "" {
		what = revision.ChangeFinished
	}
	env.Run("confirming the change", func(context.Context) any {
		title, err := console.ConfirmTrial("console")
		if err != nil {
			return view.ToastAsk{Text: err.Error(), Bad: true}
		}
		return view.ToastAsk{Text: title + ": " + what}
	})
}
