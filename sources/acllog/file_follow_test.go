package acllog

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/model/logline"
)

// world is a folder with a log that somebody writes and rotates.
type world struct {
	t    *testing.T
	dir  string
	path string
	w    *os.File // whoever writes
	n    int      // lines written
	f    *File
	got  []string
}

func newWorld(t *testing.T) *world {
	if runtime.GOOS == "windows" {
		t.Skip("a file that its writer has open is neither renamed nor removed there")
	}
	w := &world{t: t, dir: t.TempDir()}
	w.path = filepath.Join(w.dir, "acl.log")
	w.reopen()
	t.Cleanup(func() {
		_ = w.w.Close()
		if w.f != nil {
			w.f.Close()
		}
	})
	return w
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// reopen is what a program does that is told of the rotation.
func (w *world) reopen() {
	if w.w != nil {
		_ = w.w.Close()
	}
	var err error
	w.w, err = os.OpenFile(w.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	w.must(err)
}

// text is a line: like those of ovn-controller, two differ at their beginnings only.
func text(n int) string {
	return fmt.Sprintf("2026-11-03T10:00:00.%06dZ|%05d|%s", n, n, strings.Repeat("x", 200))
}

func (w *world) write(n int) {
	for range n {
		w.n++
		_, err := w.w.WriteString(text(w.n) + "\n")
		w.must(err)
	}
}

func (w *world) open() {
	var err error
	w.f, err = newFile(context.Background(), w.path, false)
	w.must(err)
}

// read takes all there is now.
func (w *world) read() {
	for quiet := 0; quiet < 2; quiet++ {
		for {
			line, err := w.f.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if !errors.Is(err, ErrUnended) {
				w.must(err)
			}
			w.got, quiet = append(w.got, string(line)), 0
		}
		w.f.PollChanges()
		if w.f.Gap != "" {
			w.got, w.f.Gap, quiet = append(w.got, "gap: "+w.f.Gap), "", 0
		}
	}
}

func (w *world) want(lines ...string) {
	w.t.Helper()
	w.read()
	if diff := cmp.Diff(lines, w.got); diff != "" {
		w.t.Errorf("(-want +got):\n%s", diff)
	}
}

func (w *world) rename(to string) { w.must(os.Rename(w.path, filepath.Join(w.dir, to))) }

func (w *world) copyTruncate(to string) {
	b, err := os.ReadFile(w.path)
	w.must(err)
	w.must(os.WriteFile(filepath.Join(w.dir, to), b, 0o600))
	w.must(os.Truncate(w.path, 0))
}

func (w *world) compress(name string) {
	path := filepath.Join(w.dir, name)
	b, err := os.ReadFile(path)
	w.must(err)
	info, err := os.Stat(path)
	w.must(err)
	w.must(os.WriteFile(path+".gz", zip(w.t, b), 0o600))
	w.must(os.Chtimes(path+".gz", info.ModTime(), info.ModTime()))
	w.must(os.Remove(path))
}

func zip(t testing.TB, b []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	if _, err := z.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func numbered(from, to int) (out []string) {
	for n := from; n <= to; n++ {
		out = append(out, text(n))
	}
	return out
}

func TestRotation(t *testing.T) {
	noGap := "gap: " + noCopy
	for _, c := range []struct {
		name string
		do   func(*world)
		want []string
	}{
		{"rename", func(w *world) {
			w.write(2)
			w.read()
			w.write(1)
			w.rename("acl.log.1")
			w.read() // the name is gone
			w.write(1)
			w.read() // written to the renamed file
			w.reopen()
			w.write(2)
		}, numbered(1, 6)},
		{"the writer goes on with the renamed file", func(w *world) {
			w.write(1)
			w.read()
			old := w.w
			w.rename("acl.log.1")
			w.w = nil
			w.reopen()
			w.read()
			_, err := old.WriteString(text(2) + "\n")
			w.must(err)
			w.must(old.Close())
			w.n = 2
			w.read()
			w.write(1)
		}, numbered(1, 3)},
		{"rotated twice between two looks", func(w *world) {
			w.write(1)
			w.read()
			w.rename("acl.log.2")
			w.reopen()
			w.write(2)
			w.rename("acl.log.1")
			w.reopen()
			w.write(1)
		}, numbered(1, 4)},
		{"rotated twice, the part between compressed", func(w *world) {
			w.write(1)
			w.read()
			w.rename("acl.log.2")
			w.reopen()
			w.write(2)
			w.rename("acl.log.1")
			w.compress("acl.log.1")
			w.reopen()
			w.write(1)
		}, numbered(1, 4)},
		{"renamed and compressed at once", func(w *world) {
			w.write(1)
			w.read()
			w.write(1)
			w.rename("acl.log.1")
			w.compress("acl.log.1")
			w.reopen()
			w.write(1)
		}, numbered(1, 3)},
		{"a part of before is compressed meanwhile", func(w *world) {
			w.compress("acl.log.1")
			w.rename("acl.log.1")
			w.reopen()
			w.write(1)
		}, numbered(1, 1)},
		{"copytruncate", func(w *world) {
			w.write(2)
			w.read()
			w.copyTruncate("acl.log.1")
			w.write(2)
		}, numbered(1, 4)},
		{"copytruncate with lines not read yet", func(w *world) {
			w.write(2)
			w.read()
			w.write(3)
			w.copyTruncate("acl.log-20261103")
			w.write(1)
		}, numbered(1, 6)},
		{"copytruncate in the middle of a line", func(w *world) {
			w.write(1)
			_, err := w.w.WriteString(text(2)[:9])
			w.must(err)
			w.read()
			_, err = w.w.WriteString(text(2)[9:] + "\n" + text(3) + "\n")
			w.must(err)
			w.copyTruncate("acl.log.1")
			w.n = 3
			w.write(1)
		}, numbered(1, 4)},
		{"copytruncate, compressed at once", func(w *world) {
			w.write(2)
			w.read()
			w.write(3)
			w.copyTruncate("acl.log.1")
			w.compress("acl.log.1")
			w.write(1)
		}, numbered(1, 6)},
		{"truncated", func(w *world) {
			w.write(2)
			w.read()
			w.must(os.Truncate(w.path, 0))
			w.write(1)
		}, append(append(numbered(1, 2), noGap), text(3))},
		{"truncated and longer than before at the next look", func(w *world) {
			w.write(2)
			w.read()
			w.must(os.Truncate(w.path, 0))
			w.write(50)
		}, append(append(numbered(1, 2), noGap), numbered(3, 52)...)},
		{"truncated and as long as before at the next look", func(w *world) {
			w.n = 10
			w.write(1)
			w.read()
			w.must(os.Truncate(w.path, 0))
			w.write(1)
		}, []string{text(11), noGap, text(12)}},
		{"rotated twice, the part between being compressed", func(w *world) {
			w.write(1)
			w.read()
			w.rename("acl.log.2")
			w.reopen()
			w.write(200)
			w.rename("acl.log.1")
			b, err := os.ReadFile(filepath.Join(w.dir, "acl.log.1"))
			w.must(err)
			b = zip(w.t, b)
			w.must(os.WriteFile(filepath.Join(w.dir, "acl.log.1.gz"), b[:len(b)-9], 0o600))
			w.reopen()
			w.write(1)
		}, numbered(1, 202)},
		{"truncated and renamed between two looks", func(w *world) {
			w.write(2)
			w.read()
			w.copyTruncate("acl.log.2")
			w.write(1)
			w.rename("acl.log.1")
			w.reopen()
			w.write(1)
		}, numbered(1, 4)},
		{"deleted and back", func(w *world) {
			w.write(2)
			w.read()
			w.write(1) // to be read still
			w.must(os.Remove(w.path))
			w.read()
			if s := w.f.State(time.Now()); s.State != logline.StreamGone {
				w.t.Errorf("deleted: %+v", s)
			}
			w.reopen()
			w.write(2)
			w.read()
			if s := w.f.State(time.Now()); s.State != logline.StreamOpen {
				w.t.Errorf("back: %+v", s)
			}
		}, numbered(1, 5)},
		{"a copy that is made while it is read", func(w *world) {
			w.write(2)
			w.read()
			b, err := os.ReadFile(w.path)
			w.must(err)
			w.must(os.WriteFile(filepath.Join(w.dir, "acl.log.1"), b, 0o600))
			w.read()
			w.write(1)
		}, numbered(1, 3)},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.t = t
			if strings.HasPrefix(c.name, "a part of before") {
				w.must(os.WriteFile(filepath.Join(w.dir, "acl.log.1"), []byte("an old line\n"), 0o600))
			}
			w.open()
			c.do(w)
			w.want(c.want...)
		})
	}
}

// Whatever is done to a log, each line comes once and in order; where lines are missing a
// gap is said.
func TestRotationsAtRandom(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		w := newWorld(t)
		w.write(r.IntN(3))
		w.open()
		rotated := 0
		shift := func() string { // acl.log.1 becomes acl.log.2, and so on; the last is compressed
			for i := rotated; i > 0; i-- {
				for _, ext := range []string{"", ".gz"} {
					name := filepath.Join(w.dir, "acl.log."+strconv.Itoa(i))
					if _, err := os.Stat(name + ext); err == nil {
						w.must(os.Rename(name+ext, filepath.Join(w.dir, "acl.log."+strconv.Itoa(i+1)+ext)))
					}
				}
			}
			rotated++
			return "acl.log.1"
		}
		var done []string
		for range 30 {
			switch op := r.IntN(8); op {
			case 0:
				w.rename(shift())
				w.reopen()
				done = append(done, "rename")
			case 1:
				to := shift()
				w.write(1) // of a file that nothing was read of nobody knows that it was truncated
				w.read()
				w.write(r.IntN(3))
				w.copyTruncate(to)
				done = append(done, "copytruncate")
				if r.IntN(2) == 0 {
					w.compress(to)
					done = append(done, "compress")
				}
				w.write(1)
				w.read()
			case 2:
				if i := 1 + r.IntN(rotated+1); i <= rotated {
					name := "acl.log." + strconv.Itoa(i)
					if _, err := os.Stat(filepath.Join(w.dir, name)); err == nil {
						w.compress(name)
						done = append(done, "compress "+name)
					}
				}
			case 3, 4:
				w.read()
				done = append(done, "read")
			default:
				n := 1 + r.IntN(4)
				w.write(n)
				done = append(done, fmt.Sprint("write ", n))
			}
		}
		w.read()
		got := slices.DeleteFunc(w.got, func(s string) bool { return strings.HasPrefix(s, "gap: ") })
		gaps := len(w.got) - len(got)
		if diff := cmp.Diff(numbered(1, w.n), got); diff != "" {
			t.Fatalf("seed %d, %q, %d gaps (-want +got):\n%s", seed, done, gaps, diff)
		}
	}
}

// A renamed file is closed some time after the last line, and a last line without an end
// comes then.
func TestRenamedIsClosed(t *testing.T) {
	w := newWorld(t)
	w.open()
	w.write(1)
	_, err := w.w.WriteString("half a line")
	w.must(err)
	w.rename("acl.log.1")
	w.reopen()
	w.n = 1
	for range idleMost + 2 {
		w.read()
	}
	w.want(text(1), "half a line")
	if n := len(w.f.parts); n != 1 {
		t.Errorf("%d files are open", n)
	}
}
