package zones

import (
	"context"
	"errors"
	"fmt"
	"rung/model/ovn/flow"
	"rung/sources/kube"
	"rung/sources/nbdb"
)

// Runner runs ovn-trace about a packet, and returns place, command and output.
type Runner = func(ctx context.Context, ask *flow.PacketQuestion) (where string, cmd []string, text string, err error)

// currentRunner returns a runner for the sandbox on OVN, or for the zones' pods.
func (t *OVNTracer) currentRunner() (Runner, error) {
	switch {
	case t.sandbox != nil:
		run, err := t.sandbox()
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrNoOVNTrace, err)
		}
		return run, nil
	case t.Pods != nil:
		return t.runInPod, nil
	}
	return nil, fmt.Errorf("%w: it runs in the pods of a cluster (--context), or in the sandbox on OVN; --nb gives databases only",
		ErrNoOVNTrace)
}

// runInPod runs ovn-trace beside the zone's Southbound database, in the container used to read the Northbound
// database: both have the same image and see both sockets.
func (t *OVNTracer) runInPod(ctx context.Context, ask *flow.PacketQuestion) (where string, cmd []string, text string, err error) {
	if cmd, err = ask.CommandLine("unix:" + nbdb.DefaultSouthboundSocket); err != nil {
		return "", nil, "", err
	}
	pod, err := t.Pods.Cluster.ZonePod(ctx, ask.Zone, t.Pods.Namespaces)
	if err != nil {
		return "", cmd, "", err
	}
	where = "exec:" + pod.Target().String()
	out, err := t.Pods.RunProgram(ctx, pod.Target(), cmd, traceWithin, flow.MaxInput)
	if errors.Is(err, kube.ErrNoCommand) {
		err = fmt.Errorf("%w: %w", ErrNoProgram, err)
	}
	return where, cmd, string(out), err
}
