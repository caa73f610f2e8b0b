package engine

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"rung/model/nb"
)

// Bounds of the history: what is older is forgotten.
const (
	historyEntries = 200
	historyBytes   = 8 << 20
)

// History is the list of changes that can be taken back. It survives a restart
// in a file of JSON lines; lines that cannot be read are passed over and
// counted. It is safe for concurrent use, and several processes may append to
// one file.
type History struct {
	mu      sync.Mutex
	path    string // empty: kept in memory only
	entries []HistoryEntry
	next    uint64
	skipped int
	size    int64 // of the file as it was last read or written
	torn    bool  // the file's last line has no end: somebody was killed
}

// historyLine is one line of the file: a new entry, or news of an old one.
type historyLine struct {
	Entry  *HistoryEntry `json:"entry,omitempty"`
	Undone uint64        `json:"undone,omitempty"`
	Redone uint64        `json:"redone,omitempty"`
}

// OpenHistory reads the history of a context (or path, or "demo") from the
// state folder. Without a folder the history is kept in memory.
func OpenHistory(dir, context string) (*History, error) {
	h := &History{next: 1}
	if dir == "" {
		return h, nil
	}
	h.path = filepath.Join(dir, "history", slug(context)+".jsonl")
	if err := h.read(); err != nil {
		return nil, err
	}
	return h, nil
}

// slug is a name as a file name: plain characters of it, and a digest so that
// two contexts never share a file.
func slug(name string) string {
	b := make([]byte, 0, 40)
	for i := 0; i < len(name) && len(b) < 40; i++ {
		switch c := name[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
			b = append(b, c)
		case len(b) > 0 && b[len(b)-1] != '-':
			b = append(b, '-')
		}
	}
	return string(b) + "." + nb.HashedName(name)
}

// Skipped is how many lines of the file could not be read.
func (h *History) Skipped() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.skipped
}

// Entries is the history, newest first.
func (h *History) Entries() []HistoryEntry {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := slices.Clone(h.entries)
	slices.Reverse(out)
	return out
}

// Find returns the entry with that number; 0 is the newest change that was not
// taken back and did not take back another.
func (h *History) Find(id uint64) (HistoryEntry, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := len(h.entries) - 1; i >= 0; i-- {
		e := h.entries[i]
		if id == 0 && !e.Undone && e.Undoes == 0 || id != 0 && e.ID == id {
			return e, true
		}
	}
	return HistoryEntry{}, false
}

// Push adds a change, gives it a number and writes it down. An entry that
// undoes another marks that one. The entry is kept in memory also when it could
// not be written.
func (h *History) Push(e HistoryEntry) (id uint64, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := h.catchUp(); err != nil {
		return 0, err
	}
	e.ID = h.next
	lines := []historyLine{{Entry: &e}}
	if e.Undoes != 0 {
		lines = append(lines, historyLine{Undone: e.Undoes})
		if i := h.index(e.Undoes); i >= 0 && h.entries[i].Undoes != 0 {
			// Taking back an undo makes its change one that can be undone again.
			lines = append(lines, historyLine{Redone: h.entries[i].Undoes})
		}
	}
	var text bytes.Buffer
	for _, l := range lines {
		h.take(l)
		b, err := json.Marshal(l)
		if err != nil {
			return e.ID, fmt.Errorf("history: %w", err)
		}
		text.Write(append(b, '\n'))
	}
	return e.ID, h.append(text.Bytes())
}

func (h *History) index(id uint64) int {
	return slices.IndexFunc(h.entries, func(e HistoryEntry) bool { return e.ID == id })
}

// take applies one line to the list.
func (h *History) take(l historyLine) {
	if l.Entry != nil {
		h.entries = append(h.entries, *l.Entry)
		h.next = max(h.next, l.Entry.ID+1)
	}
	if i := h.index(l.Undone); l.Undone != 0 && i >= 0 {
		h.entries[i].Undone = true
	}
	if i := h.index(l.Redone); l.Redone != 0 && i >= 0 {
		h.entries[i].Undone = false
	}
	h.trim()
}

func (e *HistoryEntry) bytes() (n int) {
	for _, o := range e.Objects {
		n += len(o.Before) + len(o.After)
	}
	return n
}

// trim forgets the oldest entries beyond the bounds; the newest always stays.
func (h *History) trim() {
	total, keep := 0, len(h.entries)
	for keep > 0 && len(h.entries)-keep < historyEntries {
		total += h.entries[keep-1].bytes()
		if total > historyBytes && keep < len(h.entries) {
			break
		}
		keep--
	}
	if keep > 0 {
		h.entries = slices.Clone(h.entries[keep:])
	}
}

// catchUp reads the file again when another process wrote to it.
func (h *History) catchUp() error {
	if h.path == "" {
		return nil
	}
	st, err := os.Stat(h.path)
	if errors.Is(err, fs.ErrNotExist) {
		h.size = 0 // taken away: what is in memory still counts
		return nil
	}
	if err != nil {
		return fmt.Errorf("history: %w", err)
	}
	if st.Size() == h.size {
		return nil
	}
	return h.read()
}

func (h *History) read() error {
	f, err := os.Open(h.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("history: %w", err)
	}
	defer func() { _ = f.Close() }()
	h.entries, h.skipped, h.size, h.torn = nil, 0, 0, false
	r := bufio.NewReader(io.LimitReader(f, 8*historyBytes))
	for {
		line, err := r.ReadBytes('\n')
		h.size += int64(len(line))
		if len(line) > 0 {
			h.torn = line[len(line)-1] != '\n'
		}
		if len(bytes.TrimSpace(line)) > 0 {
			var l historyLine
			if json.Unmarshal(line, &l) != nil || l == (historyLine{}) || l.Entry != nil && l.Entry.ID == 0 {
				h.skipped++
			} else {
				h.take(l)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("history: reading %s: %w", h.path, err)
		}
	}
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
	if h.size+int64(len(text)) > int64(1<<20+2*kept) {
		return h.rewrite()
	}
	if h.torn {
		text = append([]byte{'\n'}, text...)
	}
	f, err := openPrivate(h.path)
	if err != nil {
		return fmt.Errorf("history: %w", err)
	}
	_, err = f.Write(text)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("history: writing %s: %w", h.path, err)
	}
	h.size += int64(len(text))
	h.torn = false
	return nil
}

func (h *History) rewrite() error {
	var text bytes.Buffer
	for i := range h.entries {
		b, err := json.Marshal(historyLine{Entry: &h.entries[i]})
		if err != nil {
			return fmt.Errorf("history: %w", err)
		}
		text.Write(append(b, '\n'))
	}
	if err := replacePrivate(h.path, text.Bytes()); err != nil {
		return fmt.Errorf("history: %w", err)
	}
	h.size, h.skipped, h.torn = int64(text.Len()), 0, false
	return nil
}
