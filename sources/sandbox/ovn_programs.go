package sandbox

import (
	"context"
	"fmt"
	"time"

	"rung/model/ovn/flow"
)

// syncWithin is how long to wait for flows before running ovn-trace without them.
const syncWithin = 5 * time.Second

// OVNTrace runs ovn-trace for a packet on the zone's Southbound database, and returns the command and its
// output. The flows include all rows written before. If northd does not finish within syncWithin, they are the
// last flows that northd made.
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

// runProgram runs one of OVN's programs to its end and returns its output.
func (z *Zone) runProgram(ctx context.Context, cmd []string) (string, error) {
	run, err := z.lab.tools.CommandContext(ctx, cmd[0], cmd[1:]...)
	if err != nil {
		return "", err
	}
	return RunOutput(ctx, z.lab.guard, run, flow.MaxInput)
}

// Meters returns the datapath's counts of each meter, by ovn-controller's name for it.
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
