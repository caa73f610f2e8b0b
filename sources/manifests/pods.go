package manifests

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"rung/model"
)

// Several is how many pods stand for a workload that wants more: enough for a connection from one
// to another.
const Several = 2

// MostNumbered is how many pods stand for a StatefulSet where policies tell its pods apart.
const MostNumbered = 100

// numberLabels are the labels that tell the pods of a StatefulSet apart.
var numberLabels = []string{labelPodIndex, labelPodName}

const (
	labelPodIndex = "apps.kubernetes.io/pod-index"
	labelPodName  = "statefulset.kubernetes.io/pod-name"
)

// Set holds the workloads of a source, and what decides which pods they stand for.
type Set struct {
	workloads map[model.Key]*Workload
	nodes     map[string]*model.Node
	// owned counts the pods that exist, by namespace and workload; a completed one counts, too:
	// it is all that there will be of a Job.
	owned map[ownerKey]int
	pods  map[model.Key]ownerKey // the workload of each pod that has one
	// numbering are the policies that name a label by which the pods of a StatefulSet differ.
	numbering map[model.Key]bool
	// ownNetwork are the namespaces whose pods have a primary network of their own.
	ownNetwork map[string]bool
}

type ownerKey struct{ namespace, workload string }

// NewSet makes a set of nothing.
func NewSet() *Set {
	return &Set{workloads: map[model.Key]*Workload{}, nodes: map[string]*model.Node{}, owned: map[ownerKey]int{},
		pods: map[model.Key]ownerKey{}, numbering: map[model.Key]bool{}, ownNetwork: map[string]bool{}}
}

// Put takes in that an object came or changed, and says whether the pods that workloads stand for
// may differ now. Objects of other kinds are none of its business.
func (s *Set) Put(o model.Object) (matters bool) {
	switch o := o.(type) {
	case *Workload:
		s.workloads[o.Key] = o
		return true
	case *model.Policy:
		names := slices.ContainsFunc(numberLabels, func(l string) bool { return strings.Contains(o.YAML, l) })
		if names == s.numbering[o.Key] {
			return false
		}
		if names {
			s.numbering[o.Key] = true
		} else {
			delete(s.numbering, o.Key)
		}
		return true
	case *model.Namespace:
		is, was := o.GivesNetwork(), s.ownNetwork[o.Name]
		s.ownNetwork[o.Name] = is
		return is != was && len(s.workloads) > 0
	case *model.Node:
		was := s.nodes[o.Name]
		s.nodes[o.Name] = o
		return was == nil || was.Labels.Key() != o.Labels.Key()
	case *model.Pod:
		if o.Workload == "" {
			return s.Remove(o.Key)
		}
		key := ownerKey{o.Namespace, o.Workload}
		if was, has := s.pods[o.Key]; has && was == key {
			return false
		}
		matters = s.Remove(o.Key)
		s.pods[o.Key] = key
		s.owned[key]++
		return matters || s.owned[key] == 1
	}
	return false
}

// Remove takes in that an object went, as Put does.
func (s *Set) Remove(k model.Key) (matters bool) {
	switch k.Kind {
	case model.KindNode:
		delete(s.nodes, k.Name)
		return true
	case model.KindNamespace:
		was := s.ownNetwork[k.Name]
		delete(s.ownNetwork, k.Name)
		return was
	case model.KindPod:
		key, has := s.pods[k]
		if !has {
			return false
		}
		delete(s.pods, k)
		s.owned[key]--
		if s.owned[key] == 0 {
			delete(s.owned, key)
			return true
		}
		return false
	}
	_, has := s.workloads[k]
	delete(s.workloads, k)
	has = has || s.numbering[k]
	delete(s.numbering, k)
	return has
}

// Pods are the pods that the workloads stand for, by namespace and name. idle are the workloads
// that want none; lost are those whose template is another workload's that is not there.
func (s *Set) Pods() (pods []*model.Pod, idle, lost []*Workload) {
	for _, k := range slices.SortedFunc(maps.Keys(s.workloads), model.Key.Compare) {
		w := s.workloads[k]
		if w.Owner != "" && s.named(w.Namespace, w.Owner) != nil || s.owned[ownerKey{w.Namespace, w.Ref()}] > 0 {
			continue // its owner stands for its pods, or they exist
		}
		if s.isReferredTo(w) && w.Wanted == 0 {
			continue // scaled down in favour of the Rollout that takes its template
		}
		template := w
		if w.Pod == nil {
			template = s.named(w.Namespace, w.TemplateOf)
		}
		switch {
		case template == nil || template.Pod == nil:
			lost = append(lost, w)
		case w.Wanted == 0:
			if w.Owner == "" { // of a Deployment there are as many of these as it had versions
				idle = append(idle, w)
			}
		default:
			pods = append(pods, s.podsOf(w, template)...)
		}
	}
	for i, p := range pods {
		pods[i] = s.OnNetwork(p)
	}
	slices.SortFunc(pods, func(a, b *model.Pod) int { return a.Key.Compare(b.Key) })
	// A Deployment whose ReplicaSets alone are there is told of by each of them.
	return slices.CompactFunc(pods, func(a, b *model.Pod) bool { return a.Key == b.Key }), idle, lost
}

