package engine

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"rung/bench/workload"
	"rung/model"
	"rung/sources/manifests"
)

// still delivers a cluster once.
type still struct{ objects []model.Object }

func (s still) Name() string { return "bench" }

func (s still) Run(ctx context.Context, sink func(SourceUpdate)) {
	sink(SourceUpdate{Upsert: s.objects, Loaded: true, State: model.SourceState{Name: "bench", Conn: model.ConnSynced}})
	<-ctx.Done()
}

// BenchmarkRevision is one pod event at 10,000 pods and 50 policies of 20 rules,
// from the loop's inbox to the next revision: the goal is 1 ms and 64 KB.
func BenchmarkRevision(b *testing.B) {
	var text bytes.Buffer
	if err := workload.Write(&text, workload.Large); err != nil {
		b.Fatal(err)
	}
	res := manifests.Parse("large.yaml", text.Bytes(), manifests.Options{SkipSchema: true})
	e, err := New(context.Background(), Config{Sources: []Source{still{res.Objects}}})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	if err := e.Wait(context.Background(), func(r *Revision) bool { return r.Loaded }); err != nil {
		b.Fatal(err)
	}
	var pod *model.Pod
	for p := range e.Revision().Cluster.Pods() {
		pod = p
	}
	extra := *pod
	extra.Name, extra.IPs = "extra", []string{"10.99.0.1"}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		e.do(func(s *state) {
			if i%2 == 1 {
				s.apply([]model.Object{&extra}, nil)
			} else {
				s.apply(nil, []model.Key{extra.Key})
			}
		})
	}
	if n := e.Revision().Number; n < uint64(i) {
		b.Fatalf("%d events made %d revisions", i, n)
	}
}

// BenchmarkSameContent compares a policy of 100 rules with itself, read once more:
// what every tick does while a change waits to be shown.
func BenchmarkSameContent(b *testing.B) {
	rules := make([]string, 100)
	for i := range rules {
		rules[i] = fmt.Sprintf("in allow tenant=t%d tcp:%d", i, 1000+i)
	}
	read := func() *model.Policy {
		p, broken := manifests.ParsePolicy([]byte(anp("x", 5, "tenant=blue", rules...)))
		if p == nil {
			b.Fatal(broken)
		}
		return p
	}
	p, again := read(), read()
	bare, bareAgain := *p, *again
	bare.Digested, bareAgain.Digested = model.Digests{}, model.Digests{}
	for _, c := range []struct {
		name string
		a, b *model.Policy
	}{{"carried", p, again}, {"anew", &bare, &bareAgain}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if !sameContent(c.a, c.b) {
					b.Fatal("not the same")
				}
			}
		})
	}
}
