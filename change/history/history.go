package history

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"rung/sources/files"
)

// Limits of the history; older entries are dropped.
const (
	historyEntries = 200
	historyBytes   = 8 << 20
	planStepBytes  = 100 // approximate size of a plan's step
)

// History lists changes that can be undone. It survives a restart in a file of JSON lines; unreadable lines
// are skipped, counted and never discarded. It is safe for concurrent use, and several processes may share one
// file: a number is used once.
type History struct {
	mu            sync.Mutex
	file          *Journal
	entries       []Entry
	nextID        uint64
	skipped       int
	reservedSpace *ReservedSpace // reserved for the next entry, or nil
	polledFile    fs.FileInfo    // the file at the last PollChanged
}

// historyLine is a line of the file: a new entry, or an update of an old one.
type historyLine struct {
	Entry  *Entry `json:"entry,omitempty"`
	Undone uint64 `json:"undone,omitempty"`
	Redone uint64 `json:"redone,omitempty"`
}

// Open reads the history of a context (or path, or "demo") from the state folder. Without a folder the history
// is kept in memory.
func Open(disk files.FS, dir, context string) (*History, error) {
	h := &History{nextID: 1, file: OpenJournal(disk, dir, Changes, context)}
	if err := h.catchUp(); err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	return h, nil
}

// Path returns the file's path, empty if the history is kept in memory only.
func (h *History) Path() string { return h.file.Path }

// SkippedLines returns how many lines of the file could not be read.
func (h *History) SkippedLines() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.skipped
}

// Entries returns the history, newest first, including entries of other processes.
func (h *History) Entries() []Entry {
	h.mu.Lock()
	h.refresh()
	h.mu.Unlock()
	return h.KnownEntries()
}

// KnownEntries returns the history, newest first, as of the last read of the file. It reads nothing.
func (h *History) KnownEntries() []Entry {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := slices.Clone(h.entries)
	slices.Reverse(out)
	return out
}

// FindEntry returns the entry with that number; 0 finds the newest change that was not taken back and did not
// take back another.
func (h *History) FindEntry(id uint64) (Entry, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refresh()
	for _, e := range slices.Backward(h.entries) {
		if id == 0 && !e.Undone && e.Undoes == 0 && !e.Ends || id != 0 && e.ID == id {
			return e, true
		}
	}
	return Entry{}, false
}

// FindRedo returns the undo that redo takes back: the last one since the last other change that was not taken
// back itself.
func (h *History) FindRedo() (Entry, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.refresh()
	var undos []Entry
	for _, e := range h.entries {
		depth := h.undoDepth(e)
		switch {
		case e.Ends: // it ended a logging session, perhaps by time: nobody took anything back
		case depth > 0 && h.indexOf(e.Undoes) < 0:
			// The change it took back has been dropped, and may have been an undo.
		case depth == 0:
			undos = nil // a new change: earlier undos cannot be redone
		case depth%2 == 1:
			undos = append(undos, e)
		default:
			undos = slices.DeleteFunc(undos, func(u Entry) bool { return u.ID == e.Undoes })
		}
	}
	undos = slices.DeleteFunc(undos, func(u Entry) bool { return u.Undone })
	if len(undos) == 0 {
		return Entry{}, false
	}
	return undos[len(undos)-1], true
}

// undoDepth returns the length of an entry's chain of undos: 0 for a change, 1 for an undo, 2 for a redo. An
// entry no longer kept counts as a change.
func (h *History) undoDepth(e Entry) (n int) {
	for id := e.Undoes; id != 0; id = h.undoneEntry(id) {
		n++
	}
	return n
}

// EntryOfID finds the change made under an id: of a plan's run, of a change on trial or of several objects, or
// of the logging session that it began.
func (h *History) EntryOfID(id string) (Entry, bool) {
	for _, e := range h.Entries() {
		if id != "" && (e.Trial == id || e.Session == id || e.Plan != nil && e.Plan.ID == id) {
			return e, true
		}
	}
	return Entry{}, false
}

// NewestID returns the number of the newest entry, or 0.
func (h *History) NewestID() uint64 {
	if all := h.Entries(); len(all) > 0 {
		return all[0].ID
	}
	return 0
}

// PollChanged reads what other processes wrote, and reports whether the file changed since the last
// PollChanged, even if other methods have read it meanwhile.
func (h *History) PollChanged() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	was := h.polledFile
	h.refresh()
	h.polledFile = h.file.LastSeenFile()
	return h.polledFile != was
}

// refresh reads what other processes wrote. If it cannot, the known entries remain. The caller holds mu.
func (h *History) refresh() { _ = h.catchUp() }

