package logs

import (
	"sync"
	"unsafe"
)

// linesRoom is how many bytes the lines that are kept may take: where lines are long, fewer
// than the limit are. The heap grows by half as much again before it is collected, and the
// console is to stay below what docs/performance.md promises after a day.
const linesRoom = 14 << 20

// entryWindow is the newest entries, numbered without a gap: at most so many, and at most so many
// bytes of them.
type entryWindow struct {
	mu          sync.RWMutex
	ring        []keptEntry // entry with Seq s is at s % cap, once there
	limit       int
	room        int64  // in bytes, 0 for linesRoom
	oldest      uint64 // Seq of the oldest that is kept; one more than last when there is none
	newestSeq   uint64 // newest Seq given out
	bytesStored int64  // bytes of all entries that were ever stored
}

// keptEntry is an entry that was stored.
type keptEntry struct {
	*Entry
	before int64 // bytes of entries that were stored before this one
}

// entrySize returns about how many bytes an entry takes. Its words are parts of the raw line; a
// page makes as much again of it for a filter.
func entrySize(e *Entry) int64 {
	return lineSize(e.Line.Raw) + int64(len(e.Src.Addr)+len(e.Dst.Addr)) + int64(len(e.Among))*int64(unsafe.Sizeof(e.Rule))
}

func lineSize(raw string) int64 {
	return int64(unsafe.Sizeof(Entry{})+unsafe.Sizeof(int64(0))) + 2*int64(len(raw))
}

// storeEntry gives an entry its number; mu is held.
func (l *entryWindow) storeEntry(e *Entry) {
	l.newestSeq++
	e.Seq = l.newestSeq
	k := keptEntry{Entry: e, before: l.bytesStored}
	l.bytesStored += entrySize(e)
	if len(l.ring) < l.limit {
		l.ring = append(l.ring, k)
	} else {
		l.ring[l.slotOf(e.Seq)] = k
	}
	if l.oldest == 0 {
		l.oldest = e.Seq
	}
	for n := l.newestSeq - l.oldest + 1; n > uint64(l.limit) || n > 1 && l.bytesStored-l.bytesBefore(l.oldest) > l.maxBytes(); n-- {
		if n <= uint64(l.limit) { // else the new one is in its place
			l.ring[l.slotOf(l.oldest)] = keptEntry{}
		}
		l.oldest++
	}
}

func (l *entryWindow) maxBytes() int64 {
	if l.room > 0 {
		return l.room
	}
	return linesRoom
}

// bytesBefore is how many bytes of entries came before one that is kept.
func (l *entryWindow) bytesBefore(seq uint64) int64 {
	return l.ring[l.slotOf(seq)].before
}

// unreadAfter is how many lines and bytes are kept that came after a number.
func (l *entryWindow) unreadAfter(seq uint64) (lines uint64, bytes int64) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	seq = max(seq+1, l.firstNumber())
	if seq > l.newestSeq {
		return 0, 0
	}
	return l.newestSeq - seq + 1, l.bytesStored - l.bytesBefore(seq)
}

// slotOf is where the entry with that number lives.
func (l *entryWindow) slotOf(seq uint64) int { return int((seq - 1) % uint64(l.limit)) }

// EntriesAfter returns the entries after a number that are still kept, oldest first,
// at most max of them (0: all). When more are kept the oldest of them come.
func (l *entryWindow) EntriesAfter(seq uint64, max int) []*Entry {
	l.mu.RLock()
	defer l.mu.RUnlock()
	from := l.firstNumber()
	if seq >= from {
		from = seq + 1
	}
	if from > l.newestSeq {
		return nil
	}
	n := int(l.newestSeq - from + 1)
	if max > 0 && n > max {
		n = max
	}
	out := make([]*Entry, n)
	for i := range out {
		out[i] = l.ring[l.slotOf(from+uint64(i))].Entry
	}
	return out
}

func (l *entryWindow) firstNumber() uint64 { return max(l.oldest, 1) }

// FirstNumber is the number of the oldest entry kept; one more than LastNumber when there
// is none.
func (l *entryWindow) FirstNumber() uint64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.firstNumber()
}

// LastNumber is the number of the newest entry, 0 before the first.
func (l *entryWindow) LastNumber() uint64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.newestSeq
}
