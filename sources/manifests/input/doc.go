// Package input says what an argument names that Rung is to read: a file or folder, standard
// input, a revision of a git repository, or a context of the kubeconfig.
//
// It imports gitfs; sources/manifests and the engine import it.
package input
