package preview_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"rung/change"
	"rung/change/gate"
	"rung/test/uitest"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/preview"
	"rung/ui/view"
)

// queued is a change that waits for another until its context ends.
type queued struct {
	*uitest.Fake
	waits chan struct{}
}

func (q *queued) Preview(context.Context, change.Mutation) (*gate.Preview, error) {
	return &gate.Preview{Title: "Move ANP a"}, nil
}

func (q *queued) Commit(ctx context.Context, _ *gate.Preview, answer gate.Confirm) (*gate.Result, error) {
	answer.OnWait("Delete ANP b")
	close(q.waits)
	<-ctx.Done()
	answer.OnWait("")
	return nil, fmt.Errorf("Move ANP a: nothing was changed: it waited for another change: %w", ctx.Err())
}

// bare is what a view sees without a console around it.
func bare(f *uitest.Fake) *view.Env {
	keys, _ := action.NewKeymap(nil)
	set := themes.BuiltinThemes()
	return &view.Env{Console: f, Rev: f.Revision(), Now: uitest.Now, Keys: keys, Styles: set.FindStyles(themes.Adaptive, true), W: 100, H: 30}
}

// job is what the view has run next, after a yes to what it asks first.
func job(t *testing.T, env *view.Env) func(context.Context) any {
	t.Helper()
	for range 2 { // what is run after a yes is asked for by that
		for _, a := range env.TakeAsks() {
			switch a := a.(type) {
			case view.RunAsk:
				return a.Do
			case view.DialogAsk:
				if c, ok := a.Dialog.(*view.ConfirmDialog); ok {
					c.Yes(env)
				}
			}
		}
	}
	t.Fatal("nothing is run")
	return nil
}

// A change that waits for another says for which, and esc gives it up.
func TestWaitsForAnother(t *testing.T) {
	f := uitest.NewFake(uitest.DemoFacts(t))
	env := bare(f)
	q := &queued{f, make(chan struct{})}
	env.Console = q
	v := preview.New(change.Mutation{}).(*preview.View)
	v.Sync(env)
	v.ReceiveResult(env, job(t, env)(t.Context()))
	v.Do(env, action.PreviewApply)
	commit, got := job(t, env), make(chan any, 1)
	go func() { got <- commit(t.Context()) }()
	<-q.waits
	v.Sync(env)
	if screen := v.Render(env, 100, 30); !strings.Contains(screen, "Waiting for another change: Delete ANP b") || !strings.Contains(screen, "do not wait") {
		t.Errorf("the screen does not say what it waits for:\n%s", screen)
	}
	if v.CanLeave(env) {
		t.Error("the page is left although nobody knows yet what becomes of the change")
	}
	v.ReceiveResult(env, <-got)
	v.Sync(env)
	if screen := v.Render(env, 100, 30); !strings.Contains(screen, "nothing was changed: it waited for another change") {
		t.Errorf("the screen does not say what became of it:\n%s", screen)
	}
	if !v.CanLeave(env) {
		t.Error("the page cannot be left")
	}
}

// slow is a change whose work ends when it is told to, and gives what it is told.
type slow struct {
	*uitest.Fake
	work chan *gate.Preview
}

func (q *slow) Preview(context.Context, change.Mutation) (*gate.Preview, error) { return <-q.work, nil }

// Work that comes late belongs to the view that asked: another in its place takes nothing
// of it. What is worked out while the change is written is not waited for either.
func TestLateAnswers(t *testing.T) {
	f := uitest.NewFake(uitest.DemoFacts(t))
	env := bare(f)
	first, second := &slow{f, make(chan *gate.Preview, 1)}, &slow{f, make(chan *gate.Preview, 1)}
	one, other := preview.New(change.Mutation{}).(*preview.View), preview.New(change.Mutation{}).(*preview.View)
	env.Console = first
	one.Sync(env)
	late := job(t, env)
	env.Console = second
	other.Sync(env)
	job(t, env)
	first.work <- &gate.Preview{Title: "Move ANP a"}
	other.ReceiveResult(env, late(t.Context()))
	if screen := other.Render(env, 100, 30); strings.Contains(screen, "Move ANP a") {
		t.Errorf("it shows what another asked for:\n%s", screen)
	}
}

// A yes while the preview is being worked out again: what that finds comes too late and
// changes nothing, the preview as it is after the yes is worked out, and it follows what
// comes later.
func TestYesWhileItIsWorkedOut(t *testing.T) {
	parts := uitest.DemoFacts(t)
	f := uitest.NewFake(parts)
	env := bare(f)
	n := 0
	news := func() {
		n++
		parts.Mode.Title = fmt.Sprint("after ", n)
		f.Set(parts)
		env.Rev = f.Revision()
	}
	defer preview.SetRestTime(0)()
	f.OnPreview = func(m change.Mutation) (*gate.Preview, error) {
		return &gate.Preview{Mutation: change.Mutation{Op: change.OpUndo, Undo: 7}, Title: "Undo"}, nil
	}
	f.OnCommit = func(*gate.Preview, gate.Confirm) (*gate.Result, error) {
		return nil, fmt.Errorf("Undo: %w", change.ErrBlocked)
	}
	v := preview.PreviewMutation(change.Mutation{Op: change.OpUndo}, preview.PreviewOptions{})
	v.Sync(env)
	v.ReceiveResult(env, job(t, env)(t.Context()))
	news()
	v.Sync(env)
	late := job(t, env)
	v.Do(env, action.PreviewApply)
	v.ReceiveResult(env, job(t, env)(t.Context())) // the yes: it is blocked, and worked out again
	again := job(t, env)
	done := make(chan struct{})
	go func() { // reads what is undone while the other answer is taken
		defer close(done)
		late(t.Context())
	}()
	v.ReceiveResult(env, again(t.Context()))
	<-done
	if m := v.CurrentMutation(); m.Undo != 7 {
		t.Errorf("it is another undo now: %+v", m)
	}

	// A yes that fails while it is worked out again does not end the following.
	f.OnCommit = func(*gate.Preview, gate.Confirm) (*gate.Result, error) { return nil, errors.New("out of memory") }
	news()
	v.Sync(env)
	job(t, env) // never answered
	v.Do(env, action.PreviewApply)
	v.ReceiveResult(env, job(t, env)(t.Context()))
	news()
	v.Sync(env)
	job(t, env)
}

// endless is a change whose second work ends with its context only.
type endless struct {
	*uitest.Fake
	works int
}

func (q *endless) Preview(ctx context.Context, _ change.Mutation) (*gate.Preview, error) {
	q.works++
	if q.works == 1 {
		return &gate.Preview{Mutation: change.Mutation{Op: change.OpUndo}, Title: "Undo"}, nil
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

// Work that nobody waits for any more ends: here that of a change that is made meanwhile.
func TestSupersededWorkEnds(t *testing.T) {
	defer preview.SetRestTime(0)()
	parts := uitest.DemoFacts(t)
	f := uitest.NewFake(parts)
	env := bare(f)
	env.Console = &endless{Fake: f}
	v := preview.New(change.Mutation{}).(*preview.View)
	v.Sync(env)
	v.ReceiveResult(env, job(t, env)(t.Context()))
	parts.Mode.Title = "another"
	f.Set(parts)
	env.Rev = f.Revision()
	v.Sync(env)
	late := job(t, env)
	done := make(chan struct{})
	go func() {
		defer close(done)
		late(t.Context())
	}()
	v.Do(env, action.PreviewApply)
	job(t, env) // the yes
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Error("still being computed")
	}
}
