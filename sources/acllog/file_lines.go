package acllog

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
)

// chunk is the size of the read buffer.
const chunk = 16 << 10

// mark is the byte order mark that Windows programs put before a text, also within joined ones: no part of a line.
var mark = []byte("\xef\xbb\xbf")

// ErrUnended comes with the last line of a file or pipe if it has no end of line: its rest may be missing.
var ErrUnended = errors.New("the last line has no end")

// errTooLong replaces a line longer than MaxLine.
var errTooLong = errors.New("the line is too long")

// lineReader reads lines from a file that may grow. It keeps the beginning of an unfinished line.
type lineReader struct {
	in     *bufio.Reader
	begun  []byte
	isLong bool // the unfinished line is too long
}

func newLineReader(in io.Reader) lineReader { return lineReader{in: bufio.NewReaderSize(in, chunk)} }

// next returns the next non-empty line without its end, valid until the next call. The error is io.EOF if no
// whole line is left now, and errTooLong for a skipped line.
func (l *lineReader) next() ([]byte, error) {
	for {
		part, err := l.in.ReadSlice('\n')
		if err != nil {
			l.keepBegun(part)
			if errors.Is(err, bufio.ErrBufferFull) {
				continue
			}
			return nil, err
		}
		line := part[:len(part)-1]
		if len(l.begun) > 0 {
			line = append(l.begun, line...)
		}
		isLong := l.isLong || len(line) > MaxLine
		l.begun, l.isLong = l.begun[:0], false
		switch {
		case isLong:
			return nil, errTooLong
		case len(line) > 0:
			return stripLine(line), nil
		}
	}
}

func (l *lineReader) keepBegun(part []byte) {
	l.isLong = l.isLong || len(l.begun)+len(part) > MaxLine
	if l.isLong {
		l.begun = nil
	} else {
		l.begun = append(l.begun, part...)
	}
}

// last returns and forgets the unfinished line, with ErrUnended; io.EOF if there is none.
func (l *lineReader) last() ([]byte, error) {
	line, isLong := l.begun, l.isLong
	l.begun, l.isLong = nil, false
	switch {
	case isLong:
		return nil, errTooLong
	case len(line) > 0:
		return stripLine(line), ErrUnended
	}
	return nil, io.EOF
}

// stripLine removes the byte order mark and the carriage return of Windows.
func stripLine(line []byte) []byte {
	return bytes.TrimPrefix(bytes.TrimSuffix(line, []byte("\r")), mark)
}

// pipedLine is a line of a pipe, or the error instead of one.
type pipedLine struct {
	text []byte
	err  error
}

// waitingLines is the number of lines read ahead from a pipe.
const waitingLines = 1024

// readPipe sends the lines of a pipe until it or ctx ends, then closes the channel. It calls wake after each.
func readPipe(ctx context.Context, to chan<- pipedLine, wake func(), open func() (io.ReadCloser, error)) {
	defer wake()
	defer close(to)
	send := func(line []byte, err error) bool {
		select {
		case to <- pipedLine{bytes.Clone(line), err}:
			wake()
			return true
		case <-ctx.Done():
			return false
		}
	}
	in, err := open()
	if err != nil {
		send(nil, err)
		return
	}
	defer in.Close()
	lines := newLineReader(in)
	for {
		line, err := lines.next()
		switch {
		case err == nil, errors.Is(err, errTooLong):
			if !send(line, err) {
				return
			}
			continue
		case errors.Is(err, io.EOF):
			line, err = lines.last()
		}
		if !errors.Is(err, io.EOF) {
			send(line, err)
		}
		return
	}
}
