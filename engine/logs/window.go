package logs

import (
	"slices"
	"sync"
	"unsafe"
)

// maxLineBytes bounds the bytes of kept lines: with long lines, fewer than the limit are kept. The heap grows by
// half again before collection, and the console must stay below the size that docs/performance.md promises
// after a day.
const maxLineBytes = 14 << 20

// entryWindow holds the newest entries, numbered without a gap, bounded in number and bytes.
type entryWindow struct {
	mu          sync.RWMutex
	kept        []keptEntry // oldest first
	limit       int
	newestSeq   uint64 // Seq of the newest entry
	bytesStored int64  // of all entries ever stored
}

// keptEntry is a stored entry.
type keptEntry struct {
	*Entry
	before int64 // bytes of all entries stored earlier
}

// entrySize approximates the bytes of an entry. Its strings share the raw line; a page makes a second copy for
// a filter.
func entrySize(e *Entry) int64 {
	return lineSize(e.Line.Raw) + int64(len(e.Src.Addr)+len(e.Dst.Addr)) + int64(len(e.Candidates))*int64(unsafe.Sizeof(e.Rule))
}

func lineSize(raw string) int64 {
	return int64(unsafe.Sizeof(Entry{})+unsafe.Sizeof(int64(0))) + 2*int64(len(raw))
}

// storeEntry numbers and stores an entry; mu is held.
func (l *entryWindow) storeEntry(e *Entry) {
	l.newestSeq++
	e.Seq = l.newestSeq
	l.kept = append(l.kept, keptEntry{e, l.bytesStored})
	l.bytesStored += entrySize(e)
	for len(l.kept) > l.limit || len(l.kept) > 1 && l.bytesStored-l.kept[0].before > maxLineBytes {
		l.kept[0] = keptEntry{} // free the entry: the slice keeps its array
		l.kept = l.kept[1:]
	}
}

// entriesAfter returns the entries after a number; mu is held.
func (l *entryWindow) entriesAfter(seq uint64) []keptEntry {
	oldest := l.newestSeq - uint64(len(l.kept)) + 1
	return l.kept[min(max(seq+1, oldest)-oldest, uint64(len(l.kept))):]
}

// unreadAfter returns the lines kept after a number, and their bytes.
func (l *entryWindow) unreadAfter(seq uint64) (lines uint64, bytes int64) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	unread := l.entriesAfter(seq)
	if len(unread) == 0 {
		return 0, 0
	}
	return uint64(len(unread)), l.bytesStored - unread[0].before
}

// EntriesAfter returns the kept entries after a number, oldest first, at most the oldest max (0: all).
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

// FirstNumber returns the number of the oldest kept entry; LastNumber+1 if there is none.
func (l *entryWindow) FirstNumber() uint64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.newestSeq - uint64(len(l.kept)) + 1
}

// LastNumber returns the number of the newest entry; 0 before the first.
func (l *entryWindow) LastNumber() uint64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.newestSeq
}
