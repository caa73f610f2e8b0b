package logs

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/model/logline"
	"rung/revision"
	"rung/test/wait"
)

// logFolder is a folder of logs that a test writes.
type logFolder struct {
	t   *testing.T
	dir string
}

func (f logFolder) path(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

func (f logFolder) write(name string, lines ...[]byte) {
	f.t.Helper()
	if err := os.MkdirAll(filepath.Dir(f.path(name)), 0o700); err != nil {
		f.t.Fatal(err)
	}
	w, err := os.OpenFile(f.path(name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		f.t.Fatal(err)
	}
	defer w.Close()
	for _, line := range lines {
		if _, err := w.Write(append(line, '\n')); err != nil {
			f.t.Fatal(err)
		}
	}
}

// readFiles runs a reader until the test ends.
func readFiles(t *testing.T, cfg Files, limit int) *Store {
	t.Helper()
	rev := revision.New(revision.Facts{}, nil)
	l := New(func() *revision.Revision { return rev }, time.Now, limit)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{}, 2)
	r := NewFileReader(l, cfg, func(_, pod string) string { return map[string]string{"ovnkube-node-x": "worker"}[pod] }, false)
	go func() { l.Run(ctx); done <- struct{}{} }()
	go func() {
		if err := r.Run(ctx); err != nil {
			t.Error(err)
		}
		done <- struct{}{}
	}()
	t.Cleanup(func() { cancel(); <-done; <-done })
	return l
}

// came are the lines kept: zone and number, or the gap.
func came(l *Store) (out []string) {
	for _, e := range l.EntriesAfter(0, 0) {
		s := fmt.Sprint(e.Line.Zone, " ", e.Line.Seq)
		if e.Gap != nil {
			s = e.Sentence()
		}
		if e.Late {
			s += " late"
		}
		out = append(out, s)
	}
	return out
}

func wantLines(t *testing.T, l *Store, want ...string) {
	t.Helper()
	// A store that keeps few lines has enough of them before the last ones are there.
	var got []string
	if !wait.Poll(wait.Patience, func() bool { got = came(l); return cmp.Equal(want, got) || len(got) > len(want) }) || cmp.Diff(want, got) != "" {
		t.Fatalf("(-want +got):\n%s", cmp.Diff(want, got))
	}
}

func second(n int) time.Time { return time.Date(2026, 11, 3, 10, 0, n, 0, time.UTC) }

// What several files hold comes in order of time, each line once, and then it is over.
func TestFilesStored(t *testing.T) {
	f := logFolder{t, t.TempDir()}
	f.write("a/acl.log", aclLine(second(1), 1), []byte("no acl line"), aclLine(second(4), 2), []byte(`2026-11-03T10:00:05.000Z|7|acl_log|INFO|name=odd`))
	f.write("b/acl.log", aclLine(second(2), 1), aclLine(second(3), 2), aclLine(second(6), 3))
	f.write("mg/pods/ovnkube-node-x/c/c/logs/current.log", aclLine(second(5), 9))
	l := readFiles(t, Files{Paths: []string{f.dir}, Paced: true}, 0)
	<-l.EndOfLines()
	wantLines(t, l, "a/acl.log 1", "b/acl.log 1", "b/acl.log 2", "a/acl.log 2", "worker 9", "b/acl.log 3")
	if st := l.Stats(); st.Unparsed != 1 || st.Received != 6 {
		t.Errorf("%+v", st)
	}
	for _, s := range l.Streams() {
		if s.State != logline.StreamEnded || s.Behind != 0 || s.File == "" || s.Last.IsZero() {
			t.Errorf("%+v", s)
		}
	}
}

// More lines than are kept wait for whoever reads them, be they many or long.
func TestFilesWaitForTheirReader(t *testing.T) {
	const all = 2000
	f := logFolder{t, t.TempDir()}
	for n := 1; n <= all; n++ {
		f.write("acl.log", aclLine(second(n), n))
	}
	everyLine(t, readFiles(t, Files{Paths: []string{f.path("acl.log")}, Paced: true}, 64), all)

	f = logFolder{t, t.TempDir()}
	long := []byte("|name=\"" + strings.Repeat("n", 60000) + "\"")
	var lines [][]byte
	for n := 1; n <= all; n++ {
		lines = append(lines, bytes.Replace(aclLine(second(n), n), []byte("|name=\"ANP:one:Egress:0\""), long, 1))
	}
	f.write("acl.log", lines...)
	everyLine(t, readFiles(t, Files{Paths: []string{f.path("acl.log")}, Paced: true}, 0), all)
}

// A reader ends with its context whatever is read: 32 GiB of empty lines in a small file.
func TestFilesEndWhileEmptyLinesAreRead(t *testing.T) {
	packed := func(text []byte) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write(text); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	path := filepath.Join(t.TempDir(), "acl.log.gz")
	empty := packed(bytes.Repeat([]byte("\n"), 16<<20))
	text := append(packed(append(aclLine(second(1), 1), '\n')), bytes.Repeat(empty, 2048)...)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	rev := revision.New(revision.Facts{}, nil)
	l := New(func() *revision.Revision { return rev }, time.Now, 0)
	ctx, cancel := context.WithCancel(t.Context())
	r := NewFileReader(l, Files{Paths: []string{path}, Paced: true}, func(_, _ string) string { return "" }, false)
	done := make(chan error, 1)
	go l.Run(ctx)
	go func() { done <- r.Run(ctx) }()
	wait.Within(t, wait.Patience, "the first line", func() bool { return l.LastNumber() == 1 })
	cancel()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second): // reading all of it takes longer
		t.Fatal("it is still read")
	}
}

