package engine

import (
	"context"
	"path/filepath"

	"rung/sources/manifests"
)

// Input is something that an argument names for Rung to read.
type Input = manifests.Input

// ContextInput is the kind of an input that is a context of the kubeconfig.
const ContextInput = manifests.Context

// ParseInput reads an argument that names something to read: a path, - for standard input,
// git:REV[:PATH] or context:NAME. It looks at no file.
func ParseInput(arg string) (Input, error) { return manifests.ParseInput(arg) }

// CheckInput says why manifests cannot be read at all, nil if they may be: that a file or a
// revision does not exist.
func CheckInput(ctx context.Context, arg string) error { return manifests.CheckInput(ctx, arg) }

// InputIdentity names an input wherever Rung is started: history and plans are kept under it.
func InputIdentity(arg string) string {
	in, err := manifests.ParseInput(arg)
	file, found := in.Name, ""
	switch {
	case err != nil || in.Kind == manifests.Stdin || in.Kind == manifests.Context:
		return arg
	case in.Kind == manifests.Git:
		file, found = ".", arg+" in " // the repository is looked for from here
	}
	if abs, err := filepath.Abs(file); err == nil {
		return found + abs
	}
	return arg
}

// KustomizationNames are the names that the file of a kustomization may have.
var KustomizationNames = manifests.KustomizationNames

// RenderKustomization returns the command line that renders the kustomization in a folder for Rung,
// and DIR in it if the folder is not known.
func RenderKustomization(dir string) string { return manifests.RenderKustomization(dir) }

// HasNoManifests says whether all inputs are folders without a manifest in them.
func HasNoManifests(inputs []string) bool {
	return manifests.Options{Paths: inputs}.HasNoManifests()
}
