package engine

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/engine/zones"
	"rung/model"
	"rung/revision"
	"rung/sources/kube"
	"rung/sources/manifests"
	"rung/sources/sandbox"
	"rung/test/given"
	"rung/test/ownerapi"
	"rung/test/wait"
)

func controllerOn(node string) corev1.Pod {
	return corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ovn-kubernetes", Name: "ovnkube-node-" + node},
		Spec:   corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Name: "ovnkube-controller"}}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning}}
}

// told is a source that says what a test tells it.
type told chan kube.SourceUpdate

func (told) Name() string { return "told" }
func (s told) Run(ctx context.Context, sink func(kube.SourceUpdate)) {
	for {
		select {
		case <-ctx.Done():
			return
		case u := <-s:
			sink(u)
		}
	}
}

const reportedBlue = `---
apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata: {name: isolate}
spec:
  priority: 10
  subject: {namespaces: {matchLabels: {tenant: blue}}}
  ingress: [{name: none, action: Deny, from: [{namespaces: {matchLabels: {tenant: red}}}]}]
status:
  conditions: [{type: Ready-In-Zone-worker, status: "True", reason: SetupSucceeded,
    message: Setting up OVN DB plumbing was successful, lastTransitionTime: "2026-01-01T00:00:00Z"}]
`

// ownWorld is an engine that may write zone "worker", with objects from the source.
func ownWorld(t *testing.T, api *ownerapi.API, change func(*Config)) (*Engine, told) {
	t.Helper()
	dir, err := os.MkdirTemp("", "rung-own-") // short: it holds sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	sb, err := sandbox.Start(t.Context(), sandbox.Config{Zones: []string{"worker"}, Dir: filepath.Join(dir, "s"), Server: sandbox.ServerBuiltin})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sb.Close)
	src := make(told)
	cfg := Config{Mode: revision.Mode{Name: revision.ClusterMode}, Sources: []kube.Source{src}, Kube: api.Open(t), Reconcile: true,
		NB: map[string]string{"worker": sb.Endpoints()["worker"]}, Own: zones.OwnerOptions{Writer: "w1", Report: true, Quiet: time.Second}}
	change(&cfg)
	e, err := New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	src <- kube.SourceUpdate{Upsert: manifests.Parse("", []byte(given.Objects()+reportedBlue), manifests.Options{}).Objects, Loaded: true,
		State: model.SourceState{Conn: model.ConnSynced}}
	return e, src
}

func untilZone(t *testing.T, e *Engine, what string, holds func(z *model.ZoneState) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), wait.Patience)
	defer cancel()
	if e.WaitFor(ctx, func(r *revision.Revision) bool { z := r.Zone("worker"); return z != nil && holds(z) }) != nil {
		t.Fatalf("%s: %+v", what, e.Revision().Zone("worker"))
	}
}

// When a node goes, only who held its zone takes its conditions away; who was kept
// from writing there is kept from that, too.
func TestConditionsOfANodeThatIsGone(t *testing.T) {
	for _, c := range []struct {
		name    string
		pods    []corev1.Pod
		without bool
		writes  bool
	}{
		{"held", nil, false, true},
		{"another controller runs", []corev1.Pod{controllerOn("worker")}, false, false},
		{"without AdminNetworkPolicies", nil, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := &ownerapi.API{Pods: c.pods}
			e, src := ownWorld(t, api, func(cfg *Config) { cfg.Own.WithoutAdmin = c.without })
			untilZone(t, e, "not judged", func(z *model.ZoneState) bool {
				return z.RowsHeld || strings.Contains(z.Paused, "ovnkube-controller")
			})
			src <- kube.SourceUpdate{Remove: []model.Key{{Kind: model.KindNode, Name: "worker"}}, State: model.SourceState{Conn: model.ConnSynced}}
			untilZone(t, e, "the node is there", func(z *model.ZoneState) bool { return strings.Contains(z.Paused, "node no longer exists") })
			deadline := time.Now().Add(time.Second)
			n := 0
			for ; time.Now().Before(deadline) && !(c.writes && n > 0); time.Sleep(10 * time.Millisecond) {
				api.Mu.Lock()
				n = len(api.Applied)
				api.Mu.Unlock()
			}
			if (n > 0) != c.writes {
				t.Errorf("%d conditions written", n)
			}
		})
	}
}

// The console writes rows only while changes are switched on.
func TestRowsFollowTheSwitch(t *testing.T) {
	e, _ := ownWorld(t, &ownerapi.API{}, func(cfg *Config) { cfg.Own.WithWrites = true })
	isolate := model.PolicyKey{Kind: model.KindANP, Name: "isolate"}
	off := func(z *model.ZoneState) bool { return strings.Contains(z.Paused, "changes are switched off") }
	untilZone(t, e, "not paused", off)
	if z := e.Revision().Zone("worker"); z.RowsHeld || z.PolicyJoin(isolate).InSync {
		t.Errorf("written although changes are off: %+v", z)
	}
	if err := e.SetWrites(true); err != nil {
		t.Fatal(err)
	}
	untilZone(t, e, "not written", func(z *model.ZoneState) bool {
		return z.RowsHeld && z.PolicyJoin(isolate) != nil && z.PolicyJoin(isolate).InSync
	})
	if err := e.SetWrites(false); err != nil {
		t.Fatal(err)
	}
	untilZone(t, e, "written on", off)
}
