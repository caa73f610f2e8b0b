package revision

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"rung/model"
	"rung/model/verdict"
	"rung/test/given"
	"rung/test/made"
)

// repository is what a repository has: pods that nobody scheduled.
func repository(t *testing.T) *Revision {
	t.Helper()
	pod := func(name, app string) *model.Pod {
		ns, n, _ := strings.Cut(name, "/")
		return &model.Pod{Meta: model.Meta{Key: model.Key{Kind: model.KindPod, Namespace: ns, Name: n}, Labels: model.NewLabels(map[string]string{"app": app})}}
	}
	wall := made.ANP("wall", 5, "t=a", []model.Rule{made.Rule(model.Deny, made.Peers(made.NSPeer("t=b")))}, nil)
	return New(Facts{Cluster: made.Cluster(made.NS("a", "t=a"), made.NS("b", "t=b"), wall, pod("a/db", "db"), pod("b/web", "web"), pod("b/other", "web"),
		&model.Service{Meta: model.Meta{Key: model.Key{Kind: model.KindService, Namespace: "a", Name: "db"}}, Selector: model.NewLabels(map[string]string{"app": "db"}),
			Ports: []model.ServicePort{{Port: 80, Protocol: "TCP"}}})}, nil)
}

// Pods without node and address are judged as if they were scheduled, each on a node of its
// own, and the answer says so; rows, and what they are compiled to, know nothing of that.
func TestUnscheduled(t *testing.T) {
	r := repository(t)
	for _, c := range []struct {
		from, to verdict.Endpoint
		want     verdict.Verdict
	}{
		{verdict.PodEnd("b", "web"), verdict.PodEnd("a", "db"), verdict.Deny},
		{verdict.PodEnd("a", "db"), verdict.PodEnd("b", "web"), verdict.Allow},
		{verdict.PodEnd("b", "web"), verdict.PodEnd("b", "other"), verdict.Allow},
	} {
		a, err := verdict.FromPolicies(r.Verdicts(), verdict.Connection{From: c.from, To: c.to, Protocol: verdict.TCP, Port: 80})
		if err != nil || a.Verdict != c.want {
			t.Fatalf("%s → %s: %s %s, %v", c.from, c.to, a.Verdict, a.Reason, err)
		}
		p := &a.Paths[0]
		if p.From.Note != "is not scheduled: treated as running alone on its node" || p.To.Note != AssumesNode || p.From.Zone == p.To.Zone || p.From.Addr == p.To.Addr {
			t.Errorf("%s → %s: not said, or in one place: %+v %+v", c.from, c.to, p.From, p.To)
		}
	}
	m, err := FindMatrix(r, t.Context(), verdict.Ports{})
	if err != nil || m.Pods != 3 {
		t.Fatalf("the matrix has %d pods: %v", m.Pods, err)
	}
	if got := m.m.OutcomeBetween(m.kinds[0], m.kinds[0], false); len(m.kinds) < 2 {
		t.Errorf("the matrix tells no pods apart: %v", got)
	}
	if !r.IsPlaceAssumed(model.Key{Kind: model.KindPod, Namespace: "a", Name: "db"}) || r.IsPlaceAssumed(model.Key{Kind: model.KindPod, Namespace: "a", Name: "none"}) {
		t.Error("Assumed is wrong")
	}
	if !slices.ContainsFunc(r.Omissions(), func(o model.Omission) bool { return o.Code == model.OmittedPlace }) {
		t.Error("no omission says it")
	}
	got := unplacedPods(r)
	if len(got) != 1 || !strings.HasPrefix(got[0].Why, "3 pods (a/db, b/other") || !strings.Contains(got[0].Why, "treated as running alone") {
		t.Error(got)
	}
	if c := CountSubjects(r, model.Key{Kind: model.KindANP, Name: "wall"}); c.Pods != 0 {
		t.Errorf("rows have %v", c)
	}
	// A pod that does not run is no endpoint.
	a, err := verdict.FromPolicies(r.Verdicts(), verdict.Connection{From: verdict.PodEnd("b", "web"), To: verdict.Endpoint{Key: model.Key{Kind: model.KindService, Namespace: "a", Name: "db"}}, Protocol: verdict.TCP, Port: 80})
	if err != nil || a.Verdict != verdict.NotApplicable || !strings.Contains(a.Reason, "has no endpoints") {
		t.Errorf("the Service: %s %s %v", a.Verdict, a.Reason, err)
	}
	// After a change the pods are where they were.
	next := r.WithPolicies(nil, []model.Key{{Kind: model.KindANP, Name: "wall"}})
	b, err := verdict.FromPolicies(next.Verdicts(), verdict.Connection{From: verdict.PodEnd("b", "web"), To: verdict.PodEnd("a", "db"), Protocol: verdict.TCP, Port: 80})
	if err != nil || b.Verdict != verdict.Allow {
		t.Errorf("without the policy: %s, %v", b.Verdict, err)
	}
	// One that is named is imagined as it is asked about.
	as := r.WithImagined([]ImaginedPod{{Namespace: "a", Name: "db"}, {Namespace: "b", Name: "web", Labels: map[string]string{"app": "x"}}})
	if p := as.Cluster.Pod("a", "db"); p.NodeName == "" || len(p.IPs) != 1 || p.Labels.Map()["app"] != "db" {
		t.Errorf("%+v", p)
	}
	if p := as.Cluster.Pod("b", "web"); p.Labels.Map()["app"] != "x" {
		t.Errorf("%+v", p)
	}
}

// A cluster whose pods have a place is judged as it is.
func TestNothingAssumed(t *testing.T) {
	r := New(Facts{Cluster: given.Cluster(t)}, nil)
	if r.JudgedCluster() != r.Cluster || len(unplacedPods(r)) > 0 {
		t.Errorf("assumed: %v", unplacedPods(r))
	}
}

// An address that is assumed is nobody's: who asks about it asks about an address. Of a pod on
// its node's network, whose node does not say what it sends from, that is the reason.
func TestAssumedAddress(t *testing.T) {
	r := repository(t)
	ip := r.JudgedCluster().Pod("a", "db").IPs[0]
	a, err := verdict.FromPolicies(r.Verdicts(), verdict.Connection{From: verdict.PodEnd("b", "web"), To: verdict.AddrEnd(netip.MustParseAddr(ip)), Protocol: verdict.TCP, Port: 80})
	if err != nil || a.Verdict != verdict.Allow || a.Paths[0].To.Key.Name != "" {
		t.Errorf("%s %+v %v", a.Verdict, a.Paths, err)
	}
	host := &model.Pod{Meta: model.Meta{Key: model.Key{Kind: model.KindPod, Namespace: "b", Name: "host"}}, NodeName: "n", HostNetwork: true, IPs: []string{"172.18.0.2"}}
	r = New(Facts{Cluster: made.Cluster(made.NS("b", ""), made.Pod("b/web", "app=web", "10.1.0.9"), host, &model.Node{Meta: model.Meta{Key: model.Key{Kind: model.KindNode, Name: "n"}}})}, nil)
	a, err = verdict.FromPolicies(r.Verdicts(), verdict.Connection{From: verdict.PodEnd("b", "host"), To: verdict.PodEnd("b", "web"), Protocol: verdict.TCP, Port: 80})
	if err != nil || a.Verdict != verdict.NotApplicable || !strings.Contains(a.Reason, "no usable annotation k8s.ovn.org/node-subnets") {
		t.Errorf("%s %q %v", a.Verdict, a.Reason, err)
	}
}
