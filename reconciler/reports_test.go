package reconciler

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/model"
)

func fixedClock(at time.Time) func() time.Time { return func() time.Time { return at } }

// notes takes what is reported as "name: text".
type notes struct{ events, conditions []string }

func (n *notes) Event(e model.Event) {
	n.events = append(n.events, e.Type+" "+e.Reason+" "+e.About.Name+" "+e.Reporter+": "+e.Message)
}

func (n *notes) SetCondition(k model.PolicyKey, c model.Condition) {
	n.conditions = append(n.conditions, k.Name+" "+c.Type+"="+c.Status+" "+c.Reason)
}

func newNotes() (*notes, *reporter) {
	n := &notes{}
	cfg := &Config{Zone: newFakeZone(), Status: n, Events: n, Clock: fixedClock(start)}
	cfg.setDefaults()
	return n, newReporter(cfg)
}

// The map of priorities remembers the first policy only
// (ovn-kubernetes.md#duplicate-priority).
func TestDuplicatePriorityEvents(t *testing.T) {
	n, r := newNotes()
	dup := func(name, other string) string {
		return "Warning ANPWithDuplicatePriority " + name + " n1: This ANP " + name + " has a conflicting priority with ANP " + other +
			":Please verify your rules are non-lapping between all policies at same priority to avoid undefined behavior"
	}
	steps := []struct {
		what string
		do   func()
		want []string
	}{
		{"first at 5", func() { r.reportSuccess(anp("one", 5, "")) }, nil},
		{"second at 5", func() { r.reportSuccess(anp("two", 5, "")) }, []string{dup("two", "one")}},
		{"once only", func() { r.reportSuccess(anp("two", 5, "a=b")) }, nil},
		{"the first moves away", func() { r.reportSuccess(anp("one", 6, "")) }, nil},
		{"nobody remembers the second", func() { r.reportSuccess(anp("three", 5, "")) }, nil},
		{"now three is known", func() { r.reportSuccess(anp("one", 5, "")) }, []string{dup("one", "three")}},
		{"the known one goes", func() { r.forgetPolicy(keyOf("three")) }, nil},
		{"and the place is free", func() { r.reportSuccess(anp("four", 5, "")) }, nil},
		{"one that moved twice", func() { r.reportSuccess(anp("one", 7, "")); r.reportSuccess(anp("one", 5, "")) }, []string{dup("one", "four")}},
		{"a baseline policy has no priority", func() { r.reportSuccess(policy(model.KindBANP, "default", 0, "")) }, nil},
		{"a policy replaced by one of the same name", func() {
			p := anp("four", 5, "")
			p.UID = "new"
			r.reportSuccess(p)
		}, nil},
	}
	for _, s := range steps {
		n.events = nil
		s.do()
		if diff := cmp.Diff(s.want, n.events); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", s.what, diff)
		}
	}
}

