package kube

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rung/model"
	"rung/test/wait"
)

// TestWatchRefusals: what may not be read or is not there is said, with what to
// do, and does not keep anything else from being read.
func TestWatchRefusals(t *testing.T) {
	for _, c := range []struct {
		name, path string
		code       int
		resource   string
		conn       model.ConnState
		error      string
		broken     string // its code
	}{
		{"pods forbidden", podPath, 403, "pods", model.ConnDenied,
			"may not list pods: says\ufffd[31m 403; see: kubectl auth can-i list pods -A --context=prod", CodeDenied},
		{"watch of pods forbidden", podPath + "?watch", 403, "pods", model.ConnDenied,
			"may not watch pods: says\ufffd[31m 403; see: kubectl auth can-i watch pods -A --context=prod", CodeDenied},
		{"namespaces forbidden", nsPath, 403, "namespaces", model.ConnDenied,
			"may not list namespaces: says\ufffd[31m 403; see: kubectl auth can-i list namespaces --context=prod", CodeDenied},
		{"no ANP CRD", anpPath, 404, "adminnetworkpolicies", model.ConnAbsent,
			"adminnetworkpolicies.policy.networking.k8s.io is not served: its CRD is not installed, or has another version", CodeAbsent},
		{"events forbidden", evPath, 403, "events of AdminNetworkPolicy", model.ConnDenied,
			"may not list events: says\ufffd[31m 403; see: kubectl auth can-i list events -A --context=prod", ""},
		{"services fail", "/api/v1/services", 500, "services", model.ConnLost, "list services: says\ufffd[31m 500", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			noLeaks(t)
			a := newWatchAPI(t)
			populate(a)
			a.refuse[c.path] = c.code
			cl, file := a.cluster("t-1")
			s := startWatch(t, cl, quickTiming)
			s.untilLoaded()
			s.until("the state", func() bool { return s.of(c.resource).Conn == c.conn && s.of(c.resource).Attempts > 0 })
			want := c.error
			if strings.Contains(want, "kubectl") {
				want += " --kubeconfig=" + file
			}
			others := 0
			s.look(func() {
				if r := s.of(c.resource); r.Error != want {
					t.Errorf("error\n%s, want\n%s", r.Error, want)
				}
				others = len(s.objects)
			})
			s.until("what is broken", func() bool {
				return c.broken == "" && len(s.broken) == 0 || len(s.broken) == 1 && s.broken[0].Code == c.broken && s.broken[0].Message == want
			})
			a.set(func() { delete(a.refuse, c.path) })
			s.until("all is well again", func() bool {
				return s.of(c.resource).Conn == model.ConnSynced && s.of(c.resource).Error == "" && len(s.objects) == 7 && len(s.broken) == 0
			})
			if c.conn == model.ConnAbsent && others != 6 {
				t.Errorf("%d objects without the CRD", others)
			}
		})
	}
}

// TestWatchAllForbidden: who may read nothing is told so, and waits for nothing.
func TestWatchAllForbidden(t *testing.T) {
	noLeaks(t)
	a := newWatchAPI(t)
	populate(a)
	for path := range a.served {
		a.refuse[path] = 403
	}
	cl, _ := a.cluster("t-1")
	s := startWatch(t, cl, quickTiming)
	s.untilLoaded()
	s.look(func() {
		if len(s.objects) > 0 || s.of("pods").Conn != model.ConnDenied {
			t.Errorf("%d objects, pods %+v", len(s.objects), s.of("pods"))
		}
	})
}

// TestWatchOfAnotherSystem: who may not list Antrea's resources is not told so on a cluster
// that serves none, as most do; on one that does, it is said.
func TestWatchOfAnotherSystem(t *testing.T) {
	noLeaks(t)
	const group = "/apis/crd.antrea.io/v1beta1"
	a := newWatchAPI(t)
	populate(a)
	a.refuse[group+"/tiers"] = 403
	cl, _ := a.cluster("t-1")
	s := startWatch(t, cl, quickTiming)
	s.untilLoaded()
	asked := func() bool {
		a.mu.Lock()
		defer a.mu.Unlock()
		return slices.Contains(a.pages, group)
	}
	s.until("the group was asked for", asked)
	s.look(func() {
		if r := s.of("tiers.crd.antrea.io"); r.Name != "" {
			t.Errorf("listed: %+v", r)
		}
	})
	a.set(func() { a.served[group+"/tiers"] = "crd.antrea.io/v1beta1 Tier" })
	s.until("it is said", func() bool { return s.of("tiers.crd.antrea.io").Conn == model.ConnDenied })
}

