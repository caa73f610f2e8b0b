package kube

import (
	"hash/maphash"
	"time"
)

// seenMost bounds the lines that are remembered: a second of a log that no meter
// holds back. seenFew are kept of a quiet one.
const (
	seenMost = 1 << 14
	seenFew  = 256
	// steppedBack is how much older than the newest a line is that cannot be one of
	// another stream of the container, a little late.
	steppedBack = 10 * time.Second
)

// seenLines are the newest lines of a log, so that a log which is read again from
// the second of its last line repeats none. Several lines can share a time, and
// equal lines one too: they are counted. Times need not grow from line to line:
// a runtime writes standard output and error side by side.
type seenLines struct {
	seed        maphash.Seed
	count       map[seenLine]int // times kept
	metAgain    map[seenLine]int // of these, met by the stream that stands
	order       []seenLine
	forgetAfter int // how many are kept before some are forgotten
	newest      time.Time
	floor       int64 // a log that is read again repeats lines up to here
	started     bool
}

type seenLine struct {
	at   int64 // Unix nanoseconds
	text uint64
}

func (s *seenLines) reset() { *s = seenLines{} }

// newestTime is the time of the newest line, zero before the first.
func (s *seenLines) newestTime() time.Time { return s.newest }

// isKnown says whether a line that comes is one that is known, and counts it. replay
// says that no new line came yet.
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

// addLine remembers a line that was handed on.
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
		// The node's clock was set back. A log that is asked for since the old time
		// would have nothing to say until that comes again.
		s.newest, s.floor = at, min(s.floor, at.UnixNano())
	}
	if len(s.order) >= s.forgetAfter {
		s.dropOld()
	}
}

// dropOld drops what no resumed log repeats, and half of the rest where that is
// too much.
func (s *seenLines) dropOld() {
	from := s.newest.Truncate(time.Second).UnixNano()
	keep := s.order[:0]
	drop := 0
	if len(s.order) >= seenMost {
		drop = seenMost / 2
	}
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
