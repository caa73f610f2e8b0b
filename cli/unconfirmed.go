package cli

import (
	"context"
	"fmt"
	"rung/engine"
	"rung/model"
)

// lasts is the flag that lets a change last.
func (a *app) lasts() string {
	if len(a.flags.files) > 0 {
		return "--write-back"
	}
	return "--write"
}

// unconfirmed says how a change stands that was made on trial and is not confirmed. One
// that an earlier run left, and whose time is over, is put back first. changed says that
// it was.
func (a *app) unconfirmed(ctx context.Context, e *engine.Engine) (changed bool) {
	if a.completes {
		return false
	}
	u := e.Unconfirmed(ctx)
	if u == nil {
		return false
	}
	text := u.Text(e.Now())
	if u.Title != "" {
		text = u.Title + ": " + text
	}
	if u.Partly != "" && u.Open() {
		text += "; " + a.elsewhere(e, "confirm", a.lasts()) + " finishes it, " + a.elsewhere(e, "undo", a.lasts()) + " takes it back"
	}
	if u.Open() && u.Left(e.Now()) > 0 {
		text += "; " + a.elsewhere(e, "confirm") + " keeps it"
	}
	fmt.Fprintln(a.err, "rung: "+oneLine(text))
	return !u.Open()
}

// elsewhere is a command of Rung as it can be typed elsewhere: for the same files or cluster
// and the same state folder.
func (a *app) elsewhere(e *engine.Engine, command ...string) string {
	words := append([]string{"rung"}, command...)
	for _, f := range a.flags.files {
		words = append(words, "-f", f)
	}
	if dir := a.flags.stateDir; dir != "" {
		words = append(words, "--state-dir", dir)
	}
	text := model.ShellJoin(words...)
	if flags := e.Revision().Mode.Kubectl.Flags; flags != "" {
		text += " " + flags
	}
	return text
}

// overdue ends the logging sessions whose time is over, says so, and whether there were any.
func (a *app) overdue(ctx context.Context, e *engine.Engine) (ended bool) {
	if a.completes {
		return false
	}
	for _, text := range e.EndOverdue(ctx) {
		fmt.Fprintln(a.err, "rung: "+oneLine(text))
		ended = true
	}
	return ended
}
