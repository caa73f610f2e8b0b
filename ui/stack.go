package ui

import (
	"context"
	"slices"

	"rung/change"
	"rung/ui/nav"
	"rung/ui/preview"
	"rung/ui/view"
	"rung/ui/widget"
)

func (m *root) top() *entry {
	if len(m.stack) == 0 {
		return &entry{}
	}
	return m.stack[len(m.stack)-1]
}

// env is what the view of an entry sees now.
func (m *root) env(e *entry) *view.Env {
	w, h := m.body()
	return &view.Env{Console: m.console, Rev: m.rev, Now: m.now, Styles: m.styles, Keys: m.keys,
		StateDir: m.opt.StateDir, Setups: &m.setups, Page: e.page, W: w, H: h, Sign: m.sign()}
}

// sync brings the view up to date when anything it shows may have changed.
func (m *root) sync(e *entry) *view.Env {
	env := m.env(e)
	key := syncKey{m.rev, m.now.Unix(), m.styles, env.W, env.H}
	if e.synced != key {
		e.synced = key
		e.view.Sync(env)
	}
	return env
}

// open goes to a page. One that is already on the way back is gone back to, as it was
// left, and what was gone back from can be gone forward to.
func (m *root) open(p nav.Page, replace bool) {
	for i := len(m.stack) - 1; i >= 0; i-- {
		if !m.stack[i].page.Same(p) {
			continue
		}
		if replace && i < len(m.stack)-1 {
			m.leaveTop()
		}
		m.cut(i + 1)
		m.turn(m.stack[i], p)
		return
	}
	maker := makers[p.Kind]
	if maker == nil {
		m.say(view.ToastAsk{Text: "there is no page " + p.Title(), Bad: true})
		return
	}
	m.push(p, maker(p), replace)
}

// turn shows on a page that is there already what it is gone to for: another zone,
// another ACL. Without such a wish the page stays as it is.
func (m *root) turn(e *entry, p nav.Page) {
	if p.Text != "" && e.filter != p.Text {
		m.setFilter(e, p.Text)
	}
	if pt, ok := e.view.(view.Pointer); ok && p.Begins() {
		env := m.sync(e)
		pt.Point(env, p)
		m.asks(e, env)
	}
}

func (m *root) push(p nav.Page, v view.View, replace bool) {
	if replace && len(m.stack) > 0 {
		m.drop(len(m.stack) - 1)
	}
	m.forget()
	if len(m.stack) >= maxStack {
		m.drop(1)
	}
	m.nextID++
	e := &entry{id: m.nextID, page: p, view: v}
	e.ctx, e.cancel = context.WithCancel(m.ctx)
	m.stack = append(m.stack, e)
	m.filtering = false
	if p.Text != "" && p.Kind != nav.Preview {
		m.setFilter(e, p.Text)
	}
}

// forget lets go of the pages that could be gone forward to.
func (m *root) forget() {
	for _, e := range m.forward {
		e.cancel()
	}
	m.forward = nil
}

// leaveTop leaves the page on top for good, and what came after it.
func (m *root) leaveTop() {
	m.forget()
	m.filtering = false
	m.drop(len(m.stack) - 1)
}

func (m *root) drop(i int) {
	m.stack[i].cancel()
	m.stack = append(m.stack[:i:i], m.stack[i+1:]...)
}

// done lets go of a page that has done its work while another one is looked at: that
// one stays.
func (m *root) done(e *entry) {
	is := func(o *entry) bool { return o == e }
	if len(m.stack) > 1 {
		m.stack = slices.DeleteFunc(m.stack, is)
	}
	m.forward = slices.DeleteFunc(m.forward, is)
	if !slices.Contains(m.stack, e) {
		e.cancel()
	}
}

// cut goes back until n pages are left; the others can be gone forward to.
func (m *root) cut(n int) {
	n = max(1, n)
	for len(m.stack) > n {
		m.forward = append(m.forward, m.top())
		m.stack = m.stack[:len(m.stack)-1]
	}
	m.filtering = false
}

// back goes back one page; false on the first.
func (m *root) back() bool {
	if len(m.stack) <= 1 {
		return false
	}
	e := m.top()
	if l, ok := e.view.(view.Leaver); ok {
		env := m.env(e)
		leave := l.Leave(env)
		m.asks(e, env)
		if !leave {
			return true
		}
	}
	m.cut(len(m.stack) - 1)
	return true
}

// backTo goes back because a view asked for it: it is done, and the pages left are
// gone for good.
func (m *root) backTo(a view.BackAsk) {
	if len(m.stack) > 1 {
		m.leaveTop()
	}
	for len(m.stack) > 1 && a.Past.Name != "" && m.top().page.Key == a.Past {
		m.leaveTop()
	}
	m.take(m.console.Revision())
	e := m.top()
	if p, ok := e.view.(view.Pointer); ok && !a.To.None() {
		e.synced = syncKey{}
		env := m.sync(e)
		p.Point(env, a.To)
		m.asks(e, env)
	}
}

// ahead goes to the page that back came from.
func (m *root) ahead() bool {
	n := len(m.forward)
	if n == 0 {
		return false
	}
	m.stack = append(m.stack, m.forward[n-1])
	m.forward = m.forward[:n-1]
	return true
}

// preview opens the page of a change before it is made.
func (m *root) preview(mut change.Mutation) {
	m.push(nav.Page{Kind: nav.Preview, Key: mut.Policy, Priority: mut.Priority, Text: string(mut.Op)}, preview.New(mut), false)
}

// previewHistory opens the preview of an undo or a redo. The one that is on top gives way
// to the other; pressed again the key does nothing: the preview follows the history by
// itself.
func (m *root) previewHistory(op change.Op) {
	e := m.top()
	is := func(op change.Op) bool { return e.page.Kind == nav.Preview && e.page.Text == string(op) }
	if is(op) {
		return
	}
	if is(change.OpUndo) || is(change.OpRedo) {
		if !m.back() || m.top() == e {
			return // it is being written
		}
	}
	m.preview(change.Mutation{Op: op})
}

// entryByID finds a page that is still there, also one that can be gone forward
// to.
func (m *root) entryByID(id int) *entry {
	for _, list := range [][]*entry{m.stack, m.forward} {
		for _, e := range list {
			if e.id == id {
				return e
			}
		}
	}
	return nil
}

// setFilter gives a page a filter.
func (m *root) setFilter(e *entry, text string) {
	e.filter = text
	if f, ok := e.view.(view.Filterer); ok {
		m.sync(e)
		f.SetFilter(widget.ParseFilter(text))
	}
}
