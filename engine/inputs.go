package engine

import (
	"context"
	"path/filepath"

	"rung/model"
	"rung/sources/manifests"
	"rung/sources/nbdb"
)

// Input is something that an argument names for Rung to read.
type Input = manifests.Input

// ContextInput is the kind of input that names a context of the kubeconfig.
const ContextInput = manifests.Context

// ParseInput reads an argument that names something to read: a path, - for standard input,
// git:REV[:PATH] or context:NAME. It looks at no file.
func ParseInput(arg string) (Input, error) { return manifests.ParseInput(arg) }

// CheckInput returns why manifests cannot be read at all, such as a missing file or revision; nil if they may
// be readable.
func CheckInput(ctx context.Context, arg string) error { return manifests.CheckInput(ctx, arg) }

// InputIdentity names an input independently of where Rung is started: history and plans are kept under it.
func InputIdentity(arg string) string {
	in, err := manifests.ParseInput(arg)
	file, found := in.Name, ""
	switch {
	case err != nil || in.Kind == manifests.Stdin || in.Kind == manifests.Context:
		return arg
	case in.Kind == manifests.Git:
		file, found = ".", arg+" in " // Git searches the repository from here
	}
	if abs, err := filepath.Abs(file); err == nil {
		return found + abs
	}
	return arg
}

// KustomizationNames lists the possible file names of a kustomization.
var KustomizationNames = manifests.KustomizationNames

// RenderKustomization returns the command line that renders the kustomization in a folder for Rung, with DIR
// for an unknown folder.
func RenderKustomization(dir string) string { return manifests.RenderKustomization(dir) }

// HasNoManifests reports whether all inputs are folders without manifests.
func HasNoManifests(inputs []string) bool {
	return manifests.Options{Paths: inputs}.HasNoManifests()
}

// TLSFiles name the key and certificates of ssl: endpoints.
type TLSFiles = nbdb.TLSFiles

// ParseRowLists reads rows as ovn-nbctl list prints them, as a zone without a name.
func ParseRowLists(text string) (*model.ZoneState, error) {
	db, err := nbdb.ParseLists([]byte(text))
	return &model.ZoneState{DB: db}, err
}

// FindDatabases returns the addresses (file:PATH) of the Northbound database files in folders, such as a
// must-gather, sorted.
func FindDatabases(ctx context.Context, folders []string) ([]string, error) {
	paths, err := nbdb.FindDatabases(ctx, folders)
	for i, p := range paths {
		paths[i] = nbdb.FilePrefix + p
	}
	return paths, err
}
