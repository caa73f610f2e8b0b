// Package verify checks expectations about a cluster: statements about allowed or denied connections, kept in
// files with the policies. ReadStatements reads them from YAML or JSON, JudgeStatements asks policies or rows,
// WriteStatements makes a first file from the existing connections.
//
// Invariants: a statement about all connections between two sets of ends covers each of them and every port;
// what cannot be read, found or asked is a Problem; a file made by WriteStatements holds in its revision; the
// same revision gives the same file.
//
// It imports revision, engine/trace, model and sources/manifests/yamltree; cli and ui may import it.
package verify
