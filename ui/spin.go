package ui

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"rung/model"
	"rung/revision"
	"rung/ui/view"
	"rung/ui/widget"
)

// work is something that is done outside the screen's goroutine.
type work struct {
	what  string
	since time.Time
}

// works notes that something is being done, until its number is deleted from working.
// Work without a name is not shown.
func (m *root) works(what string) (job int) {
	m.nextJob++
	if m.working == nil {
		m.working = map[int]work{}
	}
	if what != "" {
		m.working[m.nextJob] = work{what, m.now}
	}
	return m.nextJob
}

// long says whether something that began then takes long enough to say so.
func (m *root) long(since time.Time) bool {
	return !since.IsZero() && m.now.Sub(since) >= widget.SpinAfter
}

// under is what has been under way for long enough to say so.
func (m *root) under() (what []string) {
	for _, w := range m.working {
		if m.long(w.since) {
			what = append(what, w.what)
		}
	}
	slices.Sort(what)
	return what
}

// load is what is read or run in the background, and how far it is.
type load struct {
	of          *revision.Revision
	what, unit  string // unit "" counts bytes
	done, total int64
}

// loadOf looks at sources first, then at zones, then at a plan. What failed is not
// being read: it is tried again for as long as it takes, and its state says why.
func loadOf(r *revision.Revision) load {
	for _, s := range r.Sources {
		if s.Conn != model.ConnStarting && s.Conn != model.ConnDialling {
			continue
		}
		l := load{what: "reading " + widget.CutName(s.Name, 20), done: s.Read, total: s.Total}
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
		return load{what: "checking policies"}
	}
	if read, all := zonesRead(r.Zones); read < all {
		return load{what: "reading", unit: "zones", done: read, total: all}
	}
	if p := r.Plan; p != nil && p.State == revision.PlanRunning {
		return load{what: "plan", unit: "steps", done: int64(p.Done), total: int64(p.Total)}
	}
	return load{}
}

// zonesRead counts the zones that were read, and these with those that are about to be.
func zonesRead(zones []*model.ZoneState) (read, all int64) {
	for _, z := range zones {
		switch {
		case z.Current() || z.Conn == model.ConnSwept:
			read++
			all++
		case (z.Conn == model.ConnStarting || z.Conn == model.ConnDialling) && z.Error == "" && z.Attempts == 0:
			all++
		}
	}
	return read, all
}

// loading takes in what is still being read.
func (m *root) loading() {
	if m.load.of == m.rev {
		return
	}
	m.load = loadOf(m.rev)
	m.load.of = m.rev
	switch {
	case m.load.what == "":
		m.loadSince = time.Time{}
	case m.loadSince.IsZero():
		m.loadSince = m.now
	}
}

// loadBar is how wide the bar is where there is room.
const loadBar = 10

// loadLine says at the right end of the breadcrumbs what is being read and how far that
// is, in so many cells if it can. That something is missing on the page is said from the
// start.
func (m *root) loadLine(room int) widget.Line {
	st, l := m.styles, m.load
	switch {
	case !m.long(m.loadSince):
		if m.rev.Loaded {
			return nil
		}
		return widget.Styled("starting", st.Info)
	case l.unit == "steps":
		return nil // the header says it, and the page more
	}
	what := widget.Styled(m.spinner.Sign()+" "+l.what, st.Info)
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
	if bar := room - what.Width() - len(n) - 1; bar < -1 {
		what = widget.Styled(m.spinner.Sign(), st.Info) // what the page tells goes first
	} else if bar >= 4 {
		what = append(what.Add(" ", st.Text), widget.Bar(st, st.Info, l.done, l.total, min(bar, loadBar))...)
	}
	return what.Add(n, st.Text)
}

// sign is the spinner where something spins in this frame, else empty.
func (m *root) sign() string {
	if m.long(m.loadSince) || m.long(m.busy()) || len(m.under()) > 0 {
		return m.spinner.Sign()
	}
	return ""
}

// busy is since when the page on top works on something of its own.
func (m *root) busy() time.Time {
	if w, ok := m.top().view.(view.Worker); ok {
		return w.Working()
	}
	return time.Time{}
}

// spinMsg is a tick of the clock of everything that spins.
type spinMsg struct{}

// spin keeps that clock running while something is worked on, and only then. The first
// tick comes when that is worth a sign.
func (m *root) spin() {
	if m.spinning || len(m.working) == 0 && m.loadSince.IsZero() && m.busy().IsZero() {
		return
	}
	every := widget.SpinEvery
	if m.sign() == "" {
		every = widget.SpinAfter
	}
	m.spinning = true
	m.later(m.after(every, spinMsg{}))
}

// spinOn goes on by a frame.
func (m *root) spinOn() {
	m.spinning, m.dirty = false, m.sign() != ""
	if m.dirty {
		m.spinner.Step()
	}
	if !m.busy().IsZero() {
		m.top().synced = syncKey{}
	}
}
