package kube

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/network-policy-api/apis/v1alpha1"

	"rung/model"
	"rung/test/wait"
)

var quickTiming = watchTimes{gather: 2 * time.Millisecond, hold: 2 * time.Second, answer: 2 * time.Second, firstRetry: 5 * time.Millisecond,
	againMax: 20 * time.Millisecond, refused: 20 * time.Millisecond, refusedOptional: 20 * time.Millisecond, reopen: 20 * time.Millisecond,
	probe: 20 * time.Millisecond, probeLost: 20 * time.Millisecond, lasting: 20 * time.Millisecond, probeAnswer: time.Second, page: 2, events: 3}

// watching is a running watch and everything it delivered.
type watching struct {
	t  *testing.T
	mu sync.Mutex

	objects   map[model.Key]model.Object
	upserts   map[model.Key]int // how often each object came
	resources []model.SourceResource
	broken    []model.Broken
	loaded    bool
	denied    bool // a resource was once said to be denied
	removed   []model.Key
	news      chan struct{}
}

func startWatch(t *testing.T, c *Cluster, tm watchTimes) *watching {
	t.Helper()
	s := &watching{t: t, objects: map[model.Key]model.Object{}, upserts: map[model.Key]int{}, news: make(chan struct{}, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		newWatcher(c, tm).deliverUpdates(ctx, s.take)
	}()
	t.Cleanup(func() { cancel(); <-done })
	return s
}

func (s *watching) take(u SourceUpdate) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range u.Upsert {
		s.objects[o.ObjectKey()] = o
		s.upserts[o.ObjectKey()]++
	}
	for _, k := range u.Remove {
		delete(s.objects, k)
		s.removed = append(s.removed, k)
	}
	if s.loaded && !u.Loaded {
		s.t.Error("Loaded was taken back")
	}
	s.loaded, s.resources = u.Loaded, u.State.Resources
	for _, r := range u.State.Resources {
		s.denied = s.denied || r.Conn == model.ConnDenied
	}
	if u.HasBroken {
		s.broken = u.Broken
	}
	select {
	case s.news <- struct{}{}:
	default:
	}
}

// until waits for something to be so; f is called with the lock held.
func (s *watching) until(what string, f func() bool) {
	s.t.Helper()
	deadline := time.After(wait.Patience)
	for {
		s.mu.Lock()
		ok := f()
		s.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-s.news:
		case <-deadline:
			s.mu.Lock()
			defer s.mu.Unlock()
			for _, r := range s.resources {
				s.t.Logf("%s: %s, %d objects, %d attempts, %.200s", r.Name, r.Conn, r.Count, r.Attempts, r.Error)
			}
			s.t.Fatalf("never came: %s; loaded %v, %d objects, broken %v", what, s.loaded, len(s.objects), s.broken)
		}
	}
}

func (s *watching) untilLoaded() {
	s.t.Helper()
	s.until("everything loaded", func() bool { return s.loaded })
}

// look runs f with the lock held.
func (s *watching) look(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
}

// of is the state of one resource; the lock is held.
func (s *watching) of(name string) model.SourceResource {
	i := slices.IndexFunc(s.resources, func(r model.SourceResource) bool { return strings.HasPrefix(r.Name, name) })
	if i < 0 {
		return model.SourceResource{}
	}
	return s.resources[i]
}

// noLeaks ends a test only when every goroutine of it has.
func noLeaks(t *testing.T) {
	ignore := goleak.IgnoreCurrent()
	t.Cleanup(func() { wait.NoLeaks(t, ignore) })
}

func pod(ns, name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name, UID: "u", Labels: map[string]string{"app": name},
		ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "kubectl"}}},
		Spec:   corev1.PodSpec{NodeName: "w1"},
		Status: corev1.PodStatus{Phase: "Running", PodIP: "10.0.0.1", PodIPs: []corev1.PodIP{{IP: "10.0.0.1"}}}}
}

