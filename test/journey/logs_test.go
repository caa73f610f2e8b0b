//go:build unix

package journey_test

import (
	"regexp"
	"strings"
	"testing"
)

// ruleIn finds the rule a line of the log names.
var ruleIn = regexp.MustCompile(`(allowed|dropped|passed) (?:×\d+ )?by (ingress|egress) (\d+)`)

// logLine is a line of the list.
var logLine = regexp.MustCompile(`^[▸ ]\s*\d\d:\d\d:\d\d(\.\d{3})? `)

// TestLogging: levels are picked, previewed and confirmed; the rows log; lines
// arrive, lead to the rule that decided, and Esc leads back to the line.
func TestLogging(t *testing.T) {
	t.Parallel()
	c := open(t, setup{args: []string{"--traffic", "150"}}).ready()
	before := c.rows("cluster-control")
	for id, row := range before {
		if row.Log != (row.Action == "drop") {
			t.Fatalf("%s: log %v of a row that does %s", id, row.Log, row.Action)
		}
	}
	c.pick("cluster-contr").does("L", "log ANP cluster-control", "▸Deny", "[alert]")
	c.answers("▸Deny", "down").sees("▸Allow").press("2").sees("[warning]")
	c.press("down").sees("▸Pass").press("5").sees("[debug]")
	c.press("enter").sees("nothing is written yet", "10 changed: log, severity", "log false → true", "severity none → warning", "severity none → debug")
	c.does("a", "[ n no ]").answers("[ n no ]", "y")
	want := map[string]string{"drop": "alert", "allow-related": "warning", "pass": "debug"}
	now := c.follows("cluster-control", "logging", func(rows map[string]acl) bool {
		for _, row := range rows {
			if !row.Log || row.Severity != want[row.Action] {
				return false
			}
		}
		return len(rows) > 0
	})
	if diff := same(before, now); diff != "" {
		t.Error("after logging was turned on " + diff)
	}

	c.press("esc").at("Ladder").pick("cluster-contr").press("l").at("log of cluster-control")
	c.sees("alert for Deny", "warning for Allow", "● follow")
	c.sees("allowed by").sees("dropped by")
	c.press("space").sees("paused")
	c.pickBy("k", "allowed by") // down at the end goes on with the newest
	line := c.selected()
	m := ruleIn.FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("the line names no rule: %q", line)
	}
	c.press("enter").at("cluster-control " + m[2] + " " + m[3])
	c.press("space").sees("warning")
	c.press("esc").at("log of cluster-control")
	if got := c.selected(); got != line {
		t.Errorf("back on %q, not on %q", got, line)
	}

	// From the rule its own lines only, and filters over all.
	c.press("esc").at("Ladder").press("4").at("logs").sees("by rule, simulated traffic")
	c.press("/")
	c.Type("verdict:drop policy:cluster-control")
	c.press("enter").sees("filter: verdict:drop policy:cluster-control")
	c.until("shows nothing but drops of cluster-control", func(f *frame) bool {
		lines := 0
		for y := range f.Height {
			if text := f.Line(y); logLine.MatchString(text) {
				lines++
				if !strings.Contains(text, "dropped by cluster-control") && !strings.Contains(text, "✗ cluster-control ") {
					return false
				}
			}
		}
		return lines > 0
	})
	c.press("esc").misses("filter:").press("space", "p")
	c.until("asks which pod, or shows it", func(f *frame) bool {
		return strings.Contains(f.Text(), "which pod") || strings.Contains(crumbs(f), "› pod ")
	})
	if strings.Contains(c.Screen(), "which pod") {
		c.answers("which pod", "enter")
	}
	c.at("pod ").press("esc").at("logs")
	c.quits()
}