// TestWatchNoCNP: a cluster of the older API alone does not have ClusterNetworkPolicies, and
// that is said of it whether or not one may list them; where they are served, a refusal is one.
func TestWatchNoCNP(t *testing.T) {
	noLeaks(t)
	const group = "/apis/policy.networking.k8s.io/v1alpha2"
	const resource = "clusternetworkpolicies.policy"
	const absent = "clusternetworkpolicies.policy.networking.k8s.io is not served: its CRD is not installed, or has another version"
	a := newWatchAPI(t)
	populate(a)
	a.served[group+"/somethingelse"] = "policy.networking.k8s.io/v1alpha2 SomethingElse"
	cl, _ := a.cluster("t-1")
	s := startWatch(t, cl, quickTiming)
	s.untilLoaded()
	s.until("it is not there", func() bool { return s.of(resource).Conn == model.ConnAbsent && s.of(resource).Error == absent })
	a.set(func() { a.refuse[group+"/clusternetworkpolicies"] = 403 })
	before := 0
	s.look(func() { before = s.of(resource).Attempts })
	s.until("it is refused, and not there", func() bool { return s.of(resource).Attempts > before+2 })
	s.look(func() {
		if r := s.of(resource); r.Conn != model.ConnAbsent || r.Error != absent || len(s.broken) > 0 {
			t.Errorf("%+v, %v", r, s.broken)
		}
	})
	a.set(func() {
		a.served[group+"/clusternetworkpolicies"] = "policy.networking.k8s.io/v1alpha2 ClusterNetworkPolicy"
	})
	s.until("it is refused", func() bool {
		return s.of(resource).Conn == model.ConnDenied && strings.HasPrefix(s.of(resource).Error, "may not list "+resource)
	})
	a.set(func() { delete(a.refuse, group+"/clusternetworkpolicies") })
	s.until("it is read", func() bool { return s.of(resource).Conn == model.ConnSynced })
}

// TestWatchCRDGoes: objects go with their CRD, and come back with it. One answer
// that there is no such resource is not enough: a server that has just started
// gives it.
func TestWatchCRDGoes(t *testing.T) {
	noLeaks(t)
	a := newWatchAPI(t)
	populate(a)
	cl, _ := a.cluster("t-1")
	patient := quickTiming
	patient.answer = 2 * wait.Patience
	s := startWatch(t, cl, patient)
	s.untilLoaded()
	key := model.Key{Kind: model.KindANP, Name: "a"}
	s.until("the policy", func() bool { return s.objects[key] != nil })
	held := make(chan struct{}) // the next list, until the state between was seen
	a.set(func() { a.blips[anpPath], a.blips[anpPath+"?watch"], a.hold[anpPath] = 1, 1, held })
	a.endWatches()
	s.until("the answer", func() bool { return s.of("adminnetworkpolicies").Conn == model.ConnAbsent })
	a.set(func() { delete(a.hold, anpPath); close(held) })
	s.until("the policies again", func() bool { return s.of("adminnetworkpolicies").Conn == model.ConnSynced })
	s.look(func() {
		if len(s.removed) > 0 {
			t.Errorf("removed %v", s.removed)
		}
	})

	a.set(func() { a.refuse[anpPath], a.refuse[anpPath+"?watch"] = 404, 404 })
	a.endWatches()
	s.until("no policy", func() bool { return s.objects[key] == nil && s.of("adminnetworkpolicies").Conn == model.ConnAbsent })
	a.set(func() { clear(a.refuse) })
	s.until("the policy again", func() bool { return s.objects[key] != nil })
}

