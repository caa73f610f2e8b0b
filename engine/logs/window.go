package logs

import (
	"cmp"
	"slices"
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
	kept        []keptEntry // oldest first
	limit       int
	room        int64  // in bytes, 0 for linesRoom
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
	l.kept = append(l.kept, keptEntry{e, l.bytesStored})
	l.bytesStored += entrySize(e)
	for len(l.kept) > l.limit || len(l.kept) > 1 && l.bytesStored-l.kept[0].before > l.maxBytes() {
		l.kept[0] = keptEntry{} // for the collector: the slice keeps its array
		l.kept = l.kept[1:]
	}
}

func (l *entryWindow) maxBytes() int64 { return cmp.Or(l.room, linesRoom) }

// entriesAfter returns the entries after a number; mu is held.
func (l *entryWindow) entriesAfter(seq uint64) []keptEntry {
	oldest := l.newestSeq - uint64(len(l.kept)) + 1
	return l.kept[min(max(seq+1, oldest)-oldest, uint64(len(l.kept))):]
}

// unreadAfter is how many lines and bytes are kept that came after a number.
func (l *entryWindow) unreadAfter(seq uint64) (lines uint64, bytes int64) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	unread := l.entriesAfter(seq)
	if len(unread) == 0 {
		return 0, 0
	}
	return uint64(len(unread)), l.bytesStored - unread[0].before
}

// EntriesAfter returns the entries after a number that are still kept, oldest first,
// at most max of them (0: all). When more are kept the oldest of them come.
func (l *entryWindow) EntriesAfter(seq uint64, max int) []*Entry {
	l.mu.RLock()
	defer l.mu.RUnlock()
	found := l.entriesAfter(seq)
	if max > 0 && len(found) > max {
		found = found[:max]
	}
	out := slices.Grow([]*Entry(nil), len(found))
	for _, k := range found {
		out = append(out, k.Entry)
	}
	return out
}

// FirstNumber is the number of the oldest entry kept; one more than LastNumber when there
// is none.
func (l *entryWindow) FirstNumber() uint64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.newestSeq - uint64(len(l.kept)) + 1
}

// LastNumber is the number of the newest entry, 0 before the first.
func (l *entryWindow) LastNumber() uint64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.newestSeq
}
