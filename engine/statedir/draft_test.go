package statedir

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"rung/sources/files"
)

func TestDrafts(t *testing.T) {
	dir := t.TempDir()
	var last string
	for i := range draftsKept + 5 {
		path, err := NewDraft(dir, "ANP some/odd name", "x")
		if err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(time.Duration(i-100) * time.Minute)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		last = path
	}
	got, _ := filepath.Glob(filepath.Join(dir, "edit", "*.yaml"))
	if len(got) != draftsKept {
		t.Errorf("%d texts are kept, want %d", len(got), draftsKept)
	}
	if _, err := os.Stat(last); err != nil {
		t.Error("the newest text was pruned")
	}
	st, _ := os.Stat(filepath.Join(dir, "edit"))
	if files.OpenToOthers(st) {
		t.Error(st.Mode())
	}
}

// What an editor left beside the text is named with it.
func TestDraftFiles(t *testing.T) {
	path, err := NewDraft(t.TempDir(), "x", "text")
	if err != nil {
		t.Fatal(err)
	}
	swap := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".swp")
	for _, name := range []string{swap, filepath.Join(filepath.Dir(path), "other.yaml")} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := DraftFiles(path); !slices.Equal(got, []string{swap, path}) {
		t.Errorf("%v, want the text and its swap file", got)
	}
}
