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

// ZoneProgress holds the Northbound database's counters: rows written, flows made, nodes done.
type ZoneProgress struct {
	NB, SB, HV int64 // nb_cfg, sb_cfg, hv_cfg
}

// Progress returns the zone's counters; ok is false while the database is unreadable.
func (z *Zone) Progress() (p ZoneProgress, ok bool) {
	tables, synced, _ := z.nb.currentRows(nb.TableGlobal)
	for _, r := range tables[0] {
		return ZoneProgress{NB: r.intAt("nb_cfg"), SB: r.intAt("sb_cfg"), HV: r.intAt("hv_cfg")}, synced
	}
	return p, false
}

// syncAgain is the wait between two checks in WaitSynced.
const syncAgain = 5 * time.Millisecond

// WaitSynced waits until all rows written before the call are flows that decide about packets, and all logical
// ports are bound.
func (z *Zone) WaitSynced(ctx context.Context) (ZoneProgress, error) {
	for {
		n, err := z.bumpNBCfg(ctx)
		if err != nil {
			// The server just died or is restarting.
			if !retry.Sleep(ctx, syncAgain) {
				return ZoneProgress{}, fmt.Errorf("zone %s: %w", z.cfg.Name, err)
			}
			continue
		}
		if err := z.nb.waitUntil(ctx, func() bool { p, ok := z.Progress(); return ok && p.NB >= n }); err != nil {
			return ZoneProgress{}, fmt.Errorf("zone %s: reading nb_cfg %d: %w", z.cfg.Name, n, err)
		}
		// The earlier rows are known now. If ports were missing, the number does not cover their flows, so a
		// new one is taken.
		waited := false
		for why := z.bridge.unfinishedText(); why != ""; why = z.bridge.unfinishedText() {
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
			return p, fmt.Errorf("zone %s: waiting for nb_cfg %d: sb_cfg is %d, hv_cfg %d: %w", z.cfg.Name, n, p.SB, p.HV, err)
		}
		// hv_cfg means that ovs-vswitchd has the flows. Its datapath's entries from earlier flows still decide
		// until they are revalidated (ovn-kubernetes.md#rows-flows-nodes).
		if _, err := z.Control(ctx, VSwitchd, "revalidator/purge"); err != nil {
			// The process just died or is restarting.
			if !retry.Sleep(ctx, syncAgain) {
				return p, err
			}
			continue
		}
		return p, nil
	}
}

// bumpNBCfg increments nb_cfg.
func (z *Zone) bumpNBCfg(ctx context.Context) (int64, error) {
	return z.nb.raiseNumber(ctx, nb.TableGlobal, "nb_cfg")
}

const (
	// askAgain is how often a process is asked for an answer, silentAfter how long that may take. OVN's
	// processes are busy on a small machine.
	askAgain    = time.Second
	silentAfter = 3 * time.Second
	// countAgain is how often nb_cfg is incremented.
	countAgain = 3 * time.Second
)

// watchDaemons asks every process for an answer until ctx ends. It also increments nb_cfg, whose counters show
// whether flows follow rows.
func (z *Zone) watchDaemons(ctx context.Context) {
	for _, n := range zoneProcesses {
		z.wg.Go(func() {
			for retry.Sleep(ctx, askAgain) {
				z.askDaemon(ctx, n.name)
			}
		})
	}
	for retry.Sleep(ctx, countAgain) {
		if p, ok := z.Progress(); ok && p.HV >= p.NB { // else the node has not finished the last increment
			wait, cancel := context.WithTimeout(ctx, silentAfter)
			_, _ = z.bumpNBCfg(wait) // a missing server is reported elsewhere
			cancel()
		}
	}
}

// askDaemon asks a process for an answer and records the result.
func (z *Zone) askDaemon(ctx context.Context, name string) {
	p := z.procs[name]
	pid := p.Pid()
	if pid == 0 {
		return // its death was reported
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

// notUpYet is the state of a process that starts slowly.
const notUpYet State = "not up yet"

// Faults returns the zone's current faults, oldest first.
func (z *Zone) Faults() []model.Fault {
	z.mu.Lock()
	defer z.mu.Unlock()
	var out []model.Fault
	for _, n := range zoneProcesses {
		d := z.states[n.name]
		switch {
		case d.State == Running, d.State == Died && d.Err == nil && time.Since(d.Since) < ReadyWithin:
			continue // running or starting
		case d.State == Died && d.Err == nil:
			d.State = notUpYet
		case d.State == Silent:
			d.Since = z.askedAt[n.name]
		}
		f := model.Fault{Process: d.Name, State: string(d.State), Since: model.Stamp{Time: d.Since}}
		if d.Err != nil {
			f.Error = words.CleanText(d.Err.Error())
		}
		out = append(out, f)
	}
	if z.lateFault != nil {
		out = append(out, *z.lateFault)
	}
	slices.SortStableFunc(out, func(a, b model.Fault) int { return a.Since.Compare(b.Since.Time) })
	return out
}

// reportFaults reports the faults if they changed.
func (z *Zone) reportFaults() {
	z.reporting.Lock()
	defer z.reporting.Unlock()
	if now := z.Faults(); !slices.Equal(now, z.faults) {
		z.faults = now
		z.lab.cfg.OnFaults(z.cfg.Name, now)
	}
}
