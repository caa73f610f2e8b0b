package guard

import (
	"fmt"
	"slices"
	"strings"

	"rung/model"
	"rung/model/words"
)

// Codes of the rails that judge what a change does to connections.
const (
	// DNS: pods lose the cluster's DNS.
	DNS = "dns-cut"
	// API: pods lose the API server.
	API = "api-cut"
	// System: pods of a protected namespace, or those that reach them, lose connections.
	System = "system-cut"
	// Nodes: the API server loses webhooks, which it calls from nodes.
	Nodes = "nodes-cut"
	// Much: more than a tenth of all that is allowed between pods is denied.
	Much = "much-cut"
	// Log: connections are denied that the log has seen allowed.
	Log = "log-cut"
	// Opens: what is denied today gets through, between namespaces or with addresses outside.
	Opens = "opens"
)

// Codes of the rails that hang on nothing else.
const (
	// Deletes: a policy is deleted.
	Deletes = "deletes"
	// Unjudged: what becomes of connections was not worked out.
	Unjudged = "not-judged"
)

// Codes of the rails that judge policies alone, where it is not known what a change does to
// connections. Changes that touch neither subject, rules nor priority (logging, labels, the
// names of rules) meet none of them.
const (
	// DenySystem: a Deny meets a subject that covers protected namespaces, or
	// a NetworkPolicy isolates pods there.
	DenySystem = "deny-system"
	// DenyAllNetworks: a Deny reaches every IPv4 or every IPv6 address.
	DenyAllNetworks = "deny-all-networks"
	// AllowLost: an Allow above a Deny that would catch the same peers goes
	// away or moves below it.
	AllowLost = "allow-lost"
)

// Guard is a guard rail that a change runs into.
type Guard struct {
	Code    string // "dns-cut", "opens", "kept-elsewhere" …
	Policy  model.PolicyKey
	Message string
	// About is the text that guards are compared by, where the message has numbers and
	// examples that may change without a change of anything else.
	About string
}

// Identity returns the text that the guard is compared by.
func (g Guard) Identity() string {
	if g.About != "" {
		return g.About
	}
	text, _, _ := strings.Cut(g.Message, wouldCatch)
	return text
}

// PolicyChange is one policy before and after; nil where it is created or removed.
type PolicyChange struct {
	Key      model.PolicyKey
	Old, New *model.Policy
}

// fewDeleted is how many deleted policies have a rail each.
const fewDeleted = 3

// DeletionRails are the rails of the policies that a change deletes: one for all where they are
// many, since what else the change does would be lost among them.
func DeletionRails(changes []PolicyChange) (out []Guard) {
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
		return []Guard{all}
	}
	return out
}

// ConfirmName is the name that must be typed: that of the policy which the first guard rail
// is about, since that is the one that is told, or of the first guarded one of the changes.
func ConfirmName(gs []Guard, changes []PolicyChange) string {
	if len(gs) > 0 && slices.ContainsFunc(changes, func(c PolicyChange) bool { return c.Key == gs[0].Policy }) {
		return gs[0].Policy.Name
	}
	for _, c := range changes {
		if slices.ContainsFunc(gs, func(g Guard) bool { return g.Policy == c.Key }) {
			return c.Key.Name
		}
	}
	return ""
}

func newGuard(code string, k model.PolicyKey, format string, args ...any) Guard {
	return Guard{Code: code, Policy: k, Message: fmt.Sprintf(format, args...)}
}
