package logs

import (
	"rung/engine/logs/entries"
	"rung/model/words"
	"rung/ui/widget"
)

// shape is how the parts of a line stand side by side in a width, and how much of each
// is written. All lines of a screen have one shape.
type shape struct {
	clock               clock
	stamp               stamp
	dated               bool // with the date
	zone, traffic, pair int  // cells of the columns; a zone of 0 is left out
	by                  int  // cells for what became of it and who decided
	apart               int  // cells between the columns
	ends                int  // the form of the ends
	signs, short        bool
	widths              []int // of the columns that were chosen
}

// widths are the widest parts seen lately, so that columns do not dance while one
// follows.
type widths struct {
	zone, traffic, times int
	pair                 [endForms]int
	dated                bool
	by, short, named     int // "cluster-control egress 5", "cluster-control eg5", with the rule's own name
}

const (
	verdictWidth = 7 // "dropped"
	mostZone     = 18
	// A longer one is shortened by itself and takes no room from the other lines. On a
	// narrow screen words for who decided are worth more than the longest pair.
	mostPair, mostBy, narrowPair = 100, 48, 72
	// leastBy has room for a name of some length: "✗ cluster-control eg5".
	leastBy = 22
)

// inSight are the lines that are in sight, or nearly.
func (v *logPage) inSight(h int) (from, to int) {
	if at := v.cursor(); !v.follow && at >= 0 {
		return max(0, at-h), min(v.list.n, at+h)
	}
	return max(0, v.list.n-h), v.list.n
}

// look measures the lines that are in sight.
func (v *logPage) look(h int) {
	from, to := v.inSight(h)
	s := &v.seen
	for i := from; i < to; i++ {
		it := v.list.line(i)
		e := v.feed.entry(it.seq)
		if e == nil {
			continue
		}
		s.dated = s.dated || v.clock.otherDay(e.Line.At, v.now)
		if e.Gap != nil {
			continue
		}
		p := formsOf(e, v.page.Key)
		s.zone = max(s.zone, min(mostZone, widget.Width(e.Line.Zone)))
		s.traffic = max(s.traffic, len(e.Traffic()))
		for form, ends := range p.ends {
			s.pair[form] = max(s.pair[form], min(mostPair, widget.Width(ends[0])+arrow+widget.Width(ends[1])))
		}
		s.by = max(s.by, min(mostBy, widget.Width(spaced(p.who, p.rule))))
		s.short = max(s.short, min(mostBy, widget.Width(spaced(p.who, p.short))))
		s.named = max(s.named, min(mostBy, widget.Width(p.full())))
		s.times = max(s.times, timesOf(e, it).Width())
	}
}

// timesOf says that a line came late, and how often a group's came.
func timesOf(e *entries.Entry, it item) (l widget.Line) {
	if e.Late {
		l = widget.Plain("late ")
	}
	if it.n > 1 {
		l = append(l, widget.Plain("×"+words.Thousands(it.n)+" ")...)
	}
	return l
}

// shape fits the parts into w cells. What is worth least goes first: parts of a second,
// the rules' own names, the zone, what is known of addresses, a namespace that both ends
// share, words where a sign says it. Names are cut last.
func (v *logPage) shape(w int) shape {
	seen, in := &v.seen, w-2
	s := shape{clock: v.clock, stamp: v.clock.begin(), dated: seen.dated, zone: seen.zone, traffic: seen.traffic, apart: 2}
	by := seen.named
	need := func() int {
		s.by = by + seen.times + verdictWidth + 1 + len("by ")
		if s.signs {
			s.by = by + seen.times + 2
		}
		s.pair = min(seen.pair[s.ends], max(narrowPair, in-mostBy))
		n := s.by
		for _, part := range []int{s.stampWidth(), s.zone, s.pair, s.traffic} {
			if part > 0 {
				n += part + s.apart
			}
		}
		return n
	}
	for _, less := range []func(){
		func() { s.stamp = max(s.stamp, seconds) },
		func() { by = seen.by },
		func() { s.zone = 0 },
		func() { s.ends = brief },
		func() { s.ends = oneSpace },
		func() { s.signs = true },
		func() { s.short, by = true, seen.short },
		func() { s.apart = 1 },
	} {
		if need() <= in {
			break
		}
		less()
	}
	over := need() - in
	s.by -= min(0, over) // what is left is the rule's own name's
	if over <= 0 {
		return s
	}
	// Who decided is worth more than the ends in full, as long as these keep the pods' own
	// names.
	const leastPair = 23
	if s.pair-over < leastPair && s.stamp != none {
		over -= s.stampWidth() + s.apart
		s.stamp = none
	}
	if over <= 0 {
		s.by -= over
		return s
	}
	room := s.pair + s.by - over
	s.by = min(s.by, max(room*2/5, min(leastBy+seen.times, room-leastPair)))
	s.pair = max(5, room-s.by)
	return s
}
