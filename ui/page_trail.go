package ui

import (
	"context"
	"slices"
	"time"

	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/view"
)

// maxStack bounds the open pages.
const maxStack = 50

// trailEntry is an open page with its view and state.
type trailEntry struct {
	id     int
	page   nav.Page
	view   view.View
	filter string
	// filtered is the view with the filter: the page's own, or one in front of it.
	filtered view.View
	ctx      context.Context
	cancel   context.CancelFunc
	synced   syncKey
	// failure is the internal error that ended the page, empty if none.
	failure string
}

// frontView returns the visible view: the page's own, or one in front of it.
func (e *trailEntry) frontView() view.View {
	if s, ok := e.view.(view.Fronted); ok {
		if front := s.FrontView(); front != nil {
			return front
		}
	}
	return e.view
}

// keyScopes returns the scopes in which the page's keys are looked up.
func (e *trailEntry) keyScopes() []action.Scope {
	if s, ok := e.frontView().(view.Scoper); ok {
		return s.Scopes()
	}
	return []action.Scope{action.PageScope(e.page.Kind), action.List, action.Global}
}

// crumbText names the page of an entry, by its brief name if asked for and available.
func (e *trailEntry) crumbText(brief bool) string {
	if b, ok := e.view.(view.Briefer); ok && brief {
		return b.BriefCrumb()
	}
	if t, ok := e.view.(view.Titler); ok {
		return t.Crumb()
	}
	return e.page.Title()
}

// workingSince returns when the page began work of its own, zero if it does none.
func (e *trailEntry) workingSince() time.Time {
	if w, ok := e.view.(view.Worker); ok {
		return w.WorkingSince()
	}
	return time.Time{}
}

// pageTrail holds the pages to go back and forward to.
type pageTrail struct {
	pages   []*trailEntry // never empty
	forward []*trailEntry
	lastID  int
}

// topEntry returns the visible page.
func (t *pageTrail) topEntry() *trailEntry {
	if len(t.pages) == 0 {
		return &trailEntry{}
	}
	return t.pages[len(t.pages)-1]
}

// pushEntry puts a page on top, or replaces the top one.
func (t *pageTrail) pushEntry(ctx context.Context, p nav.Page, v view.View, replace bool) *trailEntry {
	if replace && len(t.pages) > 0 {
		t.dropEntry(len(t.pages) - 1)
	}
	t.forgetForward()
	if len(t.pages) >= maxStack {
		t.dropEntry(1)
	}
	t.lastID++
	e := &trailEntry{id: t.lastID, page: p, view: v}
	e.ctx, e.cancel = context.WithCancel(ctx)
	t.pages = append(t.pages, e)
	return e
}

// forgetForward closes the pages that could be gone forward to.
func (t *pageTrail) forgetForward() {
	for _, e := range t.forward {
		e.cancel()
	}
	t.forward = nil
}

// leaveTop closes the top page and the pages to go forward to.
func (t *pageTrail) leaveTop() {
	t.forgetForward()
	t.dropEntry(len(t.pages) - 1)
}

func (t *pageTrail) dropEntry(i int) {
	t.pages[i].cancel()
	t.pages = append(t.pages[:i:i], t.pages[i+1:]...)
}

// removeEntry closes a page that finished its work while another is visible, which stays.
func (t *pageTrail) removeEntry(e *trailEntry) {
	is := func(o *trailEntry) bool { return o == e }
	if len(t.pages) > 1 {
		t.pages = slices.DeleteFunc(t.pages, is)
	}
	t.forward = slices.DeleteFunc(t.forward, is)
	if !slices.Contains(t.pages, e) {
		e.cancel()
	}
}

// cutTo goes back until n pages are left; the others can be gone forward to.
func (t *pageTrail) cutTo(n int) {
	n = max(1, n)
	for len(t.pages) > n {
		t.forward = append(t.forward, t.topEntry())
		t.pages = t.pages[:len(t.pages)-1]
	}
}

// goForward returns to the page left by going back; false if none.
func (t *pageTrail) goForward() bool {
	n := len(t.forward)
	if n == 0 {
		return false
	}
	t.pages = append(t.pages, t.forward[n-1])
	t.forward = t.forward[:n-1]
	return true
}

// byID finds an open page, also one to go forward to; nil if closed.
func (t *pageTrail) byID(id int) *trailEntry {
	for _, e := range slices.Concat(t.pages, t.forward) {
		if e.id == id {
			return e
		}
	}
	return nil
}

// endAll closes all pages and ends their work.
func (t *pageTrail) endAll() {
	for _, e := range slices.Concat(t.pages, t.forward) {
		e.cancel()
	}
	t.pages, t.forward = nil, nil
}

// keptFiles returns the files with texts being edited.
func (t *pageTrail) keptFiles() []string {
	var out []string
	for _, e := range t.pages {
		if k, ok := e.view.(view.Keeper); ok {
			out = append(out, k.KeptFiles()...)
		}
	}
	return out
}
