package convert

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
	"rung/model/antrea"
)

// mostImagined bounds the pods imagined for a proof. mostKinds bounds the namespaces, and the pods of each, if
// all would be too many.
const (
	mostImagined = 400
	mostKinds    = 12
)

// First addresses of imagined pods, in networks reserved for tests, which no cluster uses.
var (
	imagined4 = netip.MustParseAddr("198.18.0.1")
	imagined6 = netip.MustParseAddr("2001:db8:7275::1")
)

// imaginedValue is a label value that no policy names.
const imaginedValue = "rung-imagined"

// imaginedWorld holds the labels, names and ports that policies' selectors distinguish, and the pods imagined
// for them.
type imaginedWorld struct {
	c              *model.Cluster
	spaces, pods   *labelSpace
	namedSpaces    map[string]bool // namespaces selected by name
	accounts       map[model.ServiceAccount]bool
	ports          map[string]bool
	comparesLabels bool // a rule compares labels of two namespaces

	objects      []model.Object
	count        int
	complete     bool
	next4, next6 netip.Addr
}

// imaginePods makes pods and namespaces that a cluster does not have, so that the proof also holds for labels
// that nobody has yet. It makes one for each combination of labels that selectors distinguish. If that is too
// many it clears complete, and makes only those for single selectors and pairs of them.
func imaginePods(c *model.Cluster, policies []*model.Policy) *imaginedWorld {
	w := &imaginedWorld{c: c, spaces: newSpace(), pods: newSpace(), namedSpaces: map[string]bool{}, accounts: map[model.ServiceAccount]bool{},
		ports: map[string]bool{}, complete: true, next4: imagined4, next6: imagined6}
	groups := antrea.ResolveGroups(c)
	for _, p := range policies {
		w.addPolicy(groups, p)
	}
	name := w.spaces.takeLabel("kubernetes.io/metadata.name")
	for _, v := range name {
		w.namedSpaces[v] = true
	}
	spaces, wholeSpaces := w.spaces.samplePoints(mostImagined)
	pods, wholePods := w.pods.samplePoints(mostImagined)
	times := 1
	if w.comparesLabels {
		times = 2
	}
	w.complete = wholeSpaces && wholePods
	if len(spaces)*times*len(pods)*2 > mostImagined {
		w.complete = false
		spaces, pods = w.spaces.somePoints(mostKinds), w.pods.somePoints(mostKinds)
	}
	pods = slices.Concat(pods, pods) // pods of one kind connect to each other, too
	n := 0
	for _, labels := range spaces {
		for range times {
			w.addNamespace(fmt.Sprintf("rung-imagined-%d", n), labels, pods)
			n++
		}
	}
	for _, ns := range slices.Sorted(maps.Keys(w.namedSpaces)) {
		if c.Namespace(ns) != nil {
			w.addPods(ns, pods)
		} else {
			w.addNamespace(ns, nil, pods)
		}
	}
	for _, a := range slices.SortedFunc(maps.Keys(w.accounts), func(a, b model.ServiceAccount) int {
		return slices.Compare([]string{a.Namespace, a.Name}, []string{b.Namespace, b.Name})
	}) {
		w.addPod(a.Namespace, a.Name, nil)
	}
	return w
}

