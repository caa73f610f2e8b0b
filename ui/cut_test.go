package ui_test

import (
	"context"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rung/change"
	"rung/change/history"
	"rung/engine/logs"
	"rung/model"
	"rung/model/logline"
	"rung/model/words"
	"rung/test/install"
	"rung/test/uitest"
	"rung/ui"
)

// cutCells are the pieces of a line that were cut: a word with an ellipsis in it, or the words of a
// cell up to an ellipsis at its end. A placeholder, {…}, is no cut.
func cutCells(line string) (out []string) {
	for _, cell := range cellBorders.Split(line, -1) {
		words := strings.Fields(rowOf(strings.TrimSpace(cell)))
		begin := 0
		for i, w := range words {
			head, tail, cut := strings.Cut(w, "…")
			switch {
			case !cut || strings.HasPrefix(tail, "}"):
			case tail != "":
				out, begin = append(out, w), i+1
			default:
				out, begin = append(out, strings.Join(append(words[begin:i:i], head+"…"), " ")), i+1
			}
		}
	}
	return out
}

var (
	cellBorders = regexp.MustCompile(`  +|[│┃]`)
	blanks      = regexp.MustCompile(`[\s│]+`)
	leftOut     = regexp.MustCompile(`(?m)(^|\s)…\s*$`)
)

// leastWhole is how many letters of what is left of a text have to be found before more of it.
const leastWhole = 8

// hasWhole says whether the text that was cut stands whole in a frame, on one line or several. The
// cell before may stand so near that its words seem to belong to the text.
func hasWhole(frame, cut string) bool {
	before, tail, _ := strings.Cut(cut, "…")
	if before == "" && tail == "" { // pieces of a sentence were left out: they must not be there
		return !leftOut.MatchString(frame)
	}
	frame = blanks.ReplaceAllString(frame, "")
	words := strings.Fields(before)
	for i := range max(1, len(words)) {
		head := strings.Join(words[min(i, len(words)):], "")
		if i > 0 && len(head) < leastWhole {
			return false
		}
		for at := 0; ; {
			n := strings.Index(frame[at:], head)
			if n < 0 {
				break
			}
			at += n + len(head)
			rest, _, _ := strings.Cut(frame[at:], "…")
			if rest != "" && hasInOrder(rest, strings.Split(tail, "…")) {
				return true
			}
			if head == "" {
				break
			}
		}
	}
	return false
}

// hasInOrder says whether a text has all pieces, one after the other.
func hasInOrder(text string, pieces []string) bool {
	for _, piece := range pieces {
		_, after, found := strings.Cut(text, piece)
		if !found {
			return false
		}
		text = after
	}
	return true
}

// rowOf is a line without the sign of the cursor.
func rowOf(line string) string {
	return strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(line, words.Cursor), words.Resting))
}

// bodyOf is a frame without the header, the path and the keys.
func bodyOf(frame string) []string {
	lines := strings.Split(strings.TrimSuffix(frame, "\n"), "\n")
	return lines[2 : len(lines)-1]
}

// busyConsole is the demo with units, changes, and lines of a log, all with long names.
func busyConsole(t *testing.T) *uitest.Fake {
	f := uitest.NewGated(t, uitest.AddUnits).Fake
	k := model.Key{Kind: model.KindANP, Name: "multi-tenant-isolation"}
	at := uitest.Now.Add(-time.Minute)
	f.Changed = []history.Change{{AuditRecord: history.AuditRecord{Time: at, User: "system:serviceaccount:ops:deployer", By: "cli", Mode: "sandbox", Op: change.OpMove,
		Title: "Move ANP multi-tenant-isolation from 43 to 36", Objects: []history.AuditObject{{Kind: k.Kind, Name: k.Name, Change: "update"}}, Result: history.Failed,
		Error: "the API server refused it: admission webhook \"policies.example.com\" denied the request: priority 36 is reserved for the platform", Undo: 6}}}
	for i, zone := range []string{"ovn-control-plane", "ovn-worker2"} {
		f.Done = append(f.Done, model.Activity{Seq: uint64(i) + 1, At: at.Add(time.Second), Took: 1200 * time.Millisecond, Zone: zone, Policy: k, Ops: 1012, By: "reconciler",
			Summary: "12 ACLs updated, 1 port group added, 14 addresses added, 8 ports removed", Error: "the server closed the connection: read tcp 10.0.0.1:6641: reset by peer"})
	}
	f.LogStore = logs.New(f.Revision, f.Now, 100)
	var pods []model.Change
	for o := range f.Revision().Cluster.Objects() {
		pods = append(pods, model.Change{New: o})
	}
	f.LogStore.Observe(pods)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { f.LogStore.Run(ctx); close(done) }()
	t.Cleanup(func() { cancel(); <-done })
	const lines = 3
	for i, ip := range podAddresses(f)[:lines] {
		line := logline.Line{At: at, Zone: "ovn-control-plane", Name: "ANP:multi-tenant-isolation:Ingress:" + strconv.Itoa(i), Verdict: "drop", Severity: "alert",
			Direction: "to-lport", Proto: "tcp", DstPort: 54321, Src: ip, Dst: netip.MustParseAddr("2001:db8:1234:5678:9abc:def0:1234:5678"), Raw: "x"}
		for !f.LogStore.Offer(line) {
			time.Sleep(time.Millisecond)
		}
	}
	for f.LogStore.LastNumber() < lines {
		time.Sleep(time.Millisecond)
	}
	return f
}

