package logs_test

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"rung/engine/logs"
	"rung/model"
	"rung/model/logline"
	"rung/revision"
	"rung/test/uitest"
	"rung/test/wait"
	"rung/ui"
	"rung/ui/nav"
)

func anp(name string) model.PolicyKey { return model.PolicyKey{Kind: model.KindANP, Name: name} }

// tail is a console with a log that a test feeds.
type tail struct {
	t     testing.TB
	f     *uitest.Fake
	store *logs.Store
	parts *revision.Facts
	n     uint64
	state string
	step  time.Duration // between two lines
}

func newTail(t testing.TB, limit int) *tail {
	t.Helper()
	p := uitest.DemoFacts(t)
	w := &tail{t: t, f: uitest.NewFake(p), parts: p, state: t.TempDir(), step: 37 * time.Millisecond}
	w.store = logs.New(w.f.Revision, w.f.Now, limit)
	var pods []model.Change
	for o := range p.Cluster.Objects() {
		pods = append(pods, model.Change{New: o})
	}
	w.store.Observe(pods)
	w.f.LogStore = w.store
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { w.store.Run(ctx); close(done) }()
	t.Cleanup(func() { cancel(); <-done })
	return w
}

func (w *tail) open(page nav.Page) *uitest.Screen {
	w.t.Helper()
	return uitest.OpenWith(w.t, w.f, ui.Options{Page: page, StateDir: w.state})
}

// addr is a pod's address; anything else is one itself.
func (w *tail) addr(name string) netip.Addr {
	ns, pod, ok := strings.Cut(name, "/")
	if !ok {
		return netip.MustParseAddr(name)
	}
	p := w.parts.Cluster.Pod(ns, pod)
	if p == nil {
		w.t.Fatalf("the demo has no pod %s", name)
	}
	return netip.MustParseAddr(p.IPs[0])
}

// line offers one line and waits until it was taken in.
func (w *tail) line(policy string, d model.Direction, rule int, src, dst string, port uint16, verdict string) {
	w.t.Helper()
	w.offer(policy, d, rule, src, dst, port, verdict)
	w.settle()
}

func (w *tail) offer(policy string, d model.Direction, rule int, src, dst string, port uint16, verdict string) {
	w.t.Helper()
	w.offerOf(anp(policy), d, rule, src, dst, port, verdict)
}

// lineOf is line for a policy of any kind; one without a name is the default deny
// of its namespace.
func (w *tail) lineOf(k model.PolicyKey, d model.Direction, rule int, src, dst string, port uint16, verdict string) {
	w.t.Helper()
	w.offerOf(k, d, rule, src, dst, port, verdict)
	w.settle()
}

func (w *tail) offerOf(k model.PolicyKey, d model.Direction, rule int, src, dst string, port uint16, verdict string) {
	w.t.Helper()
	at := uitest.Now.Add(time.Duration(w.n) * w.step)
	l := logline.Line{At: at, Zone: []string{"ovn-worker", "ovn-worker2"}[w.n%2], Name: logline.ACLName(k, d, rule), Verdict: verdict,
		Severity: "alert", Direction: "from-lport", Proto: "tcp", Src: w.addr(src), Dst: w.addr(dst), SrcPort: 40000, DstPort: port}
	if port == 0 {
		l.Proto = "icmp"
	}
	l.Raw = fmt.Sprintf(`%s|%05d|acl_log(ovn_pinctrl0)|INFO|name="%s", verdict=%s, severity=alert, direction=from-lport: %s,nw_src=%s,nw_dst=%s,tp_dst=%d`,
		at.Format("2006-01-02T15:04:05.000Z"), w.n, l.Name, verdict, l.Proto, l.Src, l.Dst, port)
	for !w.store.Offer(l) {
		time.Sleep(time.Millisecond)
	}
	w.n++
}

func (w *tail) settle() {
	w.t.Helper()
	for deadline := time.Now().Add(wait.Patience); w.store.LastNumber() < w.n; {
		if time.Now().After(deadline) {
			w.t.Fatalf("%d of %d lines were taken in", w.store.LastNumber(), w.n)
		}
		time.Sleep(200 * time.Microsecond)
	}
}

