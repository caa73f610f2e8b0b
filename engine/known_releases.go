package engine

import (
	"slices"

	"rung/compiler"
	"rung/sources/manifests"
)

// Known lists the releases and APIs of other projects that Rung knows.
type Known struct {
	// OVNKubernetes is the revision whose rows are compiled, OVNRelease the last release before it. Rows of
	// releases up to OVNRelease are recognised.
	OVNKubernetes, OVNRelease string
	// NetworkPolicyAPI lists the releases of network-policy-api whose CRDs are known.
	NetworkPolicyAPI []string
	// Kinds lists the kinds of objects read, as GROUP/VERSION KIND.
	Kinds []string
}

// KnownReleases returns the releases and APIs of other projects that Rung knows.
func KnownReleases() Known {
	return Known{compiler.OVNKubernetes, compiler.OVNKubernetesRelease, APIReleases(), manifests.KnownKinds()}
}

// CheckAPIRelease returns an error if the CRDs of a release of network-policy-api are unknown; empty means the
// newest.
func CheckAPIRelease(release string) error { return manifests.CheckRelease(release) }

// APIReleases lists the releases of network-policy-api whose CRDs are known.
func APIReleases() []string { return slices.Clone(manifests.Releases) }
