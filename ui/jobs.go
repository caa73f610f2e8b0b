package ui

import (
	"slices"
	"time"

	"rung/ui/view"
	"rung/ui/widget"
)

// jobList are the pieces of work outside the screen's goroutine.
type jobList struct {
	running map[int]namedJob // those that have a name
	last    int
	spinner widget.WorkSpinner
}

// namedJob is a job that has a name.
type namedJob struct {
	name    string
	beganAt time.Time
}

// beginJob notes that something is being done, until endJob. Work without a name is not shown.
func (j *jobList) beginJob(what string, now time.Time) int {
	j.last++
	if what != "" {
		if j.running == nil {
			j.running = map[int]namedJob{}
		}
		j.running[j.last] = namedJob{what, now}
	}
	return j.last
}

func (j *jobList) endJob(job int) { delete(j.running, job) }

// longJobs returns the names of jobs that have been under way for long enough to show them.
func (j *jobList) longJobs(now time.Time) (what []string) {
	for _, w := range j.running {
		if takesLong(w.beganAt, now) {
			what = append(what, w.name)
		}
	}
	slices.Sort(what)
	return what
}

// spinnerSign is the spinner where something spins in this frame, else empty: a job, what is still
// being read (loads), or what the page on top works on since a moment.
func (j *jobList) spinnerSign(now time.Time, loads bool, working time.Time) string {
	if loads || takesLong(working, now) || len(j.longJobs(now)) > 0 {
		return j.spinner.FrameSign()
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

// armClocks starts the clocks that are needed while something is on top or worked on, and only
// then. The first tick of what spins comes when that is worth a sign.
func (m *rootModel) armClocks() {
	if _, ok := m.topEntry().view.(view.NewsWatcher); ok && !m.ticking {
		m.ticking = true
		m.addCommand(m.addAfter(liveTime, liveMsg{}))
	}
	if !m.spinning && (len(m.jobs.running) > 0 || m.load.IsUnderWay() || !m.topEntry().workingSince().IsZero()) {
		every := widget.SpinEvery
		if m.jobs.spinnerSign(m.now, m.load.IsLong(m.now), m.topEntry().workingSince()) == "" {
			every = widget.SpinAfter
		}
		m.spinning = true
		m.addCommand(m.addAfter(every, spinMsg{}))
	}
}

// lookForNews draws the page on top where it has something that no revision brings: lines
// ten times a second (counted false), counts with every second.
func (m *rootModel) lookForNews(counted bool) {
	e, fresh := m.topEntry(), false
	if c, ok := e.view.(view.Counter); ok && counted {
		fresh = c.HasNewCounts(m.viewEnv(e))
	} else if l, ok := e.view.(view.NewsWatcher); ok && !counted {
		fresh = l.HasNews(m.viewEnv(e))
	}
	if fresh {
		e.synced, m.dirty = syncKey{}, true
	}
}

// maxSettle bounds how often one message may lead from page to page.
const maxSettle = 8

// settlePage brings the page on top up to date and does what it asks for then, so
// that work it starts begins now and not with the next message.
func (m *rootModel) settlePage() {
	for range maxSettle {
		e := m.topEntry()
		env := m.syncEntry(e)
		was := e.synced
		m.handleAsks(e, env)
		if m.topEntry() == e && e.synced == was {
			return
		}
	}
}
