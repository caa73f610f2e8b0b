package engine

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rung/engine/lab"
	"rung/engine/logs"
	"rung/model"
	"rung/model/logline"
	"rung/model/ovn/nb"
	"rung/revision"
	"rung/sources/acllog"
	"rung/test/given"
	"rung/test/wait"
)

// logging is a policy that logs all it decides.
func logging(policy string) string {
	return strings.Replace(policy, "spec:\n", "  annotations: {k8s.ovn.org/acl-logging: '{\"allow\":\"info\",\"deny\":\"alert\"}'}\nspec:\n", 1)
}

// namedWithin is how long after an ACL begins to lose lines it is named, by the clock of its
// lines.
const namedWithin = 2 * time.Second

// An ACL of the sandbox that logs more than its meter lets through is named within two
// seconds, with how many lines were lost.
func TestMeterAtLimit(t *testing.T) {
	w := newLiveWorld(t, logging(given.ANP("control", 34, "", "in allow *", "out allow *")))
	r := w.run(func(c *Config) { c.Sandbox = lab.New(lab.Config{Server: "builtin", Dir: w.sockets, Traffic: 2000}) })
	var got []logs.MeterLoss
	if !wait.Poll(wait.Patience, func() bool {
		got = r.Logs().Losses()
		return len(got) > 0 && got[0].AtLimit && got[0].Counted && got[0].Lost > 0
	}) {
		t.Fatalf("no ACL at its limit: %+v", got)
	}
	if x := got[0]; x.Rule.Policy != given.ANPKey("control") || x.Rate != 20 || x.FullestSecond < 20 || !x.IsLosing() {
		t.Errorf("%+v", x)
	}
	// The first of the lines is of when the traffic began, and with it the loss.
	first, last := time.Time{}, time.Time{}
	for _, e := range r.Logs().EntriesAfter(0, 0) {
		if first.IsZero() {
			first = e.Line.At
		}
		last = e.Line.At
	}
	if d := last.Sub(first); d > namedWithin {
		t.Errorf("named after %v of lines", d)
	}
	// Once all its ACLs had the time to reach their limits and nothing comes any more, every
	// line that the sandbox's meters withheld is shown as lost, and none twice.
	if !wait.Poll(wait.Patience, func() bool {
		n := r.Logs().LastNumber()
		e := r.Logs().EntriesAfter(n-1, 1)
		return len(e) > 0 && e[0].Line.At.Sub(first) > 2*namedWithin
	}) {
		t.Fatal("no more lines came")
	}
	traffic := r.lab().Connections()
	traffic.SetRate(0)
	withheld, shown := uint64(0), uint64(0)
	if !wait.Poll(wait.Patience, func() bool {
		withheld, shown = traffic.Stats().Limited, 0
		for _, x := range r.Logs().Losses() {
			shown += x.Lost
		}
		return shown == withheld
	}) || shown == 0 {
		t.Errorf("%d lines are shown as lost, the meters withheld %d: %+v", shown, withheld, r.Logs().Losses())
	}
}

// offer hands lines of a rule over and waits until they are counted.
func offer(t *testing.T, e *Engine, n int) {
	t.Helper()
	const text = `2024-06-09T19:00:10.441Z|00162|acl_log(ovn_pinctrl0)|INFO|name="ANP:control:Ingress:0", verdict=drop, severity=alert, direction=` + nb.ToLport +
		`: tcp,nw_src=10.244.0.3,nw_dst=10.244.0.4,tp_src=33690,tp_dst=80,tcp_flags=syn`
	line, err := acllog.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	was := counted(e)
	for range n {
		e.Logs().Offer(line)
	}
	if !wait.Poll(wait.Patience, func() bool { return counted(e) == was+uint64(n) }) {
		t.Fatalf("%d hits, want %d", counted(e), was+uint64(n))
	}
}

func counted(e *Engine) (n uint64) {
	rules, _ := e.Logs().RuleHits()
	for _, r := range rules {
		n += r.Count
	}
	return n
}

