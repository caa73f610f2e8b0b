package acllog

import (
	"bytes"
)

// chunk is how much is read at once.
const chunk = 32 << 10

// mark is the byte order mark that programs of Windows begin a text with, and that stands
// within one that was put together of several: it is no part of a line.
var mark = []byte("\xef\xbb\xbf")

// stripLine is a line without what is no part of it.
func stripLine(line []byte) []byte {
	return bytes.TrimPrefix(bytes.TrimSuffix(line, []byte("\r")), mark)
}

// lineSplitter makes lines of bytes.
type lineSplitter struct {
	buf        []byte
	start, end int // of what is not handed on yet
	begin      int // of the line handed on last
	looked     int // up to here there is no end of a line
	skipping   bool
	tooLong    uint64
}

// nextLine is the next whole line that is there, without its end; empty ones are none. It is
// valid until more is read.
func (s *lineSplitter) nextLine() (line []byte, ok bool) {
	for {
		for s.start == s.looked && s.start < s.end && s.buf[s.start] == '\n' && !s.skipping {
			s.start++
			s.looked++
		}
		i := bytes.IndexByte(s.buf[s.looked:s.end], '\n')
		if i < 0 {
			s.looked = s.end
			if s.end-s.start > MaxLine {
				s.skipping, s.start = true, s.end
			}
			return nil, false
		}
		line, s.begin = s.buf[s.start:s.looked+i], s.start
		s.start = s.looked + i + 1
		s.looked = s.start
		if s.skipping || len(line) > MaxLine {
			s.skipping = false
			s.tooLong++
			continue
		}
		return stripLine(line), true
	}
}

// lastLine returns the text behind the last end of a line, and forgets it.
func (s *lineSplitter) lastLine() (line []byte, ok bool) {
	line = s.buf[s.start:s.end]
	ok = len(line) > 0 && !s.skipping && len(line) <= MaxLine
	if s.skipping || len(line) > MaxLine {
		s.tooLong++
	}
	s.dropBuffer()
	return stripLine(line), ok
}

// dropBuffer forgets what is there, and the room for it.
func (s *lineSplitter) dropBuffer() { *s = lineSplitter{tooLong: s.tooLong} }

// fillBuffer reads more.
func (s *lineSplitter) fillBuffer(read func([]byte) (int, error)) (int, error) {
	if s.start == s.end {
		s.start, s.end, s.looked = 0, 0, 0
	}
	if s.start > 0 {
		copy(s.buf, s.buf[s.start:s.end])
		s.end, s.looked, s.start = s.end-s.start, s.looked-s.start, 0
	}
	if len(s.buf)-s.end < chunk {
		s.buf = append(make([]byte, 0, s.end+2*chunk), s.buf[:s.end]...)[:s.end+2*chunk]
	}
	n, err := read(s.buf[s.end:])
	s.end += n
	if n == 0 && s.end == 0 {
		s.buf = nil // a file at its end needs no room
	}
	return n, err
}
