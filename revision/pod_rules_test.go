package revision

import (
	"fmt"
	"net/netip"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/bench/workload"
	"rung/model"
	"rung/model/ladder"
	"rung/test/given"
)

// listed asks every list of pods, as slowly and plainly as can be.
func listed(r *Revision, pod *model.Pod) (out []RuleTouch) {
	has := func(pods []*model.Pod) bool {
		return slices.ContainsFunc(pods, func(p *model.Pod) bool { return p.Key == pod.Key })
	}
	for _, k := range ladder.PolicyOrder(r.Cluster) {
		p := r.Cluster.Policy(k)
		if r.WhyNoRows(k) != nil {
			continue
		}
		for _, dir := range []model.Direction{model.Ingress, model.Egress} {
			for i, rule := range p.Rules(dir) {
				t := RuleTouch{Policy: k, Direction: dir, Rule: i, AsSubject: has(r.Subjects(k))}
				for j, peer := range rule.Peers {
					if len(pod.IPs) > 0 && has(r.PeerPods(k, dir, i, j)) {
						t.AsPeer, t.Network = true, ""
						break
					}
					for _, n := range peer.Networks {
						for _, ip := range pod.IPs {
							a := netip.MustParseAddr(ip)
							left := slices.ContainsFunc(peer.Except, func(e string) bool { return netip.MustParsePrefix(e).Contains(a) })
							if p.Key.Kind == model.KindEF && ofNodes(r.Cluster, a) {
								continue // an EgressFirewall's networks are outside of the nodes' subnets
							}
							if !t.AsPeer && pod.CanBeSubject() && !left && netip.MustParsePrefix(n).Contains(a) {
								t.AsPeer, t.Network = true, n
							}
						}
					}
				}
				if t.AsSubject || t.AsPeer {
					out = append(out, t)
				}
			}
		}
	}
	return out
}

// ofNodes says whether an address is in the pod subnets of a node.
func ofNodes(c *model.Cluster, a netip.Addr) bool {
	for n := range c.Nodes() {
		if slices.ContainsFunc(n.Subnets, func(s string) bool { return netip.MustParsePrefix(s).Contains(a) }) {
			return true
		}
	}
	return false
}

// TestTouches compares matching with listing, for every pod of the example.
func TestTouches(t *testing.T) {
	c := given.Example(t)
	r := New(Facts{Cluster: c}, nil)
	touched, networks, refused := 0, 0, 0
	for pod := range c.Pods() {
		got := RulesTouchingPod(r, pod)
		compiled := slices.DeleteFunc(slices.Clone(got), func(t RuleTouch) bool { return r.WhyNoRows(t.Policy) != nil })
		refused += len(got) - len(compiled)
		if diff := cmp.Diff(listed(r, pod), compiled); diff != "" {
			t.Errorf("%s (-listed +matched):\n%s", pod.Key, diff)
		}
		for _, x := range got {
			touched++
			if x.Network != "" {
				networks++
			}
		}
	}
	if touched == 0 || networks == 0 || refused == 0 {
		t.Errorf("%d rules touch a pod, %d by a network, %d of refused policies: the example has all of these", touched, networks, refused)
	}
	if RulesTouchingPod(r, nil) != nil {
		t.Error("no pod is touched")
	}
}

// TestTouchesOdd: pods that count for nothing, or for something else than they
// look.
func TestTouchesOdd(t *testing.T) {
	r := revisionOf(t, given.ANP("net", 1, "", "out deny 10.9.0.0/16"), given.ANP("idle", 120, "tenant=blue", "in deny tenant=red"), given.ANP("six", 2, "tenant=none", "out deny ::/0"))
	pod := func(set func(*model.Pod)) *model.Pod {
		p := &model.Pod{Meta: model.Meta{Key: model.Key{Kind: model.KindPod, Namespace: "blue", Name: "x"}, Labels: model.NewLabels(nil)}, NodeName: "worker", Phase: "Running", IPs: []string{"10.9.1.2"}}
		set(p)
		return p
	}
	for _, tt := range []struct {
		name string
		set  func(*model.Pod)
		want string
	}{
		{"subject and inside the network", func(*model.Pod) {}, "[net subject peer 10.9.0.0/16] [idle subject]"},
		{"outside it", func(p *model.Pod) { p.IPs = []string{"10.8.1.2"} }, "[net subject] [idle subject]"},
		{"without an address", func(p *model.Pod) { p.IPs = nil }, "[net subject] [idle subject]"},
		{"a peer of a policy that is not enforced", func(p *model.Pod) { p.Namespace = "red" }, "[net subject peer 10.9.0.0/16] [idle peer ]"},
		{"of a family that is not compiled for", func(p *model.Pod) { p.IPs = []string{"fd00::1"} }, "[net subject] [idle subject]"},
		{"in a namespace nobody knows", func(p *model.Pod) { p.Namespace = "lost" }, "[net peer 10.9.0.0/16]"},
		{"host-networked", func(p *model.Pod) { p.HostNetwork = true }, ""},
		{"completed", func(p *model.Pod) { p.Phase = "Failed" }, ""},
		{"not scheduled", func(p *model.Pod) { p.NodeName = "" }, ""},
	} {
		text := ""
		for _, x := range RulesTouchingPod(r, pod(tt.set)) {
			text += " [" + x.Policy.Name
			if x.AsSubject {
				text += " subject"
			}
			if x.AsPeer {
				text += " peer " + x.Network
			}
			text += "]"
		}
		if text != "" {
			text = text[1:]
		}
		if text != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, text, tt.want)
		}
	}
}

// BenchmarkTouches is the page of one pod among 10,000, with 1,000 rules.
func BenchmarkTouches(b *testing.B) {
	r := New(Facts{Cluster: given.Workload(b, workload.Large)}, nil)
	pod := r.Cluster.Pod("ns000", "pod-00000")
	b.ReportAllocs()
	for b.Loop() {
		if len(RulesTouchingPod(r, pod)) == 0 {
			b.Fatal("no rule touches it")
		}
	}
}

// BenchmarkFindings is what a new revision costs whoever shows findings.
func BenchmarkFindings(b *testing.B) {
	for _, s := range []workload.Size{workload.Console, workload.Large} {
		c := given.Workload(b, s)
		b.Run(fmt.Sprint(s.Pods), func(b *testing.B) {
			r := New(Facts{Cluster: c}, nil)
			for b.Loop() {
				r = New(r.Facts, nil)
				FindingsOfObjects(r)
			}
		})
	}
}
