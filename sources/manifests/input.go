package manifests

import (
	"errors"
	"strings"

	"rung/model/words"
)

// Kind is the kind of an input.
type Kind int

// The kinds of inputs.
const (
	File    Kind = iota // a file or a folder
	Stdin               // -
	Git                 // git:REV[:PATH]
	Context             // context:NAME
)

// Prefixes of inputs other than files. A file with such a name needs ./ before it.
const (
	GitPrefix     = "git:"
	ContextPrefix = "context:"
)

// removedPrefix marked an input rendered by kustomize's library, which runs programs.
const removedPrefix = "kustomize:"

// KustomizationNames are the file names of a kustomization.
var KustomizationNames = []string{"kustomization.yaml", "kustomization.yml", "Kustomization"}

// RenderKustomization returns the command line that renders the kustomization in a folder, or in DIR.
func RenderKustomization(dir string) string {
	if dir == "" {
		dir = "DIR"
	} else {
		dir = words.ShellQuote(dir)
	}
	return "kubectl kustomize " + dir + " | rung … -f -"
}

// Input is an argument that names objects to read.
type Input struct {
	Kind Kind
	// Text is the argument; Name is the path, folder or context in it.
	Text, Name string
	// Ref is the revision of a Git input.
	Ref Ref
}

// ParseInput reads an argument without opening files.
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
		return in, errors.New("the name of an input is empty")
	case "-":
		in.Kind = Stdin
	}
	return in, nil
}
