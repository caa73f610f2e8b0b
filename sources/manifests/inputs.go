package manifests

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// CheckInput returns why an input cannot be read, such as a missing file or revision; nil if it may be readable.
func CheckInput(ctx context.Context, arg string) error {
	in, err := ParseInput(arg)
	switch {
	case err != nil:
		return err
	case in.Kind == File:
		_, err = os.Stat(arg)
		return err
	case in.Kind == Git:
		if err = Check(ctx, in.Ref); err != nil {
			err = fmt.Errorf("%s: %w", arg, err)
		}
		return err
	case in.Kind == Context:
		return errNoManifests
	}
	return nil
}

// errNoManifests is the error for a cluster as input.
var errNoManifests = errors.New("a kubeconfig context is not a manifest: use --context")

// IsReadOnce reports whether an input is read only when Rung starts.
func IsReadOnce(arg string) bool {
	in, err := ParseInput(arg)
	return err == nil && in.Kind != File
}

// openedTree is a revision of a git repository, or why a path has none.
type openedTree struct {
	tree *Tree
	err  error
}

// openTrees opens the paths that are not files of the operating system. It fails only if the context ended.
func (o *Options) openTrees(ctx context.Context) error {
	o.trees = map[string]openedTree{}
	if o.FS != nil {
		return nil
	}
	for _, p := range o.Paths {
		in, err := ParseInput(p)
		var tree *Tree
		switch {
		case err != nil:
		case in.Kind == Context:
			err = errNoManifests
		case in.Kind == Git:
			tree, err = Open(ctx, in.Ref, o.Limits.FileSize, isManifestName)
		}
		o.trees[p] = openedTree{tree, err}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// inputPlace is a file or folder of the input.
type inputPlace struct {
	name string // for people, and for the operating system
	tree fs.FS  // contains the place; nil for the operating system's files
	path string // in the tree
}

// findPlace returns the place named by a path of the options.
func (o *Options) findPlace(name string) (inputPlace, error) {
	if o.FS != nil {
		return inputPlace{name: name, tree: o.FS, path: path.Clean(name)}, nil
	}
	in, err := ParseInput(name)
	if err != nil || in.Kind == File {
		return inputPlace{name: name}, err
	}
	if o.trees == nil {
		return inputPlace{name: name}, errors.New("is not open") // after reading has ended
	}
	tree := o.trees[name].tree
	if tree == nil {
		return inputPlace{name: name}, o.trees[name].err
	}
	return inputPlace{name: tree.Name(tree.Top()), tree: tree, path: tree.Top()}, nil
}

// stat describes the file at the place, following links.
func (p inputPlace) stat() (fs.FileInfo, error) {
	if p.tree != nil {
		return fs.Stat(p.tree, p.path)
	}
	return os.Stat(p.name)
}

// identity returns the same text for all names of a file.
func (p inputPlace) identity() string {
	if tree, ok := p.tree.(*Tree); ok {
		return tree.Identity(p.path)
	}
	id := path.Clean(p.name)
	if p.tree != nil {
		return id
	}
	if real, err := filepath.EvalSymlinks(p.name); err == nil {
		id = real
	}
	if abs, err := filepath.Abs(id); err == nil {
		id = abs
	}
	return id
}

// walked returns a tree that contains the place, and the folder in it to begin at.
func (p inputPlace) walked() (tree fs.FS, top string) {
	if p.tree != nil {
		return p.tree, p.path
	}
	return os.DirFS(p.name), "."
}

// below returns the place of a path in the walked tree.
func (p inputPlace) below(at string) inputPlace {
	switch tree := p.tree.(type) {
	case nil:
		return inputPlace{name: filepath.Join(p.name, filepath.FromSlash(at))}
	case *Tree:
		return inputPlace{name: tree.Name(at), tree: tree, path: at}
	}
	return inputPlace{name: at, tree: p.tree, path: at}
}
