package engine

import (
	"context"
	"io"

	"rung/reconciler"
	"rung/sources/kube"
	"rung/sources/nbdb"
	"rung/sources/nbdb/remote"
)

// execZones makes the zones of nodes that are read through pods/exec in their
// ovnkube-node pods, which are looked for at every connection; nothing is written that
// way. They share what is equal in them, and a cap on connections that are being made.
func (e *Engine) execZones() func(node string) (reconciler.Zone, error) {
	limit := nbdb.NewLimiter(nbdb.DefaultDials)
	return func(node string) (reconciler.Zone, error) {
		return remote.Dial(remote.Config{
			Name: node, Share: e.share, Limit: limit, Slot: e.slots.Take,
			Open: e.inZonePod(node),
		}), nil
	}
}

// inZonePod runs programs in the ovnkube-node pod of a node, which is looked for each time.
func (e *Engine) inZonePod(node string) func(context.Context) (remote.Runner, string, error) {
	c, namespaces := e.cfg.Kube, e.ovnNamespaces()
	return func(ctx context.Context) (remote.Runner, string, error) {
		pod, err := c.ZonePod(ctx, node, namespaces)
		if err != nil {
			return nil, "", err
		}
		return podRunner{c, pod.Target()}, "exec:" + pod.Target().String(), nil
	}
}

// podRunner runs programs in a container.
type podRunner struct {
	cluster *kube.Cluster
	target  kube.ExecTarget
}

func (r podRunner) Run(ctx context.Context, cmd []string, stdin io.Reader, stdout, stderr io.Writer) error {
	return r.cluster.Exec(ctx, r.target, cmd, kube.ExecIO{Stdin: stdin, Stdout: stdout, Stderr: stderr})
}
