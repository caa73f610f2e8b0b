package engine

import (
	"context"
	"errors"
	"net/netip"
	"os"
	"slices"
	"testing"
	"time"

	"rung/change"
	"rung/change/write"
	"rung/engine/lab"
	"rung/engine/trace"
	"rung/model"
	"rung/model/verdict"
	"rung/sources/kube"
	"rung/sources/sandbox"
	"rung/test/given"
	"rung/test/given/troubled"
	"rung/test/install"
	"rung/test/wait"
)

// On real OVN a probe says what became of its packets there and back, by which rule, and
// agrees with rows and policies, whatever its ends are; a new policy decides about the
// next.
func TestProbe(t *testing.T) {
	install.OVN(t, sandbox.FindTools)
	w := newLiveWorld(t)
	r := w.run(func(c *Config) {
		c.Mode.Sandbox, c.Sandbox = true, lab.New(lab.Config{OVN: place(), Dir: w.sockets})
		c.Sources = []kube.Source{write.NewFiles(write.FileOptions{Demo: troubled.Files})}
	})
	r.settle("ovn-control-plane", "ovn-worker", "ovn-worker2")
	ask := func(c verdict.Connection) *trace.Result {
		t.Helper()
		var phases []trace.ProbePhase
		var res *trace.Result
		var err error
		// A probe gives up after 30 s, when a busy machine may not have bound every port.
		wait.Within(t, 5*time.Minute, "a probe that is not out of time", func() bool {
			phases = nil
			res, err = r.Probe(t.Context(), c, func(p trace.ProbePhase) { phases = append(phases, p) })
			return !errors.Is(err, context.DeadlineExceeded)
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range res.Findings {
			t.Errorf("%s: %s", c, f.Message)
		}
		if v := res.Policies.Verdict; res.Changed || res.Packets.Verdict != v && v != verdict.Unknown && v != verdict.Undefined {
			t.Errorf("%s: packets %s (%s), policies %s, changed %v", c, res.Packets.Verdict, res.Packets.Reason, res.Policies.Verdict, res.Changed)
		}
		if res.Packets.Verdict != verdict.NotApplicable && (len(phases) < 2 || phases[0] != trace.Waits || phases[1] != trace.Sends) {
			t.Errorf("%s: the phases were %v", c, phases)
		}
		return res
	}
	ends := []verdict.Endpoint{verdict.AddrEnd(netip.MustParseAddr("10.1.2.3")), verdict.AddrEnd(netip.MustParseAddr("198.51.100.9"))}
	pods, each := 0, 16
	if os.Getenv(install.SoakVar) == "1" {
		each = 8
	}
	for p := range r.Revision().Cluster.Pods() {
		pods++
		if pods%each == 0 || p.HostNetwork && pods%2 == 0 {
			ends = append(ends, verdict.PodEnd(p.Namespace, p.Name))
		}
	}
	for n := range r.Revision().Cluster.Nodes() {
		ends = append(ends, verdict.NodeEnd(n.Name))
	}
	count := map[verdict.Verdict]int{}
	for i, from := range ends {
		for j, to := range ends {
			c := verdict.Connection{From: from, To: to, Protocol: verdict.TCP, Port: 80}
			switch (i + j) % 5 {
			case 1:
				c.Protocol, c.Port = verdict.UDP, 53
			case 2:
				c.Port = 81
			case 3:
				c.Protocol, c.Port = verdict.ICMP, 0
			case 4:
				c.Protocol = verdict.SCTP
			}
			count[ask(c).Packets.Verdict]++
		}
	}
	t.Logf("%d ends: %v", len(ends), count)
	if count[verdict.Allow] == 0 || count[verdict.Deny] == 0 || count[verdict.NotApplicable] == 0 {
		t.Errorf("all are alike: %v", count)
	}

	// Dropped by a rule, and let through by the one that comes above it.
	c, ok := trace.SuggestConnection(r.Revision(), given.ANPKey("cluster-control"), model.Egress, 5)
	if !ok {
		t.Fatal("no connection for the rule")
	}
	res := ask(c)
	by := res.Packets.Paths[0].Stages
	i := slices.IndexFunc(by, func(s verdict.StageVerdict) bool { return s.Decided != nil })
	if i < 0 || by[i].Decided.Policy != given.ANPKey("cluster-control") || by[i].Verdict != verdict.Deny || len(res.Sent[0]) != 1 || res.Sent[0][0].Met[0].Row == nil {
		t.Errorf("%s was not dropped by the rule: %s, sent %+v", c, trace.RuleName(by[max(i, 0)].Decided), res.Sent)
	}
	r.change(change.Mutation{Op: change.OpApply, YAML: []byte(given.ANP("above", 0, "", "in allow *", "out allow 0.0.0.0/0"))})
	res = ask(c)
	if res.Packets.Verdict != verdict.Allow {
		t.Errorf("%s: still %s", c, res.Packets.Verdict)
	}
	want := []string{"SYN", "SYN-ACK", "ACK"}
	var got []string
	for _, s := range res.Sent[0] {
		if !slices.Contains(got, s.Packet) {
			got = append(got, s.Packet)
		}
		if !s.Delivered || s.Reply != (s.Packet == "SYN-ACK") {
			t.Errorf("%+v", s)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the handshake was %v", got)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Probe(ctx, c, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Without OVN a probe says at once why there is none.
func TestProbeWithoutOVN(t *testing.T) {
	w := newLiveWorld(t, livePolicies()...)
	r := w.run(func(c *Config) {
		c.Mode.Sandbox, c.Sandbox = true, lab.New(lab.Config{Server: "builtin", Dir: w.sockets})
	})
	const want = "needs the sandbox on OVN: rung -f FILES --sandbox-ovn DIR"
	if _, err := r.Probe(t.Context(), verdict.Connection{}, nil); err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}
