package nav_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"rung/ui/nav"
)

// docs/command-line.md says of every page which command prints it, or that none does.
func TestPagesHaveCommands(t *testing.T) {
	text, err := os.ReadFile("../../docs/command-line.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n## Pages and commands\n")
	table, _, _ = strings.Cut(table, "\n## ")
	told := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (.*) \\|$").FindAllStringSubmatch(table, -1) {
		told[m[1]] = m[2] != ""
	}
	for _, kind := range nav.Kinds {
		if !told[string(kind)] {
			t.Errorf("no row of the page %q", kind)
		}
		delete(told, string(kind))
	}
	for name := range told {
		t.Errorf("there is no page %q", name)
	}
}
