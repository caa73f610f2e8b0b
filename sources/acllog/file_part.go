package acllog

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"rung/sources/files"
)

// headMost bounds the kept beginning of a content. Lines have times, so equal beginnings mean equal contents.
const headMost = 1 << 10

var gzipMagic = []byte{0x1f, 0x8b}

// logPart is one content being read: an open file, or a copy of one.
type logPart struct {
	ctx   context.Context // of every read
	file  *os.File
	info  fs.FileInfo
	gz    io.Reader // the content of a compressed file; nil for plain text
	taken int64     // bytes of the content read so far
	head  []byte    // its first bytes, read or not
	isCut bool      // bytes already read are no longer in the file
	// final means that the file no longer grows: a last line without an end counts.
	final bool
	idle  int // polls in a row in which a renamed file had nothing new
	lines lineReader
}

// openPart opens a file at its beginning.
func openPart(ctx context.Context, path string) (*logPart, error) {
	file, err := files.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	p := &logPart{ctx: ctx, file: file}
	p.info, err = file.Stat()
	if err == nil {
		err = p.restart()
	}
	if err == nil && bytes.HasPrefix(p.head, gzipMagic) {
		err = p.unzip()
	}
	if err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("read %s: %w", path, files.WithoutPath(err))
	}
	return p, nil
}

// restart goes back to the beginning of a plain file.
func (p *logPart) restart() (err error) {
	p.taken, p.isCut, p.lines = 0, false, newLineReader(p)
	p.head, err = p.peekHead()
	return err
}

// unzip reads the file as gzip from now on.
func (p *logPart) unzip() error {
	gz, err := gzip.NewReader(p.file)
	if err != nil {
		return err
	}
	p.head = make([]byte, headMost)
	n, _ := io.ReadFull(gz, p.head) // an error comes again with the next read
	p.head = p.head[:n]
	p.gz = io.MultiReader(bytes.NewReader(p.head), gz)
	return nil
}

// peekHead returns the present first bytes of a plain file.
func (p *logPart) peekHead() ([]byte, error) {
	head := make([]byte, headMost)
	n, err := p.file.ReadAt(head, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return head[:n], err
}

// Read reads on, for lines. It returns io.EOF after a truncation.
func (p *logPart) Read(b []byte) (n int, err error) {
	switch {
	case p.ctx.Err() != nil:
		return 0, p.ctx.Err()
	case p.gz != nil:
		n, err = p.gz.Read(b)
		if err != nil && !errors.Is(err, io.EOF) {
			err = fmt.Errorf("decompress %s: %w", p.file.Name(), err)
		}
	default:
		if err := p.findTruncation(); err != nil {
			return 0, err
		}
		n, err = p.file.ReadAt(b, p.taken)
	}
	if n > 0 {
		p.idle = 0
	}
	p.taken += int64(n)
	return n, err
}

// findTruncation returns io.EOF if the file was truncated. If it has grown again since, its beginning differs.
func (p *logPart) findTruncation() error {
	info, err := p.file.Stat()
	if err != nil {
		return err
	}
	head, err := p.peekHead()
	if err != nil {
		return err
	}
	known := p.head[:min(p.taken, int64(len(p.head)))]
	if p.isCut || info.Size() < p.taken || !bytes.HasPrefix(head, known) {
		p.isCut = true
		return io.EOF
	}
	p.head = head
	return nil
}

// skipTo skips the first n bytes of the content; false if it has fewer.
func (p *logPart) skipTo(n int64) bool {
	if p.gz == nil {
		p.taken = n
		return p.info.Size() >= n
	}
	_, err := io.CopyN(io.Discard, p, n)
	return err == nil
}

func (p *logPart) close() { _ = p.file.Close() }

// beginAlike reports whether one of two contents begins with the other.
func beginAlike(a, b []byte) bool {
	n := min(len(a), len(b))
	return n > 0 && bytes.Equal(a[:n], b[:n])
}
