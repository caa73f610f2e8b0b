package lab

import (
	"context"
	"errors"
	"fmt"

	"rung/model/ovn/flow"
)

// OVNTracer returns a function that runs ovn-trace in the sandbox and returns place, command and output. The
// error says why it cannot run.
func (l *Lab) OVNTracer() (run func(ctx context.Context, ask *flow.PacketQuestion) (where string, cmd []string, text string, err error),
	err error) {
	sb, why := l.Sandbox()
	switch {
	case sb == nil:
		return nil, errors.New("the sandbox is still starting")
	case sb.OVN() == "" && why != "":
		return nil, fmt.Errorf("the sandbox does not run on OVN: %s", why)
	case sb.OVN() == "":
		return nil, errors.New("the sandbox does not run on OVN; see --sandbox-ovn")
	}
	return func(ctx context.Context, ask *flow.PacketQuestion) (string, []string, string, error) {
		cmd, text, err := sb.OVNTrace(ctx, ask)
		return "the sandbox's OVN " + sb.OVN(), cmd, text, err
	}, nil
}
