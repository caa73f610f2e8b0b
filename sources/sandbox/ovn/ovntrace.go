package ovn

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"rung/model/clean"
	"rung/model/ovn/ovntrace"
)

// errTooLong says that a program printed more than is read.
var errTooLong = fmt.Errorf("more than %d MiB", ovntrace.MaxInput>>20)

// syncWithin is how long flows are waited for before ovn-trace is asked all the same.
const syncWithin = 5 * time.Second

// OVNTrace asks ovn-trace about a packet, of the zone's Southbound database, and returns
// the command that was run and what it printed. The flows are those of all rows that were
// written before, unless northd stands still: then of what it last made.
func (z *Zone) OVNTrace(ctx context.Context, ask *ovntrace.Ask) (cmd []string, text string, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("zone %s: running ovn-trace: %w", z.cfg.Name, err)
		}
	}()
	if cmd, err = ask.Command(z.SB()); err != nil {
		return nil, "", err
	}
	synced, stop := context.WithTimeout(ctx, syncWithin)
	_, late := z.Sync(synced)
	stop()
	if late != nil && ctx.Err() != nil {
		return cmd, "", late
	}
	text, err = z.output(ctx, cmd)
	return cmd, text, err
}

// output runs one of OVN's programs to its end and returns what it printed.
func (z *Zone) output(ctx context.Context, cmd []string) (string, error) {
	run, err := z.tools.CommandContext(ctx, cmd[0], cmd[1:]...)
	if err != nil {
		return "", err
	}
	out, said := &bounded{most: ovntrace.MaxInput}, &bounded{most: 4 << 10}
	run.Stdout, run.Stderr, run.WaitDelay = out, said, time.Second
	wait, err := z.guard.Start(run)
	if err != nil {
		return "", err
	}
	err = wait()
	switch {
	case out.over:
		return "", errTooLong
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		words := strings.TrimSpace(out.b.String() + "\n" + said.b.String())
		return "", errors.Join(err, errors.New(clean.Text(words)))
	}
	return out.b.String(), nil
}

// bounded keeps what is written up to a limit.
type bounded struct {
	b    bytes.Buffer
	most int
	over bool
}

// Write takes everything: a program must not end because nobody keeps what it says.
func (w *bounded) Write(p []byte) (int, error) {
	if keep := min(len(p), w.most-w.b.Len()); keep < len(p) {
		w.over = true
		w.b.Write(p[:keep])
	} else {
		w.b.Write(p)
	}
	return len(p), nil
}
