package acllog

import (
	"fmt"
	"testing"
)

func TestUnseenNumbers(t *testing.T) {
	line := func(n int, thread string) string {
		return fmt.Sprintf("2026-11-23T12:00:00.000Z|%05d|acl_log(%s)|INFO|name=\"x\"", n, thread)
	}
	const own = "ovn_pinctrl0"
	for _, c := range []struct {
		what  string
		lines []string
		want  uint64
	}{
		{"none", []string{line(7, own), line(8, own), line(9, own)}, 0},
		{"two gaps", []string{line(7, own), line(10, own), line(12, own)}, 3},
		{"another thread counts for itself", []string{line(7, own), line(900, "ovn_statctrl1"), line(8, own)}, 0},
		{"another module of the thread", []string{line(7, own), "2026-11-23T12:00:00Z|00008|pinctrl(ovn_pinctrl0)|INFO|connected", line(9, own)}, 0},
		{"a new run", []string{line(700, own), line(1, own), line(2, own)}, 0},
		{"lines that came again", []string{line(7, own), line(8, own), line(7, own), line(8, own), line(9, own)}, 0},
		{"another program's line", []string{line(7, own), "I1123 something | 5 | else", line(8, own)}, 0},
		{"a number that cannot be", []string{line(7, own), line(7+2*mostUnseen, own)}, 0},
	} {
		var n LineNumbers
		got := uint64(0)
		for _, l := range c.lines {
			got += n.MissingBefore([]byte(l), 128)
		}
		if got != c.want {
			t.Errorf("%s: %d numbers missing, want %d", c.what, got, c.want)
		}
	}
}
