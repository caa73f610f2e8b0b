package engine

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
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

// On real OVN the packets that Rung puts in are logged by ovn-controller, each line
// leads to its rule, a new Deny drops what was let through, a daemon that dies is told
// and comes back, and zones follow their nodes.
func TestSandboxOnOVN(t *testing.T) {
	tools := install.OVN(t, sandbox.FindTools)
	w := newLiveWorld(t, livePolicies()...)
	r := w.run(func(c *Config) {
		c.Mode.Simulated = true
		c.Sandbox = lab.New(lab.Config{OVN: place(), Dir: w.sockets, Traffic: 200})
	})
	rev := r.settle("control", "worker")
	text, short := rev.Mode.TrafficTexts()
	if want := "real OVN " + tools.Version[:5]; short != want || text != want+", packets injected by Rung" {
		t.Errorf("traffic is %q, %q of OVN %s", text, short, tools.Version)
	}
	r.change(change.Mutation{Op: change.OpLogLevel, Policy: given.ANPKey("one"), Levels: model.LogLevels{Deny: "alert", Allow: "info"}})
	lines := func(policy model.PolicyKey, verdict string) (n int) {
		for _, e := range r.Logs().EntriesAfter(0, 5000) {
			if !strings.Contains(e.Line.Raw, "acl_log(ovn_pinctrl") {
				t.Fatalf("not ovn-controller's: %q", e.Line.Raw)
			}
			if e.Attributed && e.Rule.Policy == policy && e.Line.Verdict == verdict {
				n++
			}
		}
		return n
	}
	wait.Within(t, 2*wait.Patience, "lines of the policy", func() bool { return lines(given.ANPKey("one"), "drop") >= 3 })
	r.change(change.Mutation{Op: change.OpApply, YAML: []byte(given.ANP("none", 5, "tenant=green", "out deny *"))})
	r.settle("control", "worker")
	r.change(change.Mutation{Op: change.OpLogLevel, Policy: given.ANPKey("none"), Levels: model.LogLevels{Deny: "warning"}})
	wait.Within(t, wait.Patience, "drops of the new policy", func() bool { return lines(given.ANPKey("none"), "drop") >= 3 })
	if st := r.Logs().Stats(); st.Unparsed > 0 {
		t.Errorf("%d lines unparsed of %d", st.Unparsed, st.Received)
	}

	// The sandbox knows its own Southbound databases; that of the zone looked at is read.
	r.LookAtFlows("worker")
	rev = r.until("a flow of every ACL", func(r *revision.Revision) bool {
		z := r.Zone("worker")
		tally := revision.TallyFlows(r, z, r.At)
		return tally.Known && tally.Flows > 0 && tally.Text == "" && tally.UnknownActions == 0
	})
	if other := rev.Southbound("control"); other == nil || other.Followed || len(rev.Southbounds) != 2 {
		t.Errorf("the zone that nobody looks at: %+v", other)
	}

	down := make(chan bool, 1)
	go func() {
		down <- r.WaitFor(r.ctx, func(rev *revision.Revision) bool {
			d := rev.Down["worker"]
			return len(d) == 1 && d[0].Process == sandbox.Northd && d[0].State == "died" && strings.Contains(d[0].Error, "killed")
		}) == nil
	}()
	for shown := false; !shown; { // it is down for a moment only
		r.onOVN("worker", func(_ context.Context, z *sandbox.Zone) error { return testlab.Kill(z, sandbox.Northd) })
		select {
		case shown = <-down:
		case <-time.After(time.Second):
		}
	}
	r.until("it runs again", func(rev *revision.Revision) bool { return len(rev.Down["worker"]) == 0 })
	r.until("its death is told", func(*revision.Revision) bool {
		return slices.ContainsFunc(r.Activity(0), func(a model.Activity) bool {
			return a.Zone == "worker" && a.Summary == "ovn-northd died" && strings.Contains(a.Error, "killed")
		})
	})
	w.controlLeaves(r)
	n := r.Logs().Stats().Received
	wait.Within(t, 2*wait.Patience, "lines after the zone came back", func() bool { return r.Logs().Stats().Received > n+5 })
}

// onOVN does something with a zone of the sandbox.
func (r *liveRun) onOVN(zone string, do func(context.Context, *sandbox.Zone) error) {
	r.t.Helper()
	sb, _ := r.lab().Sandbox()
	if err := sb.WithZone(r.ctx, zone, do); err != nil {
		r.t.Fatal(err)
	}
}

// place is the OVN of the tests: a folder, or PATH.
func place() string {
	if dir := os.Getenv(install.OVNVar); dir != "" {
		return dir
	}
	return lab.OVNAuto
}

// Without OVN the traffic is simulated as ever, and the activity says why.
func TestSandboxFindsNoOVN(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if ovn, err := sandbox.FindTools(t.Context(), sandbox.Auto); err == nil {
		t.Skipf("%s is found without PATH", ovn.Describe())
	}
	w := newLiveWorld(t, livePolicies()...)
	r := w.run(func(c *Config) {
		c.Mode.Simulated = true
		c.Sandbox = lab.New(lab.Config{OVN: lab.OVNAuto, Dir: w.sockets})
	})
	rev := r.settle("control", "worker")
	if text, _ := rev.Mode.TrafficTexts(); text != "simulated traffic" {
		t.Errorf("traffic is %q", text)
	}
	if !slices.ContainsFunc(r.Activity(0), func(a model.Activity) bool {
		return a.By == "sandbox" && strings.HasPrefix(a.Summary, "runs without OVN: looking for OVN in PATH: missing ovn-northd")
	}) {
		t.Errorf("the activity says nothing: %v", fmt.Sprint(r.Activity(0)))
	}
}
