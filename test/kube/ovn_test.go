package kube_test

import (
	"encoding/json"
	"math/rand/v2"
	"net/netip"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/sources/sandbox"
	"rung/test/install"
	"rung/test/kube/cluster"
	"rung/test/wait"
)

// Nothing between Rung and packets is ours: policies come from kubectl, `rung reconcile`
// writes their rows, and what Rung says of connections, zones, drift and log lines, read
// through pods of OVN-Kubernetes alone, is held against OVN.
func TestOnOVN(t *testing.T) {
	t.Parallel()
	w := newLabWorld(t)
	sub := func(name string, test func(*labWorld)) {
		t.Run(name, func(t *testing.T) {
			was := w.t
			w.t = t
			defer func() { w.t = was }()
			test(w)
		})
	}
	sub("packets", (*labWorld).testPackets)
	sub("drift", (*labWorld).testDrift)
	sub("logs", (*labWorld).testLogs)
	sub("meters", (*labWorld).testMeters)
	sub("ovn-trace", (*labWorld).testTrace)
}

// guarded are connections about which guard-blue has something to say, and others.
func (w *labWorld) guarded() []attempt {
	blue, red, green := w.pods[0], w.pods[4], w.pods[8]
	far := w.pods[6] // red, on the other node
	return []attempt{
		w.attempt(red.String(), blue.String(), "TCP", 8080), w.attempt(far.String(), blue.String(), "UDP", 53), w.attempt(far.v6, blue.v6, "TCP", 80),
		w.attempt(blue.String(), red.String(), "TCP", 8080), w.attempt(blue.String(), far.String(), "TCP", 8080), w.attempt(blue.v6, far.v6, "TCP", 8080),
		w.attempt(blue.String(), far.String(), "TCP", 80), w.attempt(green.String(), blue.String(), "ICMP", 0), w.attempt(blue.String(), "198.51.100.9", "TCP", 443),
	}
}

// clean wants every zone in sync, by `rung drift` and `rung zones`, through exec.
func (w *labWorld) clean() {
	t := w.t
	t.Helper()
	if r := rung(t, "", on(w.c, cluster.Admin, "drift")...); r.code != 0 || !strings.Contains(r.out, "no drift: all zones match") {
		t.Errorf("rung drift: %d %s%s", r.code, r.out, r.err)
	}
	r := rung(t, "", on(w.c, cluster.Admin, "zones", "-o", "json")...)
	var zones []struct {
		Name, Endpoint, State string
		Policies              map[string]int
		Differ                []string `json:"units_not_in_sync"`
	}
	must(t, json.Unmarshal([]byte(r.out), &zones))
	if len(zones) != len(smallNodes) {
		t.Errorf("rung zones: %s%s", r.out, r.err)
	}
	for _, z := range zones {
		if !strings.HasPrefix(z.Endpoint, "exec:"+ovnNamespace+"/"+ovnPod(z.Name)+"/") || len(z.Policies) != 1 || z.Policies["in sync"] == 0 || len(z.Differ) > 0 {
			t.Errorf("rung zones: %+v", z)
		}
	}
	if r := rung(t, "", on(w.c, cluster.Admin, "zones", "--check")...); r.code != 0 {
		t.Errorf("rung zones --check: %d %s%s", r.code, r.out, r.err)
	}
}

// What `rung reconcile` wrote is what OVN does with packets: at first, when a policy comes
// before another and goes, and when a pod comes and goes.
func (w *labWorld) testPackets() {
	w.clean()
	all := w.guarded()
	if _, delivered := w.judge(all); delivered != 5 {
		w.t.Errorf("%d of %d connections delivered", delivered, len(all))
	}
	w.apply(anp("first-of-all", 3, "tenant=blue", "in Allow tenant=red", "out Deny *"))
	w.clean()
	if _, delivered := w.judge(w.guarded()); delivered != 5 {
		w.t.Errorf("with first-of-all %d connections delivered", delivered)
	}
	ctx := w.t.Context()
	_, err := w.c.Kubectl(ctx, cluster.Admin, "", "delete", "anp", "first-of-all")
	must(w.t, err)
	late := labPod{"red", "late", "n2", "10.244.2.99", "fd01:0:0:2::99"}
	must(w.t, w.c.AddPod(ctx, late.namespace, late.name, late.node, late.v4+","+late.v6, "app", "a"))
	must(w.t, w.lab.Follow(ctx))
	w.settled()
	w.clean()
	was := w.pods
	w.pods = append(slices.Clone(was), late)
	if _, delivered := w.judge([]attempt{w.attempt(late.String(), was[0].String(), "TCP", 8080), w.attempt(was[0].v6, late.v6, "TCP", 8080)}); delivered != 1 {
		w.t.Errorf("%d connections of a new pod delivered, want that to it", delivered)
	}
	w.pods = was
	must(w.t, w.c.DeletePod(ctx, late.namespace, late.name))
	must(w.t, w.lab.Follow(ctx))
	w.settled()
	w.clean()
}

