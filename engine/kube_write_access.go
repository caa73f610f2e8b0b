package engine

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

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

// Why says why a change of a policy is not allowed, empty when it is or nobody
// knows. A key without a name stands for a new policy.
func (a Access) Why(op Op, k model.PolicyKey) string {
	if k.Kind == "" {
		k.Kind = model.KindANP
	}
	var v kube.Verb
	switch {
	case op == OpApply && k.Name == "":
		v = kube.VerbCreate
	case op == OpApply:
		v = kube.VerbUpdate
	case op == OpMove || op == OpLogLevel:
		v = kube.VerbPatch
	case op == OpDelete:
		v = kube.VerbDelete
	default:
		return "" // what undo needs, its preview finds out
	}
	return a.WhyNot(v.Of(k))
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

// questions are what the server is asked, the most wanted first.
func questions(ovnNamespaces []string) (out []kube.Question) {
	for _, k := range []model.Kind{model.KindANP, model.KindBANP} {
		for _, v := range []kube.Verb{kube.VerbCreate, kube.VerbUpdate, kube.VerbPatch, kube.VerbDelete} {
			out = append(out, v.Of(model.PolicyKey{Kind: k}))
		}
	}
	for _, ns := range ovnNamespaces {
		out = append(out, Exec(ns), PodLogs(ns))
	}
	for _, r := range []kube.Question{
		{Resource: "namespaces"}, {Resource: "pods"}, {Resource: "nodes"}, {Resource: "services"}, {Resource: "events"},
		{Group: "discovery.k8s.io", Resource: "endpointslices"}, {Group: "networking.k8s.io", Resource: "networkpolicies"},
		{Group: "policy.networking.k8s.io", Resource: "adminnetworkpolicies"}, {Group: "policy.networking.k8s.io", Resource: "baselineadminnetworkpolicies"},
		{Group: "k8s.ovn.org", Resource: "egressfirewalls"},
	} {
		for _, verb := range []string{"list", "watch"} {
			r.Verb = verb
			out = append(out, r)
		}
	}
	return out
}

// How often the server is asked again, sooner where it did not answer, and how
// many questions are under way at once.
const (
	accessEvery = time.Minute
	accessRetry = 10 * time.Second
	accessAtOne = 4
)

// runAccess keeps what is allowed, and the schemas of the CRDs, up to date. It
// blocks nobody: until there is an answer nothing is refused.
func (e *Engine) runAccess(c *kube.Cluster) {
	asked := questions(e.ovnNamespaces())
	known := map[kube.Question]kube.Access{}
	for {
		complete := ask(e.ctx, c, asked, known)
		a := NewAccess(model.Kubectl{Flags: c.Flags()}, maps.Clone(known))
		e.send(func(s *state) { s.access, s.dirty = a, true })
		if schemas, found, err := c.Schemas(e.ctx); err == nil {
			e.gate.schemas.Store(schemas)
			e.send(func(s *state) {
				if !slices.Equal(s.profile, found) {
					s.profile, s.dirty = found, true
				}
			})
		} else {
			complete = false
		}
		wait := accessEvery
		if !complete {
			wait = accessRetry
		}
		select {
		case <-e.ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}

// ask puts the questions and takes the answers into known. It says whether all
// were answered; after the first that was not, no other is put.
func ask(ctx context.Context, c *kube.Cluster, questions []kube.Question, known map[kube.Question]kube.Access) (complete bool) {
	var mu sync.Mutex
	var workers sync.WaitGroup
	complete = true
	work := make(chan kube.Question, len(questions))
	for _, q := range questions {
		work <- q
	}
	close(work)
	for range accessAtOne {
		workers.Go(func() {
			for q := range work {
				mu.Lock()
				stop := !complete
				mu.Unlock()
				if stop || ctx.Err() != nil {
					return
				}
				a, err := c.May(ctx, q)
				mu.Lock()
				if err != nil {
					complete = false
				} else {
					known[q] = a
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	return complete
}
