package command

import (
	"context"

	"rung/engine"
	"rung/model/words"
)

// PermanentFlag returns the flag that makes a change permanent.
func (a *App) PermanentFlag() string {
	if len(a.Flags.Files) > 0 {
		return "--write-back"
	}
	return "--write"
}

// sayUnconfirmed prints the state of an unconfirmed change on trial. It first reverts an expired one of an
// earlier run, and returns true if it did.
func (a *App) sayUnconfirmed(ctx context.Context, e *engine.Engine) (changed bool) {
	if a.completes {
		return false
	}
	u := e.SettleTrial(ctx)
	if u == nil {
		return false
	}
	text := u.Text(e.Now())
	if u.Title != "" {
		text = u.Title + ": " + text
	}
	if u.Partly != "" && u.IsOpen() {
		text += "; " + a.CommandElsewhere(e, "confirm", a.PermanentFlag()) + " finishes it, " + a.CommandElsewhere(e, "undo", a.PermanentFlag()) +
			" undoes it"
	}
	if u.IsOpen() && u.TimeLeft(e.Now()) > 0 {
		text += "; " + a.CommandElsewhere(e, "confirm") + " keeps it"
	}
	a.Say(text)
	return !u.IsOpen()
}

// CommandElsewhere returns a rung command to type in another shell, for the same files or cluster and the same
// state folder.
func (a *App) CommandElsewhere(e *engine.Engine, command ...string) string {
	args := append([]string{"rung"}, command...)
	for _, f := range a.Flags.Files {
		args = append(args, "-f", f)
	}
	if dir := a.Flags.StateDir; dir != "" {
		args = append(args, "--state-dir", dir)
	}
	text := words.ShellJoin(args...)
	if flags := e.Revision().Mode.Kubectl.Flags; flags != "" {
		text += " " + flags
	}
	return text
}

// EndOverdue ends expired logging sessions, prints that, and reports whether there were any.
func (a *App) EndOverdue(ctx context.Context, e *engine.Engine) (ended bool) {
	if a.completes {
		return false
	}
	texts := e.Sessions().EndOverdue(ctx)
	a.Say(texts...)
	return len(texts) > 0
}
