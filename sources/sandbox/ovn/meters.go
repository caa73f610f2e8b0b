package ovn

import (
	"context"
	"fmt"

	"rung/model/ovn/flow"
)

// Meters are what the datapath counted at each meter, by the name ovn-controller has for
// it.
func (z *Zone) Meters(ctx context.Context) (map[string]flow.MeterStat, error) {
	list, err := z.Control(ctx, Controller, "meter-table-list")
	if err != nil {
		return nil, err
	}
	stats, err := z.output(ctx, []string{"ovs-ofctl", "-O", "OpenFlow15", "meter-stats", "unix:" + z.file("br-int.mgmt")})
	if err != nil {
		return nil, fmt.Errorf("zone %s: reading its meters: %w", z.cfg.Name, err)
	}
	return flow.ParseMeters(list, stats), nil
}