// TestWatchLogin: a token that expired is a state, not a loss of objects, and the
// new one is taken over from the kubeconfig.
func TestWatchLogin(t *testing.T) {
	noLeaks(t)
	a := newWatchAPI(t)
	populate(a)
	cl, file := a.cluster("t-1")
	s := startWatch(t, cl, quickTiming)
	s.untilLoaded()
	a.set(func() { a.token = "t-2" })
	a.endWatches()
	s.until("the refusal", func() bool { return s.of("pods").Conn == model.ConnDenied })
	s.look(func() {
		if r := s.of("pods"); !strings.Contains(r.Error, "log in again") || len(s.objects) != 7 {
			t.Errorf("%d objects stay, error %q", len(s.objects), r.Error)
		}
	})
	a.writeConfig(file, "t-2")
	s.until("all synced again", func() bool {
		return s.of("pods").Conn == model.ConnSynced && s.of("namespaces").Conn == model.ConnSynced
	})
}

// TestWatchTokenRevoked: a watch that is open goes on after its token was revoked. The state says
// so meanwhile, and a new token in the kubeconfig ends it.
func TestWatchTokenRevoked(t *testing.T) {
	noLeaks(t)
	a := newWatchAPI(t)
	populate(a)
	cl, file := a.cluster("t-1")
	s := startWatch(t, cl, quickTiming)
	s.untilLoaded()
	s.until("all synced", func() bool { return s.of("pods").Conn == model.ConnSynced && s.of("nodes").Conn == model.ConnSynced })
	a.set(func() { a.token = "t-2" })
	s.until("the refusal", func() bool { return s.of("pods").Conn == model.ConnDenied && s.of("nodes").Conn == model.ConnDenied })
	s.look(func() {
		if r := s.of("pods"); !strings.Contains(r.Error, "rejected the credentials (401)") || len(s.objects) != 7 || len(s.broken) > 0 {
			t.Errorf("%d objects stay, error %q, broken %v", len(s.objects), r.Error, s.broken)
		}
	})
	a.writeConfig(file, "t-2")
	s.until("all synced again", func() bool {
		return s.of("pods").Conn == model.ConnSynced && s.of("pods").Error == "" && s.of("nodes").Conn == model.ConnSynced
	})
}

// TestWatchNoServer: where nothing answers nothing is loaded, and nothing is
// given up.
func TestWatchNoServer(t *testing.T) {
	noLeaks(t)
	a := newWatchAPI(t)
	populate(a)
	cl, _ := a.cluster("t-1")
	a.down()
	s := startWatch(t, cl, quickTiming)
	s.until("many attempts", func() bool { return s.of("pods").Attempts > 5 && s.of("nodes").Attempts > 5 })
	s.look(func() {
		if r := s.of("pods"); s.loaded || r.Conn != model.ConnLost || !strings.Contains(r.Error, "connection refused") {
			t.Errorf("loaded %v, pods %+v", s.loaded, r)
		}
	})
	a.up()
	s.untilLoaded()
	s.until("all objects", func() bool { return len(s.objects) == 7 && s.of("pods").Attempts == 0 })
}

// TestWatchEventsBounded: of many events the newest stay.
func TestWatchEventsBounded(t *testing.T) {
	noLeaks(t)
	a := newWatchAPI(t)
	for i, name := range []string{"e3", "e1", "e4", "e2"} {
		a.put(evPath, event(name, "AdminNetworkPolicy", []int{3, 1, 4, 2}[i]))
	}
	cl, _ := a.cluster("t-1")
	s := startWatch(t, cl, quickTiming)
	s.untilLoaded()
	key := func(n string) model.Key { return model.Key{Kind: model.KindEvent, Namespace: "default", Name: n} }
	s.until("three events", func() bool { return len(s.objects) == 3 && s.objects[key("e1")] == nil })
	a.put(evPath, event("e5", "AdminNetworkPolicy", 5))
	s.until("the newest three", func() bool {
		return len(s.objects) == 3 && s.objects[key("e2")] == nil && s.objects[key("e5")] != nil
	})
	s.look(func() {
		if n := s.of("events of AdminNetworkPolicy").Count; n != 3 {
			t.Errorf("%d counted", n)
		}
	})
}

