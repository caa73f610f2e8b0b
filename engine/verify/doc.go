// Package verify holds expectations against a cluster: statements of which connections
// must be let through and which not, kept in files beside the policies. ReadStatements takes them
// from YAML or JSON, JudgeStatements asks policies or rows, WriteStatements makes a first
// file from the connections there are.
//
// Invariants: what is said of all connections between two sets of ends is said of each of
// them and of every port; nothing that cannot be read, found or asked passes silently; a
// file that WriteStatements made holds in the revision it was made from; the same revision
// gives the same file.
//
// It imports revision, engine/trace, model and sources/manifests/yamltree; cli and
// ui may import it.
package verify
