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

// CheckInput says why an input cannot be read at all, nil if it may be: that a file or a
// revision does not exist.
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

// errNoManifests says that an input is a cluster.
var errNoManifests = errors.New("a context of the kubeconfig is no manifest: name it with --context")

// IsReadOnce says whether an input is read when Rung starts and never again.
func IsReadOnce(arg string) bool {
	in, err := ParseInput(arg)
	return err == nil && in.Kind != File
}

// openTrees are the revisions of git repositories that are read, by the paths that name them.
type openTrees struct {
	byPath map[string]*Tree
	errors map[string]error // why there is none
}

// openTrees opens what the paths name besides files of the operating system. The error is for a
// context that ended.
func (o *Options) openTrees(ctx context.Context) error {
	o.trees = &openTrees{map[string]*Tree{}, map[string]error{}}
	if o.FS != nil {
		return nil
	}
	for _, p := range o.Paths {
		in, err := ParseInput(p)
		switch {
		case err != nil:
			o.trees.errors[p] = err
			continue
		case in.Kind == Context:
			o.trees.errors[p] = errNoManifests
			continue
		case in.Kind == Git:
			tree, err := Open(ctx, in.Ref, o.Limits.FileSize, isManifestName)
			if err != nil {
				o.trees.errors[p] = err
			} else {
				o.trees.byPath[p] = tree
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// inputPlace is a file or folder of the input.
type inputPlace struct {
	name string // for people, and for the operating system
	tree fs.FS  // with the place in it, nil for the operating system's files
	path string // in the tree
	// nameOf names paths of the tree for people; nil where that are the paths.
	nameOf func(path string) string
}

// placeOf is the place that a path of the options names.
func (o *Options) placeOf(name string) (inputPlace, error) {
	if o.FS != nil {
		return inputPlace{name: name, tree: o.FS, path: path.Clean(name)}, nil
	}
	in, err := ParseInput(name)
	if err != nil || in.Kind == File {
		return inputPlace{name: name}, err
	}
	if o.trees == nil {
		return inputPlace{name: name}, errors.New("is not open") // nobody reads it now
	}
	tree := o.trees.byPath[name]
	if tree == nil {
		return inputPlace{name: name}, o.trees.errors[name]
	}
	return inputPlace{name: tree.Name(tree.Top()), tree: tree, path: tree.Top(), nameOf: tree.Name}, nil
}

// stat says what is at the place, links followed.
func (p inputPlace) stat() (fs.FileInfo, error) {
	if p.tree != nil {
		return fs.Stat(p.tree, p.path)
	}
	return os.Stat(p.name)
}

// identity is the same for all names of a file.
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

// walked is a tree with what is below the place, and the folder in it to begin at.
func (p inputPlace) walked() (tree fs.FS, top string) {
	if p.tree != nil {
		return p.tree, p.path
	}
	return os.DirFS(p.name), "."
}

// below is the place of a path in the tree that is walked.
func (p inputPlace) below(at string) inputPlace {
	switch {
	case p.tree == nil:
		return inputPlace{name: filepath.Join(p.name, filepath.FromSlash(at))}
	case p.nameOf == nil:
		return inputPlace{name: at, tree: p.tree, path: at}
	}
	return inputPlace{name: p.nameOf(at), tree: p.tree, path: at, nameOf: p.nameOf}
}

// addSubmodules says which parts of a revision are repositories of their own.
func (l *inputLister) addSubmodules(root inputPlace) {
	tree, ok := root.tree.(*Tree)
	if !ok {
		return
	}
	for _, p := range tree.Submodules() {
		l.addSkipped(tree.Name(p), "a submodule", "its repository has what is in it")
	}
}
