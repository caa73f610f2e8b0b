package acllog

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"rung/model/words"
)

// ReadStatus is how a file stands.
type ReadStatus string

// The ways a file stands.
const (
	Following ReadStatus = "following" // what is added is read
	Ended     ReadStatus = "ended"     // read to its end, nothing is added
	Gone      ReadStatus = "gone"      // deleted; it may return
	Failed    ReadStatus = "failed"    // see Err
)

// FileState is the state of reading a file.
type FileState struct {
	Path   string // clean
	Place  LinePlace
	Status ReadStatus
	Err    error
	// Size and Read are bytes of the file as it is stored; Read counts the bytes taken so
	// far, -1 where that cannot be told: of a compressed file before its end, and of a
	// pipe.
	Size, Read int64
	TooLong    uint64 // lines that were longer than MaxLine
	Gaps       uint64
}

// File is one log: a file with the parts that are rotated away from it.
type File struct {
	ctx    context.Context
	path   string
	place  LinePlace
	static bool        // it is never looked at again once it was read: compressed, or rotated away
	stream *pipeStream // of a pipe or standard input

	parts     []*logPart // the last is the file as it is now; those before are read to their ends
	heads     [][]byte   // how contents began that were read before, or are nobody's to read
	isGone    bool
	err       error  // of the name
	readError error  // of what is read
	longLines uint64 // of parts that were closed
	gaps      uint64
	size      int64
}

// idleMost is how many times in a row a renamed file may have nothing new before it is
// closed: whoever writes goes on for a while, until it opens the new one.
const idleMost = 240

// newFile opens a file, whose reads end with ctx.
func newFile(ctx context.Context, path string, static bool) (*File, error) {
	f := &File{ctx: ctx, path: path, place: PlaceOf(path), static: static}
	p, err := openPart(f.ctx, path)
	if err != nil {
		return nil, err
	}
	f.size = p.info.Size()
	f.static = f.static || p.gz != nil
	p.final = f.static
	f.parts = []*logPart{p}
	if !f.static {
		for _, path := range rotatedParts(f.path) { // what is beside it now is not new under another name
			if p, err := openPart(f.ctx, path); err == nil {
				f.rememberHead(p)
				p.close()
			}
		}
	}
	return f, nil
}

// headsMost bounds the beginnings that are remembered.
const headsMost = 256

func (f *File) rememberHead(p *logPart) {
	if len(f.heads) == headsMost {
		f.heads = slices.Delete(f.heads, 0, 1)
	}
	f.heads = append(f.heads, bytes.Clone(p.head))
}

// isKnown reports whether a content was read, or is being read, whatever its file is called.
func (f *File) isKnown(x *logPart) bool {
	return slices.ContainsFunc(f.heads, func(head []byte) bool { return beginAlike(head, x.head) }) ||
		slices.ContainsFunc(f.parts, func(p *logPart) bool { return beginAlike(p.head, x.head) })
}

// ErrUnended comes with the last line of a file or pipe that does not end its last line: the rest
// of the line may be missing.
var ErrUnended = errors.New("the last line has no end")

// Next returns the next line, which is valid until the next call. The error is ErrUnended for a
// line without an end, and io.EOF if there is no line now: Poll looks for more elsewhere.
func (f *File) Next() ([]byte, error) {
	if f.stream != nil {
		return f.stream.nextLine()
	}
	for i := 0; i < len(f.parts); i++ {
		p := f.parts[i]
		line, err := p.nextLine()
		switch {
		case err == nil, errors.Is(err, ErrUnended):
			return line, err
		case !errors.Is(err, io.EOF):
			f.readError = err
		case i == len(f.parts)-1:
			f.readError = nil
		}
		if i == len(f.parts)-1 && !f.static {
			break
		}
		if p.final {
			f.closePart(i)
			i--
		}
	}
	return nil, io.EOF
}

// closePart closes a part that was read to its end.
func (f *File) closePart(i int) {
	p := f.parts[i]
	f.longLines += p.split.tooLong
	f.rememberHead(p)
	p.close()
	f.parts = slices.Delete(f.parts, i, i+1)
}

// currentPart is the file as it is opened.
func (f *File) currentPart() *logPart {
	if len(f.parts) == 0 {
		return nil
	}
	return f.parts[len(f.parts)-1]
}