func (w *imaginedWorld) addPolicy(groups *antrea.GroupResolver, p *model.Policy) {
	selected := func(ns string, namespaces, pods model.Selector) {
		if ns != "" {
			w.namedSpaces[ns] = true
		} else {
			w.spaces.addSelector(namespaces)
		}
		w.pods.addSelector(pods)
	}
	group := func(name string) {
		for _, s := range groups.FindMembers(antrea.GroupKey(p, name)).Pods {
			if s.Account == nil {
				selected(s.Namespace, s.Namespaces, s.Pods)
			}
		}
	}
	applied := func(list []model.AppliedTo) {
		for i := range list {
			switch a := &list[i]; {
			case a.Group != "":
				group(a.Group)
			case a.ServiceAccount != nil:
				w.accounts[*a.ServiceAccount] = true
			case a.Select:
				selected(p.Namespace, a.Namespaces, a.Pods)
			}
		}
	}
	if p.Tiered != nil {
		applied(p.Tiered.AppliedTo)
	} else {
		selected(p.Subject.Namespace, p.Subject.Namespaces, p.Subject.Pods)
	}
	for r := range p.AllRules() {
		if r.Tiered != nil {
			applied(r.Tiered.AppliedTo)
		}
		for i := range r.Peers {
			peer := &r.Peers[i]
			switch peer.Kind {
			case model.PeerNamespaces, model.PeerPods:
				selected(peer.Namespace, peer.Namespaces, peer.Pods)
			case model.PeerGroup:
				group(peer.Group)
			case model.PeerServiceAccount:
				w.accounts[*peer.ServiceAccount] = true
			}
			if m := peer.Match; m != nil {
				w.comparesLabels = true
				for _, l := range m.SameLabels {
					w.spaces.addRequirement(metav1.LabelSelectorRequirement{Key: l, Operator: metav1.LabelSelectorOpExists})
				}
			}
		}
		for _, port := range r.Ports {
			if port.Name != "" {
				w.ports[port.Name] = true
			}
		}
	}
}

func (w *imaginedWorld) addNamespace(name string, labels map[string]string, pods []map[string]string) {
	if w.count >= mostImagined {
		w.complete = false
		return
	}
	all := map[string]string{}
	maps.Copy(all, labels)
	all["kubernetes.io/metadata.name"] = name
	w.objects = append(w.objects, &model.Namespace{Meta: model.Meta{Key: model.Key{Kind: model.KindNamespace, Name: name},
		Labels: model.NewLabels(all)}})
	w.addPods(name, pods)
}

// addPods imagines the pods of a namespace, one for each set of labels.
func (w *imaginedWorld) addPods(namespace string, sets []map[string]string) {
	for _, labels := range sets {
		w.addPod(namespace, "default", labels)
	}
}

func (w *imaginedWorld) addPod(namespace, account string, labels map[string]string) {
	if w.count >= mostImagined {
		w.complete = false
		return
	}
	p := &model.Pod{Meta: model.Meta{Key: model.Key{Kind: model.KindPod, Namespace: namespace, Name: fmt.Sprintf("rung-imagined-%d", w.count)},
		Labels: model.NewLabels(maps.Clone(labels))}, NodeName: imaginedValue, ServiceAccount: account, Phase: "Running", Ready: true,
		IPs: []string{w.next4.String(), w.next6.String()}}
	for i, name := range slices.Sorted(maps.Keys(w.ports)) {
		p.Ports = append(p.Ports, model.ContainerPort{Name: name, Protocol: "TCP", Port: int32(20000 + i)})
	}
	w.count++
	w.next4, w.next6 = w.next4.Next(), w.next6.Next()
	w.objects = append(w.objects, p)
}

// describePod describes an imagined pod; it returns false for a real one.
func (w *imaginedWorld) describePod(c *model.Cluster, k model.Key) (string, bool) {
	p, ns := c.Pod(k.Namespace, k.Name), c.Namespace(k.Namespace)
	if p == nil || p.NodeName != imaginedValue {
		return "", false
	}
	text := "a pod"
	if l := p.Labels.String(); l != "" {
		text += " with " + l
	}
	if w.c.Namespace(k.Namespace) != nil || ns == nil {
		return text + " in " + k.Namespace, true
	}
	labels := maps.Clone(ns.Labels.Map())
	if name := labels["kubernetes.io/metadata.name"]; w.namedSpaces[name] {
		return text + " in a namespace " + name, true
	}
	delete(labels, "kubernetes.io/metadata.name")
	if len(labels) == 0 {
		return text + " in a namespace without labels", true
	}
	return text + " in a namespace with " + model.NewLabels(labels).String(), true
}
