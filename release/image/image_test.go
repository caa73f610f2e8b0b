package image

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The same program and date give the same bytes, and no program is an error.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	program, doc := filepath.Join(dir, "rung"), filepath.Join(dir, "LICENSE")
	for _, path := range []string{program, doc} {
		if err := os.WriteFile(path, []byte(path), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	spec := Spec{Version: "1.2.3", Commit: "0123", Date: time.Unix(1e9, 0).UTC(), Binaries: map[string]string{"amd64": program, "arm64": program}, Docs: map[string]string{"LICENSE": doc}}
	var texts [2][]byte
	for i := range texts {
		path := filepath.Join(dir, "image.tar")
		if err := Write(path, spec); err != nil {
			t.Fatal(err)
		}
		var err error
		if texts[i], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(texts[0], texts[1]) {
		t.Error("the same image twice, and other bytes")
	}
	if err := Write(filepath.Join(dir, "none.tar"), Spec{}); err == nil {
		t.Error("an image without a program")
	}
}
