package trace_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"rung/engine/trace"
	"rung/model"
	"rung/model/verdict"
	"rung/revision"
	"rung/test/live"
	"rung/test/uitest"
	"rung/ui"
	"rung/ui/nav"
)

const (
	probeDenied = "blue/api-d0 red/web-f0 TCP 8080"
	decides     = "AdminNetworkPolicy:cluster-control:Egress:5:None"
)

// facts are the demo on real OVN.
func probeFacts(t testing.TB) *revision.Facts {
	t.Helper()
	p := uitest.DemoFacts(t)
	uitest.AddUnits(p)
	p.Mode.OVN, p.Mode.Packets, p.Mode.Simulated = "25.03.0", true, false
	return p
}

// answering is a console whose OVN does the same with each packet.
func answering(f *uitest.Fake, steps []trace.PacketStep, made bool) {
	f.OnProbe = func(_ context.Context, c verdict.Connection, at func(trace.ProbePhase)) (*trace.Result, error) {
		at(trace.Sends)
		r := f.Revision()
		return trace.JudgePackets(r, r, c, []trace.PathPackets{{Steps: steps, AllDelivered: made}}, uitest.Now)
	}
}

// dropped is a SYN that the rule dropped.
func dropped(t testing.TB, p *revision.Facts) []trace.PacketStep {
	t.Helper()
	deny := live.ACL(t, live.Zone(t, p, "ovn-worker").DB, decides)
	return []trace.PacketStep{{Packet: "SYN", Zone: "ovn-worker", EntryPort: "blue_api-d0", Met: []trace.MetACL{{Stage: model.StageAfterLB, ACL: deny.UUID[:8]}}}}
}

// handshake is one that OVN let through without an ACL.
func handshake() (out []trace.PacketStep) {
	for _, name := range []string{"SYN", "SYN-ACK", "ACK"} {
		zones := []string{"ovn-worker", "ovn-worker2"}
		if name == "SYN-ACK" {
			zones[0], zones[1] = zones[1], zones[0]
		}
		for _, z := range zones {
			out = append(out, trace.PacketStep{Packet: name, Reply: name == "SYN-ACK", Zone: z, ExitPorts: []string{"x"}, Delivered: true})
		}
	}
	return out
}

func probeOpen(t testing.TB, p *revision.Facts, steps []trace.PacketStep, made bool) *uitest.Screen {
	t.Helper()
	f := uitest.NewFake(p)
	answering(f, steps, made)
	return uitest.OpenWith(t, f, ui.Options{Page: nav.ToProbe(probeDenied)})
}

func TestProbeGoldens(t *testing.T) {
	p := probeFacts(t)
	s := probeOpen(t, p, dropped(t, p), false)
	s.Golden("dropped")
	s.ResizeAll()
	s = probeOpen(t, p, handshake(), true)
	s.Golden("disagrees")
	s.ResizeAll()
}

// What was dropped by the rule that rows and policies name leads to that rule and its row.
func TestDropped(t *testing.T) {
	p := probeFacts(t)
	s := probeOpen(t, p, dropped(t, p), false)
	s.Want("✗ dropped", `by ANP cluster-control egress 5 "default-deny"`, "rows and policies agree", "SYN ")
	s.WantNot("the rows deny it", "SYN-ACK")
	for !strings.Contains(s.Line("▸"), "Deny") {
		s.Press("j")
	}
	s.Press("enter")
	s.Want(`› cluster-control egress 5 "default-deny"`)
	s.Press("esc", "j", "enter")
	s.Want("_uuid")
}

// A packet that comes out although the rows drop it is a disagreement, and named.
func TestDisagreement(t *testing.T) {
	p := probeFacts(t)
	s := probeOpen(t, p, handshake(), true)
	s.Want("✓ delivered", "blue/api-d0 → red/web-f0: OVN delivered the SYN, the rows deny it", "SYN-ACK", "ACK ")
	s.WantNot("rows and policies agree")
	if n := strings.Count(s.PlainFrame(), "report it"); n != 1 {
		t.Errorf("it is told %d times:\n%s", n, s.PlainFrame())
	}
}

