package engine

import (
	"context"
	"errors"
	"fmt"

	"rung/model/ovn/ovntrace"
	"rung/sources/kube"
	"rung/sources/nbdb/remote"
	"rung/sources/sandbox"
)

// ovnRunner runs ovn-trace about a packet, and says where, what was run and what it
// printed.
type ovnRunner func(ctx context.Context, ask *ovntrace.Ask) (where string, cmd []string, text string, err error)

// ovnRunner is where ovn-trace can be run: in the sandbox on OVN, or in the zones' pods.
func (e *Engine) ovnRunner() (ovnRunner, error) {
	switch {
	case e.cfg.Sandbox != nil:
		var sb *sandbox.Sandbox
		var why string
		e.do(func(s *state) { sb, why = s.sandbox, s.noOVN })
		switch {
		case sb == nil:
			return nil, fmt.Errorf("%w: the sandbox is still starting", ErrNoOVNTrace)
		case sb.OVN() == "" && why != "":
			return nil, fmt.Errorf("%w: the sandbox does not run on OVN: %s", ErrNoOVNTrace, why)
		case sb.OVN() == "":
			return nil, fmt.Errorf("%w: the sandbox does not run on OVN; see --sandbox-ovn", ErrNoOVNTrace)
		}
		return func(ctx context.Context, ask *ovntrace.Ask) (string, []string, string, error) {
			cmd, text, err := sb.OVNTrace(ctx, ask)
			return "the sandbox's OVN " + sb.OVN(), cmd, text, err
		}, nil
	case e.cfg.Kube != nil:
		return e.ovnInPod, nil
	}
	return nil, fmt.Errorf("%w: it runs in the pods of a cluster (--context), or in the sandbox on OVN; --nb gives databases only", ErrNoOVNTrace)
}

// ovnInPod runs ovn-trace beside the zone's Southbound database, in the container that the
// Northbound one is read in: all of them have the same image and see both sockets.
func (e *Engine) ovnInPod(ctx context.Context, ask *ovntrace.Ask) (where string, cmd []string, text string, err error) {
	if cmd, err = ask.Command("unix:" + remote.DefaultSouthboundSocket); err != nil {
		return "", nil, "", err
	}
	pod, err := e.cfg.Kube.ZonePod(ctx, ask.Zone, e.cfg.namespaces())
	if err != nil {
		return "", cmd, "", err
	}
	where = "exec:" + pod.Target().String()
	out, err := e.pods.Output(ctx, pod.Target(), cmd, ovnTraceWithin, ovntrace.MaxInput)
	if errors.Is(err, kube.ErrNoCommand) {
		err = fmt.Errorf("%w: %w", ErrNoProgram, err)
	}
	return where, cmd, string(out), err
}
