package system

import (
	"fmt"

	demo "rung/examples-antrea"
	"rung/model"
	"rung/model/antrea"
	"rung/model/convert"
	"rung/model/lint"
	"rung/model/verdict"
	"rung/model/words"
)

// Antrea has policies in tiers, and no OVN rows (antrea.md#system).
var Antrea = &System{
	Name: model.SystemAntrea, Title: "Antrea", TitlePossessive: "Antrea's", DemoManifests: demo.Files,
	whyLacking: map[Feature]string{
		Rows:      "Antrea has no OVN rows",
		Stages:    "not available with Antrea",
		LogLevels: "no log levels with Antrea: each rule logs by its enableLogging",
	},

	CountedKinds: []model.Kind{model.KindACNP, model.KindANNP, model.KindNP},
	RareKinds:    []model.Kind{model.KindANP, model.KindBANP},
	OwnKinds:     []model.Kind{model.KindACNP, model.KindANNP},
	FoundText:    antreaFound,
	NotFoundText: "no Antrea policy or Tier",
	UnaskedKinds: []model.Kind{model.KindANP, model.KindBANP, model.KindEF, model.KindCNP},

	Order: antrea.EffectiveOrder, Bands: antrea.LadderBands,
	Tiers: antrea.TiersInOrder, TiersAroundNetpol: [2]string{antrea.Application, antrea.Baseline},
	Templates: &TierForm{Kind: model.KindACNP, Last: antrea.Application, Baseline: antrea.Baseline, Bands: antrea.DecidingBands,
		InTier: convert.InTier},
	Form:       &Form{Name: "antctl", Head: antrea.AntctlHead, Row: antrea.AntctlRow},
	Precedence: verdict.Antrea, Draft: antreaDraft,
	Reject: antrea.AdmissionFaults, Naming: antrea.PoliciesReferencing, UnjudgedPart: antrea.UnjudgedGroup,
	Lint: lint.System{Order: antrea.EffectiveOrder, Check: antrea.CheckCluster, Idle: lint.IdlePolicies{Kinds: []model.Kind{model.KindEF},
		Message: "has no effect: EgressFirewalls need OVN-Kubernetes, and this cluster uses Antrea",
		Remedy:  "write an Antrea ClusterNetworkPolicy, or use --system ovn-kubernetes"}},

	// Rules apply to new connections (antrea.md#verdicts).
	NewDeny:      ingressAndEgress("a new Deny does not end established connections (Antrea)"),
	NewIsolation: ingressAndEgress("new connections that no policy allows are denied; established ones continue (Antrea)"),
	// See antrea.md#logging.
	HowToLog: "rung log-level POLICY --deny on --allow on, or enableLogging: true in the rule",
	LogsTo: "Antrea logs into /var/log/antrea/networkpolicy/np.log of each node: the first packet of a connection, and at most 500 " +
		"packets a second.",
	LogsCommand: "rung logs --log np.log",
}

// antreaDraft returns the text of a new ClusterNetworkPolicy, which applies to nothing until somebody names a
// namespace.
func antreaDraft(tier string, priority float64) string {
	return fmt.Sprintf(antreaDraftText, tier, words.Number(priority))
}

const antreaDraftText = `apiVersion: crd.antrea.io/v1beta1
kind: ClusterNetworkPolicy
metadata:
  name: new-policy
spec:
  tier: %s
  # 1.0 to 10000.0, the lower one decides first within the tier.
  priority: %s
  # The pods the policy is for. "podSelector: {}" alone is every pod of the cluster.
  appliedTo:
  - namespaceSelector:
      matchLabels:
        kubernetes.io/metadata.name: CHANGE-ME
  # The first rule that matches decides: Allow, Drop, Reject (Drop, and the client is told), or Pass
  # (leave it to NetworkPolicies and the baseline).
  ingress:
  - name: allow-from-somewhere
    action: Allow
    from:
    - namespaceSelector:
        matchLabels:
          kubernetes.io/metadata.name: CHANGE-ME
    ports:
    - protocol: TCP
      port: 8080
    # enableLogging: true
  # egress:
  # - name: drop-to-somewhere
  #   action: Drop
  #   to:
  #   - ipBlock:
  #       cidr: 192.0.2.0/24
`

func ingressAndEgress(text string) map[model.Direction]string {
	return map[model.Direction]string{model.Ingress: text, model.Egress: text}
}

// antreaFound names what a cluster has of Antrea: policies and Tiers, or only groups.
func antreaFound(c *model.Cluster) string {
	tiers, policies := c.Count(model.KindTier), c.Count(model.KindACNP)+c.Count(model.KindANNP)
	groups := c.Count(model.KindClusterGroup) + c.Count(model.KindGroup)
	switch {
	case tiers+policies > 0:
		return fmt.Sprintf("%s and %s of Antrea", words.Count(policies, "policy"), words.Count(tiers, "Tier"))
	case groups > 0:
		return words.Count(groups, "group") + " of Antrea"
	}
	return ""
}
