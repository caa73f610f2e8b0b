package frame

import (
	"fmt"
	"slices"

	"rung/revision"
	"rung/ui/widget"
)

// planBadge is the plan under way or stopped, for the header of every page; empty
// without one. The short form says the same in fewer letters.
func (s *State) planBadge(short bool) widget.Line {
	p := s.Rev.Plan
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
	st := s.Styles
	switch {
	case p.State == revision.PlanStopped:
		return widget.Styled(what+" stopped", st.Error)
	case p.State == revision.PlanWaiting:
		return widget.Styled(what+form(" waiting", " waits"), st.Warn)
	case !p.Back:
		what += form(" running", " run")
	}
	if s.Load.Long(s.Now) && !short {
		what += " " + s.Spin.Sign()
	}
	return widget.Styled(what, st.Info)
}

// lesser is the drop of the least piece of the header that does not give way to the
// words of a plan's long badge.
const lesser = 4

// withPlan puts the plan's badge behind the first pieces of the header, where it is the
// last to go.
func (s *State) withPlan(ps []widget.Piece, w, behind int) widget.Line {
	const gap = 2
	if !s.Rev.Plan.Open() {
		return widget.Fit(ps, w, gap)
	}
	with := func(short bool) ([]widget.Piece, widget.Line, int) {
		badge, n := s.planBadge(short), 0
		all := slices.Insert(slices.Clone(ps), behind, widget.Piece{Line: badge, Drop: -1})
		for _, p := range widget.KeptPieces(all, w, gap) {
			if p.Drop <= lesser {
				n++
			}
		}
		return all, badge, n
	}
	all, badge, n := with(false)
	if short, _, more := with(true); more > n || badge.Width() > w {
		all = short
	}
	return widget.Fit(all, w, gap)
}
