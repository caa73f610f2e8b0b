package acllog

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"time"

	"rung/model/logline"
	"rung/model/words"
)

// File is one log: a file with its rotated parts, or a pipe. Its Stream has the place named by the path, and
// counts kept by the reader of the file.
type File struct {
	logline.Stream
	// Name is the log's name, without folders unless another log has the same name.
	Name string
	// Gap says why lines may be missing before the next one; the reader that reports it clears it.
	Gap string

	ctx    context.Context // of every read
	path   string
	static bool             // never checked again after it was read: compressed, or rotated away
	pipe   <-chan pipedLine // the lines of a pipe or standard input; nil for a file
	isDone bool             // the pipe ended

	parts     []*logPart // the last is the current file; those before are read to their ends
	heads     [][]byte   // first bytes of contents read before, or read by others
	isGone    bool
	err       error // of opening or checking the path
	readError error // of reading the content
}

const (
	// idleMost is how many polls in a row a renamed file may have nothing new before it is closed. Its writer
	// goes on for a while, until it opens the new file.
	idleMost = 240
	// headsMost bounds the remembered beginnings.
	headsMost = 256
	// noCopy explains a gap after a truncation.
	noCopy = "no rotated copy was found"
)

// newFile opens a file; ctx ends its reads.
func newFile(ctx context.Context, path string, static bool) (*File, error) {
	p, err := openPart(ctx, path)
	if err != nil {
		return nil, err
	}
	f := &File{Stream: placedStream(path), ctx: ctx, path: path, static: static || p.gz != nil, parts: []*logPart{p}}
	p.final = f.static
	if !f.static {
		f.takeRotated(func(p *logPart) bool { // so that it is not taken as new under another name later
			f.rememberHead(p)
			return false
		})
	}
	return f, nil
}

// placedStream returns the first state of a file.
func placedStream(path string) logline.Stream {
	at := ParsePlace(path)
	return logline.Stream{File: words.CleanText(path), Zone: at.Node, Namespace: at.Namespace, Pod: at.Pod, Container: at.Container}
}

func (f *File) rememberHead(p *logPart) {
	f.heads = append(f.heads, p.head)
	f.heads = f.heads[max(0, len(f.heads)-headsMost):]
}

// isKnown reports whether a content was read or is being read, under any name.
func (f *File) isKnown(x *logPart) bool {
	return slices.ContainsFunc(f.heads, func(head []byte) bool { return beginAlike(head, x.head) }) ||
		slices.ContainsFunc(f.parts, func(p *logPart) bool { return beginAlike(p.head, x.head) })
}

// Next returns the next line, valid until the next call. The error is ErrUnended for a line without an end,
// and io.EOF if no line is left now: PollChanges looks for more elsewhere.
func (f *File) Next() ([]byte, error) {
	for {
		line, err := f.nextOfParts()
		if !errors.Is(err, errTooLong) {
			return line, err
		}
		f.TooLong++
	}
}

func (f *File) nextOfParts() ([]byte, error) {
	if f.pipe != nil {
		return f.nextOfPipe()
	}
	for i := 0; i < len(f.parts); {
		p := f.parts[i]
		line, err := p.lines.next()
		if errors.Is(err, io.EOF) && p.final {
			line, err = p.lines.last()
		}
		switch {
		case isLine(err):
			return line, err
		case !errors.Is(err, io.EOF):
			f.readError = err
		case i == len(f.parts)-1:
			f.readError = nil
		}
		if !p.final {
			i++
			continue
		}
		f.rememberHead(p)
		p.close()
		f.parts = slices.Delete(f.parts, i, i+1)
	}
	return nil, io.EOF
}

func (f *File) nextOfPipe() ([]byte, error) {
	select {
	case x, more := <-f.pipe:
		switch {
		case more && isLine(x.err):
			return x.text, x.err
		case more && f.ctx.Err() == nil:
			f.readError = x.err
		}
		f.isDone = true
	default:
	}
	return nil, io.EOF
}

// isLine reports whether a line comes with an error, whole or not.
func isLine(err error) bool {
	return err == nil || errors.Is(err, ErrUnended) || errors.Is(err, errTooLong)
}

// currentPart returns the part opened last.
func (f *File) currentPart() *logPart {
	if len(f.parts) == 0 {
		return nil
	}
	return f.parts[len(f.parts)-1]
}

