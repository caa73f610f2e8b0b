// Package troubled holds the manifests of a cluster with many faults: a policy that denies
// everything above all others, shadowed rules, lost ports, invalid annotations, unusual pods.
// It has what the demo of rung/examples lacks. Only tests import it.
package troubled
