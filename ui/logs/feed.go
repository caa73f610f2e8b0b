package logs

import (
	"sort"
	"time"

	"rung/engine/logs/entries"
	"rung/model/logquery"
)

// feed is the lines that match, as numbers. held are the entries themselves,
// without a gap; those of the index are looked up in it.
type feed struct {
	held  []*entries.Entry
	texts []string // of held, made when they are first looked at
	about []bool   // of held, whether the page is about it, filter or no

	scope func(*entries.Entry) bool // nil takes every line
	sure  bool                      // all that is held matches
	query logquery.Query
	// hidden is the newest line that was cleared away.
	hidden uint64

	// back are matches from before the search began, newest first; fwd those
	// that came since, oldest first. All lines from low to high were looked at.
	back, fwd []uint64
	low, high uint64

	groups groups
	tally  tally
}

// last is the number of the newest line held, base of the oldest.
func (f *feed) last() uint64 {
	if n := len(f.held); n > 0 {
		return f.held[n-1].Seq
	}
	return 0
}

func (f *feed) base() uint64 {
	if len(f.held) > 0 {
		return f.held[0].Seq
	}
	return 0
}

// floor is the oldest line to look at.
func (f *feed) floor() uint64 { return max(f.base(), f.hidden+1) }

func (f *feed) entry(seq uint64) *entries.Entry {
	i := seq - f.base()
	if len(f.held) == 0 || seq < f.base() || i >= uint64(len(f.held)) {
		return nil
	}
	return f.held[i]
}

func (f *feed) text(seq uint64) string {
	i := seq - f.base()
	if f.texts[i] == "" {
		f.texts[i] = f.held[i].Text()
	}
	return f.texts[i]
}

// pull takes what is new in the store and lets go what it let go.
func (f *feed) pull(l lines) {
	if l == nil {
		return
	}
	fresh := l.EntriesAfter(f.last(), 0)
	if len(fresh) > 0 && len(f.held) > 0 && fresh[0].Seq != f.last()+1 {
		f.held, f.texts, f.about = nil, nil, nil // the ring went round meanwhile
		f.restart()
	}
	if len(f.held) == 0 && len(fresh) > 0 {
		f.low, f.high = fresh[len(fresh)-1].Seq+1, fresh[len(fresh)-1].Seq
		f.back, f.fwd = nil, nil
	}
	f.held = append(f.held, fresh...)
	f.texts = append(f.texts, make([]string, len(fresh))...)
	f.about = append(f.about, make([]bool, len(fresh))...)
	if first := l.FirstNumber(); len(f.held) > 0 && first > f.base() {
		f.evict(first)
	}
}

// evict forgets what is older than first.
func (f *feed) evict(first uint64) {
	for f.len() > 0 && f.at(0) < first {
		f.groups.forget(f.entry(f.at(0)))
		f.tally.forget(f.entry(f.at(0)))
		if n := len(f.back); n > 0 {
			f.back = f.back[:n-1]
		} else {
			f.fwd = f.fwd[1:]
		}
	}
	n := int(min(first-f.base(), uint64(len(f.held))))
	clear(f.held[:n]) // for the collector: the slice keeps its array
	clear(f.texts[:n])
	f.held, f.texts, f.about = f.held[n:], f.texts[n:], f.about[n:]
	f.low, f.high = max(f.low, first), max(f.high, first-1)
}

// restart begins to look for matches anew, from the newest line back.
func (f *feed) restart() {
	f.back, f.fwd = nil, nil
	f.high = f.last()
	f.low = f.high + 1
	clear(f.about)
	f.groups.reset()
	f.tally.reset()
}

// narrow sets scope and query.
func (f *feed) narrow(q logquery.Query) {
	f.query = q
	f.restart()
}

// clear hides all lines there are.
func (f *feed) clear() {
	f.hidden = f.last()
	f.restart()
}

// pending says whether lines are left to look at.
func (f *feed) pending() bool { return f.high < f.last() || f.low > f.floor() }

// scan looks at lines for at most so long: first at new ones, then at older
// ones, newest first.
func (f *feed) scan(budget time.Duration) {
	start := time.Now()
	over := func(n int) bool { return n%64 == 63 && time.Since(start) > budget }
	n := 0
	for ; f.high < f.last(); n++ {
		f.high++
		if f.match(f.high) {
			f.fwd = append(f.fwd, f.high)
		}
		if over(n) {
			return
		}
	}
	for floor := f.floor(); f.low > floor && f.low > 1; n++ {
		f.low--
		if f.match(f.low) {
			f.back = append(f.back, f.low)
			f.groups.older(f.entry(f.low))
			f.tally.older(f.entry(f.low))
		}
		if over(n) {
			return
		}
	}
}

func (f *feed) match(seq uint64) bool {
	e := f.entry(seq)
	switch {
	case e == nil:
		return false
	case f.sure:
		f.about[seq-f.base()] = true
		return true
	case e.Gap == nil && f.scope != nil && !f.scope(e):
		return false
	}
	f.about[seq-f.base()] = true
	return e.Matches(&f.query, func() string { return f.text(seq) })
}

// lines is how many lines up to a number the page is about, whatever the filter shows.
func (f *feed) lines(upto uint64) (n int) {
	for i, yes := range f.about {
		if yes && f.base()+uint64(i) <= upto {
			n++
		}
	}
	return n
}

// len is how many lines match, at the i-th oldest of them.
func (f *feed) len() int { return len(f.back) + len(f.fwd) }

func (f *feed) at(i int) uint64 {
	if n := len(f.back); i < n {
		return f.back[n-1-i]
	}
	return f.fwd[i-len(f.back)]
}

// before counts the matches up to a number.
func (f *feed) before(seq uint64) int {
	return sort.Search(f.len(), func(i int) bool { return f.at(i) > seq })
}
