package acllog

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

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

// A file that begins with a byte order mark has its first line: a plain and a compressed one, and
// one that was put together of several.
func TestByteOrderMark(t *testing.T) {
	text := "\ufefffirst\r\n\ufeffsecond\r\n"
	want := []string{"first", "second"}
	for _, name := range []string{"acl.log", "acl.log.gz"} {
		dir := t.TempDir()
		put(t, dir, name, text, 0)
		f, err := newFile(context.Background(), filepath.Join(dir, name), true)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, all(t, f)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		f.Close()
	}
	s := openSet(t, strings.NewReader(text), "-")
	var piped []string
	for f := s.Files()[0]; !f.IsOver(); {
		piped = append(piped, all(t, f)...)
	}
	if diff := cmp.Diff(want, piped); diff != "" {
		t.Errorf("standard input (-want +got):\n%s", diff)
	}
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
	if s := w.f.State(time.Now()); s.TooLong != 2 {
		t.Errorf("%+v", s)
	}
}

// smallReader reads at most so many bytes at once.
type smallReader struct {
	in   io.Reader
	most int
}

func (r *smallReader) Read(b []byte) (int, error) { return r.in.Read(b[:min(r.most, len(b))]) }

// Whatever a file holds, its lines are those that splitting it gives.
func FuzzLines(f *testing.F) {
	f.Add([]byte("a\nb\r\n\nc"), 3)
	f.Add([]byte("\n\n\n"), 1)
	f.Add(bytes.Repeat([]byte("x"), 3000), 7)
	f.Fuzz(func(t *testing.T, b []byte, step int) {
		step = max(1, step%5000)
		var want []string
		for _, line := range strings.SplitAfter(string(b), "\n") {
			if body, ok := strings.CutSuffix(line, "\n"); ok && body != "" && len(body) <= MaxLine {
				want = append(want, strings.TrimSuffix(body, "\r"))
			}
		}
		var got []string
		lines := newLineReader(&smallReader{bytes.NewReader(b), step})
		for {
			line, err := lines.next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err == nil {
				got = append(got, string(line))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}
