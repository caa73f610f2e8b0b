package ladder

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/selectors"
	"rung/test/made"
)

func TestGaps(t *testing.T) {
	tests := []struct {
		used []int32
		max  int32
		want []Gap
	}{
		{nil, 99, []Gap{{0, 99}}},
		{[]int32{0, 99}, 99, []Gap{{1, 98}}},
		{[]int32{60, 30, 40, 34, 40, 43, 60, 120}, 99, []Gap{{0, 29}, {31, 33}, {35, 39}, {41, 42}, {44, 59}, {61, 99}}},
		{[]int32{0, 1, 2}, 2, nil},
		{[]int32{120, 1000}, 99, []Gap{{0, 99}}},
		{[]int32{5}, 5, []Gap{{0, 4}}},
		{[]int32{-3, 1}, 3, []Gap{{0, 0}, {2, 3}}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, FreeGaps(tt.used, tt.max)); diff != "" {
			t.Errorf("%v up to %d (-want +got):\n%s", tt.used, tt.max, diff)
		}
	}
	if got := (Gap{31, 33}).FreeCount(); got != 3 {
		t.Errorf("length %d, want 3", got)
	}
}

func TestRuleCount(t *testing.T) {
	for want, rules := range map[string][]model.Rule{
		"–":        nil,
		"3A 1P 1D": {{Action: model.Allow}, {Action: model.Deny}, {Action: model.Allow}, {Action: model.Pass}, {Action: model.Allow}},
		"1D":       {{Action: model.Deny}, {Action: "Reject"}},
	} {
		if got := CountRules(rules).String(); got != want {
			t.Errorf("%v: %q, want %q", rules, got, want)
		}
	}
}

