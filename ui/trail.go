package ui

import (
	"context"
	"slices"
	"time"

	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/view"
)

// maxStack bounds the way back.
const maxStack = 50

// trailEntry is a page on the way back, with its view and what belongs to it.
type trailEntry struct {
	id     int
	page   nav.Page
	view   view.View
	filter string
	ctx    context.Context
	cancel context.CancelFunc
	synced syncKey
	// failure is the internal error that the page ended with, empty for none.
	failure string
}

// frontView is the view that is looked at: the page's own, or another in its place.
func (e *trailEntry) frontView() view.View {
	if s, ok := e.view.(view.Fronted); ok {
		if front := s.FrontView(); front != nil {
			return front
		}
	}
	return e.view
}

// keyScopes are where the keys of the page are looked up.
func (e *trailEntry) keyScopes() []action.Scope {
	if s, ok := e.frontView().(view.Scoper); ok {
		return s.Scopes()
	}
	return []action.Scope{action.ScopeOf(e.page.Kind), action.List, action.Global}
}

// crumbText names the page of an entry, brief where that is asked for and there is a
// shorter name.
func (e *trailEntry) crumbText(brief bool) string {
	if b, ok := e.view.(view.Briefer); ok && brief {
		return b.BriefCrumb()
	}
	if t, ok := e.view.(view.Titler); ok {
		return t.Crumb()
	}
	return e.page.Title()
}

// workingSince is since when the page works on something of its own, zero while it does not.
func (e *trailEntry) workingSince() time.Time {
	if w, ok := e.view.(view.Worker); ok {
		return w.WorkingSince()
	}
	return time.Time{}
}

// pageTrail is the way back and forward.
type pageTrail struct {
	pages   []*trailEntry // never empty
	forward []*trailEntry
	lastID  int
}

// topEntry is the page that is looked at.
func (t *pageTrail) topEntry() *trailEntry {
	if len(t.pages) == 0 {
		return &trailEntry{}
	}
	return t.pages[len(t.pages)-1]
}

// pushEntry puts a page on top, in the place of the one there where it replaces that.
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

// forgetForward lets go of the pages that could be gone forward to.
func (t *pageTrail) forgetForward() {
	for _, e := range t.forward {
		e.cancel()
	}
	t.forward = nil
}

// leaveTop leaves the page on top for good, and what came after it.
func (t *pageTrail) leaveTop() {
	t.forgetForward()
	t.dropEntry(len(t.pages) - 1)
}

func (t *pageTrail) dropEntry(i int) {
	t.pages[i].cancel()
	t.pages = append(t.pages[:i:i], t.pages[i+1:]...)
}

// removeEntry lets go of a page that has done its work while another one is looked at: that
// one stays.
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

// goForward goes to the page that back came from.
func (t *pageTrail) goForward() bool {
	n := len(t.forward)
	if n == 0 {
		return false
	}
	t.pages = append(t.pages, t.forward[n-1])
	t.forward = t.forward[:n-1]
	return true
}

// byID finds a page that is still there, also one that can be gone forward
// to.
func (t *pageTrail) byID(id int) *trailEntry {
	for _, list := range [][]*trailEntry{t.pages, t.forward} {
		for _, e := range list {
			if e.id == id {
				return e
			}
		}
	}
	return nil
}

// endAll leaves all pages, and ends what they still have running.
func (t *pageTrail) endAll() {
	for _, e := range slices.Concat(t.pages, t.forward) {
		e.cancel()
	}
	t.pages, t.forward = nil, nil
}

// keptFiles are the files with texts that are being edited.
func (t *pageTrail) keptFiles() []string {
	var out []string
	for _, e := range t.pages {
		if k, ok := e.view.(view.Keeper); ok {
			out = append(out, k.KeptFiles()...)
		}
	}
	return out
}
