package ui

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"rung/engine"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/revision"
	"rung/sources/kube"
)

// steady delivers what the test sends.
type steady chan kube.SourceUpdate

func (s steady) Name() string { return "test" }

func (s steady) Run(ctx context.Context, sink func(kube.SourceUpdate)) {
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
	e, err := engine.New(context.Background(), engine.Config{Sources: []kube.Source{src}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	pods := 0
	event := func() {
		pods++
		p := &model.Pod{Meta: model.Meta{Key: model.Key{Kind: model.KindPod, Namespace: "n", Name: fmt.Sprint("p", pods)}}}
		src <- kube.SourceUpdate{Upsert: []model.Object{p}}
		want := pods
		if err := e.WaitFor(context.Background(), func(r *revision.Revision) bool { return r.Cluster.Count(model.KindPod) == want }); err != nil {
			t.Fatal(err)
		}
	}
	var l FindingsPacer
	current := func(r *revision.Revision) bool {
		_, ok := revision.KnownFindings(r)
		return ok
	}
	event()
	if r := l.prepareNewest(t.Context(), e); !current(r) {
		t.Error("the first findings were not waited for")
	}
	event()
	if r := l.prepareNewest(t.Context(), e); !current(r) || l.outdated {
		t.Error("after a quiet time they are worked out at once")
	}
	began := time.Now()
	worked := 0
	for range 20 {
		event()
		if current(l.prepareNewest(t.Context(), e)) {
			worked++
		} else if !l.outdated {
			t.Fatal("nobody will work them out")
		}
	}
	if most := 1 + int(time.Since(began)/Pace); worked > most {
		t.Errorf("worked out %d times in %v", worked, time.Since(began))
	}
	var was *revision.Revision
	for range 10 { // a slow machine may take all the time between two steps
		event()
		l.next = time.Now().Add(Pace)
		was = l.prepareNewest(t.Context(), e)
		if !current(was) {
			break
		}
	}
	now := l.WaitForRevision(t.Context(), nil, e)
	if !current(now) || l.outdated || now == was || now.Number != was.Number {
		t.Error("the last revision has its findings, and pages are told")
	}
}

// fixedConsole is a console that shows one revision.
type fixedConsole struct {
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
	var l FindingsPacer
	for i := range 2 {
		p := &model.PolicyInZone{Policy: k, Extra: 1, DiffSince: now.Add(-time.Hour), Touched: now.Add(-time.Hour),
			Diffs: []model.RowDiff{{Kind: model.DiffExtra, Table: nb.TableACL, UUID: "u", ID: nb.DefaultController + ":EgressFirewall:a:1"}}}
		z := &model.ZoneState{Name: "w", Conn: model.ConnSynced, SyncedAt: now, Policies: map[model.PolicyKey]*model.PolicyInZone{k: p}}
		rev = revision.New(revision.Facts{Number: uint64(i), At: now, Cluster: cluster, Zones: []*model.ZoneState{z}}, rev)
		// The second comes while others are not worked out for lack of time.
		l.prepareNewest(t.Context(), &fixedConsole{rev: rev})
		l.next = time.Now().Add(time.Hour)
		if revision.CachedCauses(rev, z, p) == nil {
			t.Errorf("revision %d: the screen has no cause for the row that is left", i)
		}
	}
}

// TestAskingIsGivenUp: on a big cluster all connections are asked beside the screen; what
// is superseded is given up, and the end waits for what is under way.
func TestAskingIsGivenUp(t *testing.T) {
	l := FindingsPacer{lastAsked: time.Now()}
	objects := []model.Object{&model.Namespace{Meta: model.Meta{Key: model.Key{Kind: model.KindNamespace, Name: "a"}}}}
	for i := range 300 {
		objects = append(objects, &model.Pod{Meta: model.Meta{Key: model.Key{Kind: model.KindPod, Namespace: "a", Name: fmt.Sprint("p", i)}},
			NodeName: "n", Phase: "Running", IPs: []string{fmt.Sprintf("10.0.%d.%d", i/200, i%200+1)}})
	}
	cluster, _ := (*model.Cluster)(nil).Upsert(objects, nil)
	rev := revision.New(revision.Facts{Number: 1, Cluster: cluster}, nil)
	c := &fixedConsole{rev: rev}
	l.prepareNewest(t.Context(), c)
	if l.job == nil {
		t.Fatal("nobody asks")
	}
	<-l.job.done
	l.prepareNewest(t.Context(), c)
	if !revision.HasFindings(rev) || l.job != nil {
		t.Error("it was asked, and nobody noticed")
	}
	// The next one is under way when another comes.
	hangs := func(basis revision.RevisionBasis) *askedRevision {
		ctx, cancel := context.WithCancel(t.Context())
		job := &askedRevision{basis: basis, cancel: cancel, done: make(chan struct{})}
		go func() {
			<-ctx.Done()
			close(job.done)
		}()
		return job
	}
	more, _ := cluster.Upsert([]model.Object{&model.Namespace{Meta: model.Meta{Key: model.Key{Kind: model.KindNamespace, Name: "b"}}}}, nil)
	c.rev = revision.New(revision.Facts{Number: 2, Cluster: more}, rev)
	old := hangs(rev.Basis())
	l.job, l.next = old, time.Time{}
	l.prepareNewest(t.Context(), c)
	select {
	case <-old.done:
	default:
		t.Error("what is superseded was not given up")
	}
	l.endWork()
	// Findings that would never be new are waited for.
	more, _ = more.Upsert([]model.Object{&model.Namespace{Meta: model.Meta{Key: model.Key{Kind: model.KindNamespace, Name: "c"}}}}, nil)
	c.rev = revision.New(revision.Facts{Number: 3, Cluster: more}, c.rev)
	old = hangs(rev.Basis())
	l.job, l.next, l.lastAsked = old, time.Time{}, time.Now().Add(-2*lintMost)
	l.prepareNewest(t.Context(), c)
	if l.job != old {
		t.Error("given up again and again, findings never come")
	}
	l.endWork()
	if l.job != nil {
		t.Error("left under way")
	}
}

// TestInternalErrorsEndOnlyTheirPart: a revision of which a part cannot be prepared is shown with the rest.
func TestInternalErrorsEndOnlyTheirPart(t *testing.T) {
	rev := revision.New(revision.Facts{Number: 1, Zones: []*model.ZoneState{nil}}, nil) // no zone can be read
	var told []string
	l := FindingsPacer{Report: func(doing string, what any) { told = append(told, doing) }}
	if got := l.prepareNewest(t.Context(), &fixedConsole{rev: rev}); got != rev {
		t.Errorf("the screen gets %v", got)
	}
	if !slices.Contains(told, "reading the rows of the ladder") {
		t.Errorf("internal errors: %q", told)
	}
	told = nil
	if got := PreparedRevision(&fixedConsole{rev: rev}, l.Report); got != rev || len(told) == 0 {
		t.Errorf("the screen gets %v, internal errors: %q", got, told)
	}
}
