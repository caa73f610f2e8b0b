package logs

import (
	"rung/engine/logs/entries"
	"sync"
	"unsafe"
)

// linesRoom is how many bytes the lines that are kept may take: where lines are long, fewer
// than the limit are. The heap grows by half as much again before it is collected, and the
// console is to stay below what docs/performance.md promises after a day.
const linesRoom = 14 << 20

// window is the newest entries, numbered without a gap: at most so many, and at most so many
// bytes of them.
type window struct {
	mu     sync.RWMutex
	ring   []kept // entry with Seq s is at s % cap, once there
	limit  int
	room   int64  // in bytes, 0 for linesRoom
	oldest uint64 // Seq of the oldest that is kept; one more than last when there is none
	last   uint64 // newest Seq given out
	given  int64  // bytes of all entries that were ever stored
}

// kept is an entry that was stored.
type kept struct {
	*entries.Entry
	upto int64 // bytes of entries that were stored up to this one
}

// size returns about how many bytes the entry takes. Its words are parts of the raw line; a
// page makes as much again of it for a filter.
func (e kept) size() int64 {
	return lineSize(e.Line.Raw) + int64(len(e.Src.Addr)+len(e.Dst.Addr)) + int64(len(e.Among))*int64(unsafe.Sizeof(e.Rule))
}

func lineSize(raw string) int64 {
	return int64(unsafe.Sizeof(entries.Entry{})+unsafe.Sizeof(int64(0))) + 2*int64(len(raw))
}

// store gives an entry its number; mu is held.
func (l *window) store(e *entries.Entry) {
	l.last++
	e.Seq = l.last
	k := kept{Entry: e}
	l.given += k.size()
	k.upto = l.given
	if len(l.ring) < l.limit {
		l.ring = append(l.ring, k)
	} else {
		l.ring[l.slot(e.Seq)] = k
	}
	if l.oldest == 0 {
		l.oldest = e.Seq
	}
	for n := l.last - l.oldest + 1; n > uint64(l.limit) || n > 1 && l.given-l.before(l.oldest) > l.most(); n-- {
		if n <= uint64(l.limit) { // else the new one is in its place
			l.ring[l.slot(l.oldest)] = kept{}
		}
		l.oldest++
	}
}

func (l *window) most() int64 {
	if l.room > 0 {
		return l.room
	}
	return linesRoom
}

// before is how many bytes of entries came before one that is kept.
func (l *window) before(seq uint64) int64 {
	e := l.ring[l.slot(seq)]
	return e.upto - e.size()
}

// unread is how many lines and bytes are kept that came after a number.
func (l *window) unread(seq uint64) (lines uint64, bytes int64) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	seq = max(seq+1, l.first())
	if seq > l.last {
		return 0, 0
	}
	return l.last - seq + 1, l.given - l.before(seq)
}

// forget lets all entries go; the next number is that of the first place of the ring. mu is
// held.
func (l *window) forget() {
	limit := uint64(l.limit)
	l.last = (l.last/limit + 1) * limit
	clear(l.ring)
	l.ring, l.oldest = l.ring[:0], l.last+1
}

// slot is where the entry with that number lives.
func (l *window) slot(seq uint64) int { return int((seq - 1) % uint64(l.limit)) }

// Since returns the entries after a number that are still kept, oldest first,
// at most max of them (0: all). When more are kept the oldest of them come.
func (l *window) Since(seq uint64, max int) []*entries.Entry {
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
	out := make([]*entries.Entry, n)
	for i := range out {
		out[i] = l.ring[l.slot(from+uint64(i))].Entry
	}
	return out
}

func (l *window) first() uint64 { return max(l.oldest, 1) }

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
