// Package kustomize renders a kustomization, by kustomize's own library, as kubectl's -k does.
//
// Invariants: nothing is fetched and no program is run: a kustomization that names something
// remote, a chart or a plugin is refused before kustomize sees it. Files are read in and below the
// kustomization that names them, as by kubectl. Nothing is written.
//
// It imports model/clean and the tools of sources; sources/manifests imports it.
package kustomize
