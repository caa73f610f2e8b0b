//go:build unix

package engine

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"rung/change"
	"rung/engine/lab"
	"rung/model"
	"rung/revision"
	"rung/sources/sandbox"
	"rung/test/given"
	"rung/test/install"
	testlab "rung/test/lab"
	"rung/test/wait"
)

// ovnFaultsLong is how long faults are made.
const ovnFaultsLong = 5 * time.Minute

// The zones of the tests with faults on OVN, and their pods: as many in each, of every
// tenant.
var (
	faultZones   = []string{"n1", "n2"}
	faultTenants = []string{"blue", "green", "red"}
)

// faultCluster is the cluster of the tests with faults on OVN.
func faultCluster() string {
	var b strings.Builder
	for i, zone := range faultZones {
		fmt.Fprintf(&b, "apiVersion: v1\nkind: Node\nmetadata: {name: %s, annotations: {k8s.ovn.org/host-cidrs: '[\"172.18.0.%d/16\"]', "+
			"k8s.ovn.org/node-subnets: '{\"default\":[\"10.244.%d.0/24\"]}'}}\n---\n", zone, i+2, i+1)
	}
	for n, tenant := range faultTenants {
		fmt.Fprintf(&b, "apiVersion: v1\nkind: Namespace\nmetadata: {name: %s, labels: {tenant: %s}}\n---\n", tenant, tenant)
		for i, zone := range faultZones {
			fmt.Fprintf(&b, "apiVersion: v1\nkind: Pod\nmetadata: {name: %s, namespace: %s, labels: {app: web}}\nspec: {nodeName: %s, containers: [{name: c}]}\n"+
				"status: {phase: Running, podIPs: [{ip: 10.244.%d.%d}]}\n---\n", zone, tenant, zone, i+1, 10+n)
		}
	}
	return b.String()
}

// ovnRun is a run of the engine on OVN to which faults happen.
type ovnRun struct {
	*liveRun
	r       *rand.Rand
	stopped map[process]standing
	counts  map[string]int
}

// process is one of a zone.
type process struct{ zone, name string }

// standing is a process that stands still: since when, and until when.
type standing struct{ since, until time.Time }

// holdsUp is how long a process has to stand still for flows to be held up for sure.
const holdsUp = 7 * time.Second

// processes are those of a zone.
var processes = []string{sandbox.NBServer, sandbox.SBServer, sandbox.VSServer, sandbox.Northd, sandbox.Controller, sandbox.VSwitchd}

// onFaultyOVN starts the engine on OVN.
func onFaultyOVN(t *testing.T, d time.Duration) *ovnRun {
	t.Helper()
	install.OVN(t, sandbox.FindTools)
	w := newLiveWorld(t, given.ANP("first", 50, "", "in deny tenant=red", "out allow tenant=green udp:53"))
	w.file("cluster.yaml", faultCluster())
	f := &ovnRun{liveRun: w.runFor(d, func(c *Config) {
		c.Mode.Simulated = true
		c.Sandbox = lab.New(lab.Config{OVN: place(), Dir: w.sockets, Traffic: 50})
	}), stopped: map[process]standing{}, counts: map[string]int{}}
	f.settle(faultZones...)
	for _, zone := range faultZones {
		f.onOVN(zone, func(ctx context.Context, z *sandbox.Zone) error { return z.WaitReady(ctx) })
	}
	return f
}

