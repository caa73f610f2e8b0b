package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"rung/change/trial"
	"rung/cli/command"
	"rung/engine"
	"rung/model/words"
	"rung/revision"
	"rung/sources/files"
)

// leastTrial is the shortest time to confirm a change; nobody reads faster.
const leastTrial = time.Second

func ConfirmCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use:   "confirm",
		Short: "Keep a change made with --confirm",
		Long: `Keep a change made with --confirm, or on trial in the console. Unless confirmed in time
it is reverted: by the Rung that made it or, if that was killed, by the next one started,
whatever it runs. Policies that somebody else changed meanwhile are kept.

If Rung was killed during a change of several objects, the next start reports how many
were written: confirm makes the rest (with --write, or --write-back for files), rung undo
reverts what was written.`,
		Args: command.TakesArgs(0),
		Example: `  rung move cluster-control 36 --confirm 60s --context staging --write
  rung confirm --context staging`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			// Confirming writes no policy file, so it works without --write-back.
			writes := a.Flags.WriteBack
			a.Flags.WriteBack = true
			err := withUnreadEngine(cmd.Context(), a, func(e *engine.Engine) error {
				title, err := e.ConfirmTrial("cli")
				if err == nil {
					fmt.Fprintf(a.Out, "%s: confirmed\n", title)
				}
				return err
			})
			a.Flags.WriteBack = writes
			if errors.Is(err, trial.ErrUnread) {
				return finishKilledChange(cmd.Context(), a)
			}
			if err == nil || checkChangesKept(a) != nil {
				return err
			}
			// An expired change is reverted first, and that is reported.
			return errors.Join(a.WithObjects(cmd.Context(), func(*engine.Engine, *revision.Revision) error { return nil }), err)
		},
	}
}

// finishKilledChange completes a change that was killed, which needs the objects.
func finishKilledChange(ctx context.Context, a *command.App) error {
	if len(a.Flags.Files) > 0 && !a.Flags.WriteBack {
		return errors.New("finishing the change writes files: give --write-back")
	}
	return a.WithObjects(ctx, func(e *engine.Engine, _ *revision.Revision) error {
		title, err := e.ConfirmTrial("cli")
		if title != "" {
			fmt.Fprintf(a.Out, "%s: %s\n", title, revision.ChangeFinished)
		}
		return err
	})
}

// withUnreadEngine runs f on an engine that has read nothing yet, since there may be no time, or no API
// server, to confirm a change.
func withUnreadEngine(ctx context.Context, a *command.App, f func(*engine.Engine) error) error {
	cfg, err := a.EngineConfig(ctx, false, false)
	if err != nil {
		return err
	}
	cfg.Mode.Simulated, cfg.Reconcile, cfg.Mode.Reconciles = false, false, cfg.Mode.Sandbox
	e, err := engine.New(ctx, cfg)
	if err != nil {
		return err
	}
	defer e.Close()
	return f(e)
}

// manualUndoText explains how to revert a change that Rung cannot revert.
func manualUndoText(a *command.App, e *engine.Engine, u *revision.UnconfirmedChange) string {
	text := "retrying every 10 s; fix the cause, or revert it by hand: " + a.CommandElsewhere(e, "undo", a.PermanentFlag())
	if u.File != "" {
		text += ", or from the former text in " + u.File
	}
	return text
}

// trialReport is the last report about a change on trial: the time left, why it cannot be reverted, and when
// that was printed.
type trialReport struct {
	left time.Duration
	why  string
	at   time.Time
}

// stuckEvery is how often a failing revert is reported again.
const stuckEvery = 10 * time.Second

// isDue reports whether to print the state of the change: every 10 s and every second near the end; if a
// revert fails, at once and every stuckEvery.
func (t *trialReport) isDue(u *revision.UnconfirmedChange, now time.Time) bool {
	if u.Why != "" {
		if u.Why == t.why && now.Sub(t.at) < stuckEvery {
			return false
		}
		t.why, t.at = u.Why, now
		return true
	}
	left := u.TimeLeft(now)
	if left >= t.left || left%(10*time.Second) != 0 && left > 5*time.Second {
		return false
	}
	t.left, t.why = left, ""
	return true
}

// awaitConfirm waits until a change on trial is confirmed, by enter or from elsewhere, or reverted. It returns
// an error if the change was not kept.
func awaitConfirm(ctx context.Context, a *command.App, e *engine.Engine, u *revision.UnconfirmedChange) error {
	keep := a.CommandElsewhere(e, "confirm")
	how := keep + " keeps it"
	if a.CanAsk {
		how = "enter keeps it, so does " + keep
	}
	fmt.Fprintf(a.Err, "%s; %s, ctrl+c reverts it\n", u.HeaderText(e.Now()), how)
	entered, stop := watchEnterKey(ctx, a)
	defer stop()
	ticks, end := e.Subscribe()
	defer end()
	clock := time.NewTicker(time.Second)
	defer clock.Stop()
	said := trialReport{left: u.TimeLeft(e.Now())}
	for {
		if now := e.Revision().Unconfirmed; now != nil && now.ID == u.ID {
			u = now
		}
		if !u.IsOpen() {
			return sayTrialEnd(a, u)
		}
		if now := e.Now(); said.isDue(u, now) {
			text := u.Text(now)
			if u.Why != "" {
				text += "; " + manualUndoText(a, e, u)
			}
			fmt.Fprintln(a.Err, words.CleanLine(text))
		}
		select {
		case <-ctx.Done():
			return putBackTrial(a, e)
		case <-entered:
			entered = nil
			if _, err := e.ConfirmTrial("cli"); err != nil {
				fmt.Fprintln(a.Err, words.CleanLine(err.Error()))
			}
		case <-ticks:
		case <-clock.C:
		}
	}
}

func sayTrialEnd(a *command.App, u *revision.UnconfirmedChange) error {
	text := words.CleanLine(u.Title + ": " + u.Ended)
	if u.Ended == revision.TrialConfirmed || u.Ended == revision.TrialConfirmedElsewhere {
		fmt.Fprintln(a.Err, text)
		return nil
	}
	return exitWith{errors.New(text), command.ErrPutBack}
}

// backTime limits how long an interrupted command tries to revert its change.
const backTime = 10 * time.Second

func putBackTrial(a *command.App, e *engine.Engine) error {
	ctx, cancel := context.WithTimeout(context.Background(), backTime)
	defer cancel()
	u := e.RevertNow(ctx)
	if u.IsOpen() {
		return exitWith{fmt.Errorf("%s: not reverted yet: %s; the next Rung started reverts it; until then: %s", u.Title, u.Why,
			manualUndoText(a, e, u)), command.ErrPutBack}
	}
	return sayTrialEnd(a, u)
}

func watchEnterKey(ctx context.Context, a *command.App) (entered <-chan struct{}, stop func()) {
	if !a.CanAsk {
		return nil, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	got, done := make(chan struct{}, 1), make(chan struct{})
	go func() {
		defer close(done)
		in := files.PatientReader(ctx, a.Keyboard)
		for one := make([]byte, 1); ; {
			n, err := in.Read(one)
			if n > 0 && (one[0] == '\n' || one[0] == '\r') {
				got <- struct{}{}
				return
			}
			if err != nil {
				return // an input that ended confirms nothing
			}
		}
	}()
	return got, func() { cancel(); <-done }
}
