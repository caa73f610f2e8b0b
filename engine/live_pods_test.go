package engine

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rung/change"
	"rung/engine/lab"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/revision"
	"rung/test/given"
	"rung/test/wait"
)

// A pod counts as waiting until its port is there, then the policy takes it in.
func TestLivePortDelay(t *testing.T) {
	w := newLiveWorld(t, livePolicies()...)
	const delay = 400 * time.Millisecond
	r := w.run(func(c *Config) { c.Sandbox = lab.New(lab.Config{Server: "builtin", Dir: w.sockets, PortDelay: delay}) })
	r.settle("control", "worker")
	began := time.Now()
	w.file("more.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: late, namespace: blue, labels: {app: late}}\n"+
		"spec: {nodeName: worker, containers: [{name: c}]}\nstatus: {phase: Running, podIPs: [{ip: 10.244.9.9}]}\n")
	rev := r.until("the pod waits", func(rev *revision.Revision) bool {
		return revision.SummarizePolicy(rev, given.ANPKey("one"), r.Now()).Waiting == 1
	})
	if !slices.ContainsFunc(rev.Zone("worker").PolicyJoin(given.ANPKey("one")).Diffs, func(d model.RowDiff) bool {
		return strings.Contains(d.Waiting, "logical switch port") && slices.Equal(d.Fields[0].Missing, []string{"blue_late"})
	}) {
		t.Errorf("%+v", rev.Zone("worker").PolicyJoin(given.ANPKey("one")).Diffs)
	}
	rev = r.settle("control", "worker")
	if took := time.Since(began); took < delay {
		t.Errorf("the port came after %v", took)
	}
	if r.Revision().Cluster.Pod("blue", "late") == nil {
		t.Error("the pod is gone")
	}
	w.compiledAnew(rev.Cluster, "worker")
}

// Simulated traffic is decided by the live rows, and each line it writes leads
// back to its rule; a zone that goes and comes back does not stop it.
func TestLiveTraffic(t *testing.T) {
	w := newLiveWorld(t, livePolicies()...)
	r := w.run(func(c *Config) { c.Sandbox = lab.New(lab.Config{Server: "builtin", Dir: w.sockets, Traffic: 400}) })
	r.settle("control", "worker")
	r.change(change.Mutation{Op: change.OpLogLevel, Policy: given.ANPKey("one"), Levels: model.LogLevels{Deny: "alert", Allow: "info"}})
	lines := func() (n int) {
		for _, e := range r.Logs().EntriesAfter(0, 1000) {
			if e.Attributed && e.Rule.Policy == given.ANPKey("one") {
				n++
			}
		}
		return n
	}
	wait.Within(t, wait.Patience, "lines of the policy", func() bool { return lines() >= 5 })
	for _, e := range r.Logs().EntriesAfter(0, 1000) {
		if e.Attributed && (e.Rule.Policy != given.ANPKey("one") || e.Line.Zone != "control" && e.Line.Zone != "worker") {
			t.Fatalf("%+v", e)
		}
	}
	w.controlLeaves(r)
	n := lines()
	wait.Within(t, wait.Patience, "more lines", func() bool { return lines() > n })
	if st := r.Logs().Stats(); st.Unparsed > 0 || st.Unattributed > 0 {
		t.Errorf("%d lines unparsed, %d unattributed of %d", st.Unparsed, st.Unattributed, st.Received)
	}
}

// controlLeaves takes a node and its zone away and brings them back.
func (w *liveWorld) controlLeaves(r *liveRun) {
	w.t.Helper()
	all := given.Objects()
	cut := strings.Index(all, "---\napiVersion: v1\nkind: Node\nmetadata: {name: control")
	end := cut + 4 + strings.Index(all[cut+4:], "---\n")
	w.file("cluster.yaml", all[:cut]+all[end:])
	r.settle("worker")
	w.file("cluster.yaml", all)
	r.settle("control", "worker")
}

// The activity says what was done to each zone, and with which commands.
func TestLiveActivity(t *testing.T) {
	w := newLiveWorld(t, livePolicies()...)
	r := w.sandbox()
	r.settle("control", "worker")
	r.change(movedTo("one", 12))
	r.settle("control", "worker")
	for _, zone := range []string{"control", "worker"} {
		// The rows are seen, in either case, before or after the answer to the
		// transaction that wrote them.
		updated := func(a model.Activity) bool {
			return a.Zone == zone && a.Policy == given.ANPKey("one") && strings.Contains(a.Summary, "updated")
		}
		r.until("the update is told", func(*revision.Revision) bool { return slices.ContainsFunc(r.Activity(0), updated) })
		all := r.Activity(0)
		a := all[slices.IndexFunc(all, updated)]
		want := fmt.Sprint("priority=", 30000-1200)
		if a.Summary != "one: 3 ACLs updated" || a.Took <= 0 || a.By != "reconciler" || !strings.Contains(strings.Join(a.Commands, "\n"), want) {
			t.Errorf("%+v, want a command with %s", a, want)
		}
		if n := w.read(zone).ACLByID(nb.DefaultController + ":AdminNetworkPolicy:one:Ingress:0:tcp").Priority; n != 30000-1200 {
			t.Errorf("%s: %d", zone, n)
		}
	}
}