// Push adds a change, numbers it and writes it. If e undoes an entry, Push marks that entry. The entry stays
// in memory even if writing fails, except a plan, which is pushed again from its own file.
func (h *History) Push(e Entry) (id uint64, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	unlock, err := h.lockFile()
	defer unlock()
	e.ID = h.nextID
	was := slices.Clone(h.entries)
	if werr := h.addLines(append([]historyLine{{Entry: &e}}, h.takenBackLines(e.Undoes)...), err); werr != nil {
		if e.Plan != nil {
			h.entries = was
		}
		return e.ID, werr
	}
	return e.ID, nil
}

// entryReserve is the number of extra bytes reserved for an entry, since a server may add to its objects.
const entryReserve = 4 << 10

// Reserve keeps room in the file for an entry about to be made. After it succeeds, a full disk cannot keep
// Push from writing the entry.
func (h *History) Reserve(e Entry) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	unlock, err := h.lockFile()
	defer unlock()
	if err == nil {
		e.ID = MaxNumber
		var text []byte
		if text, err = json.Marshal(append([]historyLine{{Entry: &e}}, h.takenBackLines(e.Undoes)...)); err == nil {
			h.reservedSpace, err = h.file.ReserveSpace(nil, 2*len(text)+entryReserve)
		}
	}
	if err != nil {
		h.reservedSpace = nil
		return fmt.Errorf("history: writing %s: %w", h.file.Path, err)
	}
	return nil
}

// Release frees the room of Reserve.
func (h *History) Release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	unlock, err := h.lockFile()
	defer unlock()
	if err == nil {
		_, _ = h.file.WriteReserved(h.reservedSpace, nil) // leaves a blank line
	}
	h.reservedSpace = nil
}

// takenBackLines returns the updates after a change was taken back. If it was itself an undo, the change it
// undid can be undone again, and so on alternately.
func (h *History) takenBackLines(id uint64) (lines []historyLine) {
	for undone := true; id != 0; undone, id = !undone, h.undoneEntry(id) {
		if undone {
			lines = append(lines, historyLine{Undone: id})
		} else {
			lines = append(lines, historyLine{Redone: id})
		}
	}
	return lines
}

// addLines applies lines. It writes them unless err says that the file could not be locked and read.
func (h *History) addLines(lines []historyLine, err error) error {
	for _, l := range lines {
		h.applyLine(l)
	}
	if err == nil {
		err = h.appendLines(lines)
	}
	if err != nil {
		return fmt.Errorf("history: writing %s: %w", h.file.Path, err)
	}
	return nil
}

// MarkUndone marks a change as taken back although nothing took it back: its objects already were as before
// it.
func (h *History) MarkUndone(id uint64) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	unlock, err := h.lockFile()
	defer unlock()
	return h.addLines(h.takenBackLines(id), err)
}

// undoneEntry returns the change that an entry took back, 0 if it took back none.
func (h *History) undoneEntry(id uint64) uint64 {
	if i := h.indexOf(id); i >= 0 && h.entries[i].Undoes < id {
		return h.entries[i].Undoes
	}
	return 0
}

func (h *History) indexOf(id uint64) int {
	return slices.IndexFunc(h.entries, func(e Entry) bool { return e.ID == id })
}

// applyLine applies a line to the list.
func (h *History) applyLine(l historyLine) {
	if l.Entry != nil {
		h.entries = append(h.entries, *l.Entry)
		h.nextID = max(h.nextID, l.Entry.ID+1)
	}
	if i := h.indexOf(l.Undone); l.Undone != 0 && i >= 0 {
		h.entries[i].Undone = true
	}
	if i := h.indexOf(l.Redone); l.Redone != 0 && i >= 0 {
		h.entries[i].Undone = false
	}
	h.trimOldest()
}

func (e *Entry) sizeBytes() (n int) {
	for _, o := range e.Objects {
		n += len(o.Before) + len(o.After)
	}
	if e.Plan != nil {
		n += planStepBytes * (len(e.Plan.Plan.Steps) + len(e.Plan.Plan.Now) + len(e.Plan.Plan.Then))
	}
	for i := range e.Files {
		n += e.Files[i].SizeBytes()
	}
	return n
}

// trimOldest drops the oldest entries beyond the limits; the newest always stays.
func (h *History) trimOldest() {
	total, keep := 0, len(h.entries)
	for keep > 0 && len(h.entries)-keep < historyEntries {
		total += h.entries[keep-1].sizeBytes()
		if total > historyBytes && keep < len(h.entries) {
			break
		}
		keep--
	}
	if keep > 0 {
		h.entries = slices.Clone(h.entries[keep:])
	}
}
