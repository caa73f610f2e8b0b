package compiler

// The compiled version of OVN-Kubernetes, and the last release before it. Rows of that and older releases are
// recognised if their form differs (ovn-kubernetes.md#older-forms).
const (
	OVNKubernetes        = "default branch of August 2026"
	OVNKubernetesRelease = "v1.3"
)
