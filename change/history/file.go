package history

import (
	"encoding/json"
	"errors"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
)

// historyRead is how much of a file is read, from its end: one without any entries that are kept is
// given up after it.
const historyRead = 4 * historyBytes

// lockFile keeps other processes from the file until unlock, and takes in what they wrote
// before. The lock is a file of its own, since the history is replaced from time to time.
func (h *History) lockFile() (unlock func(), err error) {
	unlock, err = h.file.Lock(".lock")
	if err != nil {
		return func() {}, err
	}
	return unlock, h.catchUp()
}

// catchUp reads the file again when it is not as this process left it. Where it was taken
// away, what is in memory still counts.
func (h *History) catchUp() error {
	if h.file.Path == "" {
		return nil
	}
	changed, err := h.file.HasChanged()
	if errors.Is(err, fs.ErrNotExist) || err == nil && !changed {
		return nil
	}
	if err != nil {
		return err
	}
	var lines []historyLine // the newest that hold all entries that are kept, newest first
	entries, kept, skipped := 0, 0, 0
	whole, err := h.file.ReadLines(historyRead, func(text []byte) (enough bool) {
		l, ok := historyLineOf(text)
		if !ok {
			skipped++
			h.nextID = max(h.nextID, entryNumber(text)+1)
			return false
		}
		lines = append(lines, l)
		if l.Entry != nil {
			entries++
			kept += l.Entry.sizeBytes()
		}
		return entries >= historyEntries || kept > historyBytes
	})
	if err != nil {
		return err
	}
	if !whole {
		skipped++ // and whatever else comes before
	}
	h.entries, h.skipped = nil, skipped
	for _, l := range slices.Backward(lines) {
		h.applyLine(l)
	}
	return nil
}

func historyLineOf(text []byte) (l historyLine, ok bool) {
	if json.Unmarshal(text, &l) != nil || l == (historyLine{}) {
		return l, false
	}
	return l, l.Entry == nil || l.Entry.ID > 0 && l.Entry.ID < MaxNumber
}

var numberAtFront = regexp.MustCompile(`^\{"entry":\{"ID":([0-9]{1,15}),`)

// entryNumber is the number of an entry that is torn or damaged: it was given.
func entryNumber(text []byte) uint64 {
	m := numberAtFront.FindSubmatch(text)
	if m == nil {
		return 0
	}
	n, _ := strconv.ParseUint(string(m[1]), 10, 64) // 15 digits always are one
	return n
}

// appendLines writes lines to the file and rewrites it when it has grown well
// beyond what is kept.
func (h *History) appendLines(lines []historyLine) error {
	if room := h.room; room != nil && lines[0].Entry != nil {
		h.room = nil
		text, err := encodeLines(lines)
		if err != nil {
			return err
		}
		if written, err := h.file.WriteInRoom(room, text); written || err != nil {
			return err
		}
	}
	kept := 0
	for i := range h.entries {
		kept += h.entries[i].sizeBytes()
	}
	// A file with lines that cannot be read stays beside the new one: they may be
	// worth something to somebody. Where it cannot, it goes on to grow.
	large := h.file.LastSeenFile() != nil && h.file.LastSeenFile().Size() > int64(1<<20+2*kept)
	if large && h.skipped > 0 {
		_, err := h.file.SetAside(true)
		large = err == nil
	}
	if !large {
		return AppendRecords(h.file, lines...)
	}
	lines = nil
	for i := range h.entries {
		lines = append(lines, historyLine{Entry: &h.entries[i]})
	}
	err := ReplaceRecords(h.file, lines...)
	if err == nil {
		h.skipped = 0
	}
	return err
}
