package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// Open opens any file. The wait for a FIFO's writer and every read end with ctx. Close ends an abandoned read if possible.
func Open(ctx context.Context, name string) (io.ReadCloser, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	type opened struct {
		f   *os.File
		err error
	}
	got := make(chan opened)
	go func() {
		f, err := os.Open(name)
		select {
		case got <- opened{f, err}:
		case <-ctx.Done():
			if err == nil {
				_ = f.Close()
			}
		}
	}()
	select {
	case o := <-got:
		if o.err != nil {
			return nil, o.err
		}
		return struct {
			io.Reader
			io.Closer
		}{PatientReader(ctx, o.f), o.f}, nil
	case <-ctx.Done():
		return nil, &fs.PathError{Op: "open", Path: name, Err: ctx.Err()}
	}
}

// ReadFile reads a file of any kind, up to limit bytes, until ctx ends.
func ReadFile(ctx context.Context, name string, limit int64) ([]byte, error) {
	f, err := Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readUpTo(name, f, limit)
}

func readUpTo(name string, r io.Reader, limit int64) ([]byte, error) {
	text, err := ReadAll(r, 0, limit)
	if err == ErrTooLarge {
		err = &fs.PathError{Op: "read", Path: name, Err: err}
	}
	return text, err
}

// ReadAll reads to the end; ErrTooLarge if that is over limit bytes. hint is the expected size, 0 if unknown.
func ReadAll(r io.Reader, hint, limit int64) ([]byte, error) {
	var b bytes.Buffer
	if hint > 0 && hint < limit {
		b.Grow(int(hint) + bytes.MinRead)
	}
	n, err := b.ReadFrom(io.LimitReader(r, limit+1))
	if err == nil && n > limit {
		err = ErrTooLarge
	}
	if err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// SizeText returns a limit for people: "64 MiB".
func SizeText(bytes int64) string {
	if bytes >= 1<<20 && bytes%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%d bytes", bytes)
}

// graceTime is how long RunUntil waits for a call after its context ended.
const graceTime = time.Second

// RunUntil runs f, which ends with ctx. If f hangs in the kernel, RunUntil abandons it and returns a second
// after ctx ended. Examples: a network file whose server is gone, and /proc/kmsg.
func RunUntil(ctx context.Context, f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
		return
	case <-ctx.Done():
	}
	select {
	case <-done:
	case <-time.After(graceTime):
	}
}

// PatientReader makes the reads of r end with ctx. It never reads ahead. A read under way when ctx ends is
// abandoned, and its bytes are lost. Reads must not be concurrent.
func PatientReader(ctx context.Context, r io.Reader) io.Reader { return &patientReader{ctx: ctx, r: r} }

type patientReader struct {
	ctx context.Context
	r   io.Reader
	buf []byte // the read goroutine's; an abandoned one keeps it
}

// maxChunk bounds one read, in bytes.
const maxChunk = 64 << 10

func (b *patientReader) Read(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	if len(p) == 0 {
		return 0, nil
	}
	n := min(len(p), maxChunk)
	if len(b.buf) < n {
		b.buf = make([]byte, n)
	}
	type read struct {
		n   int
		err error
	}
	got := make(chan read, 1)
	go func(buf []byte) {
		n, err := b.r.Read(buf)
		got <- read{n, err}
	}(b.buf[:n])
	select {
	case x := <-got:
		return copy(p, b.buf[:x.n]), x.err
	case <-b.ctx.Done():
		b.buf = nil
		// End the read if the file supports deadlines, so that it takes no byte from the next reader.
		if d, ok := b.r.(interface{ SetReadDeadline(time.Time) error }); ok {
			_ = d.SetReadDeadline(time.Unix(1, 0))
		}
		return 0, b.ctx.Err()
	}
}

// ErrNotRegular is wrapped by errors about a special file in place of a regular one.
var ErrNotRegular = errors.New("only regular files are read here")

// ErrTooLarge is wrapped by errors about a file over its reader's limit.
var ErrTooLarge = errors.New("too large")

// WithoutPath returns an error without its path, for messages that already name the path.
func WithoutPath(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}

// FileKind names the kind of an irregular file: "a named pipe (FIFO)". It is empty for a regular file.
func FileKind(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return ""
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe (FIFO)"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	}
	return "a special file"
}

// OpenRegular opens a regular file, or a link to one, and nothing else. It never waits, even if a FIFO
// replaces the file meanwhile. The open file can still be renamed.
func OpenRegular(name string) (*os.File, error) {
	f, err := openShared(name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: name, Err: fmt.Errorf("is %s: %w", FileKind(info.Mode()), ErrNotRegular)}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// ReadRegular reads a regular file of up to limit bytes, without waiting.
func ReadRegular(name string, limit int64) ([]byte, error) {
	f, err := OpenRegular(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readUpTo(name, f, limit)
}
