package arch

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var withoutRace = regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\) \{\n\tinstall\.WithoutRace\(t\)`)

// A test that is left out under the race detector is one of WHOLE in the Makefile, so that it runs.
func TestLeftOutTestsRun(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join("..", "..", "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	_, whole, _ := bytes.Cut(makefile, []byte("\nWHOLE := "))
	whole, _, _ = bytes.Cut(whole, []byte("\n"))
	names := strings.Split(string(whole), "|")
	found := 0
	for _, dir := range []string{"cli", "ui"} {
		files, err := filepath.Glob(filepath.Join("..", "..", dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range withoutRace.FindAllSubmatch(text, -1) {
				found++
				if !slices.Contains(names, string(m[1])) {
					t.Errorf("%s: %s is not in WHOLE of the Makefile", file, m[1])
				}
			}
		}
	}
	if found < 5 {
		t.Errorf("%d tests are left out, want at least 5: is the pattern right?", found)
	}
}
