package engine

import (
	"slices"

	"rung/compiler"
	"rung/sources/manifests"
)

// Known are the releases and APIs of others that Rung knows.
type Known struct {
	// OVNKubernetes is the one whose rows are compiled, OVNRelease the last release before
	// it: rows of releases up to that are recognised.
	OVNKubernetes, OVNRelease string
	// NetworkPolicyAPI are the releases of network-policy-api whose CRDs are known.
	NetworkPolicyAPI []string
	// Kinds are the kinds of objects that are read, as GROUP/VERSION KIND.
	Kinds []string
}

// KnownReleases lists the releases and APIs of others that Rung knows.
func KnownReleases() Known {
	return Known{compiler.OVNKubernetes, compiler.OVNKubernetesRelease, APIReleases(), manifests.KnownKinds()}
}

// CheckAPIRelease says that no CRDs of a release of network-policy-api are known; empty is
// the newest.
func CheckAPIRelease(release string) error { return manifests.CheckRelease(release) }

// APIReleases are the releases of network-policy-api whose CRDs are known.
func APIReleases() []string { return slices.Clone(manifests.Releases) }
