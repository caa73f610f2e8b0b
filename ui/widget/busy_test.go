package widget

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestBar(t *testing.T) {
	for _, c := range []struct {
		done, total int64
		w           int
		want        string
	}{
		{0, 0, 4, "░░░░"}, {0, 3, 4, "░░░░"}, {1, 2, 4, "██░░"}, {2, 2, 4, "████"}, {999, 1000, 4, "███░"}, {1, 1000, 4, "░░░░"},
		{5, 3, 3, "███"}, {-1, 3, 3, "░░░"}, {1, 1, 1, "█"}, {1, 2, 1, "░"}, {1, 2, 0, ""}, {1, 2, -3, ""}, {1 << 40, 1 << 41, 6, "███░░░"},
	} {
		l := ProgressBar(st, st.OK, c.done, c.total, c.w)
		if got := l.String(); got != c.want {
			t.Errorf("%d of %d in %d cells: %q, want %q", c.done, c.total, c.w, got, c.want)
		}
		for _, s := range l {
			if strings.ContainsRune(s.Text, ansi.ESC) {
				t.Errorf("a colour that is not the theme's: %q", s.Text)
			}
		}
		if len(l) == 2 && (l[0].Style != st.OK || l[1].Style != st.Dim) {
			t.Errorf("%d of %d: the looks are %v", c.done, c.total, l)
		}
	}
}

func TestSpinner(t *testing.T) {
	for _, plain := range []bool{false, true} {
		s := WorkSpinner{Plain: plain}
		seen := ""
		for range 8 {
			if TextWidth(s.FrameSign()) != 1 {
				t.Errorf("%q is not one cell wide", s.FrameSign())
			}
			seen += s.FrameSign()
			s.StepFrame()
		}
		if want := map[bool]string{false: "⣾⣽⣻⢿⡿⣟⣯⣷", true: `|/-\|/-\`}[plain]; seen != want {
			t.Errorf("plain %v: %q, want %q", plain, seen, want)
		}
	}
}

func TestComplete(t *testing.T) {
	text := "34 cluster-control ns:all 10.0.0.1/24 kube-system/coredns-7f. multi-tenant-iso… (egress) ünïcode_x end"
	for _, c := range []struct{ begin, want string }{
		{"cl", "cluster-control"}, {"control", ""}, {"10.", "10.0.0.1/24"}, {"kube", "kube-system/coredns-7f"}, {"egr", "egress"}, {"mult", ""},
		{"ün", "ünïcode_x"}, {"end", ""}, {"", ""}, {"en", "end"}, {"Cl", ""}, {"all", ""}, {"ns", "ns:all"},
	} {
		if got := wordFrom(text, c.begin); got != c.want {
			t.Errorf("%q goes on as %q, want %q", c.begin, got, c.want)
		}
	}
	for _, c := range []struct{ text, want string }{{"", ""}, {"ab", "ab"}, {"!ab", "ab"}, {"x.*ab-c", "ab-c"}, {"a ", ""}, {"a(", ""}, {"zo|ü", "ü"}} {
		if got := LastWord(c.text); got != c.want {
			t.Errorf("the last word of %q is %q, want %q", c.text, got, c.want)
		}
	}
	tb := newTable()
	tb.SetItems(things(1000))
	if got := tb.CompleteWord("thing-1"); got != "thing-10" {
		t.Errorf("the table completes to %q", got)
	}
	tb.SetFilter(ParseFilter("thing-776"))
	if got := tb.CompleteWord("thing-77"); got != "thing-776" {
		t.Errorf("a row that is shown completes to %q", got)
	}
	tx := &TextView{}
	tx.SetLines([]Line{PlainLine("apiVersion: v1"), PlainLine("kind: Policy")})
	if got := tx.CompleteWord("kin"); got != "kind" {
		t.Errorf("the text completes to %q", got)
	}
}
