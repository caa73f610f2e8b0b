package revision

import (
	"cmp"
	"slices"
	"strings"
)

// Permission is one thing the API server was asked about.
type Permission struct {
	Verb string
	// Resource is as RBAC rules and kubectl name it: "pods/exec",
	// "adminnetworkpolicies.policy.networking.k8s.io".
	Resource  string
	Namespace string // empty for everywhere
	Allowed   bool
	// Why is the server's reason for a refusal, often empty; Command asks the same
	// by hand.
	Why, Command string
}

// Access holds the API server's answers to which verbs the user may use on which
// resources, as far as it was asked. It is immutable. A verb that was not asked about
// counts as allowed, and off a cluster nothing is refused.
type Access struct{ answers []Permission }

// NewAccess holds the answers of the server.
func NewAccess(answers []Permission) Access {
	return Access{slices.SortedFunc(slices.Values(answers), func(x, y Permission) int {
		return cmp.Or(cmp.Compare(x.listRank(), y.listRank()), strings.Compare(x.Resource, y.Resource),
			strings.Compare(x.Namespace, y.Namespace), strings.Compare(x.Verb, y.Verb))
	})}
}

// listRank puts refusals first, then changes before reads.
func (p *Permission) listRank() int {
	rank := 0
	if p.Allowed {
		rank += 2
	}
	if p.Verb == "list" || p.Verb == "watch" || p.Verb == "get" {
		rank++
	}
	return rank
}

// Permissions is everything the server answered, refusals first, then changes before
// reads, by resource and verb. It is empty until there are answers, and off a
// cluster. It must not be changed.
func (a Access) Permissions() []Permission { return a.answers }

// WhyNot says why something is not allowed, empty when it is or nobody knows.
func (a Access) WhyNot(verb, resource, namespace string) string {
	i := slices.IndexFunc(a.answers, func(p Permission) bool {
		return p.Verb == verb && p.Resource == resource && p.Namespace == namespace
	})
	if i < 0 || a.answers[i].Allowed {
		return ""
	}
	why := "no permission: cannot " + verb + " " + resource
	if namespace != "" {
		why += " in " + namespace
	}
	if reason := a.answers[i].Why; reason != "" {
		why += ": " + reason
	}
	return why + " (" + a.answers[i].Command + ")"
}
