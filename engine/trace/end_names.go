package trace

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"

	"rung/model"
	"rung/model/verdict"
	"rung/model/words"
	"rung/revision"
)

// IsBareName reports whether a text is only a name, without kind or namespace.
func IsBareName(text string) bool {
	if text == "" || strings.Contains(text, "/") {
		return false
	}
	_, err := netip.ParseAddr(text)
	return err != nil
}

// EndNames finds objects by name alone. It may be used from any goroutine.
type EndNames struct {
	cluster    *model.Cluster
	rev        *revision.Revision // nil if unread kinds do not matter
	once       sync.Once
	keysByName map[string][]model.Key // pods by namespace, then nodes, then Services
}

// NewEndNames returns the names of a cluster. Its revision r, or nil, knows the unread kinds.
func NewEndNames(c *model.Cluster, r *revision.Revision) *EndNames {
	return &EndNames{cluster: c, rev: r}
}

// doubtAddresses makes a not-applicable answer unknown if pods were never read: an address may be a pod's.
func doubtAddresses(r *revision.Revision, a *verdict.Answer) {
	unread := r.NeverRead(model.KindPod)
	if unread == nil || a.Connection.From.Key.Kind != "" && a.Connection.To.Key.Kind != "" {
		return
	}
	doubt := func(v *verdict.Verdict, reason *string) {
		if *v == verdict.NotApplicable {
			*v, *reason = verdict.Unknown, unread.BriefText()
		}
	}
	doubt(&a.Verdict, &a.Reason)
	for i := range a.Paths {
		doubt(&a.Paths[i].Verdict, &a.Paths[i].Reason)
	}
}

// checkEnds returns an error if an end is missing and objects of its kind were never read.
func checkEnds(r *revision.Revision, c verdict.Connection) error {
	for _, e := range []verdict.Endpoint{c.From, c.To} {
		if e.Key.Name != "" && r.JudgedCluster().Get(e.Key) == nil && r.NeverRead(e.Key.Kind) != nil {
			return fmt.Errorf("%w: %s", verdict.ErrQuestion, r.MissingText(EndText(e.Key), e.Key.Kind))
		}
	}
	return nil
}

// keysNamed returns the pods, nodes and Services of a name.
func (n *EndNames) keysNamed(name string) []model.Key {
	n.once.Do(func() {
		n.keysByName = map[string][]model.Key{}
		add := func(k model.Key) { n.keysByName[k.Name] = append(n.keysByName[k.Name], k) }
		for p := range n.cluster.Pods() {
			add(p.Key)
		}
		for o := range n.cluster.Nodes() {
			add(o.Key)
		}
		for s := range n.cluster.Services() {
			add(s.Key)
		}
	})
	return n.keysByName[name]
}

