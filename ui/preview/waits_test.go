package preview_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"rung/engine/gate"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/preview"
	"rung/ui/uitest"
	"rung/ui/view"
)

// queued is a change that waits for another until its context ends.
type queued struct{ waits chan struct{} }

func (q *queued) Work(context.Context, view.Console) (*gate.Preview, error) {
	return &gate.Preview{Title: "Move ANP a"}, nil
}

func (q *queued) Commit(ctx context.Context, _ view.Console, _ *gate.Preview, answer gate.Confirm) (*gate.Result, error) {
	answer.Waits("Delete ANP b")
	close(q.waits)
	<-ctx.Done()
	answer.Waits("")
	return nil, fmt.Errorf("Move ANP a: nothing was changed: it waited for another change: %w", ctx.Err())
}

// A change that waits for another says for which, and esc gives it up.
func TestWaitsForAnother(t *testing.T) {
	f := uitest.NewFake(uitest.Demo(t))
	keys, _ := action.NewKeymap(nil)
	set := themes.Builtin()
	env := &view.Env{Console: f, Rev: f.Revision(), Now: uitest.Now, Keys: keys, Styles: set.Styles(themes.Adaptive, true), W: 100, H: 30}
	q := &queued{make(chan struct{})}
	v := preview.Of(q, preview.Options{})
	job := func() func(context.Context) any {
		t.Helper()
		for _, a := range env.Take() {
			if run, ok := a.(view.RunAsk); ok {
				return run.Do
			}
		}
		t.Fatal("nothing is run")
		return nil
	}
	v.Sync(env)
	v.Receive(env, job()(t.Context()))
	v.Do(env, action.PreviewApply)
	for _, a := range env.Take() {
		if d, ok := a.(view.DialogAsk); ok {
			d.Dialog.(*view.Confirm).Yes(env)
		}
	}
	commit, got := job(), make(chan any, 1)
	go func() { got <- commit(t.Context()) }()
	<-q.waits
	v.Sync(env)
	if screen := v.Render(env, 100, 30); !strings.Contains(screen, "Waiting for another change: Delete ANP b") || !strings.Contains(screen, "do not wait") {
		t.Errorf("the screen does not say what it waits for:\n%s", screen)
	}
	if v.Leave(env) {
		t.Error("the page is left although nobody knows yet what becomes of the change")
	}
	v.Receive(env, <-got)
	v.Sync(env)
	if screen := v.Render(env, 100, 30); !strings.Contains(screen, "nothing was changed: it waited for another change") {
		t.Errorf("the screen does not say what became of it:\n%s", screen)
	}
	if !v.Leave(env) {
		t.Error("the page cannot be left")
	}
}