func podKey(ns, name string) model.Key {
	return model.Key{Kind: model.KindPod, Namespace: ns, Name: name}
}

func anp(name string, priority int32) *v1alpha1.AdminNetworkPolicy {
	return &v1alpha1.AdminNetworkPolicy{ObjectMeta: metav1.ObjectMeta{Name: name, UID: "u-" + "1"},
		Spec: v1alpha1.AdminNetworkPolicySpec{Priority: priority, Subject: v1alpha1.AdminNetworkPolicySubject{Namespaces: &metav1.LabelSelector{}}}}
}

func event(name, kind string, minute int) *corev1.Event {
	at := metav1.NewTime(time.Date(2026, 1, 1, 0, minute, 0, 0, time.UTC))
	return &corev1.Event{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}, InvolvedObject: corev1.ObjectReference{Kind: kind, Name: "a"},
		Reason: "R", Message: "m\x1b[31m", LastTimestamp: at, Count: 1}
}

// populate puts a small cluster on the server.
func populate(a *watchAPI) {
	a.put(nsPath, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "blue"}})
	for i := range 5 {
		a.put(podPath, pod("blue", fmt.Sprint("p", i)))
	}
	a.put(anpPath, anp("a", 5))
}

func TestWatch(t *testing.T) {
	noLeaks(t)
	a := newWatchAPI(t)
	populate(a)
	hostile := pod("blue", "hostile")
	hostile.Labels = map[string]string{"x": "\x1b[2J\u202e"}
	a.put(podPath, hostile)
	a.put(evPath, event("e1", "AdminNetworkPolicy", 1))
	a.put(evPath, event("other", "Pod", 1))
	c, _ := a.cluster("t-1")
	s := startWatch(t, c, quickTiming)
	s.untilLoaded()
	s.until("all objects", func() bool { return len(s.objects) == 9 })

	s.look(func() { checkFirst(t, s) })
	a.mu.Lock()
	n := slices.Collect(func(yield func(string) bool) {
		for _, u := range a.pages {
			if strings.HasPrefix(u, podPath) && !yield(u) {
				return
			}
		}
	})
	a.mu.Unlock()
	if want := []string{podPath + "?limit=2", podPath + "?continue=2&limit=2", podPath + "?continue=4&limit=2"}; !slices.Equal(n, want) {
		t.Errorf("pages of pods: %v", n)
	}
	a.put(anpPath, anp("a", 6))
	a.remove(podPath, "blue/p0")
	a.put(podPath, pod("blue", "new"))
	s.until("the changes", func() bool {
		p := s.objects[model.Key{Kind: model.KindANP, Name: "a"}].(*model.Policy)
		return p.Priority == 6 && s.objects[podKey("blue", "p0")] == nil && s.objects[podKey("blue", "new")] != nil
	})
	// What changed means nothing to Rung: nobody need know.
	a.put(podPath, pod("blue", "p1"))
	a.put(podPath, pod("blue", "last"))
	s.until("the last pod", func() bool { return s.objects[podKey("blue", "last")] != nil })
	s.look(func() {
		if n := s.upserts[podKey("blue", "p1")]; n != 1 {
			t.Errorf("an unchanged pod was delivered %d times", n)
		}
	})
}

