package widget_test

import (
	"testing"

	"rung/ui/widget"
)

func TestMiddle(t *testing.T) {
	for _, c := range []struct {
		text string
		w    int
		want string
	}{
		{"coredns-5d78c9869d-bx7k1", 24, "coredns-5d78c9869d-bx7k1"},
		{"coredns-5d78c9869d-bx7k1", 13, "coredn…-bx7k1"},
		{"coredns", 2, "c…"},
		{"coredns", 1, "…"},
		{"coredns", 0, ""},
		{"日本語日本語", 8, "日本…語"},
	} {
		got := widget.Middle(c.text, c.w)
		if got != c.want || widget.Width(got) > max(0, c.w) {
			t.Errorf("Middle(%q, %d) = %q, want %q", c.text, c.w, got, c.want)
		}
	}
}
