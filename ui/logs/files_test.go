package logs_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rung/engine/logs"
	"rung/model/words"
	"rung/test/uitest"
	"rung/test/wait"
	"rung/ui/nav"
)

// read has the store read files until the test ends.
func (w *tail) read(paths ...string) {
	w.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	r := logs.NewFileReader(w.store, logs.Files{Paths: paths, Follow: true}, func(string, string) string { return "" }, false)
	go func() { done <- r.Run(ctx) }()
	w.t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			w.t.Error(err)
		}
	})
}

// shows refreshes the screen until a text is there.
func (w *tail) shows(s *uitest.Screen, text string) {
	w.t.Helper()
	if !wait.Poll(wait.Patience, func() bool {
		w.f.Advance(time.Second)
		s.Refresh()
		return strings.Contains(s.View(), text)
	}) {
		w.t.Fatalf("%q does not come:\n%s", text, s.View())
	}
}

// hourOf writes a log: a line each second of an hour that ends ten minutes ago, each to
// the port of its number.
func hourOf(t *testing.T, path string) {
	t.Helper()
	var b strings.Builder
	for n := range 3600 {
		at := uitest.Now.Add(-70 * time.Minute).Add(time.Duration(n) * time.Second)
		fmt.Fprintf(&b, "%s|%05d|acl_log(ovn_pinctrl0)|INFO|name=\"ANP:cluster-control:Egress:5\", verdict=drop, severity=alert, direction=from-lport: tcp,nw_src=10.9.9.9,nw_dst=10.9.9.8,tp_src=40000,tp_dst=%d,tcp_flags=syn\n",
			at.UTC().Format("2006-01-02T15:04:05.000Z"), n, 10000+n)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// The page says how many log files are read, and what is wrong with one.
func TestLogFiles(t *testing.T) {
	w := newTail(t, 200)
	path := filepath.Join(t.TempDir(), "acl.log")
	hourOf(t, path)
	w.read(path)
	s := w.open(nav.NewPage(nav.Logs))
	w.shows(s, "tcp 13599")
	s.Want("● 1 log file read", "● follow")
	s.ResizeAll()
	s.Press("@")
	s.Want("@ was removed: filter by time")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	w.shows(s, "▲ 1 log file read · acl.log deleted")
	s.Press("8")
	s.Want("log files")
}

// A filter looks at the lines that are kept. The page says which command also reads the older
// lines of the files, unless all of them are kept.
func TestFilterOfKeptLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "acl.log")
	hourOf(t, path)
	const note = "older lines of the files are not filtered here; rung logs --log PATH --filter"
	for _, c := range []struct {
		kept, want int
		says       bool
	}{{500, 1, true}, {5000, 4, false}} {
		w := newTail(t, c.kept)
		w.read(path)
		s := w.open(nav.NewPage(nav.Logs))
		w.shows(s, "tcp 13599")
		s.WantNot(note)
		s.Press("/")
		s.Type("port:10100-10102,13500")
		s.Press("enter")
		w.shows(s, fmt.Sprintf("%d of %s", c.want, words.Thousands(min(c.kept, 3600))))
		if c.says {
			s.Want(note, "tcp 13500")
			w.f.Advance(time.Hour) // the rates of the seconds it took are over
			s.Refresh()
			s.Golden("kept")
			continue
		}
		s.WantNot(note)
		s.Want("tcp 10101", "tcp 13500")
	}
}
