//go:build unix

package journey_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTemplate: N makes tenant isolation from three answers, as one change that one undo takes
// back.
func TestTemplate(t *testing.T) {
	t.Parallel()
	dir := examples(t)
	c := open(t, setup{files: []string{dir}, args: []string{"--write-back", "--traffic", "0", "--sandbox-ovsdb", "builtin"}, w: 100, h: 40}).ready()
	c.press("N").at("new from a template").sees("blank policy", "tenant-isolation", "delegate").pick("tenant-isolation")
	isolate := func() {
		t.Helper()
		c.does("enter", "Which label of namespaces tells tenants apart?").answers("Which label", "enter")
		c.sees("Which of its values are tenants to isolate?", "blue,green,open").types("Which of its values", "blue,green,red,yellow")
		c.sees("At which priorities?", "31,33").answers("At which priorities?", "enter")
		c.sees("Create ANP tenant-isolation, ANP tenant-isolation-blue, 3 more", "nothing is written yet", "pairs across namespaces, denied today, into")
	}
	isolate()
	// No is no, and the list is there again.
	c.press("esc").at("new from a template").sees("nothing was changed")
	isolate()
	c.press("a").types("Type tenant-isolation-blue to confirm", "tenant-isolation-blue").at("Ladder")
	c.sees("31 ┌ tenant-isolation-blue", "33 ─ tenant-isolation ")
	file := filepath.Join(dir, "anp-tenant-isolation.yaml")
	if text := read(t, file); !strings.Contains(text, "deny-others") {
		t.Errorf("the Deny was written as\n%s", text)
	}

	// One undo takes all of it back, and one redo makes it again.
	c.press("U").sees("Undo: Create ANP tenant-isolation", "deletes 5 policies: ANP tenant-isolation, ANP tenant-isolation-blue, ").
		press("a").types("Type tenant-isolation to confirm", "tenant-isolation").at("Ladder").misses("tenant-isolation-blue")
	if _, err := os.Stat(file); err == nil {
		t.Error("undo left the file of the Deny")
	}
	c.press("R").sees("Create ANP tenant-isolation").press("a").types("Type tenant-isolation-blue to confirm", "tenant-isolation-blue").at("Ladder")
	c.sees("31 ┌ tenant-isolation-blue")

	c.quits()
}
