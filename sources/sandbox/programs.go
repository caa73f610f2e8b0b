package sandbox

import (
	"context"
	"fmt"
	"time"

	"rung/model/ovn/flow"
)

// syncWithin is how long flows are waited for before ovn-trace is asked all the same.
const syncWithin = 5 * time.Second

// OVNTrace asks ovn-trace about a packet, of the zone's Southbound database, and returns
// the command that was run and what it printed. The flows are those of all rows that were
// written before, unless northd stands still: then of what it last made.
func (z *Zone) OVNTrace(ctx context.Context, ask *flow.PacketQuestion) (cmd []string, text string, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("zone %s: running ovn-trace: %w", z.cfg.Name, err)
		}
	}()
	if cmd, err = ask.CommandLine(z.SB()); err != nil {
		return nil, "", err
	}
	synced, stop := context.WithTimeout(ctx, syncWithin)
	_, late := z.WaitSynced(synced)
	stop()
	if late != nil && ctx.Err() != nil {
		return cmd, "", late
	}
	text, err = z.runProgram(ctx, cmd)
	return cmd, text, err
}

// runProgram runs one of OVN's programs to its end and returns what it printed.
func (z *Zone) runProgram(ctx context.Context, cmd []string) (string, error) {
	run, err := z.tools.CommandContext(ctx, cmd[0], cmd[1:]...)
	if err != nil {
		return "", err
	}
	return RunOutput(ctx, z.guard, run, flow.MaxInput)
}

// Meters returns the datapath's counts of each meter, by the name ovn-controller has for
// it.
func (z *Zone) Meters(ctx context.Context) (map[string]flow.MeterStat, error) {
	list, err := z.Control(ctx, Controller, "meter-table-list")
	if err != nil {
		return nil, err
	}
	stats, err := z.runProgram(ctx, []string{"ovs-ofctl", "-O", "OpenFlow15", "meter-stats", "unix:" + z.filePath("br-int.mgmt")})
	if err != nil {
		return nil, fmt.Errorf("zone %s: reading its meters: %w", z.cfg.Name, err)
	}
	return flow.ParseMeters(list, stats), nil
}
