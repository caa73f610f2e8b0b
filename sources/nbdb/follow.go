package nbdb

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"rung/sources/retry"
)

// monitors is a fixed program that runs one "ovsdb-client monitor-cond" for each three arguments after the
// first two: ovsdb-client monitors one table or all. When a monitor or standard input ends, all end. The time
// limit is for a pod that never learns that Rung is gone.
const monitors = `exec 3<&0
at=$1; db=$2; shift 2; pids=()
while [ $# -ge 3 ]; do
	ovsdb-client --timeout=3600 -f json monitor-cond "$at" "$db" "$1" "$2" "$3" </dev/null &
	pids+=($!)
	shift 3
done
{ read -r _ <&3; } &
pids+=($!)
wait -n
kill "${pids[@]}" 2>/dev/null
wait
exit 1`

// minMonitorRun is the running time after which a monitor's end is normal: its time limit, or the kubelet's for idle
// streams.
const minMonitorRun = time.Minute

// followChanges sends changes until ctx ends, and misses none. Monitors report the rows they start with, so a
// later snapshot has every earlier change, and every later change is reported.
func (p *serverPlayer) followChanges(ctx context.Context, tables []tableColumns) {
	dirty := make(chan struct{}, 1)
	ended := make(chan error, 1)
	every := p.cfg.Poll
	if p.site.hasTool(bash) {
		every = p.cfg.Check
		p.wg.Go(func() { ended <- p.watchTables(ctx, tables, dirty) })
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	pause := time.Now().Add(p.cfg.Refresh)
	for {
		var err error
		select {
		case <-ctx.Done():
			return
		case err = <-ended:
			err = fmt.Errorf("monitor-cond: %w", err)
		case <-dirty:
			if !retry.Sleep(ctx, time.Until(pause)) {
				return
			}
			began := time.Now()
			err = p.refreshRows(ctx, tables)
			pause = time.Now().Add(max(p.cfg.Refresh-time.Since(began), time.Since(began)))
		case <-tick.C:
			if p.site.hasTool(bash) {
				// A sign of life: monitors are also silent if the database has stopped.
				_, err = p.queryRows(ctx, []tableColumns{p.db.alive})
			} else {
				err = p.refreshRows(ctx, tables)
			}
		}
		if err != nil {
			p.end(err)
			return
		}
	}
}

// refreshRows takes a snapshot and sends the differences from the last one.
func (p *serverPlayer) refreshRows(ctx context.Context, tables []tableColumns) error {
	raw, err := p.queryRows(ctx, tables)
	if err != nil {
		return err
	}
	updates, err := p.rows.takeReply(splitConditions(tables), raw, "insert")
	if err != nil || len(updates) <= len("{}") {
		return err
	}
	params := append(append([]byte(`["rung",`), updates...), ']')
	return p.rpc.Write(NotificationText("update2", params))
}

// watchTables keeps the monitors running and sets dirty on any output.
func (p *serverPlayer) watchTables(ctx context.Context, tables []tableColumns, dirty chan<- struct{}) error {
	cmd := []string{bash, "-c", monitors, "rung", "unix:" + p.site.socket, p.db.name}
	for _, t := range tables {
		where, _ := json.Marshal(append([]json.RawMessage{}, t.where...)) // JSON cannot fail
		cmd = append(cmd, string(where), t.name, strings.Join(t.columns, ","))
	}
	for {
		began := time.Now()
		err := p.watchOnce(ctx, cmd, dirty)
		if ctx.Err() != nil || time.Since(began) < minMonitorRun {
			return err
		}
	}
}

func (p *serverPlayer) watchOnce(ctx context.Context, cmd []string, dirty chan<- struct{}) error {
	stdin, open := io.Pipe() // closing it ends the program
	defer open.Close()
	stop := context.AfterFunc(ctx, func() { _ = open.Close() })
	defer stop()
	said := newStderr()
	return said.explainError(p.run.Run(ctx, cmd, stdin, dirtyBell(dirty), said))
}

// dirtyBell signals that something was written, and drops the data.
type dirtyBell chan<- struct{}

func (b dirtyBell) Write(p []byte) (int, error) {
	retry.Wake(b)
	return len(p), nil
}
