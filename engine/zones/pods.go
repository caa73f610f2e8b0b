package zones

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"rung/reconciler"
	"rung/sources/kube"
	"rung/sources/nbdb"
	"rung/sources/retry"
)

// Pods runs programs in the ovnkube-node pods of a cluster.
type Pods struct {
	Cluster    *kube.Cluster
	Namespaces []string
}

// ZoneMaker returns a function that makes the zone of a node, read through pods/exec in its ovnkube-node pod.
// The pod is looked up for every connection; nothing is written. The zones share equal rows, and a limit on
// connections being made.
func (p *Pods) ZoneMaker(share *nbdb.Sharing, slots retry.Slots) func(node string) (reconciler.Zone, error) {
	limit := nbdb.NewLimiter(nbdb.DefaultDials)
	return func(node string) (reconciler.Zone, error) {
		return nbdb.DialRemote(nbdb.RemoteConfig{Name: node, Share: share, Limit: limit, Slot: slots.TakeSlot, Open: p.OpenRunner(node)}), nil
	}
}

// OpenRunner returns a runner for the ovnkube-node pod of a node, which is looked up each time.
func (p *Pods) OpenRunner(node string) func(context.Context) (nbdb.Runner, string, error) {
	return func(ctx context.Context) (nbdb.Runner, string, error) {
		pod, err := p.Cluster.ZonePod(ctx, node, p.Namespaces)
		if err != nil {
			return nil, "", err
		}
		return podRunner{p.Cluster, pod.Target()}, "exec:" + pod.Target().String(), nil
	}
}

// RunProgram runs a program in a container and returns its output, up to most bytes.
func (p *Pods) RunProgram(ctx context.Context, target kube.ExecTarget, cmd []string, within time.Duration, most int) ([]byte, error) {
	return nbdb.RunOutput(ctx, podRunner{p.Cluster, target}, cmd, within, most)
}

// podCommands lists all commands run in pods, as in clusters.md#what-rung-never-does: "…" is the rest of an
// argument, or at the end any further arguments.
var podCommands = []string{
	"sh -c … rung …",
	"socat - UNIX-CONNECT:…",
	"python3 -I -c … …",
	"ovsdb-client --timeout=… -f json get-schema …",
	"ovsdb-client --timeout=… -f json query …",
	"bash -c … rung …",
	"ovn-trace --db=unix:… --no-leader-only --detailed …",
	"ovn-appctl -t ovn-controller meter-table-list",
	"ovs-ofctl -O OpenFlow15 meter-stats br-int",
}

// matchesCommand reports whether a command matches a line of podCommands.
func matchesCommand(line string, cmd []string) bool {
	words := strings.Fields(line)
	for i, word := range words {
		if word == "…" && i == len(words)-1 {
			return true
		}
		start, open := strings.CutSuffix(word, "…")
		if i == len(cmd) || cmd[i] != word && !(open && strings.HasPrefix(cmd[i], start)) {
			return false
		}
	}
	return len(cmd) == len(words)
}

// errPodCommand means that the command is not in podCommands, and is not run.
var errPodCommand = errors.New("is not a command that Rung runs in pods")

// podRunner runs programs in a container.
type podRunner struct {
	cluster *kube.Cluster
	target  kube.ExecTarget
}

func (r podRunner) Run(ctx context.Context, cmd []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if !slices.ContainsFunc(podCommands, func(line string) bool { return matchesCommand(line, cmd) }) {
		return fmt.Errorf("%q %w", cmd, errPodCommand)
	}
	return r.cluster.Exec(ctx, r.target, cmd, kube.ExecIO{Stdin: stdin, Stdout: stdout, Stderr: stderr})
}
