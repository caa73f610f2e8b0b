package manifests

import (
	"errors"
	"strings"

	"rung/model/words"
)

// Kind says what an input is.
type Kind int

// The kinds of inputs.
const (
	File    Kind = iota // a file or a folder
	Stdin               // -
	Git                 // git:REV[:PATH]
	Context             // context:NAME
)

// The beginnings of inputs that are no files. A file whose name begins so is given with ./ before it.
const (
	GitPrefix     = Prefix
	ContextPrefix = "context:"
)

// removedPrefix began an input that Rung rendered by kustomize's library, which runs programs.
const removedPrefix = "kustomize:"

// KustomizationNames are the names that the file of a kustomization may have.
var KustomizationNames = []string{"kustomization.yaml", "kustomization.yml", "Kustomization"}

// RenderKustomization returns the command line that renders the kustomization in a folder for Rung,
// and DIR in it if the folder is not known.
func RenderKustomization(dir string) string {
	if dir == "" {
		dir = "DIR"
	} else {
		dir = words.ShellQuote(dir)
	}
	return "kubectl kustomize " + dir + " | rung … -f -"
}

// Input is an argument that names something to read.
type Input struct {
	Kind Kind
	// Text is the argument, Name what it names: a path, a folder, a context.
	Text, Name string
	// Ref is the revision of a Git.
	Ref Ref
}

// Parse reads an argument. It looks at no file.
func ParseInput(arg string) (in Input, err error) {
	in.Text, in.Name = arg, arg
	if rest, ok := strings.CutPrefix(arg, GitPrefix); ok {
		in.Kind, in.Name = Git, rest
		in.Ref, err = ParseRef(rest)
		return in, err
	}
	if rest, ok := strings.CutPrefix(arg, ContextPrefix); ok {
		in.Kind, in.Name = Context, rest
		if rest == "" {
			return in, errors.New(arg + " names no context")
		}
		return in, nil
	}
	if rest, ok := strings.CutPrefix(arg, removedPrefix); ok {
		return in, errors.New("Rung no longer renders kustomizations: " + RenderKustomization(rest))
	}
	switch arg {
	case "":
		return in, errors.New("an empty name names nothing to read")
	case "-":
		in.Kind = Stdin
	}
	return in, nil
}
