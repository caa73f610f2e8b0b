package kube_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"rung/bench"
	"rung/bench/workload"
	"rung/compiler"
	"rung/model"
	"rung/test/kube/cluster"
	"rung/test/wait"
)

// workloadPolicies is how many policies both sizes have.
const workloadPolicies = 50

// fleet is a large cluster and its zones.
type fleet struct {
	t *testing.T
	scale
	c       *cluster.Cluster
	bulk    *cluster.Bulk
	model   *model.Cluster // what is in the API server, as far as policies go
	desired *compiler.Desired
	comp    *compiler.Compiler
	nodes   []string
	acls    []string // ids of all ACLs
	later   []*model.Pod
	servers []*bench.Server // of the first nodes
	replay  *bench.Replay
	rows    []string // of the table
}

// newFleet fills an API server and starts the zones, the real ones with nothing
// but the ports of their pods.
func newFleet(t *testing.T, s scale) *fleet {
	f := &fleet{t: t, scale: s}
	ctx := t.Context()
	f.c = start(t, cluster.Config{APIServer: []string{"--max-requests-inflight", "2000", "--max-mutating-requests-inflight", "1000"}})
	var err error
	f.bulk, err = f.c.Bulk()
	must(t, err)
	began := time.Now()
	must(t, f.bulk.Load(ctx, s.Size))
	f.row(fmt.Sprintf("%d pods with their status written to the API server", s.Pods), time.Since(began), 0)
	f.model, err = workload.Cluster(s.Size)
	must(t, err)
	labels := map[int]model.Labels{}
	for p := range f.model.Pods() {
		if len(labels) == 16 {
			break
		}
		labels[len(labels)] = p.Labels
	}
	for i := range s.pods * len(s.written) {
		f.later = append(f.later, workload.Pod(s.Size, s.Pods+i, labels[i%len(labels)]))
	}
	f.compile()
	for n := range f.model.Nodes() {
		f.nodes = append(f.nodes, n.Name)
	}
	for p := range f.desired.Policies() {
		for _, a := range f.desired.RowsOfUnit(p.Key, "", nil).ACLs {
			f.acls = append(f.acls, a.ID())
		}
	}
	pods := slices.AppendSeq(slices.Clone(f.later), f.model.Pods())
	for _, node := range f.nodes[:s.real] {
		srv, err := bench.StartServer(ctx, node)
		must(t, err)
		t.Cleanup(func() { must(t, srv.Close()) })
		f.servers = append(f.servers, srv)
		must(t, srv.Seed(ctx, pods, nil, nil))
	}
	f.replay, err = bench.NewReplay(context.WithoutCancel(ctx), f.model)
	must(t, err)
	t.Cleanup(func() { must(t, f.replay.Close()) })
	return f
}

// compile compiles what there is.
func (f *fleet) compile() {
	var objects []model.Change
	for o := range f.model.Objects() {
		objects = append(objects, model.Change{New: o})
	}
	f.comp = compiler.New(compiler.Options{})
	f.desired, _ = f.comp.Apply(f.model, objects)
}

// writer starts `rung reconcile` for some of the real zones and waits until their
// rows are as a compile has them.
func (f *fleet) writer(t *testing.T, from, to int) (r *replica, watch []*bench.Observer) {
	var nb []string
	for i := from; i < to; i++ {
		nb = append(nb, "--nb", f.nodes[i]+"="+f.servers[i].Addr())
	}
	r = replicaWith(t, f.c, fmt.Sprintf("scale-%d-%d", from, to), append(nb, "--no-lease", "--log-level", "warn")...)
	for i := from; i < to; i++ {
		o, err := bench.Observe(t.Context(), f.nodes[i], f.servers[i].Addr())
		must(t, err)
		t.Cleanup(o.Close)
		watch = append(watch, o)
	}
	for i, o := range watch {
		want := bench.DesiredCounts(f.desired, f.nodes[from+i])
		wait.Within(t, f.patience, "the rows of "+f.nodes[from+i], func() bool { return o.Counts() == want })
	}
	return r, watch
}

