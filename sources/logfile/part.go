package logfile

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"

	"rung/sources/files"
)

const (
	// headMost is how much of the beginning of a content is kept: lines have times, so
	// that two contents that begin alike are one.
	headMost = 1 << 10
	// tailMost is how much before the place is compared with what was read there: more than
	// a line, since two lines may differ by their times only.
	tailMost = 2 << 10
)

// logPart is one content that is read: a file as it was opened, or a copy of one.
type logPart struct {
	path       string
	file       *contextFile
	info       fs.FileInfo
	gz         *gzip.Reader      // nil: plain text
	gzipSource *io.SectionReader // what gz reads
	raw        int64             // bytes of the content read
	head       []byte            // its first bytes
	tail       []byte            // the last ones before raw
	cut        bool
	// final says that nothing is added any more: a last line without an end counts.
	final  bool
	idle   int    // times in a row that a renamed file had nothing new
	peeked []byte // what peek found
	err    error  // of a content that cannot be read to its end
	split  lineSplitter
}

// contextFile is a file whose reads end with a context.
type contextFile struct {
	*os.File
	ctx context.Context
}

// ReadAt reads, unless the context has ended.
func (e *contextFile) ReadAt(b []byte, off int64) (int, error) {
	if err := e.ctx.Err(); err != nil {
		return 0, err
	}
	return e.File.ReadAt(b, off)
}

// openPart opens a file at its beginning.
func openPart(ctx context.Context, path string) (*logPart, error) {
	f, err := openShared(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("it is %s: %w", files.FileKind(info.Mode()), files.ErrNotRegular)}
	}
	p := &logPart{path: path, file: &contextFile{f, ctx}, info: info}
	if err == nil {
		err = p.rewind()
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return p, nil
}

var gzipMagic = []byte{0x1f, 0x8b}

// rewind begins at the beginning.
func (p *logPart) rewind() error {
	p.split.dropBuffer()
	p.raw, p.head, p.tail, p.gz, p.err = 0, nil, nil, nil, nil
	var magic [2]byte
	if n, _ := p.file.ReadAt(magic[:], 0); n == 2 && bytes.Equal(magic[:], gzipMagic) {
		from := io.NewSectionReader(p.file, 0, math.MaxInt64)
		gz, err := gzip.NewReader(from)
		if err != nil {
			return fmt.Errorf("read %s: %w", p.path, err)
		}
		p.gz, p.gzipSource = gz, from
	}
	return nil
}

// seekTo goes on at a place of plain text.
func (p *logPart) seekTo(off int64) {
	p.split.dropBuffer()
	p.raw, p.tail = off, make([]byte, min(off, tailMost))
	_, _ = p.file.ReadAt(p.tail, off-int64(len(p.tail)))
	p.head = make([]byte, min(off, headMost))
	_, _ = p.file.ReadAt(p.head, 0)
}

// skipKnown reads away what was read of the same content elsewhere.
func (p *logPart) skipKnown(off int64) error {
	if p.gz == nil {
		p.seekTo(off)
		return nil
	}
	var b [chunk]byte
	for p.raw < off {
		n, err := p.read(b[:min(int64(len(b)), off-p.raw)])
		if n == 0 {
			return err
		}
	}
	return nil
}

// read reads on; io.EOF says that there is nothing more now.
func (p *logPart) read(b []byte) (n int, err error) {
	switch {
	case p.cut:
		return 0, io.EOF
	case p.err != nil:
		return 0, p.err
	case p.gz != nil:
		n, err = p.gz.Read(b)
		if err != nil && !errors.Is(err, io.EOF) {
			p.err = fmt.Errorf("decompress %s: %w", p.path, err)
			err = p.err
		}
	default:
		// The end of the text read before is read once more, so that a file that was
		// truncated and has grown again is noticed before anything of it is taken.
		k := len(p.tail)
		n, err = p.file.ReadAt(b, p.raw-int64(k))
		if n < k || !bytes.Equal(b[:k], p.tail) {
			if err == nil || errors.Is(err, io.EOF) {
				p.cut, err = true, io.EOF
			}
			return 0, err
		}
		copy(b, b[k:n])
		n -= k
	}
	p.noteRead(b[:n])
	if n > 0 {
		err = nil
	}
	return n, err
}

// noteRead remembers where reading stands.
func (p *logPart) noteRead(b []byte) {
	if room := headMost - len(p.head); room > 0 && int64(len(p.head)) == p.raw {
		p.head = append(p.head, b[:min(room, len(b))]...)
	}
	p.raw += int64(len(b))
	if len(b) >= tailMost {
		p.tail = append(p.tail[:0], b[len(b)-tailMost:]...)
		return
	}
	p.tail = append(p.tail, b...)
	if over := len(p.tail) - tailMost; over > 0 {
		p.tail = append(p.tail[:0], p.tail[over:]...)
	}
}

// nextLine returns the next line. The error is ErrUnended for a last line without an end, and
// io.EOF if there is no line now.
func (p *logPart) nextLine() ([]byte, error) {
	for {
		if line, ok := p.split.nextLine(); ok {
			return line, nil
		}
		n, err := p.split.fillBuffer(p.read)
		if n > 0 {
			p.idle = 0
			continue
		}
		if p.final && errors.Is(err, io.EOF) {
			if line, ok := p.split.lastLine(); ok {
				return line, ErrUnended
			}
		}
		if err == nil {
			err = io.EOF
		}
		return nil, err
	}
}

func (p *logPart) close() {
	if p != nil && p.file != nil {
		_ = p.file.Close()
		p.split.dropBuffer()
	}
}

// contentID identifies a file that was read: its first and last bytes, and its length.
type contentID struct {
	head, tail []byte
	raw        int64
}

func (p *logPart) content() contentID {
	return contentID{head: bytes.Clone(p.head), tail: bytes.Clone(p.tail), raw: p.raw}
}

// currentContent returns the beginning of a plain file as it is now, whatever was read of it.
func (p *logPart) currentContent() contentID {
	if p.gz != nil {
		return contentID{}
	}
	p.peeked = nil
	return contentID{head: p.peekStart()}
}

// matchesStart says whether a part that was just opened begins as the content does, as far as
// both go.
func (c *contentID) matchesStart(p *logPart) bool {
	head := p.peekStart()
	n := min(len(head), len(c.head))
	return n > 0 && bytes.Equal(head[:n], c.head[:n])
}

// peekStart is the beginning of a part that was just opened; it stays at the beginning.
func (p *logPart) peekStart() []byte {
	if p.peeked == nil {
		b := make([]byte, headMost)
		var n int
		if p.gz == nil {
			n, _ = p.file.ReadAt(b, 0)
		} else {
			n, _ = io.ReadFull(p.gz, b)
			_ = p.rewind()
		}
		p.peeked = b[:n]
	}
	return p.peeked
}
