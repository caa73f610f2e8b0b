//go:build unix

package journey_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestProposeFromTheLog: from a line that was dropped to the rule that lets exactly it
// through, by the editor, a preview and a yes, to the same connection allowed, and the
// others still denied.
func TestProposeFromTheLog(t *testing.T) {
	t.Parallel()
	path := filepath.Join(short(t), "shut.yaml")
	shut := strings.ReplaceAll(policyText("shut", 40), "Allow", "Deny")
	shut = strings.Replace(shut, "metadata:\n", "metadata:\n  annotations:\n    k8s.ovn.org/acl-logging: '{\"deny\": \"alert\"}'\n", 1)
	// Pods of a namespace are told apart by a label.
	text := nodes()
	for _, pod := range []string{"pod-0", "pod-1", "pod-2"} {
		text = strings.ReplaceAll(text, "  name: "+pod+"\n", "  name: "+pod+"\n  labels:\n    app: "+pod+"\n")
	}
	write(t, path, text+"---\n"+shut)
	c := open(t, setup{files: []string{path}, args: []string{"--traffic", "150", "--sandbox-ovsdb", "builtin"}, editor: `cp "$1" "$1.seen"`, w: 140, h: 44}).ready()
	c.press("4").at("logs").sees("dropped by shut egress 0", "dropped by shut ingress 0").press("space").sees("paused")
	c.pickBy("k", "dropped by shut egress 0")
	line := c.selected()

	c.press("t").at("trace ").sees("denied by ANP ").press("esc").at("logs")
	c.does("E", "lines shown").answers("propose a rule", "a")
	c.answers("For which policy?", "ctrl+u")
	c.types("For which policy?", "door")
	c.sees("Create ANP door", "opens only the logged connections", "deny → allow", "log lines that would be decided differently", "nothing is written yet")
	// What a Deny kept shut is opened, so the name is typed.
	c.press("a").types("Type door to confirm", "door").at("logs")
	if got := c.selected(); got != line {
		t.Fatalf("back on %q, not on %q", got, line)
	}
	c.press("t").at("trace ").sees("allowed", "door egress 0", "rows agree").press("esc").at("logs")

	// The other way it is denied as before.
	c.press("g").pickBy("j", "dropped by shut ingress 0").press("t").at("trace ").sees("denied by ANP shut ").press("esc")
	c.quits()
}
