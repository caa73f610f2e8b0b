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
		Message: "has no effect: it is an Antrea policy, and this cluster uses OVN-Kubernetes",
		Remedy:  "write an AdminNetworkPolicy, or use --system antrea"}},

	// Measured by TestEstablished of test/packets (ovn-kubernetes.md#established-connections).
	NewDeny: map[model.Direction]string{
		model.Ingress: "a new ingress Deny does not end established connections: they keep working, with loss (seen on OVN 25.03)",
		model.Egress:  "a new egress Deny also cuts established connections (seen on OVN 25.03)",
	},
	NewIsolation: map[model.Direction]string{
		model.Ingress: "new connections that no policy allows are denied; established ones keep working, with loss (seen on OVN 25.03)",
		model.Egress:  "connections that no policy allows are denied, established ones too (seen on OVN 25.03)",
	},
	HowToLog:    "rung log-level POLICY --deny alert",
	LogsTo:      "Log lines come from a cluster or the sandbox; here there are only databases.",
	LogsCommand: "kubectl -n ovn-kubernetes logs ds/ovnkube-node -c ovn-controller -f",
}
