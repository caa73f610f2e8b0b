package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"rung/change/trial"
	"rung/engine"
	"rung/revision"
	"rung/sources/reading"
)

// leastTrial is the shortest time to confirm a change in: nobody reads faster.
const leastTrial = time.Second

// mayTry refuses a change on trial that could not be put back.
func (a *app) mayTry(c *changeFlags) error {
	switch {
	case c.within == 0:
	case c.within < leastTrial:
		return fmt.Errorf("--confirm %s: want at least %s", c.within, leastTrial)
	case len(a.flags.files) > 0 && !a.flags.writeBack:
		return errors.New("--confirm is for changes that last: give --write-back")
	}
	return nil
}

func (a *app) confirmCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "confirm",
		Short: "Keep the change that was made with --confirm",
		Long: `Confirm keeps a change that was made with --confirm, or on trial in the console. Unless it
is confirmed in time it is put back: by the Rung that made it, or, where that was killed,
by the next one that starts, whatever it was started for. A policy that somebody else
changed meanwhile is left as it is.

Where Rung was killed while it made a change of several objects, the next start says how
many were written: confirm makes the rest (with --write, or --write-back for files), rung
undo takes back what was written.`,
		Args: takes(0),
		Example: `  rung move cluster-control 36 --confirm 60s --context staging --write
  rung confirm --context staging`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			// It writes no file, only that the change stays: whoever has a minute for it need
			// not say that files may be written.
			writes := a.flags.writeBack
			a.flags.writeBack = true
			err := a.opened(cmd.Context(), func(e *engine.Engine) error {
				title, err := e.Confirm("cli")
				if err == nil {
					fmt.Fprintf(a.out, "%s: confirmed\n", title)
				}
				return err
			})
			a.flags.writeBack = writes
			if errors.Is(err, trial.ErrUnread) {
				return a.finishRest(cmd.Context())
			}
			if err == nil || a.keepsChanges() != nil {
				return err
			}
			// What is due is put back first, and said.
			return errors.Join(a.objects(cmd.Context(), func(*engine.Engine, *revision.Revision) error { return nil }), err)
		},
	}
}

// finishRest makes the rest of a change that was killed, which wants the objects.
func (a *app) finishRest(ctx context.Context) error {
	if len(a.flags.files) > 0 && !a.flags.writeBack {
		return errors.New("finishing the change writes files: give --write-back")
	}
	return a.objects(ctx, func(e *engine.Engine, _ *revision.Revision) error {
		title, err := e.Confirm("cli")
		if title != "" {
			fmt.Fprintf(a.out, "%s: %s\n", title, revision.ChangeFinished)
		}
		return err
	})
}

// opened runs f on an engine that has read nothing yet: whoever confirms a change may not
// have the time, or the API server.
func (a *app) opened(ctx context.Context, f func(*engine.Engine) error) error {
	cfg, err := a.config(ctx, false, false)
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

// byHand is how a change is put back that Rung cannot put back.
func (a *app) byHand(e *engine.Engine, u *revision.Unconfirmed) string {
	text := "it is tried again every 10 s; mend that, or put it back by hand: " + a.elsewhere(e, "undo", a.lasts())
	if u.File != "" {
		text += ", or from what it was, in " + u.File
	}
	return text
}

// trialTold is what was said last of a change on trial.
type trialTold struct {
	left time.Duration
	why  string
	at   time.Time
}

// stuckEvery is how often it is said again that a change cannot be put back.
const stuckEvery = 10 * time.Second

// due says whether it is time to say how the change stands: every 10 s and at the end of its
// time, and at once and again where it cannot be put back.
func (t *trialTold) due(u *revision.Unconfirmed, now time.Time) bool {
	if u.Why != "" {
		if u.Why == t.why && now.Sub(t.at) < stuckEvery {
			return false
		}
		t.why, t.at = u.Why, now
		return true
	}
	left := u.Left(now)
	if left >= t.left || left%(10*time.Second) != 0 && left > 5*time.Second {
		return false
	}
	t.left, t.why = left, ""
	return true
}

// awaitConfirm waits until a change on trial is confirmed, by enter or from elsewhere, or
// put back. The error says that it does not stand.
func (a *app) awaitConfirm(ctx context.Context, e *engine.Engine, u *revision.Unconfirmed) error {
	keep := a.elsewhere(e, "confirm")
	how := keep + " keeps it"
	if a.asks {
		how = "enter keeps it, so does " + keep
	}
	fmt.Fprintf(a.err, "%s; %s, ctrl+c puts it back\n", u.Brief(e.Now()), how)
	entered, stop := a.enters(ctx)
	defer stop()
	ticks, end := e.Subscribe()
	defer end()
	clock := time.NewTicker(time.Second)
	defer clock.Stop()
	said := trialTold{left: u.Left(e.Now())}
	for {
		if now := e.Revision().Unconfirmed; now != nil && now.ID == u.ID {
			u = now
		}
		if !u.Open() {
			return a.trialEnded(u)
		}
		if now := e.Now(); said.due(u, now) {
			text := u.Text(now)
			if u.Why != "" {
				text += "; " + a.byHand(e, u)
			}
			fmt.Fprintln(a.err, oneLine(text))
		}
		select {
		case <-ctx.Done():
			return a.trialLeft(e)
		case <-entered:
			entered = nil
			if _, err := e.Confirm("cli"); err != nil {
				fmt.Fprintln(a.err, oneLine(err.Error()))
			}
		case <-ticks:
		case <-clock.C:
		}
	}
}

// trialEnded says what became of a change on trial.
func (a *app) trialEnded(u *revision.Unconfirmed) error {
	text := oneLine(u.Title + ": " + u.Ended)
	if u.Ended == revision.TrialConfirmed || u.Ended == revision.TrialConfirmedElsewhere {
		fmt.Fprintln(a.err, text)
		return nil
	}
	return fmt.Errorf("%s: %w", text, errPutBack)
}

// backTime is how long an interrupted command tries to put its change back.
const backTime = 10 * time.Second

// trialLeft puts the change back of a command that is interrupted.
func (a *app) trialLeft(e *engine.Engine) error {
	ctx, cancel := context.WithTimeout(context.Background(), backTime)
	defer cancel()
	u := e.PutBack(ctx)
	if u.Open() {
		return fmt.Errorf("%s: not put back yet: %s; the next start of Rung does it; until then: %s: %w", u.Title, u.Why, a.byHand(e, u), errPutBack)
	}
	return a.trialEnded(u)
}

// enters tells when enter is pressed, where somebody sits at a terminal.
func (a *app) enters(ctx context.Context) (entered <-chan struct{}, stop func()) {
	if !a.asks {
		return nil, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	got, done := make(chan struct{}, 1), make(chan struct{})
	go func() {
		defer close(done)
		in := reading.Reader(ctx, a.keyboard)
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