// some feeds what the goldens show.
func (w *tail) some() {
	for i := range 12 {
		w.line("quarantine", model.Ingress, 0, "blue/web-g0", "red/web-f0", 8080, "drop")
		if i%3 == 0 {
			w.line("quarantine", model.Egress, 0, "red/web-f0", "8.8.8.8", 443, "drop")
		}
		if i%4 == 0 {
			w.line("break-glass", model.Ingress, 0, "blue/web-g0", "monitoring/prometheus-0", 0, "allow")
		}
	}
}

// tick lets a second pass, so that the page takes what came.
func (w *tail) tick(s *uitest.Screen) {
	w.f.Advance(time.Second)
	s.Refresh()
}

func TestTail(t *testing.T) {
	w := newTail(t, 0)
	w.some()
	s := w.open(nav.NewPage(nav.Logs))
	s.Want("● follow", "19 lines", "blue/web-g0 → red/web-f0", "dropped by quarantine ingress 0", "8.8.8.8 (outside)", "simulated traffic",
		"5 of 16 policies log", `quarantine ingress 0 "deny-all-pods": 12`)
	s.Golden("tail")
	s.ResizeAll()

	// Going up stands still, and what comes meanwhile is counted.
	s.Press("k", "k")
	here := s.Line("▸")
	s.Want("○ paused")
	w.some()
	w.tick(s)
	s.Want("19 new, G to follow")
	if got := s.Line("▸"); got != here {
		t.Errorf("the cursor moved:\n%s\n%s", here, got)
	}
	s.Press("G")
	s.Want("● follow", "38 lines")
	s.Press("space")
	s.Want("○ paused")
	s.Press("space")
	s.Want("1 marked · ○ paused")
	s.Press("space", "G")
	s.Want("● follow")

	// Marked lines stay in sight while the cursor goes up.
	s.Press("k", "space", "k", "space")
	s.Want("2 marked")
	if n := strings.Count(s.PlainFrame(), "•"); n != 2 {
		t.Errorf("%d of 2 marks are in sight:\n%s", n, s.PlainFrame())
	}
	s.Press("space", "j", "space", "G")
	s.WantNot("marked")

	// The rule, and back to the same line.
	s.Press("k", "k", "k")
	here = s.Line("▸")
	s.Press("enter")
	s.Want("quarantine")
	s.WantNot("○ paused")
	s.Press("esc")
	if got := s.Line("▸"); got != here {
		t.Errorf("back on another line:\n%s\n%s", here, got)
	}
	s.Press("p", "d")
	s.Want("pod red/web-f0")
	s.Press("esc", "y")
	s.Want("sentence", "raw line", "ACL name")
	s.Press("esc")

	// An empty list says why it is empty.
	s.Press("ctrl+l")
	s.Want("No line to show. Why?", "The list was cleared at 14:05:01", "Traffic is simulated", "The meter limits each ACL to 20 lines/s per node; the rest is silently discarded.")
	s.Golden("empty")
}

func TestFilterFindAndMark(t *testing.T) {
	w := newTail(t, 0)
	w.some()
	s := w.open(nav.NewPage(nav.Logs))
	s.Press("/")
	s.Type("policy:break-glass verdict:allow")
	s.Press("enter")
	s.Want("3 of 19 match", "allowed by break-glass")
	s.WantNot("dropped by quarantine ingress")
	s.Press("m")
	w.some()
	w.tick(s)
	s.Want("6 of 38 match", "── mark 14:05:00 ──")
	s.Golden("filter")
	s.Press("esc", "/")
	s.Type("policy:nobody")
	s.Press("enter")
	s.Want("0 of 38 lines match the filter; esc clears it.", "0 of 38 match")
	s.Press("esc")
	s.Want("38 lines")

	s.Press("F")
	s.Type("prometheus")
	s.Press("enter")
	if !strings.Contains(s.Line("▸"), "monitoring/prom") {
		t.Errorf("not on what was found:\n%s", s.PlainFrame())
	}
	first := s.Line("▸")
	s.Press("N")
	if got := s.Line("▸"); got == first || !strings.Contains(got, "monitoring/prom") {
		t.Errorf("N did not go to the match before:\n%s", s.PlainFrame())
	}
	s.Press("n")
	if got := s.Line("▸"); got != first {
		t.Errorf("n did not come back:\n%s\n%s", first, got)
	}
	s.Press("n")
	s.Want("no further match")
}

