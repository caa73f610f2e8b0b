package model

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
		if diff := cmp.Diff(tt.want, Gaps(tt.used, tt.max)); diff != "" {
			t.Errorf("%v up to %d (-want +got):\n%s", tt.used, tt.max, diff)
		}
	}
	if got := (Gap{31, 33}).Len(); got != 3 {
		t.Errorf("length %d, want 3", got)
	}
}

func TestRuleCount(t *testing.T) {
	for want, rules := range map[string][]Rule{
		"–":        nil,
		"3A 1P 1D": {{Action: Allow}, {Action: Deny}, {Action: Allow}, {Action: Pass}, {Action: Allow}},
		"1D":       {{Action: Deny}, {Action: "Reject"}},
	} {
		if got := CountRules(rules).String(); got != want {
			t.Errorf("%v: %q, want %q", rules, got, want)
		}
	}
}

func ladderCluster() *Cluster {
	np := &Policy{Meta: Meta{Key: Key{KindNP, "blue", "allow-web"}}, Tier: TierNetwork, Subject: Subject{Namespace: "blue", Pods: sel("app=web")}}
	ef := &Policy{Meta: Meta{Key: Key{KindEF, "blue", "default"}}, Tier: TierNetwork, Subject: Subject{Namespace: "blue", AllPods: true}}
	banp := testANP("default", 0, "type=workload", []Rule{rule(Deny, peers(nsPeer("*")))}, nil)
	banp.Kind, banp.Tier = KindBANP, TierBaseline
	return testCluster(testNS("blue", "tenant=blue"), testNS("red", "tenant=red"),
		testPod("blue/web-1", "app=web", "10.1.0.1"), testPod("red/web-1", "app=web", "10.1.0.2"),
		testANP("quarantine", 60, "*", []Rule{rule(Deny, peers(nsPeer("*")))}, nil),
		testANP("allow-metrics", 60, "tenant=blue", []Rule{rule(Allow, peers(nsPeer("tenant=red")), tcp(9090))}, nil),
		testANP("break-glass", 30, "*", nil, []Rule{rule(Allow, peers(nsPeer("*"))), rule(Pass, peers(nsPeer("*")))}),
		testANP("experimental", 120, "app=canary", []Rule{rule(Deny, peers(nsPeer("*")))}, nil),
		testANP("experimental-2", 120, "*", []Rule{rule(Allow, peers(nsPeer("*")))}, nil), np, ef, banp)
}

func TestLadder(t *testing.T) {
	broken := []Broken{{Key: Key{Kind: KindANP, Name: "bad"}, Code: "cel", Message: "no peer"}, {Key: Key{Kind: KindPod, Name: "x"}, Code: "schema"},
		{Origin: Origin{File: "a.yaml", Line: 3}, Code: "yaml", Message: "not YAML"}}
	l := NewLadder(ladderCluster(), LadderOptions{Broken: broken})
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
tier 1 AdminNetworkPolicy map[] [{0 29} {31 59} {61 99}]
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
	if r := l.Rung(60); r == nil || len(r.Policies) != 2 {
		t.Errorf("rung 60: %+v", r)
	}
	if r := l.Rung(61); r != nil {
		t.Errorf("rung 61: %+v", r)
	}
	allow := Key{KindANP, "", "allow-metrics"}
	cs := l.ConflictsOf(allow)
	if len(cs) != 1 {
		t.Fatalf("conflicts of %s: %+v", allow, cs)
	}
	other, own, theirs := cs[0].Other(allow)
	if other.Name != "quarantine" || own != Allow || theirs != Deny || cs[0].Witness != "red/web-1 → blue/web-1 tcp 9090" {
		t.Errorf("conflict with %s, %s against %s: %s", other, own, theirs, cs[0].Witness)
	}
	if back, own, _ := cs[0].Other(other); back != allow || own != Deny {
		t.Errorf("seen from the other side: %s %s", back, own)
	}
}

