package kube

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"rung/test/wait"
)

// silent is an API server that takes requests and never answers. It says when one has
// come, and when one was given up.
func silent(t *testing.T) (c *Cluster, came, gone chan struct{}) {
	t.Helper()
	came, gone = make(chan struct{}, 100), make(chan struct{}, 100)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		came <- struct{}{}
		<-r.Context().Done()
		gone <- struct{}{}
	}))
	t.Cleanup(s.Close)
	t.Setenv("KUBECONFIG", t.TempDir()+"/none")
	var o Options
	o.Overrides.ClusterInfo.Server = s.URL
	c, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return c, came, gone
}

// What asks a server that never answers ends with whoever waits for it, and the
// request with it: nothing of it is left when ZonePod has returned.
func TestZonePodEndsWithItsAsker(t *testing.T) {
	c, came, gone := silent(t)
	leaks := goleak.IgnoreCurrent()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := c.ZonePod(ctx, "w1", nil)
		done <- err
	}()
	<-came
	cancel()
	select {
	case err := <-done:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want that of the context", err)
		}
	case <-time.After(wait.Patience):
		t.Fatal("ZonePod waits for the server")
	}
	select {
	case <-gone:
	case <-time.After(wait.Patience):
		t.Error("the server is still being asked")
	}
	// A connection that was made for a request given up meanwhile is idle, and asks nothing.
	wait.NoLeaks(t, leaks, goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"),
		goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"), goleak.IgnoreAnyFunction("net/http.(*conn).serve"))
}

// An answer is asked for as long as somebody waits for it, and no longer.
func TestShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s SharedAnswers[string]
		s.Keep = time.Minute
		asks, asking := 0, 0
		answer := make(chan string)
		ask := func(ctx context.Context) (string, error) {
			asks++
			asking++
			defer func() { asking-- }()
			select {
			case a := <-answer:
				return a, nil
			case <-ctx.Done():
				time.Sleep(time.Second) // as long as it takes to stop
				return "", ctx.Err()
			}
		}
		type got struct {
			value string
			err   error
		}
		get := func() (chan got, context.CancelFunc) {
			ctx, cancel := context.WithCancel(t.Context())
			out := make(chan got, 1)
			go func() {
				value, err := s.Get(ctx, "k", ask)
				out <- got{value, err}
			}()
			synctest.Wait()
			return out, cancel
		}

		one, leaveOne := get()
		two, leaveTwo := get()
		leaveOne()
		if g := <-one; !errors.Is(g.err, context.Canceled) || asking != 1 {
			t.Errorf("who gave up got %v, and %d ask: want one that goes on for the other", g, asking)
		}
		leaveTwo()
		if g := <-two; !errors.Is(g.err, context.Canceled) || asking != 0 {
			t.Errorf("the last who gave up got %v, and %d still ask", g, asking)
		}

		three, leaveThree := get()
		defer leaveThree()
		answer <- "yes"
		if g := <-three; g.value != "yes" || g.err != nil || asks != 2 {
			t.Errorf("%v after %d asks, want the answer to the second", g, asks)
		}
		four, leaveFour := get()
		defer leaveFour()
		if g := <-four; g.value != "yes" || asks != 2 {
			t.Errorf("%v after %d asks, want the answer that is kept", g, asks)
		}
		time.Sleep(2 * time.Minute)
		five, leaveFive := get()
		answer <- "still"
		if g := <-five; g.value != "still" || asks != 3 {
			t.Errorf("%v after %d asks, want an answer of its own when the other is old", g, asks)
		}
		leaveFive()
	})
}
