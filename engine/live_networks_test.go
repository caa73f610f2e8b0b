package engine

import (
	_ "embed"
	"net/netip"
	"strings"
	"testing"
	"time"

	"rung/engine/lab"
	"rung/engine/trace"
	"rung/model"
	"rung/model/verdict"
	"rung/revision"
	"rung/sources/sandbox"
	"rung/test/install"
)

//go:embed testdata/networks.yaml
var networksFile string

// Files with networks come up with every policy in sync in each zone, and stay so while pods and networks
// come and go.
func TestLiveNetworks(t *testing.T) {
	w := newLiveWorld(t)
	w.file("cluster.yaml", networksFile)
	r := w.run(func(c *Config) {
		c.Sandbox = lab.New(lab.Config{Server: "builtin", Dir: w.sockets, PortDelay: 20 * time.Millisecond})
	})
	rev := r.settle("n1", "n2")
	w.compiledAnew(rev.Cluster, "n1")
	if n := len(rev.Desired.Networks().Names()); n != 3 {
		t.Errorf("%d networks", n)
	}
	policies := func(rev *revision.Revision) (n int) {
		for k := range rev.Zone("n1").Policies {
			if k.Network != "" && k.Kind == model.KindNP {
				n++
			}
		}
		return n
	}
	if n := policies(rev); n != 3 {
		t.Errorf("%d NetworkPolicies on networks", n)
	}
	text := strings.ReplaceAll(networksFile, "name: b1", "name: c1")
	text = strings.Replace(text, "kind: UserDefinedNetwork\nmetadata: {name: net, namespace: blue}", "kind: UserDefinedNetwork\nmetadata: {name: other, namespace: blue}", 1)
	w.file("cluster.yaml", text)
	r.until("without the network", func(rev *revision.Revision) bool { return rev.Desired.Networks().Network("blue_net") == nil })
	rev = r.settle("n1", "n2")
	w.compiledAnew(rev.Cluster, "n1")
	w.file("cluster.yaml", networksFile)
	r.until("with the network again", func(rev *revision.Revision) bool {
		return rev.Desired.Networks().Network("blue_net") != nil && policies(rev) == 3
	})
	rev = r.settle("n1", "n2")
	w.compiledAnew(rev.Cluster, "n2")
}

// A connection on a primary network is probed there, and agrees with rows and policies; between networks
// nothing is sent.
func TestProbeOnNetworks(t *testing.T) {
	install.OVN(t, sandbox.FindTools)
	w := newLiveWorld(t)
	w.file("cluster.yaml", networksFile)
	r := w.run(func(c *Config) { c.Mode.Sandbox, c.Sandbox = true, lab.New(lab.Config{OVN: place(), Dir: w.sockets}) })
	r.settle("n1", "n2")
	outside := verdict.AddrEnd(netip.MustParseAddr("203.0.113.9"))
	for _, c := range []struct {
		from, to verdict.Endpoint
		port     uint16
		want     verdict.Verdict
		in       string
	}{
		{verdict.PodEnd("blue", "a1"), verdict.PodEnd("blue", "b2"), 80, verdict.Allow, "blue.net_blue_a1"},
		{verdict.PodEnd("blue", "b2"), verdict.PodEnd("blue", "b1"), 81, verdict.Deny, "blue.net_blue_b2"},
		{verdict.PodEnd("green", "a2"), verdict.PodEnd("green", "b1"), 80, verdict.Allow, "green.l2_green_a2"},
		{verdict.PodEnd("green", "b1"), verdict.PodEnd("green", "b2"), 81, verdict.Deny, "green.l2_green_b1"},
		{verdict.PodEnd("blue", "a1"), outside, 443, verdict.Deny, "blue.net_blue_a1"},
		{verdict.PodEnd("green", "a1"), outside, 443, verdict.Allow, "green.l2_green_a1"},
		{outside, verdict.PodEnd("green", "b1"), 80, verdict.Deny, "outside-green_l2_ovn_layer2_switch"},
		{verdict.NodeEnd("n1"), verdict.PodEnd("blue", "b1"), 81, verdict.Allow, "k8s-blue_net_n1"},
		{verdict.PodEnd("plain", "a1"), verdict.PodEnd("plain", "b2"), 80, verdict.Allow, "plain_a1"},
		{verdict.PodEnd("blue", "a1"), verdict.PodEnd("green", "b2"), 80, verdict.NotApplicable, ""},
		{verdict.PodEnd("plain", "a1"), verdict.PodEnd("green", "b2"), 80, verdict.NotApplicable, ""},
	} {
		q := verdict.Connection{From: c.from, To: c.to, Protocol: verdict.TCP, Port: c.port}
		var res *trace.Result
		var err error
		for range 3 { // a probe gives up when a busy machine has not bound every port
			if res, err = r.Probe(t.Context(), q, nil); err == nil {
				break
			}
		}
		if err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		in := ""
		if len(res.Sent) > 0 && len(res.Sent[0]) > 0 {
			in = res.Sent[0][0].EntryPort
		}
		if res.Packets.Verdict != c.want || in != c.in || len(res.Findings) > 0 {
			t.Errorf("%s: packets %s (%s) in at %q, rows %s, policies %s (%s), %v", q, res.Packets.Verdict, res.Packets.Reason, in,
				res.Rows.Verdict, res.Policies.Verdict, res.Policies.Reason, res.Findings)
		}
	}
}
