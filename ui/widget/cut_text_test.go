package widget

import (
	"strings"
	"testing"

	"rung/themes"
)

func TestCutName(t *testing.T) {
	for _, tt := range []struct {
		name string
		w    int
		want string
	}{
		{"kube-system/coredns-6f8d-bx7k1", 23, "kube-system/cored…bx7k1"},
		{"multi-tenant-isolation", 22, "multi-tenant-isolation"},
		{"multi-tenant-isolation", 12, "multi-…ation"},
		{"multi-tenant-isolation", 3, "m…n"},
		{"multi-tenant-isolation", 1, "…"},
		{"multi-tenant-isolation", 0, ""},
		{"名前の長いポリシー", 10, "名前…シー"},
		{"日本語日本語", 8, "日本…語"},
	} {
		if got := CutName(tt.name, tt.w); got != tt.want {
			t.Errorf("CutName(%q, %d) = %q, want %q", tt.name, tt.w, got, tt.want)
		}
	}
	for w := range 40 {
		if n := TextWidth(CutName("kube-system/名前coredns-6f8d-bx7k1", w)); n > w {
			t.Errorf("in %d cells %d", w, n)
		}
	}
	l := Line{{Text: "┌ "}, {Text: "multi-tenant-isolation"}}
	if got := l.CutName(14).String(); got != "┌ multi-…ation" {
		t.Errorf("a name after its sign: %q", got)
	}
}

func TestCutWords(t *testing.T) {
	for _, tt := range []struct {
		text string
		w    int
		want string
	}{
		{"not enforced: above 99", 22, "not enforced: above 99"},
		{"not enforced: above 99", 15, "not enforced"},
		{"settling, 1 row", 12, "settling"},
		{"1 row behind ovn-worker2", 12, "1 row behind"},
		{"1 row behind ovn-worker2", 13, "1 row behind"},
		{"w2: the transaction was refused", 20, "w2: the transaction"},
		{"supercalifragilistic", 8, "superca…"},
	} {
		if got := PlainLine(tt.text).CutWords(tt.w).String(); got != tt.want {
			t.Errorf("%q in %d: %q, want %q", tt.text, tt.w, got, tt.want)
		}
	}
}

func TestFitWhole(t *testing.T) {
	pieces := []Line{PlainLine("≠ quarantine"), PlainLine("▲ no DNS"), PlainLine("= 4 at 40")}
	for w, want := range map[int]string{40: "≠ quarantine  ▲ no DNS  = 4 at 40", 33: "≠ quarantine  ▲ no DNS  = 4 at 40",
		32: "≠ quarantine  ▲ no DNS +1", 24: "≠ quarantine +2", 14: ""} {
		if got := FitWhole(pieces, "  ", w, themes.Style{}).String(); got != want {
			t.Errorf("in %d: %q, want %q", w, got, want)
		}
	}
}

// What is told of a row is told whole, or counted, and no word is cut.
func TestFlowWhole(t *testing.T) {
	pieces := []Line{PlainLine("≠ conflicts with quarantine at 60: ingress 0 is Allow here and Deny there, which one wins is undefined (e.g. a → b)"),
		PlainLine("▲ drops everything that leaves the pods; nothing else is left"), PlainLine("ACLS 12")}
	keys := ""
	text := func(w, h int) string {
		var out []string
		for _, l := range flowWhole(pieces, [2]int{0, 2}, keys, w, h, themes.Style{}, themes.Style{}) {
			if n := l.LineWidth(); n > w {
				t.Errorf("in %d×%d a line of %d: %q", w, h, n, l)
			}
			out = append(out, l.String())
		}
		return strings.Join(out, "\n")
	}
	for _, tt := range []struct {
		w, h int
		want string
	}{
		{200, 1, pieces[0].String() + " · " + pieces[1].String() + " · ACLS 12"},
		{76, 2, "≠ conflicts with quarantine at 60 · ▲ drops everything that leaves the pods\nACLS 12"},
		{76, 1, "≠ conflicts with quarantine at 60 · ACLS 12  +1 more"},
		{30, 1, "≠ conflicts with …  +1 more"},
	} {
		if got := text(tt.w, tt.h); got != tt.want {
			t.Errorf("in %d×%d:\n%s\nwant\n%s", tt.w, tt.h, got, tt.want)
		}
	}
	keys = "⏎ f"
	if got, want := text(76, 1), "≠ conflicts with quarantine at 60 · ACLS 12  +1 more: ⏎ f"; got != want {
		t.Errorf("with keys: %q, want %q", got, want)
	}
	if got := text(200, 1); strings.Contains(got, keys) {
		t.Errorf("keys for nothing: %q", got)
	}
	whole := strings.FieldsFunc(pieces[0].String()+" "+pieces[1].String()+" ACLS 12", func(r rune) bool { return r == ' ' })
	known := map[string]bool{"·": true, "…": true, "+1": true, "+2": true, "more": true, "more:": true, "⏎": true, "f": true}
	for _, w := range whole {
		known[w], known[strings.TrimRight(w, ":;,")] = true, true
	}
	for w := 14; w < 220; w++ {
		for h := 1; h < 4; h++ {
			for _, word := range strings.Fields(text(w, h)) {
				if !known[word] {
					t.Fatalf("in %d×%d the word %q:\n%s", w, h, word, text(w, h))
				}
			}
		}
	}
}

// A name is whole on a line, where a line has room for it.
func TestFlowKeepsNames(t *testing.T) {
	text := "drops the DNS queries of kube-system/coredns-565d847f94-bx7k1 and multi-tenant-isolation, see --field-selector"
	for w := 36; w < 80; w++ {
		lines := FlowText(text, w)
		if got := strings.Join(lines, " "); got != text {
			t.Errorf("in %d: %q", w, lines)
		}
		for _, l := range lines {
			if TextWidth(l) > w {
				t.Errorf("in %d a line of %d: %q", w, TextWidth(l), l)
			}
		}
	}
	if got := strings.Join(FlowText("a-long-name", 4), "|"); got != "a-lo|ng-n|ame" {
		t.Errorf("a name without room: %q", got)
	}
}

// A cluster that ends in another span counts more in its parts than as a whole; nothing of it is lost.
func TestFlowLineOfSplitCluster(t *testing.T) {
	l := Line{{Text: "👍"}, {Text: "🏽"}}
	for w := 1; w < 6; w++ {
		text := ""
		for _, part := range l.FlowLine(w, w) {
			text += part.String()
		}
		if text != l.String() {
			t.Errorf("%d cells: %q", w, text)
		}
	}
}
