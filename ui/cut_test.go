package ui_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"rung/model/signs"
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
			if rest != "" && strings.Contains(rest, tail) {
				return true
			}
			if head == "" {
				break
			}
		}
	}
	return false
}

// rowOf is a line without the sign of the cursor.
func rowOf(line string) string {
	return strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(line, signs.Cursor), signs.Resting))
}

// bodyOf is a frame without the header, the path and the keys.
func bodyOf(frame string) []string {
	lines := strings.Split(strings.TrimSuffix(frame, "\n"), "\n")
	return lines[2 : len(lines)-1]
}

// Nothing is cut for good: on every page of the demo, at every size, the text of every cell and
// sentence that is cut stands whole where the cursor is on its line, or is one key away: w, → or
// enter. Pages and lines are found by walking them.
func TestNothingIsCut(t *testing.T) {
	for name, page := range demoPages() {
		for _, size := range [][2]int{{80, 24}, {100, 30}, {120, 34}, {200, 60}} {
			t.Run(fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), func(t *testing.T) {
				s := uitest.OpenWith(t, uitest.NewGated(t, uitest.AddUnits).Fake, ui.Options{Page: page})
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
