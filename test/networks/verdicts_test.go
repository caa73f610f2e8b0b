package networks_test

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"rung/compiler"
	"rung/engine/trace"
	"rung/model"
	"rung/model/network"
	"rung/model/verdict"
	"rung/revision"
	"rung/system"
	"rung/test/networks"
)

// compiledRows are the rows that a revision's objects compile to, zone by zone.
type compiledRows struct {
	r     *revision.Revision
	cache *verdict.MatchCache
	zones map[string]*verdict.Zone
}

func (z *compiledRows) Zone(name string) *verdict.Zone {
	if z.zones[name] == nil {
		z.zones[name] = revision.CompiledZone(z.r, name, z.cache)
	}
	return z.zones[name]
}

func revisionOf(c *model.Cluster, o compiler.Options) *revision.Revision {
	return revision.New(revision.Facts{Cluster: c, Desired: compiler.Compile(c, o), System: system.OVN}, nil)
}

// TestVerdictsOnNetworks: on every network of random clusters the policies say of a connection what
// the rows say that they compile to, whether its ends are pods, nodes or addresses outside; and the
// matrix says what the connections by themselves say.
func TestVerdictsOnNetworks(t *testing.T) {
	worlds, most := uint64(700), 100_000
	if testing.Short() {
		worlds = 60
	}
	asked, pairs, verdicts := 0, 0, map[verdict.Verdict]int{}
	for seed := range worlds {
		w := networks.NewWorld(seed)
		c, s := w.Cluster(), settingsOf(w)
		r := revisionOf(c, s.compiler)
		for _, name := range r.Desired.Networks().Names() {
			on := revision.OnNetwork(r, name)
			rows := &compiledRows{on, &verdict.MatchCache{}, map[string]*verdict.Zone{}}
			for _, q := range questionsOn(w, on, on.Cluster) {
				a, err := verdict.FromPolicies(on.Verdicts(), q)
				if err != nil {
					t.Fatal(err)
				}
				b, err := verdict.FromRows(on.Verdicts(), rows, q)
				if err != nil {
					t.Fatal(err)
				}
				if a.Verdict == verdict.Unknown && strings.HasPrefix(a.Reason, "the addresses of ") {
					continue // of a DNS name: rows have them, and policies do not say
				}
				if a.Verdict != b.Verdict {
					t.Fatalf("world %d, network %s: %s: policies say %s (%s), rows %s (%s)\n%s", seed, name, q, a.Verdict, a.Reason+fmt.Sprintf(" %+v", a.Paths), b.Verdict, b.Reason+fmt.Sprintf(" %+v %+v", b.Paths, on.Network), describe(c))
				}
				verdicts[a.Verdict]++
				if a.Verdict != verdict.NotApplicable {
					asked++
				}
			}
			matrixIsTrace(t, seed, on, &pairs)
		}
	}
	t.Logf("%d connections: %v; %d pairs of the matrix", asked, verdicts, pairs)
	if !testing.Short() && asked < most {
		t.Errorf("%d connections, want %d", asked, most)
	}
	if verdicts[verdict.Allow] < asked/50 || verdicts[verdict.Deny] < asked/50 {
		t.Errorf("verdicts are one-sided: %v", verdicts)
	}
}

// questionsOn are connections between what stands on a network: pods of the cluster, as it is or as it is judged with
// those that have no place yet.
func questionsOn(w *networks.World, r *revision.Revision, c *model.Cluster) (out []verdict.Connection) {
	var ends []verdict.Endpoint
	for p := range c.Pods() {
		if p.CanBePeer() && !network.Freezes(p) {
			ends = append(ends, verdict.Endpoint{Key: p.Key})
		}
	}
	if len(ends) == 0 {
		return nil
	}
	pods := len(ends)
	for n := range r.Cluster.Nodes() {
		ends = append(ends, verdict.Endpoint{Key: n.Key})
	}
	for _, a := range []string{"8.8.8.8", "172.30.0.9", "10.20.7.7", "10.61.0.9", "2001:db8::1", "fd30:1::77"} {
		ends = append(ends, verdict.Endpoint{Addr: netip.MustParseAddr(a)})
	}
	for range 120 {
		q := verdict.Connection{From: ends[w.IntN(len(ends))], To: ends[w.IntN(pods)], Protocol: verdict.TCP, Port: []uint16{80, 443, 8080, 53}[w.IntN(4)],
			Family: []verdict.Family{verdict.IPv4, verdict.IPv6}[w.IntN(2)]}
		if w.IntN(2) == 0 {
			q.From, q.To = q.To, q.From
		}
		switch w.IntN(4) {
		case 0:
			q.Protocol = verdict.UDP
		case 1:
			q.Protocol, q.Port = verdict.ICMP, 0
		}
		if q.From == q.To || q.From.Addr.IsValid() && q.To.Addr.IsValid() || !q.From.Addr.IsValid() && q.From.Key.Kind == model.KindNode && q.To.Key.Kind == model.KindNode {
			continue
		}
		for _, e := range []verdict.Endpoint{q.From, q.To} {
			if e.Addr.IsValid() {
				q.Family = verdict.IPv4
				if e.Addr.Is6() {
					q.Family = verdict.IPv6
				}
			}
		}
		out = append(out, q)
	}
	return out
}

// matrixIsTrace compares the matrix of a network with single answers, on one port.
func matrixIsTrace(t *testing.T, seed uint64, r *revision.Revision, compared *int) {
	t.Helper()
	if r.Cluster.Count(model.KindPod) < 2 {
		return
	}
	ports := verdict.Ports{Protocol: verdict.TCP, Port: 80}
	m, err := revision.FindMatrix(r, context.Background(), ports)
	if err != nil {
		t.Fatal(err)
	}
	ends := map[model.Key]*revision.MatrixEnd{}
	for _, ns := range m.Namespaces {
		for _, work := range ns.Parts {
			for _, pod := range append([]*revision.MatrixEnd{work}, work.Parts...) {
				if pod.Pods() == 1 {
					ends[model.Key{Kind: model.KindPod, Namespace: ns.Namespace, Name: cmp.Or(pod.Pod, pod.Workload)}] = pod
				}
			}
		}
	}
	tracer := trace.Tracer{Compiled: true}
	for from, a := range ends {
		for to, b := range ends {
			if from == to || a == b {
				continue
			}
			q := verdict.Connection{From: verdict.Endpoint{Key: from}, To: verdict.Endpoint{Key: to}, Protocol: verdict.TCP, Port: 80}
			one, err := tracer.AskAllFamilies(r, q, trace.Policies, false, time.Time{})
			if err != nil {
				t.Fatal(err)
			}
			want := one.Verdict
			if len(one.Families) > 0 && one.Families[0].Verdict != one.Families[1].Verdict {
				want = verdict.Mixed
			}
			if got := m.Cell(a, b).Verdict(); got != want {
				t.Fatalf("world %d, network %s: %s: the matrix says %s, the connection by itself %s", seed, r.Network.Name, q, got, want)
			}
			*compared++
		}
	}
}
