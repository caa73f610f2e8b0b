package manifests

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// What keeps a file from being written.
var (
	// ErrChanged says the file is not the one that was read: read it again.
	ErrChanged = errors.New("the file changed since it was read")
	// ErrNotWritable says the input is none that can be written to: standard
	// input, a compressed or built-in file.
	ErrNotWritable = errors.New("is not a file that can be written to")
)

// WriteBack makes the edits in a file that was read: all of them or none. It
// changes only the text of what the edits are about, keeps the file's mode,
// writes through symbolic links, and replaces the file in one step, so that a
// reader sees the old or the new one. It returns the file's new state, for the
// next WriteBack.
//
// Errors: ErrChanged when the file is not as it was read, ErrNotWritable, an
// *EditError when an edit cannot be made without touching more than it is about.
func WriteBack(f File, edits ...Edit) (File, error) {
	if !f.Writable {
		return f, fmt.Errorf("write %s: %w", f.Path, ErrNotWritable)
	}
	real, err := filepath.EvalSymlinks(f.Path)
	if err != nil {
		return f, fmt.Errorf("write %s: %w", f.Path, err)
	}
	old, err := unchanged(real, f)
	if err != nil {
		return f, fmt.Errorf("write %s: %w", f.Path, err)
	}
	text, err := rewrite(f.Path, old, edits)
	if err != nil {
		return f, fmt.Errorf("write back: %w", err)
	}
	if bytes.Equal(text, old) {
		return f, nil
	}
	err = replaceFile(real, text, func() error {
		_, err := unchanged(real, f)
		return err
	})
	if err != nil {
		return f, fmt.Errorf("write %s: %w", f.Path, err)
	}
	return stampOf(f, real, text)
}

// NewFile writes a file that does not exist yet; it never overwrites one.
func NewFile(path string, text []byte) (File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return File{}, fmt.Errorf("write %s: %w", path, err)
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return File{}, fmt.Errorf("write %s: %w", path, err)
	}
	return stampOf(File{Path: path, Writable: true}, path, text)
}

func stampOf(f File, real string, text []byte) (File, error) {
	f.Sum, f.Size, f.At = sha256.Sum256(text), int64(len(text)), time.Now()
	info, err := os.Stat(real)
	if err != nil {
		return f, fmt.Errorf("look at %s: %w", f.Path, err)
	}
	f.ModTime = info.ModTime()
	return f, nil
}

// unchanged reads the file if it still is what it was.
func unchanged(real string, f File) ([]byte, error) {
	in, err := os.Open(real)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	text, err := readAll(in, f.Size, f.Size)
	switch {
	case errors.Is(err, errTooLarge):
		return nil, ErrChanged
	case err != nil:
		return nil, err
	case sha256.Sum256(text) != f.Sum:
		return nil, ErrChanged
	}
	return text, nil
}

// replaceFile writes text beside the file and puts it in its place. still is
// asked just before.
func replaceFile(real string, text []byte, still func() error) (err error) {
	// A file that its owner made read-only stays as it is, although its folder
	// would allow to replace it.
	w, err := os.OpenFile(real, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	info, err := w.Stat()
	if err := errors.Join(err, w.Close()); err != nil {
		return err
	}
	dir := filepath.Dir(real)
	// Hidden, so that a folder being watched does not read it.
	tmp, err := os.CreateTemp(dir, "."+filepath.Base(real)+".rung-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(tmp.Name())
		}
	}()
	_, err = tmp.Write(text)
	if err := errors.Join(err, tmp.Chmod(info.Mode().Perm()), tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	if err := still(); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), real); err != nil {
		return err
	}
	// The folder's entry, too; not every file system can, and the file is in
	// place already.
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
	return nil
}
