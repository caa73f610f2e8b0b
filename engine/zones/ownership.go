package zones

import (
	"fmt"
	"time"

	"rung/reconciler"
	"rung/sources/kube"
)

// LeaseConfig says how replicas agree on who writes a zone.
type LeaseConfig = kube.LeaseConfig

// Options say how rows are written in zones that are not Rung's own.
type OwnerOptions struct {
	// Writer names this process in NB_Global: no other, nor a later start of it,
	// has the name. Empty makes one up.
	Writer string
	// NobodyElse says that an operator answers for it that no other controller writes
	// the same rows: what is seen of one then is a note. Rows that change by another
	// hand stop writing all the same.
	NobodyElse bool
	// Lease, where set, lets only the replica write that holds the zone's Lease.
	Lease *LeaseConfig
	// Report writes conditions and events through the API server.
	Report bool
	// WithoutAdmin leaves the rows of AdminNetworkPolicies and the baseline alone and
	// reports nothing about them.
	WithoutAdmin bool
	// WithWrites writes rows only while changes of policies are switched on, too.
	WithWrites bool
	// Quiet is how long nothing is written after a change by another writer (60 s
	// when 0).
	Quiet time.Duration
}

// ownerFacts are the known facts about other writers of a zone's rows.
type ownerFacts struct {
	zone string
	// loaded says that the objects were read, node that the zone's Node is among
	// them, nodeGone that it was and is not any more.
	loaded, node, nodeGone bool
	// cluster says that there is an API server to ask for pods; podsAsked that it was, and
	// err what it answered, if not with the controllers on the zone's node.
	cluster, podsAsked bool
	err                error
	controllers        []kube.Controller
	// writesOff says that changes are switched off (Options.WithWrites).
	writesOff bool
	// override is Options.NobodyElse.
	override bool
}

// judgeOwner says whether a zone may be written as far as pods and nodes tell. It
// fails closed: who does not know that nobody else writes does not write. Whether
// rows change by another writer is watched by the reconciler, which sees them first.
func judgeOwner(f ownerFacts) reconciler.ZoneGuard {
	hold := func(format string, args ...any) reconciler.ZoneGuard {
		why := fmt.Sprintf(format, args...)
		if f.override {
			return reconciler.ZoneGuard{Notice: "written although " + why + " (told that nobody else writes these rows)"}
		}
		return reconciler.ZoneGuard{WhyHeld: "not written: " + why + "; if you know better: --i-know-that-nobody-else-writes-these-rows"}
	}
	switch {
	case f.writesOff:
		return reconciler.ZoneGuard{WhyHeld: "changes are switched off (W in the console, --write on the command line)"}
	case !f.loaded:
		return reconciler.ZoneGuard{WhyHeld: "waiting for the first complete read of the objects", Starting: true}
	case f.nodeGone:
		return reconciler.ZoneGuard{WhyHeld: "the zone's node no longer exists"}
	case !f.cluster:
		return hold("without a cluster it cannot be told whether an OVN-Kubernetes controller writes here")
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