func TestUnsupportedPriorityEvents(t *testing.T) {
	n, r := newNotes()
	none := &model.NoRows{Code: "priority", Message: "too high"}
	p := anp("one", 200, "")
	r.reportNoRows(p, none)
	again := *p
	again.Conditions = []model.Condition{{Type: "Ready-In-Zone-n1", Status: "False", Reason: "SetupFailed", Message: "too high"}}
	r.reportNoRows(&again, none) // only its status changed
	other := *p
	other.Priority = 201
	r.reportNoRows(&other, none)
	want := []string{
		"Warning ANPWithUnsupportedPriority one n1: This ANP one has an unsupported priority 200; Please update the priority to a value between 0(highest priority) and 99(lowest priority)",
		"Warning ANPWithUnsupportedPriority one n1: This ANP one has an unsupported priority 201; Please update the priority to a value between 0(highest priority) and 99(lowest priority)",
	}
	if diff := cmp.Diff(want, n.events); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"one Ready-In-Zone-n1=False SetupFailed"}, n.conditions); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestConditions(t *testing.T) {
	var got []model.Condition
	n, r := newNotes()
	r.cfg.Status = setter(func(c model.Condition) { got = append(got, c) })
	last := func() model.Condition {
		t.Helper()
		if len(got) == 0 {
			t.Fatal("no condition")
		}
		c := got[len(got)-1]
		got = nil
		return c
	}
	p := anp("one", 5, "")
	r.reportSuccess(p)
	if diff := cmp.Diff(model.Condition{Type: "Ready-In-Zone-n1", Status: "True", Reason: "SetupSucceeded",
		Message: "Setting up OVN DB plumbing was successful", Changed: model.Stamp{Time: start}}, last()); diff != "" {
		t.Error(diff)
	}
	r.cfg.Clock = fixedClock(start.Add(time.Hour))
	r.reportSuccess(p)
	if len(got) != 0 {
		t.Errorf("the same again: %v", got)
	}
	r.reportFailure(p, "no space")
	if diff := cmp.Diff(model.Condition{Type: "Ready-In-Zone-n1", Status: "False", Reason: "SetupFailed",
		Message: "failed to update ANP one: no space", Changed: model.Stamp{Time: start.Add(time.Hour)}}, last()); diff != "" {
		t.Error(diff)
	}
	// The time of the change stays while the status does.
	r.cfg.Clock = fixedClock(start.Add(2 * time.Hour))
	r.reportNoRows(p, &model.NoRows{Code: "cidr", Message: strings.Repeat("é", 20000)})
	if c := last(); c.Changed.Time != start.Add(time.Hour) || len(c.Message) != 32766 {
		t.Errorf("changed %v, %d bytes", c.Changed, len(c.Message))
	}
	b := policy(model.KindBANP, "default", 0, "")
	r.reportFailure(b, strings.Repeat("x", 40000))
	if c := last(); len(c.Message) != 40000+len("failed to create BANP default: ") {
		t.Errorf("%d bytes of a baseline policy's message", len(c.Message))
	}
	r.reportSuccess(b)
	got = nil
	r.reportFailure(b, "no space")
	if c := last(); c.Message != "failed to update ANP default: no space" {
		t.Errorf("message %q", c.Message)
	}
	// What the policy carries already is not reported after a restart.
	q := anp("two", 6, "")
	q.Conditions = []model.Condition{{Type: "Ready-In-Zone-n1", Status: "True", Reason: "SetupSucceeded", Message: messageOK, Changed: model.Stamp{Time: start}}}
	r.reportSuccess(q)
	if len(got) != 0 {
		t.Errorf("reported again: %v", got)
	}
	r.reportFailure(q, "x")
	if c := last(); c.Changed.Time != start.Add(2*time.Hour) {
		t.Errorf("changed %v", c.Changed)
	}
	if len(n.events) != 0 {
		t.Errorf("events %v", n.events)
	}
}

type setter func(model.Condition)

func (s setter) SetCondition(_ model.PolicyKey, c model.Condition) { s(c) }

// Conditions come for policies whose rows are right already, too.
func TestConditionsWithoutWrites(t *testing.T) {
	run(t, Write, func(b *bench) {
		tenants(b)
		b.have(isolate(1), policy(model.KindBANP, "default", 0, "t=2"))
		b.calm(time.Second)
		want := []string{"isolate Ready-In-Zone-n1 True SetupSucceeded " + messageOK, "default Ready-In-Zone-n1 True SetupSucceeded " + messageOK}
		if diff := cmp.Diff(want, b.takeConds()); diff != "" {
			t.Error(diff)
		}
		b.r.SetMode(Observe)
		b.have(isolate(3))
		b.calm(time.Second)
		b.r.SetMode(Write)
		b.have(anp("late", 3, "t=1"))
		b.calm(time.Second)
		// The policies here carry no conditions: what was said before may have been taken away.
		want = []string{want[1], want[0], "late Ready-In-Zone-n1 True SetupSucceeded " + messageOK}
		if diff := cmp.Diff(want, b.takeConds()); diff != "" {
			t.Error(diff)
		}
		if e := b.takeEvents(); len(e) != 1 || !strings.HasPrefix(e[0], "late ANPWithDuplicatePriority") {
			t.Errorf("events %v", e)
		}
	})
}
