package gate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/change"
	"rung/model"
	"rung/model/lint"
	"rung/revision"
	"rung/test/changing"
	"rung/test/given"
	"rung/test/wait"
)

// slowServer is the API server in front of a world: writing to it hangs until it is
// let go or its context ends.
type slowServer struct {
	*world
	began chan string // names, when their writing begins
	let   chan struct{}
}

func (s *slowServer) Write(ctx context.Context, changes []change.ObjectChange) error {
	s.began <- changes[0].Key.Name
	select {
	case <-s.let:
		return s.world.Write(ctx, changes)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// While a server does not answer, one change waits for it and whoever comes next
// waits for that one: told so, until its context ends. Nothing else waits.
func TestAnotherChangeHangs(t *testing.T) {
	defer wait.NoLeaks(t)
	w := newWorld(t, given.ANP("a", 40, "tenant=a", "in allow tenant=a"), given.ANP("b", 50, "tenant=b", "in allow tenant=b"),
		given.ANP("c", 60, "tenant=c", "in allow tenant=c"), given.ANP("d", 70, "tenant=d", "in allow tenant=d"))
	dir := t.TempDir()
	g := w.Gate(dir)
	s := &slowServer{w, make(chan string, 4), make(chan struct{})}
	g.Config.Writer = s
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	previewed := func(name string, to int32) *Preview {
		t.Helper()
		p, err := g.Preview(ctx, w.Current(), changing.Move(name, to))
		if err != nil || p.Blocked != "" {
			t.Fatalf("%v %+v", err, p)
		}
		return p
	}
	type outcome struct {
		name string
		err  error
	}
	var all sync.WaitGroup
	done, told := make(chan outcome, 4), make(chan string, 8)
	commit := func(ctx context.Context, name string, p *Preview) {
		a := yes
		a.OnWait = func(title string) { told <- name + ": " + title }
		all.Go(func() {
			_, err := g.Commit(ctx, p, a)
			done <- outcome{name, err}
		})
	}
	defer all.Wait()
	pa, pb, pc, pd := previewed("a", 41), previewed("b", 51), previewed("c", 61), previewed("d", 71)
	commit(ctx, "a", pa)
	if began := <-s.began; began != "a" {
		t.Fatalf("%s is written first", began)
	}
	impatient, leave := context.WithCancel(ctx)
	commit(impatient, "b", pb)
	if got, want := <-told, "b: "+pa.Title; got != want {
		t.Errorf("told %q, want %q", got, want)
	}
	commit(ctx, "c", pc)
	<-told
	commit(ctx, "d", pd)
	<-told

	// Everything else goes on.
	previewed("a", 42)
	if n := len(g.Config.History.Entries()); n != 0 {
		t.Errorf("%d entries", n)
	}
	g.AuditNote("console", "writes", "changes switched off")

	leave()
	b := <-done
	if b.name != "b" || !errors.Is(b.err, context.Canceled) || !strings.Contains(b.err.Error(), fmt.Sprintf("waited for another change, %q", pa.Title)) {
		t.Errorf("%+v", b)
	}
	if got := <-told; got != "b: " {
		t.Errorf("told %q at the end", got)
	}
	close(s.let)
	for range 3 {
		if o := <-done; o.err != nil {
			t.Errorf("%s: %v", o.name, o.err)
		}
	}
	var order []string
	for _, e := range g.Config.History.Entries() {
		order = append(order, e.Objects[0].Key.Name)
	}
	if diff := cmp.Diff([]string{"d", "c", "a"}, order); diff != "" {
		t.Errorf("the history, newest first (-want +got):\n%s", diff)
	}
	order = nil
	for _, r := range changing.ReadAudit(t, dir) {
		if len(r.Objects) > 0 { // not the switch of writing
			order = append(order, r.Objects[0].Name)
		}
	}
	if diff := cmp.Diff([]string{"a", "c", "d"}, order); diff != "" {
		t.Errorf("the audit (-want +got):\n%s", diff)
	}
	if w.Priority("a") != 41 || w.Priority("b") != 50 || w.Priority("c") != 61 || w.Priority("d") != 71 {
		t.Errorf("%d %d %d %d", w.Priority("a"), w.Priority("b"), w.Priority("c"), w.Priority("d"))
	}
}

// A change that has begun is made to its end, if that is what was asked for.
func TestFinish(t *testing.T) {
	for _, finish := range []bool{true, false} {
		w := newWorld(t, given.ANP("a", 40, "tenant=a", "in allow tenant=a"))
		g := w.Gate("")
		s := &slowServer{w, make(chan string, 1), make(chan struct{})}
		g.Config.Writer = s
		p, err := g.Preview(t.Context(), w.Current(), changing.Move("a", 41))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		a := yes
		a.Finish = finish
		got := make(chan error, 1)
		go func() {
			_, err := g.Commit(ctx, p, a)
			got <- err
		}()
		<-s.began
		cancel()
		if !finish {
			if err := <-got; !errors.Is(err, context.Canceled) || w.Priority("a") != 40 {
				t.Errorf("%v, at %d", err, w.Priority("a"))
			}
			continue
		}
		close(s.let)
		if err := <-got; err != nil || w.Priority("a") != 41 {
			t.Errorf("%v, at %d", err, w.Priority("a"))
		}
	}
}

// A change that was given up is not made, even when its turn came in that moment, and
// the next one is let in.
func TestGivenUpAsItsTurnCame(t *testing.T) {
	for range 50 {
		var changes queue
		leave, err := changes.enter(t.Context(), "first", nil)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		_, err = changes.enter(ctx, "second", func(title string) {
			if title != "" {
				cancel()
				leave()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("let in although it was given up: %v", err)
		}
		next, end := context.WithTimeout(t.Context(), wait.Patience)
		if _, err := changes.enter(next, "third", nil); err != nil {
			t.Fatal(err)
		}
		end()
	}
}

// Who waits for several changes, one after the other, is told for which just now.
func TestWaitsForTheNext(t *testing.T) {
	var changes queue
	leave, err := changes.enter(t.Context(), "first", nil)
	if err != nil {
		t.Fatal(err)
	}
	type begun struct {
		title string
		leave func()
	}
	began := make(chan begun, 2)
	var all sync.WaitGroup
	defer all.Wait()
	second, third := make(chan string, 4), make(chan string, 4)
	queue := func(title string, told chan string) {
		all.Go(func() {
			leave, err := changes.enter(t.Context(), title, func(other string) { told <- other })
			if err != nil {
				t.Error(err)
			}
			began <- begun{title, leave}
		})
		if other := <-told; other != "first" {
			t.Errorf("%s waits for %q", title, other)
		}
	}
	queue("second", second)
	queue("third", third)
	leave()
	next := <-began
	if next.title != "second" {
		t.Errorf("%s comes first", next.title)
	}
	select {
	case other := <-third:
		if other != "second" {
			t.Errorf("the third is told %q", other)
		}
	case <-time.After(wait.Patience):
		t.Error("the third is not told that it waits for the second now")
	}
	next.leave()
	next = <-began
	if next.title != "third" {
		t.Errorf("%s comes next", next.title)
	}
	next.leave()
}

// Twelve policies are alike, one for each tenant, two at each priority. One of each two is moved, beside the others: all six
// are previewed before the first is made. No preview says that its move makes them alike, and every move is made.
func TestMovesOfAlikePolicies(t *testing.T) {
	defer wait.NoLeaks(t)
	var texts []string
	name := func(pair int, second string) string { return fmt.Sprintf("tenant-%d%s", 6-pair, second) }
	for i := range 6 {
		for _, second := range []string{"", "-b"} {
			n := name(i, second)
			texts = append(texts, changing.ANamespace(n, "tenant: "+n), given.ANP(n, 10*(i+1), "tenant="+n, "in allow tenant="+n, "in deny *"))
		}
	}
	w := newWorld(t, texts...)
	alike := func(f model.Finding) bool { return f.Code == lint.TenantPolicies.Code }
	if !slices.ContainsFunc(revision.FindingsOfObjects(w.Current()), alike) {
		t.Fatal("the policies are not alike")
	}
	g := w.Gate(t.TempDir())
	var previews []*Preview
	for i := range 6 {
		p, err := g.Preview(t.Context(), w.Current(), changing.Move(name(i, ""), int32(10*(i+1)+5)))
		if err != nil || p.Blocked != "" || slices.ContainsFunc(p.Findings, alike) {
			t.Errorf("%v: %q, findings %+v", err, p.Blocked, p.Findings)
		}
		previews = append(previews, p)
	}
	var all sync.WaitGroup
	for _, p := range previews {
		all.Go(func() {
			if _, err := g.Commit(t.Context(), p, yes); err != nil {
				t.Errorf("%s: %v", p.Title, err)
			}
		})
	}
	all.Wait()
	for i := range 6 {
		if at := w.Priority(name(i, "")); at != int32(10*(i+1)+5) {
			t.Errorf("%s is at %d", name(i, ""), at)
		}
	}
}
