package ui_test

import (
	"strings"
	"testing"

	"rung/test/uitest"
	"rung/ui"
)

// No filter of one start hides policies at the next.
func TestNoFilterSurvivesAStart(t *testing.T) {
	opt := ui.Options{StateDir: t.TempDir()}
	s := uitest.OpenWith(t, uitest.NewFake(uitest.DemoFacts(t)), opt)
	s.Press("/")
	s.Type("tenant")
	s.Press("enter")
	s.WantNot("quarantine")
	s = uitest.OpenWith(t, uitest.NewFake(uitest.DemoFacts(t)), opt)
	s.Want("quarantine")
	s.WantNot("filter: tenant")
}

// A saved view opens its page filtered, sorted and with its columns, and leaves alone how the page is set up
// otherwise; a column that there is none of is said.
func TestSavedViews(t *testing.T) {
	dir := t.TempDir()
	open := func(views map[string]ui.SavedView) *uitest.Screen {
		c := ui.Config{Views: views}
		page, ok := c.ViewPage("mine")
		if !ok {
			t.Fatal("no such view")
		}
		return uitest.OpenWith(t, uitest.NewFake(uitest.DemoFacts(t)), ui.Options{StateDir: dir, Config: c, Page: page})
	}
	s := open(map[string]ui.SavedView{"mine": {Page: "zones", Filter: "worker", Sort: "-zone", Wide: true}})
	s.Want("filter: worker", "ZONE ↓", "OTHER R")
	s.WantNot("ovn-control-plane  synced")
	if two, one := strings.Index(s.PlainFrame(), "ovn-worker2"), strings.Index(s.PlainFrame(), "ovn-worker "); two > one {
		t.Errorf("not sorted:\n%s", s.PlainFrame())
	}
	s.Press("1", "3") // the page without the view
	s.WantNot("filter: worker", "ZONE ↓")

	s = open(map[string]ui.SavedView{"mine": {Page: "findings", Sort: "nosuch"}})
	s.Want("view mine: no column NOSUCH (columns: ")
	s = open(map[string]ui.SavedView{"mine": {Page: "logs", Columns: []string{"rule", "nosuch"}}})
	s.Want("view mine: no column nosuch (columns: time, node, ")

	// From another page, by its name.
	s = uitest.OpenWith(t, uitest.NewFake(uitest.DemoFacts(t)), ui.Options{StateDir: dir, Config: ui.Config{Views: map[string]ui.SavedView{
		"mine": {Page: "zones", Sort: "-zone"}}}})
	s.Press(":")
	s.Type("view mine")
	s.Press("enter")
	s.Want("ZONE ↓")
}