// everyLine reads all lines of a store, numbered from 1.
func everyLine(t *testing.T, l *Store, all uint64) {
	t.Helper()
	next := uint64(1)
	wait.Within(t, wait.Patience, "every line", func() bool {
		for _, e := range l.EntriesAfter(next-1, 0) {
			if e.Line.Seq != next {
				t.Fatalf("line %d where %d was due", e.Line.Seq, next)
			}
			next++
		}
		l.Read(next - 1)
		return next == all+1
	})
	<-l.EndOfLines()
}

// What is added to a file comes, also to one that was renamed; a truncation that loses lines
// is a gap; a file that was deleted is read when it returns.
func TestFilesFollowed(t *testing.T) {
	f := logFolder{t, t.TempDir()}
	now := time.Now().Truncate(time.Millisecond)
	at := func(n int) time.Time { return now.Add(time.Duration(n) * time.Millisecond) }
	f.write("acl.log", aclLine(at(-500), 1), aclLine(at(-400), 2))
	l := readFiles(t, Files{Paths: []string{f.path("acl.log")}, Follow: true}, 0)
	wantLines(t, l, "acl.log 1", "acl.log 2")
	if err := os.Rename(f.path("acl.log"), f.path("acl.log.1")); err != nil {
		t.Fatal(err)
	}
	f.write("acl.log.1", aclLine(at(-300), 3))
	f.write("acl.log", aclLine(at(-200), 4))
	wantLines(t, l, "acl.log 1", "acl.log 2", "acl.log 3", "acl.log 4")
	if err := os.Truncate(f.path("acl.log"), 0); err != nil {
		t.Fatal(err)
	}
	f.write("acl.log", aclLine(at(2800), 5))
	wantLines(t, l, "acl.log 1", "acl.log 2", "acl.log 3", "acl.log 4",
		"acl.log: truncated, up to 3 s missing: no rotated copy was found", "acl.log 5")
	if err := os.Remove(f.path("acl.log")); err != nil {
		t.Fatal(err)
	}
	wait.Within(t, wait.Patience, "deleted", func() bool { return l.Streams()[0].State == logline.StreamGone })
	f.write("acl.log", aclLine(at(2900), 6))
	wait.Within(t, wait.Patience, "back", func() bool {
		s := l.Streams()[0]
		return s.State == logline.StreamOpen && s.ACLs == 6 && s.Gaps == 1 && s.Behind == 0
	})
}

