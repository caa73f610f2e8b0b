package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"rung/change"
	"rung/change/history"
	"rung/change/trial"
	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
	"rung/sources/files"
)

type historyOut struct {
	ID       uint64   `json:"id"`
	At       string   `json:"at"`
	By       string   `json:"by"`
	Title    string   `json:"title"`
	Policies []string `json:"policies"`
	Undone   bool     `json:"undone"`
	Undoes   uint64   `json:"undoes,omitempty"`
}

func UndoCommand(a *command.App) *cobra.Command {
	var c changeFlags
	var list bool
	cmd := &cobra.Command{
		Use:   "undo [NUMBER]",
		Short: "Undo the last saved change, or one of --list",
		Long: `Undo the last change made with --write-back or on a cluster, in this or an earlier
run, if the policy is still as the change left it. Otherwise show what changed
meanwhile, and do nothing. A plan is one change: undo reverts all of it, in steps that
never reverse two policies. --list prints the changes. The number of an undo re-applies
its change, like rung redo.`,
		Args: command.TakesArgs(1, "[NUMBER]"),
		Example: `  rung undo -f examples/ --write-back --dry-run
  rung undo --list --context staging`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if list {
				if err := checkChangesKept(a); err != nil {
					return err
				}
				return a.AnswerQuery(cmd.Context(), false, command.Query{Answer: historyAnswer})
			}
			return undoOrRedo(cmd.Context(), a, &c, change.OpUndo, args)
		},
	}
	c.registerTrial(cmd)
	cmd.Flags().BoolVar(&list, "list", false, "print the changes that can be undone, newest first")
	return cmd
}

func RedoCommand(a *command.App) *cobra.Command {
	var c changeFlags
	cmd := &cobra.Command{
		Use:   "redo [NUMBER]",
		Short: "Re-apply the last undone change, or that of an undo in rung undo --list",
		Long: `Re-apply the change undone last, if the policy is still as the undo left it; each
further call re-applies the one undone before. Changes undone before a new change
cannot be redone.`,
		Args:    command.TakesArgs(1, "[NUMBER]"),
		Example: `  rung redo -f examples/ --write-back --dry-run`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return undoOrRedo(cmd.Context(), a, &c, change.OpRedo, args)
		},
	}
	c.registerTrial(cmd)
	return cmd
}

// undoOrRedo undoes or redoes a change of the history: the one with the given number, or the next.
func undoOrRedo(ctx context.Context, a *command.App, c *changeFlags, op change.Op, args []string) error {
	if err := checkChangesKept(a); err != nil {
		return err
	}
	var id uint64
	if len(args) > 0 {
		var err error
		if id, err = strconv.ParseUint(args[0], 10, 64); err != nil || id == 0 {
			return fmt.Errorf("%q is not the number of a change; see: rung undo --list", args[0])
		}
	}
	return makeChange(ctx, a, c, func(*revision.Revision) (change.Mutation, error) {
		return change.Mutation{Op: op, Undo: id}, nil
	})
}

// checkChangesKept rejects undo and redo if no change outlives the program.
func checkChangesKept(a *command.App) error {
	if !a.Flags.WriteBack && len(a.Flags.Files) > 0 {
		return errors.New("only changes written to files can be undone or redone: give --write-back")
	}
	return nil
}

func historyAnswer(_ context.Context, e *engine.Engine, _ *revision.Revision) (*command.Answer, error) {
	out := model.MapList(e.History(), func(h history.Entry) historyOut {
		return historyOut{ID: h.ID, At: page.StampText(h.At), By: h.By, Title: h.Title, Undone: h.Undone, Undoes: h.Undoes,
			Policies: model.MapList(h.Objects, func(x history.Object) string { return x.Key.String() })}
	})
	if len(out) == 0 {
		return &command.Answer{Value: out, Text: func(bool) string { return "no changes are kept\n" }}, nil
	}
	t := &command.TextTable{Head: []string{"NUMBER", "AT", "BY", "STATE", "CHANGE"}}
	for _, h := range out {
		state := ""
		switch {
		case h.Undone:
			state = "undone"
		case h.Undoes != 0:
			state = fmt.Sprintf("undid %d", h.Undoes)
		}
		t.AddRow(fmt.Sprint(h.ID), h.At, h.By, state, h.Title)
	}
	return &command.Answer{Value: out, Text: func(bool) string { return t.String() }}, nil
}

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
		Example: `  rung move blue-asks-green 49 --confirm 60s --context staging --write
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
			return printTrialEnd(a, u)
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

func printTrialEnd(a *command.App, u *revision.UnconfirmedChange) error {
	text := words.CleanLine(u.Title + ": " + u.Ended)
	if u.Ended == revision.TrialConfirmed || u.Ended == revision.TrialConfirmedElsewhere {
		fmt.Fprintln(a.Err, text)
		return nil
	}
	return exitWith{errors.New(text), command.ErrPutBack}
}

// backTime limits how long an interrupted command tries to revert its change.
const backTime = 10 * time.Second

// putBackTrial reverts the change of an interrupted command.
func putBackTrial(a *command.App, e *engine.Engine) error {
	ctx, cancel := context.WithTimeout(context.Background(), backTime)
	defer cancel()
	u := e.RevertNow(ctx)
	if u.IsOpen() {
		return exitWith{fmt.Errorf("%s: not reverted yet: %s; Rung reverts it at its next start; until then: %s", u.Title, u.Why,
			manualUndoText(a, e, u)), command.ErrPutBack}
	}
	return printTrialEnd(a, u)
}

// watchEnterKey signals when enter is pressed at a terminal.
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
