package ui

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"rung/model"
	"rung/revision"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/view"
)

// shownConsole shows one revision.
type shownConsole struct {
	Console
	rev *revision.Revision
}

func (c *shownConsole) Revision() *revision.Revision         { return c.rev }
func (c *shownConsole) Subscribe() (<-chan struct{}, func()) { return nil, func() {} }
func (c *shownConsole) Now() time.Time                       { return time.Unix(0, 0) }

// failingView fails in one of its methods.
type failingView struct {
	view.View
	sync, draw bool
}

func (v *failingView) SelectedPage() nav.Page       { return nav.Page{} }
func (v *failingView) Do(*view.Env, action.ID) bool { return false }

func (v *failingView) Sync(*view.Env) {
	if v.sync {
		panic("no such row")
	}
}

func (v *failingView) Render(*view.Env, int, int) string {
	if v.draw {
		panic("no such row")
	}
	return "all rows"
}

// TestPageThatFails: an internal error of a page is what the page shows, and the console goes on.
func TestPageThatFails(t *testing.T) {
	for _, v := range []*failingView{{sync: true}, {draw: true}, {}} {
		dir := t.TempDir()
		rev := revision.New(revision.Facts{Number: 1, Cluster: &model.Cluster{}}, nil)
		m := newRoot(t.Context(), &shownConsole{rev: rev}, Options{StateDir: dir, Themes: themes.BuiltinThemes(), Page: nav.NewPage(nav.Ladder)})
		t.Cleanup(m.session.endSession)
		m.topEntry().view = v
		m.Update(tea.WindowSizeMsg{Width: 100, Height: 20})
		for range 2 {
			m.topEntry().synced, m.topEntry().failure = syncKey{}, ""
			m.dirty = true
			_ = m.View()
		}
		fails := v.sync || v.draw
		if m.crash != "" || strings.Contains(m.frame, "This page cannot be shown: internal error while") != fails {
			t.Errorf("%+v: ended with %q, frame\n%s", v, m.crash, m.frame)
		}
		if reports, _ := os.ReadDir(dir); (len(reports) == 1) != fails {
			t.Errorf("%+v: %d reports", v, len(reports))
		}
	}
}

// brokenClock fails while rows that differ are explained.
type brokenClock struct{ shownConsole }

func (c *brokenClock) Now() time.Time { panic("no such time") }

// TestPreparationThatFails: an internal error while a revision is prepared is reported, and the revision shown.
func TestPreparationThatFails(t *testing.T) {
	rev := revision.New(revision.Facts{Number: 1, Cluster: &model.Cluster{}}, nil)
	c := &brokenClock{shownConsole{rev: rev}}
	var failed []string
	report := func(doing string, what any) { failed = append(failed, fmt.Sprint(doing, ": ", what)) }
	prepared := PreparedRevision(c, report)
	pacer := FindingsPacer{Report: report}
	paced := pacer.prepareNewest(t.Context(), c)
	pacer.endWork()
	if prepared != rev || paced != rev {
		t.Errorf("%p and %p are shown, want %p", prepared, paced, rev)
	}
	if len(failed) < 2 || strings.Count(strings.Join(failed, "\n"), "explaining rows that differ: no such time") != len(failed) {
		t.Errorf("reported: %q", failed)
	}
}
