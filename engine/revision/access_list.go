package revision

import (
	"cmp"
	"slices"
	"strings"

	"rung/model"
	"rung/sources/kube"
)

// Permission is one thing the API server was asked about.
type Permission struct {
	Verb, Resource, Namespace string // "patch", "pods/exec", "" for everywhere
	Allowed                   bool
	// Why is the server's reason for a refusal, often empty; Command asks the same
	// by hand.
	Why, Command string
}

// List is everything the server answered, refusals first, then changes before
// reads, by resource and verb. It is empty until there are answers, and off a
// cluster.
func (a Access) List() []Permission {
	out := make([]Permission, 0, len(a.answers))
	for q, got := range a.answers {
		p := Permission{Verb: q.Verb, Resource: resourceOf(q), Namespace: q.Namespace, Allowed: got.Allowed, Command: a.command(q)}
		if !got.Allowed {
			p.Why = got.Reason
		}
		out = append(out, p)
	}
	slices.SortFunc(out, func(x, y Permission) int {
		return cmp.Or(cmp.Compare(order(x.Allowed), order(y.Allowed)), cmp.Compare(order(isRead(x.Verb)), order(isRead(y.Verb))),
			strings.Compare(x.Resource, y.Resource), strings.Compare(x.Namespace, y.Namespace), strings.Compare(x.Verb, y.Verb))
	})
	return out
}

// order puts what is false first.
func order(b bool) int {
	if b {
		return 1
	}
	return 0
}

func isRead(verb string) bool { return verb == "list" || verb == "watch" || verb == "get" }

// resourceOf is a resource as RBAC rules and kubectl name it.
func resourceOf(q kube.Question) string {
	what := q.Resource
	if q.Group != "" {
		what += "." + q.Group
	}
	if q.Subresource != "" {
		what += "/" + q.Subresource
	}
	return what
}

// CodeNewer is the code of model.Broken for what an installed CRD has and
// OVN-Kubernetes does not know.
const CodeNewer = kube.CodeNewer

// AccessOf makes an Access by hand, for whoever has no server: tests of views.
func AccessOf(k model.Kubectl, permissions []Permission) Access {
	answers := make(map[kube.Question]kube.Access, len(permissions))
	for _, p := range permissions {
		q := kube.Question{Verb: p.Verb, Namespace: p.Namespace}
		q.Resource, q.Subresource, _ = strings.Cut(p.Resource, "/")
		q.Resource, q.Group, _ = strings.Cut(q.Resource, ".")
		answers[q] = kube.Access{Allowed: p.Allowed, Reason: p.Why}
	}
	return NewAccess(k, answers)
}
