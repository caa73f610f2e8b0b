package logs

import "sync"

// window is the newest entries, numbered without a gap.
type window struct {
	mu    sync.RWMutex
	ring  []*Entry // entry with Seq s is at s % cap, once there
	limit int
	last  uint64 // newest Seq given out
}

// store gives an entry its number; mu is held.
func (l *window) store(e *Entry) {
	l.last++
	e.Seq = l.last
	if len(l.ring) < l.limit {
		l.ring = append(l.ring, e)
	} else {
		l.ring[l.slot(e.Seq)] = e
	}
}

// slot is where the entry with that number lives.
func (l *window) slot(seq uint64) int { return int((seq - 1) % uint64(l.limit)) }

// Since returns the entries after a number that are still kept, oldest first,
// at most max of them (0: all). When more are kept the oldest of them come.
func (l *window) Since(seq uint64, max int) []*Entry {
	l.mu.RLock()
	defer l.mu.RUnlock()
	from := l.first()
	if seq >= from {
		from = seq + 1
	}
	if from > l.last {
		return nil
	}
	n := int(l.last - from + 1)
	if max > 0 && n > max {
		n = max
	}
	out := make([]*Entry, n)
	for i := range out {
		out[i] = l.ring[l.slot(from+uint64(i))]
	}
	return out
}

func (l *window) first() uint64 { return l.last - uint64(len(l.ring)) + 1 }

// First is the number of the oldest entry kept; one more than Last when there
// is none.
func (l *window) First() uint64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.first()
}

// Last is the number of the newest entry, 0 before the first.
func (l *window) Last() uint64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.last
}
