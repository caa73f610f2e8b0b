package edit

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/sources/manifests"
	"rung/system"
)

func TestHeadAndBody(t *testing.T) {
	for _, text := range []string{"", "a: 1", "# a comment\na: 1\n", "a: 1\r\n# rung: not on top\r\n", "---\n# rung: neither\n"} {
		with := withHead([]string{"one", "two\nthree", ""}, text)
		if got := withoutHead(with); got != text {
			t.Errorf("withoutHead(withHead(%q)) = %q", text, got)
		}
		if !strings.HasPrefix(with, "# rung: one\n# rung: two\n# rung: three\n") {
			t.Errorf("%q", with)
		}
	}
	if got := withoutHead("# rung: only"); got != "" {
		t.Errorf("%q", got)
	}
}

func TestLineOf(t *testing.T) {
	text := system.OVN.Draft("", 7)
	lines := strings.Split(text, "\n")
	for field, want := range map[string]string{
		"spec.priority": "  priority: 7", "metadata.name": "  name: new-policy", "spec.ingress[0].from": "    from:",
		"spec.ingress[0].from[0].nothing": "    - namespaces:", "spec.nothing.at.all": "spec:", "": lines[0],
	} {
		if n := fieldLine(text, field); n < 1 || lines[n-1] != want {
			t.Errorf("%s is on line %d, want %q", field, n, want)
		}
	}
	if n := fieldLine("a: [", "a"); n != 0 {
		t.Errorf("a text that cannot be read has line %d", n)
	}
}

func TestCommand(t *testing.T) {
	for _, c := range []struct {
		visual, editor string
		line           int
		want           []string
	}{
		{"", "vim", 7, []string{"vim", "+7", "F"}},
		{"nano -w", "vim", 1, []string{"nano", "-w", "F"}},
		{"", "code", 3, []string{"code", "--wait", "--goto", "F:3"}},
		{"", "code --wait", 1, []string{"code", "--wait", "F"}},
		{"", "/opt/ed x", 9, []string{"/opt/ed", "x", "F"}},
		{"", `"/my editor/ed" -x`, 9, []string{"sh", "-c", `"/my editor/ed" -x "$@"`, "editor", "F"}},
	} {
		t.Setenv("VISUAL", c.visual)
		t.Setenv("EDITOR", c.editor)
		if diff := cmp.Diff(c.want, editorCommand("F", c.line).Args); diff != "" {
			t.Errorf("%+v\n%s", c, diff)
		}
	}
	t.Setenv("EDITOR", "")
	t.Setenv("VISUAL", "")
	if chosenEditor() == "" {
		t.Error("no editor at all")
	}
}

// A note is no wider than the terminal it is read in, and all of it is taken off again.
func TestHeadFits(t *testing.T) {
	text := "kind: AdminNetworkPolicy\n"
	with := withHead([]string{strings.Repeat("multi-tenant-isolation decides before break-glass, ", 6), "short"}, text)
	for l := range strings.Lines(strings.TrimSuffix(with, text)) {
		if n := len(strings.TrimSuffix(l, "\n")); n > 80 {
			t.Errorf("%d cells: %q", n, l)
		}
	}
	if got := withoutHead(with); got != text {
		t.Errorf("body is %q", got)
	}
}

// The text of a new policy is one that can be applied as it is, in the API of each system.
func TestDraftsAreValid(t *testing.T) {
	for _, s := range system.All {
		text := s.Draft("securityops", 5)
		p, broken := manifests.ParsePolicy([]byte(text))
		if p == nil || len(broken)+len(p.Invalid) > 0 || !p.Kind.CanMove() || !strings.HasSuffix(p.PlaceText(), "5") {
			t.Errorf("%s: %v\n%s", s.Name, broken, text)
		}
	}
}