func TestLadderJSON(t *testing.T) {
	l := NewLadder(ladderCluster(), LadderOptions{Max: 119, Broken: []Broken{{Origin: Origin{File: "a.yaml", Line: 3}, Code: "yaml", Message: "not YAML"}}})
	raw, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	// The contract alone, as a script reads it.
	var got struct {
		Tiers []struct {
			Tier  int
			Kind  string
			Rungs []struct {
				Priority               int
				Policies               []string
				Duplicate, Unsupported bool
			}
			Gaps []struct{ From, To int }
		}
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprint(got.Tiers)
	want := "[{0 Isolation [] []} {1 AdminNetworkPolicy [{30 [break-glass] false false} {60 [allow-metrics quarantine] true false} " +
		"{120 [experimental experimental-2] true true}] [{0 29} {31 59} {61 119}]} {2 NetworkPolicy [] []} " +
		"{3 BaselineAdminNetworkPolicy [{0 [default] false false}] []}]"
	if diff := cmp.Diff(want, text); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, part := range []string{`"max_priority":119`, `"counts":{"EgressFirewall":1,"NetworkPolicy":1}`,
		`"conflicts":[{"policies":["allow-metrics","quarantine"],"priority":60,"direction":"Ingress","rule":0,"actions":["Allow","Deny"],"witness":"red/web-1 → blue/web-1 tcp 9090"}]`,
		`"broken":[{"file":"a.yaml","line":3,"code":"yaml","message":"not YAML"}]`,
		`{"kind":"AdminNetworkPolicy","name":"quarantine","subject":"ns: all","ingress":{"allow":0,"deny":1,"pass":0},"egress":{"allow":0,"deny":0,"pass":0}}`} {
		if !strings.Contains(string(raw), part) {
			t.Errorf("%s misses %s", raw, part)
		}
	}
	empty, err := json.Marshal(NewLadder(nil, LadderOptions{}))
	if err != nil || strings.Contains(string(empty), "null") {
		t.Errorf("empty ladder: %s, %v", empty, err)
	}
}

func TestOrder(t *testing.T) {
	var got []string
	for _, k := range Order(ladderCluster()) {
		got = append(got, k.Label())
	}
	want := []string{"ANP break-glass", "ANP allow-metrics", "ANP quarantine", "ANP experimental", "ANP experimental-2",
		"NP blue/allow-web", "EF blue/default", "BANP default"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTexts(t *testing.T) {
	r := Rule{Direction: Egress, Index: 5, Name: "default-deny"}
	for want, got := range map[string]string{
		"ns: all":                          Subject{Namespaces: sel("*"), AllPods: true}.String(),
		"pods: app=web":                    Subject{Namespaces: sel("*"), Pods: sel("app=web")}.String(),
		"pods: app=web in ns: tenant=blue": podPeer("tenant=blue", "app=web").String(),
		"ns: tenant=blue":                  podPeer("tenant=blue", "*").String(),
		"nodes: all":                       nodePeer("*").String(),
		"networks: 10.0.0.0/8, ::/0":       netPeer("10.0.0.0/8", "::/0").String(),
		"networks: 10.0.0.0/8 except 10.1.0.0/16": Peer{Kind: PeerNetworks, Networks: []string{"10.0.0.0/8"},
			Except: []string{"10.1.0.0/16"}}.String(),
		"pods: app=web in blue":        Peer{Kind: PeerPods, Namespace: "blue", Pods: sel("app=web")}.String(),
		"domain: example.org":          Peer{Kind: PeerDNS, DNSName: "example.org"}.String(),
		"tcp 80":                       tcp(80).String(),
		"udp 5000–5010":                Port{Protocol: "UDP", Start: 5000, End: 5010, Range: true}.String(),
		"sctp":                         Port{Protocol: "SCTP"}.String(),
		`"http"`:                       Port{Name: "http"}.String(),
		`egress rule 5 "default-deny"`: r.Label(),
		"ingress rule 0":               (&Rule{Direction: Ingress}).Label(),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// bigLadder has n policies of rules a direction each, two to a priority.
func bigLadder(r *rand.Rand, pods, n, rules int) *Cluster {
	c := randomCluster(r, 100, pods)
	var objects []Object
	for i := range n {
		var lists [2][]Rule
		for d := range lists {
			for range rules {
				a := []Action{Allow, Deny, Pass}[r.IntN(3)]
				pe := podPeer(fmt.Sprintf("tenant=t%d", r.IntN(5)), fmt.Sprintf("app=a%d", r.IntN(40)))
				lists[d] = append(lists[d], rule(a, peers(pe, nsPeer(fmt.Sprintf("env=e%d", r.IntN(3)))), tcp(int32(1+r.IntN(2000)))))
			}
		}
		objects = append(objects, testANP(fmt.Sprintf("policy-%d", i), int32(i/2), fmt.Sprintf("tenant=t%d", r.IntN(5)), lists[0], lists[1]))
	}
	c, _ = c.Upsert(objects, nil)
	return c
}

func BenchmarkLadder(b *testing.B) {
	c := bigLadder(rand.New(rand.NewPCG(1, 2)), 10_000, 100, 100)
	b.ReportAllocs()
	for b.Loop() {
		NewLadder(c, LadderOptions{})
	}
}

func BenchmarkPodIndex(b *testing.B) {
	c := bigLadder(rand.New(rand.NewPCG(1, 2)), 10_000, 0, 0)
	b.ReportAllocs()
	for b.Loop() {
		NewPodIndex(c)
	}
}
