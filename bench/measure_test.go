package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/bench/workload"
	"rung/model"
)

// benchSize is a size by name; all but the smallest are left out with -short.
type benchSize struct {
	name string
	workload.Size
}

var sizes = []benchSize{{"W1", workload.W1}, {"W2", workload.W2}, {"W3", workload.W3}}

func forSizes(b *testing.B, sizes []benchSize, f func(b *testing.B, s benchSize)) {
	for _, s := range sizes {
		b.Run(s.name, func(b *testing.B) {
			if testing.Short() && s.Pods > workload.W1.Pods {
				b.Skip("long: left out with -short")
			}
			f(b, s)
		})
	}
}

func cluster(tb testing.TB, s workload.Size) *model.Cluster {
	tb.Helper()
	c, err := workload.Cluster(s)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// labelled runs f and the goroutines it starts with the label who in profiles.
func labelled(ctx context.Context, who string, f func(ctx context.Context)) {
	pprof.Do(ctx, pprof.Labels("who", who), f)
}

// peak samples how large the heap grows while f runs.
func peak(f func()) (bytes uint64) {
	runtime.GC()
	stop, done := make(chan struct{}), make(chan uint64)
	go func() {
		s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		var most uint64
		for {
			metrics.Read(s)
			most = max(most, s[0].Value.Uint64())
			select {
			case <-stop:
				done <- most
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	f()
	close(stop)
	return <-done
}

// liveHeap is what is left after a collection.
func liveHeap() float64 {
	runtime.GC()
	runtime.GC() // what finalizers and pools held
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / 1e6
}

// times are those of many events.
type times []time.Duration

func (t times) at(q float64) time.Duration {
	if len(t) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(t))
	return s[min(int(q*float64(len(s))), len(s)-1)]
}

// report reports median and p99.
func (t times) report(b *testing.B, what string, unit time.Duration, name string) {
	for _, q := range []struct {
		name string
		q    float64
	}{{"median", 0.5}, {"p99", 0.99}} {
		b.ReportMetric(float64(t.at(q.q))/float64(unit), fmt.Sprintf("%s-%s-%s", what, q.name, name))
	}
}

func selector(tb testing.TB, text string) model.Selector {
	tb.Helper()
	ls, err := metav1.ParseToLabelSelector(text)
	if err != nil {
		tb.Fatal(err)
	}
	s, err := model.NewSelector(ls)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// others are as many policies again whose subject and peers select no pod that
// there is.
func others(tb testing.TB, c *model.Cluster) (out []model.Object) {
	tb.Helper()
	elsewhere := func(s model.Selector) model.Selector {
		return selector(tb, strings.NewReplacer("=t", "=x", "=e", "=x", "=a", "=x", "=r", "=x").Replace(s.Key()))
	}
	rules := func(rs []model.Rule) []model.Rule {
		rs = slices.Clone(rs)
		for i := range rs {
			rs[i].Peers = slices.Clone(rs[i].Peers)
			for j := range rs[i].Peers {
				if p := &rs[i].Peers[j]; !p.Namespaces.MatchesEverything() && !p.Namespaces.IsNil() {
					p.Namespaces = elsewhere(p.Namespaces)
				}
			}
		}
		return rs
	}
	for p := range c.Policies(model.KindANP) {
		o := *p
		o.Name += "-elsewhere"
		o.Subject.Namespaces = elsewhere(p.Subject.Namespaces)
		o.Ingress, o.Egress = rules(p.Ingress), rules(p.Egress)
		out = append(out, &o)
	}
	return out
}

// podsToCome are n pods beyond those of the size with random labels, which other
// pods of their namespaces have (known) or none has.
func podsToCome(s workload.Size, c *model.Cluster, n int, known bool) []*model.Pod {
	type pair struct{ namespace, labels string }
	have := map[pair]bool{}
	for p := range c.Pods() {
		have[pair{p.Namespace, p.Labels.Key()}] = true
	}
	r := rand.New(rand.NewPCG(7, 7))
	var out []*model.Pod
	for i := s.Pods; len(out) < n; i++ {
		p := workload.Pod(s, i, model.NewLabels(map[string]string{"app": fmt.Sprint("a", r.IntN(40)), "tier": fmt.Sprint("r", r.IntN(4))}))
		if have[pair{p.Namespace, p.Labels.Key()}] == known {
			out = append(out, p)
		}
	}
	return out
}

// relabelled is a pod with the labels of another.
func relabelled(p, as *model.Pod) *model.Pod {
	q := *p
	q.Labels = as.Labels
	return &q
}

// moved is a namespace of another tenant.
func moved(ns *model.Namespace, n int) *model.Namespace {
	l := map[string]string{}
	for k, v := range ns.Labels.Map() {
		l[k] = v
	}
	l["tenant"] = fmt.Sprint("t", n%10)
	m := *ns
	m.Labels = model.NewLabels(l)
	return &m
}

// longPolicy has 99 ingress rules, and the same with another before them: the
// most an AdminNetworkPolicy may have.
func longPolicy(tb testing.TB) (of99, of100 *model.Policy) {
	tb.Helper()
	c := cluster(tb, workload.Size{Policies: 1, Rules: 200, Peers: 2, Seed: 100})
	p := *c.Policy(model.Key{Kind: model.KindANP, Name: "policy-00"})
	p.Name, p.Egress = "long", nil
	q := p
	first := p.Ingress[99]
	p.Ingress = slices.Clone(p.Ingress[:99])
	q.Ingress = slices.Insert(slices.Clone(p.Ingress), 0, first)
	for i := range q.Ingress {
		q.Ingress[i].Index = i
	}
	return &p, &q
}
