package command

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// A table that is too wide goes on in lines of its own, prose first; the others stay whole, and
// every word is still there.
func TestFitText(t *testing.T) {
	table := &TextTable{Head: []string{"NAME", "WHAT IT IS", "ACTION", "WHY"}}
	table.AddRow("a-long-name-of-one-word", "prose that goes on for a while", "Deny", "because of something else that is long")
	table.AddRow("b", "short", "Allow", "")
	text := "before, a line that is longer than the table may be, and stays as it is\n" + table.String() + "behind\n"
	want := `before, a line that is longer than the table may be, and stays as it is
NAME                     WHAT IT IS         ACTION  WHY
a-long-name-of-one-word  prose that goes    Deny    because of
                         on for a while             something else
                                                    that is long
b                        short              Allow
behind
`
	if got := PlainText(FitText(text, 70)); got != want {
		t.Errorf("%s", got)
	}
	whole := PlainText(text)
	for width := 30; width < 140; width++ {
		got := PlainText(FitText(text, width))
		for _, word := range strings.Fields(whole) {
			if width >= 60 && !strings.Contains(got, word) {
				t.Errorf("%d: no %s in\n%s", width, word, got)
			}
		}
		for line := range strings.Lines(got) {
			if w := ansi.StringWidth(line); width > 40 && w > width && !strings.HasPrefix(line, "before") {
				t.Errorf("%d: %s", width, line)
			}
		}
	}
	for _, width := range []int{0, 200} {
		if got := PlainText(FitText(text, width)); got != whole {
			t.Errorf("%d:\n%s", width, got)
		}
	}
}

// A name with a hyphen is broken only where no line has room for it: half of one is another name.
func TestNamesStayWhole(t *testing.T) {
	got := strings.Join(WrapMarked("denied: blue/api-d0 → kube-system/coredns-x now", 30), "|")
	if want := "denied: blue/api-d0 →|kube-system/coredns-x now"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A look that goes on over the end of a line begins again in the next, and not in other columns;
// text cannot make marks of its own.
func TestMarks(t *testing.T) {
	lines := WrapMarked(Paint("deny", "one two three")+" four", 8)
	if len(lines) != 3 || !strings.HasPrefix(lines[1], markStart) || !strings.HasSuffix(lines[0], newMark(noLook)) || strings.Contains(lines[2], newMark(looks)) {
		t.Errorf("%q", lines)
	}
	if got := PaintWord(newMark(noLook)); strings.Contains(got, "\x1b") {
		t.Errorf("%q", got)
	}
	if got := PlainText(PaintWord("Deny") + " of it"); got != "Deny of it" {
		t.Errorf("%q", got)
	}
}
