package ui

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"rung/engine/statedir"
	"rung/model"
	"rung/model/words"
	"rung/revision"
	"rung/ui/action"
	"rung/ui/view"
)

// justEnded is the greatest age of an ended logging session to be announced; earlier ones are on the page of
// sessions.
const justEnded = 10 * time.Second

// AnnounceNews announces what happened since revision was: to the change on trial, the end of a plan, and ended
// logging sessions.
func AnnounceNews(env *view.Env, was *revision.Revision) {
	announceTrial(env, was.Unconfirmed)
	if p := env.Rev.Plan; was.Plan.IsUnderWay() && p != nil && !p.IsUnderWay() {
		announcePlan(env, p)
	}
	for _, e := range env.Rev.EndedLogs {
		known := slices.ContainsFunc(was.EndedLogs, func(o model.EndedLogSession) bool { return o.ID == e.ID && o.Target == e.Target })
		if !known && env.Now.Sub(e.At) < justEnded {
			env.ShowText("%s", e)
		}
	}
}

// announcePlan announces that a plan finished or stopped.
func announcePlan(env *view.Env, p *revision.PlanState) {
	switch {
	case p.State == revision.PlanStopped:
		env.ShowFailure("%s: stopped, %s%s", p.Title, p, words.Between(": ", p.Why, ""))
		return
	case p.Unrecorded:
		env.ShowFailure("%s: finished, but not recorded%s", p.Title, words.Between(": ", p.Why, ""))
		return
	}
	env.ShowText("%s: %s", p.Title, words.Choose(p.RollingBack, "rolled back", "finished"))
}

// announceTrial announces a new state of the change on trial; was is the previous one.
func announceTrial(env *view.Env, was *revision.UnconfirmedChange) {
	u := env.Rev.Unconfirmed
	if u == nil || was != nil && was.ID == u.ID && was.IsOpen() == u.IsOpen() && was.Why == u.Why && was.IsOwn == u.IsOwn {
		return
	}
	title := words.Between("", u.Title, ": ")
	switch {
	case u.FromEarlierRun && (was == nil || was.ID != u.ID || u.Ended != ""):
		showFoundTrial(env, u)
	case u.Ended == revision.TrialConfirmed || u.Ended == revision.ChangeFinished: // whoever confirmed saw the message
	case u.Ended != "" && u.Kept && u.Title != "":
		env.ShowText("%s%s", title, u.Ended)
	case u.Ended != "":
		env.ShowFailure("%s%s", title, u.Ended)
	case u.Why != "" || !u.IsOwn:
		env.ShowFailure("%s%s", title, u.Text(env.Now))
	}
}

// showFoundTrial shows a change that an earlier run left unfinished.
func showFoundTrial(env *view.Env, u *revision.UnconfirmedChange) {
	console := env.Console
	if u.Ended == revision.TrialConfirmed || u.Ended == revision.TrialConfirmedElsewhere {
		return
	}
	if u.Partly != "" && u.Ended == "" {
		env.AskDialog(&view.ConfirmDialog{Title: u.Title, Body: []string{"An earlier run of Rung was killed while it made this change: " +
			u.Partly + ".",
			env.KeyHint(action.Undo) + " undoes what was written. Until then no other change is made."},
			NoText: "later", YesText: "finish it",
			Changed: func() string {
				if now := console.Revision().Unconfirmed; now == nil || now.ID != u.ID || !now.IsOpen() {
					return "it was finished or undone"
				}
				return ""
			},
			Yes: confirmTrial})
		return
	}
	const left = "An earlier run of Rung made this change on trial, and ended before it was confirmed."
	if u.Ended != "" {
		env.AskDialog(&view.NoteDialog{Title: u.Title, Body: []string{left, "Result: " + u.Ended + "."}})
		return
	}
	if u.IsOver {
		return // announced once it has ended
	}
	env.AskDialog(&view.ConfirmDialog{Title: u.Title, Body: []string{left,
		"It is reverted at " + u.Until.Local().Format(time.TimeOnly) + " unless you keep it."},
		NoText: "revert it then", YesText: "keep it",
		Changed: func() string {
			if now := console.Revision().Unconfirmed; now == nil || now.ID != u.ID || !now.IsOpen() || now.IsOver {
				return "the time to confirm is over"
			}
			return ""
		},
		Yes: confirmTrial})
}

// copySomething copies what the page offers. The user chooses if the page offers several texts.
func copySomething(env *view.Env, v view.View) {
	var copies []view.CopyItem
	if c, ok := v.(view.Copier); ok {
		copies = c.Copies(env)
	}
	if len(copies) == 0 {
		copies = view.PageCopies(env, v.SelectedPage())
	}
	if len(copies) == 0 {
		copies = view.PageCopies(env, env.Page)
	}
	switch len(copies) {
	case 0:
		env.ShowFailure("nothing to copy here")
		return
	case 1:
		env.CopyText(copies[0].What, copies[0].Text)
		return
	}
	c := &view.ChoiceDialog{Title: "copy", Done: func(env *view.Env, i int) { env.CopyText(copies[i].What, copies[i].Text) }}
	keys := map[string]bool{"j": true, "k": true, "q": true}
	for _, x := range copies {
		key := ""
		for _, r := range strings.ToLower(x.What) {
			if k := string(r); r >= 'a' && r <= 'z' && !keys[k] {
				key, keys[k] = k, true
				break
			}
		}
		first, _, _ := strings.Cut(x.Text, "\n")
		c.Items = append(c.Items, view.ChoiceItem{Key: key, Text: x.What, Note: ansi.Truncate(first, 36, "…")})
	}
	env.AskDialog(c)
}

var unsafeName = regexp.MustCompile(`[^a-z0-9._-]+`)

// savePage writes the text of the page to a new file.
func savePage(env *view.Env, v view.View) {
	text := ""
	if s, ok := v.(view.Saver); ok {
		text = s.SaveText(env)
	}
	if text == "" {
		lines := strings.Split(ansi.Strip(v.Render(env, env.W, env.H)), "\n")
		for i := range lines {
			lines[i] = strings.TrimRight(lines[i], " ")
		}
		text = strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n"
	}
	name := unsafeName.ReplaceAllString(strings.ToLower(env.Page.Title()), "-")
	dir, file := env.SavedDir(), fmt.Sprintf("%.60s-%s.txt", name, env.FileStamp())
	env.Run("saving the page", func(context.Context) any {
		path, err := statedir.KeepFile(dir, file, []byte(words.Escape(text)))
		if err != nil {
			return view.ToastAsk{Text: "saving the page: " + err.Error(), Bad: true}
		}
		return view.ToastAsk{Text: "saved to " + path}
	})
}
