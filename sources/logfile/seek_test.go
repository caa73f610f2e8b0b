package logfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func when(line []byte) (time.Time, bool) {
	word, _, _ := bytes.Cut(line, []byte(" "))
	at, err := time.Parse(time.RFC3339Nano, string(word))
	return at, err == nil
}

// at is a time of the hour.
func hour(minute int) time.Time { return time.Date(2026, 11, 3, 10, minute, 0, 0, time.UTC) }

// stored is a log of an hour: four lines a second, and every tenth without a time.
func stored(t testing.TB, zipped bool) (path string, all []string) {
	t.Helper()
	var b bytes.Buffer
	for n := range 4 * 3600 {
		line := hour(0).Add(time.Duration(n)*250*time.Millisecond).Format(time.RFC3339Nano) + " acl " + strings.Repeat("x", n%300)
		if n%10 == 9 {
			line = "\tat " + strings.Repeat("y", n%90)
		}
		all = append(all, line)
		b.WriteString(line + "\n")
	}
	path = filepath.Join(t.TempDir(), "acl.log")
	text := b.Bytes()
	if zipped {
		path, text = path+".gz", zip(t, text)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path, all
}

func all(t testing.TB, f *File) (out []string) {
	t.Helper()
	for {
		line, err := f.Next()
		switch {
		case errors.Is(err, io.EOF):
			return out
		case err != nil && !errors.Is(err, ErrUnended):
			t.Fatal(err)
		}
		out = append(out, string(line))
	}
}

func TestSeek(t *testing.T) {
	for _, zipped := range []bool{false, true} {
		path, lines := stored(t, zipped)
		f := func() *File {
			f, err := newFile(context.Background(), path, false)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(f.Close)
			return f
		}
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, n := range []int{0, 1, 2, 999, 5000, len(lines), len(lines) + 5} {
			x := f()
			must(x.SeekLastLines(n, nil))
			if diff := cmp.Diff(lines[max(0, len(lines)-n):], all(t, x)); diff != "" && n > 0 {
				t.Errorf("zipped %v, the last %d (-want +got):\n%.500s", zipped, n, diff)
			}
		}
		x := f()
		must(x.SeekLastLines(3, func(line []byte) bool { return bytes.HasPrefix(line, []byte("\tat")) }))
		got := all(t, x)
		for len(got) > 0 && !strings.HasPrefix(got[0], "\tat") {
			got = got[1:]
		}
		if diff := cmp.Diff(lines[len(lines)-21:], got); diff != "" {
			t.Errorf("zipped %v, the last 3 that count (-want +got):\n%.500s", zipped, diff)
		}
		if x := f(); !x.FirstTime(when).Equal(hour(0)) || len(all(t, x)) != len(lines) {
			t.Errorf("zipped %v: first %v", zipped, x.FirstTime(when))
		}
		if zipped {
			continue
		}
		if got := f().LastTime(when); !got.Equal(hour(60).Add(-500 * time.Millisecond)) {
			t.Errorf("the last time is %v", got)
		}
	}
}

// What is written after a seek comes too, and a line that is written in two parts once.
// A file that begins with a byte order mark has its first line, wherever it is read from:
// in a plain and a compressed one, from its end, and where several were put together.
func TestByteOrderMark(t *testing.T) {
	first, second := hour(0).Format(time.RFC3339Nano)+" a", hour(1).Format(time.RFC3339Nano)+" b"
	text := "\ufeff" + first + "\r\n\ufeff" + second + "\r\n"
	for _, name := range []string{"acl.log", "acl.log.gz"} {
		dir := t.TempDir()
		put(t, dir, name, text, 0)
		for from, begin := range map[string]func(*File) error{
			"the start": func(f *File) error { return f.currentPart().rewind() },
			"the end": func(f *File) error {
				return f.SeekLastLines(2, func(line []byte) bool { _, ok := when(line); return ok })
			},
		} {
			f, err := newFile(context.Background(), filepath.Join(dir, name), true)
			if err != nil {
				t.Fatal(err)
			}
			if at := f.FirstTime(when); !at.Equal(hour(0)) {
				t.Errorf("%s begins at %s", name, at)
			}
			if err := begin(f); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{first, second}, all(t, f)); diff != "" {
				t.Errorf("%s from %s (-want +got):\n%s", name, from, diff)
			}
			f.Close()
		}
	}
	s := openSet(t, strings.NewReader(text), "-")
	var piped []string
	for f := s.Files()[0]; !f.IsOver(); {
		piped = append(piped, all(t, f)...)
	}
	if diff := cmp.Diff([]string{first, second}, piped); diff != "" {
		t.Errorf("standard input (-want +got):\n%s", diff)
	}
}

