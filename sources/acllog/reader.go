package acllog

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"rung/model"
)

// Reader reads lines from a stream and hands on those of acl_log.
type Reader struct {
	zone  string
	in    *bufio.Reader
	long  []byte // the beginning of a line longer than in's buffer
	stats struct{ lines, parsed, other, tooLong, unparsable atomic.Uint64 }
	last  atomic.Pointer[string]
}

// Stats counts what a Reader has read.
type Stats struct {
	Lines      uint64 // all lines
	Parsed     uint64 // handed on
	Other      uint64 // not of acl_log
	TooLong    uint64 // longer than MaxLine: lost
	Unparsable uint64 // of acl_log, but in no form known: lost
	// LastError says what was wrong with the last unparsable line, clean.
	LastError string
}

// NewReader makes a Reader of the lines that a zone's ovn-controller writes.
func NewReader(in io.Reader, zone string) *Reader {
	return &Reader{zone: zone, in: bufio.NewReader(in)}
}

// Stats may be called at any time, from any goroutine.
func (r *Reader) Stats() Stats {
	s := Stats{Lines: r.stats.lines.Load(), Parsed: r.stats.parsed.Load(), Other: r.stats.other.Load(),
		TooLong: r.stats.tooLong.Load(), Unparsable: r.stats.unparsable.Load()}
	if last := r.last.Load(); last != nil {
		s.LastError = *last
	}
	return s
}

// Run calls sink for every acl_log line, in order, until the stream ends, for
// which it returns nil, or cannot be read. Closing the stream ends it. A last
// line without an end counts only when the stream ended properly: a broken
// stream may have cut a number short. Run must be called once.
func (r *Reader) Run(sink func(model.LogLine)) error {
	for {
		line, tooLong, err := r.readLine()
		ended := errors.Is(err, io.EOF)
		if err == nil || ended && (len(line) > 0 || tooLong) {
			r.take(line, tooLong, sink)
		}
		switch {
		case ended:
			return nil
		case err != nil:
			return fmt.Errorf("reading the ACL log of %s: %w", r.zone, err)
		}
	}
}

// readLine returns the next line, valid until the next call. Ordinary lines fit
// the small buffer; of longer ones it keeps up to MaxLine bytes and reads past
// the rest.
func (r *Reader) readLine() (line []byte, tooLong bool, err error) {
	if line, err = r.in.ReadSlice('\n'); !errors.Is(err, bufio.ErrBufferFull) {
		return line, false, err
	}
	r.long = r.long[:0]
	for {
		if tooLong = tooLong || len(r.long)+len(line) > MaxLine; !tooLong {
			r.long = append(r.long, line...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return r.long, tooLong, err
		}
		line, err = r.in.ReadSlice('\n')
	}
}

func (r *Reader) take(line []byte, tooLong bool, sink func(model.LogLine)) {
	r.stats.lines.Add(1)
	if tooLong {
		r.stats.tooLong.Add(1)
		return
	}
	if !bytes.Contains(line, []byte("|acl_log")) { // spares other lines the copy
		r.stats.other.Add(1)
		return
	}
	l, err := Parse(string(line))
	switch {
	case errors.Is(err, ErrNotACL):
		r.stats.other.Add(1)
	case err != nil:
		r.stats.unparsable.Add(1)
		text := err.Error()
		r.last.Store(&text)
	default:
		l.Zone = r.zone
		r.stats.parsed.Add(1)
		sink(l)
	}
}