func TestAggregate(t *testing.T) {
	w := newTail(t, 0)
	w.some()
	s := w.open(nav.NewPage(nav.Logs))
	s.Press("z")
	s.Want("grouped", "×5 by quarantine", "×7 by quarantine", "×3 by break-glass")
	w.some()
	w.tick(s)
	s.Want("×12 by quarantine")
	s.Press("m")
	w.some()
	w.tick(s)
	s.Want("×12 by quarantine", "── mark") // counts begin anew behind a mark
	s.Golden("aggregate")
	s.Press("z")
	s.WantNot("×")
}

func TestPolicyPage(t *testing.T) {
	w := newTail(t, 0)
	w.some()
	s := w.open(nav.Page{Kind: nav.Logs, Key: anp("quarantine")})
	s.Want("log of quarantine", "alert for Deny", "16 lines", "L changes it", `dropped by ingress 0 "deny-all-pods"`)
	s.WantNot("break-glass")
	s.Press("L")
	s.Want("log ANP quarantine", "deny=alert")
	s.Press("esc")
	s.Golden("policy")

	// A policy that logs nothing says so, and which key helps.
	s = w.open(nav.Page{Kind: nav.Logs, Key: anp("blue-tenant")})
	s.Want("it logs nothing; L switches logging on", "ANP blue-tenant has no log level", "No lines yet. Why?")
	s = w.open(nav.Page{Kind: nav.Logs, Key: anp("experimental")})
	s.Want("No lines yet")
	s = w.open(nav.Page{Kind: nav.Logs, Key: anp("nobody")})
	s.Want("ANP nobody no longer exists")
	s = w.open(nav.Page{Kind: nav.Logs, Key: anp("quarantine"), Dir: model.Egress, Rule: 0})
	s.Want("log of quarantine egress 0", "4 lines")
	s = w.open(nav.Page{Kind: nav.Logs, Key: model.Key{Kind: model.KindPod, Namespace: "monitoring", Name: "prometheus-0"}})
	s.Want("3 lines", "monitoring/prometheus-0 at one end")
}

func TestTimeWideAndWrap(t *testing.T) {
	w := newTail(t, 0)
	w.some()
	s := w.open(nav.NewPage(nav.Logs))
	s.Resize(160, 34)
	s.Want("14:05:00.000")
	s.Press("K")
	s.Want("14:05:00.000Z", "times in UTC")
	w.f.Advance(12 * time.Second)
	s.Refresh()
	s.Press("K")
	s.WantNot(" 14:05:00")
	s.Want(" 12s ago", "times as age: how long ago")
	w.f.Advance(time.Minute)
	s.Refresh()
	s.Want(" 72s ago")
	s.Press("K")
	s.WantNot("72s ago")
	s.Press("K")
	s.Want("14:05:00.000", "local times (UTC)")
	w.f.Advance(24 * time.Hour) // of yesterday by now
	s.Refresh()
	s.Want("11-03 14:05:00.000")
	s.Resize(60, 30)
	s.Press("w")
	s.Want(`"deny-all-pods"`)
	s.WantFits()
	s.Press("k", "k", "pgup", "g")
	s.WantFits()
	if !strings.Contains(s.Line("▸"), "blue/web-g0") {
		t.Errorf("the cursor is not in sight:\n%s", s.PlainFrame())
	}
	s.Press("w", "right", "right", "right", "right")
	s.Want("deny-all-pods")
	s.WantFits()
}

func TestLost(t *testing.T) {
	w := newTail(t, 0)
	w.step = time.Millisecond
	for range 25 {
		w.line("quarantine", model.Ingress, 0, "blue/web-g0", "red/web-f0", 8080, "drop")
		w.line("quarantine", model.Ingress, 0, "blue/web-g0", "red/web-f0", 8080, "drop")
	}
	w.store.CountLost(12, 3)
	s := w.open(nav.NewPage(nav.Logs))
	s.Want("quarantine ingress 0 in ovn-worker: at the limit, losing lines (not counted)", "1 other ACL at the limit", "12 lines lost: too fast for Rung", "3 lines not parsed")
}

