package ovn

import (
	"context"
	"errors"
	"slices"
	"time"

	"rung/model"
	"rung/model/clean"
	"rung/sources/retry"
	"rung/sources/sandbox/child"
)

const (
	// askAgain is how often a process is asked whether it answers, and silentAfter how
	// long it may take. OVN's own have many things to do at once on a small machine.
	askAgain    = time.Second
	silentAfter = 3 * time.Second
	// countAgain is how often nb_cfg is raised.
	countAgain = 3 * time.Second
)

// watch asks every process whether it answers, and counts nb_cfg up so that its numbers
// say whether flows follow rows, until ctx ends.
func (z *Zone) watch(ctx context.Context) {
	for _, n := range names {
		z.wg.Go(func() {
			for retry.Sleep(ctx, askAgain) {
				z.ask(ctx, n.name)
			}
		})
	}
	for retry.Sleep(ctx, countAgain) {
		if p, ok := z.Progress(); ok && p.HV >= p.NB { // else the node has still to follow the last time
			wait, cancel := context.WithTimeout(ctx, silentAfter)
			_, _ = z.bump(wait) // that the server is away is told of the server
			cancel()
		}
	}
}

// ask asks a process and notes whether it answers.
func (z *Zone) ask(ctx context.Context, name string) {
	p := z.procs[name]
	pid := p.Pid()
	if pid == 0 {
		return // its death was told
	}
	began := time.Now()
	wait, cancel := context.WithTimeout(ctx, silentAfter)
	defer cancel()
	_, err := z.Control(wait, name, "version")
	switch {
	case err == nil:
		p.Answers(pid, true)
	case ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
		z.mu.Lock()
		z.asked[name] = began
		z.mu.Unlock()
		p.Answers(pid, false)
	}
}

// notUpYet is a process whose start takes long.
const notUpYet child.State = "not up yet"

// Faults are what is wrong in the zone now, in the order it came.
func (z *Zone) Faults() []model.Fault {
	z.mu.Lock()
	defer z.mu.Unlock()
	var out []model.Fault
	for _, n := range names {
		d := z.states[n.name]
		switch {
		case d.State == child.Running, d.State == child.Died && d.Err == nil && time.Since(d.Since) < child.ReadyWithin:
			continue // it runs, or comes up
		case d.State == child.Died && d.Err == nil:
			d.State = notUpYet
		case d.State == child.Silent:
			d.Since = z.asked[n.name]
		}
		f := model.Fault{What: d.Name, State: string(d.State), Since: d.Since}
		if d.Err != nil {
			f.Error = clean.Text(d.Err.Error())
		}
		out = append(out, f)
	}
	if z.late != nil {
		out = append(out, *z.late)
	}
	slices.SortStableFunc(out, func(a, b model.Fault) int { return a.Since.Compare(b.Since) })
	return out
}

// tellFaults tells what is wrong where it is not what was told last.
func (z *Zone) tellFaults() {
	z.telling.Lock()
	defer z.telling.Unlock()
	if now := z.Faults(); !slices.Equal(now, z.told) {
		z.told = now
		z.hear(now)
	}
}
