package revision

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"rung/bench/workload"
	"rung/model"
	"rung/model/selectors"
	"rung/model/verdict"
	"rung/test/given"
	"rung/test/install"
	"rung/test/made"
)

// matrixWorld is three namespaces on two nodes, with pods of every kind there is: replicas,
// one on the host's network, one that is completed and one without an address.
func matrixWorld() *model.Cluster {
	n1, n2 := made.Node("n1", "", "172.18.0.2"), made.Node("n2", "", "172.18.0.3")
	n1.MgmtIPs, n2.MgmtIPs = []string{"10.1.200.2"}, []string{"10.1.201.2"}
	objects := []model.Object{n1, n2,
		made.NS("a", "t=1"), made.NS("b", "t=2"), made.NS("c", "t=3"), made.NS("empty", "")}
	for i, ns := range []string{"a", "b", "c"} {
		for j := range 4 {
			p := made.Pod(fmt.Sprintf("%s/web-%d", ns, j), fmt.Sprintf("app=web,half=%d", j/2), fmt.Sprintf("10.1.%d.%d", i, j+1))
			p.NodeName = fmt.Sprintf("n%d", j%2+1)
			objects = append(objects, p)
		}
	}
	host := made.Pod("c/host", "app=host", "172.18.0.2")
	host.HostNetwork, host.NodeName = true, "n1"
	done, waits := made.Pod("b/done", "", "10.1.9.1"), made.Pod("b/waits", "", "10.1.9.2")
	done.NodeName, done.Phase = "n1", "Succeeded"
	waits.NodeName, waits.IPs = "n2", nil
	anp := func(name string, prio int32, in []model.Rule) *model.Policy {
		p := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindANP, Name: name}}, Tier: model.TierAdmin, Priority: prio, Ingress: in,
			Subject: model.Subject{Namespaces: made.Sel("t=1"), Pods: model.SelectEverything(), AllPods: true}}
		for i := range in {
			in[i].Direction, in[i].Index = model.Ingress, i
		}
		return p
	}
	objects = append(objects, host, done, waits,
		anp("deny-b", 10, []model.Rule{made.Rule(model.Deny, made.Peers(made.NSPeer("t=2")))}),
		anp("deny-c", 20, []model.Rule{made.Rule(model.Deny, made.Peers(made.PodPeer("*", "half=1")), made.TCP(81))}),
		anp("tie-1", 30, []model.Rule{made.Rule(model.Deny, made.Peers(made.NSPeer("t=3")), made.TCP(82))}),
		anp("tie-2", 30, []model.Rule{made.Rule(model.Allow, made.Peers(made.NSPeer("t=3")), made.TCP(82))}),
		&model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindNP, Namespace: "b", Name: "np"}}, Tier: model.TierNetwork, IsolatesIngress: true,
			Subject: model.Subject{Namespace: "b", Namespaces: model.SelectEverything(), Pods: made.Sel("half=0")}})
	return made.Cluster(objects...)
}

