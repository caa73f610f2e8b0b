package logs

import (
	"compress/gzip"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/test/wait"
)

// found are the numbers of the lines that a search keeps.
func found(s *Search) (out []uint64) {
	for _, e := range s.EntriesAfter(0, 0) {
		out = append(out, e.Line.Seq)
	}
	return out
}

func wantFound(t *testing.T, s *Search, lines uint64, want ...uint64) {
	t.Helper()
	var f SearchProgress
	if !wait.Poll(wait.Patience, func() bool {
		f = s.Progress()
		return f.Done && f.Lines >= lines && cmp.Equal(found(s), want)
	}) {
		t.Fatalf("%+v (-want +got):\n%s", f, cmp.Diff(want, found(s)))
	}
	if f.Bytes != f.TotalBytes || f.Err != nil || f.Lines != lines {
		t.Errorf("%+v, want %d lines", f, lines)
	}
}

// The lines of all files are looked through, also those that are not kept, compressed ones
// and those that come afterwards; each once and in order of time, whatever is kept already.
func TestSearch(t *testing.T) {
	f := logFolder{t, t.TempDir()}
	for n := range 3000 {
		f.write(fmt.Sprintf("%c/acl.log", 'a'+n%2), aclLine(second(n), n))
	}
	z, err := os.Create(f.path("a/acl.log.1.gz"))
	if err != nil {
		t.Fatal(err)
	}
	w := gzip.NewWriter(z)
	for n := range 100 {
		if _, err := w.Write(append(aclLine(second(n-200), 5000+n), '\n')); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	l := readFiles(t, Files{Paths: []string{f.dir}, Follow: true}, 40)
	if !wait.Poll(wait.Patience, func() bool { got := l.EntriesAfter(0, 0); return len(got) == 40 && got[39].Line.Seq == 2999 }) {
		t.Fatalf("%d lines are kept", l.LastNumber())
	}
	if p, ok := l.Position(); !ok || p.ReadWhole {
		t.Errorf("%+v: there are more lines than are kept", p)
	}
	every := func(n uint64) func(*Entry) bool {
		return func(e *Entry) bool { return e.Line.Seq%n == 0 && strings.Contains(e.Line.Raw, "acl_log") }
	}
	search := func(w SearchWanted) *Search {
		t.Helper()
		s, err := l.Search(w)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := search(SearchWanted{Matches: every(500)})
	wantFound(t, s, 3100, 5000, 0, 500, 1000, 1500, 2000, 2500)
	if d := s.EntriesAfter(0, 0)[1]; d.Dst.Addr == "" || d.Action == "" {
		t.Errorf("it is not explained: %+v", d)
	}
	f.write("a/acl.log", aclLine(second(3000), 3000), aclLine(second(3001), 3001))
	wantFound(t, s, 3102, 5000, 0, 500, 1000, 1500, 2000, 2500, 3000)

	// What is about something else does not count; lines around come once.
	around := search(SearchWanted{Matches: every(1000), About: func(e *Entry) bool { return e.Line.Seq%2 == 0 && e.Line.Seq < 5000 }, Around: 1})
	wantFound(t, around, 1501, 0, 2, 998, 1000, 1002, 1998, 2000, 2002, 2998, 3000)
	if !wait.Poll(wait.Patience, func() bool { return s.Progress().NoMoreLines }) {
		t.Error("the search before goes on")
	}
	// More than are kept: the newest.
	many := search(SearchWanted{Matches: every(1)})
	if !wait.Poll(wait.Patience, func() bool { return many.Progress().Done }) || many.Progress().Matches != 3102 || many.LastNumber()-many.FirstNumber() != 39 {
		t.Errorf("%+v, kept %d to %d", many.Progress(), many.FirstNumber(), many.LastNumber())
	}
	// Gone to another time, what is kept is another part of the files: it is not mixed up.
	if err := l.Seek(second(100)); err != nil {
		t.Fatal(err)
	}
	if !wait.Poll(wait.Patience, func() bool { return many.Progress().NoMoreLines && l.LastNumber()-l.FirstNumber() == 39 }) {
		t.Error("the search goes on with lines of another time")
	}
	wantFound(t, search(SearchWanted{Matches: every(500)}), 3102, 5000, 0, 500, 1000, 1500, 2000, 2500, 3000)
}

// Without log files, or where they are played, nothing can be searched; where all lines are
// kept nothing has to be.
func TestSearchWithoutNeed(t *testing.T) {
	f := logFolder{t, t.TempDir()}
	f.write("acl.log", aclLine(second(1), 1))
	l := readFiles(t, Files{Paths: []string{f.dir}, Follow: true}, 40)
	wantLines(t, l, "acl.log 1")
	if p, ok := l.Position(); !ok || !p.ReadWhole {
		t.Errorf("%+v", p)
	}
	l = readFiles(t, Files{Paths: []string{f.dir}, Follow: true, Speed: 100}, 40)
	wantLines(t, l, "acl.log 1")
	if _, err := l.Search(SearchWanted{Matches: func(*Entry) bool { return true }}); err == nil {
		t.Error("what is played can be searched")
	}
}