// What is under way is said and can be cancelled; what cannot be sent says why; ctrl+r
// sends again, and P asks for other ends.
func TestAgainAndFailing(t *testing.T) {
	p := probeFacts(t)
	f := uitest.NewFake(p)
	f.OnProbe = func(context.Context, verdict.Connection, func(trace.ProbePhase)) (*trace.Result, error) {
		return nil, errors.New("no result within 30s: zone ovn-worker: waiting for nb_cfg 5: sb_cfg is 4, hv_cfg 4")
	}
	s := uitest.OpenWith(t, f, ui.Options{Page: nav.ToProbe(probeDenied)})
	s.Want("no result within 30s", "nb_cfg 5")
	answering(f, dropped(t, p), false)
	s.Press("ctrl+r")
	s.Want("✗ dropped")
	s.WantNot("no result")
	if got := strings.Join(f.Calls, ", "); got != "probe blue/api-d0 → red/web-f0 tcp 8080, probe blue/api-d0 → red/web-f0 tcp 8080" {
		t.Errorf("asked for %s", got)
	}
	s.Press("P")
	s.Want("probe a connection", "blue/api-d0", "red/web-f0", "enter sends it")
	s.Press("esc")
	s.Want("✗ dropped")
}

// P begins with the pod under the cursor, and with a connection that the rule decides.
func TestBeginsWithWhatIsThere(t *testing.T) {
	p := probeFacts(t)
	s := uitest.OpenScreen(t, p, nav.ToPod(model.Key{Kind: model.KindPod, Namespace: "blue", Name: "api-d0"}))
	s.Press("P")
	s.Want("probe a connection")
	if l := s.Line("From"); !strings.Contains(l, "blue/api-d0") {
		t.Errorf("it begins from %q", l)
	}
	s.Press("esc")
	k := model.PolicyKey{Kind: model.KindANP, Name: "cluster-control"}
	s = uitest.OpenScreen(t, p, nav.ToRule(k, model.Egress, 0))
	s.Press("P")
	s.Want("probe a connection", "kube-system/coredns", "53")
	c, ok := trace.SuggestConnection(revision.New(*p, nil), k, model.Egress, 0)
	if !ok {
		t.Fatal("no connection for the rule")
	}
	a, err := verdict.FromPolicies(revision.New(*p, nil).Verdicts(), c)
	if err != nil || a.Paths[0].Stages[1].Decided == nil || a.Paths[0].Stages[1].Decided.Policy != k || a.Paths[0].Stages[1].Decided.Rule != 0 {
		t.Errorf("%s is not decided by the rule: %v, %+v", c, err, a)
	}
}

// Off real OVN P says in one line why there is none, and what to start.
func TestWithoutOVN(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*revision.Mode)
		want   string
	}{
		"demo":    {func(*revision.Mode) {}, "probe: needs the sandbox on OVN: rung demo --sandbox-ovn DIR"},
		"missing": {func(m *revision.Mode) { m.NoOVNReported = true }, "probe: needs the sandbox on OVN: rung demo --sandbox-ovn DIR; why: 5, G"},
		"files":   {func(m *revision.Mode) { m.Name = "files" }, "probe: needs the sandbox on OVN: rung -f FILES --sandbox-ovn DIR"},
		"cluster": {func(m *revision.Mode) { m.Name, m.Sandbox = revision.ClusterMode, false }, "probe: needs a sandbox on OVN: rung -f FILES --sandbox-ovn DIR"},
	} {
		p := uitest.DemoFacts(t)
		tc.change(&p.Mode)
		s := uitest.OpenScreen(t, p, nav.NewPage(nav.Ladder))
		s.Resize(80, 24)
		s.Press("P")
		if !strings.Contains(s.PlainFrame(), tc.want) {
			t.Errorf("%s: it says nothing of %q:\n%s", name, tc.want, s.PlainFrame())
		}
	}
}

// From a trace, whatever its cursor is on, P sends the connection that the trace is about.
func TestOfATrace(t *testing.T) {
	p := probeFacts(t)
	f := uitest.NewFake(p)
	answering(f, dropped(t, p), false)
	s := uitest.OpenWith(t, f, ui.Options{Page: nav.ToTrace(probeDenied)})
	for !strings.Contains(s.Line("▸"), "decides") {
		s.Press("j")
	}
	s.Press("P")
	s.Want("probe a connection", "From      blue/api-d0", "To        red/web-f0", "Port      8080", "enter sends it")
	s.Press("enter")
	s.Want("✗ dropped")
	if got := strings.Join(f.Calls, ", "); got != "probe blue/api-d0 → red/web-f0 tcp 8080" {
		t.Errorf("asked for %s", got)
	}
}
