package ovn

import (
	"context"
	"fmt"
	"rung/model/clean"
	"rung/model/ovn/nb"
	"rung/sources/retry"
	"time"
)

// Progress is how far a zone's rows have come, as the Northbound database says: rows
// written, flows made, nodes done.
type Progress struct {
	NB, SB, HV int64 // nb_cfg, sb_cfg, hv_cfg
}

// Progress is how far the zone's rows have come; ok is false while the database
// cannot be read.
func (z *Zone) Progress() (p Progress, ok bool) {
	tables, synced, _ := z.nb.now(nb.TableGlobal)
	for _, r := range tables[0] {
		return Progress{NB: r.number("nb_cfg"), SB: r.number("sb_cfg"), HV: r.number("hv_cfg")}, synced
	}
	return p, false
}

// syncAgain is the wait between two looks at what Sync waits for.
const syncAgain = 5 * time.Millisecond

// Sync waits until every row that was written before the call is flows on the node
// and decides about packets, and every logical port is bound.
func (z *Zone) Sync(ctx context.Context) (Progress, error) {
	for {
		n, err := z.bump(ctx)
		if err != nil {
			// The server is being started again, or just died.
			if !retry.Sleep(ctx, syncAgain) {
				return Progress{}, fmt.Errorf("zone %s: %w", z.cfg.Name, err)
			}
			continue
		}
		if err := z.nb.until(ctx, func() bool { p, ok := z.Progress(); return ok && p.NB >= n }); err != nil {
			return Progress{}, fmt.Errorf("zone %s: reading nb_cfg %d: %w", z.cfg.Name, n, err)
		}
		// The rows of before are known now. Where ports were still to come, the number
		// says nothing about their flows: it is taken again.
		waited := false
		for why := z.bridge.lacking(); why != ""; why = z.bridge.lacking() {
			waited = true
			if !retry.Sleep(ctx, syncAgain) {
				return Progress{}, fmt.Errorf("zone %s: %s: %w", z.cfg.Name, clean.Text(why), ctx.Err())
			}
		}
		if waited {
			continue
		}
		err = z.nb.until(ctx, func() bool { p, ok := z.Progress(); return ok && p.SB >= n && p.HV >= n })
		p, _ := z.Progress()
		if err != nil {
			return p, fmt.Errorf("zone %s: nb_cfg %d is followed by sb_cfg %d and hv_cfg %d: %w", z.cfg.Name, n, p.SB, p.HV, err)
		}
		// hv_cfg says that ovs-vswitchd has the flows. What its datapath keeps of those
		// before decides on, until it has been compared (ovn-kubernetes.md#rows-flows-nodes).
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

// bump counts nb_cfg up.
func (z *Zone) bump(ctx context.Context) (int64, error) {
	res, err := z.nb.transact(ctx,
		map[string]any{"op": "mutate", "table": nb.TableGlobal, "where": []any{}, "mutations": []any{[]any{"nb_cfg", "+=", 1}}},
		map[string]any{"op": "select", "table": nb.TableGlobal, "where": []any{}, "columns": []string{"nb_cfg"}})
	if err != nil {
		return 0, err
	}
	return firstNumber(res[1]["rows"], "nb_cfg")
}
