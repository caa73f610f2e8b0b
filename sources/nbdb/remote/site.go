package remote

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The programs that are of use, by the names they have on PATH.
const (
	socat       = "socat"
	python3     = "python3"
	ovsdbClient = "ovsdb-client"
	bash        = "bash"
)

// site is what is known of the place where programs run. It is immutable.
type site struct {
	endpoint string
	socket   string
	tools    []string
	// schema is what is left of the reply to get_schema when only names are kept;
	// empty until read.
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
