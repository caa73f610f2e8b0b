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

// entry is a page on the way back, with its view and what belongs to it.
type entry struct {
	id     int
	page   nav.Page
	view   view.View
	filter string
	ctx    context.Context
	cancel context.CancelFunc
	synced syncKey
}

// front is the view that is looked at: the page's own, or another in its place.
func (e *entry) front() view.View {
	if s, ok := e.view.(view.Fronted); ok {
		if front := s.FrontView(); front != nil {
			return front
		}
	}
	return e.view
}

// scopes are where the keys of the page are looked up.
func (e *entry) scopes() []action.Scope {
	if s, ok := e.front().(view.Scoper); ok {
		return s.Scopes()
	}
	return []action.Scope{action.ScopeOf(e.page.Kind), action.List, action.Global}
}

// crumb names the page of an entry, brief where that is asked for and there is a
// shorter name.
func (e *entry) crumb(brief bool) string {
	if b, ok := e.view.(view.Briefer); ok && brief {
		return b.BriefCrumb()
	}
	if t, ok := e.view.(view.Titler); ok {
		return t.Crumb()
	}
	return e.page.Title()
}

// working is since when the page works on something of its own, zero while it does not.
func (e *entry) working() time.Time {
	if w, ok := e.view.(view.Worker); ok {
		return w.WorkingSince()
	}
	return time.Time{}
}

// trail is the way back and forward.
type trail struct {
	pages   []*entry // never empty
	forward []*entry
	lastID  int
}

// top is the page that is looked at.
func (t *trail) top() *entry {
	if len(t.pages) == 0 {
		return &entry{}
	}
	return t.pages[len(t.pages)-1]
}

// push puts a page on top, in the place of the one there where it replaces that.
func (t *trail) push(ctx context.Context, p nav.Page, v view.View, replace bool) *entry {
	if replace && len(t.pages) > 0 {
		t.drop(len(t.pages) - 1)
	}
	t.forget()
	if len(t.pages) >= maxStack {
		t.drop(1)
	}
	t.lastID++
	e := &entry{id: t.lastID, page: p, view: v}
	e.ctx, e.cancel = context.WithCancel(ctx)
	t.pages = append(t.pages, e)
	return e
}

// forget lets go of the pages that could be gone forward to.
func (t *trail) forget() {
	for _, e := range t.forward {
		e.cancel()
	}
	t.forward = nil
}

// leaveTop leaves the page on top for good, and what came after it.
func (t *trail) leaveTop() {
	t.forget()
	t.drop(len(t.pages) - 1)
}

func (t *trail) drop(i int) {
	t.pages[i].cancel()
	t.pages = append(t.pages[:i:i], t.pages[i+1:]...)
}

// remove lets go of a page that has done its work while another one is looked at: that
// one stays.
func (t *trail) remove(e *entry) {
	is := func(o *entry) bool { return o == e }
	if len(t.pages) > 1 {
		t.pages = slices.DeleteFunc(t.pages, is)
	}
	t.forward = slices.DeleteFunc(t.forward, is)
	if !slices.Contains(t.pages, e) {
		e.cancel()
	}
}

// cut goes back until n pages are left; the others can be gone forward to.
func (t *trail) cut(n int) {
	n = max(1, n)
	for len(t.pages) > n {
		t.forward = append(t.forward, t.top())
		t.pages = t.pages[:len(t.pages)-1]
	}
}

// ahead goes to the page that back came from.
func (t *trail) ahead() bool {
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
func (t *trail) byID(id int) *entry {
	for _, list := range [][]*entry{t.pages, t.forward} {
		for _, e := range list {
			if e.id == id {
				return e
			}
		}
	}
	return nil
}

// end leaves all pages, and ends what they still have running.
func (t *trail) end() {
	for _, e := range slices.Concat(t.pages, t.forward) {
		e.cancel()
	}
	t.pages, t.forward = nil, nil
}

// kept are the files with texts that are being edited.
func (t *trail) kept() []string {
	var out []string
	for _, e := range t.pages {
		if k, ok := e.view.(view.Keeper); ok {
			out = append(out, k.KeptFiles()...)
		}
	}
	return out
}
