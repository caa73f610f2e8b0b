package kube

import (
	"hash/maphash"
	"time"

	"rung/model/words"
)

// seenMost bounds the remembered lines: a second of a log without a meter. seenFew are kept of a quiet log.
const (
	seenMost = 1 << 14
	seenFew  = 256
	// steppedBack is how much older than the newest a line must be to show that the clock was set back. A line
	// of the container's other stream is only a little late.
	steppedBack = 10 * time.Second
)

// seenLines remembers the newest lines of a log, so that a log read again from the second of its last line
// repeats none. Several lines can share a time, and equal lines one too: they are counted. Times need not grow
// from line to line, since a runtime mixes standard output and error.
type seenLines struct {
	seed        maphash.Seed
	count       map[seenLine]int // occurrences kept
	metAgain    map[seenLine]int // of these, occurrences in the present stream
	order       []seenLine
	forgetAfter int // number kept before some are dropped
	newest      time.Time
	floor       int64 // a resumed log repeats lines up to this time
	started     bool
}

type seenLine struct {
	at   int64 // Unix nanoseconds
	text uint64
}

func (s *seenLines) reset() { *s = seenLines{} }

// newestTime returns the time of the newest line, zero before the first.
func (s *seenLines) newestTime() time.Time { return s.newest }

// isKnown reports whether a line was already seen, and counts it. replay means no new line came yet.
func (s *seenLines) isKnown(at time.Time, text []byte, replay bool) bool {
	if !s.started {
		return false
	}
	k := seenLine{at.UnixNano(), maphash.Bytes(s.seed, text)}
	if replay && k.at <= s.floor {
		return true
	}
	if s.metAgain[k] < s.count[k] {
		s.metAgain[k]++
		return true
	}
	return false
}

// addLine remembers a delivered line.
func (s *seenLines) addLine(at time.Time, text []byte) {
	if !s.started {
		*s = seenLines{seed: maphash.MakeSeed(), count: map[seenLine]int{}, metAgain: map[seenLine]int{}, forgetAfter: seenFew,
			started: true}
	}
	k := seenLine{at.UnixNano(), maphash.Bytes(s.seed, text)}
	s.count[k]++
	s.metAgain[k]++ // this stream has passed it
	s.order = append(s.order, k)
	switch {
	case at.After(s.newest):
		s.newest = at
	case s.newest.Sub(at) > steppedBack:
		// The node's clock was set back. A log since the old time would be empty until the clock is there again.
		s.newest, s.floor = at, min(s.floor, at.UnixNano())
	}
	if len(s.order) >= s.forgetAfter {
		s.dropOld()
	}
}

// dropOld drops lines that no resumed log repeats, and the older half if too many are left.
func (s *seenLines) dropOld() {
	from := s.newest.Truncate(time.Second).UnixNano()
	keep := s.order[:0]
	drop := words.Choose(len(s.order) >= seenMost, seenMost/2, 0)
	for i, k := range s.order {
		if i >= drop && k.at >= from {
			keep = append(keep, k)
			continue
		}
		s.floor = max(s.floor, k.at)
		s.count[k]--
		if s.count[k] <= 0 {
			delete(s.count, k)
			delete(s.metAgain, k)
		} else {
			s.metAgain[k] = min(s.metAgain[k], s.count[k])
		}
	}
	s.order = keep
	s.forgetAfter = min(max(seenFew, 2*len(keep)), seenMost)
	if s.forgetAfter <= len(keep) {
		s.forgetAfter = len(keep) + 1
	}
}
