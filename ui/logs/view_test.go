package logs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rung/model"
	"rung/ui/nav"
)

// The filter of the log knows the parts of a line, and what stands there.
func TestFilterCompletesTerms(t *testing.T) {
	w := newTail(t, 1000)
	w.line("quarantine", model.Ingress, 0, "blue/web-g0", "red/web-f0", 8080, "drop")
	s := w.open(nav.NewPage(nav.Logs))
	for _, c := range []struct{ typed, want string }{
		{"pol", "policy:"}, {"policy:qu", "policy:quarantine"}, {"x !nod", "x !node:"}, {"verdict:d", "verdict:deny"}, {"pod:blue/w", "pod:blue/web-g0"},
		{"not ns:blue->r", "not ns:blue->red"}, {"port:53,80", "port:53,8080"}, {"policy:zz", ""}, {"nobody:x", ""}, {"zzz", ""},
	} {
		s.Press("/", "ctrl+u")
		s.Type(c.typed)
		if c.want == "" {
			s.WantNot("tab completes")
		} else {
			s.Want("tab completes")
			s.Press("tab")
			if got, _ := s.TextBeforeCursor(); got != " /"+c.want {
				t.Errorf("%q is completed to %q, want %q", c.typed, got, c.want)
			}
		}
		s.Press("esc")
	}
}

// What is wrong with a filter is said in a line that names the term, while it is typed and
// after; the other terms hold. What is only not typed to its end says what belongs there.
func TestFilterSaysWhatIsWrong(t *testing.T) {
	w := newTail(t, 0)
	w.some()
	s := w.open(nav.NewPage(nav.Logs))
	s.Press("/")
	s.Want("⏎ keep", "esc clear", "not policy:x", "ns:a->b port:53")
	s.WantNot("-f fuzzy")
	s.Type("policy:break-glass port:abc")
	s.Want("■ port:abc: want a port (53), a range (8000-8080)", "▲ not applied: port:abc: want a port (53), a range (8000-8080) or udp/53", "3 of 19 match")
	s.Golden("wrong")
	s.Press("enter")
	s.Want("▲ not applied: port:abc")
	s.Press("/", "ctrl+u")
	s.Type("polcy:x")
	s.Want("■ polcy: no such field; did you mean policy:?")
	s.Press("ctrl+u")
	s.Type("verdict:")
	s.Want("verdict: a value is missing: allow, deny, drop, reject or pass", "unfinished: verdict:", "19 of 19 match")
	s.WantNot("▲ not applied", "■ verdict")
	s.Press("ctrl+u")
	s.Type("not dst:outside verdict:deny ns:blue->red")
	s.Want("12 of 19 match")
	s.WantNot("▲ not applied", "unfinished")
	s.Press("ctrl+u")
	s.Type("since:14:06")
	s.Want("19 of 19 match") // of yesterday: nothing is later than now
	s.Press("esc")
}

// Saving asks where, never replaces a file without asking, and takes raw lines alone where
// the name says so.
func TestSave(t *testing.T) {
	w := newTail(t, 0)
	w.some()
	s := w.open(nav.Page{Kind: nav.Logs, Key: anp("break-glass")})
	s.Press("ctrl+s")
	s.Want("save 3 lines", ".log saves only the raw lines")
	s.Press("enter")
	s.Want("saved 3 lines to")
	files, _ := filepath.Glob(filepath.Join(w.state, "saved", "log-*.txt"))
	if len(files) != 1 {
		t.Fatal(files)
	}
	b, err := os.ReadFile(files[0])
	if err != nil || strings.Count(string(b), "allowed by break-glass") != 3 || !strings.Contains(string(b), "acl_log(ovn_pinctrl0)") {
		t.Errorf("%v\n%s", err, b)
	}
	if st, _ := os.Stat(files[0]); st.Mode().Perm() != 0o600 {
		t.Error(st.Mode())
	}

	path := filepath.Join(t.TempDir(), "new", "mine.log")
	save := func() {
		s.Press("ctrl+s", "ctrl+u")
		s.Type(path)
		s.Press("enter")
	}
	save()
	s.Want("saved 3 lines to")
	raw := func(want int) {
		t.Helper()
		b, err := os.ReadFile(path)
		if err != nil || strings.Count(string(b), "acl_log(ovn_pinctrl0)") != want || strings.Contains(string(b), "allowed by") {
			t.Errorf("%v\n%s", err, b)
		}
	}
	raw(3)
	w.some()
	w.tick(s)
	save()
	s.Want("replace the file?", "exists already", "replace it")
	s.Press("enter")
	raw(3)
	save()
	s.Press("y")
	s.Want("saved 6 lines to")
	raw(6)
	s.Press("ctrl+l", "ctrl+s")
	s.Want("no lines to save")
}

// Groups have count, rate, first and last line and the last minute; enter shows the lines
// of one.
func TestGroupBy(t *testing.T) {
	w := newTail(t, 0)
	w.some()
	s := w.open(nav.NewPage(nav.Logs))
	s.Press("B")
	s.Want("group by", "namespaces", "single lines")
	s.Press("d")
	s.Want("by destination · ", "DESTINATION", "LINES", "DENIED", "PER S", "FIRST", "LAST", "LAST MINUTE", "red/web-f0", "8.8.8.8 (outside)", "19 lines")
	s.Golden("by")
	s.ResizeAll()
	s.Press("K")
	s.Want("14:05:00Z")
	s.Press("K", "K", "K", "B", "n")
	s.Want("NAMESPACES", "blue → red", "red → (outside)", "blue → monitoring")
	s.Press("B", "r")
	s.Want("RULE", `dropped by quarantine ingress 0 "deny-all-pods"`, "allowed by break-glass")
	s.Press("F")
	s.Want("not available while grouped by rule (B ends it)")
	w.some()
	w.tick(s)
	s.Want("24  ", "38 lines")
	s.Press("t") // the newest line of the group
	s.Want("trace blue/web-g0 → red/web-f0 tcp 8080")
	s.Press("esc")
	s.Want("RULE")
	s.Press("j", "enter")
	s.Want("policy:=quarantine verdict:drop rule:egress:0", "8 of 38 match")
	s.WantNot("FIRST")
	s.Press("B", "s", "z")
	s.Want("8 of 38 match")
	s.WantNot("FIRST")
}

