package cluster

import (
	"context"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"time"
)

// Databases are the addresses of nodes' Northbound databases, by node.
type Databases map[string]string

// NB are the options of rung that name the databases.
func (d Databases) NB() []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(d)) {
		out = append(out, "--nb", name+"="+d[name])
	}
	return out
}

// Dump prints a zone's whole database with OVS's own client.
func (d Databases) Dump(ctx context.Context, zone string) ([]byte, error) {
	return d.client(ctx, "-f", "json", "dump", d[zone], "OVN_Northbound")
}

// Transact runs a transaction, in OVSDB's JSON, with OVS's own client: another
// hand than Rung's.
func (d Databases) Transact(ctx context.Context, zone, operations string) ([]byte, error) {
	return d.client(ctx, "transact", d[zone], operations)
}

func (d Databases) client(ctx context.Context, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "ovsdb-client", args...).Output()
	if err != nil {
		return nil, fmt.Errorf("ovsdb-client %s: %w", args[0], err)
	}
	return out, nil
}