// TestKeysAreFast presses keys among 20,000 lines. On an idle machine every one
// is answered with a frame within 6 ms; the bound leaves room for the race
// detector and a machine that is busy with other tests.
func TestKeysAreFast(t *testing.T) {
	w := newTail(t, 20000)
	for i := range 20000 {
		w.offer([]string{"quarantine", "break-glass"}[i%2], model.Ingress, 0, "blue/web-g0", "red/web-f0", uint16(i%500+1), "drop")
	}
	w.settle()
	s := w.open(nav.NewPage(nav.Logs))
	var took []time.Duration
	press := func(keys ...string) {
		for _, k := range keys {
			begin := time.Now()
			s.Press(k)
			took = append(took, time.Since(begin))
		}
	}
	press("k", "pgup", "pgup", "g", "G", "a", "k", "k", "a", "/")
	for _, r := range "policy:quar dropped.*[0-9]7" {
		press(string(r))
	}
	press("enter", "k", "k", "g", "m", "pgdown", "esc", "G", "z", "k", "pgup", "z")
	slices.Sort(took)
	t.Logf("%d keys: median %v, p90 %v, slowest %v", len(took), took[len(took)/2], took[len(took)*9/10], took[len(took)-1])
	if m := took[len(took)/2]; m > 50*time.Millisecond {
		t.Errorf("half of the keys took more than %v", m)
	}
}

// The log of a NetworkPolicy has what the default deny of its namespace does to its
// pods, and says where its levels come from.
func TestTier2(t *testing.T) {
	w := newTail(t, 0)
	ns := *w.parts.Cluster.Namespace("blue")
	ns.Annotations = map[string]string{model.AnnotationLogging: `{"deny": "alert"}`}
	w.parts.Cluster, _ = w.parts.Cluster.Upsert([]model.Object{&ns}, nil)
	w.f.Set(w.parts)
	web := model.PolicyKey{Kind: model.KindNP, Namespace: "blue", Name: "allow-web"}
	ef := model.PolicyKey{Kind: model.KindEF, Namespace: "yellow", Name: "default"}
	w.lineOf(web, model.Ingress, 0, "blue/web-g0", "blue/api-d0", 8080, "allow")
	w.lineOf(model.PolicyKey{Kind: model.KindNP, Namespace: "blue"}, model.Ingress, -1, "red/web-f0", "blue/api-d0", 8080, "drop")
	w.lineOf(model.PolicyKey{Kind: model.KindNP, Namespace: "blue"}, model.Ingress, -1, "red/web-f0", "blue/web-g0", 8081, "drop") // not of the policy's pods
	w.lineOf(ef, model.Egress, 3, "yellow/web-f0", "8.8.8.8", 443, "drop")
	s := w.open(nav.Page{Kind: nav.Logs, Key: web})
	s.Resize(160, 40)
	s.Want("alert for Deny · off for Allow · set by namespace blue", "allowed by ingress 0", "dropped by the default deny of blue, ingress: no NetworkPolicy allows it",
		"default deny of blue, ingress: 1 of 2")
	s.WantNot("8081", "8.8.8.8")
	s.Press("enter") // the newest line: what denied it
	s.Want("rows", "filter: (deny|ARP|ICMP) of blue, ingress")
	s = w.open(nav.Page{Kind: nav.Logs, Key: web})
	s.Press("L")
	s.Want("log Namespace blue", "Now: deny=alert")
	s = w.open(nav.NewPage(nav.Logs))
	s.Resize(160, 40)
	s.Want("dropped by EF yellow/default egress 3", "NP blue/allow-web", "default deny of blue, ingress: 2")
	s.Press("enter")
	s.Want("EF yellow/default egress 3", "policy         EF yellow/default")
	s = w.open(nav.Page{Kind: nav.Logs, Key: model.PolicyKey{Kind: model.KindNP, Namespace: "green", Name: "db-from-api"}})
	s.Resize(160, 40)
	s.Want("▲ namespace green logs nothing", "lacks the annotation k8s.ovn.org/acl-logging, which sets the logging of")
}
