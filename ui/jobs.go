package ui

import (
	"slices"
	"time"

	"rung/ui/widget"
)

// jobs is what is done outside the screen's goroutine.
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

// long is what has been under way for long enough to say so.
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
