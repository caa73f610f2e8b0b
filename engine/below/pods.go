package below

import (
	"context"
	"io"
	"time"

	"rung/reconciler"
	"rung/sources/kube"
	"rung/sources/nbdb"
	"rung/sources/nbdb/remote"
	"rung/sources/slots"
)

// Pods are the ovnkube-node pods of a cluster, in which programs are run.
type Pods struct {
	Cluster    *kube.Cluster
	Namespaces []string
}

// ZoneMaker makes the zones of nodes that are read through pods/exec in their
// ovnkube-node pods, which are looked for at every connection; nothing is written that
// way. They share what is equal in them, and a cap on connections that are being made.
func (p *Pods) ZoneMaker(share *nbdb.Sharing, slots slots.Slots) func(node string) (reconciler.Zone, error) {
	limit := nbdb.NewLimiter(nbdb.DefaultDials)
	return func(node string) (reconciler.Zone, error) {
		return remote.Dial(remote.Config{Name: node, Share: share, Limit: limit, Slot: slots.TakeSlot, Open: p.OpenRunner(node)}), nil
	}
}

// OpenRunner runs programs in the ovnkube-node pod of a node, which is looked for each time.
func (p *Pods) OpenRunner(node string) func(context.Context) (remote.Runner, string, error) {
	return func(ctx context.Context) (remote.Runner, string, error) {
		pod, err := p.Cluster.ZonePod(ctx, node, p.Namespaces)
		if err != nil {
			return nil, "", err
		}
		return podRunner{p.Cluster, pod.Target()}, "exec:" + pod.Target().String(), nil
	}
}

// RunProgram runs a program in a container and returns the output, up to most bytes.
func (p *Pods) RunProgram(ctx context.Context, target kube.ExecTarget, cmd []string, within time.Duration, most int) ([]byte, error) {
	return remote.RunOutput(ctx, podRunner{p.Cluster, target}, cmd, within, most)
}

// podRunner runs programs in a container.
type podRunner struct {
	cluster *kube.Cluster
	target  kube.ExecTarget
}

func (r podRunner) Run(ctx context.Context, cmd []string, stdin io.Reader, stdout, stderr io.Writer) error {
	return r.cluster.Exec(ctx, r.target, cmd, kube.ExecIO{Stdin: stdin, Stdout: stdout, Stderr: stderr})
}
