package revision

import (
	"cmp"
	"slices"
	"strings"
)

// Permission is a verb on a resource and the API server's answer.
type Permission struct {
	Verb string
	// Resource is the name in RBAC rules and kubectl: "pods/exec",
	// "adminnetworkpolicies.policy.networking.k8s.io".
	Resource  string
	Namespace string // empty for every namespace
	Allowed   bool
	// Why is the server's reason for a refusal, often empty. Command asks the same question with kubectl.
	Why, Command string
}

// Access holds the API server's answers to which verbs the user may use on which resources. It is immutable. A
// verb that was never asked about counts as allowed; off a cluster everything is allowed.
type Access struct{ answers []Permission }

// NewAccess returns an Access with the server's answers, sorted.
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

// Permissions returns all answers: refusals first, then changes before reads, by resource and verb. It is
// empty off a cluster and until the server answers. Callers must not change it.
func (a Access) Permissions() []Permission { return a.answers }

// WhyNot explains why the verb is not allowed; empty if it is allowed or unknown.
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