// stop ends a replica as an operator does.
func (f *fleet) stop(t *testing.T, r *replica, watch []*bench.Observer) {
	for _, o := range watch {
		o.Close()
	}
	r.signal(syscall.SIGTERM)
	wait.Within(t, patience, "the replica ends", func() bool { return !r.running() })
}

// writtenAtOnce is how many of the real zones a replica fills: a server that gets
// 2,000 sets of 400 addresses in a few transactions needs half a core for seconds,
// and one that does not answer meanwhile is dialled anew.
const writtenAtOnce = 5

// reconcileAll writes the rows of all real zones.
func (f *fleet) reconcileAll(t *testing.T) {
	began := time.Now()
	var peak float64
	for from := 0; from < len(f.servers); from += writtenAtOnce {
		to := min(from+writtenAtOnce, len(f.servers))
		r, watch := f.writer(t, from, to)
		for i, o := range watch {
			must(t, bench.Check(o.DB(), f.model, f.nodes[from+i]))
		}
		peak = max(peak, memoryPeak(t, r.cmd.Process.Pid))
		f.stop(t, r, watch)
	}
	f.row(fmt.Sprintf("rung reconcile filled %d empty zones, %d at a time", len(f.servers), writtenAtOnce), time.Since(began), 0)
	f.rows = append(f.rows, fmt.Sprintf("%10.0f MB  memory of rung reconcile at its peak, %d zones", peak, min(writtenAtOnce, len(f.servers))))
}

// latency measures the way of a pod from the API server to the rows of n zones:
// from the moment its status, which has its address, is sent until the last of
// the zones shows it in every set, over a connection of the test's own.
func (f *fleet) latency(t *testing.T, n int) {
	r, watch := f.writer(t, 0, n)
	defer f.stop(t, r, watch)
	var took []time.Duration
	for _, p := range f.later[:f.pods] {
		object, err := f.bulk.NewPod(t.Context(), p)
		must(t, err)
		if d, changes := f.pod(t, p, object, watch); changes {
			took = append(took, d)
		}
		time.Sleep(100 * time.Millisecond) // one after the other, not a burst
	}
	f.later = f.later[f.pods:]
	if len(took) < f.pods/2 {
		t.Errorf("only %d of %d pods are in a set", len(took), f.pods)
		return
	}
	slices.Sort(took)
	f.rows = append(f.rows, fmt.Sprintf("%10.0f ms  a pod from the API server to the rows of %d zones, median; p99 %d ms, most %d ms, of %d pods", ms(took[len(took)/2]), n,
		took[len(took)*99/100].Milliseconds(), took[len(took)-1].Milliseconds(), len(took)))
	for i, o := range watch {
		wait.Within(t, patience, "the rows of "+f.nodes[i]+" after the pods", func() bool { return bench.Check(o.DB(), f.model, f.nodes[i]) == nil })
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// pod starts a pod and waits for its rows; changes says whether there are any.
func (f *fleet) pod(t *testing.T, p *model.Pod, object *corev1.Pod, watch []*bench.Observer) (took time.Duration, changes bool) {
	next, steps := f.model.Upsert([]model.Object{p}, nil)
	d, delta := f.comp.Apply(next, steps)
	f.model, f.desired = next, d
	var seen []<-chan time.Time
	for i, o := range watch {
		seen = append(seen, o.Expect(d, delta, f.nodes[i]))
	}
	began := time.Now()
	must(t, f.bulk.StartPod(t.Context(), p, object))
	if len(delta.Members) == 0 {
		return 0, false
	}
	for i, ch := range seen {
		select {
		case at := <-ch:
			took = max(took, at.Sub(began))
		case <-time.After(patience):
			t.Fatalf("zone %s does not show pod %s", f.nodes[i], p.Name)
		}
	}
	return took, true
}

// memoryPeak is the most memory a process had, in MB (VmHWM).
func memoryPeak(t *testing.T, pid int) float64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	must(t, err)
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			must(t, err)
			return kb / 1e3
		}
	}
	t.Fatal("the system does not say how much memory a process had")
	return 0
}
