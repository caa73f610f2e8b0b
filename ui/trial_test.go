package ui_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rung/change"
	"rung/change/gate"
	"rung/model"
	"rung/revision"
	"rung/test/uitest"
	"rung/ui"
	"rung/ui/nav"
)

// The question before a change offers it on trial, also where a name is typed; space is
// no part of a name, and goes through the times.
func TestTrialIsChosen(t *testing.T) {
	for presses, want := range []time.Duration{0, time.Minute, 5 * time.Minute, 30 * time.Second, 0} {
		f := uitest.NewFake(uitest.DemoFacts(t))
		var got gate.Confirm
		f.OnPreview = func(m change.Mutation) (*gate.Preview, error) {
			return &gate.Preview{Mutation: m, Title: "Delete ANP break-glass", ConfirmName: "break-glass"}, nil
		}
		f.OnCommit = func(_ *gate.Preview, c gate.Confirm) (*gate.Result, error) { got = c; return &gate.Result{}, nil }
		s := uitest.OpenWith(t, f, ui.Options{Page: nav.NewPage(nav.Ladder)})
		s.Press("D", "a")
		s.Want("space [ ] auto-revert in 60s unless confirmed")
		s.Type("break-gl")
		for range presses {
			s.Press("space")
		}
		s.Want("> break-gl", []string{"space [ ] auto-revert in 60s unless confirmed", "space [x] auto-revert in 60s unless confirmed (space: 5m)",
			"space [x] auto-revert in 5m unless confirmed (space: 30s)", "space [x] auto-revert in 30s unless confirmed (space: off)",
			"space [ ] auto-revert in 60s unless confirmed"}[presses])
		for _, size := range [][2]int{{80, 24}, {40, 10}} {
			s.Resize(size[0], size[1])
			s.WantFits()
		}
		s.Type("ass")
		s.Press("enter")
		if !got.Yes || got.Name != "break-glass" || got.TrialTime != want {
			t.Errorf("space pressed %d times: %+v", presses, got)
		}
	}
}

// Every page counts a change on trial down, and says the key that keeps it.
func TestTrialOnEveryPage(t *testing.T) {
	facts := uitest.DemoFacts(t)
	facts.Mode.WriteBack = true
	f := uitest.NewFake(facts)
	s := uitest.OpenWith(t, f, ui.Options{Page: nav.NewPage(nav.Ladder)})
	s.WantNot("reverts in")
	s.Press("Y")
	s.Want("no change waits to be confirmed")
	trial := revision.UnconfirmedChange{ID: "1", Title: "Move ANP cluster-control from 34 to 36", Until: f.Now().Add(42 * time.Second), IsOwn: true}
	set := func(u revision.UnconfirmedChange) {
		facts.Number++
		facts.Unconfirmed = &u
		f.Set(facts)
		s.Refresh()
	}
	set(trial)
	for _, size := range [][2]int{{120, 34}, {80, 24}} {
		s.Resize(size[0], size[1])
		for _, page := range []string{"1", "2", "3", "4", "5", "6", "8", "f"} {
			s.Press(page)
			s.Want("reverts in 42s", "Y keeps")
			s.WantFits()
		}
	}
	f.Advance(2 * time.Second)
	s.Refresh()
	s.Want("reverts in 40s")

	// Leaving is asked about.
	s.Press("ctrl+c")
	s.Want("Leave Rung", "Not confirmed: Move ANP cluster-control from 34 to 36.", "Leaving reverts it now.")
	s.Press("esc")
	s.Press("Y")
	s.Want("Move ANP cluster-control from 34 to 36: confirmed")
	if !slices.Contains(f.Calls, "confirm by console") {
		t.Error(f.Calls)
	}
	over := trial
	over.Ended, over.Kept = revision.TrialConfirmed, true
	set(over)
	s.WantNot("reverts in")

	s.Resize(120, 34)
	// Another process has one; then it cannot be put back; then it is.
	other := trial
	other.ID, other.IsOwn, other.PID = "2", false, 4711
	set(other)
	s.Want("not confirmed: reverts in 40s by another Rung (pid 4711)")
	failed := trial
	failed.ID, failed.IsOver, failed.Why = "3", true, "connection refused"
	set(failed)
	s.Want("not reverted yet", "connection refused")
	failed.Why, failed.Ended = "", "reverted: not confirmed within 60s"
	set(failed)
	s.Want("reverted: not confirmed within 60s")
	s.WantNot("keeps it")
}

// What an earlier run left is said first, and can be kept while there is time.
func TestTrialThatWasFound(t *testing.T) {
	facts := uitest.DemoFacts(t)
	f := uitest.NewFake(facts)
	s := uitest.OpenWith(t, f, ui.Options{Page: nav.NewPage(nav.Ladder)})
	u := revision.UnconfirmedChange{ID: "1", Title: "Move ANP cluster-control from 34 to 36", Until: f.Now().Add(42 * time.Second), IsOwn: true, FromEarlierRun: true}
	facts.Number++
	facts.Unconfirmed = &u
	f.Set(facts)
	s.Refresh()
	s.Want("An earlier run of Rung made this change on trial", "It is reverted at", "keep it")
	s.Press("y")
	if !slices.Contains(f.Calls, "confirm by console") {
		t.Error(f.Calls)
	}
	over := u
	over.Ended = "reverted: not confirmed within 60s"
	facts.Number++
	facts.Unconfirmed = &over
	f.Set(facts)
	s.Refresh()
	s.Want("An earlier run of Rung", "Result: reverted: not confirmed within 60s.")
	s.Press("enter")
	s.WantNot("An earlier run")
	if strings.Contains(s.PlainFrame(), "keeps it") || facts.Cluster.Policy(model.Key{Kind: model.KindANP, Name: "cluster-control"}) == nil {
		t.Error(s.PlainFrame())
	}
}
