package engine

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/change"
	"rung/engine/lab"
	"rung/engine/zones"
	"rung/model/ovn/flow"
	"rung/model/verdict"
	"rung/revision"
	"rung/sources/sandbox"
	"rung/test/given"
	"rung/test/install"
)

// onOVN is an engine whose sandbox runs on real OVN.
func onOVN(t *testing.T) *liveRun {
	t.Helper()
	install.OVN(t, sandbox.FindTools)
	w := newLiveWorld(t, livePolicies()...)
	r := w.run(func(c *Config) { c.Sandbox, c.OVNTrace = w.onOVN(nil) })
	r.settle("control", "worker")
	return r
}

// onOVN is a sandbox on OVN, with ovn-trace by the runner, where that is set.
func (w *liveWorld) onOVN(run *zones.Runner) (*lab.Lab, *zones.OVNTracer) {
	box := lab.New(lab.Config{OVN: place(), Dir: w.sockets})
	return box, zones.NewOVNTracer(func() (zones.Runner, error) {
		if run != nil && *run != nil {
			return *run, nil
		}
		return box.OVNTracer()
	})
}

func tcp(from, to verdict.Endpoint, port uint16) verdict.Connection {
	return verdict.Connection{From: from, To: to, Protocol: verdict.TCP, Port: port}
}

// said is an answer line by line.
func said(t *revision.OVNTrace) (out []string) {
	words := t.InWords()
	out = append(out, words.Headline)
	for _, w := range words.Paths {
		for _, l := range w.Lines {
			out = append(out, fmt.Sprintf("%s %s: %s | %s", l.Zone, l.Stage, l.OVN, l.Rows))
		}
		out = append(out, w.Notes...)
	}
	return out
}