// PollChanges checks whether the file was rotated, truncated or deleted, or returned. Call it after Next's io.EOF.
func (f *File) PollChanges() {
	if f.static || f.pipe != nil {
		return
	}
	now := f.currentPart()
	for _, p := range f.parts {
		if p != now && !p.final {
			p.idle++
			p.final = p.idle > idleMost
		}
	}
	info, err := os.Stat(f.path)
	if now.isCut {
		f.resumeTruncated(now)
	}
	switch {
	case err != nil:
	case os.SameFile(info, now.info):
		now.info = info
	default:
		err = f.followNewFile(now)
	}
	f.isGone = errors.Is(err, fs.ErrNotExist)
	if f.isGone {
		err = nil
	}
	f.err = err
}

// followNewFile goes on with the file that has the name now. Before it come the unread rotated parts, oldest
// first: lines written and rotated between two polls.
func (f *File) followNewFile(was *logPart) error {
	p, err := openPart(f.ctx, f.path)
	if err != nil {
		return err
	}
	if head, err := was.peekHead(); err == nil && was.gz == nil {
		was.head = head // to know it under its new name, compressed or not
	}
	unread := f.takeRotated(func(p *logPart) bool { return len(p.head) > 0 && !f.isKnown(p) })
	slices.Reverse(unread)
	f.parts = append(append(f.parts, unread...), p)
	return nil
}

// resumeTruncated restarts the truncated file, after the unread lines of its rotated copy. Without a copy it notes a gap.
func (f *File) resumeTruncated(now *logPart) {
	f.rememberHead(now)
	var rest *logPart
	f.takeRotated(func(p *logPart) bool {
		if rest != nil || !beginAlike(p.head, now.head) || !p.skipTo(now.taken) {
			return false
		}
		rest = p
		return true
	})
	if rest != nil {
		rest.lines.begun, rest.lines.isLong = now.lines.begun, now.lines.isLong
		f.parts = slices.Insert(f.parts, len(f.parts)-1, rest)
	} else {
		f.Gap = noCopy
		f.Gaps++
	}
	if err := now.restart(); err != nil {
		f.readError = err
	}
}

// takeRotated opens the rotated parts beside the log, newest first, and returns the wanted ones.
func (f *File) takeRotated(isWanted func(*logPart) bool) (out []*logPart) {
	for _, path := range rotatedParts(f.path) {
		p, err := openPart(f.ctx, path)
		switch {
		case err != nil:
		case isWanted(p):
			p.final = true
			out = append(out, p)
		default:
			p.close()
		}
	}
	return out
}

// State returns the Stream of the file with its state at the time now.
func (f *File) State(now time.Time) logline.Stream {
	s := f.Stream
	s.State, s.Zone = logline.StreamOpen, f.Origin()
	p := f.currentPart()
	switch err := cmp.Or(f.err, f.readError); {
	case err != nil:
		s.State, s.Error = logline.StreamFailed, errorText(err)
	case f.isGone:
		s.State = logline.StreamGone
	case f.IsOver():
		s.State = logline.StreamEnded
	case p != nil && p.gz != nil:
		s.Behind = -1 // the size is unknown before the end
	case p != nil:
		s.Behind = max(0, p.info.Size()-p.taken)
	}
	if s.State != f.Stream.State {
		f.Stream.State, f.Since, s.Since = s.State, now, now
	}
	return s
}

// Origin returns the source of the lines: the node, else the pod, else the file.
func (f *File) Origin() string { return cmp.Or(f.Zone, f.Pod, f.Name) }

// errorText returns in one line why a file cannot be read, and what to do.
func errorText(err error) string {
	text := words.CleanText(err.Error())
	if errors.Is(err, fs.ErrPermission) {
		text += "; give the user who runs Rung read permission"
	}
	return text
}

// Finish stops waiting for more: a last line without an end counts.
func (f *File) Finish() {
	for _, p := range f.parts {
		p.final = true
	}
	f.static = f.pipe == nil
}

// IsOver reports whether there will never be another line.
func (f *File) IsOver() bool { return f.isDone || f.static && len(f.parts) == 0 }

// Close closes the open parts.
func (f *File) Close() {
	for _, p := range f.parts {
		p.close()
	}
	f.parts = nil
}

// IsPiped reports whether the log is a pipe, which can be read only once.
func (f *File) IsPiped() bool { return f.pipe != nil }
