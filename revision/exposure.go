package revision

import (
	"context"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
)

// AnyPod names the end for pods without labels in a new namespace. Peers that may connect with these may
// connect with any pod that no rule names.
const AnyPod = "any pod of any namespace"

// FindExposure returns who may connect with pods that do not exist yet: a pod without labels in a new namespace
// and in each existing one, and pods with labels that rules name but no pod has. Ends of such pods have
// IsImagined set. The errors are those of FindVerdictTable.
func FindExposure(ctx context.Context, r *Revision) (*VerdictTable, error) {
	f := newImaginer(r)
	f.addPod("", map[string]string{}, nil, AnyPod)
	for _, w := range GroupWorkloads(judgedPods(r.JudgedCluster())) {
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
	return fillTable(ctx, VerdictsForCluster(r, c), judgedPods(c), func(t *VerdictTable) {
		for i := range t.Ends {
			t.Ends[i].Imagined = f.texts[t.Ends[i].Name]
		}
	})
}

// imaginer makes pods that do not exist.
type imaginer struct {
	r       *Revision
	objects []model.Object
	texts   map[string]string // descriptions, by the workload of the pod
	known   map[string]bool   // descriptions that have a pod
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

// addPod makes a pod with labels in a namespace. If namespace is "", it makes a new namespace with the labels in of.
func (f *imaginer) addPod(namespace string, of, labels map[string]string, text string) {
	if f.known[text] || len(f.near) == 0 {
		return
	}
	f.known[text] = true
	id := "imagined/" + strconv.Itoa(len(f.texts))
	if namespace == "" {
		namespace = strings.ReplaceAll(id, "/", "-")
		f.objects = append(f.objects, newNamespace(namespace, of))
	}
	if ns := f.r.Cluster.Namespace(namespace); ns != nil && ns.GivesNetwork() {
		return // policies do not apply to pods there
	}
	f.texts[id] = text
	p := newPod(namespace, id, labels)
	p.Workload, p.NodeName, p.IPs = id, "own node of "+id, f.free.takeLike(f.near)
	f.objects = append(f.objects, p)
}

// newNamespace returns a namespace with its own name as a label, as the API server sets it.
func newNamespace(name string, labels map[string]string) *model.Namespace {
	all := maps.Collect(maps.All(labels))
	all["kubernetes.io/metadata.name"] = name
	return &model.Namespace{Meta: model.Meta{Key: model.Key{Kind: model.KindNamespace, Name: name}, Labels: model.NewLabels(all)}}
}

// newPod returns a running pod without a node or an address.
func newPod(namespace, name string, labels map[string]string) *model.Pod {
	return &model.Pod{Phase: "Running", Meta: model.Meta{Labels: model.NewLabels(maps.Clone(labels)),
		Key: model.Key{Kind: model.KindPod, Namespace: namespace, Name: name}}}
}

// addPeer makes a pod that a peer selects, if it selects no existing pod and labels can be found for it.
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

// labelsFor returns labels that a selector matches; ok is false if it finds none.
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

// IsImagined reports whether no pod of the end exists.
func (e *End) IsImagined() bool { return e.Imagined != "" }

// Exposes reports whether connections between two ends expose a workload to imagined pods or to the outside.
// An imagined pod counts only if its verdicts differ from those of AnyPod.
func (t *VerdictTable) Exposes(from, to int) bool {
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

// sameStates reports whether the verdicts at every port are equal, whichever rules decide.
func sameStates(a, b []PortState) bool {
	changes, _ := compareStates(a, b)
	return !slices.ContainsFunc(changes, func(c portChange) bool { return c.kind != Decided })
}
