package acllog

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
	ctx  context.Context // of every read
	path string
	file *os.File
	info fs.FileInfo
	gz   *gzip.Reader // nil: plain text
	raw  int64        // bytes of the content read
	head []byte       // its first bytes, read or not
	tail []byte       // the last ones before raw
	cut  bool         // what was read is not in the file any more
	// final says that nothing is added any more: a last line without an end counts.
	final bool
	idle  int   // times in a row that a renamed file had nothing new
	err   error // of a content that cannot be read to its end
	split lineSplitter
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
	p := &logPart{ctx: ctx, path: path, file: f, info: info}
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
	p.raw, p.tail, p.gz, p.cut, p.err = 0, nil, nil, false, nil
	p.peekHead()
	if !bytes.HasPrefix(p.head, gzipMagic) {
		return nil
	}
	packed := io.NewSectionReader(p.file, 0, math.MaxInt64)
	gz, err := gzip.NewReader(packed)
	if err != nil {
		return fmt.Errorf("read %s: %w", p.path, err)
	}
	p.gz, p.head = gz, p.head[:headMost]
	n, _ := io.ReadFull(gz, p.head)
	p.head = p.head[:n]
	_, _ = packed.Seek(0, io.SeekStart)
	return gz.Reset(packed)
}

// peekHead takes the first bytes of a plain file as they are now.
func (p *logPart) peekHead() {
	p.head = make([]byte, headMost)
	n, _ := p.file.ReadAt(p.head, 0)
	p.head = p.head[:n]
}

// skipTo goes on behind the first bytes of the content.
func (p *logPart) skipTo(off int64) error {
	if p.gz == nil {
		p.raw, p.tail = off, make([]byte, min(off, tailMost))
		_, err := p.file.ReadAt(p.tail, off-int64(len(p.tail)))
		return err
	}
	var b [chunk]byte
	for p.raw < off {
		if n, err := p.read(b[:min(int64(len(b)), off-p.raw)]); n == 0 {
			return err
		}
	}
	return nil
}

// read reads on; io.EOF says that there is nothing more now.
func (p *logPart) read(b []byte) (n int, err error) {
	switch {
	case p.ctx.Err() != nil:
		return 0, p.ctx.Err()
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
	if room := headMost - p.raw; room > 0 {
		p.head = append(p.head[:p.raw], b[:min(room, int64(len(b)))]...)
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
	_ = p.file.Close()
	p.split.dropBuffer()
}

// beginAlike reports whether two contents begin alike, as far as both go.
func beginAlike(a, b []byte) bool {
	n := min(len(a), len(b))
	return n > 0 && bytes.Equal(a[:n], b[:n])
}
