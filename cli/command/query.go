package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"rung/engine"
	"rung/model"
	"rung/revision"
)

// Answer is the answer of a command for one revision, in all its forms.
type Answer struct {
	Value any // for JSON and YAML
	Text  func(wide bool) string
	// Replaces a large Value, and Text unless there is one; No and Err are known once it is written.
	Items   *LongList
	Records func() string            // for -o nbctl
	Drawing func(form string) string // for -o dot, svg and html
	// For -o markdown.
	Markdown func() string
	CSV      func() string   // for -o csv
	Names    func() []string // for -o name: KIND/NAME of each object
	// For the forms of a report; writeReport completes it. Summary is its last line, for stderr.
	Report  func() *Report
	Summary string
	// List with a line for each object in -o custom-columns; nil to use Value.
	Objects any
	No      bool // exit 1
	// Set if a condition of --fail-on holds: exit 1, whatever was omitted.
	FailOn bool
	Err    error // says what could not be shown; the rest was
	// Omissions that could change the answer. The exit code is 2 if one is more than an assumption
	// (omissions.go).
	NotConsidered []model.Omission
	// Set if the texts for people contain NotConsidered already.
	ShowsOmissions bool
	// Text that counts what a selection left out, or "".
	LeftOut string
	// Set for YAML text, where omissions are printed as comments.
	Comments bool
	// Time when the answer may change by itself; zero if the engine reports every change.
	Until time.Time
}

// Query is a command that shows something, once or with --watch on every change.
type Query struct {
	Zones bool // needs the zones' databases
	// Runs once before the first answer, unless nil.
	First  func(context.Context, *engine.Engine)
	Answer Answerer
}

// Answerer answers a query for a revision.
type Answerer = func(context.Context, *engine.Engine, *revision.Revision) (*Answer, error)

func WatchFlag(cmd *cobra.Command) *bool {
	return cmd.Flags().BoolP("watch", "w", false, "keep running; print on every change")
}

// QueryCommand makes a command that answers a query, once or with --watch on every change.
func (a *App) QueryCommand(cmd *cobra.Command, of func(args []string, watched bool) Query) *cobra.Command {
	watch := WatchFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.AnswerQuery(cmd.Context(), *watch, of(args, *watch))
	}
	return cmd
}

// AnswerQuery answers a query.
func (a *App) AnswerQuery(ctx context.Context, watch bool, q Query) error {
	run := a.WithObjects
	if q.Zones {
		run = a.WithRows
	}
	return run(ctx, func(e *engine.Engine, r *revision.Revision) error {
		if watch {
			return a.watchAnswer(ctx, e, q)
		}
		if q.First != nil {
			q.First(ctx, e)
			r = e.Revision()
		}
		ans, err := q.Answer(ctx, e, r)
		if err != nil {
			return err
		}
		return a.ConcludeAnswer(ans)
	})
}

// WatchPause collects a burst of changes before a watch looks again.
const WatchPause = 100 * time.Millisecond

// watchAnswer prints the answer, and again whenever it changes, until ctx ends. The last answer decides the
// exit code. It looks when the engine has news, and at Answer.Until.
func (a *App) watchAnswer(ctx context.Context, e *engine.Engine, q Query) error {
	ticks, stop := e.Subscribe()
	defer stop()
	defer WhileRead(a.Raw)()
	over := time.NewTimer(time.Hour) // set below
	defer over.Stop()
	screen := IsTerminal(a.Raw) // a terminal: draw over the last answer
	last, lastErr, printed := "", "", false
	var outcome error // of the last answer
	for {
		r := e.Revision()
		a.printProblems(r)
		ans, err := q.Answer(ctx, e, r)
		if ctx.Err() != nil && err != nil && printed {
			return outcome // the next answer was not finished
		}
		var text bytes.Buffer
		if err == nil {
			if werr := a.writeAnswer(&text, ans, true); werr != nil {
				return werr
			}
			err = a.answerError(ans)
		}
		if s := text.String(); ans != nil && (!printed || s != last) {
			if _, err := fmt.Fprint(a.Raw, a.separatorText(printed, screen)+string(a.finishText([]byte(s)))); err != nil {
				return err
			}
			last, printed = s, true
		}
		if err == nil || errors.Is(err, ErrNo) {
			lastErr = ""
		} else if lastErr != err.Error() && !errors.Is(err, ErrPrinted) {
			lastErr = err.Error()
			a.PrintNotice(lastErr)
		}
		outcome = err
		over.Stop()
		if ans != nil && !ans.Until.IsZero() {
			over.Reset(ans.Until.Sub(e.Now()))
		}
		select {
		case <-ctx.Done():
			return err
		case <-ticks:
			Pause(ctx, WatchPause)
		case <-over.C:
		}
	}
}

// separatorText returns the text between the answers of a watch: a separator, or the codes that clear the
// screen.
func (a *App) separatorText(again, screen bool) string {
	switch {
	case a.Flags.Output == "yaml" && again:
		return "---\n"
	case a.PrintsValues():
		return ""
	case screen:
		return "\x1b[H\x1b[2J"
	case again:
		return "\n"
	}
	return ""
}

// NetworkChoices returns the names that --network takes.
func NetworkChoices(_ *engine.Engine, r *revision.Revision) []string {
	return append([]string{revision.DefaultNetwork}, r.Desired.Networks().Names()...)
}

// NetworkCommand is QueryCommand with --network: it answers for the chosen network.
func NetworkCommand(a *App, cmd *cobra.Command, of func(args []string, watched bool) Query) *cobra.Command {
	name := cmd.Flags().String("network", "", "show this `NETWORK` instead of the default one")
	return a.QueryCommand(cmd, func(args []string, watched bool) Query {
		q := of(args, watched)
		answer := q.Answer
		q.Answer = func(ctx context.Context, e *engine.Engine, r *revision.Revision) (*Answer, error) {
			if *name == "" || *name == revision.DefaultNetwork {
				return answer(ctx, e, r) // the whole cluster
			}
			on := revision.OnNetwork(r, *name)
			if on == nil {
				return nil, fmt.Errorf("--network: %w", revision.ErrorNoNetwork(r, *name))
			}
			return answer(ctx, e, on)
		}
		return q
	})
}