// OnNetwork is a pod that does not exist yet on the primary network that its namespace will give it: a
// copy where that is one of its own.
func (s *Set) OnNetwork(p *model.Pod) *model.Pod {
	if !s.ownNetwork[p.Namespace] {
		return p
	}
	return p.OnNetworkOfNamespace()
}

// named is the workload of a namespace that pods name so.
func (s *Set) named(namespace, ref string) *Workload {
	for i := range APIs {
		prefix := refText(APIs[i].Kind, "")
		if len(ref) > len(prefix) && ref[:len(prefix)] == prefix {
			return s.workloads[model.Key{Kind: APIs[i].Kind, Namespace: namespace, Name: ref[len(prefix):]}]
		}
	}
	return nil
}

func (s *Set) isReferredTo(w *Workload) bool {
	for _, other := range s.workloads {
		if other.TemplateOf != "" && other.Namespace == w.Namespace && other.TemplateOf == w.Ref() {
			return true
		}
	}
	return false
}

// podsOf makes the pods of a workload.
func (s *Set) podsOf(w, template *Workload) (out []*model.Pod) {
	if w.Kind != model.KindDaemonSet {
		most := Several
		if w.Kind == model.KindStatefulSet && s.isNumbered() {
			most = MostNumbered
		}
		for i := range min(w.Wanted, most) {
			out = append(out, makePod(w, template, i, ""))
		}
		return out
	}
	for _, n := range slices.SortedFunc(maps.Values(s.nodes), func(a, b *model.Node) int { return cmp.Compare(a.Name, b.Name) }) {
		if runsOn(template, n) {
			out = append(out, makePod(w, template, len(out), n.Name))
		}
	}
	if len(s.nodes) > 0 {
		return out
	}
	assumed := Several
	if template.Pod.NodeName != "" || template.Pod.ToBe != nil && template.Pod.ToBe.Node != "" {
		assumed = 1 // all its pods would be on the node it names
	}
	for i := range assumed {
		out = append(out, makePod(w, template, i, ""))
	}
	return out
}

// CutWorkloads returns the StatefulSets of which only the first MostNumbered pods are made although
// policies tell their pods apart.
func (s *Set) CutWorkloads() (out []*Workload) {
	for _, k := range slices.SortedFunc(maps.Keys(s.workloads), model.Key.Compare) {
		w := s.workloads[k]
		if w.Kind == model.KindStatefulSet && w.Wanted > MostNumbered && s.isNumbered() && s.owned[ownerKey{w.Namespace, w.Ref()}] == 0 {
			out = append(out, w)
		}
	}
	return out
}

// isNumbered says whether some policy tells the pods of a StatefulSet apart.
func (s *Set) isNumbered() bool { return len(s.numbering) > 0 }

// runsOn says whether the pods of a DaemonSet run on a node, as far as its labels say.
func runsOn(w *Workload, n *model.Node) bool {
	for k, v := range w.NodeSelector {
		if n.Labels.Get(k) != v {
			return false
		}
	}
	return true
}

// makePod makes pod number i of a workload. The first has the workload's name alone.
func makePod(w, template *Workload, i int, node string) *model.Pod {
	p := *template.Pod
	p.Meta = model.Meta{Key: model.Key{Kind: model.KindPod, Namespace: w.Namespace, Name: w.Ref()}, Origin: w.Origin,
		Labels: withMadeLabels(w, template.Pod.Labels, i)}
	if i > 0 {
		p.Name += "/" + strconv.Itoa(i+1)
	}
	p.NodeName, p.Phase, p.Workload = "", "Pending", w.Ref()
	pinned := template.Pod.NodeName
	if template.Pod.ToBe != nil {
		pinned = template.Pod.ToBe.Node
	}
	p.ToBe = &model.PodToBe{Node: cmp.Or(node, pinned)}
	return &p
}

// unknownValue stands for the value of a label that only the controller knows: a selector that asks
// whether there is such a label is answered rightly.
const unknownValue = "unknown"

// withMadeLabels adds the labels that the controller of a workload gives its pods.
func withMadeLabels(w *Workload, given model.Labels, i int) model.Labels {
	all := maps.Clone(given.Map())
	if all == nil {
		all = map[string]string{}
	}
	add := func(key, value string) {
		if _, has := all[key]; !has {
			all[key] = value
		}
	}
	switch w.Kind {
	case model.KindDeployment:
		add(model.LabelTemplateHash, unknownValue)
	case model.KindRollout:
		add("rollouts-pod-template-hash", unknownValue)
	case model.KindDaemonSet:
		add("controller-revision-hash", unknownValue)
		add("pod-template-generation", "1")
	case model.KindStatefulSet:
		add("controller-revision-hash", unknownValue)
		add(labelPodName, w.Name+"-"+strconv.Itoa(i))
		add(labelPodIndex, strconv.Itoa(i))
	case model.KindJob, model.KindCronJob:
		name := w.Name
		if w.Kind == model.KindCronJob {
			name = unknownValue
		}
		for _, prefix := range []string{"", "batch.kubernetes.io/"} {
			add(prefix+"job-name", name)
			add(prefix+"controller-uid", unknownValue)
		}
	case model.KindDeploymentConfig:
		add("deploymentconfig", w.Name)
		add("deployment", unknownValue)
	case model.KindVM:
		add("kubevirt.io", "virt-launcher")
		add("kubevirt.io/created-by", unknownValue)
		add("vm.kubevirt.io/name", w.Name)
	}
	return model.NewLabels(all)
}
