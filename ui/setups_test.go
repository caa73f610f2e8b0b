package ui_test

import (
	"strings"
	"testing"

	"rung/test/uitest"
	"rung/ui"
	"rung/ui/config"
	"rung/ui/nav"
)

// Filter, sorting, wide columns, and the columns and clock of the log are those of the last start of the
// same cluster; another cluster has its own, and Fresh begins without.
func TestSetupsOutliveTheConsole(t *testing.T) {
	dir := t.TempDir()
	open := func(context string, fresh bool, page nav.PageKind) *uitest.Screen {
		p := uitest.DemoFacts(t)
		p.Mode.Title = context
		return uitest.OpenWith(t, uitest.NewFake(p), ui.Options{StateDir: dir, Fresh: fresh, Page: nav.PageOf(page)})
	}
	s := open("demo", false, nav.Ladder)
	s.Press("/")
	s.Type("tenant")
	s.Press("enter", "3", ">", "S", "w", "4", "K")
	s.Want("times in UTC")
	wide := func(s *uitest.Screen) bool { return strings.Contains(s.PlainFrame(), "OTHER R") }

	s = open("demo", false, nav.Ladder)
	s.Want("filter: tenant")
	s.WantNot("quarantine")
	s.Press("3")
	if !strings.Contains(s.Line("STATE"), "ZONE ↓") || !wide(s) {
		t.Errorf("sorting and columns: %q", s.Line("STATE"))
	}
	s.Press("4", "K") // UTC, and then as age
	s.Want("times as age")
	s.Press("1", "esc") // the filter is let go

	for _, other := range []*uitest.Screen{open("other", false, nav.Ladder), open("demo", true, nav.Ladder), open("demo", false, nav.Ladder)} {
		other.WantNot("filter: tenant")
		other.Want("quarantine")
	}
	fresh := open("demo", true, nav.Zones)
	if wide(fresh) {
		t.Error("a fresh start is wide")
	}
}

// A saved view opens its page filtered, sorted and with its columns, and leaves alone how the page is set up
// otherwise; a column that there is none of is said.
func TestSavedViews(t *testing.T) {
	dir := t.TempDir()
	open := func(views map[string]config.SavedView) *uitest.Screen {
		c := config.Config{Views: views}
		page, ok := c.ViewPage("mine")
		if !ok {
			t.Fatal("no such view")
		}
		return uitest.OpenWith(t, uitest.NewFake(uitest.DemoFacts(t)), ui.Options{StateDir: dir, Config: c, Page: page})
	}
	s := open(map[string]config.SavedView{"mine": {Page: "zones", Filter: "worker", Sort: "-zone", Wide: true}})
	s.Want("filter: worker", "ZONE ↓", "OTHER R")
	s.WantNot("ovn-control-plane  synced")
	if two, one := strings.Index(s.PlainFrame(), "ovn-worker2"), strings.Index(s.PlainFrame(), "ovn-worker "); two > one {
		t.Errorf("not sorted:\n%s", s.PlainFrame())
	}
	s.Press("1", "3") // the page without the view
	s.WantNot("filter: worker", "ZONE ↓")

	s = open(map[string]config.SavedView{"mine": {Page: "findings", Sort: "nosuch"}})
	s.Want("view mine: no column NOSUCH (columns: ")
	s = open(map[string]config.SavedView{"mine": {Page: "logs", Columns: []string{"rule", "nosuch"}}})
	s.Want("view mine: no column nosuch (columns: time, node, ")

	// From another page, by its name.
	s = uitest.OpenWith(t, uitest.NewFake(uitest.DemoFacts(t)), ui.Options{StateDir: dir, Config: config.Config{Views: map[string]config.SavedView{
		"mine": {Page: "zones", Sort: "-zone"}}}})
	s.Press(":")
	s.Type("view mine")
	s.Press("enter")
	s.Want("ZONE ↓")
}
