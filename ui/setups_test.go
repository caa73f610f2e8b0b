package ui_test

import (
	"strings"
	"testing"

	"rung/test/uitest"
	"rung/ui"
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
	wide := func(s *uitest.Screen) bool { return strings.Contains(s.PlainFrame(), "OTHER ROWS") }

	s = open("demo", false, nav.Ladder)
	s.Want("filter: tenant")
	s.WantNot("quarantine")
	s.Press("3")
	if !strings.Contains(s.Line("STATE"), "ZONE ▾") && !strings.Contains(s.Line("STATE"), "ZONE ▼") || !wide(s) {
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
