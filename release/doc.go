// Package main makes the parts of a release that GoReleaser does not: before it, what goes into
// every archive and package (manual, completions, NOTICE, licences), after it the image and the
// checksums. `make release` runs all of it; goreleaser.yaml says what is built and packed.
//
// Everything is made from a commit, with the commit's date: the same commit gives the same bytes
// in any folder. Nothing is sent anywhere.
//
// It is a module of its own, so that the program does not need what only a release needs; the
// tools themselves are in tools/, so that their modules do not change those of the program. The
// tests install and use every artefact: `make release-test`.
package main