// checkFirst checks what was read of the first objects of TestWatch.
func checkFirst(t *testing.T, s *watching) {
	t.Helper()
	if p := s.objects[podKey("blue", "hostile")].(*model.Pod); p.Labels.Get("x") != "\ufffd[2J\ufffd" || p.Version == "" {
		t.Errorf("the hostile pod is %q, version %q", p.Labels, p.Version)
	}
	if e := s.objects[model.Key{Kind: model.KindEvent, Namespace: "default", Name: "e1"}]; e.(*model.Event).Message != "m\ufffd[31m" {
		t.Errorf("event %+v", e)
	}
	p := s.objects[model.Key{Kind: model.KindANP, Name: "a"}].(*model.Policy)
	if p.Priority != 5 || p.Original.(*v1alpha1.AdminNetworkPolicy).Spec.Priority != 5 || p.Version == "" || !strings.Contains(p.YAML, "priority: 5") {
		t.Errorf("policy %+v", p)
	}
	for _, r := range s.resources {
		want := model.ConnSynced
		if r.Name == "egressfirewalls.k8s.ovn.org" || r.Name == "clusternetworkpolicies.policy.networking.k8s.io" {
			want = model.ConnAbsent
		}
		if r.Conn != want || r.At.IsZero() {
			t.Errorf("%s is %s since %v: %s", r.Name, r.Conn, r.At, r.Error)
		}
	}
	if got := s.of("pods").Count; got != 6 {
		t.Errorf("%d pods", got)
	}
	if len(s.broken) > 0 {
		t.Errorf("broken: %v", s.broken)
	}
}

// TestWatchRelists: a version that expired, a server that was away while objects
// came and went, and a list that grew too old between two pages end in the right
// objects, and nothing that stands is taken away or delivered again.
func TestWatchRelists(t *testing.T) {
	for _, c := range []struct {
		name string
		gap  func(a *watchAPI, s *watching, change func())
	}{
		{"expired", func(a *watchAPI, s *watching, change func()) {
			a.set(func() { a.refuse[podPath+"?watch"] = 500 })
			a.endWatches()
			s.until("pods lost", func() bool { return s.of("pods").Conn == model.ConnLost })
			change()
			a.compact()
			a.set(func() { delete(a.refuse, podPath+"?watch") })
		}},
		{"server away", func(a *watchAPI, s *watching, change func()) {
			a.down()
			s.until("pods lost, with the attempts", func() bool { return s.of("pods").Conn == model.ConnLost && s.of("pods").Attempts > 2 })
			var r model.SourceResource
			s.look(func() { r = s.of("pods") })
			if r.Error != "watch pods: dial tcp "+a.addr+": connect: connection refused; is the API server up, and the context right? see: kubectl cluster-info --context=prod --kubeconfig="+s.file() {
				s.t.Errorf("error %q", r.Error)
			}
			change()
			a.up()
		}},
		{"a page expired", func(a *watchAPI, _ *watching, change func()) {
			a.set(func() { a.expire = 1 })
			a.set(func() { a.refuse[podPath+"?watch"] = 410 })
			a.endWatches()
			change()
			a.set(func() { delete(a.refuse, podPath+"?watch") })
			a.compact()
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			noLeaks(t)
			a := newWatchAPI(t)
			populate(a)
			cl, file := a.cluster("t-1")
			kubeconfigOf.Store(t, file)
			s := startWatch(t, cl, quickTiming)
			s.untilLoaded()
			c.gap(a, s, func() {
				a.remove(podPath, "blue/p1")
				changed := pod("blue", "p2")
				changed.Status.PodIPs[0].IP = "10.0.0.99"
				a.put(podPath, changed)
				a.put(podPath, pod("blue", "p9"))
			})
			s.until("the objects as they are", func() bool {
				p2, _ := s.objects[podKey("blue", "p2")].(*model.Pod)
				return s.of("pods").Conn == model.ConnSynced && s.objects[podKey("blue", "p9")] != nil && s.objects[podKey("blue", "p1")] == nil &&
					p2 != nil && slices.Equal(p2.IPs, []string{"10.0.0.99"})
			})
			s.look(func() {
				if d := cmp.Diff([]model.Key{podKey("blue", "p1")}, s.removed); d != "" {
					t.Errorf("removed: -want +got\n%s", d)
				}
				if n := s.upserts[podKey("blue", "p3")]; n != 1 {
					t.Errorf("an unchanged pod was delivered %d times", n)
				}
			})
		})
	}
}

var kubeconfigOf sync.Map // by test

func (s *watching) file() string {
	f, _ := kubeconfigOf.Load(s.t)
	return fmt.Sprint(f)
}