func TestLadder(t *testing.T) {
	broken := []model.Broken{{Key: model.Key{Kind: model.KindANP, Name: "bad"}, Code: "cel", Message: "no peer"}, {Key: model.Key{Kind: model.KindPod, Name: "x"}, Code: "schema"},
		{Origin: model.Origin{File: "a.yaml", Line: 3}, Code: "yaml", Message: "not YAML"},
		// None of Rung's business: kinds that are not read, a policy that a must-gather has twice.
		{Severity: model.SeverityInfo, Origin: model.Origin{File: "a.yaml", Line: 9}, Code: "unknown-kind", Message: "left aside: 9 objects"},
		{Severity: model.SeverityInfo, Key: model.Key{Kind: model.KindANP, Name: "quarantine"}, Code: "duplicate"}}
	l := New(made.LadderCluster(), Options{Broken: broken})
	text := strings.Builder{}
	for _, tier := range l.Tiers {
		fmt.Fprintln(&text, "tier", tier.Tier, tier.Kind, tier.Counts, tier.Gaps)
		for _, r := range tier.Rungs {
			fmt.Fprint(&text, " ", r.Priority)
			for _, p := range r.Policies {
				fmt.Fprint(&text, " ", p.Policy.Name, " [", p.Policy.Subject, "] ", p.Ingress, " ", p.Egress, " ", p.Conflicts)
			}
			fmt.Fprintln(&text, " duplicate", r.Duplicate, "unsupported", r.Unsupported)
		}
		for _, p := range tier.Policies {
			fmt.Fprintln(&text, " ", p.Policy.Label(), "["+p.Policy.Subject.String()+"]")
		}
	}
	want := `tier 0 Isolation map[] []
tier 1 AdminNetworkPolicy map[] [0–29 31–59 61–99]
 30 break-glass [ns: all] – 1A 1P [] duplicate false unsupported false
 60 allow-metrics [ns: tenant=blue] 1A – [0] quarantine [ns: all] 1D – [0] duplicate true unsupported false
 120 experimental [ns: app=canary] 1D – [] experimental-2 [ns: all] 1A – [] duplicate true unsupported true
tier 2 NetworkPolicy map[EgressFirewall:1 NetworkPolicy:1] []
  NP blue/allow-web [pods: app=web in blue]
  EF blue/default [ns: blue]
tier 3 BaselineAdminNetworkPolicy map[] []
 0 default [ns: type=workload] 1D – [] duplicate false unsupported false
`
	if diff := cmp.Diff(want, text.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(l.Broken) != 2 || l.Broken[0].Key.Name != "bad" || l.Broken[1].Code != "yaml" {
		t.Errorf("broken: %+v", l.Broken)
	}
	if r := l.RungAt(60); r == nil || len(r.Policies) != 2 {
		t.Errorf("rung 60: %+v", r)
	}
	if r := l.RungAt(61); r != nil {
		t.Errorf("rung 61: %+v", r)
	}
	allow := model.Key{Kind: model.KindANP, Name: "allow-metrics"}
	cs := l.Conflicts
	if len(cs) != 1 {
		t.Fatalf("conflicts of %s: %+v", allow, cs)
	}
	other, own, theirs := cs[0].OtherPolicy(allow)
	if other.Name != "quarantine" || own != model.Allow || theirs != model.Deny || cs[0].Witness != "red/web-1 → blue/web-1 tcp 9090" {
		t.Errorf("conflict with %s, %s against %s: %s", other, own, theirs, cs[0].Witness)
	}
	if back, own, _ := cs[0].OtherPolicy(other); back != allow || own != model.Deny {
		t.Errorf("seen from the other side: %s %s", back, own)
	}
}

func TestOrder(t *testing.T) {
	var got []string
	for _, k := range PolicyOrder(made.LadderCluster()) {
		got = append(got, k.Label())
	}
	want := []string{"ANP break-glass", "ANP allow-metrics", "ANP quarantine", "ANP experimental", "ANP experimental-2",
		"NP blue/allow-web", "EF blue/default", "BANP default"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTexts(t *testing.T) {
	r := model.Rule{Direction: model.Egress, Index: 5, Name: "default-deny"}
	for want, got := range map[string]string{
		"ns: all":                          model.Subject{Namespaces: made.Sel("*"), AllPods: true}.String(),
		"pods: app=web":                    model.Subject{Namespaces: made.Sel("*"), Pods: made.Sel("app=web")}.String(),
		"pods: app=web in ns: tenant=blue": made.PodPeer("tenant=blue", "app=web").String(),
		"ns: tenant=blue":                  made.PodPeer("tenant=blue", "*").String(),
		"nodes: all":                       made.NodePeer("*").String(),
		"networks: 10.0.0.0/8, ::/0":       made.NetPeer("10.0.0.0/8", "::/0").String(),
		"networks: 10.0.0.0/8 except 10.1.0.0/16": model.Peer{Kind: model.PeerNetworks, Networks: []string{"10.0.0.0/8"},
			Except: []string{"10.1.0.0/16"}}.String(),
		"pods: app=web in blue":        model.Peer{Kind: model.PeerPods, Namespace: "blue", Pods: made.Sel("app=web")}.String(),
		"domain: example.org":          model.Peer{Kind: model.PeerDNS, DNSName: "example.org"}.String(),
		"tcp 80":                       made.TCP(80).String(),
		"udp 5000–5010":                model.Port{Protocol: "UDP", Start: 5000, End: 5010, Range: true}.String(),
		"sctp":                         model.Port{Protocol: "SCTP"}.String(),
		`"http"`:                       model.Port{Name: "http"}.String(),
		`egress rule 5 "default-deny"`: r.Label(),
		"ingress rule 0":               (&model.Rule{Direction: model.Ingress}).Label(),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// bigLadder has n policies of rules a direction each, two to a priority.
func bigLadder(r *rand.Rand, pods, n, rules int) *model.Cluster {
	c := made.RandomCluster(r, 100, pods)
	var objects []model.Object
	for i := range n {
		var lists [2][]model.Rule
		for d := range lists {
			for range rules {
				a := []model.Action{model.Allow, model.Deny, model.Pass}[r.IntN(3)]
				pe := made.PodPeer(fmt.Sprintf("tenant=t%d", r.IntN(5)), fmt.Sprintf("app=a%d", r.IntN(40)))
				lists[d] = append(lists[d], made.Rule(a, made.Peers(pe, made.NSPeer(fmt.Sprintf("env=e%d", r.IntN(3)))), made.TCP(int32(1+r.IntN(2000)))))
			}
		}
		objects = append(objects, made.ANP(fmt.Sprintf("policy-%d", i), int32(i/2), fmt.Sprintf("tenant=t%d", r.IntN(5)), lists[0], lists[1]))
	}
	c, _ = c.Upsert(objects, nil)
	return c
}

func BenchmarkLadder(b *testing.B) {
	c := bigLadder(rand.New(rand.NewPCG(1, 2)), 10_000, 100, 100)
	b.ReportAllocs()
	for b.Loop() {
		New(c, Options{})
	}
}

func BenchmarkPodIndex(b *testing.B) {
	c := bigLadder(rand.New(rand.NewPCG(1, 2)), 10_000, 0, 0)
	b.ReportAllocs()
	for b.Loop() {
		selectors.NewPodIndex(c, nil)
	}
}
