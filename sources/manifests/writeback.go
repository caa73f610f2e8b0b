package manifests

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"rung/sources/files"
)

// The reasons why a file is not written.
var (
	// ErrChanged says the file is not the one that was read: read it again.
	ErrChanged = files.ErrChanged
	// ErrNotWritable says the input is none that can be written to: standard
	// input, a compressed or built-in file.
	ErrNotWritable = errors.New("is not a file that can be written to")
)

// EditedText is a file's text with the edits made: all of them or none. Only the text of what
// the edits are about changes. An *Error says that an edit cannot be made without touching
// more than it is about.
func EditedText(path string, text []byte, edits ...Edit) ([]byte, error) {
	out, err := rewriteText(path, text, edits)
	if err != nil {
		return nil, fmt.Errorf("write back: %w", err)
	}
	return out, nil
}

// ExchangeText puts a text in the place of the one a file holds. It keeps the file's owner and
// mode, writes through symbolic links, and replaces the file in one step, so that a reader
// sees the old or the new one. Changes that another program writes meanwhile are not lost
// (safefile.SwapText). It returns the file's new state, for the next ExchangeText.
//
// Errors: ErrNotWritable, those of safefile.SwapText, ErrChanged among them.
func ExchangeText(fsys files.FS, f FileState, old, text []byte) (FileState, error) {
	if !f.Writable {
		return f, fmt.Errorf("write %s: %w", f.Path, ErrNotWritable)
	}
	if bytes.Equal(text, old) {
		return f, nil
	}
	real, err := fsys.RealPath(f.Path)
	if err == nil {
		err = files.SwapText(fsys, real, old, text, func(base, a, b []byte) ([]byte, bool) {
			merged, ok := MergeTexts(string(base), string(a), string(b))
			return []byte(merged), ok
		})
	}
	if err != nil {
		return f, fmt.Errorf("write %s: %w", f.Path, err)
	}
	return stampOf(f, text), nil
}

// PutBack gives a file the text it had before an ExchangeText, if it still is as that
// left it.
func PutBack(fsys files.FS, f FileState, text []byte) error {
	now, err := ReadUnchanged(fsys, f)
	if err != nil {
		return err
	}
	_, err = ExchangeText(fsys, f, now, text)
	return err
}

// NewFile writes a file that does not exist yet: the whole text or none. It never
// overwrites one.
func NewFile(fsys files.FS, path string, text []byte) (FileState, error) {
	if err := files.CreateFile(fsys, path, text, 0o644); err != nil {
		return FileState{}, fmt.Errorf("write %s: %w", path, err)
	}
	return stampOf(FileState{Path: path, Writable: true}, text), nil
}

func stampOf(f FileState, text []byte) FileState {
	f.Sum, f.Size, f.At = sha256.Sum256(text), int64(len(text)), time.Now()
	return f
}

// ReadUnchanged reads a file if it still is what it was.
func ReadUnchanged(fsys files.FS, f FileState) ([]byte, error) {
	in, err := fsys.Open(f.Path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, f.Size+1))
	switch {
	case err != nil:
		return nil, err
	case sha256.Sum256(text) != f.Sum:
		return nil, ErrChanged
	}
	return text, nil
}
