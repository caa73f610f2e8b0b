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

// allEnds returns all named ends, in ParseEnd's form.
func (n *EndNames) allEnds(services bool) (out []string) {
	for _, keys := range n.keysByName {
		for _, k := range keys {
			if services || k.Kind != model.KindService {
				out = append(out, EndText(k))
			}
		}
	}
	slices.Sort(out)
	return out
}

// SimilarTo returns "; did you mean: NAME" for the first end that does not exist; empty if no name is similar.
func (n *EndNames) SimilarTo(ends ...verdict.Endpoint) string {
	for _, e := range ends {
		if e.Key.Name != "" && !slices.Contains(n.keysNamed(e.Key.Name), e.Key) {
			return words.DidYouMean(EndText(e.Key), n.allEnds(e.Key.Kind == model.KindService))
		}
	}
	return ""
}

// ReadEnd reads an end as ParseEnd does, or finds the only pod, node or Service with that name.
func (n *EndNames) ReadEnd(text string, services bool) (verdict.Endpoint, error) {
	if !IsBareName(text) {
		e, err := ParseEnd(text)
		return n.podOfWorkload(e), err
	}
	var found []model.Key
	for _, k := range n.keysNamed(text) {
		if services || k.Kind != model.KindService {
			found = append(found, k)
		}
	}
	switch len(found) {
	case 0:
		kinds := "pod or node"
		if services {
			kinds = "pod, node or Service"
		}
		if u := n.rev.NeverRead(model.KindPod, model.KindNode); u != nil {
			return verdict.Endpoint{}, fmt.Errorf("%q: whether a %s has this name is unknown: %s", text, kinds, u.BriefText())
		}
		like := cmp.Or(words.DidYouMean(text, n.allEnds(services)), "; want "+Ends)
		return verdict.Endpoint{}, fmt.Errorf("%q: no %s has this name%s", text, kinds, like)
	case 1:
		return verdict.Endpoint{Key: found[0]}, nil
	}
	return verdict.Endpoint{}, AmbiguousError(text, found)
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
		if !IsBareName(*end.text) && strings.Count(*end.text, "/") < 2 {
			continue
		}
		e, err := names.ReadEnd(*end.text, end.which == "to")
		if err != nil {
			return q, &EndError{end.which, err}
		}
		*end.text = EndText(e.Key)
	}
	return q, nil
}
