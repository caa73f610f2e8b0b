// Package apiserver is as much of a Kubernetes API server as tests of single
// changes need: it keeps objects in memory by path, checks resourceVersions and
// preconditions, makes JSON patches, knows dry runs, and notes what it was asked.
// It validates nothing. test/kube runs the real one.
//
// It imports nothing of Rung; only tests import it.
package apiserver