// podAddresses are the addresses of the pods, those with the longest names first.
func podAddresses(f *uitest.Fake) (out []netip.Addr) {
	var pods []*model.Pod
	for p := range f.Revision().Cluster.Pods() {
		if len(p.IPs) > 0 {
			pods = append(pods, p)
		}
	}
	slices.SortFunc(pods, func(a, b *model.Pod) int { return len(b.Namespace+b.Name) - len(a.Namespace+a.Name) })
	for _, p := range pods {
		out = append(out, netip.MustParseAddr(p.IPs[0]))
	}
	return out
}

// What the search for cut texts takes for cut, and for whole.
func TestCutsAreSeen(t *testing.T) {
	for line, want := range map[string][]string{
		"  name  a sentence that goes on…  40": {"a sentence that goes on…"},
		"│ multi-ten…isolation │ in sync │":    {"multi-ten…isolation"},
		"{…} is a placeholder":                 nil,
		"everything is here":                   nil,
	} {
		if got := cutCells(line); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
	for _, c := range []struct {
		frame, cut string
		want       bool
	}{
		{"multi-tenant-isolation", "multi-ten…isolation", true},
		{"multi-ten…isolation", "multi-ten…isolation", false},
		{"a sentence that goes on and\non to its end", "a sentence that goes on…", true},
		{"a sentence that goes on…", "a sentence that goes on…", false},
		{"ingress/controller-9h2fj → 10.0.0.1", "ingr…/contr…9h2fj", true},
		{"ingress/contr…9h2fj → 10.0.0.1", "ingr…/contr…9h2fj", false},
		{"another sentence", "a sentence that goes on…", false},
	} {
		if got := hasWhole(c.frame, c.cut); got != c.want {
			t.Errorf("%q in %q: whole %v, want %v", c.cut, c.frame, got, c.want)
		}
	}
}

// Nothing is cut for good: on every page of the demo, at every size, the text of every cell and
// sentence that is cut stands whole where the cursor is on its line, or is one key away: w, → or
// enter. Pages and lines are found by walking them.
func TestNothingIsCut(t *testing.T) {
	install.WithoutRace(t)
	for name, page := range demoPages() {
		for _, size := range [][2]int{{80, 24}, {100, 30}, {120, 34}, {200, 60}} {
			t.Run(fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), func(t *testing.T) {
				s := uitest.OpenWith(t, busyConsole(t), ui.Options{Page: page})
				s.Resize(size[0], size[1])
				for _, c := range walkCuts(s) {
					t.Errorf("%q is nowhere whole; its line:\n%s", c.cell, c.line)
				}
			})
		}
	}
}

// cutCell is a cell that was cut, with its line.
type cutCell struct{ cell, line string }

// walkCuts walks down a page and returns what is cut and whole nowhere near.
func walkCuts(s *uitest.Screen) (out []cutCell) {
	const mostRows, mostSideways = 70, 40
	open, order := map[cutCell]bool{}, []cutCell{}
	settle := func(frame string) {
		for c, is := range open {
			if is && hasWhole(frame, c.cell) {
				open[c] = false
			}
		}
	}
	anyOpen := func(body []string) bool {
		for _, l := range body {
			for _, c := range cutCells(l) {
				if open[cutCell{c, rowOf(l)}] {
					return true
				}
			}
		}
		return false
	}
	s.Press("home")
	last := ""
	for range mostRows {
		frame := s.PlainFrame()
		if frame == last {
			break
		}
		last = frame
		body := bodyOf(frame)
		for _, l := range body {
			for _, c := range cutCells(l) {
				x := cutCell{c, rowOf(l)}
				if _, seen := open[x]; !seen {
					open[x], order = true, append(order, x)
				}
			}
		}
		settle(frame)
		if anyOpen(body) {
			s.Press("w")
			settle(strings.Join(bodyOf(s.PlainFrame()), "\n"))
			s.Press("w")
		}
		sideways := 0
		for ; sideways < mostSideways && anyOpen(body); sideways++ {
			before := s.PlainFrame()
			s.Press("right")
			after := s.PlainFrame()
			settle(after)
			settleEnds(open, body, bodyOf(after))
			if before == after {
				break
			}
		}
		for range sideways {
			s.Press("left")
		}
		if anyOpen(body) {
			path := strings.Split(s.PlainFrame(), "\n")[1]
			s.Press("enter")
			settle(s.PlainFrame())
			if strings.Split(s.PlainFrame(), "\n")[1] != path {
				s.Press("esc")
			}
		}
		s.Press("down")
	}
	for _, x := range order {
		if open[x] {
			out = append(out, x)
		}
	}
	return out
}

// settleEnds settles cells at the ends of lines whose ends came into sight sideways.
func settleEnds(open map[cutCell]bool, before, after []string) {
	for i, l := range before {
		if i >= len(after) || strings.Contains(after[i], "…") {
			continue
		}
		for _, c := range cutCells(l) {
			if x := (cutCell{c, rowOf(l)}); strings.HasSuffix(l, c) {
				open[x] = false
			}
		}
	}
}
