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

// The kinds of records there are, each the folder of its journals.
const (
	Changes     = "history" // every change that can be taken back
	PlanJournal = "plan"    // the plan that is under way
	Trial       = "revert"  // the change that waits to be confirmed, or is made of several objects
)

// MaxNumber bounds what is believed of a number; none that Rung gives comes near.
const MaxNumber = 1 << 53

// Journal is the file of records of one kind about one context. Without a path nothing is kept.
// Whoever has one guards it against itself.
type Journal struct {
	Path     string
	disk     files.FS
	lastSeen fs.FileInfo // as it was last read or written; nil for never
	locks    bool        // the file is locked while it is written to
}

// Open is the journal of a kind about a context (or a path, or "demo") in the state folder;
// an empty folder keeps nothing. The file is made when the first record is written.
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

// fileName is a name as a file name: plain characters of it, and a digest so that
// two contexts never share a file.
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

// Lock keeps other processes from a file beside the journal, until unlock: they wait for each
// other to change it.
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

// HasChanged says whether the file is not as it was last read or written; fs.ErrNotExist that
// there is none.
func (j *Journal) HasChanged() (bool, error) {
	now, err := j.disk.Lstat(j.Path)
	if err != nil {
		return false, err
	}
	was := j.lastSeen
	return was == nil || !os.SameFile(was, now) || was.Size() != now.Size() || !was.ModTime().Equal(now.ModTime()), nil
}

// LastSeenFile is the file as it was last read or written, nil for never.
func (j *Journal) LastSeenFile() fs.FileInfo { return j.lastSeen }

// linesPart is how much is read at once.
const linesPart = 1 << 20

// ReadLines gives take the lines, the newest first, until that has enough. Of a file larger than
// limit the rest is not read, which whole says.
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
	var rest [][]byte // the parts of a line whose start was not read yet, the first one last
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

// encodeLines are records as lines.
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

// AppendRecords adds records behind those there are, down to the disk.
func AppendRecords[R any](j *Journal, records ...R) error {
	text, err := encodeLines(records)
	if err == nil {
		_, err = j.appendText(text)
	}
	return err
}

// openForWriting opens the file, and makes it if there is none.
func (j *Journal) openForWriting() (files.File, error) {
	if j.locks {
		return files.OpenLocked(j.disk, j.Path)
	}
	return files.OpenPrivate(j.disk, j.Path, os.O_RDWR|os.O_CREATE)
}

// appendText adds whole lines and says where they begin.
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

// JournalRoom is a line of a journal that is kept free for records.
type JournalRoom struct {
	at   int64
	line []byte // as it stands there, with the newline
}

// ReserveRoom writes a line, down to the disk: text, which may be empty, and blanks. A full disk cannot keep
// WriteInRoom from writing as many bytes later. Readers pass over blanks.
func (j *Journal) ReserveRoom(text []byte, blanks int) (*JournalRoom, error) {
	line := paddedLine(text, len(text)+blanks+1)
	at, err := j.appendText(line)
	return &JournalRoom{at, line}, err
}

// paddedLine returns lines with blanks before the last newline, as many bytes.
func paddedLine(lines []byte, size int) []byte {
	lines = bytes.TrimSuffix(lines, []byte{'\n'})
	return slices.Concat(lines, bytes.Repeat([]byte{' '}, size-len(lines)-1), []byte{'\n'})
}

// WriteInRoom writes lines in the place of a reserved one; without lines it only gives the place back. It
// reports false if the place is too small, or is there no more.
func (j *Journal) WriteInRoom(r *JournalRoom, lines []byte) (bool, error) {
	if j.Path == "" || r == nil || len(lines) > len(r.line) {
		return false, nil
	}
	if _, err := j.disk.Lstat(j.Path); err != nil {
		return false, nil // the file was taken away: the records get one of their own
	}
	f, err := j.openForWriting()
	if err != nil {
		return false, nil
	}
	written, err := j.fillRoom(f, r, lines)
	return written, cmp.Or(err, f.Close())
}

// fillRoom writes lines over a reserved one if that still stands where it was.
func (j *Journal) fillRoom(f files.File, r *JournalRoom, lines []byte) (bool, error) {
	was := make([]byte, len(r.line))
	if _, err := f.ReadAt(was, r.at); err != nil || !bytes.Equal(was, r.line) {
		return false, nil // somebody cut the file
	}
	if len(lines) > 0 {
		// The front that stays the same is not written again: torn or not, the line still tells what it did.
		padded, from := paddedLine(lines, len(r.line)), 0
		for from < len(padded)-1 && padded[from] == r.line[from] {
			from++
		}
		_, err := f.WriteAt(padded[from:], r.at+int64(from))
		if err == nil {
			err = f.Sync()
		}
		if err != nil {
			_, _ = f.WriteAt(r.line[from:], r.at+int64(from)) // half of them would be neither
			return false, err
		}
	}
	// As the last line it does not need its room any more.
	end := r.at + int64(len(lines))
	if info, err := f.Stat(); err == nil && info.Size() == r.at+int64(len(r.line)) {
		if len(lines) > 0 {
			_, err = f.WriteAt([]byte{'\n'}, end-1)
		}
		if err == nil {
			_ = f.Truncate(end) // blanks are no harm
		}
	}
	var err error
	j.lastSeen, err = f.Stat()
	return true, err
}

// ReplaceRecords puts records in the place of all there are.
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

// SetAside gives the file the first name for what cannot be read that is free, and replaces
// nothing: somebody may want it. With also it keeps its own name besides.
func (j *Journal) SetAside(also bool) (name string, err error) {
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
