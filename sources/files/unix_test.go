//go:build unix

package files_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"rung/sources/files"
	"rung/test/faultfs"
)

// anothers says of every file that it belongs to somebody else.
type anothers struct{ fs.FileInfo }

func (a anothers) Sys() any {
	st := *a.FileInfo.Sys().(*syscall.Stat_t)
	st.Uid++
	return &st
}

func mode(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func TestFolderOpenToOthers(t *testing.T) {
	mine := func(name string) bool { return name == "mine" }
	for _, c := range []struct {
		name  string
		mode  fs.FileMode
		files []string
		info  func(fs.FileInfo) fs.FileInfo
		note  string
		err   string
		after fs.FileMode
	}{
		{"readable", 0o755, []string{"mine"}, nil, "was open to other users (mode 0755); made private", "", 0o700},
		{"writable by the group", 0o770, []string{"mine"}, nil, "was open to other users (mode 0770)", "", 0o700},
		{"readable and empty", 0o755, nil, nil, "", "", 0o700},
		{"with files of others", 0o755, []string{"mine", "photo.jpg"}, nil, "", "holds more than Rung's files (photo.jpg)", 0o755},
		{"somebody else's", 0o755, nil, func(i fs.FileInfo) fs.FileInfo { return anothers{i} }, "", "belongs to another user", 0o755},
		{"somebody else's, private", 0o700, nil, func(i fs.FileInfo) fs.FileInfo { return anothers{i} }, "", "belongs to another user", 0o700},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, f := range c.files {
				write(t, filepath.Join(dir, f), "")
			}
			if err := os.Chmod(dir, c.mode); err != nil {
				t.Fatal(err)
			}
			note, err := files.CheckFolder(&faultfs.FS{Info: c.info}, dir, mine)
			if !strings.Contains(note, c.note) || (note == "") != (c.note == "") {
				t.Errorf("note %q", note)
			}
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("error %v", err)
			}
			if got := mode(t, dir); got != c.after {
				t.Errorf("mode %v", got)
			}
		})
	}
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "mine")
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := files.CheckFolder(files.OS, file, mine); err == nil || mode(t, file) != 0o644 {
		t.Errorf("a file in the place of the folder: %v, mode %v", err, mode(t, file))
	}
}

// Who cannot give a file back to its owner does not write it.
func TestSwapOfAnothersFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.yaml")
	write(t, path, before)
	disk := &faultfs.FS{
		Info: func(i fs.FileInfo) fs.FileInfo {
			if i.Name() == "a.yaml" {
				return anothers{i}
			}
			return i
		},
		Before: func(op faultfs.Op) error {
			if op.Kind == "chown" {
				return &fs.PathError{Op: "chown", Path: op.Path, Err: syscall.EPERM}
			}
			return nil
		},
	}
	err := files.SwapText(disk, path, []byte(before), []byte(after), merge)
	if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "it belongs to user") || read(t, path) != before || len(linkCount(t, dir)) != 1 {
		t.Errorf("%v %q %v", err, read(t, path), linkCount(t, dir))
	}
}

// A private file that is somebody else's, or stands behind a link to one, is
// none; one that is open to others is closed.
func TestOpenPrivate(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.jsonl")
	write(t, path, "x\n")
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := files.ReadPrivate(&faultfs.FS{Info: func(i fs.FileInfo) fs.FileInfo { return anothers{i} }}, path, 10); !errors.Is(err, files.ErrRefused) ||
		!strings.Contains(err.Error(), "belongs to another user") {
		t.Errorf("got %v", err)
	}
	if b, err := files.ReadPrivate(files.OS, path, 10); err != nil || string(b) != "x\n" || mode(t, path) != 0o600 {
		t.Errorf("%q %v, mode %v", b, err, mode(t, path))
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	if err := files.ReplaceFile(files.OS, link, []byte("y\n")); err != nil || read(t, path) != "y\n" {
		t.Errorf("%v %q", err, read(t, path))
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v %v", info.Mode(), err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := files.ReplaceFile(files.OS, filepath.Join(dir, "folder"), nil); !errors.Is(err, files.ErrRefused) {
		t.Errorf("got %v", err)
	}
}
