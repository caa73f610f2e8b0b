package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
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

// The programs that are of use, by the names they have on PATH.
const (
	socat       = "socat"
	python3     = "python3"
	ovsdbClient = "ovsdb-client"
	bash        = "bash"
)

// site holds the known facts about the place where programs run. It is immutable.
type site struct {
	endpoint string
	socket   string
	tools    []string
	// schema is the reply to get_schema cut down to names; empty until read.
	schema string
}

func (s *site) has(tool string) bool { return slices.Contains(s.tools, tool) }

// survey is a fixed program that says which of the tools are there, and which of
// its arguments, counted from 0, are paths of sockets.
const survey = `for t in socat python3 ovsdb-client bash; do
	if command -v "$t" >/dev/null 2>&1; then echo "tool $t"; fi
done
n=0
for s do
	if [ -S "$s" ]; then echo "socket $n"; fi
	n=$((n+1))
done
exit 0`

// survey finds out what there is to work with.
func (c *reach) survey(ctx context.Context, run Runner, endpoint string) (*site, error) {
	cmd := append([]string{"sh", "-c", survey, "rung"}, c.cfg.Sockets...)
	out, err := capture(ctx, run, cmd, limits{quiet: c.cfg.Quiet, most: 64 << 10})
	var exit interface{ ExitStatus() int }
	if errors.As(err, &exit) {
		return nil, fmt.Errorf("%w of %s: not even a shell: %w", ErrNoTools, endpoint, err)
	}
	if err != nil {
		return nil, fmt.Errorf("looking for programs in %s: %w", endpoint, err)
	}
	s := &site{endpoint: endpoint}
	for line := range bytes.Lines(out) {
		kind, name, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		switch {
		case kind == "tool":
			s.tools = append(s.tools, name)
		case kind == "socket" && s.socket == "":
			if n, err := strconv.Atoi(name); err == nil && n >= 0 && n < len(c.cfg.Sockets) {
				s.socket = c.cfg.Sockets[n]
			}
		}
	}
	if s.socket == "" {
		return nil, fmt.Errorf("%w %s in %s: looked for %s", ErrNoSocket, c.db.name, endpoint, strings.Join(c.cfg.Sockets, ", "))
	}
	if !s.has(socat) && !s.has(python3) && !s.has(ovsdbClient) {
		return nil, fmt.Errorf("%w of %s: neither socat, python3 nor ovsdb-client", ErrNoTools, endpoint)
	}
	return s, nil
}
