package kube_test

import (
	"encoding/json"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/test/kube/cluster"
	"rung/test/wait"
)

// writer is who holds a zone's rows, as NB_Global says.
func writer(t testing.TB, z databases, zone string) (id, epoch string) {
	t.Helper()
	g := global(t, z, zone)
	return g["rung/writer"], g["rung/epoch"]
}

// ready waits until every zone's condition of a policy is as wanted.
func ready(t testing.TB, c *cluster.Cluster, name, status, reason, message string) {
	t.Helper()
	var got []condition
	ok := wait.Poll(patience, func() bool {
		got = live(t, c, "anp", name).Status.Conditions
		slices.SortFunc(got, func(a, b condition) int { return strings.Compare(a.Type, b.Type) })
		var want []condition
		for _, node := range smallNodes {
			want = append(want, condition{Type: "Ready-In-Zone-" + node, Status: status, Reason: reason, Message: message})
		}
		return cmp.Equal(want, got)
	})
	if !ok {
		t.Fatalf("the conditions of %s: %+v", name, got)
	}
}

// What a cluster's controllers would do, `rung reconcile` does: rows as
// compiled, and conditions, events and metrics word for word (ovn-kubernetes.md#events,
// #status-conditions, #metrics).
func TestReconcile(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c := start(t, cluster.Config{})
	small(t, c)
	z, err := c.AddZones(ctx, smallNodes...)
	must(t, err)
	r := reconcile(t, c, z, "one")
	done := phase(t, "reconcile: start to rows")
	asCompiled(t, c, z, smallNodes...)
	done()
	if said := r.said(); strings.Contains(said, "level=WARN") {
		t.Errorf("warnings of a start that is as it should be:\n%s", said)
	}
	const fine = "Setting up OVN DB plumbing was successful"
	ready(t, c, "guard-blue", "True", "SetupSucceeded", fine)
	for _, f := range live(t, c, "anp", "guard-blue").Metadata.ManagedFields {
		if f.Subresource == "status" && (!slices.Contains(smallNodes, f.Manager) || f.Operation != "Apply") {
			t.Errorf("the status is written by %+v", f)
		}
	}

	// Made by kubectl, by Flux and by Rung; a pod that comes; one that goes.
	must(t, c.Apply(ctx, anp("by-kubectl", 21, "tenant=red", "in Allow tenant=blue TCP:8080", "in Deny *")))
	makers[1].make(t, c, anp("by-flux", 22, "*", "out Deny 10.0.0.0/8"))
	makers[2].make(t, c, anp("by-rung", 23, "tenant=red", "out Pass tenant=blue"))
	must(t, c.Apply(ctx, "{apiVersion: policy.networking.k8s.io/v1alpha1, kind: BaselineAdminNetworkPolicy, metadata: {name: default}, "+
		"spec: {subject: {namespaces: {}}, ingress: [{action: Deny, from: [{namespaces: {}}]}]}}"))
	must(t, c.AddPod(ctx, "blue", "new", "n2", podIP(2, 200), "app", "a"))
	must(t, c.DeletePod(ctx, "red", "a-n1"))
	done = phase(t, "reconcile: policies and pods to rows")
	asCompiled(t, c, z, smallNodes...)
	done()
	for _, name := range []string{"by-kubectl", "by-flux", "by-rung"} {
		ready(t, c, name, "True", "SetupSucceeded", fine)
	}

	// An unsupported priority: event, condition, and no rows.
	must(t, c.Apply(ctx, anp("too-high", 120, "tenant=red", "in Deny tenant=blue")))
	ready(t, c, "too-high", "False", "SetupFailed",
		"error attempting to add ANP too-high with priority 120 because, OVNK only supports priority ranges 0-99")
	event(t, c, "too-high", "ANPWithUnsupportedPriority",
		"This ANP too-high has an unsupported priority 120; Please update the priority to a value between 0(highest priority) and 99(lowest priority)")

	// A duplicate: an event on the later one, and both are ready.
	must(t, c.Apply(ctx, anp("twin", 21, "tenant=blue", "in Deny tenant=red")))
	ready(t, c, "twin", "True", "SetupSucceeded", fine)
	event(t, c, "twin", "ANPWithDuplicatePriority", "This ANP twin has a conflicting priority with ANP by-kubectl:"+
		"Please verify your rules are non-lapping between all policies at same priority to avoid undefined behavior")

	// A bad logging annotation freezes: the rows of before stay.
	before := dumped(t, z, "n1")
	_, err = c.Kubectl(ctx, cluster.Admin, "", "annotate", "anp", "by-kubectl", `k8s.ovn.org/acl-logging={"deny":"LOUD"}`)
	must(t, err)
	ready(t, c, "by-kubectl", "False", "SetupFailed", "cannot parse ANP ACL logging annotation, disabling it for ANP by-kubectl: "+
		`disabling deny logging due to an invalid deny annotation. "LOUD" is not a valid log severity`)
	if diff := cmp.Diff(before, dumped(t, z, "n1")); diff != "" {
		t.Errorf("a frozen policy's rows changed: %s", diff)
	}
	_, err = c.Kubectl(ctx, cluster.Admin, "", "annotate", "--overwrite", "anp", "by-kubectl", `k8s.ovn.org/acl-logging={"deny":"alert"}`)
	must(t, err)
	ready(t, c, "by-kubectl", "True", "SetupSucceeded", fine)

	_, err = c.Kubectl(ctx, cluster.Admin, "", "delete", "anp", "by-flux", "twin", "too-high")
	must(t, err)
	asCompiled(t, c, z, smallNodes...)

	if got := r.metric("ovnkube_controller_admin_network_policies"); len(got) != 1 || !strings.HasSuffix(got[0], " 3") {
		t.Errorf("metrics: %v", got)
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		if body, code := r.get(path); code != 200 {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
	r.signal(syscall.SIGTERM)
	wait.Within(t, 20*time.Second, "it ends on SIGTERM", func() bool { return !r.running() })
	if code := r.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("ended with %d", code)
	}
}

// event waits for a warning about a policy.
func event(t testing.TB, c *cluster.Cluster, name, reason, message string) {
	t.Helper()
	var out string
	ok := wait.Poll(patience, func() bool {
		var err error
		out, err = c.Kubectl(t.Context(), cluster.Admin, "", "get", "events", "-A", "-o", "json", "--field-selector",
			"involvedObject.kind=AdminNetworkPolicy,involvedObject.name="+name)
		must(t, err)
		var list struct {
			Items []struct{ Reason, Message, Type string }
		}
		must(t, json.Unmarshal([]byte(out), &list))
		for _, e := range list.Items {
			if e.Reason == reason && e.Message == message && e.Type == "Warning" {
				return true
			}
		}
		return false
	})
	if !ok {
		t.Fatalf("no event %s %q: %s", reason, message, out)
	}
}

// It does not write where an ovnkube-controller runs, and writes on the node
// where none does.
func TestReconcileRefuses(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c := start(t, cluster.Config{})
	small(t, c)
	must(t, c.AddNamespace(ctx, "ovn-kubernetes"))
	must(t, c.Load(ctx, `{apiVersion: v1, kind: Pod, metadata: {name: ovnkube-node-x, namespace: ovn-kubernetes, labels: {app: ovnkube-node}},
  spec: {nodeName: n1, hostNetwork: true, containers: [{name: ovnkube-controller, image: none.invalid/c}]},
  status: {phase: Running, podIP: 172.18.0.2, podIPs: [{ip: 172.18.0.2}], conditions: [{type: Ready, status: "True"}],
    containerStatuses: [{name: ovnkube-controller, image: c, imageID: c, ready: true, started: true, restartCount: 0, state: {running: {}}}]}}`))
	z, err := c.AddZones(ctx, smallNodes...)
	must(t, err)
	before := dumped(t, z, "n1")
	r := reconcile(t, c, z, "stranger")
	asCompiled(t, c, z, "n2")
	wait.Within(t, patience, "it says who owns the rows", func() bool { return strings.Contains(r.said(), "ovnkube-controller") })
	time.Sleep(leaseDuration) // time in which it could have taken over
	if diff := cmp.Diff(before, dumped(t, z, "n1")); diff != "" {
		t.Errorf("rows of a zone that is another's changed: (-before +after)\n%s", diff)
	}
	if id, _ := writer(t, z, "n1"); id != "" {
		t.Errorf("the zone was taken by %s", id)
	}
}

// Of two replicas one writes. Killed, the other takes over within the lease
// time; no row is lost, none is there twice.
func TestLeaderKilled(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c := start(t, cluster.Config{})
	small(t, c)
	z, err := c.AddZones(ctx, smallNodes...)
	must(t, err)
	a := reconcile(t, c, z, "a")
	asCompiled(t, c, z, smallNodes...)
	b := reconcile(t, c, z, "b")
	wait.Within(t, patience, "the standby is ready", func() bool { _, code := b.get("/readyz"); return code == 200 })
	_, epoch := writer(t, z, "n1")
	must(t, c.Apply(ctx, anp("in-flight", 24, "tenant=red", "in Deny tenant=blue")))
	a.signal(syscall.SIGKILL)
	killed := time.Now()
	done := phase(t, "leader killed to rows of a new one")
	must(t, c.Apply(ctx, anp("after-kill", 25, "tenant=red", "in Allow tenant=blue")))
	must(t, c.AddPod(ctx, "red", "late", "n1", podIP(1, 201), "app", "a"))
	asCompiled(t, c, z, smallNodes...)
	done()
	if took, most := time.Since(killed), 2*leaseDuration+10*retryPeriod; took > most {
		t.Errorf("took over after %v, more than %v", took, most)
	}
	for _, zone := range smallNodes {
		if id, e := writer(t, z, zone); id == "" || e == epoch {
			t.Errorf("zone %s: writer %s epoch %s after epoch %s", zone, id, e, epoch)
		}
	}
	ready(t, c, "after-kill", "True", "SetupSucceeded", "Setting up OVN DB plumbing was successful")
}

// A leader that was stopped and wakes up writes nothing: its next transaction
// fails on the epoch, whatever its lease says.
func TestLeaderStopped(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c := start(t, cluster.Config{})
	small(t, c)
	z, err := c.AddZones(ctx, smallNodes...)
	must(t, err)
	a := reconcile(t, c, z, "a")
	asCompiled(t, c, z, smallNodes...)
	b := reconcile(t, c, z, "b")
	wait.Within(t, patience, "the standby is ready", func() bool { _, code := b.get("/readyz"); return code == 200 })
	was := map[string]string{}
	for _, zone := range smallNodes {
		was[zone], _ = writer(t, z, zone)
	}
	a.signal(syscall.SIGSTOP)
	done := phase(t, "leader stopped to rows of a new one")
	must(t, c.Apply(ctx, anp("while-stopped", 24, "tenant=red", "in Deny tenant=blue")))
	asCompiled(t, c, z, smallNodes...)
	done()
	for _, zone := range smallNodes {
		if id, _ := writer(t, z, zone); id == was[zone] {
			t.Fatalf("zone %s: the writer is %s still", zone, id)
		}
	}
	// What it sees first when it wakes is work: policies changed meanwhile.
	for i := range 5 {
		must(t, c.Apply(ctx, anp("while-stopped", 25+i, "tenant=red", "in Deny tenant=blue")))
	}
	asCompiled(t, c, z, smallNodes...)
	after, err := z.Dump(ctx, "n1")
	must(t, err)
	id, epoch := writer(t, z, "n1")
	a.signal(syscall.SIGCONT)
	wait.Within(t, patience, "the old leader says that it lost the zone", func() bool {
		said := a.said()
		return strings.Contains(said, "another writer") || strings.Contains(said, "no longer leads the zone")
	})
	if i, e := writer(t, z, "n1"); i != id || e != epoch {
		t.Errorf("writer %s epoch %s became %s %s", id, epoch, i, e)
	}
	now, err := z.Dump(ctx, "n1")
	must(t, err)
	if diff := cmp.Diff(string(after), string(now)); diff != "" {
		t.Errorf("the old leader wrote: %s", diff)
	}
	must(t, c.Apply(ctx, anp("while-stopped", 40, "tenant=red", "in Deny tenant=blue")))
	asCompiled(t, c, z, smallNodes...)
}