// A time to begin at keeps earlier lines out, wherever they lie: behind later ones, in a compressed
// part, and in what is piped.
func TestFilesSince(t *testing.T) {
	f := logFolder{t, t.TempDir()}
	f.write("acl.log", aclLine(second(1), 1), aclLine(second(6), 6), aclLine(second(2), 2), aclLine(second(7), 7))
	wantLines(t, readFiles(t, Files{Paths: []string{f.path("acl.log")}, Paced: true, Since: second(6)}, 0), "acl.log 6", "acl.log 7")
	piped := bytes.NewReader(slices.Concat(aclLine(second(1), 1), []byte{'\n'}, aclLine(second(6), 6), []byte{'\n'}))
	wantLines(t, readFiles(t, Files{Paths: []string{"-"}, Stdin: piped, Paced: true, Since: second(6)}, 0), "standard input 6")
	text, err := os.ReadFile(f.path("acl.log"))
	if err != nil {
		t.Fatal(err)
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.path("acl.log"), zipped.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	wantLines(t, readFiles(t, Files{Paths: []string{f.path("acl.log")}, Paced: true, Since: second(6)}, 0), "acl.log 6", "acl.log 7")
}

// Lines that are played come in the pace of their times.
func TestFilesPlayed(t *testing.T) {
	f := logFolder{t, t.TempDir()}
	for n := range 10 {
		f.write("acl.log", aclLine(second(360*n), n))
	}
	synctest.Test(t, func(t *testing.T) {
		rev := revision.New(revision.Facts{}, nil)
		l := New(func() *revision.Revision { return rev }, time.Now, 0)
		ctx, cancel := context.WithCancel(t.Context())
		r := NewFileReader(l, Files{Paths: []string{f.path("acl.log")}, Speed: 60}, nil, false)
		go l.Run(ctx)
		go func() { _ = r.Run(ctx) }()
		began := time.Now()
		for n := range 10 {
			time.Sleep(time.Until(began.Add(time.Duration(n)*6*time.Second + time.Second)))
			synctest.Wait()
			if got := len(came(l)); got != n+1 {
				t.Errorf("after %v %d lines, want %d", time.Since(began), got, n+1)
			}
		}
		cancel()
		synctest.Wait()
	})
}

func TestFilesErrors(t *testing.T) {
	f := logFolder{t, t.TempDir()}
	f.write("broken.log.gz", []byte("\x1f\x8b\x08\x00\x00\x00\x00\x00"))
	l := readFiles(t, Files{Paths: []string{f.dir}, Follow: true}, 0)
	wait.Within(t, wait.Patience, "the file is named", func() bool {
		s := l.Streams()
		return len(s) == 1 && s[0].State == logline.StreamFailed && strings.Contains(s[0].Error, "broken.log.gz")
	})
	if _, err := CheckFiles([]string{f.path("none"), "-"}); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("%v", err)
	}
}

// The lines of files have their places between those of pods, by their times.
func TestFilesAmongPods(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := logFolder{t, t.TempDir()}
		pods, p := newFakePods(t, FollowScope{})
		a := pods.of(t, "a")
		now := time.Now()
		ago := func(n int) time.Time { return now.Add(-time.Duration(n) * time.Second) }
		f.write("acl.log", aclLine(ago(60), 1), aclLine(ago(50), 2))
		r := NewFileReader(p.logs, Files{Paths: []string{f.dir}, Follow: true}, nil, true)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- r.Run(ctx) }()
		a.Line(now, aclLine(ago(55), 7))
		a.Line(now, aclLine(ago(45), 8))
		wantLines(t, p.logs, "acl.log 1", "a 7", "acl.log 2", "a 8")
		a.Gap(logline.LogGap{From: ago(45), To: ago(40), Missing: 5 * time.Second, Why: "the log was rotated meanwhile"})
		a.Line(now, aclLine(ago(40), 9))
		f.write("acl.log", aclLine(ago(42), 3))
		wantLines(t, p.logs, "acl.log 1", "a 7", "acl.log 2", "a 8", "acl.log 3",
			"a: reconnected, 5 s missing: the log was rotated meanwhile", "a 9")
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
