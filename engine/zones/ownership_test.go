package zones

import (
	"context"
	"errors"
	"fmt"

	"rung/model"
	"rung/revision"
	"rung/sources/kube"
	"rung/test/given"
	"rung/test/ownerapi"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestJudgeOwner(t *testing.T) {
	ok := ownerFacts{zone: "n1", loaded: true, node: true, cluster: true, podsAsked: true}
	with := func(change func(*ownerFacts)) ownerFacts { f := ok; change(&f); return f }
	running := []kube.Controller{{Node: "n1", Namespace: "ovn-kubernetes", Pod: "ovnkube-node-x", Container: "ovnkube-controller"}}
	for _, c := range []struct {
		name, hold string
		f          ownerFacts
		override   bool // the long flag helps
	}{
		{"nobody else", "", ok, false},
		{"not loaded", "waiting for the first complete read", with(func(f *ownerFacts) { f.loaded = false }), false},
		{"a controller runs", "runs in ovn-kubernetes/ovnkube-node-x ovnkube-controller", with(func(f *ownerFacts) { f.controllers = running }), true},
		{"pods cannot be listed", "forbidden", with(func(f *ownerFacts) { f.err = errors.New("pods is forbidden") }), true},
		{"not asked yet", "looking for other controllers", with(func(f *ownerFacts) { f.podsAsked = false }), false},
		{"the zone is no node's", "no Node is named n1", with(func(f *ownerFacts) { f.node = false }), true},
		{"no cluster", "without a cluster", with(func(f *ownerFacts) { f.cluster = false }), true},
		{"the node is gone", "the zone's node no longer exists", with(func(f *ownerFacts) { f.node, f.nodeGone = false, true }), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := judgeOwner(c.f)
			if !strings.Contains(g.WhyHeld, c.hold) || (c.hold == "" && g.WhyHeld != "") || g.Notice != "" {
				t.Errorf("%+v, want a hold of %q", g, c.hold)
			}
			c.f.override = true
			g = judgeOwner(c.f)
			if free := g.WhyHeld == ""; free != (c.override || c.hold == "") {
				t.Errorf("overridden: %+v", g)
			}
			if c.override && !strings.Contains(g.Notice, c.hold) {
				t.Errorf("an override hides what it overrides: %+v", g)
			}
		})
	}
}

func controllerOn(node string) corev1.Pod {
	return corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ovn-kubernetes", Name: "ovnkube-node-" + node},
		Spec:   corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Name: "ovnkube-controller"}}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning}}
}

// An answer about the pods of one node says nothing about another that is written
// from now on.
func TestControllersOfEveryZone(t *testing.T) {
	api := &ownerapi.API{Pods: []corev1.Pod{controllerOn("n2")}}
	o := &Owners{cfg: OwnersConfig{Kube: api.Open(t)}, zones: []string{"n1"}}
	if asked, on, err := o.controllersOn(t.Context(), "n1"); !asked || len(on) != 0 || err != nil {
		t.Fatalf("n1: %v %v %v", asked, on, err)
	}
	o.zones = append(o.zones, "n2")
	for node, want := range map[string]int{"n2": 1, "n1": 0} {
		if asked, on, err := o.controllersOn(t.Context(), node); !asked || len(on) != want || err != nil {
			t.Errorf("%s: %v %v %v, want %d", node, asked, on, err, want)
		}
	}
}

// Conditions of a term that is over are not written in the next one.
func TestReportsEndWithTheLease(t *testing.T) {
	api := &ownerapi.API{}
	w := &OwnedZone{owners: &Owners{reporter: kube.NewReporter(api.Open(t), func(error) {})}, zone: "worker"}
	t.Cleanup(func() { // its queue ends with its run
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		w.owners.reporter.Run(ctx)
	})
	k := model.PolicyKey{Kind: model.KindANP, Name: "isolate"}
	say := func(want int, when string) {
		t.Helper()
		w.reportToServer(func(r *kube.Reporter) {
			r.SetCondition("worker", k, model.Condition{Type: "Ready-In-Zone-worker", Status: "False"})
		})
		if n, _ := w.owners.reporter.WaitingReports(); n != want {
			t.Errorf("%s: %d wait, want %d", when, n, want)
		}
	}
	say(0, "standing by")
	w.setTerm(true)
	say(1, "leading")
	w.setTerm(false)
	if n, _ := w.owners.reporter.WaitingReports(); n != 0 {
		t.Errorf("%d wait after the term", n)
	}
	say(0, "after the term")
}

// TestEventsAreBounded: equal events are counted, others are kept to a limit.
func TestEventsAreBounded(t *testing.T) {
	l := NewLoop(t.Context(), time.Now)
	r := NewReports(l, nil)
	l.Start(func(*revision.Revision) *revision.Revision { return nil })
	ev := r.ForZone("z")
	for i := range 3 * eventsKept {
		ev.Event(model.Event{About: given.ANPKey("one"), Message: fmt.Sprint(i)})
		ev.Event(model.Event{About: given.ANPKey("one"), Message: "again", Last: time.Unix(int64(i), 0)})
	}
	l.Do(func() {})
	l.Close()
	all := r.Events()
	if n := len(all); n != eventsKept {
		t.Errorf("%d events", n)
	}
	if last := all[len(all)-1]; last.Message != "again" || last.Count != 3*eventsKept {
		t.Errorf("%+v", last)
	}
}
