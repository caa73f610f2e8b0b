package manifests

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/sources/files"
)

// readOne reads a file that holds the policy "a".
func readOne(t *testing.T, path string) (FileState, *model.Policy) {
	t.Helper()
	r, err := Read(context.Background(), Options{Paths: []string{path}})
	if err != nil {
		t.Fatal(err)
	}
	return r.Files[0], r.Policies()[0]
}

// writeBack makes edits in a file that was read, as the gate does.
func writeBack(fsys files.FS, f FileState, edits ...Edit) (FileState, error) {
	old, err := ReadUnchanged(fsys, f)
	if err != nil {
		return f, err
	}
	text, err := EditedText(f.Path, old, edits...)
	if err != nil {
		return f, err
	}
	return ExchangeText(fsys, f, old, text)
}

func TestWriteBack(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "real", "a.yaml")
	if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, path, commented)
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link.yaml")
	if err := os.Symlink(path, link); err != nil {
		t.Skip("no symbolic links here")
	}
	f, p := readOne(t, link)
	f, err := writeBack(files.OS, f, setEdit(p, setPriority(36)))
	if err != nil {
		t.Fatal(err)
	}
	f, err = writeBack(files.OS, f, setEdit(p, setPriority(37))) // the new state lets the next one in
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(with(commented, "priority: 34 #", "priority: 37 #"), string(got)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v %v", info.Mode(), err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v %v", info.Mode(), err)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v %v", entries, err)
	}

	// Somebody else wrote: not a byte is touched.
	other := with(commented, "# the end", "# THE END")
	put(t, path, other)
	if _, err := writeBack(files.OS, f, setEdit(p, setPriority(38))); !errors.Is(err, ErrChanged) {
		t.Errorf("got %v", err)
	}
	put(t, path, other+"# longer\n")
	if _, err := writeBack(files.OS, f, setEdit(p, setPriority(38))); !errors.Is(err, ErrChanged) {
		t.Errorf("got %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := writeBack(files.OS, f, setEdit(p, setPriority(38))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestWriteBackRefuses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.yaml")
	put(t, path, commented)
	f, p := readOne(t, path)
	other := p.Key
	other.Name = "b"
	if _, err := writeBack(files.OS, f, Edit{Op: Delete, Key: other, Origin: p.Origin}); err == nil ||
		!strings.HasSuffix(err.Error(), "a.yaml: AdminNetworkPolicy/b: another object is where it was read") {
		t.Errorf("got %v", err)
	}
	stdin := f
	stdin.Writable = false
	if _, err := writeBack(files.OS, stdin, setEdit(p, setPriority(1))); !errors.Is(err, ErrNotWritable) {
		t.Errorf("got %v", err)
	}
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && os.Getuid() != 0 { // root may write everything
		if _, err := writeBack(files.OS, f, setEdit(p, setPriority(1))); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("got %v", err)
		}
	}
}

func TestNewFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.yaml")
	f, err := NewFile(files.OS, path, []byte(commented))
	if err != nil {
		t.Fatal(err)
	}
	_, p := readOne(t, path)
	if _, err := writeBack(files.OS, f, setEdit(p, setPriority(1))); err != nil {
		t.Error(err)
	}
	if _, err := NewFile(files.OS, path, []byte("x")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v", err)
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