// PollChanges looks whether the file was rotated, truncated or deleted, or has returned, once
// Next has no more. A gap says that lines may be missing between the last one and the
// next, and why.
func (f *File) PollChanges() (gap string) {
	if f.static || f.stream != nil {
		return ""
	}
	for i, p := range f.parts {
		if i < len(f.parts)-1 && !p.final {
			p.idle++
			p.final = p.idle > idleMost
		}
	}
	info, err := os.Stat(f.path)
	if err != nil {
		f.isGone, f.err = errors.Is(err, fs.ErrNotExist), err
		if f.isGone {
			f.err = nil
		}
		return ""
	}
	f.size = info.Size()
	f.isGone, f.err = false, nil
	now := f.currentPart()
	if now != nil && now.cut {
		gap = f.beginTruncated(now)
	}
	if now == nil || !os.SameFile(info, now.info) {
		f.turnToNew()
	}
	if gap != "" {
		f.gaps++
	}
	return gap
}

// turnToNew goes on with the file that has the name now, behind what was written between.
func (f *File) turnToNew() {
	p, err := openPart(f.ctx, f.path)
	if err != nil {
		f.isGone, f.err = errors.Is(err, fs.ErrNotExist), err
		return
	}
	f.size = p.info.Size()
	p.final = p.gz != nil
	if was := f.currentPart(); was != nil && was.gz == nil {
		was.peekHead() // by which it is known under its new name, compressed or not
	}
	f.parts = append(append(f.parts, f.unreadRotated()...), p)
}

// unreadRotated are the rotated parts that nobody has read: what was written and rotated between
// two looks. The oldest comes first.
func (f *File) unreadRotated() (out []*logPart) {
	beside := rotatedParts(f.path)
	for _, path := range beside {
		plain := strings.TrimSuffix(path, ".gz")
		if plain != path && slices.Contains(beside, plain) {
			continue // it is being made of that one
		}
		p, err := openPart(f.ctx, path)
		if err != nil {
			continue
		}
		if len(p.head) == 0 || f.isKnown(p) {
			p.close()
			continue
		}
		p.final = true
		out = append(out, p)
	}
	slices.Reverse(out)
	return out
}

// noCopy is why lines may be missing after a truncation.
const noCopy = "no rotated copy of it was found"

// beginTruncated begins anew, behind what a rotated copy has that was not read yet.
func (f *File) beginTruncated(now *logPart) (gap string) {
	f.rememberHead(now)
	if rest := f.findCopyOf(now); rest != nil {
		rest.split, now.split = now.split, lineSplitter{}
		f.parts = slices.Insert(f.parts, len(f.parts)-1, rest)
	} else {
		gap = noCopy
		f.longLines += now.split.tooLong
		now.split = lineSplitter{}
	}
	if err := now.rewind(); err != nil {
		f.err = err
	}
	return gap
}

// findCopyOf is the rotated part with a content, behind what was read of it; nil for none.
func (f *File) findCopyOf(was *logPart) *logPart {
	for _, path := range rotatedParts(f.path) {
		p, err := openPart(f.ctx, path)
		if err != nil {
			continue
		}
		if beginAlike(p.head, was.head) && p.skipTo(was.raw) == nil && bytes.Equal(p.tail, was.tail) {
			p.final = true
			return p
		}
		p.close()
	}
	return nil
}

// State is how the file stands.
func (f *File) State() FileState {
	s := FileState{Path: words.CleanText(f.path), Place: f.place, Status: Following, Err: cmp.Or(f.err, f.readError), Size: f.size, Read: f.size,
		TooLong: f.longLines, Gaps: f.gaps}
	for _, p := range f.parts {
		s.TooLong += p.split.tooLong
	}
	switch now := f.currentPart(); {
	case f.stream != nil:
		f.stream.fillState(&s)
	case s.Err != nil:
		s.Status = Failed
	case f.isGone:
		s.Status = Gone
	case f.static && now == nil:
		s.Status = Ended
	case now != nil && now.gz == nil:
		s.Read = now.raw
	case now != nil:
		s.Read = -1
	}
	return s
}

// Path is the file's name.
func (f *File) Path() string { return f.path }

// Place returns the origin of the lines, as far as the path tells.
func (f *File) Place() LinePlace { return f.place }

// Finish says that nothing more is waited for: a last line without an end counts.
func (f *File) Finish() {
	for _, p := range f.parts {
		p.final = true
	}
	f.static = f.stream == nil
}

// IsOver says whether there will never be another line.
func (f *File) IsOver() bool {
	if f.stream != nil {
		return f.stream.isOver()
	}
	return f.static && len(f.parts) == 0
}

// Close closes what is open.
func (f *File) Close() {
	for _, p := range f.parts {
		p.close()
	}
	f.parts = nil
}

// IsPiped says whether it is no regular file: it can be read once.
func (f *File) IsPiped() bool { return f.stream != nil }
