package logfile

import (
	"bytes"
	"errors"
	"io"
	"time"
)

// TimeOf is the time of a line; ok is false for one that has none.
type TimeOf func(line []byte) (at time.Time, ok bool)

const (
	block = 256 << 10
	// backMost bounds how far SeekLastLines looks back, in bytes.
	backMost = 64 << 20
	// spanMost is how far a time is looked for at the beginning and at the end.
	spanMost = 4 << 20
)

// SeekLastLines goes on with the last n lines that count, at most backMost before the end.
// All lines count where counts is nil.
func (f *File) SeekLastLines(n int, counts func([]byte) bool) error {
	p := f.currentPart()
	switch {
	case p == nil:
		return nil
	case p.gz != nil:
		return p.skipTo(n, counts)
	}
	info, err := p.file.Stat()
	if err != nil {
		return err
	}
	off, err := backLines(p.file, info.Size(), backMost, n, counts)
	if err == nil {
		p.seekTo(off)
	}
	return err
}

// LastTime is the time of the last line that has one, if that is not far from the end; of
// a compressed file when it was last written.
func (f *File) LastTime(of TimeOf) (last time.Time) {
	p := f.currentPart()
	if p == nil {
		return last
	}
	if p.gz != nil {
		return p.info.ModTime()
	}
	info, err := p.file.Stat()
	if err != nil {
		return last
	}
	_, _ = backLines(p.file, info.Size(), spanMost, 1, func(line []byte) bool {
		at, ok := of(line)
		if ok {
			last = at
		}
		return ok
	})
	return last
}

// FirstTime is the time of the first line that has one, if that is near the beginning.
func (f *File) FirstTime(of TimeOf) (first time.Time) {
	p := f.currentPart()
	if p == nil {
		return first
	}
	var in io.Reader = io.NewSectionReader(p.file, 0, spanMost)
	if p.gz != nil {
		defer func() { _ = p.rewind() }()
		in = io.LimitReader(p.gz, spanMost)
	}
	_ = eachLine(in, 0, func(_ int64, line []byte) bool {
		var ok bool
		first, ok = of(line)
		return !ok
	})
	return first
}

// skipTo reads a compressed content twice: to count, and to stand before the last n lines
// that count.
func (p *logPart) skipTo(n int, counts func([]byte) bool) error {
	count := func(upto int) (all int, err error) {
		if err = p.rewind(); err != nil {
			return 0, err
		}
		for all < upto || upto < 0 {
			line, err := p.nextLine()
			if err != nil {
				if errors.Is(err, io.EOF) {
					err = nil
				}
				return all, err
			}
			if counts == nil || counts(line) {
				all++
			}
		}
		return all, nil
	}
	all, err := count(-1)
	if err != nil || n == 0 {
		return err
	}
	_, err = count(max(0, all-n))
	return err
}

// eachLine hands on whole lines with their places until f says no.
func eachLine(in io.Reader, off int64, f func(begin int64, line []byte) bool) error {
	var s lineSplitter
	for {
		for line, ok := s.nextLine(); ok; line, ok = s.nextLine() {
			if !f(off-int64(s.end-s.begin), line) {
				return nil
			}
		}
		n, err := s.fillBuffer(in.Read)
		off += int64(n)
		if n == 0 {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

// backLines is where the last n lines that count begin, looking back from a place, and no
// further than most.
func backLines(r io.ReaderAt, end, most int64, n int, counts func([]byte) bool) (int64, error) {
	if n <= 0 {
		return end, nil
	}
	room := make([]byte, block)
	low := max(0, end-most)
	found, last := 0, true
	for end > low {
		begin := max(low, end-int64(len(room)))
		b := room[:end-begin]
		if k, err := r.ReadAt(b, begin); k < len(b) {
			return end, err
		}
		// b ends behind the end of a line, but at the end of the file.
		text := b
		if text[len(text)-1] == '\n' {
			text = text[:len(text)-1]
		} else if last {
			cut := bytes.LastIndexByte(text, '\n')
			if cut < 0 {
				end = begin
				continue
			}
			text = text[:cut] // a line that has not ended yet
		}
		last = false
		for {
			i := bytes.LastIndexByte(text, '\n')
			if i < 0 && begin > low {
				break // its beginning stands in the block before
			}
			if i < 0 && low > 0 {
				return begin + int64(len(text)) + 1, nil // looked back far enough
			}
			line := text[i+1:]
			if len(line) > 0 && (counts == nil || counts(stripLine(line))) {
				found++
				if found == n {
					return begin + int64(i+1), nil
				}
			}
			if i < 0 {
				return begin, nil
			}
			text = text[:i]
		}
		next := begin + int64(len(text)) + 1
		if next >= end { // no end of a line in all of the block: a very long line
			next = begin
		}
		end = next
	}
	return end, nil
}
