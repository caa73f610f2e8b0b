package engine

import (
	"context"
	"io"

	"rung/sources/kube"
	"rung/sources/nbdb"
	"rung/sources/nbdb/remote"
)

// kubeZone is a node's zone, read through pods/exec in its ovnkube-node pod, which
// is looked for at every connection. It never writes. With no namespaces those
// of upstream and OpenShift are looked in. All zones of a cluster are given the
// same share, limit and turn; each may be nil.
func kubeZone(c *kube.Cluster, node string, ovnNamespaces []string, share *nbdb.Sharing, limit *nbdb.Limiter, turn func(work func())) *remote.Conn {
	return remote.Dial(remote.Config{
		Name: node, Share: share, Limit: limit, Slot: turn,
		Open: func(ctx context.Context) (remote.Runner, string, error) {
			pod, err := c.ZonePod(ctx, node, ovnNamespaces)
			if err != nil {
				return nil, "", err
			}
			return podRunner{c, pod.Target()}, "exec:" + pod.Target().String(), nil
		},
	})
}

// podRunner runs programs in a container.
type podRunner struct {
	cluster *kube.Cluster
	target  kube.ExecTarget
}

func (r podRunner) Run(ctx context.Context, cmd []string, stdin io.Reader, stdout, stderr io.Writer) error {
	return r.cluster.Exec(ctx, r.target, cmd, kube.ExecIO{Stdin: stdin, Stdout: stdout, Stderr: stderr})
}
