package kube_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/bench/workload"
	"rung/model"
	"rung/sources/kube"
	"rung/test/install"
	"rung/test/kube/cluster"
	"rung/test/term"
	"rung/test/wait"
)

// Sizes of the test of reports; RUNG_SCALE=1 asks for the whole.
var (
	wholeReports = scale{Size: workload.Size{Nodes: 1000, Namespaces: 500, Pods: 100_000, Policies: 200, Rules: 10, Peers: 2, Seed: 2}, real: 1,
		patience: 10 * time.Minute, slack: 1}
	smallReports = scale{Size: workload.Size{Nodes: 60, Namespaces: 50, Pods: 1000, Policies: 50, Rules: 10, Peers: 2, Seed: 2}, real: 1,
		patience: time.Minute, slack: 3}
)

// Goals of the whole, with agents.
const (
	reportedLadderWithin = time.Second
	reportedStateWithin  = 5 * time.Second
	reportedMemory       = 400.0 // MB
	reportLife           = 20 * time.Second
)

// TestScaleReports: a console on many zones, with an agent on each. One is real; what it reports is replayed for the
// others, whose Leases are renewed as agents do.
func TestScaleReports(t *testing.T) {
	s := smallReports
	if os.Getenv("RUNG_SCALE") == "1" {
		s = wholeReports
	}
	f := newFleet(t, s)
	defer f.print(t)
	withAgents(t, f.c)
	writer, watch := f.writer(t, 0, 1)
	f.stop(t, writer, watch)
	agent := serviceAs(t, f.c, cluster.Admin, "agent", "observe", "--nb", f.nodes[0]+"="+f.servers[0].Addr(), "--agent", "agent-"+f.nodes[0])
	wait.Within(t, f.patience, "the agent reports", func() bool {
		r := report(t, f.c, f.nodes[0])
		return r != nil && r.Units > 0
	})
	f.rows = append(f.rows, fmt.Sprintf("%10.0f MB  memory of an agent at its peak", memoryPeak(t, agent.cmd.Process.Pid)))
	text, err := f.c.Kubectl(t.Context(), cluster.Admin, "", "get", "zonereport", f.nodes[0], "-o", "json")
	must(t, err)
	if dir := os.Getenv("RUNG_SCALE_PROFILE"); dir != "" {
		must(t, os.WriteFile(filepath.Join(dir, "report.json"), []byte(text), 0o600))
	}
	var written struct{ Report model.ZoneReport }
	must(t, json.Unmarshal([]byte(text), &written))
	compact, err := json.Marshal(written.Report)
	must(t, err)
	f.rows = append(f.rows, fmt.Sprintf("%10.1f kB  a report with %d policies, as JSON", float64(len(compact))/1e3, s.Policies))
	agents := replayAgents(t, f, &written.Report)

	began := time.Now()
	d := term.Start(t, term.Options{Path: install.Binary(t), Args: on(f.c, onlooker), Width: 200, Height: 90})
	ladder := d.WaitUntil("shows a policy", func(f *term.Frame) bool { return strings.Contains(f.Text(), "policy-00") })
	f.row("start to the ladder, with agents", ladder, reportedLadderWithin)
	all := fmt.Sprintf("●%d", len(f.nodes))
	if len(f.nodes) >= 1000 {
		all = "●1,000"
	}
	d.WaitUntil("shows every zone", func(f *term.Frame) bool { return strings.Contains(f.Text(), all) })
	f.row(fmt.Sprintf("start to the state of all %d zones, by their agents", len(f.nodes)), time.Since(began), reportedStateWithin)

	changed := time.Now()
	drifted := written.Report
	drifted.Differing = []model.DifferingUnit{{Kind: model.KindANP, Name: "policy-00", State: model.StateBehind, Missing: 1,
		Since: changed.Add(-time.Minute), Touched: changed.Add(-time.Minute), LivePriority: -1}}
	agents.write(t, f.nodes[len(f.nodes)-1], &drifted)
	d.WaitFor(f.nodes[len(f.nodes)-1])
	f.row("a report of a missing row to its zone on the ladder", time.Since(changed), 2*time.Second)
	if took := d.Latency("?"); took > time.Second {
		t.Errorf("a key took %v", took)
	}
	peak := memoryPeak(t, d.Pid())
	f.rows = append(f.rows, fmt.Sprintf("%10.0f MB  memory of rung at its peak, %d zones by agents, %d pods (goal: %.0f MB)", peak, len(f.nodes), s.Pods, reportedMemory))
	d.WaitFor("keys on this page")
	d.Press("csi esc").WaitGone("keys on this page")
	d.Press("ctrl+c").WaitExit(0)
}

// replayedAgents are the agents of all nodes but the first.
type replayedAgents struct {
	cluster *kube.Cluster
	fleet   *fleet
	leases  sync.Map // resource versions by node
}

// replayAgents writes a report like the given one for every other node, and renews the Leases until the test ends.
func replayAgents(t *testing.T, f *fleet, like *model.ZoneReport) *replayedAgents {
	t.Helper()
	c, err := kube.Open(kube.Options{Kubeconfig: f.c.Kubeconfig(cluster.Admin), QPS: 1000, Burst: 2000})
	must(t, err)
	a := &replayedAgents{cluster: c, fleet: f}
	others := f.nodes[1:]
	began := time.Now()
	a.each(others, func(node string) {
		a.renew(t.Context(), node, true)
		a.write(t, node, like)
	})
	f.row(fmt.Sprintf("%d agents write their first report and Lease, at once", len(others)), time.Since(began), 0)
	ctx, stop := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			a.renew(ctx, others[i%len(others)], false)
			select {
			case <-ctx.Done():
			case <-time.After(reportLife / time.Duration(len(others))):
			}
		}
	})
	t.Cleanup(func() { stop(); done.Wait() })
	return a
}

// each calls f for all nodes, some at once.
func (a *replayedAgents) each(nodes []string, f func(node string)) {
	var wg sync.WaitGroup
	work := make(chan string)
	for range 32 {
		wg.Go(func() {
			for node := range work {
				f(node)
			}
		})
	}
	for _, node := range nodes {
		work <- node
	}
	close(work)
	wg.Wait()
}

func (a *replayedAgents) write(t *testing.T, node string, like *model.ZoneReport) {
	t.Helper()
	r := *like
	r.Agent, r.Lease, r.JudgedAt = "agent-"+node, "rung-observe-node-"+node, time.Now()
	if err := a.cluster.WriteZoneReport(t.Context(), node, &r); err != nil {
		t.Error(err)
	}
}

// renew is a sign of life of a node's agent.
func (a *replayedAgents) renew(ctx context.Context, node string, first bool) {
	now, holder, seconds := metav1.NowMicro(), "agent-"+node, int32(3*reportLife/time.Second)
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "rung", Name: "rung-observe-node-" + node},
		Spec: coordinationv1.LeaseSpec{HolderIdentity: &holder, RenewTime: &now, LeaseDurationSeconds: &seconds}}
	leases := a.fleet.c.Client.CoordinationV1().Leases("rung")
	var err error
	if first {
		lease, err = leases.Create(ctx, lease, metav1.CreateOptions{})
	} else {
		last, _ := a.leases.Load(node)
		lease.ResourceVersion = last.(string)
		lease, err = leases.Update(ctx, lease, metav1.UpdateOptions{})
	}
	if err == nil {
		a.leases.Store(node, lease.ResourceVersion)
	} else if ctx.Err() == nil {
		a.fleet.t.Error(err)
	}
}