// Lines around matches are shown dim, the matches with a mark.
func TestAround(t *testing.T) {
	w := newTail(t, 0)
	w.some()
	s := w.open(nav.NewPage(nav.Logs))
	s.Press("+")
	s.Want("surrounding lines need a filter, and no grouping")
	s.Press("/")
	s.Type("policy:break-glass")
	s.Press("enter", "+")
	s.Want("1 line before and after each match", "1 around · ", "3 of 19 match")
	count := func(what string) int { return strings.Count(s.PlainFrame(), what) }
	if m, near := count("• 14:05"), count("dropped by quarantine"); m+strings.Count(s.Line("▸"), "break-glass") != 3 || near < 3 {
		t.Errorf("%d matches and %d lines around them:\n%s", m, near, s.PlainFrame())
	}
	s.Golden("around")
	s.Press("-")
	s.Want("matches only")
	if count("dropped by quarantine") != 0 {
		t.Errorf("lines around stay:\n%s", s.PlainFrame())
	}
}

// Columns are chosen and put in order; a narrow screen cuts names in the middle before it
// leaves columns out.
func TestColumns(t *testing.T) {
	w := newTail(t, 0)
	w.some()
	s := w.open(nav.NewPage(nav.Logs))
	s.Press("O")
	s.Want("columns, from left to right", "[x] time", "[x] rule", "[ ] severity", "space on or off")
	s.Golden("columns-asked")
	// Without the time and the node, the verdict first, and the severity.
	s.Press("space", "down", "space", "down", "down", "down", "down", "left", "left", "left", "left", "left")
	for range 8 {
		s.Press("down")
	}
	s.Press("up", "space", "enter")
	line := strings.Join(strings.Fields(strings.TrimLeft(s.Line("▸"), "▸ ")), " ")
	if want := `dropped blue/web-g0 red/web-f0 tcp 8080 quarantine ingress 0 "deny-all-pods" alert`; line != want {
		t.Errorf("the line is\n%s\nwant\n%s\n%s", line, want, s.PlainFrame())
	}
	s.Golden("columns")
	s.ResizeAll()
	s.Press("O", "0", "enter")
	s.Want("14:05:00", "dropped by quarantine")
	s.Press("O", "space", "esc")
	s.Want("14:05:00")
}

// r goes to the row that logged the line, in its zone.
func TestRowOfALine(t *testing.T) {
	w := newTail(t, 0)
	w.line("cluster-control", model.Egress, 5, "blue/api-d0", "203.0.113.9", 443, "drop")
	s := w.open(nav.NewPage(nav.Logs))
	s.Press("r")
	s.Want("AdminNetworkPolicy:cluster-control:Egress:5", "ovn-worker")
	s.Press("esc", "ctrl+l", "r")
	s.Want("no line here")
}

// Times of day in a filter are by the clock of the page.
func TestFilterByThePagesClock(t *testing.T) {
	w := newTail(t, 0)
	w.step = time.Second
	w.some()
	s := w.open(nav.NewPage(nav.Logs))
	w.f.Advance(time.Minute)
	s.Refresh()
	s.Press("/")
	s.Type("since:14:05:10")
	s.Want("9 of 19 match")
	s.Press("ctrl+u")
	s.Type("not since:50s")
	s.Want("10 of 19 match")
}

// A page that stands still keeps its lines when so many come meanwhile that the ring lets
// go of them, and goes on with the newest.
func TestPausedKeepsItsLines(t *testing.T) {
	w := newTail(t, 100)
	w.some()
	s := w.open(nav.Page{Kind: nav.Logs, Key: anp("break-glass")})
	s.Press("space")
	here := s.Line("▸")
	if !strings.Contains(here, "allowed by") {
		t.Fatalf("no line:\n%s", s.PlainFrame())
	}
	w.some()
	w.tick(s)
	s.Want("○ paused · 3 new, G to follow", "3 lines")
	for range 20 {
		w.some()
		w.tick(s)
	}
	s.Want("○ paused", "new, G to follow", "3 lines")
	if got := s.Line("▸"); got != here {
		t.Errorf("the page did not stand still:\n%s\n%s", here, s.PlainFrame())
	}
	s.Press("/")
	s.Type("not icmp")
	s.Want("0 of 3 match") // of what is shown
	s.Press("esc", "G")
	w.tick(s)
	s.Want("● follow", "16 lines")
}

// The clock and the columns that were chosen are those of the next page of log lines, too.
func TestSetupOfTheNextPage(t *testing.T) {
	w := newTail(t, 0)
	w.some()
	s := w.open(nav.NewPage(nav.Logs))
	s.Press("K")
	s.Want("times in UTC")
	s.Press("O", "0", "down", "space", "enter") // without the node
	s.WantNot("ovn-worker2 ")
	s.Press("home", "L", "esc", "enter", "l")
	s.Want(".666Z  blue")
	s.WantNot("ovn-worker2 ")
}