// The processes below the rows of two zones are killed and stopped at random while
// policies change and packets flow. Whatever stands still is said at its zone, with
// its time, until it goes on; and in the end rows, flows and packets agree.
func TestFaultsOnOVN(t *testing.T) {
	install.Soak(t)
	length := ovnFaultsLong
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("RUNG_SEED"); s != "" {
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatalf("RUNG_SEED=%s: %v", s, err)
		}
	}
	t.Logf("seed %d (RUNG_SEED=%d repeats its choices)", seed, seed)
	f := onFaultyOVN(t, length+5*time.Minute)
	f.r = rand.New(rand.NewPCG(seed, 1))
	for end := time.Now().Add(length); time.Now().Before(end); {
		f.step(length)
	}
	for p := range f.stopped {
		f.carryOn(p)
	}
	began := time.Now()
	f.until("no fault is left", func(r *revision.Revision) bool { return len(r.Down) == 0 })
	f.settle(faultZones...)
	for _, zone := range faultZones {
		f.flowsAgree(zone)
	}
	took := time.Since(began).Round(time.Millisecond)
	f.packetsAgree()
	f.logsGoOn()
	var said []string
	for _, what := range slices.Sorted(maps.Keys(f.counts)) {
		said = append(said, fmt.Sprintf("%d %s", f.counts[what], what))
	}
	t.Logf("seed %d: rows and flows agree %v after the last fault; %s", seed, took, strings.Join(said, ", "))
}

// logsGoOn has every node drop what its pods send, and waits for lines of it: whatever
// became of the processes, packets are put in and the log is read.
func (f *ovnRun) logsGoOn() {
	f.t.Helper()
	f.change(change.Mutation{Op: change.OpApply, YAML: []byte(given.ANP("last", 0, "", "out deny *"))})
	f.change(change.Mutation{Op: change.OpLogLevel, Policy: given.ANPKey("last"), Levels: model.LogLevels{Deny: "alert"}})
	for _, zone := range faultZones {
		wait.Within(f.t, 2*wait.Patience, "lines of "+zone, func() bool {
			for _, e := range f.Logs().EntriesAfter(0, 5000) {
				if e.Line.Zone == zone && e.Attributed && e.Rule.Policy == given.ANPKey("last") && e.Line.Verdict == "drop" {
					return true
				}
			}
			return false
		})
	}
}

// step does one thing, and lets go what has stood still for long enough.
func (f *ovnRun) step(length time.Duration) {
	f.t.Helper()
	p := process{faultZones[f.r.IntN(len(faultZones))], processes[f.r.IntN(len(processes))]}
	still := f.stopped[p].since
	switch n := f.r.IntN(6); {
	case n == 0:
		f.onOVN(p.zone, func(_ context.Context, z *sandbox.Zone) error { return testlab.Kill(z, p.name) })
		delete(f.stopped, p)
		f.counts[p.name+" killed"]++
	case n == 1 && still.IsZero():
		f.stop(p, time.Duration(f.r.Int64N(int64(min(12*time.Second, length/3)))))
	default:
		f.changePolicy()
	}
	time.Sleep(time.Duration(f.r.Int64N(int64(300 * time.Millisecond))))
	for p, s := range f.stopped {
		if time.Now().After(s.until) {
			f.carryOn(p)
		}
	}
}

// stop makes a process stand still, which has to be said.
func (f *ovnRun) stop(p process, d time.Duration) {
	f.t.Helper()
	now := time.Now()
	running := false
	f.onOVN(p.zone, func(_ context.Context, z *sandbox.Zone) error {
		for _, daemon := range z.Daemons() {
			running = running || daemon.Name == p.name && (daemon.State == sandbox.Running || daemon.State == sandbox.Silent)
		}
		if !running {
			return nil // just being started again
		}
		return testlab.Stop(z, p.name)
	})
	if !running {
		return
	}
	f.stopped[p] = standing{now, now.Add(d)}
	f.counts[p.name+" stopped"]++
	f.until(p.name+" of "+p.zone+" is said to give no answer", func(r *revision.Revision) bool {
		i := slices.IndexFunc(r.Down[p.zone], func(x model.Fault) bool { return x.Process == p.name && x.State == "does not answer" })
		return i >= 0 && !r.Down[p.zone][i].Since.Before(now) && r.Down[p.zone][i].Since.Before(now.Add(10*time.Second))
	})
}

