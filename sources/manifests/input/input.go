package input

import (
	"errors"
	"strings"

	"rung/sources/manifests/gitfs"
)

// Kind says what an input is.
type Kind int

// The kinds of inputs.
const (
	File      Kind = iota // a file or a folder
	Stdin                 // -
	Git                   // git:REV[:PATH]
	Kustomize             // kustomize:DIR
	Context               // context:NAME
)

// The beginnings of inputs that are no files. A file whose name begins so is given with ./ before it.
const (
	GitPrefix       = gitfs.Prefix
	KustomizePrefix = "kustomize:"
	ContextPrefix   = "context:"
)

// Input is an argument that names something to read.
type Input struct {
	Kind Kind
	// Text is the argument, Name what it names: a path, a folder, a context.
	Text, Name string
	// Ref is the revision of a Git.
	Ref gitfs.Ref
}

// Parse reads an argument. It looks at no file.
func Parse(arg string) (in Input, err error) {
	in.Text, in.Name = arg, arg
	if rest, ok := strings.CutPrefix(arg, GitPrefix); ok {
		in.Kind, in.Name = Git, rest
		in.Ref, err = gitfs.ParseRef(rest)
		return in, err
	}
	for _, named := range []struct {
		prefix, what string
		kind         Kind
	}{{KustomizePrefix, "folder", Kustomize}, {ContextPrefix, "context", Context}} {
		if rest, ok := strings.CutPrefix(arg, named.prefix); ok {
			in.Kind, in.Name = named.kind, rest
			if rest == "" {
				return in, errors.New(arg + " names no " + named.what)
			}
			return in, nil
		}
	}
	switch arg {
	case "":
		return in, errors.New("an empty name names nothing to read")
	case "-":
		in.Kind = Stdin
	}
	return in, nil
}
