package logs

// Recent is how far back a Window goes, in its units.
const Recent = 15

// Window counts lines by a unit of time since 1970, seconds or minutes, over the newest Recent units. Its zero
// value is empty.
type Window struct {
	newest int64         // newest unit with a line
	n      [Recent]int32 // of unit u at u % Recent
}

// Add counts d lines in a unit, and returns the unit's total. A unit before the window counts nothing.
func (w *Window) Add(unit int64, d int) int {
	for u := max(w.newest+1, unit-Recent+1); u <= unit; u++ {
		w.n[u%Recent] = 0
	}
	w.newest = max(w.newest, unit)
	if unit <= w.newest-Recent || unit < 0 {
		return 0
	}
	w.n[unit%Recent] += int32(d)
	return int(w.n[unit%Recent])
}

// LinesAt returns the number of lines in a unit.
func (w *Window) LinesAt(unit int64) int {
	if unit < 0 || unit > w.newest || unit <= w.newest-Recent {
		return 0
	}
	return int(w.n[unit%Recent])
}

// RecentSeconds holds the number of lines in each of the last ten seconds; the last is the running second.
type RecentSeconds [10]int

// Rate returns the number of lines in the last full second.
func (s RecentSeconds) Rate() int { return s[len(s)-2] }

// LastSeconds returns the counts of the ten seconds up to now, in a window of seconds.
func (w *Window) LastSeconds(now int64) (s RecentSeconds) {
	for i := range s {
		s[i] = w.LinesAt(now - int64(len(s)-1-i))
	}
	return s
}
