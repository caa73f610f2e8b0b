package engine

import (
	"context"
	"errors"
	"testing"
	"time"

	"rung/change"
	"rung/change/gate"
	"rung/model"
	"rung/sources/kube"
	"rung/test/given"
	"rung/test/wait"
)

// hung is a Writer that never answers.
type hung struct{ began chan struct{} }

func (h hung) Write(ctx context.Context, _ []change.ObjectChange) error {
	close(h.began)
	<-ctx.Done()
	return ctx.Err()
}

// An engine whose writer hangs previews, lists its history and ends.
func TestEngineOfAHungWriter(t *testing.T) {
	h := hung{make(chan struct{})}
	e := quiet(t, func(c *Config) { c.Writer, c.Writes = h, true })
	e.sendToLoop(func(s *loopState) {
		s.takeUpdate("a", kube.SourceUpdate{Upsert: []model.Object{at(t, 1, 1)}, Loaded: true})
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	wait.Within(t, wait.Patience, "the policy is read", func() bool { return e.Revision().Cluster.Policy(given.ANPKey("one")) != nil })
	p, err := e.Preview(ctx, movedTo("one", 5))
	if err != nil || p.Blocked != "" {
		t.Fatalf("%v %+v", err, p)
	}
	got := make(chan error, 1)
	go func() {
		_, err := e.Commit(ctx, p, gate.Confirm{Yes: true, Name: p.ConfirmName})
		got <- err
	}()
	<-h.began
	if again, err := e.Preview(ctx, movedTo("one", 6)); err != nil || again.Blocked != "" {
		t.Errorf("%v %+v", err, again)
	}
	if len(e.History()) != 0 {
		t.Error("a change that was not made is in the history")
	}
	e.Close()
	cancel()
	if err := <-got; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
