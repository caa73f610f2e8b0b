package compiler

// The OVN-Kubernetes whose rows are compiled, and the last release before it: rows of that
// and of older ones are recognised where their form differs
// (ovn-kubernetes.md#older-forms).
const (
	OVNKubernetes        = "default branch of August 2026"
	OVNKubernetesRelease = "v1.3"
)
