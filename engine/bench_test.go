package engine

import (
	"bytes"
	"context"
	"testing"

	"rung/bench/workload"
	"rung/model"
	"rung/revision"
	"rung/sources/kube"
	"rung/sources/manifests"
)

// still delivers a cluster once.
type still struct{ objects []model.Object }

func (s still) Name() string { return "bench" }

func (s still) Run(ctx context.Context, sink func(kube.SourceUpdate)) {
	sink(kube.SourceUpdate{Upsert: s.objects, Loaded: true, State: model.SourceState{Name: "bench", Conn: model.ConnSynced}})
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
	e, err := New(context.Background(), Config{Sources: []kube.Source{still{res.Objects}}})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	if err := e.WaitFor(context.Background(), func(r *revision.Revision) bool { return r.Loaded }); err != nil {
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
		e.runInLoop(func(s *loopState) {
			if i%2 == 1 {
				s.applyObjects([]model.Object{&extra}, nil)
			} else {
				s.applyObjects(nil, []model.Key{extra.Key})
			}
		})
	}
	if n := e.Revision().Number; n < uint64(i) {
		b.Fatalf("%d events made %d revisions", i, n)
	}
}