// A row that somebody changed with ovn-nbctl is drift, rung trace says that rows and
// policies disagree, OVN does as the rows say, and the next `rung reconcile` puts it back.
func (w *labWorld) testDrift() {
	t, c := w.t, w.c
	w.writer.signal(syscall.SIGTERM)
	wait.Within(t, patience, "rung reconcile ends", func() bool { return !w.writer.running() })
	red, blue := w.pods[4], w.pods[0]
	id := "default-network-controller:AdminNetworkPolicy:guard-blue:Ingress:0:None"
	uuid := w.inPod(blue.node, "ovn-nbctl", "--bare", "--columns=_uuid", "find", "acl", `external_ids:"k8s.ovn.org/id"="`+id+`"`)
	if len(uuid) != 36 {
		t.Fatalf("ovn-nbctl finds no row %s: %q", id, uuid)
	}
	w.inPod(blue.node, "ovn-nbctl", "--wait=sb", "set", "acl", uuid, "action=allow-related", "priority=29999")
	must(t, w.lab.Sync(t.Context()))

	r := rung(t, "", on(c, cluster.Admin, "drift", "-o", "json")...)
	var drift []struct {
		Zone, Policy, State string
		Rows                []struct {
			Kind, Table, ID, UUID string
			Fields                []struct{ Column, Desired, Live string }
		}
	}
	must(t, json.Unmarshal([]byte(r.out), &drift))
	if r.code != 1 || len(drift) != 1 || drift[0].Zone != blue.node || drift[0].Policy != "AdminNetworkPolicy/guard-blue" || len(drift[0].Rows) != 1 ||
		drift[0].Rows[0].UUID != uuid || len(drift[0].Rows[0].Fields) != 2 {
		t.Errorf("rung drift: %d %s%s", r.code, r.out, r.err)
	}
	// The report of the cluster has the same row, and says so before everything else.
	r = rung(t, "", on(c, cluster.Admin, "report", "-o", "json")...)
	var report struct {
		Summary []string
		Drift   []struct{ Zone, Policy string }
		Zones   []struct{ Name string }
	}
	must(t, json.Unmarshal([]byte(r.out), &report))
	if text := strings.Join(report.Summary, "\n"); len(report.Drift) != 1 || report.Drift[0].Zone != blue.node || len(report.Zones) != len(smallNodes) ||
		!strings.Contains(text, "rows that are not in sync, by policy and zone: 1 behind") {
		t.Errorf("rung report: %d %+v\n%s", r.code, report, r.err)
	}
	a := w.attempt(red.String(), blue.String(), "TCP", 8080)
	said := w.answers([]attempt{a}, "--ovn")[0]
	steps, made := w.try(a)
	if said.Verdict != "deny" || said.Rows.Verdict != "allow" || !made {
		t.Errorf("with the row changed: by policies %s, by rows %s, packets %+v", said.Verdict, said.Rows.Verdict, steps)
	}
	w.agreeRung(a, &said)

	w.writer = reconcile(w.whole, c, w.lab, "headless-again")
	w.settled()
	w.clean()
	w.judge(w.guarded())
}

