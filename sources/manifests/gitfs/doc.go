// Package gitfs reads a revision of a git repository as files, without a checkout: git:REV[:PATH].
// It runs git itself, with fixed arguments and never through a shell: cat-file finds the revision
// and gives the text of files, ls-tree lists them.
//
// Invariants: names go to git by its standard input or as object names that git gave, so that none
// can be an option. Nothing is fetched, asked for or changed, and no program of a configuration is
// run: hooks, pagers, file system monitors, remote helpers. A link is followed inside the tree of
// its revision and never out of it. Every process ends with its context.
//
// It imports model/words and the tools of sources; sources/manifests imports it.
package gitfs
