package history

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"rung/model/ovn/nb"
	"rung/sources/files"
)

// Kinds of records; each names the folder of its journals.
const (
	Changes     = "history" // changes that can be undone
	PlanJournal = "plan"    // the plan under way
	Trial       = "revert"  // the change on trial, or a permanent one of several objects
)

// MaxNumber is the largest believable number; Rung's own stay far below.
const MaxNumber = 1 << 53

// Journal stores records of one kind for one context in a file. Without a path nothing is kept. It is not safe
// for concurrent use.
type Journal struct {
	Path     string
	disk     files.FS
	lastSeen fs.FileInfo // state of the file when last read or written; nil if never
	locks    bool        // lock the file while writing
}

// OpenJournal returns the journal of a kind for a context (or a path, or "demo") in the state folder; an empty
// folder keeps nothing. The file is created with the first record.
func OpenJournal(disk files.FS, dir, kind, context string) *Journal {
	j := &Journal{disk: files.OrSystem(disk)}
	if dir != "" {
		j.Path = filepath.Join(dir, kind, fileName(context)+".json")
		if kind == Changes {
			j.Path += "l"
		}
	}
	return j
}

// fileName converts a name to a file name: its plain characters, and a digest so that two contexts never share
// a file.
func fileName(name string) string {
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

// Lock locks a file next to the journal until unlock, so that processes change the journal one after the
// other.
func (j *Journal) Lock(suffix string) (unlock func(), err error) {
	if j.Path == "" {
		return func() {}, nil
	}
	f, err := files.OpenLocked(j.disk, j.Path+suffix)
	if err != nil {
		return nil, err
	}
	return func() { _ = f.Close() }, nil
}

// HasChanged reports whether the file changed since it was last read or written. It returns fs.ErrNotExist
// without a file.
func (j *Journal) HasChanged() (bool, error) {
	now, err := j.disk.Lstat(j.Path)
	if err != nil {
		return false, err
	}
	was := j.lastSeen
	return was == nil || !os.SameFile(was, now) || was.Size() != now.Size() || !was.ModTime().Equal(now.ModTime()), nil
}

// LastSeenFile returns the state of the file when last read or written, nil if never.
func (j *Journal) LastSeenFile() fs.FileInfo { return j.lastSeen }

// linesPart is how much is read at once.
const linesPart = 1 << 20

// ReadLines passes lines to take, newest first, until it returns true. It reads at most limit bytes; whole
// reports whether that was the whole file.
func (j *Journal) ReadLines(limit int64, take func(line []byte) (enough bool)) (whole bool, err error) {
	f, err := files.OpenPrivate(j.disk, j.Path, os.O_RDONLY)
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	j.lastSeen = info
	var rest [][]byte // parts of a line whose start was not read yet, first part last
	line := func(head []byte) []byte {
		slices.Reverse(rest)
		return bytes.TrimSpace(bytes.Join(append([][]byte{head}, rest...), nil))
	}
	for at, first := info.Size(), max(0, info.Size()-limit); at > first; {
		n := min(linesPart, at-first)
		at -= n
		part := make([]byte, n)
		if _, err := f.ReadAt(part, at); err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		for i := bytes.LastIndexByte(part, '\n'); i >= 0; i = bytes.LastIndexByte(part, '\n') {
			if text := line(part[i+1:]); len(text) > 0 && take(text) {
				return true, nil
			}
			part, rest = part[:i], nil
		}
		rest = append(rest, part)
	}
	whole = info.Size() <= limit
	if whole {
		if text := line(nil); len(text) > 0 {
			take(text)
		}
	}
	return whole, nil
}

// encodeLines encodes records as lines.
func encodeLines[R any](records []R) ([]byte, error) {
	var text bytes.Buffer
	for _, r := range records {
		line, err := json.Marshal(r)
		if err != nil {
			return nil, err
		}
		text.Write(append(line, '\n'))
	}
	return text.Bytes(), nil
}

// AppendRecords appends records and syncs them to disk.
func AppendRecords[R any](j *Journal, records ...R) error {
	text, err := encodeLines(records)
	if err == nil {
		_, err = j.appendText(text)
	}
	return err
}

// openForWriting opens the file, creating it if missing.
func (j *Journal) openForWriting() (files.File, error) {
	if j.locks {
		return files.OpenLocked(j.disk, j.Path)
	}
	return files.OpenPrivate(j.disk, j.Path, os.O_RDWR|os.O_CREATE)
}

// appendText appends whole lines and returns their offset.
func (j *Journal) appendText(text []byte) (at int64, err error) {
	if j.Path == "" {
		return 0, nil
	}
	f, err := j.openForWriting()
	if err != nil {
		return 0, err
	}
	if at, err = files.AppendLines(f, text); err == nil {
		j.lastSeen, err = f.Stat()
	}
	return at, cmp.Or(err, f.Close())
}

// ReservedSpace is a line of a journal reserved for records.
type ReservedSpace struct {
	at   int64
	line []byte // as written, with the newline
}

// ReserveSpace writes and syncs a line of text, which may be empty, and blanks. A full disk cannot keep
// WriteReserved from writing as many bytes later. Readers skip blanks.
func (j *Journal) ReserveSpace(text []byte, blanks int) (*ReservedSpace, error) {
	line := paddedLine(text, len(text)+blanks+1)
	at, err := j.appendText(line)
	return &ReservedSpace{at, line}, err
}

// paddedLine pads lines to size with blanks before the last newline.
func paddedLine(lines []byte, size int) []byte {
	lines = bytes.TrimSuffix(lines, []byte{'\n'})
	return slices.Concat(lines, bytes.Repeat([]byte{' '}, size-len(lines)-1), []byte{'\n'})
}

// WriteReserved writes lines over a reserved line; without lines it only frees the room. It returns false if the
// room is too small or gone.
func (j *Journal) WriteReserved(r *ReservedSpace, lines []byte) (bool, error) {
	if j.Path == "" || r == nil || len(lines) > len(r.line) {
		return false, nil
	}
	if _, err := j.disk.Lstat(j.Path); err != nil {
		return false, nil // the file was removed: the records go to a new one
	}
	f, err := j.openForWriting()
	if err != nil {
		return false, nil
	}
	written, err := j.fillReserved(f, r, lines)
	return written, cmp.Or(err, f.Close())
}

// fillReserved replaces a reserved line, if it was not moved, by lines.
func (j *Journal) fillReserved(f files.File, r *ReservedSpace, lines []byte) (bool, error) {
	was := make([]byte, len(r.line))
	if _, err := f.ReadAt(was, r.at); err != nil || !bytes.Equal(was, r.line) {
		return false, nil // the file was cut
	}
	if len(lines) > 0 {
		// Unchanged leading bytes are not written again, so that even a torn line still says what was done.
		padded, from := paddedLine(lines, len(r.line)), 0
		for from < len(padded)-1 && padded[from] == r.line[from] {
			from++
		}
		_, err := f.WriteAt(padded[from:], r.at+int64(from))
		if err == nil {
			err = f.Sync()
		}
		if err != nil {
			_, _ = f.WriteAt(r.line[from:], r.at+int64(from)) // restore: a mixture would be unreadable
			return false, err
		}
	}
	// The last line of the file no longer needs its room.
	end := r.at + int64(len(lines))
	if info, err := f.Stat(); err == nil && info.Size() == r.at+int64(len(r.line)) {
		if len(lines) > 0 {
			_, err = f.WriteAt([]byte{'\n'}, end-1)
		}
		if err == nil {
			_ = f.Truncate(end) // blanks do no harm
		}
	}
	var err error
	j.lastSeen, err = f.Stat()
	return true, err
}

// ReplaceRecords replaces all stored records by the given ones.
func ReplaceRecords[R any](j *Journal, records ...R) error {
	if j.Path == "" {
		return nil
	}
	text, err := encodeLines(records)
	if err != nil {
		return err
	}
	if err := files.ReplaceFile(j.disk, j.Path, text); err != nil {
		return err
	}
	j.lastSeen, err = j.disk.Lstat(j.Path)
	return err
}

// RenameUnreadable gives the file the first free name for unreadable files, as it may be of value. It overwrites
// nothing. With also the file keeps its own name too.
func (j *Journal) RenameUnreadable(also bool) (name string, err error) {
	give := j.disk.RenameNew
	if also {
		give = j.disk.Link
	}
	for n := 1; ; n++ {
		name = fmt.Sprintf("%s.unreadable-%d", j.Path, n)
		if err = give(j.Path, name); !errors.Is(err, fs.ErrExist) || n == 1000 {
			return name, err
		}
	}
}
