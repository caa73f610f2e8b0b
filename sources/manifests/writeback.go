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

// Reasons for not writing a file.
var (
	// ErrChanged means the file no longer holds the text that was read: read it again.
	ErrChanged = files.ErrChanged
	// ErrNotWritable means the input cannot be written to: standard input, or a compressed or built-in file.
	ErrNotWritable = errors.New("cannot be written to")
)

// EditedText returns a file's text with all edits made, or an error. Only the edited text changes:
// an edit that cannot be made without touching other text is an error.
func EditedText(path string, text []byte, edits ...Edit) ([]byte, error) {
	out, err := rewriteText(path, text, edits)
	if err != nil {
		return nil, fmt.Errorf("write back: %w", err)
	}
	return out, nil
}

// ExchangeText replaces the text of a file in one step, so that a reader sees the old or the new text. It
// keeps the file's owner and mode, and writes through symbolic links. Changes that another program writes
// meanwhile are not lost (files.SwapText). It returns the file's new state, for the next ExchangeText.
//
// Errors: ErrNotWritable, or an error of files.SwapText, such as ErrChanged.
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
	return stampFile(f, text), nil
}

// NewFile writes a new file, whole or not at all. It never overwrites a file.
func NewFile(fsys files.FS, path string, text []byte) (FileState, error) {
	if err := files.CreateFile(fsys, path, text, 0o644); err != nil {
		return FileState{}, fmt.Errorf("write %s: %w", path, err)
	}
	return stampFile(FileState{Path: path, Writable: true}, text), nil
}

func stampFile(f FileState, text []byte) FileState {
	f.Sum, f.Size, f.At = sha256.Sum256(text), int64(len(text)), time.Now()
	return f
}

// ReadUnchanged reads a file; ErrChanged if it is not in the state f.
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