// Hits go on in the next run where that is asked for; what cannot be read stays, and
// nothing is kept then.
func TestKeepCounts(t *testing.T) {
	w := newLiveWorld(t, given.ANP("control", 34, "", "in deny *"))
	dir := t.TempDir()
	run := func(keep bool) *liveRun {
		r := w.run(func(c *Config) { c.StateDir, c.KeepCounts = dir, keep })
		r.until("loaded", func(rev *revision.Revision) bool { return rev.Loaded })
		return r
	}
	files := func() []string {
		found, err := filepath.Glob(filepath.Join(dir, countsFolder, "*.json"))
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	r := run(false)
	offer(t, r.Engine, 3)
	r.Close()
	if f := files(); len(f) != 0 {
		t.Fatalf("kept without being asked: %v", f)
	}
	r = run(true)
	offer(t, r.Engine, 5)
	r.Close()
	if len(files()) != 1 {
		t.Fatalf("%d files", len(files()))
	}
	r = run(true)
	if n := counted(r.Engine); n != 5 {
		t.Errorf("%d hits of the run before, want 5", n)
	}
	offer(t, r.Engine, 2)
	other := run(true)
	if n := strings.Join(other.Notices(), " "); !strings.Contains(n, "another Rung saves them") || counted(other.Engine) != 0 {
		t.Errorf("the second Rung says %q and has %d hits", n, counted(other.Engine))
	}
	other.Close()
	r.Close()
	path := files()[0]
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	bad := bytes.Replace(text, []byte(`"count":7`), []byte(`"count":8`), 1)
	if bytes.Equal(bad, text) {
		t.Fatalf("not 7 hits: %s", text)
	}
	if err := os.WriteFile(path, bad, 0o600); err != nil {
		t.Fatal(err)
	}
	r = run(true)
	if n := strings.Join(r.Notices(), " "); !strings.Contains(n, "not a file of saved rule hits") || counted(r.Engine) != 0 {
		t.Errorf("damaged counts: %q, %d hits", n, counted(r.Engine))
	}
	offer(t, r.Engine, 1)
	r.Close()
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, bad) {
		t.Errorf("what could not be read was written over: %v", err)
	}
}

// Hits are counters for Prometheus, in a bounded number of series.
func TestHitMetrics(t *testing.T) {
	w := newLiveWorld(t, given.ANP("control", 34, "", "in deny *"))
	r := w.run(func(*Config) {})
	r.until("loaded", func(rev *revision.Revision) bool { return rev.Loaded })
	offer(t, r.Engine, 4)
	const mostSeries = 1000
	for i := range mostSeries + 20 {
		r.Logs().Offer(logline.Line{At: time.Now(), Zone: "worker", Name: logline.ACLName(given.ANPKey("gone"), model.Egress, i), Verdict: "drop", Proto: "tcp"})
		if i%1000 == 999 && !wait.Poll(wait.Patience, func() bool { return counted(r.Engine) == uint64(5+i) }) {
			t.Fatal("lines are not taken in")
		}
	}
	if !wait.Poll(wait.Patience, func() bool { return counted(r.Engine) == mostSeries+24 }) {
		t.Fatalf("%d hits", counted(r.Engine))
	}
	families, err := r.Health().Registry().Gather()
	if err != nil {
		t.Fatal(err)
	}
	series, control, others, sum := 0, 0.0, 0.0, 0.0
	for _, f := range families {
		for _, m := range f.GetMetric() {
			labels := map[string]string{}
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			switch {
			case f.GetName() == "rung_log_lines_total" && labels["result"] == "counted":
				sum = m.GetCounter().GetValue()
			case f.GetName() != "rung_rule_hits_total":
			case labels["policy"] == "other":
				others = m.GetCounter().GetValue()
			default:
				series++
				if labels["policy"] == "AdminNetworkPolicy/control" && labels["rule"] == "ingress 0" && labels["verdict"] == "drop" {
					control = m.GetCounter().GetValue()
				}
			}
		}
	}
	if series != mostSeries || control != 4 || others != 21 || sum != mostSeries+24 {
		t.Errorf("%d series, control %v, other %v, all %v", series, control, others, sum)
	}
}
