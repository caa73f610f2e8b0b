package ui

import (
	"rung/change"
	"rung/ui/nav"
	"rung/ui/preview"
	"rung/ui/view"
	"rung/ui/widget"
)

// viewEnv returns the current environment for the view of an entry.
func (m *rootModel) viewEnv(e *trailEntry) *view.Env {
	w, h := m.pageSize()
	return &view.Env{Console: m.console, Rev: m.rev, Now: m.now, Styles: m.styles, Keys: m.keys,
		StateDir: m.opt.StateDir, LogSetup: &m.logSetup, Messages: &m.status.log, ReadInput: m.opt.ReadInput, Page: e.page, W: w, H: h,
		Sign: m.jobs.spinnerSign(m.now, m.load.IsLong(m.now), m.topEntry().workingSince())}
}

// syncEntry syncs the view if any of its inputs changed. A filter ends with the view that it was typed for: it
// must hide nothing of a preview that opens in front.
func (m *rootModel) syncEntry(e *trailEntry) *view.Env {
	env := m.viewEnv(e)
	if e.filter != "" && e.filtered != e.frontView() {
		if f, ok := e.filtered.(view.Filterer); ok {
			f.SetFilter(widget.LineFilter{})
		}
		e.filter = ""
	}
	key := syncKey{m.rev, m.now.Unix(), m.styles, env.W, env.H}
	if e.synced != key {
		e.synced = key
		e.failure = m.guardPage("preparing the page "+e.page.Title(), func() { e.view.Sync(env) })
	}
	return env
}

// openPage opens a page. If it is already open, openPage goes back to it and keeps its state; the pages above
// it stay available for going forward.
func (m *rootModel) openPage(p nav.Page, replace bool) {
	for i := len(m.pages) - 1; i >= 0; i-- {
		if !m.pages[i].page.IsSamePlace(p) {
			continue
		}
		if replace && i < len(m.pages)-1 {
			m.leaveTop()
		}
		m.cutTo(i + 1)
		e := m.topEntry()
		// A page opened for another zone or ACL shows that; otherwise it keeps its state.
		if p.Text != "" && e.filter != p.Text {
			m.setFilter(e, p.Text)
		}
		arrangeAs(m, e, p.View)
		if pt, ok := e.view.(view.Pointer); ok && p.HasBeginning() {
			m.withEnv(e, func(env *view.Env) { pt.PointTo(env, p) })
		}
		return
	}
	maker := viewMakers[p.Kind]
	if maker == nil {
		m.showToast(view.ToastAsk{Text: "there is no page " + p.Title(), Bad: true})
		return
	}
	m.pushPage(p, maker(p), replace)
}

func (m *rootModel) pushPage(p nav.Page, v view.View, replace bool) {
	e := m.pageTrail.pushEntry(m.ctx, p, v, replace)
	if p.Text != "" && p.Kind != nav.Preview {
		m.setFilter(e, p.Text)
	}
	arrangeAs(m, e, p.View)
}

// goBack goes back one page; false on the first.
func (m *rootModel) goBack() bool {
	if len(m.pages) <= 1 {
		return false
	}
	e := m.topEntry()
	if l, ok := e.frontView().(view.Leaver); ok {
		env := m.viewEnv(e)
		leave := l.CanLeave(env)
		m.handleAsks(e, env)
		if !leave {
			return true
		}
	}
	m.cutTo(len(m.pages) - 1)
	return true
}

// backTo goes back at the request of a view whose work is done. The pages left cannot be gone forward to.
func (m *rootModel) backTo(a view.BackAsk) {
	if len(m.pages) > 1 {
		m.leaveTop()
	}
	for len(m.pages) > 1 && a.Past.Name != "" && m.topEntry().page.Key == a.Past {
		m.leaveTop()
	}
	m.takeRevision(m.console.Revision())
	e := m.topEntry()
	if p, ok := e.view.(view.Pointer); ok && !a.To.IsNone() {
		e.synced = syncKey{}
		m.withEnv(e, func(env *view.Env) { p.PointTo(env, a.To) })
	}
}

// previewChange opens the preview of a change.
func (m *rootModel) previewChange(mut change.Mutation) {
	m.pushPage(nav.Page{Kind: nav.Preview, Key: mut.Policy, Priority: int32(mut.Priority), Text: string(mut.Op)}, preview.New(mut), false)
}

// previewHistory opens the preview of an undo or a redo, replacing one of the other kind. Pressed again the
// key does nothing: the preview follows the history by itself.
func (m *rootModel) previewHistory(op change.Op) {
	e := m.topEntry()
	is := func(op change.Op) bool { return e.page.Kind == nav.Preview && e.page.Text == string(op) }
	if is(op) {
		return
	}
	if (is(change.OpUndo) || is(change.OpRedo)) && (!m.goBack() || m.topEntry() == e) {
		return // a commit is running
	}
	m.previewChange(change.Mutation{Op: op})
}

// setFilter sets the filter of a page's visible view.
func (m *rootModel) setFilter(e *trailEntry, text string) {
	e.filter, e.filtered = text, e.frontView()
	if f, ok := e.filtered.(view.Filterer); ok {
		m.syncEntry(e)
		f.SetFilter(widget.ParseFilter(text))
	}
}
