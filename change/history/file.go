package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"

	"rung/change/journal"
	"rung/sources/safefile"
)

// How a history file is read: from its end, in parts, until the entries that are
// kept were found. A file without any is given up after historyRead.
const (
	historyPart = 1 << 20
	historyRead = 4 * historyBytes
)

// lock keeps other processes from the file until unlock. The lock is a file of
// its own, since the history is replaced from time to time.
func (h *History) lock() (unlock func(), err error) {
	if h.path == "" {
		return func() {}, nil
	}
	f, err := safefile.Locked(h.disk, h.path+".lock")
	if err != nil {
		return nil, err
	}
	return func() { _ = f.Close() }, nil
}

// catchUp reads the file again when it is not as this process left it.
func (h *History) catchUp() error {
	if h.path == "" {
		return nil
	}
	now, err := h.disk.Lstat(h.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // taken away: what is in memory still counts
	}
	if err != nil {
		return err
	}
	was := h.seen
	if was != nil && os.SameFile(was, now) && was.Size() == now.Size() && was.ModTime().Equal(now.ModTime()) {
		return nil
	}
	return h.read()
}

// read takes in what the file holds.
func (h *History) read() error {
	f, err := safefile.Open(h.disk, h.path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("history: %w", err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("history: %w", err)
	}
	lines, skipped, highest, err := lastLines(f, info.Size())
	if err != nil {
		return fmt.Errorf("history: reading %s: %w", h.path, err)
	}
	h.entries, h.skipped, h.seen = nil, skipped, info
	for _, l := range slices.Backward(lines) {
		h.take(l)
	}
	h.next = max(h.next, highest+1)
	return nil
}

// lastLines are the newest lines of a file that hold all entries that are kept,
// newest first; how many lines among them are none; and the highest number that
// any of them bears.
func lastLines(f io.ReaderAt, size int64) (lines []historyLine, skipped int, highest uint64, err error) {
	entries, kept := 0, 0
	take := func(text []byte) (enough bool) {
		text = bytes.TrimSpace(text)
		if len(text) == 0 {
			return false
		}
		l, ok := historyLineOf(text)
		if !ok {
			skipped++
			highest = max(highest, numberIn(text))
			return false
		}
		lines = append(lines, l)
		if l.Entry != nil {
			highest = max(highest, l.Entry.ID)
			entries++
			kept += l.Entry.bytes()
		}
		return entries >= historyEntries || kept > historyBytes
	}
	var rest [][]byte // the parts of a line whose start was not read yet, last first
	for at, first := size, max(0, size-historyRead); at > first; {
		n := min(historyPart, at-first)
		at -= n
		part := make([]byte, n)
		if _, err := f.ReadAt(part, at); err != nil && !errors.Is(err, io.EOF) {
			return nil, 0, 0, err
		}
		for i := bytes.LastIndexByte(part, '\n'); i >= 0; i = bytes.LastIndexByte(part, '\n') {
			if take(joinParts(part[i+1:], rest)) {
				return lines, skipped, highest, nil
			}
			part, rest = part[:i], nil
		}
		rest = append(rest, part)
		if at == 0 {
			take(joinParts(nil, rest))
		} else if at == first {
			skipped++ // and whatever else comes before
		}
	}
	return lines, skipped, highest, nil
}

func joinParts(head []byte, rest [][]byte) []byte {
	if len(rest) == 0 {
		return head
	}
	all := [][]byte{head}
	for _, p := range slices.Backward(rest) {
		all = append(all, p)
	}
	return bytes.Join(all, nil)
}

func historyLineOf(text []byte) (l historyLine, ok bool) {
	if json.Unmarshal(text, &l) != nil || l == (historyLine{}) {
		return l, false
	}
	return l, l.Entry == nil || l.Entry.ID > 0 && l.Entry.ID < journal.MaxNumber
}

var numberAtFront = regexp.MustCompile(`^\{"entry":\{"ID":([0-9]{1,15}),`)

// numberIn is the number of an entry that is torn or damaged: it was given.
func numberIn(text []byte) uint64 {
	m := numberAtFront.FindSubmatch(text)
	if m == nil {
		return 0
	}
	n, _ := strconv.ParseUint(string(m[1]), 10, 64) // 15 digits always are one
	return n
}

// append writes lines to the file and rewrites it when it has grown well
// beyond what is kept.
func (h *History) append(text []byte) error {
	if h.path == "" {
		return nil
	}
	kept := 0
	for i := range h.entries {
		kept += h.entries[i].bytes()
	}
	// A file with lines that cannot be read stays beside the new one: they may be
	// worth something to somebody. Where it cannot, it goes on to grow.
	large := h.seen != nil && h.seen.Size()+int64(len(text)) > int64(1<<20+2*kept)
	if large && (h.skipped == 0 || h.putAside() == nil) {
		return h.rewrite()
	}
	f, err := safefile.Open(h.disk, h.path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	_, err = safefile.Append(f, text)
	if err == nil {
		h.seen, err = f.Stat()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// rewrite puts a file with what is kept in the place of the one there is.
func (h *History) rewrite() error {
	var text bytes.Buffer
	for i := range h.entries {
		b, err := json.Marshal(historyLine{Entry: &h.entries[i]})
		if err != nil {
			return err
		}
		text.Write(append(b, '\n'))
	}
	if err := safefile.Replace(h.disk, h.path, text.Bytes()); err != nil {
		return err
	}
	h.skipped = 0
	var err error
	h.seen, err = h.disk.Lstat(h.path)
	return err
}

// putAside gives the file a second name, which stays when it is replaced.
func (h *History) putAside() error {
	return journal.SetAside(h.path, func(name string) error { return h.disk.Link(h.path, name) })
}
