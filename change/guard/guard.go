package guard

import (
	"fmt"
	"slices"

	"rung/change"
	"rung/model"
	"rung/model/words"
)

// Codes of the rails that judge the effect of a change on connections.
const (
	// DNS: pods lose the cluster's DNS.
	DNS = "dns-cut"
	// API: pods lose the API server.
	API = "api-cut"
	// System: pods of a protected namespace, or their clients, lose connections.
	System = "system-cut"
	// Nodes: the API server loses webhooks, which it calls from nodes.
	Nodes = "nodes-cut"
	// Much: more than a tenth of the allowed pairs of pods become denied.
	Much = "much-cut"
	// Log: connections are denied that the log has seen allowed.
	Log = "log-cut"
	// Opens: denied connections between namespaces, or with addresses outside, become allowed.
	Opens = "opens"
)

// Codes of the rails that need no judgement of connections or rules.
const (
	// Deletes: a policy is deleted.
	Deletes = "deletes"
	// Unjudged: the effect on connections was not worked out.
	Unjudged = "not-judged"
)

// Codes of the rails that judge policies alone, while the effect on connections is unknown. Changes that touch
// neither subject, rules nor priority (logging, labels, names of rules) hit none of them.
const (
	// DenySystem: a Deny applies to a subject in protected namespaces, or a NetworkPolicy isolates pods there.
	DenySystem = "deny-system"
	// DenyAllNetworks: a Deny reaches every IPv4 or every IPv6 address.
	DenyAllNetworks = "deny-all-networks"
	// AllowLost: an Allow above a Deny of the same peers is removed or moves below it.
	AllowLost = "allow-lost"
)

// fewDeleted is up to how many deleted policies get a rail each; more share one.
const fewDeleted = 3

// DeletionRails returns the rails of the policies that a change deletes. Many deletions share one rail, so
// that other effects of the change are not lost among them.
func DeletionRails(changes []change.ObjectChange) (out []change.Guard) {
	var names []string
	var about string
	for _, c := range changes {
		if c.New == nil && c.Old != nil && c.Key.Kind != model.KindNamespace {
			out = append(out, newGuard(Deletes, c.Key, "deletes %s", c.Key.Label()))
			names = append(names, c.Key.Label())
			about += " " + c.Key.String()
		}
	}
	if len(out) > fewDeleted {
		all := newGuard(Deletes, out[0].Policy, "deletes %s: %s", words.Count(len(names), "policy"), words.JoinAtMost(names, ", ", fewDeleted))
		all.About = Deletes + about
		return []change.Guard{all}
	}
	return out
}

// ConfirmName returns the name to type: the policy of the first guard rail if it is among the changes, else
// the first guarded change; empty if none is guarded.
func ConfirmName(gs []change.Guard, changes []change.ObjectChange) string {
	if len(gs) > 0 && slices.ContainsFunc(changes, func(c change.ObjectChange) bool { return c.Key == gs[0].Policy }) {
		return gs[0].Policy.Name
	}
	for _, c := range changes {
		if slices.ContainsFunc(gs, func(g change.Guard) bool { return g.Policy == c.Key }) {
			return c.Key.Name
		}
	}
	return ""
}

func newGuard(code string, k model.PolicyKey, format string, args ...any) change.Guard {
	return change.Guard{Code: code, Policy: k, Message: fmt.Sprintf(format, args...)}
}
