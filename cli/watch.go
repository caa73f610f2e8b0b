package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"rung/engine"
	"rung/model"
	"rung/model/clean"
	"rung/revision"
)

// answer is what a command shows of a revision.
type answer struct {
	value   any // for JSON and YAML
	text    func(wide bool) string
	items   *items        // instead of both: no and err are known when they were written
	records func() string // for -o nbctl
	// markdown is for -o markdown.
	markdown func() string
	csv      func() string          // for -o csv
	junit    func() (string, error) // for -o junit
	no       bool                   // exit 1
	err      error                  // of what could not be shown; the rest was
	// notConsidered is what could make the answer another, had it been taken into account.
	// Where something of it is no mere assumption, the exit code is 2 (omissions.go).
	notConsidered []model.Omission
	// comments: the text is YAML, in which that is said as comments.
	comments bool
	// until is when the answer may be another although nothing happens; zero where
	// the engine tells of all that changes it.
	until time.Time
}

// query is a command that shows something, once or with --watch on every change.
type query struct {
	zones bool // needs the zones' databases
	// first, where set, runs once before the first answer.
	first  func(context.Context, *engine.Engine)
	answer answerer
}

// answerer answers a query for a revision.
type answerer = func(context.Context, *engine.Engine, *revision.Revision) (*answer, error)

func watchFlag(cmd *cobra.Command) *bool {
	return cmd.Flags().BoolP("watch", "w", false, "keep running; print on every change")
}

// shows makes a command that answers a query, once or with --watch on every change.
func (a *app) shows(cmd *cobra.Command, of func(args []string, watched bool) query) *cobra.Command {
	watch := watchFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.show(cmd.Context(), *watch, of(args, *watch))
	}
	return cmd
}

// show answers a query.
func (a *app) show(ctx context.Context, watch bool, q query) error {
	run := a.objects
	if q.zones {
		run = a.live
	}
	return run(ctx, func(e *engine.Engine, r *revision.Revision) error {
		if watch {
			return a.watch(ctx, e, q)
		}
		if q.first != nil {
			q.first(ctx, e)
			r = e.Revision()
		}
		ans, err := q.answer(ctx, e, r)
		if err != nil {
			return err
		}
		return a.say(ans)
	})
}

// watchPause lets the rest of a burst of changes come before a watch looks again.
const watchPause = 100 * time.Millisecond

// watch prints the answer, and again whenever it is another, until ctx ends. The
// exit code is that of the last answer. It looks when the engine has news, and when
// the answer says that its time is over.
func (a *app) watch(ctx context.Context, e *engine.Engine, q query) error {
	ticks, stop := e.Subscribe()
	defer stop()
	defer whileRead(a.raw)()
	over := time.NewTimer(time.Hour) // set below
	defer over.Stop()
	screen := isTerminal(a.raw) // it can be drawn over the last answer
	last, lastErr, printed := "", "", false
	for {
		r := e.Revision()
		a.complain(r)
		ans, err := q.answer(ctx, e, r)
		var text bytes.Buffer
		if err == nil {
			if werr := a.write(&text, ans, true); werr != nil {
				return werr
			}
			err = a.verdictOf(ans)
		}
		if s := text.String(); ans != nil && (!printed || s != last) {
			if _, err := fmt.Fprint(a.raw, a.between(printed, screen)+string(clean.JSON([]byte(s)))); err != nil {
				return err
			}
			last, printed = s, true
		}
		if err == nil || errors.Is(err, errNo) {
			lastErr = ""
		} else if lastErr != err.Error() && !errors.Is(err, errSaid) {
			lastErr = err.Error()
			fmt.Fprintln(a.err, "rung: "+oneLine(lastErr))
		}
		over.Stop()
		if ans != nil && !ans.until.IsZero() {
			over.Reset(ans.until.Sub(e.Now()))
		}
		select {
		case <-ctx.Done():
			return err
		case <-ticks:
			pause(ctx, watchPause)
		case <-over.C:
		}
	}
}

// between is what goes before an answer of a watch.
func (a *app) between(again, screen bool) string {
	switch {
	case a.flags.output == "yaml" && again:
		return "---\n"
	case a.flags.output == "json" || a.flags.output == "yaml":
		return ""
	case screen:
		return "\x1b[H\x1b[2J"
	case again:
		return "\n"
	}
	return ""
}
