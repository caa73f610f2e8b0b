package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"rung/model/clean"
	"rung/sources/nbdb"
)

// limits bound what a program may do.
type limits struct {
	quiet time.Duration // the longest silence, from the start on; 0: any
	total time.Duration // the longest run; 0: any
	most  int           // bytes on stdout
}

// Output runs a program without input and returns what it wrote, at most so many bytes and
// within a time.
func Output(ctx context.Context, run Runner, cmd []string, within time.Duration, most int) ([]byte, error) {
	return capture(ctx, run, cmd, limits{total: within, most: most})
}

// capture runs a program without input and returns what it wrote.
func capture(ctx context.Context, run Runner, cmd []string, l limits) ([]byte, error) {
	limited, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	out := &gather{most: l.most, over: cancel}
	if l.quiet > 0 {
		t := time.AfterFunc(l.quiet, func() { cancel(fmt.Errorf("%w for %v", nbdb.ErrSilent, l.quiet)) })
		defer t.Stop()
		out.seen = func() { t.Reset(l.quiet) }
	}
	if l.total > 0 {
		t := time.AfterFunc(l.total, func() { cancel(fmt.Errorf("%w: not done after %v", nbdb.ErrSilent, l.total)) })
		defer t.Stop()
	}
	var said tail
	err := run.Run(limited, cmd, nil, out, &said)
	if ctx.Err() == nil && limited.Err() != nil {
		err = context.Cause(limited)
	}
	if err != nil {
		return nil, said.explain(err)
	}
	return out.b.Bytes(), nil
}

// gather keeps what is written up to a limit, and ends the program beyond it.
type gather struct {
	b    bytes.Buffer
	most int
	over context.CancelCauseFunc
	seen func() // may be nil
}

func (g *gather) Write(p []byte) (int, error) {
	if g.b.Len()+len(p) > g.most {
		err := fmt.Errorf("%w: more than %d bytes", ErrOutput, g.most)
		g.over(err)
		return 0, err
	}
	if g.seen != nil {
		g.seen()
	}
	return g.b.Write(p)
}

// tail keeps the end of what a program says on stderr.
type tail struct {
	mu sync.Mutex
	b  []byte
}

// saidMost is how many bytes of stderr are kept.
const saidMost = 512

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, p...)
	if n := len(t.b); n > saidMost {
		t.b = append(t.b[:0], t.b[n-saidMost:]...)
	}
	return len(p), nil
}

// explain adds to an error what the program said.
func (t *tail) explain(err error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	said := bytes.TrimSpace(t.b)
	if err == nil && len(said) == 0 {
		return errors.New("the program ended")
	}
	if err == nil {
		return fmt.Errorf("the program ended: %s", clean.Text(string(said)))
	}
	if len(said) == 0 {
		return err
	}
	return fmt.Errorf("%w: %s", err, clean.Text(string(said)))
}
