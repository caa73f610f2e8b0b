package ui

import (
	"context"
	"fmt"
	"testing"
	"time"

	"rung/engine"
	"rung/engine/revision"
	"rung/engine/source"
	"rung/model"
	"rung/model/nb"
)

// steady delivers what the test sends.
type steady chan source.Update

func (s steady) Name() string { return "test" }

func (s steady) Run(ctx context.Context, sink func(source.Update)) {
	for {
		select {
		case u := <-s:
			sink(u)
		case <-ctx.Done():
			return
		}
	}
}

// TestFindingsArePaced: while revisions come one after the other the findings
// are worked out now and then, and in the end they are those of the last.
func TestFindingsArePaced(t *testing.T) {
	src := make(steady)
	e, err := engine.New(context.Background(), engine.Config{Sources: []source.Source{src}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	pods := 0
	event := func() {
		pods++
		p := &model.Pod{Meta: model.Meta{Key: model.Key{Kind: model.KindPod, Namespace: "n", Name: fmt.Sprint("p", pods)}}}
		src <- source.Update{Upsert: []model.Object{p}}
		want := pods
		if err := e.Wait(context.Background(), func(r *revision.Revision) bool { return r.Cluster.Count(model.KindPod) == want }); err != nil {
			t.Fatal(err)
		}
	}
	var l linter
	current := func(r *revision.Revision) bool {
		_, ok := r.KnownFindings()
		return ok
	}
	event()
	if r := l.prepare(e); !current(r) {
		t.Error("the first findings were not waited for")
	}
	event()
	if r := l.prepare(e); !current(r) || l.owed {
		t.Error("after a quiet time they are worked out at once")
	}
	began := time.Now()
	worked := 0
	for range 20 {
		event()
		if current(l.prepare(e)) {
			worked++
		} else if !l.owed {
			t.Fatal("nobody will work them out")
		}
	}
	if most := 1 + int(time.Since(began)/lintTime); worked > most {
		t.Errorf("worked out %d times in %v", worked, time.Since(began))
	}
	var was *revision.Revision
	for range 10 { // a slow machine may take all the time between two steps
		event()
		l.next = time.Now().Add(lintTime)
		if was = l.prepare(e); !current(was) {
			break
		}
	}
	var c counts
	at := time.Now()
	if c.take(was, at); !c.lag(at.Add(lintMost)) {
		t.Error("the header does not say that the findings are owed")
	}
	due := l.due()
	defer due.Stop()
	<-due.C
	now := l.prepare(e)
	if !current(now) || l.owed || now == was || now.Number != was.Number {
		t.Error("the last revision has its findings, and pages are told")
	}
	if c.take(now, at.Add(time.Second)); c.lag(at.Add(2 * time.Second)) {
		t.Error("the header calls findings old that are not")
	}
}

// fixedConsole is a console that shows one revision.
type fixedConsole struct {
	Console
	rev *revision.Revision
}

func (s *fixedConsole) Revision() *revision.Revision { return s.rev }
func (s *fixedConsole) Now() time.Time               { return s.rev.At }

// TestCausesArePrepared: why rows differ is known before the screen gets a revision.
func TestCausesArePrepared(t *testing.T) {
	k := model.PolicyKey{Kind: model.KindEF, Namespace: "a", Name: "default"}
	cluster, _ := (*model.Cluster)(nil).Upsert([]model.Object{&model.Policy{Meta: model.Meta{Key: k}, Egress: make([]model.Rule, 1)}}, nil)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var rev *revision.Revision
	var l linter
	for i := range 2 {
		p := &model.PolicyInZone{Policy: k, Extra: 1, DiffSince: now.Add(-time.Hour), Touched: now.Add(-time.Hour),
			Diffs: []model.RowDiff{{Kind: model.DiffExtra, Table: nb.TableACL, UUID: "u", ID: nb.DefaultController + ":EgressFirewall:a:1"}}}
		z := &model.ZoneState{Name: "w", Conn: model.ConnSynced, SyncedAt: now, Policies: map[model.PolicyKey]*model.PolicyInZone{k: p}}
		rev = revision.New(revision.Facts{Number: uint64(i), At: now, Cluster: cluster, Zones: []*model.ZoneState{z}}, rev)
		// The second comes while others are not worked out for lack of time.
		l.prepare(&fixedConsole{rev: rev})
		l.next = time.Now().Add(time.Hour)
		if rev.CausesAtHand(z, p) == nil {
			t.Errorf("revision %d: the screen has no cause for the row that is left", i)
		}
	}
}
