package ui

import (
	"fmt"
	"slices"
	"strings"

	"rung/revision"
	"rung/ui/widget"
)

// planBadge is the plan under way or stopped, for the header of every page; empty
// without one. The short form says the same in fewer letters.
func (m *root) planBadge(short bool) widget.Line {
	p := m.rev.Plan
	if !p.Open() {
		return nil
	}
	n, of := p.Progress()
	form := func(long, brief string) string {
		if short {
			return brief
		}
		return long
	}
	what := "plan "
	if p.Back {
		what = form("plan rolling back ", "plan back ")
	}
	what += fmt.Sprintf("%d/%d", n, of)
	st := m.styles
	switch {
	case p.State == revision.PlanStopped:
		return widget.Styled(what+" stopped", st.Error)
	case p.State == revision.PlanWaiting:
		return widget.Styled(what+form(" waiting", " waits"), st.Warn)
	case !p.Back:
		what += form(" running", " run")
	}
	if m.long(m.loadSince) && !short {
		what += " " + m.spinner.Sign()
	}
	return widget.Styled(what, st.Info)
}

// lesser is the drop of the least piece of the header that does not give way to the
// words of a plan's long badge.
const lesser = 4

// withPlan puts the plan's badge behind the first pieces of the header, where it is the
// last to go, and notes where it stands: a click there leads to the plan.
func (m *root) withPlan(ps []piece, w, behind int) widget.Line {
	const gap = 2
	m.planFrom, m.planTo = 0, 0
	if !m.rev.Plan.Open() {
		return fit(ps, w, gap)
	}
	with := func(short bool) ([]piece, widget.Line, int) {
		badge, n := m.planBadge(short), 0
		all := slices.Insert(slices.Clone(ps), behind, piece{badge, -1})
		for _, p := range kept(all, w, gap) {
			if p.drop <= lesser {
				n++
			}
		}
		return all, badge, n
	}
	all, badge, n := with(false)
	if short, b, more := with(true); more > n || badge.Width() > w {
		all, badge = short, b
	}
	l := fit(all, w, gap)
	if before, _, ok := strings.Cut(l.String(), badge.String()); ok {
		m.planFrom = widget.Width(before)
		m.planTo = m.planFrom + badge.Width()
	}
	return l
}
