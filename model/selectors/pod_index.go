package selectors

import (
	"cmp"
	"iter"
	"net/netip"
	"slices"
	"sync"

	"rung/model"
)

// PodIndex resolves selectors, networks and port names to pods of one Cluster. It evaluates selectors once per
// label class and caches answers. It is safe for concurrent use and its answers never change: make a new one
// for the next Cluster.
type PodIndex struct {
	index          *Index
	pods           []*model.Pod // by namespace and name; the bits of a PodSet are its indexes
	classByPod     []int32      // by pod, into podClasses
	podClasses     []*Class
	namespaces     []namespacePods // by name
	nodes          []*model.Node
	subjects       PodSet // eligible as subject
	peers          PodSet // eligible as peer
	allPods        PodSet
	defaultNetwork PodSet    // on the default network
	family         [2]PodSet // peers with an IPv4 and with an IPv6 address
	missing        [2]bool   // families without compiled rows

	mu          sync.Mutex
	nsMemo      map[*Selector]PodSet
	podMemo     map[*Selector]PodSet
	bySelectors map[[2]string]PodSet // by the keys of two
	netMemo     map[netip.Prefix]PodSet
	addrs       []podAddr // sorted; made when first needed
	byPortName  map[string]PodSet
}

// namespacePods is a namespace with its run of pods. object is nil if only pods name the namespace; then
// namespace selectors do not match it.
type namespacePods struct {
	name     string
	object   *model.Namespace
	class    *Class
	from, to int
}

type podAddr struct {
	addr netip.Addr
	pod  int32
}

// memoLimit bounds the cached answers about pairs of selectors and about networks. Answers beyond it are
// computed again.
const memoLimit = 4096

// NewPodIndex indexes the pods, namespaces and nodes of the cluster. It shares selectors and label classes
// with the index of the cluster's compiler, or makes its own for nil.
func NewPodIndex(c *model.Cluster, index *Index) *PodIndex {
	if index == nil {
		index = &Index{}
	}
	x := &PodIndex{index: index, nsMemo: map[*Selector]PodSet{}, podMemo: map[*Selector]PodSet{},
		bySelectors: map[[2]string]PodSet{}, netMemo: map[netip.Prefix]PodSet{}}
	classes := map[string]int32{}
	for p := range c.Pods() {
		class, ok := classes[p.Labels.Key()]
		if !ok {
			class = int32(len(x.podClasses))
			classes[p.Labels.Key()] = class
			x.podClasses = append(x.podClasses, index.ClassOfLabels(p.Labels))
		}
		if n := len(x.namespaces); n == 0 || x.namespaces[n-1].name != p.Namespace {
			x.namespaces = append(x.namespaces, namespacePods{name: p.Namespace, from: len(x.pods)})
		}
		x.pods = append(x.pods, p)
		x.classByPod = append(x.classByPod, class)
		x.namespaces[len(x.namespaces)-1].to = len(x.pods)
	}
	x.addNamespaces(c)
	for n := range c.Nodes() {
		x.nodes = append(x.nodes, n)
	}
	x.subjects, x.peers, x.allPods, x.defaultNetwork = x.newSet(), x.newSet(), x.newSet(), x.newSet()
	x.family = [2]PodSet{x.newSet(), x.newSet()}
	for i, p := range x.pods {
		x.allPods.add(i)
		if p.PrimaryUDN() == "" {
			x.defaultNetwork.add(i)
		}
		if p.CanBeSubject() {
			x.subjects.add(i)
		}
		if !p.CanBePeer() {
			continue
		}
		x.peers.add(i)
		for _, ip := range p.IPs {
			if a, err := netip.ParseAddr(ip); err == nil {
				x.family[familyIndex(a)].add(i)
			}
		}
	}
	return x
}

// addNamespaces joins the Namespace objects with the runs of pods.
func (x *PodIndex) addNamespaces(c *model.Cluster) {
	at := make(map[string]int, len(x.namespaces))
	for i, s := range x.namespaces {
		at[s.name] = i
	}
	classes := map[string]*Class{}
	for n := range c.Namespaces() {
		i, ok := at[n.Name]
		if !ok {
			i = len(x.namespaces)
			x.namespaces = append(x.namespaces, namespacePods{name: n.Name})
		}
		if classes[n.Labels.Key()] == nil {
			classes[n.Labels.Key()] = x.index.ClassOfLabels(n.Labels)
		}
		x.namespaces[i].object, x.namespaces[i].class = n, classes[n.Labels.Key()]
	}
	slices.SortFunc(x.namespaces, func(a, b namespacePods) int { return cmp.Compare(a.name, b.name) })
}

func (x *PodIndex) newSet() PodSet { return make(PodSet, (len(x.pods)+63)/64) }

// PodsMatching returns every pod, eligible or not, whose namespace and labels the selectors match. The result
// must not be changed.
func (x *PodIndex) PodsMatching(namespaces, pods model.Selector) PodSet {
	key := [2]string{SelectorKey(namespaces), SelectorKey(pods)}
	x.mu.Lock()
	defer x.mu.Unlock()
	if s, ok := x.bySelectors[key]; ok {
		return s
	}
	s := x.podsInNamespaces(x.index.InternSelector(namespaces))
	if !pods.MatchesEverything() {
		s = s.And(x.podsWithLabels(x.index.InternSelector(pods)))
	}
	if len(x.bySelectors) < memoLimit {
		x.bySelectors[key] = s
	}
	return s
}

