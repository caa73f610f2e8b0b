//go:build unix

package journey_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTemplate: N makes tenant isolation from three answers, as one change that one undo takes
// back; a tenant that comes later is a finding, and one key makes what is missing.
func TestTemplate(t *testing.T) {
	t.Parallel()
	dir := examples(t)
	c := open(t, setup{files: []string{dir}, args: []string{"--write-back", "--traffic", "0", "--sandbox-ovsdb", "builtin"}, w: 100, h: 40}).ready()
	c.press("N").at("new from a template").sees("blank policy", "tenant-isolation", "delegate").pick("tenant-isolation")
	isolate := func() {
		t.Helper()
		c.does("enter", "Which label of namespaces tells tenants apart?", "▸label")
		c.answers("Which label", "enter").sees("Which of its values are tenants to isolate?", "[x] open")
		// All of them are offered; the cursor is on that line.
		c.answers("Which of its values", "down", "down", "down", "space", "down", "down", "space", "down", "space", "enter")
		c.sees("At which priorities?", "blue,green,red,yellow", "31,33").answers("At which priorities?", "enter")
		c.sees("Create ANP tenant-isolation, ANP tenant-isolation-blue, 3 more", "nothing is written yet", "pairs across namespaces, denied today, into")
	}
	isolate()
	// No is no, and the list is there again.
	c.press("esc").at("new from a template").sees("nothing was changed")
	isolate()
	c.press("a").types("Type tenant-isolation-blue to confirm", "tenant-isolation-blue").at("Ladder")
	c.sees("31 ┌ tenant-isolation-blue", "33 ─ tenant-isolation ")
	file := filepath.Join(dir, "anp-tenant-isolation.yaml")
	if text := read(t, file); !strings.Contains(text, "rung/template") {
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

	write(t, filepath.Join(dir, "90-violet.yaml"), "apiVersion: v1\nkind: Namespace\nmetadata: {name: violet, labels: {tenant: violet}}\n")
	c.press("f").at("findings").sees("the tenant violet (namespace violet) is newer").pick("tenant-isolation", "the tenant violet")
	c.press("a").sees("Create ANP tenant-isolation-violet; update ANP tenant-isolation", "nothing is written yet")
	c.does("a", "Apply?").answers("[ no ]", "y").at("findings").misses("is newer than the set")
	if text := read(t, file); !strings.Contains(text, "- violet") {
		t.Errorf("the Deny does not name the tenant:\n%s", text)
	}
	c.press("esc").at("Ladder").press("N").sees("made from templates here", "tenant-isolation, 6 policies").press("esc").at("Ladder")
	c.quits()
}
