package nbdb

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"rung/model/words"
)

// runLimits bounds a program's silence, run time and output.
type runLimits struct {
	quiet    time.Duration // longest silence, from the start; 0: unlimited
	total    time.Duration // longest run; 0: unlimited
	maxBytes int           // bytes on stdout
}

// RunOutput runs a program without input and returns its output. It ends the program with an error if it runs
// longer than within or writes more than most bytes.
func RunOutput(ctx context.Context, run Runner, cmd []string, within time.Duration, most int) ([]byte, error) {
	return captureOutput(ctx, run, cmd, runLimits{total: within, maxBytes: most})
}

// captureOutput runs a program without input and returns its output.
func captureOutput(ctx context.Context, run Runner, cmd []string, l runLimits) ([]byte, error) {
	limited, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	quiet := time.AfterFunc(cmp.Or(l.quiet, forever), func() { cancel(fmt.Errorf("%w for %v", ErrSilent, l.quiet)) })
	defer quiet.Stop()
	total := time.AfterFunc(cmp.Or(l.total, forever), func() { cancel(fmt.Errorf("%w: not done after %v", ErrSilent, l.total)) })
	defer total.Stop()
	out := &boundedBuffer{bytesLeft: int64(l.maxBytes), onWrite: func(isOver bool) {
		quiet.Reset(cmp.Or(l.quiet, forever))
		if isOver {
			cancel(fmt.Errorf("%w: more than %d bytes", ErrOutput, l.maxBytes))
		}
	}}
	said := newStderr()
	err := run.Run(limited, cmd, nil, out, said)
	if ctx.Err() == nil && limited.Err() != nil {
		err = context.Cause(limited)
	}
	if err != nil {
		return nil, said.explainError(err)
	}
	return out.b.Bytes(), nil
}

// forever is longer than any program runs.
const forever = time.Duration(math.MaxInt64)

// OutputTail keeps the end of a program's output.
type OutputTail struct {
	MaxBytes int
	mu       sync.Mutex
	b        []byte
}

// newStderr returns a tail for a program's stderr.
func newStderr() *OutputTail { return &OutputTail{MaxBytes: 512} }

func (t *OutputTail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, p...)
	if n := len(t.b) - t.MaxBytes; n > 0 {
		t.b = append(t.b[:0], t.b[n:]...)
	}
	return len(p), nil
}

// TakeText returns the output without the space around it, and clears it.
func (t *OutputTail) TakeText() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := string(bytes.TrimSpace(t.b))
	t.b = nil
	return text
}

// explainError adds the program's stderr to an error, or to the fact that it ended.
func (t *OutputTail) explainError(err error) error {
	err = cmp.Or(err, errors.New("the program ended"))
	if said := words.CleanText(t.TakeText()); said != "" {
		return fmt.Errorf("%w: %s", err, said)
	}
	return err
}

// The usable programs, by their names on PATH.
const (
	socat       = "socat"
	python3     = "python3"
	ovsdbClient = "ovsdb-client"
	bash        = "bash"
)

// siteFacts describes the place where programs run. It is immutable.
type siteFacts struct {
	endpoint string
	socket   string
	tools    []string
	// schema is the reply to get_schema; empty until read.
	schema string
}

func (s *siteFacts) hasTool(tool string) bool { return slices.Contains(s.tools, tool) }

// surveyScript is a fixed program that prints which tools exist, and which arguments, counted from 0, are sockets.
const surveyScript = `for t in socat python3 ovsdb-client bash; do
	if command -v "$t" >/dev/null 2>&1; then echo "tool $t"; fi
done
n=0
for s do
	if [ -S "$s" ]; then echo "socket $n"; fi
	n=$((n+1))
done
exit 0`

// surveySite finds the tools and the socket of an endpoint.
func (c *programAccess) surveySite(ctx context.Context, run Runner, endpoint string) (*siteFacts, error) {
	cmd := append([]string{"sh", "-c", surveyScript, "rung"}, c.cfg.Sockets...)
	out, err := captureOutput(ctx, run, cmd, runLimits{quiet: c.cfg.Quiet, maxBytes: 64 << 10})
	var exit interface{ ExitStatus() int }
	switch {
	case errors.As(err, &exit):
		return nil, fmt.Errorf("%w of %s: not even a shell: %w", ErrNoTools, endpoint, err)
	case err != nil:
		return nil, fmt.Errorf("looking for programs in %s: %w", endpoint, err)
	}
	s := &siteFacts{endpoint: endpoint}
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
	if !s.hasTool(socat) && !s.hasTool(python3) && !s.hasTool(ovsdbClient) {
		return nil, fmt.Errorf("%w of %s: neither socat, python3 nor ovsdb-client", ErrNoTools, endpoint)
	}
	return s, nil
}
