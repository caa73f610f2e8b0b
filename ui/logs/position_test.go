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
	"rung/model"
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

// With log files, a bar says where among their lines the cursor is; one goes to a time, and
// the end follows again.
func TestPosition(t *testing.T) {
	w := newTail(t, 200)
	path := filepath.Join(t.TempDir(), "acl.log")
	hourOf(t, path)
	w.read(path)
	s := w.open(nav.PageOf(nav.Logs))
	w.shows(s, "tcp 13599")
	s.Want("12:55:00 ", "█ 13:54:59 at 13:54:59 · @ go to a time", "● follow")
	s.ResizeAll()
	s.Press("@")
	s.Want("go to a time", "from 12:55:00 to 13:54:59", "how long ago (5m)", "(-10m, +1h)")
	s.Type("noon")
	s.Press("enter")
	s.Want("want a time such as")
	for range len("noon") {
		s.Press("backspace")
	}
	s.Type("13:10")
	s.Press("enter")
	w.shows(s, "▸ 13:10:00")
	s.Want("tcp 10900", "░ 13:54:59 at 13:10:00 · G end · @ go to a time", "paused")
	s.Press("@")
	s.Type("+30m")
	s.Press("enter")
	w.shows(s, "▸ 13:40:00")
	s.Press("G")
	w.shows(s, "tcp 13599")
	s.Want("● follow")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	w.shows(s, "▲ 1 log file read · acl.log deleted")
	s.Press("8")
	s.Want("log files")
}

// Without log files there is nothing to go to.
func TestNoPosition(t *testing.T) {
	w := newTail(t, 0)
	w.line("cluster-control", model.Egress, 5, "red/canary-0", "10.9.9.8", 80, "drop")
	s := w.open(nav.PageOf(nav.Logs))
	s.WantNot("go to a time", "log file")
	s.Press("@")
	s.Want("no log file to seek in: start Rung with --log FILE")
}

// A filter looks through all of the files, not only their lines that are kept; from a line
// that it finds one sees those around it when the filter goes.
func TestFilterSearchesTheFiles(t *testing.T) {
	w := newTail(t, 500)
	path := filepath.Join(t.TempDir(), "acl.log")
	hourOf(t, path)
	w.read(path)
	s := w.open(nav.PageOf(nav.Logs))
	w.shows(s, "13599")
	s.Press("/")
	s.Type("port:10100-10102,13000-13599")
	s.Press("enter")
	w.shows(s, "log files searched: 603 of 3,600 lines match, newest 500 shown")
	s.Press("/", "ctrl+u")
	s.Type("port:10100-10102")
	s.Press("enter")
	w.shows(s, "log files searched: 3 of 3,600 lines match")
	s.Want("tcp 10100", "tcp 10101", "tcp 10102", "3 of 3,600")
	s.Golden("searched")
	s.Press("up")
	s.Want("paused")
	s.Press("+")
	w.shows(s, "tcp 10099")
	s.Want("tcp 10103", "1 around")
	s.Press("-")
	w.shows(s, "log files searched: 3 of 3,600 lines match")
	s.Press("home", "down")
	s.Press("/", "esc")
	w.shows(s, "tcp 10105")
	if line := s.Line("▸"); !strings.Contains(line, "tcp 10101") {
		t.Errorf("the cursor is on %s", line)
	}
	s.WantNot("log files searched")
}