// TestWatchStandsStill: a server that stops without a word is noticed though its
// watches stay open, and so is that it goes on.
func TestWatchStandsStill(t *testing.T) {
	noLeaks(t)
	a := newWatchAPI(t)
	populate(a)
	cl, _ := a.cluster("t-1")
	tm := quickTiming
	tm.probeAnswer = 100 * time.Millisecond
	s := startWatch(t, cl, tm)
	s.untilLoaded()
	stand := make(chan struct{})
	a.set(func() { a.hold["/version"] = stand })
	s.until("no answer", func() bool {
		return s.of("pods").Conn == model.ConnLost && strings.HasPrefix(s.of("pods").Error, "no answer within 100ms")
	})
	a.set(func() { delete(a.hold, "/version"); close(stand) })
	s.until("well again", func() bool { return s.of("pods").Conn == model.ConnSynced && s.of("pods").Error == "" })
	s.look(func() {
		if len(s.objects) != 7 || len(s.removed) > 0 {
			t.Errorf("%d objects, removed %v", len(s.objects), s.removed)
		}
	})
}

// TestWatchProbeRefused: a server that stood still and then is gone has not
// answered, and one that is gone is noticed by the probe alone.
func TestWatchProbeRefused(t *testing.T) {
	noLeaks(t)
	a := newWatchAPI(t)
	cl, _ := a.cluster("t-1")
	a.down()
	w := newWatcher(cl, quickTiming)
	stalled, well := w.feeds[0], w.feeds[1]
	stalled.stalled, stalled.res.Conn, well.res.Conn = true, model.ConnLost, model.ConnSynced
	w.noteAnswer(w.askServer(t.Context()))
	if stalled.res.Conn != model.ConnLost {
		t.Errorf("what stood still is %s though nothing answers", stalled.res.Conn)
	}
	if well.res.Conn != model.ConnLost || !strings.Contains(well.res.Error, "connection refused: shown data may be stale") {
		t.Errorf("what was well is %s, %q", well.res.Conn, well.res.Error)
	}
	a.up()
	w.noteAnswer(w.askServer(t.Context()))
	if stalled.res.Conn != model.ConnSynced || well.res.Conn != model.ConnSynced {
		t.Errorf("after an answer they are %s and %s", stalled.res.Conn, well.res.Conn)
	}
}

// TestWatchAsksAtOnce: a server that is lost and back before it would have been asked again is noticed, and no feed
// waits out its pause.
func TestWatchAsksAtOnce(t *testing.T) {
	noLeaks(t)
	a := newWatchAPI(t)
	cl, _ := a.cluster("t-1")
	tm := quickTiming
	tm.probe = time.Hour
	w := newWatcher(cl, tm)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() { w.probeServer(ctx) })
	a.down()
	waited := make(chan struct{})
	wg.Go(func() { w.feeds[0].awaitServer(ctx, w.serverBack(), time.Hour); close(waited) })
	wait.Within(t, time.Minute, "the server is asked", func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.unanswered
	})
	a.up()
	wait.Within(t, time.Minute, "the feed goes on", func() bool {
		select {
		case <-waited:
			return true
		default:
			return false
		}
	})
}

// A server that came back while a request failed is not waited for, and the pauses that grew while
// it was away are forgotten.
func TestBackDuringARequest(t *testing.T) {
	noLeaks(t)
	cl, _ := newWatchAPI(t).cluster("t-1")
	w := newWatcher(cl, quickTiming)
	back := w.serverBack()
	w.noteAnswer(errClosed)
	w.noteAnswer(nil)
	if !w.feeds[0].awaitServer(t.Context(), back, time.Hour) {
		t.Error("the feed does not know that the server is back")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if w.feeds[0].awaitServer(ctx, w.serverBack(), time.Hour) {
		t.Error("a server that was never away is back")
	}
}
