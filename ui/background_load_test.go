package ui_test

import (
	"strings"
	"testing"
	"time"

	"rung/model"
	"rung/revision"
	"rung/test/uitest"
	"rung/ui"
	"rung/ui/nav"
	"rung/ui/widget"
)

// What is read for the first time, and a plan that runs, are on every page with how far
// they are, once they take long enough to say so.
func TestLoading(t *testing.T) {
	resources := make([]model.SourceResource, 9)
	for i := range resources {
		resources[i].Conn = model.ConnDialling
		if i < 5 {
			resources[i].Conn = model.ConnSynced
		}
	}
	for _, c := range []struct {
		name   string
		page   nav.PageKind
		change func(*revision.Facts)
		want   string // after a while
		first  string // what is said at once, empty for nothing
	}{
		{"files", nav.Ladder, func(p *revision.Facts) {
			p.Loaded, p.Sources = false, []model.SourceState{{Name: "files", Conn: model.ConnStarting, Read: 12 << 20, Total: 30<<20 + 1}}
		}, "⣾ reading files ███░░░░░░░ 12 of 31 MiB   ", "starting   "},
		{"a small file", nav.Ladder, func(p *revision.Facts) {
			p.Loaded, p.Sources = false, []model.SourceState{{Name: "files", Conn: model.ConnStarting, Read: 700 << 10, Total: 3423 << 10}}
		}, "⣾ reading files ██░░░░░░░░   700 of 3,423 KiB   ", "starting   "},
		{"files of unknown size", nav.Zones, func(p *revision.Facts) {
			p.Loaded, p.Sources = false, []model.SourceState{{Name: "files", Conn: model.ConnStarting}}
		}, "⣾ reading files   ", "starting   "},
		{"policies", nav.Ladder, func(p *revision.Facts) {
			p.Loaded, p.Sources = false, []model.SourceState{{Name: "files", Conn: model.ConnSynced}}
		}, "⣾ checking policies   ", "starting   "},
		{"cluster", nav.Ladder, func(p *revision.Facts) {
			p.Loaded, p.Sources = false, []model.SourceState{{Name: "prod-eu", Conn: model.ConnDialling, Resources: resources}}
		}, "⣾ reading prod-eu █████░░░░░ 5 of 9 resources   ", "starting   "},
		{"zones", nav.Ladder, func(p *revision.Facts) {
			p.Zones[0].Conn, p.Zones[2].Conn = model.ConnStarting, model.ConnDialling
		}, "⣾ reading ███░░░░░░░ 1 of 3 zones   ", ""},
		{"plan", nav.Activity, func(p *revision.Facts) {
			p.Plan = &revision.PlanState{Total: 8, Done: 3, State: revision.PlanRunning, Runner: revision.PlanRunner{PID: 1, IsOwn: true}}
		}, "  plan 3/8 running ⣾  ", "  plan 3/8 running  "},
		{"zones where the page tells much", nav.Rows, func(p *revision.Facts) {
			p.Zones[1].Conn = model.ConnStarting
		}, "⣾ reading ██░░ 2 of 3 zones   zone ", ""},
		{"plan on its page", nav.Plan, func(p *revision.Facts) {
			p.Plan = &revision.PlanState{Total: 8, Done: 3, State: revision.PlanRunning, Runner: revision.PlanRunner{PID: 1, IsOwn: true}}
		}, " ⣾ running  3 of 8 done  ██████░░░░░░░░░░", " ◐ running"},
		{"a plan that waits", nav.Ladder, func(p *revision.Facts) {
			p.Plan = &revision.PlanState{Total: 8, Done: 3, State: revision.PlanWaiting}
		}, "", ""},
		{"a zone that is lost", nav.Ladder, func(p *revision.Facts) { p.Zones[1].Conn = model.ConnLost }, "", ""},
		{"a cluster that is lost", nav.Ladder, func(p *revision.Facts) {
			p.Sources = []model.SourceState{{Name: "prod-eu", Conn: model.ConnLost}}
		}, "", ""},
		{"a cluster that never answered", nav.Ladder, func(p *revision.Facts) {
			p.Loaded, p.Sources = false, []model.SourceState{{Name: "files", Conn: model.ConnSynced}, {Name: "dead", Conn: model.ConnLost, Error: "connection refused"}}
		}, "starting   ", "starting   "},
		{"zones that refuse", nav.Ladder, func(p *revision.Facts) {
			p.Zones[0].Conn, p.Zones[0].Attempts = model.ConnDialling, 3
			p.Zones[2].Conn, p.Zones[2].Error = model.ConnStarting, "connection refused"
		}, "", ""},
		{"one zone of three refuses", nav.Ladder, func(p *revision.Facts) {
			p.Zones[0].Conn, p.Zones[0].Attempts, p.Zones[2].Conn = model.ConnDialling, 3, model.ConnDialling
		}, "⣾ reading █████░░░░░ 1 of 2 zones   ", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := uitest.DemoFacts(t)
			c.change(p)
			f := uitest.NewFake(p)
			s := uitest.OpenWith(t, f, ui.Options{Page: nav.NewPage(c.page)})
			f.Advance(widget.SpinAfter - time.Millisecond)
			s.Refresh()
			if c.first != "" {
				s.Want(c.first)
			}
			s.WantNot("⣾", "reading ███", "checking policies", "3 of 8 steps")
			f.Advance(time.Millisecond)
			s.Refresh()
			if c.want == "" {
				s.WantNot("⣾", "starting  ")
				return
			}
			s.Want(c.want)
			if c.want == c.first {
				s.WantNot("⣾")
			}
			s.ResizeAll()
			switch c.name {
			case "cluster":
				s.Golden("loading")
			case "zones where the page tells much":
				s.Resize(80, 24)
				s.Want("⣾ 2 of 3 zones   zone ")
			}
			// When it is over nothing is left of it.
			done := uitest.DemoFacts(t)
			done.Number = p.Number + 1
			f.Set(done)
			s.Refresh()
			s.WantNot("⣾", "starting  ", "reading files", "reading prod", "reading ███", "3 of 8 steps")
			if strings.Contains(s.PlainFrame(), "░") {
				t.Errorf("a bar is left:\n%s", s.PlainFrame())
			}
		})
	}
}

// With ascii every sign of it is plain.
func TestLoadingPlainly(t *testing.T) {
	p := uitest.DemoFacts(t)
	p.Zones[0].Conn = model.ConnStarting
	f := uitest.NewFake(p)
	s := uitest.OpenWith(t, f, ui.Options{Config: ui.Config{ASCII: true}})
	f.Advance(time.Second)
	s.Refresh()
	s.Want("| reading ||||||.... 2 of 3 zones")
}
