package logs

import (
	"slices"
	"time"

	"rung/engine/logs"
	"rung/model/logline"
)

// lineFeed finds the matching lines, as numbers. held are the entries, without gaps between their numbers.
type lineFeed struct {
	held    []*logs.Entry
	texts   []string // of held, made on first use
	isAbout []bool   // of held: within the page's scope, whatever the filter

	scope func(*logs.Entry) bool // nil accepts every line
	query logline.Query
	// hidden is the newest line cleared by the user.
	hidden uint64

	matches   []uint64 // oldest first, among the scanned lines from low to high
	low, high uint64

	groups lineGroups
	tally  matchTally
}

// lastHeld returns the number of the newest line held, 0 if none.
func (f *lineFeed) lastHeld() uint64 {
	if n := len(f.held); n > 0 {
		return f.held[n-1].Seq
	}
	return 0
}

func (f *lineFeed) firstHeld() uint64 {
	if len(f.held) > 0 {
		return f.held[0].Seq
	}
	return 0
}

// oldestToScan returns the oldest line to scan.
func (f *lineFeed) oldestToScan() uint64 { return max(f.firstHeld(), f.hidden+1) }

func (f *lineFeed) findEntry(seq uint64) *logs.Entry {
	i := seq - f.firstHeld()
	if len(f.held) == 0 || seq < f.firstHeld() || i >= uint64(len(f.held)) {
		return nil
	}
	return f.held[i]
}

func (f *lineFeed) entryText(seq uint64) string {
	i := seq - f.firstHeld()
	if f.texts[i] == "" {
		f.texts[i] = f.held[i].Text()
	}
	return f.texts[i]
}

// lineSource provides the entries of a page.
type lineSource interface {
	EntriesAfter(seq uint64, most int) []*logs.Entry
	FirstNumber() uint64
	LastNumber() uint64
}

// pullNew takes new entries from the store and drops those the store dropped.
func (f *lineFeed) pullNew(l lineSource) {
	if l == nil {
		return
	}
	fresh := l.EntriesAfter(f.lastHeld(), 0)
	if len(fresh) > 0 && len(f.held) > 0 && fresh[0].Seq != f.lastHeld()+1 {
		f.held, f.texts, f.isAbout = nil, nil, nil // the ring overran our lines
		f.restartScan()
	}
	if len(f.held) == 0 && len(fresh) > 0 {
		f.low, f.high = fresh[len(fresh)-1].Seq+1, fresh[len(fresh)-1].Seq
		f.matches = nil
	}
	f.held = append(f.held, fresh...)
	f.texts = append(f.texts, make([]string, len(fresh))...)
	f.isAbout = append(f.isAbout, make([]bool, len(fresh))...)
	if first := l.FirstNumber(); len(f.held) > 0 && first > f.firstHeld() {
		f.evictBefore(first)
	}
}

// evictBefore drops lines older than first.
func (f *lineFeed) evictBefore(first uint64) {
	for len(f.matches) > 0 && f.matches[0] < first {
		f.countEntry(f.findEntry(f.matches[0]), -1)
		f.matches = f.matches[1:]
	}
	n := int(min(first-f.firstHeld(), uint64(len(f.held))))
	clear(f.held[:n]) // for the garbage collector: the slice keeps its array
	clear(f.texts[:n])
	f.held, f.texts, f.isAbout = f.held[n:], f.texts[n:], f.isAbout[n:]
	f.low, f.high = max(f.low, first), max(f.high, first-1)
}

// restartScan scans for matches again, from the newest line back.
func (f *lineFeed) restartScan() {
	f.matches = nil
	f.high = f.lastHeld()
	f.low = f.high + 1
	clear(f.isAbout)
	f.groups.reset()
	f.tally.reset()
}

// countEntry counts (d 1) or uncounts (d -1) a match.
func (f *lineFeed) countEntry(e *logs.Entry, d int) {
	f.groups.addEntry(e, d)
	f.tally.addEntry(e, d)
}

// setScope sets the query and scans again.
func (f *lineFeed) setScope(q logline.Query) {
	f.query = q
	f.restartScan()
}

// hideAll hides all present lines.
func (f *lineFeed) hideAll() {
	f.hidden = f.lastHeld()
	f.restartScan()
}

// isPending reports whether lines are left to scan.
func (f *lineFeed) isPending() bool { return f.high < f.lastHeld() || f.low > f.oldestToScan() }

// scanLines scans lines within a time budget: first new ones, then older ones, newest first.
func (f *lineFeed) scanLines(budget time.Duration) {
	start := time.Now()
	over := func(n int) bool { return n%64 == 63 && time.Since(start) > budget }
	n := 0
	for ; f.high < f.lastHeld(); n++ {
		f.high++
		if f.isMatch(f.high) {
			f.matches = append(f.matches, f.high)
		}
		if over(n) {
			return
		}
	}
	var older []uint64
	for floor := f.oldestToScan(); f.low > floor && f.low > 1; n++ {
		f.low--
		if f.isMatch(f.low) {
			older = append(older, f.low)
			f.countEntry(f.findEntry(f.low), 1)
		}
		if over(n) {
			break
		}
	}
	if len(older) > 0 {
		slices.Reverse(older)
		f.matches = append(older, f.matches...)
	}
}

func (f *lineFeed) isMatch(seq uint64) bool {
	e := f.findEntry(seq)
	switch {
	case e == nil:
		return false
	case e.Gap == nil && f.scope != nil && !f.scope(e):
		return false
	}
	f.isAbout[seq-f.firstHeld()] = true
	return e.Matches(&f.query, func() string { return f.entryText(seq) })
}

// countLines counts the lines in scope up to a number, whatever the filter.
func (f *lineFeed) countLines(upto uint64) (n int) {
	for i, yes := range f.isAbout {
		if yes && f.firstHeld()+uint64(i) <= upto {
			n++
		}
	}
	return n
}

// matchesBefore counts the matches up to and including a number.
func (f *lineFeed) matchesBefore(seq uint64) int {
	i, isMatch := slices.BinarySearch(f.matches, seq)
	if isMatch {
		i++
	}
	return i
}
