package sandbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/sources/retry"
)

// ZoneProgress is how far a zone's rows have come, as the Northbound database says: rows
// written, flows made, nodes done.
type ZoneProgress struct {
	NB, SB, HV int64 // nb_cfg, sb_cfg, hv_cfg
}

// Progress is how far the zone's rows have come; ok is false while the database
// cannot be read.
func (z *Zone) Progress() (p ZoneProgress, ok bool) {
	tables, synced, _ := z.nb.currentRows(nb.TableGlobal)
	for _, r := range tables[0] {
		return ZoneProgress{NB: r.intOf("nb_cfg"), SB: r.intOf("sb_cfg"), HV: r.intOf("hv_cfg")}, synced
	}
	return p, false
}

// syncAgain is the wait between two looks at what WaitSynced waits for.
const syncAgain = 5 * time.Millisecond

// WaitSynced waits until every row that was written before the call is flows on the node
// and decides about packets, and every logical port is bound.
func (z *Zone) WaitSynced(ctx context.Context) (ZoneProgress, error) {
	for {
		n, err := z.bumpNBCfg(ctx)
		if err != nil {
			// The server is being started again, or just died.
			if !retry.Sleep(ctx, syncAgain) {
				return ZoneProgress{}, fmt.Errorf("zone %s: %w", z.cfg.Name, err)
			}
			continue
		}
		if err := z.nb.waitUntil(ctx, func() bool { p, ok := z.Progress(); return ok && p.NB >= n }); err != nil {
			return ZoneProgress{}, fmt.Errorf("zone %s: reading nb_cfg %d: %w", z.cfg.Name, n, err)
		}
		// The rows of before are known now. Where ports were still to come, the number
		// says nothing about their flows: it is taken again.
		waited := false
		for why := z.bridge.lackingText(); why != ""; why = z.bridge.lackingText() {
			waited = true
			if !retry.Sleep(ctx, syncAgain) {
				return ZoneProgress{}, fmt.Errorf("zone %s: %s: %w", z.cfg.Name, words.CleanText(why), ctx.Err())
			}
		}
		if waited {
			continue
		}
		err = z.nb.waitUntil(ctx, func() bool { p, ok := z.Progress(); return ok && p.SB >= n && p.HV >= n })
		p, _ := z.Progress()
		if err != nil {
			return p, fmt.Errorf("zone %s: nb_cfg %d is followed by sb_cfg %d and hv_cfg %d: %w", z.cfg.Name, n, p.SB, p.HV, err)
		}
		// hv_cfg says that ovs-vswitchd has the flows. Entries that its datapath made of
		// earlier flows still decide, until it has compared them
		// (ovn-kubernetes.md#rows-flows-nodes).
		if _, err := z.Control(ctx, VSwitchd, "revalidator/purge"); err != nil {
			// It is being started again, or just died.
			if !retry.Sleep(ctx, syncAgain) {
				return p, err
			}
			continue
		}
		return p, nil
	}
}

// bumpNBCfg counts nb_cfg up.
func (z *Zone) bumpNBCfg(ctx context.Context) (int64, error) {
	res, err := z.nb.runTransaction(ctx,
		map[string]any{"op": "mutate", "table": nb.TableGlobal, "where": []any{}, "mutations": []any{[]any{"nb_cfg", "+=", 1}}},
		map[string]any{"op": "select", "table": nb.TableGlobal, "where": []any{}, "columns": []string{"nb_cfg"}})
	if err != nil {
		return 0, err
	}
	return res[1].firstNumber("nb_cfg")
}

const (
	// askAgain is how often a process is asked whether it answers, and silentAfter how
	// long it may take. OVN's own have many things to do at once on a small machine.
	askAgain    = time.Second
	silentAfter = 3 * time.Second
	// countAgain is how often nb_cfg is raised.
	countAgain = 3 * time.Second
)

// watchDaemons asks every process whether it answers, and counts nb_cfg up so that its numbers
// say whether flows follow rows, until ctx ends.
func (z *Zone) watchDaemons(ctx context.Context) {
	for _, n := range zoneNamesOf {
		z.wg.Go(func() {
			for retry.Sleep(ctx, askAgain) {
				z.askDaemon(ctx, n.name)
			}
		})
	}
	for retry.Sleep(ctx, countAgain) {
		if p, ok := z.Progress(); ok && p.HV >= p.NB { // else the node has still to follow the last time
			wait, cancel := context.WithTimeout(ctx, silentAfter)
			_, _ = z.bumpNBCfg(wait) // that the server is away is told of the server
			cancel()
		}
	}
}

// askDaemon asks a process and notes whether it answers.
func (z *Zone) askDaemon(ctx context.Context, name string) {
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
		p.NoteAnswer(pid, true)
	case ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
		z.mu.Lock()
		z.askedAt[name] = began
		z.mu.Unlock()
		p.NoteAnswer(pid, false)
	}
}

// notUpYet is a process whose start takes long.
const notUpYet State = "not up yet"

// Faults returns the current faults in the zone, in the order they came.
func (z *Zone) Faults() []model.Fault {
	z.mu.Lock()
	defer z.mu.Unlock()
	var out []model.Fault
	for _, n := range zoneNamesOf {
		d := z.states[n.name]
		switch {
		case d.State == Running, d.State == Died && d.Err == nil && time.Since(d.Since) < ReadyWithin:
			continue // it runs, or comes up
		case d.State == Died && d.Err == nil:
			d.State = notUpYet
		case d.State == Silent:
			d.Since = z.askedAt[n.name]
		}
		f := model.Fault{Process: d.Name, State: string(d.State), Since: d.Since}
		if d.Err != nil {
			f.Error = words.CleanText(d.Err.Error())
		}
		out = append(out, f)
	}
	if z.lateFault != nil {
		out = append(out, *z.lateFault)
	}
	slices.SortStableFunc(out, func(a, b model.Fault) int { return a.Since.Compare(b.Since) })
	return out
}

// reportFaults tells what is wrong where it is not what was told last.
func (z *Zone) reportFaults() {
	z.telling.Lock()
	defer z.telling.Unlock()
	if now := z.Faults(); !slices.Equal(now, z.faults) {
		z.faults = now
		z.hear(now)
	}
}
