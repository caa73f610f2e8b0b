package system

import (
	"rung/examples"
	"rung/model"
	"rung/model/lint"
	"rung/model/verdict"
)

// OVN is OVN-Kubernetes. It has options for ClusterNetworkPolicies and the isolation annotation of 2016
// (revision.Flags).
var OVN = &System{
	Name: model.SystemOVN, Title: "OVN-Kubernetes", TitlePossessive: "OVN-Kubernetes'", DemoManifests: examples.Files,

	CountedKinds: []model.Kind{model.KindANP, model.KindBANP, model.KindNP, model.KindEF},
	UnaskedKinds: []model.Kind{model.KindACNP, model.KindANNP, model.KindTier, model.KindClusterGroup, model.KindGroup},

	Precedence: verdict.Stages, Draft: ovnDraft,
	Lint: lint.System{Idle: lint.IdlePolicies{Kinds: []model.Kind{model.KindACNP, model.KindANNP},
		Message: "decides nothing here: it is a policy of Antrea, and OVN-Kubernetes' precedence holds in this cluster",
		Remedy:  "write an AdminNetworkPolicy, or say --system antrea"}},

	// Measured by TestEstablished of test/packets (ovn-kubernetes.md#established-connections).
	NewDeny: map[model.Direction]string{
		model.Ingress: "a new ingress Deny does not end established connections: every second packet still gets through (seen on OVN 25.03)",
		model.Egress:  "a new egress Deny also cuts established connections (seen on OVN 25.03)",
	},
	NewIsolation: map[model.Direction]string{
		model.Ingress: "new connections that none allows are dropped; of established ones every second packet still gets through (seen " +
			"on OVN 25.03)",
		model.Egress: "what none allows is dropped, established connections too (seen on OVN 25.03)",
	},
	HowToLog:    "rung log-level POLICY --deny alert",
	LogsTo:      "Log lines come from a cluster or the sandbox; here there are only databases.",
	LogsCommand: "kubectl -n ovn-kubernetes logs ds/ovnkube-node -c ovn-controller -f",
}
