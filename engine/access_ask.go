package engine

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"rung/change/gate"
	"rung/engine/zones"
	"rung/model"
	"rung/revision"
	"rung/sources/kube"
	"rung/sources/retry"
)

// accessQuestions returns the permissions to ask the server about, the most important first.
func accessQuestions(ovnNamespaces []string) (out []kube.AccessQuestion) {
	kinds := []model.Kind{model.KindANP, model.KindBANP, model.KindCNP}
	for _, r := range kube.TieredResources { // filtered by ServedQuestions
		kinds = append(kinds, r.Kind)
	}
	for _, k := range kinds {
		for _, v := range []kube.Verb{kube.VerbCreate, kube.VerbUpdate, kube.VerbPatch, kube.VerbDelete} {
			out = append(out, v.QuestionFor(model.PolicyKey{Kind: k}))
		}
	}
	out = append(out, kube.VerbPatch.QuestionFor(model.Key{Kind: model.KindNamespace})) // their log level
	for _, ns := range ovnNamespaces {
		out = append(out, kube.AccessQuestion{Verb: "create", Resource: "pods", Subresource: "exec", Namespace: ns},
			kube.AccessQuestion{Verb: "get", Resource: "pods", Subresource: "log", Namespace: ns})
	}
	read := []kube.AccessQuestion{
		{Resource: "namespaces"}, {Resource: "pods"}, {Resource: "nodes"}, {Resource: "services"}, {Resource: "events"},
		{Group: "discovery.k8s.io", Resource: "endpointslices"}, {Group: "networking.k8s.io", Resource: "networkpolicies"},
		{Group: "policy.networking.k8s.io", Resource: "adminnetworkpolicies"},
		{Group: "policy.networking.k8s.io", Resource: "baselineadminnetworkpolicies"},
		{Group: "policy.networking.k8s.io", Resource: "clusternetworkpolicies"},
		{Group: "k8s.ovn.org", Resource: "egressfirewalls"},
	}
	for _, r := range slices.Concat(kube.NetworkResources, kube.TieredResources) {
		read = append(read, kube.AccessQuestion{Group: r.Group, Resource: r.Resource})
	}
	for _, r := range read {
		for _, verb := range []string{"list", "watch"} {
			r.Verb = verb
			out = append(out, r)
		}
	}
	return append(out, kube.DefinitionQuestion())
}

// How often the server is asked again, sooner if it did not answer, and how many questions are in flight.
const (
	accessEvery    = time.Minute
	accessRetry    = 10 * time.Second
	accessParallel = 4
)

// runAccess keeps the permissions and the schemas of the CRDs up to date. It blocks nobody: nothing is refused
// before the first answer.
func runAccess(l *zones.Loop, s *loopState, g *gate.Gate, c *kube.Cluster, namespaces []string) {
	all := accessQuestions(namespaces)
	known := map[kube.AccessQuestion]kube.AccessAnswer{}
	for {
		complete := askServedKinds(l.Context(), c, all, known)
		a := newAccess(model.Kubectl{Flags: c.Flags()}, known)
		l.Send(func() {
			s.access = a
			s.MarkChanged()
		})
		complete = takeSchemas(l, s, g, c, known[kube.DefinitionQuestion()]) && complete
		wait := accessEvery
		if !complete {
			wait = accessRetry
		}
		if !retry.Sleep(l.Context(), wait) {
			return
		}
	}
}

// takeSchemas gives the gate the schemas of the installed CRDs if Rung may read them. done reports whether the
// server answered.
func takeSchemas(l *zones.Loop, s *loopState, g *gate.Gate, c *kube.Cluster, may kube.AccessAnswer) (done bool) {
	if !may.At.IsZero() && !may.Allowed {
		return true
	}
	schemas, found, err := c.Schemas(l.Context())
	if err != nil {
		return false
	}
	g.UseSchemas(schemas)
	l.Send(func() {
		if !slices.Equal(s.profile, found) {
			s.profile = found
			s.MarkChanged()
		}
	})
	return true
}

// newAccess converts the server's answers, each with its kubectl command.
func newAccess(k model.Kubectl, known map[kube.AccessQuestion]kube.AccessAnswer) revision.Access {
	answers := make([]revision.Permission, 0, len(known))
	for q, got := range known {
		p := revision.Permission{Verb: q.Verb, Resource: q.Target(), Namespace: q.Namespace, Allowed: got.Allowed,
			Command: k.CommandLine("auth", "can-i") + " " + q.String()}
		if !got.Allowed {
			p.Why = got.Reason
		}
		answers = append(answers, p)
	}
	return revision.NewAccess(answers)
}

// askServedKinds asks only about resources the server has: CRDs come and go, and an answer about a missing CRD
// misleads.
func askServedKinds(ctx context.Context, c *kube.Cluster, all []kube.AccessQuestion,
	known map[kube.AccessQuestion]kube.AccessAnswer) (complete bool) {
	served, err := c.ServedQuestions(ctx, all)
	if err != nil {
		return false
	}
	maps.DeleteFunc(known, func(q kube.AccessQuestion, _ kube.AccessAnswer) bool { return !slices.Contains(served, q) })
	return askAccess(ctx, c, served, known)
}

// askAccess asks the questions and stores the answers in known. It stops after the first question without an
// answer and then returns false.
func askAccess(ctx context.Context, c *kube.Cluster, questions []kube.AccessQuestion,
	known map[kube.AccessQuestion]kube.AccessAnswer) (complete bool) {
	var mu sync.Mutex
	var failed atomic.Bool
	var workers errgroup.Group
	workers.SetLimit(accessParallel)
	for _, q := range questions {
		workers.Go(func() error {
			if failed.Load() || ctx.Err() != nil {
				return nil
			}
			a, err := c.MayDo(ctx, q)
			if err != nil {
				failed.Store(true)
				return nil
			}
			mu.Lock()
			defer mu.Unlock()
			known[q] = a
			return nil
		})
	}
	_ = workers.Wait()
	return !failed.Load()
}