// allEnds returns all named ends that an end of this kind may mean, in ParseEnd's form.
func (n *EndNames) allEnds(kind string, services bool) (out []string) {
	for _, keys := range n.keysByName {
		for _, k := range keys {
			if mayMean(kind, k, services) {
				out = append(out, EndText(k))
			}
		}
	}
	if model.WorkloadWord(kind) != "" {
		for p := range n.cluster.Pods() {
			if strings.HasPrefix(p.Workload, kind+"/") {
				out = append(out, p.Namespace+"/"+p.Workload)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// mayMean reports whether an end typed with this kind, or without one, may mean an object. Without a kind a
// Service is meant only if services is set.
func mayMean(kind string, k model.Key, services bool) bool {
	return kind == "" && (services || k.Kind != model.KindService) || strings.EqualFold(kind, string(k.Kind))
}

// SimilarTo returns "; did you mean: NAME" for the first end that does not exist; empty if no name of its kind
// is similar.
func (n *EndNames) SimilarTo(ends ...verdict.Endpoint) string {
	for _, e := range ends {
		if e.Key.Name != "" && !slices.Contains(n.keysNamed(e.Key.Name), e.Key) {
			kind, _, _ := strings.Cut(e.Key.Name, "/")
			kind = model.WorkloadWord(kind)
			if kind == "" || kind == e.Key.Name {
				kind = strings.ToLower(string(e.Key.Kind))
			}
			return words.DidYouMean(EndText(e.Key), n.allEnds(kind, true))
		}
	}
	return ""
}

// ReadEnd reads an end as ParseEnd does, or finds the only object with that name, or with that kind and name, in
// a namespace or, if empty, in all.
func (n *EndNames) ReadEnd(text, namespace string, services bool) (verdict.Endpoint, error) {
	kind, name := "", text
	if before, rest, ok := strings.Cut(text, "/"); ok {
		kind, name = endKind(before), rest
		if kind == "" || kind == "node" || strings.Contains(rest, "/") || n.cluster.Pod(before, rest) != nil {
			kind = text // complete
		}
	}
	if kind == text || !IsBareName(name) {
		e, err := ParseEnd(text)
		return n.podOfWorkload(e), err
	}
	found := slices.DeleteFunc(n.keysOf(kind, name), func(k model.Key) bool {
		return namespace != "" && k.Namespace != namespace && k.Namespace != ""
	})
	found = slices.DeleteFunc(found, func(k model.Key) bool { return model.WorkloadWord(kind) == "" && !mayMean(kind, k, services) })
	switch len(found) {
	case 0:
		kinds := "pod or node"
		switch {
		case kind != "":
			kinds = kind
		case services:
			kinds = "pod, node or Service"
		}
		if namespace != "" {
			kinds += " in namespace " + namespace
		}
		if u := n.rev.NeverRead(model.KindPod, model.KindNode); u != nil {
			return verdict.Endpoint{}, fmt.Errorf("%q: whether a %s has this name is unknown: %s", text, kinds, u.BriefText())
		}
		like := cmp.Or(words.DidYouMean(name, n.allEnds(kind, services)), "; want "+Ends)
		return verdict.Endpoint{}, fmt.Errorf("%q: no %s has this name%s", text, kinds, like)
	case 1:
		return n.podOfWorkload(verdict.Endpoint{Key: found[0]}), nil
	}
	return verdict.Endpoint{}, AmbiguousError(text, found)
}

// keysOf returns the objects of a name; of a workload one key for each namespace, called like the workload.
func (n *EndNames) keysOf(kind, name string) (out []model.Key) {
	if model.WorkloadWord(kind) == "" {
		return slices.Clone(n.keysNamed(name))
	}
	for p := range n.cluster.Pods() {
		if k := verdict.PodEnd(p.Namespace, p.Workload).Key; p.Workload == kind+"/"+name && !slices.Contains(out, k) {
			out = append(out, k)
		}
	}
	return out
}

// AmbiguousError returns the error of a name that several objects have.
func AmbiguousError(name string, found []model.Key) error {
	var all []string
	for _, k := range found {
		all = append(all, EndText(k))
	}
	return fmt.Errorf("%q is ambiguous: %s", name, words.JoinAtMost(all, " or ", 4))
}

// PodsOfWorkload returns the pods of a workload, "shop/deployment/web"; none if the text names something else,
// or one of its pods.
func (n *EndNames) PodsOfWorkload(text string) (out []*model.Pod) {
	e, _ := ParseEnd(text)
	return n.podsOf(e)
}

// podsOf returns the pods of the workload that an end names.
func (n *EndNames) podsOf(e verdict.Endpoint) (out []*model.Pod) {
	if !strings.Contains(e.Key.Name, "/") {
		return nil
	}
	for p := range n.cluster.PodsIn(e.Key.Namespace) {
		if p.Workload == e.Key.Name {
			out = append(out, p)
		}
	}
	return out
}

// podOfWorkload returns the first pod of the workload that an end names, if it has pods; a pod that does not
// exist yet is called like its workload.
func (n *EndNames) podOfWorkload(e verdict.Endpoint) verdict.Endpoint {
	if n.cluster.Pod(e.Key.Namespace, e.Key.Name) == nil {
		for _, p := range n.podsOf(e) {
			return verdict.Endpoint{Key: p.Key}
		}
	}
	return e
}

// CompleteNames returns the question with bare names completed to ends, and with workloads replaced by their
// first pod.
func (q Question) CompleteNames(names *EndNames) (Question, error) {
	for _, end := range []struct {
		which string
		text  *string
	}{{"from", &q.From}, {"to", &q.To}} {
		if *end.text == "" {
			continue
		}
		e, err := names.ReadEnd(*end.text, q.Namespace, end.which == "to")
		if err != nil {
			return q, &EndError{end.which, err}
		}
		if e.Key.Name != "" {
			*end.text = EndText(e.Key)
		}
	}
	q.Namespace = ""
	return q, nil
}
