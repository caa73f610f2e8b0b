package kustomize

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"time"
)

// Rendered is a kustomization as one file, an fs.FS with nothing else in it.
type Rendered struct {
	text []byte
	err  error // why there is none
}

// renderedName is the file's name in its tree.
const renderedName = "rendered.yaml"

// RenderTree renders a kustomization. Where that fails, opening the file does.
func RenderTree(ctx context.Context, dir string, limit int64) *Rendered {
	text, err := Render(ctx, dir, limit)
	return &Rendered{text, err}
}

// Top is the path of the file.
func (r *Rendered) Top() string { return renderedName }

// Open opens the file.
func (r *Rendered) Open(name string) (fs.File, error) {
	switch {
	case name != renderedName:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	case r.err != nil:
		return nil, &fs.PathError{Op: "open", Path: name, Err: r.err}
	}
	return &openFile{r, bytes.NewReader(r.text)}, nil
}

// Stat describes the file, also where it cannot be opened.
func (r *Rendered) Stat(name string) (fs.FileInfo, error) {
	if name != renderedName {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	return r, nil
}

// The file is its own description.
func (r *Rendered) Name() string       { return renderedName }
func (r *Rendered) Size() int64        { return int64(len(r.text)) }
func (r *Rendered) Mode() fs.FileMode  { return 0o444 }
func (r *Rendered) ModTime() time.Time { return time.Time{} }
func (r *Rendered) IsDir() bool        { return false }
func (r *Rendered) Sys() any           { return nil }

type openFile struct {
	*Rendered
	io.Reader
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.Rendered, nil }
func (f *openFile) Close() error               { return nil }
