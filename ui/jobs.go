package ui

import (
	"slices"
	"time"

	"rung/ui/view"
	"rung/ui/widget"
)

// jobs are the pieces of work outside the screen's goroutine.
type jobs struct {
	running map[int]work // those that have a name
	last    int
	spinner widget.Spinner
}

// work is a job that has a name.
type work struct {
	what  string
	since time.Time
}

// begin notes that something is being done, until end. Work without a name is not shown.
func (j *jobs) begin(what string, now time.Time) int {
	j.last++
	if what != "" {
		if j.running == nil {
			j.running = map[int]work{}
		}
		j.running[j.last] = work{what, now}
	}
	return j.last
}

func (j *jobs) end(job int) { delete(j.running, job) }

// long returns the names of jobs that have been under way for long enough to show them.
func (j *jobs) long(now time.Time) (what []string) {
	for _, w := range j.running {
		if takesLong(w.since, now) {
			what = append(what, w.what)
		}
	}
	slices.Sort(what)
	return what
}

// sign is the spinner where something spins in this frame, else empty: a job, what is still
// being read (loads), or what the page on top works on since a moment.
func (j *jobs) sign(now time.Time, loads bool, working time.Time) string {
	if loads || takesLong(working, now) || len(j.long(now)) > 0 {
		return j.spinner.Sign()
	}
	return ""
}

// takesLong says whether something that began then takes long enough to say so.
func takesLong(since, now time.Time) bool {
	return !since.IsZero() && now.Sub(since) >= widget.SpinAfter
}

// liveTime is how often a page that lives on more than revisions is asked
// whether there is something new.
const liveTime = 100 * time.Millisecond

// Ticks: liveMsg of the clock of a live page, spinMsg of that of everything that spins.
type (
	liveMsg struct{}
	spinMsg struct{}
)

// arm starts the clocks that are needed while something is on top or worked on, and only
// then. The first tick of what spins comes when that is worth a sign.
func (m *root) arm() {
	if _, ok := m.top().view.(view.NewsWatcher); ok && !m.ticking {
		m.ticking = true
		m.later(m.after(liveTime, liveMsg{}))
	}
	if !m.spinning && (len(m.jobs.running) > 0 || m.load.IsUnderWay() || !m.top().working().IsZero()) {
		every := widget.SpinEvery
		if m.jobs.sign(m.now, m.load.IsLong(m.now), m.top().working()) == "" {
			every = widget.SpinAfter
		}
		m.spinning = true
		m.later(m.after(every, spinMsg{}))
	}
}

// lookForNews draws the page on top where it has something that no revision brings: lines
// ten times a second (counted false), counts with every second.
func (m *root) lookForNews(counted bool) {
	e, fresh := m.top(), false
	if c, ok := e.view.(view.Counter); ok && counted {
		fresh = c.HasNewCounts(m.env(e))
	} else if l, ok := e.view.(view.NewsWatcher); ok && !counted {
		fresh = l.HasNews(m.env(e))
	}
	if fresh {
		e.synced, m.dirty = syncKey{}, true
	}
}

// maxSettle bounds how often one message may lead from page to page.
const maxSettle = 8

// settle brings the page on top up to date and does what it asks for then, so
// that work it starts begins now and not with the next message.
func (m *root) settle() {
	for range maxSettle {
		e := m.top()
		env := m.sync(e)
		was := e.synced
		m.asks(e, env)
		if m.top() == e && e.synced == was {
			return
		}
	}
}
