package ui

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"rung/model"
	"rung/model/words"
	"rung/revision"
	"rung/ui/widget"
)

// BackgroundLoad is the loading work in the background: its name and progress.
type BackgroundLoad struct {
	revision          *revision.Revision
	beganAt           time.Time
	loadName, unit    string // empty unit: bytes
	doneAmount, total int64
}

// currentLoad returns the first load in progress: sources, then zones, then a plan. A failed source does not count
// as loading: it is retried indefinitely, and its state says why.
func currentLoad(r *revision.Revision) BackgroundLoad {
	for _, s := range r.Sources {
		if s.Conn != model.ConnStarting && s.Conn != model.ConnDialling {
			continue
		}
		l := BackgroundLoad{loadName: "reading " + widget.CutName(s.Name, 20), doneAmount: s.Read, total: s.Total}
		if n := len(s.Resources); n > 0 {
			l.unit, l.doneAmount, l.total = "resources", 0, int64(n)
			for _, res := range s.Resources {
				if res.Conn != model.ConnStarting && res.Conn != model.ConnDialling {
					l.doneAmount++
				}
			}
		}
		return l
	}
	failed := slices.ContainsFunc(r.Sources, func(s model.SourceState) bool { return s.Conn != model.ConnSynced })
	if !r.Loaded && !failed && len(r.Sources) > 0 {
		return BackgroundLoad{loadName: "checking policies"}
	}
	if read, all := zonesRead(r.Zones); read < all {
		return BackgroundLoad{loadName: "reading", unit: "zones", doneAmount: read, total: all}
	}
	if p := r.Plan; p != nil && p.State == revision.PlanRunning {
		return BackgroundLoad{loadName: "plan", unit: "steps", doneAmount: int64(p.Done), total: int64(p.Total)}
	}
	return BackgroundLoad{}
}

// zonesRead counts zones already read, and all zones read or about to be read.
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

// TakeRevision updates the load from a revision.
func (l *BackgroundLoad) TakeRevision(r *revision.Revision, now time.Time) {
	if l.revision == r {
		return
	}
	since := cmp.Or(l.beganAt, now)
	*l = currentLoad(r)
	l.revision = r
	if l.loadName != "" {
		l.beganAt = since
	}
}

// IsUnderWay reports whether something is still loading or running.
func (l *BackgroundLoad) IsUnderWay() bool { return !l.beganAt.IsZero() }

// IsLong reports whether the load runs long enough to be shown.
func (l *BackgroundLoad) IsLong(now time.Time) bool {
	return l.IsUnderWay() && now.Sub(l.beganAt) >= widget.SpinAfter
}

// loadBar is the greatest width of the progress bar.
const loadBar = 10

// LoadLine shows the loading source and its progress, at the right end of the breadcrumbs, if possible within
// room cells. "starting" shows from the first frame on, since the page is incomplete.
func (s *State) LoadLine(room int) widget.Line {
	st, l := s.Styles, s.Load
	switch {
	case !l.IsLong(s.Now):
		if s.Rev.Loaded {
			return nil
		}
		return widget.StyledLine("starting", st.Info)
	case l.unit == "steps":
		return nil // shown in the header, in detail on the page
	}
	what := widget.StyledLine(s.Spin.FrameSign()+" "+l.loadName, st.Info)
	if l.total == 0 {
		return what
	}
	done, total, of := l.doneAmount, l.total, l.unit
	if of == "" {
		unit, name := int64(1<<20), "MiB"
		if total < 10*unit {
			unit, name = 1<<10, "KiB"
		}
		done, total, of = done/unit, (total+unit-1)/unit, name
	}
	// The width is constant, so that the line does not jitter.
	all := words.Thousands(total)
	n := fmt.Sprintf(" %*s of %s %s", len(all), words.Thousands(done), all, of)
	if bar := room - what.LineWidth() - len(n) - 1; bar < -1 {
		what = widget.StyledLine(s.Spin.FrameSign(), st.Info) // the page's own text matters more
	} else if bar >= 4 {
		what = append(what.Add(" ", st.Text), widget.ProgressBar(st, st.Info, l.doneAmount, l.total, min(bar, loadBar))...)
	}
	return what.Add(n, st.Text)
}
