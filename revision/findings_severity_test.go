package revision

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"os"
	"slices"
	"testing"

	"rung/compiler"
	"rung/model"
	"rung/model/verdict"
	"rung/test/given"
	"rung/test/made"
)

// moods draws clusters that are well or badly off, and policies that open or close them.
type moods struct{ *rand.Rand }

func (m moods) pick(s ...string) string { return s[m.IntN(len(s))] }

// cluster has DNS pods or none, and policies of every kind, of which some conflict and some
// leave pods without DNS.
func (m moods) cluster() *model.Cluster {
	objects := []model.Object{made.Node("n1", "", "172.18.0.2"), made.Node("n2", "", "172.18.0.3"),
		made.NS("kube-system", "kubernetes.io/metadata.name=kube-system")}
	if m.IntN(3) > 0 {
		for i := range 2 {
			p := made.Pod(fmt.Sprintf("kube-system/dns-%d", i), "k8s-app=kube-dns", fmt.Sprintf("10.244.9.%d", i+1))
			p.NodeName, p.Ports = "n1", []model.ContainerPort{{Name: "dns", Protocol: "UDP", Port: 53}, {Name: "dns-tcp", Protocol: "TCP", Port: 53}}
			objects = append(objects, p)
		}
		objects = append(objects, &model.Service{Meta: model.Meta{Key: model.Key{Kind: model.KindService, Namespace: "kube-system", Name: "kube-dns"}},
			Selector: made.Pod("x/x", "k8s-app=kube-dns").Labels, Ports: []model.ServicePort{{Protocol: "UDP", Port: 53, TargetPort: "53"}}})
	}
	for i := range 2 + m.IntN(3) {
		ns := fmt.Sprintf("ns%d", i)
		objects = append(objects, made.NS(ns, fmt.Sprintf("tenant=t%d,env=e%d", i, i%2)))
		for j := range 1 + m.IntN(2) {
			p := made.Pod(fmt.Sprintf("%s/p%d", ns, j), m.pick("app=x", "app=y"), fmt.Sprintf("10.244.%d.%d", i, j+1))
			p.NodeName = m.pick("n1", "n2")
			objects = append(objects, p)
		}
		if m.IntN(4) == 0 {
			objects = append(objects, m.netpol(ns, "np", m.pick("in", "out"), m.IntN(2) == 0))
		}
	}
	for i := range m.IntN(5) {
		objects = append(objects, made.ANP(fmt.Sprintf("anp%d", i), int32(10*m.IntN(4)), m.pick("*", "tenant=t0", "tenant=t1", "env=e0"), m.rules(false, false), m.rules(true, false)))
	}
	if m.IntN(3) == 0 {
		objects = append(objects, baseline(m.pick("*", "env=e0"), m.rules(false, true), m.rules(true, true)))
	}
	return made.Cluster(objects...)
}

func (m moods) rules(out, base bool) (rules []model.Rule) {
	for range m.IntN(3) {
		peer := made.NSPeer(m.pick("*", "tenant=t0", "tenant=t1", "env=e1", "kubernetes.io/metadata.name=kube-system"))
		if out && m.IntN(3) == 0 {
			peer = made.NetPeer(m.pick("0.0.0.0/0", "10.244.0.0/16", "192.0.2.0/24"))
		}
		action := model.Action(m.pick("Allow", "Deny", "Pass"))
		if base && action == model.Pass {
			action = model.Deny
		}
		r := made.Rule(action, made.Peers(peer))
		if m.IntN(3) == 0 {
			r.Ports = []model.Port{[]model.Port{made.TCP(80), made.UDP(53), made.TCP(53)}[m.IntN(3)]}
		}
		rules = append(rules, r)
	}
	return rules
}

func baseline(subject string, in, out []model.Rule) *model.Policy {
	p := made.ANP("default", 0, subject, in, out)
	p.Kind, p.Tier = model.KindBANP, model.TierBaseline
	return p
}

// netpol isolates a namespace one way, or opens it.
func (m moods) netpol(ns, name, way string, opens bool) *model.Policy {
	d := model.Ingress
	if way == "out" {
		d = model.Egress
	}
	p := &model.Policy{Meta: model.Meta{Key: given.NPKey(ns, name)}, Subject: model.Subject{Namespace: ns, Pods: model.SelectEverything()},
		IsolatesIngress: d == model.Ingress, IsolatesEgress: d == model.Egress}
	if opens {
		r := []model.Rule{{Direction: d, Action: model.Allow, AnyPeer: true}}
		p.Ingress = r
		if d == model.Egress {
			p.Ingress, p.Egress = nil, r
		}
	}
	return p
}

// toAll draws a policy that allows or denies everything between all pods, one way or both.
func (m moods) toAll(c *model.Cluster) []model.Object {
	action := model.Action(m.pick("Allow", "Deny"))
	in := []model.Rule{made.Rule(action, made.Peers(made.NSPeer("*")))}
	out := []model.Rule{made.Rule(action, made.Peers([]model.Peer{made.NSPeer("*"), made.NetPeer("0.0.0.0/0"), made.PodPeer("*", "*")}[m.IntN(3)]))}
	switch m.IntN(3) {
	case 0:
		in = nil
	case 1:
		out = nil
	}
	if c.Count(model.KindBANP) == 0 && m.IntN(4) == 0 {
		return []model.Object{baseline("*", in, out)}
	}
	return []model.Object{made.ANP(m.pick("a-all", "z-all"), int32(m.IntN(45)), m.pick("*", "*", "kubernetes.io/metadata.name notin (kube-system)"), in, out)}
}

