//go:build unix

package journey_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// asksName is a question that wants the name of a policy typed.
var asksName = regexp.MustCompile(`Type ([a-z0-9-]+) to confirm`)

// agrees says yes to a preview in whichever way it asks.
func (c *console) agrees() *console {
	c.t.Helper()
	name := ""
	c.press("a").until("asks", func(f *frame) bool {
		text := f.Text()
		if m := asksName.FindStringSubmatch(text); m != nil {
			name = m[1]
		}
		return name != "" || strings.Contains(text, "[ n no ]")
	})
	if name != "" {
		return c.types("to confirm", name)
	}
	return c.answers("[ n no ]", "y")
}

// files are the texts of a folder.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		out[e.Name()] = read(t, filepath.Join(dir, e.Name()))
	}
	return out
}

// TestEveryTemplate: N makes the policies of each template from what is offered, the preview
// writes nothing, yes writes all, and one undo gives the files back as they were. The text
// can be edited before, and again.
func TestEveryTemplate(t *testing.T) {
	t.Parallel()
	dir := examples(t)
	// The editor renames a part, another way each time.
	c := open(t, setup{files: []string{dir}, args: []string{"--write-back", "--traffic", "0", "--sandbox-ovsdb", "builtin"}, w: 110, h: 40,
		editor: `sed -i.old "s/default-deny-\(needs\|musts\)/default-deny-$([ $n = 1 ] && echo musts || echo wants)/" "$1"`}).ready()
	before := files(t, dir)
	for _, tt := range []struct {
		name      string
		questions []string
		title     string
		edits     bool
		has       string // what a file has then
	}{
		{"default-deny", []string{"Which namespaces?", "Deny ingress, egress, or both?", "At which priorities"}, "Create ANP default-deny, ANP default-deny-dns, 1 more", true, "name: default-deny-wants"},
		{"monitoring", []string{"Which namespaces is monitoring in?", "Which ports does it scrape?", "At which priorities?"}, "Create ANP monitoring, ANP monitoring-scrapes", false, "name: monitoring-scrapes"},
		{"quarantine", []string{"Which label", "Which namespaces", "At which priority?"}, "Create ANP quarantine-2", false, "name: quarantine-2"},
		{"break-glass", []string{"Which label opens the way for a pod?", "At which priorities?"}, "Create ANP break-glass-2, ANP break-glass-2-opens", false, "name: break-glass-2-opens"},
		{"baseline", []string{"Which namespaces are workloads?", "Deny ingress, egress, or both?"}, "BANP default", false, "type: all-workload-namespaces"},
		{"delegate", []string{"Among which namespaces?", "At which priority?"}, "Create ANP delegate", false, "name: delegate"},
	} {
		c.press("N").at("new from a template").pick(tt.name).press("enter")
		for _, q := range tt.questions {
			if tt.name == "baseline" && strings.HasPrefix(q, "Deny") { // the demo's is as it is offered
				c.types(q, "ingress")
			} else {
				c.answers(q, "enter")
			}
		}
		c.sees("nothing is written yet", "e keep editing")
		if tt.edits {
			c.press("e").sees("default-deny-musts").press("e").sees("default-deny-wants")
		} else {
			c.sees(tt.title)
		}
		if diff := cmp.Diff(before, files(t, dir)); diff != "" {
			t.Fatalf("%s: the preview wrote (-before +after):\n%s", tt.name, diff)
		}
		c.agrees().at("Ladder")
		found := false
		for name, text := range files(t, dir) {
			found = found || before[name] != text && strings.Contains(text, tt.has)
		}
		if !found {
			t.Fatalf("%s: no file was written with %q", tt.name, tt.has)
		}
		c.press("U").sees("Undo: ").agrees().at("Ladder")
		if diff := cmp.Diff(before, files(t, dir)); diff != "" {
			t.Fatalf("%s: after the undo (-before +after):\n%s", tt.name, diff)
		}
	}
	c.quits()
}
