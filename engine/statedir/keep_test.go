package statedir

import (
	"os"
	"path/filepath"
	"testing"

	"rung/sources/files"
)

func TestKeep(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	for i, want := range []string{"page.txt", "page-2.txt", "page-3.txt"} {
		path, err := KeepFile(dir, "page.txt", []byte{byte('0' + i)})
		if err != nil || filepath.Base(path) != want {
			t.Fatalf("kept as %s, %v; want %s", path, err, want)
		}
		text, err := os.ReadFile(path)
		if err != nil || string(text) != string(rune('0'+i)) {
			t.Errorf("%s holds %q, %v", want, text, err)
		}
		if info, err := os.Stat(path); err != nil || files.OpenToOthers(info) {
			t.Errorf("%s: mode %v, %v", want, info.Mode(), err)
		}
	}
	if info, err := os.Stat(dir); err != nil || files.OpenToOthers(info) {
		t.Errorf("the folder's mode is %v, %v", info.Mode(), err)
	}
	if _, err := KeepFile(filepath.Join(dir, "page.txt", "x"), "y", nil); err == nil {
		t.Error("a folder below a file was made")
	}
}
