package zones

import (
	"fmt"
	"time"

	"rung/reconciler"
	"rung/sources/kube"
)

// LeaseConfig configures how replicas agree on the writer of a zone.
type LeaseConfig = kube.LeaseConfig

// OwnerOptions configure how rows are written in zones that are not Rung's own.
type OwnerOptions struct {
	// Writer names this process in NB_Global; no other process, nor a later start, has the name. Empty makes
	// one up.
	Writer string
	// SoleWriter means that an operator guarantees that no other controller writes the same rows: a controller
	// found then is a note. Rows changed by another writer still stop writing.
	SoleWriter bool
	// Lease, if set, lets only the replica with the zone's Lease write.
	Lease *LeaseConfig
	// Report writes conditions and events through the API server.
	Report bool
	// WithoutAdmin leaves the rows of AdminNetworkPolicies and the baseline alone and reports nothing about
	// them.
	WithoutAdmin bool
	// WithWrites writes rows only while changes of policies are switched on, too.
	WithWrites bool
	// Quiet is the pause in writing after a change by another writer (60 s if 0).
	Quiet time.Duration
}

// ownerFacts holds the known facts about other writers of a zone's rows.
type ownerFacts struct {
	zone string
	// loaded means that the objects were read, node that the zone's Node exists, nodeGone that it existed once
	// and was deleted.
	loaded, node, nodeGone bool
	// cluster means that an API server can be asked for pods, podsAsked that it was asked. The answer is err
	// or the controllers on the zone's node.
	cluster, podsAsked bool
	err                error
	controllers        []kube.Controller
	// writesOff means that changes are switched off (OwnerOptions.WithWrites).
	writesOff bool
	// override is OwnerOptions.SoleWriter.
	override bool
}

// judgeOwner returns whether a zone may be written, by the facts about pods and nodes. It fails closed:
// without knowing that nobody else writes, Rung does not write. The reconciler watches for rows changed by
// another writer, since it sees them first.
func judgeOwner(f ownerFacts) reconciler.ZoneGuard {
	hold := func(format string, args ...any) reconciler.ZoneGuard {
		why := fmt.Sprintf(format, args...)
		if f.override {
			return reconciler.ZoneGuard{Notice: "written although " + why + " (asserted: nobody else writes these rows)"}
		}
		return reconciler.ZoneGuard{WhyHeld: "not written: " + why + "; to override: --i-know-that-nobody-else-writes-these-rows"}
	}
	switch {
	case f.writesOff:
		return reconciler.ZoneGuard{WhyHeld: "changes are switched off (W in the console, --write on the command line)"}
	case !f.loaded:
		return reconciler.ZoneGuard{WhyHeld: "waiting for the first complete read of the objects", Starting: true}
	case f.nodeGone:
		return reconciler.ZoneGuard{WhyHeld: "the zone's node no longer exists"}
	case !f.cluster:
		return hold("without a cluster it is unknown whether an OVN-Kubernetes controller writes here")
	case !f.node:
		return hold("no Node is named %s: cannot tell where the zone's controller would run", f.zone)
	case f.err != nil:
		return hold("cannot tell whether an OVN-Kubernetes controller runs: %v", f.err)
	case !f.podsAsked:
		return reconciler.ZoneGuard{WhyHeld: "looking for other controllers", Starting: true}
	case len(f.controllers) > 0:
		return hold("OVN-Kubernetes' controller runs in %s", f.controllers[0])
	}
	return reconciler.ZoneGuard{}
}
