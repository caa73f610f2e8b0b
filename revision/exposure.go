package revision

import (
	"cmp"
	"context"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
	"rung/model/verdict"
	"rung/model/verdict/diff"
)

// AnyPod is the end that stands for pods without labels in a namespace that does not exist yet:
// who may connect with these may connect with any pod that nothing else is said about.
const AnyPod = "any pod of any namespace"

// ExposureOf says what may connect to what where besides the pods that there are others come: a pod
// without labels in a new namespace and in each that there is, and pods with the labels that
// rules name and no pod has yet. Ends of such pods have IsImagined set. The error is as of TableOf.
func ExposureOf(ctx context.Context, r *Revision) (t *Table, err error) {
	f := newImaginer(r)
	f.addPod("", map[string]string{}, nil, AnyPod)
	for _, w := range WorkloadsOf(judgedPods(r.JudgedCluster())) {
		f.addPod(w.Namespace, nil, nil, "any pod of "+w.Namespace)
	}
	for p := range r.Cluster.EveryPolicy() {
		for rule := range p.AllRules() {
			for i := range rule.Peers {
				f.addPeer(&rule.Peers[i])
			}
		}
	}
	c, _ := r.JudgedCluster().Upsert(f.objects, nil)
	workloads := WorkloadsOf(judgedPods(c))
	var tooMany error
	err = diff.EachDecision(ctx, VerdictsAbout(r, c), func(c *verdict.Classes, p *diff.DecidedPair) {
		if t == nil && tooMany == nil {
			t, tooMany = newTable(c, workloads)
			if tooMany == nil {
				f.nameEnds(t)
			}
		}
		if t != nil {
			t.addPair(p, p.After)
		}
	})
	if tooMany != nil {
		return nil, tooMany
	}
	return cmp.Or(t, &Table{kinds: make([]pairKind, 1)}), err
}

// imaginer makes pods that do not exist.
type imaginer struct {
	r       *Revision
	objects []model.Object
	texts   map[string]string // by the workload of the pod: what it stands for
	known   map[string]bool   // texts
	free    unusedAddresses
	near    []string
}

func newImaginer(r *Revision) *imaginer {
	f := &imaginer{r: r, texts: map[string]string{}, known: map[string]bool{}, free: unusedAddresses{map[netip.Addr]bool{}}}
	for p := range r.JudgedCluster().Pods() {
		for _, ip := range p.IPs {
			if a, err := netip.ParseAddr(ip); err == nil {
				f.free.taken[a] = true
			}
		}
		if p.CanBePeer() && len(p.IPs) > len(f.near) {
			f.near = p.IPs
		}
	}
	return f
}

// addPod makes a pod with some labels in a namespace, in a new one with labels of its own for "".
func (f *imaginer) addPod(namespace string, of, labels map[string]string, text string) {
	if f.known[text] || len(f.near) == 0 {
		return
	}
	f.known[text] = true
	id := "imagined/" + strconv.Itoa(len(f.texts))
	if namespace == "" {
		namespace = strings.ReplaceAll(id, "/", "-")
		all := maps.Clone(of)
		all["kubernetes.io/metadata.name"] = namespace
		f.objects = append(f.objects, &model.Namespace{Meta: model.Meta{Key: model.Key{Kind: model.KindNamespace, Name: namespace},
			Labels: model.NewLabels(all)}})
	}
	if ns := f.r.Cluster.Namespace(namespace); ns != nil && ns.GivesNetwork() {
		return // no policy is asked about pods there
	}
	f.texts[id] = text
	f.objects = append(f.objects, &model.Pod{Meta: model.Meta{Key: model.Key{Kind: model.KindPod, Namespace: namespace, Name: id},
		Labels: model.NewLabels(maps.Clone(labels))},
		Workload: id, Phase: "Running", NodeName: "own node of " + id, IPs: f.free.takeLike(f.near)})
}

// addPeer makes a pod that a peer of a rule means, where no pod is meant yet and its labels can be
// told.
func (f *imaginer) addPeer(pe *model.Peer) {
	if pe.Kind != model.PeerNamespaces && pe.Kind != model.PeerPods || pe.Match != nil || !f.r.PodIndex().PeerSelected(pe).IsEmpty() {
		return
	}
	labels, ok := labelsFor(pe.Pods)
	if pe.Kind == model.PeerNamespaces {
		labels, ok = nil, true
	}
	if !ok {
		return
	}
	text := pe.String() + " (none yet)"
	if pe.Namespace != "" {
		f.addPod(pe.Namespace, nil, labels, text)
		return
	}
	for n := range f.r.Cluster.Namespaces() {
		if pe.Namespaces.Matches(n.Labels) {
			f.addPod(n.Name, nil, labels, text)
			return
		}
	}
	if of, ok := labelsFor(pe.Namespaces); ok {
		f.addPod("", of, labels, text)
	}
}

// labelsFor are labels that a selector matches; ok is false where none are found.
func labelsFor(s model.Selector) (out map[string]string, ok bool) {
	out = map[string]string{}
	if s.IsNil() || s.MatchesEverything() {
		return out, true
	}
	sel := s.LabelSelector()
	maps.Copy(out, sel.MatchLabels)
	for _, e := range sel.MatchExpressions {
		_, has := out[e.Key]
		switch {
		case has:
		case e.Operator == metav1.LabelSelectorOpIn && len(e.Values) > 0:
			out[e.Key] = e.Values[0]
		case e.Operator == metav1.LabelSelectorOpExists:
			out[e.Key] = "any"
		}
	}
	return out, s.Matches(model.NewLabels(maps.Clone(out)))
}

// nameEnds gives the ends of imagined pods the words for what they stand for.
func (f *imaginer) nameEnds(t *Table) {
	for i := range t.Ends {
		if text := f.texts[t.Ends[i].Name]; text != "" {
			t.Ends[i].Imagined = text
		}
	}
}

// IsImagined says whether no pod of the end exists.
func (e *End) IsImagined() bool { return e.Imagined != "" }

// Exposes says whether connections between two ends are an exposure: of a workload to what may come
// or is outside. An imagined pod's are told where they are not the same as of any pod.
func (t *Table) Exposes(from, to int) bool {
	a, b := &t.Ends[from], &t.Ends[to]
	if (a.IsImagined() || a.IsOutside()) == (b.IsImagined() || b.IsOutside()) {
		return false
	}
	anyPod := slices.IndexFunc(t.Ends, func(e End) bool { return e.Imagined == AnyPod })
	switch {
	case anyPod < 0:
	case a.IsImagined() && from != anyPod:
		return !sameStates(t.States(from, to), t.States(anyPod, to))
	case b.IsImagined() && to != anyPod:
		return !sameStates(t.States(from, to), t.States(from, anyPod))
	}
	return true
}

// sameStates says whether the same becomes of connections at every port, whoever decides.
func sameStates(a, b []PortState) bool {
	changes, _ := compareStates(a, b)
	return !slices.ContainsFunc(changes, func(c portChange) bool { return c.kind != Decided })
}
