package ui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rung/model/words"
	"rung/ui/view"
)

// What is pasted has nothing that cannot be seen, and the status line says that it
// is not the text itself.
func TestCopyIsClean(t *testing.T) {
	for text, want := range map[string]string{
		"name: a\n\tb":                 "name: a\n\tb",
		"safe\u202e\x1b]52;c;AA\x07.x": `safe\u202e\x1b]52;c;AA\x07.x`,
	} {
		cmd, said := copyText(view.CopyItem{What: "YAML", Text: text})
		got := fmt.Sprint(cmd())
		if got != want || words.CleanBlock(got) != got {
			t.Errorf("copied %q, want %q", got, want)
		}
		if strings.Contains(said.Text, "escapes") != (text != want) {
			t.Errorf("said %q", said.Text)
		}
	}
	// There is no other way into the clipboard.
	n := 0
	err := filepath.WalkDir(".", func(p string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(p, ".go") || strings.HasSuffix(p, "_test.go") {
			return err
		}
		text, err := os.ReadFile(p)
		n += strings.Count(string(text), "SetClipboard(") + strings.Count(string(text), "SetPrimaryClipboard(")
		return err
	})
	if err != nil || n != 1 {
		t.Errorf("%d places write the clipboard: %v", n, err)
	}
}