// carryOn lets a process go on. Where it stood long enough to hold flows up, that has
// to be said, too.
func (f *ovnRun) carryOn(p process) {
	f.t.Helper()
	_, unread := f.stopped[process{p.zone, sandbox.NBServer}]
	if p.name != sandbox.NBServer && p.name != sandbox.VSServer && !unread && time.Since(f.stopped[p].since) > holdsUp {
		f.until(p.zone+" is said to be behind without "+p.name, func(r *revision.Revision) bool {
			return isBehind(r, p.zone)
		})
		f.counts["times flows or nodes were said to be behind"]++
	}
	f.onOVN(p.zone, func(_ context.Context, z *sandbox.Zone) error { return testlab.Cont(z, p.name) })
	delete(f.stopped, p)
}

// changePolicy changes one of four policies.
func (f *ovnRun) changePolicy() {
	f.t.Helper()
	pick := func(s ...string) string { return s[f.r.IntN(len(s))] }
	n := f.r.IntN(4)
	name := fmt.Sprint("p", n)
	priority := 10*n + 1 + f.r.IntN(9)
	now := f.Revision().Cluster.Policy(given.ANPKey(name))
	switch k := f.r.IntN(4); {
	case k == 0 && now != nil:
		f.change(change.Mutation{Op: change.OpDelete, Policy: given.ANPKey(name)})
		f.counts["policies deleted"]++
	case k == 1 && now != nil:
		deny := "alert"
		if strings.Contains(now.Logging, deny) {
			deny = "info"
		}
		f.change(change.Mutation{Op: change.OpLogLevel, Policy: given.ANPKey(name), Levels: model.LogLevels{Deny: deny, Allow: pick("debug", "info")}})
		f.counts["log levels set"]++
	default:
		var rules []string
		for range 1 + f.r.IntN(4) {
			rules = append(rules, pick("in", "out")+" "+pick("allow", "deny", "pass")+" "+pick("*", "tenant=red", "tenant=green", "tenant=blue")+pick("", " tcp:80", " udp:53"))
		}
		if f.r.IntN(3) == 0 {
			rules = append(rules, "out "+pick("allow", "deny")+" "+pick("10.244.1.0/24", "10.244.2.10/32", "0.0.0.0/0"))
		}
		if now != nil && int(now.Priority) == priority {
			priority = 10*n + 1 + priority%10%9 // it must be a change
		}
		f.change(change.Mutation{Op: change.OpApply, YAML: []byte(given.ANP(name, priority, pick("", "tenant=red", "tenant=green"), rules...))})
		f.counts["policies written"]++
	}
}

// A process that is stopped by another hand, or hangs, is said to give no answer; that
// flows do not follow is said too; and both are taken back when it goes on.
func TestSilenceOnOVN(t *testing.T) {
	f := onFaultyOVN(t, 2*time.Minute)
	pid := 0
	f.onOVN("n2", func(_ context.Context, z *sandbox.Zone) error {
		for _, d := range z.Daemons() {
			if d.Name == sandbox.Northd {
				pid = d.Pid
			}
		}
		return nil
	})
	began := time.Now()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	r := f.until("it is said", func(r *revision.Revision) bool {
		d := r.Down["n2"]
		return len(d) == 1 && d[0].Process == sandbox.Northd && d[0].State == "does not answer" && isBehind(r, "n2")
	})
	for _, x := range r.Down["n2"] {
		if d := x.Since.Sub(began); d < -time.Millisecond || d > 10*time.Second {
			t.Errorf("%s since %v after it stood still", x.Process, d)
		}
	}
	if x := r.Down["n1"]; x != nil {
		t.Errorf("the other zone: %v", x)
	}
	if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	f.until("it is taken back", func(r *revision.Revision) bool { return len(r.Down) == 0 && !isBehind(r, "n2") })
}

// isBehind says whether flows do not follow the rows of a zone, or the node its flows.
func isBehind(r *revision.Revision, zone string) bool {
	z := r.Zone(zone)
	if z == nil {
		return false
	}
	p := revision.ReadProgress(r, z)
	return p.Known && (p.NorthdBehind() || p.NodesBehind())
}
