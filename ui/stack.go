package ui

import (
	"rung/change"
	"rung/ui/nav"
	"rung/ui/preview"
	"rung/ui/view"
	"rung/ui/widget"
)

// env returns the environment that the view of an entry sees now.
func (m *root) env(e *entry) *view.Env {
	w, h := m.body()
	return &view.Env{Console: m.console, Rev: m.rev, Now: m.now, Styles: m.styles, Keys: m.keys,
		StateDir: m.opt.StateDir, Setups: &m.setups, Page: e.page, W: w, H: h, Sign: m.jobs.sign(m.now, m.load.IsLong(m.now), m.top().working())}
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
	for i := len(m.pages) - 1; i >= 0; i-- {
		if !m.pages[i].page.Same(p) {
			continue
		}
		if replace && i < len(m.pages)-1 {
			m.leaveTop()
		}
		m.cut(i + 1)
		e := m.top()
		// It shows what it is gone to for: another zone, another ACL. Without such a
		// wish it stays as it is.
		if p.Text != "" && e.filter != p.Text {
			m.setFilter(e, p.Text)
		}
		if pt, ok := e.view.(view.Pointer); ok && p.Begins() {
			m.with(e, func(env *view.Env) { pt.PointTo(env, p) })
		}
		return
	}
	maker := makers[p.Kind]
	if maker == nil {
		m.say(view.ToastAsk{Text: "there is no page " + p.Title(), Bad: true})
		return
	}
	m.push(p, maker(p), replace)
}

func (m *root) push(p nav.Page, v view.View, replace bool) {
	if e := m.trail.push(m.ctx, p, v, replace); p.Text != "" && p.Kind != nav.Preview {
		m.setFilter(e, p.Text)
	}
}

// back goes back one page; false on the first.
func (m *root) back() bool {
	if len(m.pages) <= 1 {
		return false
	}
	e := m.top()
	if l, ok := e.front().(view.Leaver); ok {
		env := m.env(e)
		leave := l.CanLeave(env)
		m.asks(e, env)
		if !leave {
			return true
		}
	}
	m.cut(len(m.pages) - 1)
	return true
}

// backTo goes back because a view asked for it: it is done, and the pages left are
// gone for good.
func (m *root) backTo(a view.BackAsk) {
	if len(m.pages) > 1 {
		m.leaveTop()
	}
	for len(m.pages) > 1 && a.Past.Name != "" && m.top().page.Key == a.Past {
		m.leaveTop()
	}
	m.take(m.console.Revision())
	e := m.top()
	if p, ok := e.view.(view.Pointer); ok && !a.To.None() {
		e.synced = syncKey{}
		m.with(e, func(env *view.Env) { p.PointTo(env, a.To) })
	}
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

// setFilter gives a page a filter.
func (m *root) setFilter(e *entry, text string) {
	e.filter = text
	if f, ok := e.view.(view.Filterer); ok {
		m.sync(e)
		f.SetFilter(widget.ParseFilter(text))
	}
}
