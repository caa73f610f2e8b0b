package manual

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Flags are a list, the date is the commit's, and texts are not taken for Markdown.
func TestPages(t *testing.T) {
	dir := t.TempDir()
	if err := WritePages(dir, time.Date(2026, 11, 27, 1, 2, 3, 0, time.UTC)); err != nil {
		t.Fatal(err)
	}
	for page, want := range map[string]string{
		"rung-lint":       ".TP\n\\fB-o\\fP, \\fB--output\\fP=\\fIFORM\\fP\nFORM of the answer: table, wide,",
		"rung-options":    ".TP\n\\fB--kubeconfig\\fP=\\fIFILE\\fP\n",
		"rung":            `.TH "RUNG" "1" "2026-11-27" "Rung" "Rung"`,
		"rung-completion": ".EX\n  bash        source <(rung completion bash) ",
		"rung-version":    "the flags that every command takes are in \\fBrung-options\\fP(1)",
	} {
		f, err := os.Open(filepath.Join(dir, page+".1.gz"))
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(z)
		if err != nil || !strings.Contains(strings.ToLower(string(text)), strings.ToLower(want)) {
			t.Errorf("%s: %v, no %q in\n%s", page, err, want, text)
		}
		if z.Name != "" || !z.ModTime.IsZero() {
			t.Errorf("%s is compressed with a name %q or a time %v", page, z.Name, z.ModTime)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestMarkdown(t *testing.T) {
	got := markdown("Says <a> and *b*:\n  rung a_b\n  rung c\n\nThen more.")
	if want := "Says \\<a\\> and \\*b\\*:\n\n```\n  rung a_b\n  rung c\n\n```\n\nThen more.\n"; got != want {
		t.Errorf("%q", got)
	}
}
