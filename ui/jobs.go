package ui

import (
	"slices"
	"time"

	"rung/ui/view"
	"rung/ui/widget"
)

// jobList holds work outside the screen's goroutine.
type jobList struct {
	running map[int]namedJob // jobs with a name
	last    int
	spinner widget.WorkSpinner
}

// namedJob is a job that has a name.
type namedJob struct {
	name    string
	beganAt time.Time
}

// beginJob registers work until endJob. Work without a name is not shown.
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

// longJobs returns the names of jobs that run long enough to be shown.
func (j *jobList) longJobs(now time.Time) (what []string) {
	for _, w := range j.running {
		if takesLong(w.beganAt, now) {
			what = append(what, w.name)
		}
	}
	slices.Sort(what)
	return what
}

// spinnerSign returns the spinner's frame while something runs long: a job, loading (loads), or the top page's
// own work; else empty.
func (j *jobList) spinnerSign(now time.Time, loads bool, working time.Time) string {
	if loads || takesLong(working, now) || len(j.longJobs(now)) > 0 {
		return j.spinner.FrameSign()
	}
	return ""
}

// takesLong reports whether work begun at since runs long enough to be shown.
func takesLong(since, now time.Time) bool {
	return !since.IsZero() && now.Sub(since) >= widget.SpinAfter
}

// liveTime is how often a page that changes without a new revision is asked for news.
const liveTime = 100 * time.Millisecond

// Ticks: liveMsg for a live page, spinMsg for spinners.
type (
	liveMsg struct{}
	spinMsg struct{}
)

// armClocks starts the clocks needed by the top page and by running work. The first spinner tick comes when
// the work is long enough to be shown.
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

// lookForNews redraws the top page if it has news that no revision brings: lines ten times a second (counted
// false), counts every second.
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

// maxSettle bounds how often one message may lead to another page.
const maxSettle = 8

// settlePage syncs the top page and carries out its requests, so that work it starts begins now, not with the
// next message.
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
