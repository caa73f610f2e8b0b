package engine

import (
	"context"
	"path/filepath"

	"rung/sources/manifests"
	"rung/sources/manifests/input"
	"rung/sources/manifests/kustomize"
)

// Input is something that an argument names for Rung to read.
type Input = input.Input

// ContextInput is the kind of an input that is a context of the kubeconfig.
const ContextInput = input.Context

// ParseInput reads an argument that names something to read: a path, - for standard input,
// git:REV[:PATH], kustomize:DIR or context:NAME. It looks at no file.
func ParseInput(arg string) (Input, error) { return input.Parse(arg) }

// CheckInput says why manifests cannot be read at all, nil if they may be: that a file or a
// revision does not exist.
func CheckInput(ctx context.Context, arg string) error { return manifests.CheckInput(ctx, arg) }

// InputIdentity names an input wherever Rung is started: history and plans are kept under it.
func InputIdentity(arg string) string {
	in, err := input.Parse(arg)
	file, found := in.Name, ""
	switch {
	case err != nil || in.Kind == input.Stdin || in.Kind == input.Context:
		return arg
	case in.Kind == input.Git:
		file, found = ".", arg+" in " // the repository is looked for from here
	case in.Kind == input.Kustomize:
		found = input.KustomizePrefix
	}
	if abs, err := filepath.Abs(file); err == nil {
		return found + abs
	}
	return arg
}

// KustomizeInput names the kustomization of a folder.
func KustomizeInput(dir string) string { return input.KustomizePrefix + dir }

// RenderInput returns the text of an input that is rendered, a kustomization; is says whether it
// is one.
func RenderInput(ctx context.Context, arg string, limit int64) (text []byte, is bool, err error) {
	in, err := input.Parse(arg)
	if err != nil || in.Kind != input.Kustomize {
		return nil, false, nil // whoever reads it says so
	}
	text, err = kustomize.Render(ctx, in.Name, limit)
	return text, true, err
}

// HasNoManifests says whether all inputs are folders without a manifest in them.
func HasNoManifests(inputs []string) bool {
	return manifests.Options{Paths: inputs}.HasNoManifests()
}