func matrixOf(t testing.TB, r *Revision, p verdict.Ports) *Matrix {
	t.Helper()
	m, err := FindMatrix(r, context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// everyEnd are the ends of a matrix, parts of parts included.
func everyEnd(ends []*MatrixEnd) (out []*MatrixEnd) {
	for _, e := range ends {
		out = append(append(out, e), everyEnd(e.Parts)...)
	}
	return out
}

// classesByEnd are the pods of an end, by the cluster.
func ofEnd(c *model.Cluster, e *MatrixEnd, alike map[string]string) (out []*model.Pod) {
	for p := range c.PodsIn(e.Namespace) {
		if e.Pod != "" && e.Pod != p.Name || e.Pod == "" && e.Workload != "" && alike[selectors.ReplicaKey(p)] != e.Workload {
			continue
		}
		out = append(out, p)
	}
	return out
}

// TestMatrixIsSingleVerdicts: every cell between namespaces, workloads and pods counts what
// single verdicts say pod by pod, and its example is one of what it says.
func TestMatrixIsSingleVerdicts(t *testing.T) {
	seen := map[verdict.Verdict]int{}
	for name, c := range map[string]*model.Cluster{"small": matrixWorld(), "demo": nil} {
		r := New(Facts{Cluster: c}, nil)
		if c == nil {
			r = New(Facts{Cluster: given.Example(t)}, nil)
		}
		single := map[verdict.Connection]verdict.Outcome{}
		outcome := func(a, b *model.Pod, p verdict.Ports) verdict.Outcome {
			q := verdict.Connection{From: verdict.Endpoint{Key: a.Key}, To: verdict.Endpoint{Key: b.Key}, Protocol: p.Protocol, Port: p.Port}
			if o, known := single[q]; known {
				return o
			}
			answer, err := verdict.FromPolicies(r.Verdicts(), q)
			if err != nil {
				t.Fatal(err)
			}
			single[q] = map[verdict.Verdict]verdict.Outcome{verdict.Allow: verdict.Allowed, verdict.Deny: verdict.Denied,
				verdict.Undefined: verdict.UndefinedOutcome, verdict.Unknown: verdict.UnknownOutcome}[answer.Verdict]
			return single[q]
		}
		for _, p := range []verdict.Ports{{Protocol: verdict.TCP, Port: 80}, {Protocol: verdict.TCP, Port: 81}, {Protocol: verdict.TCP, Port: 82}, {Protocol: verdict.ICMP}} {
			m := matrixOf(t, r, p)
			ends := m.Namespaces
			if name == "small" {
				ends = everyEnd(ends)
			}
			alike := map[string]string{}
			for _, e := range everyEnd(m.Namespaces) {
				for pod := range r.Cluster.PodsIn(e.Namespace) {
					if e.Pod == pod.Name {
						alike[selectors.ReplicaKey(pod)] = e.Workload
					}
				}
			}
			for _, from := range ends {
				for _, to := range ends {
					var want MatrixCell
					for _, a := range ofEnd(r.Cluster, from, alike) {
						for _, b := range ofEnd(r.Cluster, to, alike) {
							if a == b {
								continue
							}
							switch outcome(a, b, p) {
							case verdict.Allowed:
								want.Allow++
							case verdict.Denied:
								want.Deny++
							case verdict.UndefinedOutcome:
								want.Undefined++
							case verdict.UnknownOutcome:
								want.Unknown++
							default:
								want.NotApplicable++
							}
						}
					}
					got := m.Cell(from, to)
					if got != want {
						t.Errorf("%s: %s → %s %v: %+v, pod by pod %+v", name, from.Name(), to.Name(), p, got, want)
					}
					v := got.Verdict()
					seen[v]++
					q, ok := m.ExampleOfCell(from, to)
					if ok != (got.CountPairs() > 0) {
						t.Errorf("%s: %s → %s %v: %d pairs, example %v", name, from.Name(), to.Name(), p, got.CountPairs(), ok)
					}
					if v == verdict.Mixed {
						v = verdict.Deny
					}
					if answer, err := verdict.FromPolicies(r.Verdicts(), q); ok && (err != nil || string(answer.Verdict) != string(v)) {
						t.Errorf("%s: %s is an example of %s, and %s (%v)", name, q, v, answer.Verdict, err)
					}
				}
			}
		}
	}
	for _, v := range []verdict.Verdict{verdict.Allow, verdict.Deny, verdict.Mixed, verdict.Undefined, verdict.NotApplicable} {
		if seen[v] == 0 {
			t.Errorf("no cell is %q: %v", v, seen)
		}
	}
}

// TestMatrixOfEveryPort: a pair is mixed where ports differ, and the example is at a port
// that is denied.
func TestMatrixOfEveryPort(t *testing.T) {
	r := New(Facts{Cluster: matrixWorld()}, nil)
	m := matrixOf(t, r, verdict.Ports{})
	a, b, c := m.Namespace("a"), m.Namespace("b"), m.Namespace("c")
	for _, x := range []struct {
		from, to *MatrixEnd
		text     string
		example  string
	}{
		{b, a, "deny: 24 pairs, 20 denied, 4 not applicable", "b/waits → a/web-0 tcp 80"},
		{a, a, "mixed: 12 pairs, 6 depending on the port, 6 allowed", "a/web-2 → a/web-0 tcp 81"},
		{c, a, "undefined: 20 pairs, 16 undefined, 4 allowed", "c/web-0 → a/web-0 tcp 82"},
		{a, c, "allow: all 20 pairs", "a/web-0 → c/host tcp 80"},
	} {
		if got := m.Cell(x.from, x.to).Text(); got != x.text {
			t.Errorf("%s → %s: %q, want %q", x.from.Name(), x.to.Name(), got, x.text)
		}
		if q, _ := m.ExampleOfCell(x.from, x.to); q.String() != x.example {
			t.Errorf("%s → %s: example %s, want %s", x.from.Name(), x.to.Name(), q, x.example)
		}
	}
	var names []string
	for _, e := range everyEnd([]*MatrixEnd{b}) {
		names = append(names, e.Name())
	}
	// The two that are alike in their labels are one workload, whatever their phase.
	want := []string{"b", "b/*", "b/done", "b/waits", "b/web-0 +1", "b/web-0", "b/web-1", "b/web-2 +1", "b/web-2", "b/web-3"}
	if !slices.Equal(names, want) {
		t.Errorf("ends of b: %q", names)
	}
	if m.Empty != 1 || m.Pods != 15 {
		t.Errorf("%d pods, %d empty namespaces", m.Pods, m.Empty)
	}
}

// TestMatrixIsKept: the same revision, and the next of the same objects, work it out once;
// one that is not wanted any more is given up and not kept.
func TestMatrixIsKept(t *testing.T) {
	f := Facts{Cluster: matrixWorld()}
	r := New(f, nil)
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if m, err := FindMatrix(r, gone, verdict.Ports{}); m != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v of a context that ended", m, err)
	}
	m := matrixOf(t, r, verdict.Ports{})
	f.Desired = r.Desired
	next := New(f, r)
	if matrixOf(t, r, verdict.Ports{}) != m || matrixOf(t, next, verdict.Ports{}) != m {
		t.Error("worked out twice")
	}
	for port := range uint16(9) {
		matrixOf(t, r, verdict.Ports{Protocol: verdict.TCP, Port: port + 1})
	}
	if matrixOf(t, r, verdict.Ports{}) == m {
		t.Error("matrices are kept without end")
	}
	f.Cluster, _ = f.Cluster.Upsert(nil, []model.Key{{Kind: model.KindANP, Name: "deny-b"}})
	f.Desired = nil
	after := matrixOf(t, New(f, next), verdict.Ports{})
	if got := after.Cell(after.Namespace("b"), after.Namespace("a")).Verdict(); got != verdict.Mixed {
		t.Errorf("without deny-b: %s", got)
	}
}

// matrixLoad is 500 pods with 100 AdminNetworkPolicies of 10 rules, and what a matrix of
// them may take, on one port and on all.
func matrixLoad(t testing.TB) (Facts, map[verdict.Ports]time.Duration) {
	t.Helper()
	c, err := workload.Cluster(workload.Size{Nodes: 3, Namespaces: 50, Pods: 500, Policies: 100, Rules: 10, Peers: 2, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	return New(Facts{Cluster: c}, nil).Facts, map[verdict.Ports]time.Duration{{Protocol: verdict.TCP, Port: 8080}: time.Second, {}: 2 * time.Second}
}

// TestTimingMatrix: a matrix from the objects to the cells of all namespaces.
func TestTimingMatrix(t *testing.T) {
	slack := time.Duration(install.Timing(t))
	facts, limits := matrixLoad(t)
	for ports, limit := range limits {
		began := time.Now()
		m := matrixOf(t, New(facts, nil), ports)
		took := time.Since(began)
		t.Logf("%d × %d pods, %v: %v", m.Pods, m.Pods, ports, took)
		if took > slack*limit {
			t.Errorf("%v: %v, may take %v", ports, took, slack*limit)
		}
	}
}

// TestMatrixCellHas: what is undefined or unknown on one port is found by what it is on
// another.
func TestMatrixCellHas(t *testing.T) {
	for _, unsure := range []verdict.Outcome{verdict.UndefinedOutcome, verdict.UnknownOutcome} {
		var c MatrixCell
		c.add(unsure|verdict.Denied, 3)
		if !c.Has(verdict.Deny) || c.Has(verdict.Allow) || c.Has(verdict.Mixed) || c.CountPairs() != 3 {
			t.Errorf("denied elsewhere: %+v", c)
		}
		c.add(unsure|verdict.Denied, -3) // a pod does not connect to itself
		c.add(unsure|verdict.Allowed, 2)
		if c.Has(verdict.Deny) || !c.Has(verdict.Allow) || c.CountPairs() != 2 {
			t.Errorf("allowed elsewhere: %+v", c)
		}
	}
}

// BenchmarkMatrix works out every pair of pods, on one port and on all: 500 pods with 100
// AdminNetworkPolicies of 10 rules in 1 s and 2 s, 200 pods in 0.1 s.
func BenchmarkMatrix(b *testing.B) {
	for _, s := range []workload.Size{
		{Nodes: 3, Namespaces: 20, Pods: 200, Policies: 100, Rules: 10, Peers: 2, Seed: 5},
		{Nodes: 3, Namespaces: 50, Pods: 500, Policies: 100, Rules: 10, Peers: 2, Seed: 5},
		workload.W2,
	} {
		r := drawnRevision(b, s)
		r.Verdicts()
		for name, ports := range map[string]verdict.Ports{"port": {Protocol: verdict.TCP, Port: 8001}, "all": {}} {
			b.Run(fmt.Sprintf("%d/%s", s.Pods, name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					m, err := newMatrix(r, context.Background(), ports)
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(len(m.kinds)), "kinds")
				}
			})
		}
	}
}
