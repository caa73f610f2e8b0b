package kube

import (
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"rung/model"
	"rung/test/wait"
)

// TestWatchServerJustStarted: a server that has not read its roles yet refuses everything,
// /version too. That is no missing permission, and nothing is lost.
func TestWatchServerJustStarted(t *testing.T) {
	noLeaks(t)
	for _, c := range []struct {
		name    string
		version bool // whether /version is refused as well
	}{{"everything refused", true}, {"this user's role comes last", false}} {
		t.Run(c.name, func(t *testing.T) {
			a := newWatchAPI(t)
			populate(a)
			cl, _ := a.cluster("t-1")
			tm := quickTiming
			tm.firstRetry, tm.againMax = 20*time.Millisecond, 20*time.Millisecond
			tm.lasting = time.Hour
			s := startWatch(t, cl, tm)
			s.untilLoaded()
			a.down()
			s.until("lost", func() bool { return s.of("pods").Conn == model.ConnLost })
			a.set(func() {
				for path := range a.served {
					a.refuse[path], a.refuse[path+"?watch"] = 403, 403
					a.once = !c.version
				}
				if c.version {
					a.refuse["/version"] = 403
				}
				a.pages = nil
			})
			a.up()
			if c.version {
				wait.Within(t, wait.Patience, "the server was asked again and again", func() bool { return asked(a, podPath) > 2 })
				a.set(func() { clear(a.refuse) })
			}
			s.until("all synced", func() bool {
				return s.of("pods").Conn == model.ConnSynced && s.of("namespaces").Conn == model.ConnSynced
			})
			s.look(func() {
				if s.denied || len(s.removed) > 0 || len(s.objects) != 7 {
					t.Errorf("said to be denied: %v; %d objects, removed %v", s.denied, len(s.objects), s.removed)
				}
			})
		})
	}
}

// TestWatchStartsWithServer: the same for Rung's first request.
func TestWatchStartsWithServer(t *testing.T) {
	noLeaks(t)
	a := newWatchAPI(t)
	populate(a)
	for path := range a.served {
		a.refuse[path] = 403
	}
	a.refuse["/version"] = 403
	cl, _ := a.cluster("t-1")
	s := startWatch(t, cl, quickTiming)
	wait.Within(t, wait.Patience, "the server was asked again", func() bool { return asked(a, podPath) > 1 })
	a.set(func() { clear(a.refuse) })
	s.until("all synced", func() bool { return s.loaded && s.of("pods").Conn == model.ConnSynced && len(s.objects) == 7 })
	s.look(func() {
		if s.denied {
			t.Error("it was said to be denied")
		}
	})
}

// asked counts the lists of a path.
func asked(a *watchAPI, path string) (n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, page := range a.pages {
		if strings.HasPrefix(page, path) {
			n++
		}
	}
	return n
}

// TestRefusedReadRests: a refused resource is asked for again soon at first, and after minutes
// if it stays refused and is optional.
func TestRefusedReadRests(t *testing.T) {
	w := &watcher{t: defaultTiming}
	no := apierrors.NewForbidden(schema.GroupResource{Resource: "events"}, "", nil)
	for _, c := range []struct {
		optional bool
		most     time.Duration
	}{{true, 5 * time.Minute}, {false, 30 * time.Second}} {
		f := &feed{w: w, resource: feedResource{optional: c.optional}, refusals: 1}
		if d := f.pauseAfter(no); d > time.Second {
			t.Errorf("optional %v: asked again after %v at first", c.optional, d)
		}
		requests := 0
		for at := time.Duration(0); at < 30*time.Minute; requests++ {
			at += f.pauseAfter(no)
			f.refusals++
		}
		if d := f.pauseAfter(no); d < c.most/2 || d > c.most {
			t.Errorf("optional %v: asked again after %v in the end", c.optional, d)
		}
		if c.optional && requests > 25 {
			t.Errorf("%d requests in 30 minutes", requests)
		}
	}
}
