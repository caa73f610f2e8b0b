package kube

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/sources/manifests"
)

// stepSource delivers given steps.
type stepSource []SourceUpdate

func (s stepSource) Name() string { return "steps" }
func (s stepSource) Run(_ context.Context, sink func(SourceUpdate)) {
	for _, u := range s {
		sink(u)
	}
}

// TestWithWorkloads: pods take the place of workloads once everything was read, go when real pods
// come, and come back when these are gone.
func TestWithWorkloads(t *testing.T) {
	key := func(kind model.Kind, name string) model.Key { return model.Key{Kind: kind, Namespace: "a", Name: name} }
	web := &manifests.Workload{Meta: model.Meta{Key: key("Deployment", "web")}, Wanted: 1, Pod: &model.Pod{}}
	pod := &model.Pod{Meta: model.Meta{Key: key(model.KindPod, "web-1")}, Workload: "deployment/web"}
	other := &model.Pod{Meta: model.Meta{Key: key(model.KindPod, "x")}}
	steps := stepSource{
		{Upsert: []model.Object{web, other}},
		{Loaded: true},
		{Loaded: true, Upsert: []model.Object{pod}},
		{Loaded: true, Upsert: []model.Object{other}},
		{Loaded: true, Remove: []model.Key{pod.Key}},
		{Loaded: true, Remove: []model.Key{web.Key}},
	}
	var told [][]string
	withWorkloads{steps}.Run(t.Context(), func(u SourceUpdate) {
		var step []string
		for _, o := range u.Upsert {
			step = append(step, "+"+o.ObjectKey().Name)
		}
		for _, k := range u.Remove {
			step = append(step, "-"+k.Name)
		}
		slices.Sort(step)
		told = append(told, step)
	})
	want := [][]string{{"+x"}, {"+deployment/web"}, {"+web-1", "-deployment/web"}, {"+x"}, {"+deployment/web", "-web-1"}, {"-deployment/web"}}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