// Real ovn-trace, asked by the engine, names the rules that decide, in each zone of the way.
func TestOVNTrace(t *testing.T) {
	r := onOVN(t)
	pod := verdict.PodEnd
	outside := verdict.AddrEnd(netip.MustParseAddr("198.51.100.9"))
	for _, c := range []struct {
		about verdict.Connection
		want  []string
	}{
		{tcp(pod("green", "web-0"), pod("blue", "web-0"), 80), []string{"allow, as the rows say",
			"worker to-lport: allow · ANP one ingress 0 | allow · ANP one ingress 0"}},
		{tcp(pod("green", "web-0"), pod("blue", "web-0"), 81), []string{"deny, as the rows say",
			"worker to-lport: deny · ANP one ingress 1 | deny · ANP one ingress 1"}},
		{tcp(pod("green", "web-0"), pod("blue", "db-1"), 80), []string{"allow, as the rows say",
			"control to-lport: allow · ANP one ingress 0 | allow · ANP one ingress 0",
			// The pods of this cluster have addresses of one subnet on both nodes.
			"zone worker: OVN loses the packet in stage ls_in_l2_unknown, not by an ACL"}},
		{tcp(pod("red", "web-0"), outside, 443), []string{"allow, as the rows say",
			"worker to-lport: allow · no rule matched | allow · no rule matched"}},
		{tcp(pod("red", "web-0"), pod("green", "db-1"), 80), []string{"deny, as the rows say",
			"worker from-lport-after-lb: deny · ANP two egress 0 | deny · ANP two egress 0"}},
		{tcp(pod("red", "web-0"), verdict.AddrEnd(netip.MustParseAddr("239.1.1.1")), 80), []string{
			"not asked: ovn-trace cannot be asked about a multicast group", "ovn-trace cannot be asked about a multicast group"}},
	} {
		var states []string
		got, err := r.OVNTrace(r.ctx, c.about, func(doing string) { states = append(states, doing) })
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, said(got)); diff != "" {
			t.Errorf("%s:\n%s", c.about, diff)
		}
		if runs := slices.Contains(states, "zone worker: running ovn-trace"); runs == (got.Paths[0].Why != "") {
			t.Errorf("%s: told %q", c.about, states)
		}
	}
	if _, err := r.OVNTrace(r.ctx, tcp(pod("red", "nobody"), outside, 1), nil); !errors.Is(err, verdict.ErrQuestion) {
		t.Errorf("about a pod that does not exist: %v", err)
	}
	ctx, cancel := context.WithCancel(r.ctx)
	cancel()
	if _, err := r.OVNTrace(ctx, tcp(pod("red", "web-0"), outside, 1), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// What ovn-trace says of flows that are older than the rows is a finding, until it is
// asked again, or the policy is gone.
func TestOVNTraceDisagrees(t *testing.T) {
	install.OVN(t, sandbox.FindTools)
	w := newLiveWorld(t, livePolicies()...)
	var runner zones.Runner
	r := w.run(func(c *Config) { c.Sandbox, c.OVNTrace = w.onOVN(&runner) })
	r.settle("control", "worker")
	c := tcp(verdict.PodEnd("green", "web-0"), verdict.PodEnd("blue", "web-0"), 80)
	real, err := r.lab().OVNTracer()
	if err != nil {
		t.Fatal(err)
	}
	var old string
	keep := func(ctx context.Context, ask *flow.PacketQuestion) (string, []string, string, error) {
		where, cmd, text, err := real(ctx, ask)
		old = text
		return where, cmd, text, err
	}
	stale := func(context.Context, *flow.PacketQuestion) (string, []string, string, error) {
		return "here", nil, old, nil
	}
	trace := func(run zones.Runner) *revision.OVNTrace {
		t.Helper()
		runner = run
		got, err := r.OVNTrace(r.ctx, c, nil)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	findings := func() (out []string) {
		for _, f := range revision.ZoneFindings(r.Revision(), r.Now()) {
			if f.Code == revision.FindOVNTrace {
				out = append(out, f.Policy.Label()+" in "+f.Zone+": "+f.Message)
			}
		}
		return out
	}
	if got := trace(keep); got.Agreement() != revision.Agree || findings() != nil {
		t.Fatalf("%q, %q", said(got), findings())
	}
	r.change(change.Mutation{Op: change.OpApply, YAML: []byte(given.ANP("none", 5, "tenant=blue", "in deny *"))})
	r.settle("control", "worker")
	want := []string{"allow, and the rows disagree",
		"worker to-lport: allow · ANP one ingress 0 | deny · ANP none ingress 0"}
	got := trace(stale)
	if diff := cmp.Diff(want, said(got)[:2]); diff != "" || !strings.HasPrefix(said(got)[2], "zone worker: likely cause: ") {
		t.Errorf("%s\n%q", diff, said(got))
	}
	const text = "ANP none in worker: zone worker: ovn-trace of green/web-0 → blue/web-0 tcp 80 disagrees with the rows in to-lport: OVN allow · ANP one ingress 0; rows deny · ANP none ingress 0; likely cause: "
	if f := findings(); len(f) != 1 || !strings.HasPrefix(f[0], text) {
		t.Errorf("findings %q", f)
	}
	trace(stale)
	if f := findings(); len(f) != 1 {
		t.Errorf("traced twice: findings %q", f)
	}
	if got := trace(real); got.Agreement() != revision.Agree || findings() != nil {
		t.Errorf("traced again: %q, findings %q", said(got), findings())
	}
	trace(stale)
	r.change(change.Mutation{Op: change.OpDelete, Policy: given.ANPKey("none")})
	r.until("the finding goes with its policy", func(rev *revision.Revision) bool { return len(rev.OVNTraces) == 0 })
	// A zone that cannot be asked has its reason, and nothing is said of the connection.
	got = trace(func(context.Context, *flow.PacketQuestion) (string, []string, string, error) {
		return "", nil, "", fmt.Errorf("zone worker: %w", zones.ErrNoProgram)
	})
	if diff := cmp.Diff([]string{"unknown, not compared with the rows", "zone worker: zone worker: the zone's pod has no ovn-trace"}, said(got)); diff != "" {
		t.Error(diff)
	}
}

// Without anywhere to run it the error says what is needed.
func TestNoOVNTrace(t *testing.T) {
	w := newLiveWorld(t, livePolicies()...)
	c := tcp(verdict.PodEnd("green", "web-0"), verdict.PodEnd("blue", "web-0"), 80)
	r := w.run(func(c *Config) {
		box := lab.New(lab.Config{Server: "builtin", Dir: w.sockets})
		c.Sandbox, c.OVNTrace = box, zones.NewOVNTracer(box.OVNTracer)
	})
	r.settle("control", "worker")
	_, err := r.OVNTrace(r.ctx, c, nil)
	if !errors.Is(err, zones.ErrNoOVNTrace) || !strings.Contains(err.Error(), "the sandbox does not run on OVN; see --sandbox-ovn") {
		t.Errorf("in a sandbox without OVN: %v", err)
	}
	r.Close()
	r = w.run(func(c *Config) {
		c.NB, c.OVNTrace = map[string]string{"worker": "unix:/nowhere"}, zones.NewOVNTracer(nil)
	})
	if _, err = r.OVNTrace(r.ctx, c, nil); !errors.Is(err, zones.ErrNoOVNTrace) || !strings.Contains(err.Error(), "--nb gives databases only") {
		t.Errorf("with databases only: %v", err)
	}
}
