package frame

import (
	"fmt"
	"rung/model"
	"rung/revision"
	"rung/ui/widget"
	"slices"
	"strconv"
	"time"
)

// BackgroundLoad is the work in the background: its name, and how much of it is done.
type BackgroundLoad struct {
	of          *revision.Revision
	since       time.Time
	what, unit  string // unit "" counts bytes
	done, total int64
}

// loadOf looks at sources first, then at zones, then at a plan. A source that failed does not
// count as being read: it is tried again for as long as it takes, and its state says why.
func loadOf(r *revision.Revision) BackgroundLoad {
	for _, s := range r.Sources {
		if s.Conn != model.ConnStarting && s.Conn != model.ConnDialling {
			continue
		}
		l := BackgroundLoad{what: "reading " + widget.CutName(s.Name, 20), done: s.Read, total: s.Total}
		if n := len(s.Resources); n > 0 {
			l.unit, l.done, l.total = "resources", 0, int64(n)
			for _, res := range s.Resources {
				if res.Conn != model.ConnStarting && res.Conn != model.ConnDialling {
					l.done++
				}
			}
		}
		return l
	}
	failed := slices.ContainsFunc(r.Sources, func(s model.SourceState) bool { return s.Conn != model.ConnSynced })
	if !r.Loaded && !failed && len(r.Sources) > 0 {
		return BackgroundLoad{what: "checking policies"}
	}
	if read, all := zonesRead(r.Zones); read < all {
		return BackgroundLoad{what: "reading", unit: "zones", done: read, total: all}
	}
	if p := r.Plan; p != nil && p.State == revision.PlanRunning {
		return BackgroundLoad{what: "plan", unit: "steps", done: int64(p.Done), total: int64(p.Total)}
	}
	return BackgroundLoad{}
}

// zonesRead counts the zones that were read, and these with those that are about to be.
func zonesRead(zones []*model.ZoneState) (read, all int64) {
	for _, z := range zones {
		switch {
		case z.IsCurrent() || z.Conn == model.ConnSwept:
			read++
			all++
		case (z.Conn == model.ConnStarting || z.Conn == model.ConnDialling) && z.Error == "" && z.Attempts == 0:
			all++
		}
	}
	return read, all
}

// TakeRevision takes in what is still being read of a revision.
func (l *BackgroundLoad) TakeRevision(r *revision.Revision, now time.Time) {
	if l.of == r {
		return
	}
	since := l.since
	*l = loadOf(r)
	l.of, l.since = r, since
	switch {
	case l.what == "":
		l.since = time.Time{}
	case l.since.IsZero():
		l.since = now
	}
}

// IsUnderWay says whether something is still being read or run.
func (l *BackgroundLoad) IsUnderWay() bool { return !l.since.IsZero() }

// IsLong says whether that takes long enough to say so.
func (l *BackgroundLoad) IsLong(now time.Time) bool {
	return l.IsUnderWay() && now.Sub(l.since) >= widget.SpinAfter
}

// loadBar is how wide the bar is where there is room.
const loadBar = 10

// LoadLine says at the right end of the breadcrumbs what is being read and how far that
// is, in so many cells if it can. That something is missing on the page is said from the
// start.
func (s *State) LoadLine(room int) widget.Line {
	st, l := s.Styles, s.Load
	switch {
	case !l.IsLong(s.Now):
		if s.Rev.Loaded {
			return nil
		}
		return widget.StyledLine("starting", st.Info)
	case l.unit == "steps":
		return nil // the header says it, and the page more
	}
	what := widget.StyledLine(s.Spin.FrameSign()+" "+l.what, st.Info)
	if l.total == 0 {
		return what
	}
	done, total, of := l.done, l.total, l.unit
	if of == "" {
		unit, name := int64(1<<20), "MiB"
		if total < 10*unit {
			unit, name = 1<<10, "KiB"
		}
		done, total, of = done/unit, (total+unit-1)/unit, name
	}
	// As wide whatever is done: the line does not run to and fro.
	n := fmt.Sprintf(" %*d of %d %s", len(strconv.FormatInt(total, 10)), done, total, of)
	if bar := room - what.LineWidth() - len(n) - 1; bar < -1 {
		what = widget.StyledLine(s.Spin.FrameSign(), st.Info) // what the page tells goes first
	} else if bar >= 4 {
		what = append(what.Add(" ", st.Text), widget.ProgressBar(st, st.Info, l.done, l.total, min(bar, loadBar))...)
	}
	return what.Add(n, st.Text)
}
