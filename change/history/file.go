package history

import (
	"encoding/json"
	"errors"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
)

// historyRead is how many bytes of a file are searched for entries, from its end. Anything before is not read.
const historyRead = 4 * historyBytes

// lockFile locks the file against other processes until unlock, and reads what they wrote before. The lock is
// a separate file, since the history is replaced now and then.
func (h *History) lockFile() (unlock func(), err error) {
	unlock, err = h.file.Lock(".lock")
	if err != nil {
		return func() {}, err
	}
	return unlock, h.catchUp()
}

// catchUp reads the file again if another process changed it. If it was removed, the entries in memory remain.
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
	var lines []historyLine // the newest lines with all kept entries, newest first
	entries, kept, skipped := 0, 0, 0
	whole, err := h.file.ReadLines(historyRead, func(text []byte) (enough bool) {
		l, ok := parseHistoryLine(text)
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
		skipped++ // and whatever comes before
	}
	h.entries, h.skipped = nil, skipped
	for _, l := range slices.Backward(lines) {
		h.applyLine(l)
	}
	return nil
}

func parseHistoryLine(text []byte) (l historyLine, ok bool) {
	if json.Unmarshal(text, &l) != nil || l == (historyLine{}) {
		return l, false
	}
	return l, l.Entry == nil || l.Entry.ID > 0 && l.Entry.ID < MaxNumber
}

var numberAtFront = regexp.MustCompile(`^\{"entry":\{"ID":([0-9]{1,15}),`)

// entryNumber returns the number of a torn or damaged entry, so that it is not used again.
func entryNumber(text []byte) uint64 {
	m := numberAtFront.FindSubmatch(text)
	if m == nil {
		return 0
	}
	n, _ := strconv.ParseUint(string(m[1]), 10, 64) // 15 digits always fit
	return n
}

// appendLines appends lines to the file, and rewrites the file once it is much larger than its kept entries.
func (h *History) appendLines(lines []historyLine) error {
	if room := h.reservedSpace; room != nil && lines[0].Entry != nil {
		h.reservedSpace = nil
		text, err := encodeLines(lines)
		if err != nil {
			return err
		}
		if written, err := h.file.WriteReserved(room, text); written || err != nil {
			return err
		}
	}
	kept := 0
	for i := range h.entries {
		kept += h.entries[i].sizeBytes()
	}
	// A file with unreadable lines is kept next to the new one, in case the lines are needed. If renaming it
	// fails, the file keeps growing.
	large := h.file.LastSeenFile() != nil && h.file.LastSeenFile().Size() > int64(1<<20+2*kept)
	if large && h.skipped > 0 {
		_, err := h.file.RenameUnreadable(true)
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