// PodsMatchingIn returns every pod of one namespace with labels that the selector matches.
func (x *PodIndex) PodsMatchingIn(namespace string, pods model.Selector) PodSet {
	s := x.newSet()
	if i, ok := slices.BinarySearchFunc(x.namespaces, namespace, func(s namespacePods, n string) int { return cmp.Compare(s.name, n) }); ok {
		s.addRange(x.namespaces[i].from, x.namespaces[i].to)
	}
	sel := x.index.InternSelector(pods)
	x.mu.Lock()
	defer x.mu.Unlock()
	return s.And(x.podsWithLabels(sel))
}

func (x *PodIndex) podsInNamespaces(sel *Selector) PodSet {
	if s, ok := x.nsMemo[sel]; ok {
		return s
	}
	s := x.newSet()
	for _, n := range x.namespaces {
		if n.isSelected(sel) {
			s.addRange(n.from, n.to)
		}
	}
	x.nsMemo[sel] = s
	return s
}

func (n *namespacePods) isSelected(sel *Selector) bool {
	return n.object != nil && n.class.Matches(sel)
}

func (x *PodIndex) podsWithLabels(sel *Selector) PodSet {
	if s, ok := x.podMemo[sel]; ok {
		return s
	}
	hit, s := make([]bool, len(x.podClasses)), x.newSet()
	for i, c := range x.podClasses {
		hit[i] = c.Matches(sel)
	}
	for i, class := range x.classByPod {
		if hit[class] {
			s.add(i)
		}
	}
	x.podMemo[sel] = s
	return s
}

// Len returns the number of pods.
func (x *PodIndex) Len() int { return len(x.pods) }

// PodAt returns the pod at an index; pods are sorted by namespace and name.
func (x *PodIndex) PodAt(i int) *model.Pod { return x.pods[i] }

// SelectedPods returns every pod the policy's subject selects, eligible or not.
func (x *PodIndex) SelectedPods(p *model.Policy) PodSet {
	if p.Subject.Namespace != "" {
		return x.PodsMatchingIn(p.Subject.Namespace, p.Subject.Pods)
	}
	return x.PodsMatching(p.Subject.Namespaces, subjectPods(p))
}

// subjectPods returns the subject's pod selector, which a subject of namespaces may omit.
func subjectPods(p *model.Policy) model.Selector {
	if p.Subject.AllPods {
		return model.SelectEverything()
	}
	return p.Subject.Pods
}

// SubjectSet returns the policy's subject: the selected pods that are eligible.
func (x *PodIndex) SubjectSet(p *model.Policy) PodSet { return x.SelectedPods(p).And(x.subjects) }

// PeerSelected returns every pod a peer selects by labels, eligible or not; empty for nodes and networks.
func (x *PodIndex) PeerSelected(pe *model.Peer) PodSet {
	switch {
	case pe.Kind != model.PeerNamespaces && pe.Kind != model.PeerPods:
		return nil
	case pe.Namespace != "":
		return x.PodsMatchingIn(pe.Namespace, pe.Pods)
	case pe.Kind == model.PeerNamespaces:
		return x.PodsMatching(pe.Namespaces, model.SelectEverything())
	}
	return x.PodsMatching(pe.Namespaces, pe.Pods)
}

// PeerSet returns PeerSelected without the pods whose addresses enter no address set.
func (x *PodIndex) PeerSet(pe *model.Peer) PodSet { return x.PeerSelected(pe).And(x.peers) }

// PeersSet returns the joined PeerSets of a rule's peers.
func (x *PodIndex) PeersSet(r *model.Rule) (out PodSet) {
	for i := range r.Peers {
		out = out.Or(x.PeerSet(&r.Peers[i]))
	}
	return out
}

// PodsWhere returns the pods that f picks; it calls f for each pod and caches nothing.
func (x *PodIndex) PodsWhere(f func(*model.Pod) bool) PodSet {
	s := x.newSet()
	for i, p := range x.pods {
		if f(p) {
			s.add(i)
		}
	}
	return s
}

// Pods yields the pods of a set by namespace and name.
func (x *PodIndex) Pods(s PodSet) iter.Seq[*model.Pod] {
	return func(yield func(*model.Pod) bool) {
		for i := range s.Each() {
			if !yield(x.pods[i]) {
				return
			}
		}
	}
}

// FirstPod returns the first pod of a set or nil.
func (x *PodIndex) FirstPod(s PodSet) *model.Pod {
	for p := range x.Pods(s) {
		return p
	}
	return nil
}

// AllPods returns the set of all pods.
func (x *PodIndex) AllPods() PodSet { return x.allPods }

// EligiblePods returns the pods whose addresses enter address sets.
func (x *PodIndex) EligiblePods() PodSet { return x.peers }

// NodesMatching returns the nodes the selector matches, by name.
func (x *PodIndex) NodesMatching(sel model.Selector) []*model.Node {
	var out []*model.Node
	for _, n := range x.nodes {
		if sel.Matches(n.Labels) {
			out = append(out, n)
		}
	}
	return out
}

// NodeCount returns the number of nodes.
func (x *PodIndex) NodeCount() int { return len(x.nodes) }

// NamespacesMatching yields the namespaces the selector matches, by name.
func (x *PodIndex) NamespacesMatching(sel model.Selector) iter.Seq[*model.Namespace] {
	return func(yield func(*model.Namespace) bool) {
		s := x.index.InternSelector(sel)
		for _, n := range x.namespaces {
			if n.isSelected(s) && !yield(n.object) {
				return
			}
		}
	}
}