// A logging session has ovn-controller write lines, which `rung logs` and the console's
// page show by their rules; once it ended nothing is logged any more.
func (w *labWorld) testLogs() {
	t, c := w.t, w.c
	red, blue := w.pods[4], w.pods[0]
	change(t, c, "", "log-level", "guard-blue", "--deny", "alert", "--allow", "info", "--for", "open")
	w.settled()
	screen := console(t, c, cluster.Admin)
	screen.WaitFor("guard-blue")
	screen.Press("4")
	// The page shows what is written from the moment a node is followed.
	screen.WaitFor("2 of 2 nodes followed")

	dropped, passed := w.attempt(red.String(), blue.String(), "TCP", 8080), w.attempt(blue.v6, red.v6, "TCP", 8080)
	for _, a := range []attempt{dropped, passed} {
		w.try(a)
	}
	for _, z := range w.lab.Zones() {
		must(t, z.WaitLogged(t.Context()))
	}
	done := phase(t, "packet to sentence")
	screen.WaitFor("dropped by guard-blue ingress 0", "allowed by guard-blue egress 0")
	done()
	r := rung(t, "", on(c, cluster.Admin, "logs", "--since", "2m", "--lines", "2", "--for", "30s", "-o", "json")...)
	type line struct {
		Zone, Policy, Rule, Verdict, From, To, Raw string
	}
	var lines []line
	for text := range strings.Lines(r.out) {
		var l line
		must(t, json.Unmarshal([]byte(text), &l))
		lines = append(lines, l)
	}
	if len(lines) != 2 {
		t.Fatalf("rung logs: %d %s%s", r.code, r.out, r.err)
	}
	for i, want := range []line{
		{Zone: blue.node, Policy: "AdminNetworkPolicy/guard-blue", Rule: "ingress 0", Verdict: "drop", From: red.String(), To: blue.String()},
		{Zone: blue.node, Policy: "AdminNetworkPolicy/guard-blue", Rule: "egress 0", Verdict: "allow", From: blue.String(), To: red.String()},
	} {
		raw, err := os.ReadFile(w.lab.Zone(want.Zone).LogFile())
		must(t, err)
		got := lines[i]
		if !strings.Contains(string(raw), got.Raw) || !strings.Contains(got.Raw, "acl_log(ovn_pinctrl") {
			t.Errorf("not ovn-controller's: %q", got.Raw)
		}
		got.Raw = ""
		if got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	change(t, c, "", "log-level", "--end")
	w.settled()
	w.clean()
	if a := live(t, c, "anp", "guard-blue").Metadata.Annotations; a["k8s.ovn.org/acl-logging"] != "" || a["rung/log-session"] != "" {
		t.Errorf("annotations of before: %v", a)
	}
}

// What the meter of an ACL discards is read through exec in the node's pod, and the console
// says how many lines that were: as many as the datapath counted.
func (w *labWorld) testMeters() {
	t, c := w.t, w.c
	red, blue := w.pods[4], w.pods[0]
	change(t, c, "", "log-level", "guard-blue", "--deny", "alert", "--for", "open")
	w.settled()
	screen := console(t, c, cluster.Admin)
	screen.WaitFor("guard-blue")
	screen.Press("4")
	zone := w.lab.Zone(blue.node)
	if w.attempt(red.String(), blue.String(), "TCP", 8080).Connection.From != zone {
		t.Fatalf("%s and %s are not of one zone", red, blue)
	}
	var all []sandbox.Packet
	for range 400 {
		w.port++
		all = append(all, sandbox.Packet{EntryPort: red.lport(), Src: netip.MustParseAddr(red.v4), Dst: netip.MustParseAddr(blue.v4), Proto: sandbox.TCP, SrcPort: w.port, DstPort: 8080})
	}
	// Until the meter has held some back in the second in which it let as many through.
	lost := uint64(0)
	wait.Within(t, patience, "the meter is at its limit", func() bool {
		_, err := zone.Send(t.Context(), all)
		must(t, err)
		must(t, zone.WaitLogged(t.Context()))
		f := screen.Terminal.Frame()
		return strings.Contains(f.Text(), "ingress 0 in "+blue.node+": at the limit")
	})
	stats, err := zone.Meters(t.Context())
	must(t, err)
	for name, s := range stats {
		if strings.HasPrefix(name, nb.LoggingMeter+"__") {
			lost += s.Dropped
		}
	}
	if lost == 0 {
		t.Fatalf("the datapath discarded nothing: %+v", stats)
	}
	screen.WaitFor(words.Count(lost, "line") + " lost")
	screen.Press("3").WaitFor("LOG LINES", words.Thousands(lost))
	change(t, c, "", "log-level", "--end")
	w.settled()
}

const (
	fewTraces  = 40
	manyTraces = 520
	perSet     = 20 // connections for each set of policies
)

// ovn-trace, run in the nodes' pods by the test and by `rung trace --ovn`, meets the ACLs
// that the rows have a packet meet, and packets come through where both say so: for random
// connections of random policies.
func (w *labWorld) testTrace() {
	t := w.t
	seed, n := uint64(1), fewTraces
	if os.Getenv(install.SoakVar) == "1" {
		seed, n = uint64(time.Now().UnixNano()%1_000_000), manyTraces
	}
	seed = seedOr(t, seed)
	began, delivered, undefined, met := time.Now(), 0, 0, map[string]int{}
	for round := 0; round*perSet < n; round++ {
		r := rand.New(rand.NewPCG(seed, uint64(round)))
		w.apply(randomPolicies(r))
		w.clean()
		all := w.random(r, perSet)
		said, some := w.judge(all, "--ovn")
		delivered += some
		tracer := w.tracer()
		for i, a := range all {
			if said[i].Verdict == "undefined" {
				undefined++
				continue
			}
			tracer.agree(a, said[i].Rows)
			w.agreeRung(a, &said[i])
			met[a.Protocol]++
			for _, s := range said[i].Rows.Stages {
				if s.DecidedBy != nil {
					met[strings.Split(s.DecidedBy.ACL, ":")[1]]++
				}
			}
		}
		if t.Failed() {
			t.Fatalf("set %d of RUNG_SEED=%d", round, seed)
		}
	}
	t.Logf("%d connections by ovn-trace, packets and rows, %d delivered, %d undefined and left out, %v: %v", n, delivered, undefined, time.Since(began).Round(time.Second), met)
	for _, what := range []string{"TCP", "UDP", "SCTP", "ICMP", string(model.KindANP), string(model.KindNP), string(model.KindEF)} {
		if met[what] == 0 {
			t.Errorf("no connection met %s", what)
		}
	}
}