// TestNeverCalmer: whatever is added to a cluster that opens it to all or closes it to all,
// the worst severity in the header does not become better; and what opens a pair of pods, or
// cuts one from the DNS, is an error.
func TestNeverCalmer(t *testing.T) {
	n := 400
	if os.Getenv("RUNG_SOAK") != "" {
		n = 20_000
	}
	var worse, same, were [4]int
	opening, cutting := 0, 0
	seeds := []int{16404} // a Deny between the tenants that hid a warning, and had none
	for seed := range n {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		m := moods{rand.New(rand.NewPCG(uint64(seed), 23))}
		c := m.cluster()
		was := moodOf(c)
		before := findingsOf(t, was)
		added := m.toAll(c)
		next, _ := c.Upsert(added, nil)
		is := moodOf(next)
		after := findingsOf(t, is)
		b, a := worstOf(before), worstOf(after)
		were[b]++
		opened, cut, turned := turnedBy(t, was, is)
		switch {
		case a < b:
			worse[b]++
		case a == b:
			same[b]++
		case turned: // what opens and closes nothing may put something right
			t.Errorf("seed %d: calmer by %s\n  before %+v\n  after %+v", seed, describe(added), texts(before), texts(after))
		}
		if opened != "" {
			opening++
		}
		if cut != "" {
			cutting++
		}
		if (opened != "" || cut != "") && a > 0 {
			t.Errorf("seed %d: no error though %s opens %q and cuts %q\n  after %+v", seed, describe(added), opened, cut, texts(after))
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	t.Logf("before: %d with errors, %d with warnings, %d with notes, %d with nothing; worse after: %v, the same: %v; %d open pairs of pods, %d cut them from DNS",
		were[0], were[1], were[2], were[3], worse, same, opening, cutting)
	if were[0] < n/10 || were[1] < n/10 || worse[1] == 0 || opening < n/20 || cutting < n/20 {
		t.Error("the clusters prove nothing")
	}
}

// turnedBy asks every pod about every other, and about addresses outside: a pair that was
// denied and is allowed, a query that was answered by the DNS and is not, and whether
// anything is otherwise.
func turnedBy(t *testing.T, was, is *Revision) (opened, cut string, turned bool) {
	t.Helper()
	verdictOf := func(r *Revision, q verdict.Connection) verdict.Verdict {
		a, err := verdict.FromPolicies(r.Verdicts(), q)
		if err != nil {
			t.Fatal(err)
		}
		return a.Verdict
	}
	for from := range is.Cluster.Pods() {
		ends := []verdict.Endpoint{verdict.AddrEnd(netip.MustParseAddr("192.0.2.1")), verdict.AddrEnd(netip.MustParseAddr("8.8.8.8"))}
		for to := range is.Cluster.Pods() {
			if from.Key != to.Key {
				ends = append(ends, verdict.Endpoint{Key: to.Key})
			}
		}
		for _, to := range ends {
			for _, p := range []verdict.PortRange{{Protocol: verdict.TCP, Lo: 80}, {Protocol: verdict.TCP, Lo: 53}, {Protocol: verdict.UDP, Lo: 53}} {
				q := verdict.Connection{From: verdict.Endpoint{Key: from.Key}, To: to, Protocol: p.Protocol, Port: p.Lo}
				before, after := verdictOf(was, q), verdictOf(is, q)
				turned = turned || before != after
				switch {
				case before == verdict.Deny && after == verdict.Allow && to.Key.Name != "":
					opened = q.String()
				case before == verdict.Allow && after == verdict.Deny && p.Protocol == verdict.UDP && to.Key.Namespace == "kube-system":
					cut = q.String()
				}
			}
		}
	}
	return opened, cut, turned
}

func moodOf(c *model.Cluster) *Revision {
	return New(Facts{Cluster: c, Desired: compiler.Compile(c, compiler.Options{IPv4: true})}, nil)
}

func findingsOf(t *testing.T, r *Revision) []model.Finding {
	t.Helper()
	found, err := AllFindings(r, t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// worstOf is 0 where there is an error, 3 where there is nothing.
func worstOf(found []model.Finding) int {
	n := model.CountFindings(found)
	return slices.IndexFunc([]int{n.Errors, n.Warnings, n.Infos, 1}, func(n int) bool { return n > 0 })
}

func texts(found []model.Finding) (out string) {
	for _, f := range found {
		out += fmt.Sprintf("\n    %s %s %s %s %d: %s", f.Severity, f.Code, f.Policy.Label(), f.Direction, f.Rule, f.Message)
	}
	return out
}

func describe(objects []model.Object) (out string) {
	for _, o := range objects {
		p := o.(*model.Policy)
		out += fmt.Sprintf("%s at %d for %s, ingress %v, egress %v", p.Key.Label(), p.Priority, p.Subject, p.Ingress, p.Egress)
	}
	return out
}
