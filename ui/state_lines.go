package ui

import (
	"fmt"
	"strings"
	"time"

	"rung/model"
	"rung/model/words"
	"rung/revision"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/widget"
)

// State holds the facts that the lines around a page show in one frame.
type State struct {
	Styles *themes.StyleSet
	Keys   *action.Keymap
	Rev    *revision.Revision
	Now    time.Time
	Counts *HeaderCounts
	Load   *BackgroundLoad
	Spin   *widget.WorkSpinner
	// Switches: other contexts can be opened
	Switches bool
}

// CrumbsLine joins the names of the pages in at most w cells, with brief for the last if its name does not
// fit. The first names are dropped first; the last is cut in its middle, and last of all.
func (s *State) CrumbsLine(names []string, brief string, w int) widget.Line {
	last := len(names) - 1
	for first := range names {
		if l := s.joinCrumbs(names, first); l.LineWidth() <= w {
			return l
		}
	}
	names[last] = brief
	for _, first := range []int{0, last} {
		if l := s.joinCrumbs(names, first); l.LineWidth() <= w {
			return l
		}
	}
	return widget.StyledLine(" "+widget.CutName(names[last], w-1), s.Styles.Title)
}

// joinCrumbs joins the names from index first on. A name that starts with the whole previous name loses that
// prefix.
func (s *State) joinCrumbs(names []string, first int) widget.Line {
	st := s.Styles
	l := widget.StyledLine(" ", st.Text)
	l = l.AddIf(first > 0, "… › ", st.Dim)
	for i, name := range names[first:] {
		style := words.Choose(first+i == len(names)-1, st.Title, st.Dim)
		if i > 0 {
			l = l.Add(" › ", st.Dim)
			name = strings.TrimPrefix(name, names[first+i-1]+" ")
		}
		l = l.Add(name, style)
	}
	return l
}

// TroubleLine returns the error of the first unreadable source, nil if all are readable. It stays below the
// page until the source is read again, since the page is out of date or incomplete.
func (s *State) TroubleLine() widget.Line {
	st := s.Styles
	for _, src := range s.Rev.Sources {
		if src.Conn != model.ConnLost && src.Conn != model.ConnDenied {
			continue
		}
		l := widget.Line{{Text: " " + words.Failed + " " + src.Name + ": ", Style: st.Error}}
		switch {
		case src.Conn == model.ConnDenied:
			l = l.Add("no permission", st.Error)
		case src.ReadAt.IsZero():
			l = l.Add("never read", st.Error)
		default:
			l = l.Add(fmt.Sprintf("lost %s ago, last state shown", words.Age(s.Now.Sub(src.At))), st.Error)
		}
		l = l.AddIf(src.Error != "", " · "+src.Error, st.Text)
		if key := s.Keys.ActionByID(action.GoContexts).HintKey(); key != "" && s.Switches {
			l = l.Add(" · "+key+" other contexts", st.Dim)
		}
		return l
	}
	return nil
}

// FilterLine counts the lines that match the filter of a page, and shows the filter if w cells have room.
func (s *State) FilterLine(filter string, shown, all, w int) widget.Line {
	st := s.Styles
	if filter == "" {
		return widget.StyledLine(words.Count(all, "line"), st.Dim)
	}
	const label, apart, least = "filter: ", "  ", 8
	counts := words.Thousands(shown) + " of " + words.Thousands(all) + " match"
	room := w - len(label) - len(apart) - len(counts)
	if room < min(least, widget.TextWidth(filter)) {
		return widget.StyledLine(counts, st.Key)
	}
	return widget.StyledLine(label+widget.CutName(filter, room), st.Key).Add(apart+counts, st.Dim)
}

// planBadge shows the running or stopped plan in the header of every page, in fewer letters if short; nil
// without one.
func (s *State) planBadge(short bool) widget.Line {
	p := s.Rev.Plan
	if !p.IsOpen() {
		return nil
	}
	n, of := p.StepsDoneAndTotal()
	form := func(long, brief string) string { return words.Choose(short, brief, long) }
	what := "plan "
	if p.RollingBack {
		what = form("plan rolling back ", "plan back ")
	}
	what += fmt.Sprintf("%s/%s", words.Thousands(n), words.Thousands(of))
	st := s.Styles
	switch {
	case p.State == revision.PlanStopped:
		return widget.StyledLine(what+" stopped", st.Error)
	case p.State == revision.PlanWaiting:
		return widget.StyledLine(what+form(" waiting", " waits"), st.Warn)
	case p.Stopping:
		what += " stopping"
	case !p.RollingBack:
		what += form(" running", " run")
	}
	if s.Load.IsLong(s.Now) && !short {
		what += " " + s.Spin.FrameSign()
	}
	return widget.StyledLine(what, st.Info)
}