func TestSeekAndFollow(t *testing.T) {
	w := newWorld(t)
	w.write(10)
	_, err := w.w.WriteString(text(11)[:10])
	w.must(err)
	w.open()
	w.must(w.f.SeekLastLines(2, nil))
	w.want(lines(9, 10)...)
	_, err = w.w.WriteString(text(11)[10:] + "\n")
	w.must(err)
	w.n = 11
	w.write(1)
	w.want(lines(9, 12)...)
	w.copyTruncate("acl.log.1")
	w.write(1)
	w.want(lines(9, 13)...)
}

func TestLongLines(t *testing.T) {
	w := newWorld(t)
	w.open()
	long := strings.Repeat("l", MaxLine)
	for _, s := range []string{"a\n", long + "\n", long + "l\n", "b\r\n", strings.Repeat("m", 5*MaxLine), "m\n", "c\n"} {
		_, err := w.w.WriteString(s)
		w.must(err)
		w.read()
	}
	w.want("a", long, "b", "c")
	if s := w.f.State(); s.TooLong != 2 {
		t.Errorf("%+v", s)
	}
	w.must(w.f.SeekLastLines(3, nil))
	w.got = nil
	w.read()
	if n := len(w.got); n < 2 || w.got[n-1] != "c" || w.got[n-2] != "b" {
		t.Errorf("%d lines: %.20q", n, w.got)
	}
}

// A file that grew to a gigabyte costs what is looked at of it.
func TestEndOfALargeFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "acl.log")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(1 << 30); err != nil { // with a hole
		t.Fatal(err)
	}
	var tail bytes.Buffer
	for n := range 20000 {
		fmt.Fprintf(&tail, "\n%s", text(n))
	}
	if _, err := f.WriteAt(append(tail.Bytes(), '\n'), 1<<30); err != nil {
		t.Fatal(err)
	}
	x, err := newFile(context.Background(), path, false)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	count := &counting{ReaderAt: f}
	off, err := backLines(count, 1<<30+int64(tail.Len())+1, backMost, 20000, nil)
	if err != nil || off != 1<<30+1 || count.n > int64(tail.Len())+2*block {
		t.Errorf("%d lines begin at %d, %v; %d bytes read", 20000, off, err, count.n)
	}
}

type counting struct {
	io.ReaderAt
	n int64
}

func (c *counting) ReadAt(b []byte, off int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(b, off)
	c.n += int64(n)
	return n, err
}

// Whatever a file holds: its lines are those that splitting it gives, and looking back
// finds the same.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nb\r\n\nc"), 3, 2)
	f.Add([]byte("\n\n\n"), 1, 1)
	f.Add(bytes.Repeat([]byte("x"), 3000), 7, 1)
	f.Fuzz(func(t *testing.T, b []byte, step, n int) {
		step, n = max(1, step%5000), max(1, n%100)
		var want []string
		for _, line := range strings.SplitAfter(string(b), "\n") {
			if body, ok := strings.CutSuffix(line, "\n"); ok && body != "" && len(body) <= MaxLine {
				want = append(want, strings.TrimSuffix(body, "\r"))
			}
		}
		var s lineSplitter
		var got []string
		in := bytes.NewReader(b)
		for {
			for line, ok := s.nextLine(); ok; line, ok = s.nextLine() {
				got = append(got, string(line))
			}
			if k, _ := s.fillBuffer(func(room []byte) (int, error) { return in.Read(room[:min(step, len(room))]) }); k == 0 {
				break
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
		if bytes.Contains(b, bytes.Repeat([]byte("x"), MaxLine)) {
			return
		}
		off, err := backLines(bytes.NewReader(b), int64(len(b)), backMost, n, nil)
		if err != nil {
			t.Fatal(err)
		}
		var last []string
		_ = eachLine(bytes.NewReader(b[off:]), 0, func(_ int64, line []byte) bool {
			last = append(last, string(line))
			return true
		})
		if diff := cmp.Diff(want[max(0, len(want)-n):], last); diff != "" && len(want) > 0 {
			t.Fatalf("the last %d: %s", n, diff)
		}
	})
}
