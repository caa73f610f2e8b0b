package revision

import (
	"rung/model"
	"rung/sources/kube"
)

// Access is what the API server lets the user do, as far as it was asked. It is
// immutable; what is not known is not refused, and off a cluster nothing is.
type Access struct {
	answers map[kube.Question]kube.Access
	kubectl model.Kubectl
}

// NewAccess holds the answers of the server that kubectl asks by k; the map is the
// callee's.
func NewAccess(k model.Kubectl, answers map[kube.Question]kube.Access) Access {
	return Access{answers: answers, kubectl: k}
}

// WhyNot says why something is not allowed, empty when it is or nobody knows.
func (a Access) WhyNot(q kube.Question) string {
	got, asked := a.answers[q]
	if !asked || got.Allowed {
		return ""
	}
	in := ""
	if q.Namespace != "" {
		in = " in " + q.Namespace
	}
	why := "no permission: cannot " + q.Verb + " " + resourceOf(q) + in
	if got.Reason != "" {
		why += ": " + got.Reason
	}
	return why + " (" + a.command(q) + ")"
}

// command is what asks the same question by hand.
func (a Access) command(q kube.Question) string {
	return a.kubectl.Line("auth", "can-i") + " " + q.String()
}

// Exec and PodLogs are the questions whether commands may be run in pods of a
// namespace, and their logs be read.
func Exec(namespace string) kube.Question {
	return kube.Question{Verb: "create", Resource: "pods", Subresource: "exec", Namespace: namespace}
}

// PodLogs is the question whether logs of a namespace's pods may be read.
func PodLogs(namespace string) kube.Question {
	return kube.Question{Verb: "get", Resource: "pods", Subresource: "log", Namespace: namespace}
}
