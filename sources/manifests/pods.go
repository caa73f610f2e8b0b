package manifests

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"rung/model"
)

// Several is how many pods represent a larger workload: enough for a connection from one to another.
const Several = 2

// MostNumbered is how many pods represent a StatefulSet if policies distinguish its pods.
const MostNumbered = 100

// The labels that distinguish the pods of a StatefulSet.
const (
	labelPodIndex = "apps.kubernetes.io/pod-index"
	labelPodName  = "statefulset.kubernetes.io/pod-name"
)

// Set holds the workloads of a source, and the objects that decide which pods represent them.
type Set struct {
	workloads map[model.Key]*Workload
	nodes     map[string]*model.Node
	// owned counts the existing pods by workload, completed ones too: a finished Job gets no others.
	owned map[ownerKey]int
	pods  map[model.Key]ownerKey // the workload of each pod, if known
	// numbering are the policies with a label of a pod's number.
	numbering map[model.Key]bool
	// ownNetwork are the namespaces with their own primary network.
	ownNetwork map[string]bool
}

type ownerKey struct{ namespace, workload string }

// NewSet makes an empty set.
func NewSet() *Set {
	return &Set{workloads: map[model.Key]*Workload{}, nodes: map[string]*model.Node{}, owned: map[ownerKey]int{},
		pods: map[model.Key]ownerKey{}, numbering: map[model.Key]bool{}, ownNetwork: map[string]bool{}}
}

// Put adds or replaces an object of a known kind, and reports whether the pods of workloads may differ now.
func (s *Set) Put(o model.Object) (matters bool) {
	switch o := o.(type) {
	case *Workload:
		s.workloads[o.Key] = o
		return true
	case *model.Policy:
		names := strings.Contains(o.YAML, labelPodIndex) || strings.Contains(o.YAML, labelPodName)
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

// Remove removes an object, and reports the same as Put.
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

// Pods returns the pods that represent the workloads, by namespace and name. idle are the workloads that want
// no pods. lost are workloads whose template is in a missing workload.
func (s *Set) Pods() (pods []*model.Pod, idle, lost []*Workload) {
	all := slices.SortedFunc(maps.Values(s.workloads), func(a, b *Workload) int { return a.Key.Compare(b.Key) })
	for _, w := range all {
		if w.Owner != "" && s.named(w.Namespace, w.Owner) != nil || s.owned[ownerKey{w.Namespace, w.Ref()}] > 0 {
			continue // its owner makes its pods, or they exist
		}
		if w.Wanted == 0 && slices.ContainsFunc(all, func(x *Workload) bool {
			return x.Namespace == w.Namespace &&
				x.TemplateWorkload == w.Ref()
		}) {
			continue // scaled down in favour of the Rollout that uses its template
		}
		template := w
		if w.Pod == nil {
			template = s.named(w.Namespace, w.TemplateWorkload)
		}
		switch {
		case template == nil || template.Pod == nil:
			lost = append(lost, w)
		case w.Wanted == 0:
			if w.Owner == "" { // a Deployment has one of these per old version
				idle = append(idle, w)
			}
		default:
			pods = append(pods, s.makePods(w, template)...)
		}
	}
	for i, p := range pods {
		pods[i] = s.OnNetwork(p)
	}
	slices.SortFunc(pods, func(a, b *model.Pod) int { return a.Key.Compare(b.Key) })
	// Several ReplicaSets of a missing Deployment make the same pods.
	return slices.CompactFunc(pods, func(a, b *model.Pod) bool { return a.Key == b.Key }), idle, lost
}

// OnNetwork returns a planned pod on the primary network of its namespace: a copy if that is its own.
func (s *Set) OnNetwork(p *model.Pod) *model.Pod {
	if !s.ownNetwork[p.Namespace] {
		return p
	}
	return p.OnNetworkOfNamespace()
}

// named returns the workload of a namespace with this reference, or nil.
func (s *Set) named(namespace, ref string) *Workload {
	for i := range APIs {
		prefix := refText(APIs[i].Kind, "")
		if len(ref) > len(prefix) && ref[:len(prefix)] == prefix {
			return s.workloads[model.Key{Kind: APIs[i].Kind, Namespace: namespace, Name: ref[len(prefix):]}]
		}
	}
	return nil
}

// makePods makes the pods of a workload.
func (s *Set) makePods(w, template *Workload) (out []*model.Pod) {
	count := min(w.Wanted, Several)
	switch {
	case w.Kind == model.KindStatefulSet && s.isNumbered():
		count = min(w.Wanted, MostNumbered)
	case w.Kind == model.KindDaemonSet && len(s.nodes) > 0:
		selected := model.SelectLabels(model.NewLabels(template.NodeSelector))
		for _, name := range slices.Sorted(maps.Keys(s.nodes)) {
			if selected.Matches(s.nodes[name].Labels) {
				out = append(out, makePod(w, template, len(out), name))
			}
		}
		return out
	case w.Kind == model.KindDaemonSet:
		count = Several
		if template.Pod.NodeName != "" || template.Pod.Planned != nil && template.Pod.Planned.Node != "" {
			count = 1 // all its pods would be on the node it names
		}
	}
	for i := range count {
		out = append(out, makePod(w, template, i, ""))
	}
	return out
}

// CutWorkloads returns the StatefulSets of which only the first MostNumbered pods, told apart by policies, are made.
func (s *Set) CutWorkloads() (out []*Workload) {
	for _, k := range slices.SortedFunc(maps.Keys(s.workloads), model.Key.Compare) {
		w := s.workloads[k]
		if w.Kind == model.KindStatefulSet && w.Wanted > MostNumbered && s.isNumbered() && s.owned[ownerKey{w.Namespace, w.Ref()}] == 0 {
			out = append(out, w)
		}
	}
	return out
}

// isNumbered reports whether any policy distinguishes the pods of a StatefulSet.
func (s *Set) isNumbered() bool { return len(s.numbering) > 0 }

// makePod makes pod number i of a workload. The first has the plain name of the workload.
func makePod(w, template *Workload, i int, node string) *model.Pod {
	p := *template.Pod
	p.Meta = model.Meta{Key: model.Key{Kind: model.KindPod, Namespace: w.Namespace, Name: w.Ref()}, Origin: w.Origin,
		Labels: withMadeLabels(w, template.Pod.Labels, i)}
	if i > 0 {
		p.Name += "/" + strconv.Itoa(i+1)
	}
	p.NodeName, p.Phase, p.Workload = "", "Pending", w.Ref()
	pinned := template.Pod.NodeName
	if template.Pod.Planned != nil {
		pinned = template.Pod.Planned.Node
	}
	p.Planned = &model.PlannedPod{Node: cmp.Or(node, pinned)}
	return &p
}

// unknownValue replaces label values known only to the controller, so that existence selectors match.
const unknownValue = "unknown"

// withMadeLabels adds the labels set by a workload's controller on its pods.
func withMadeLabels(w *Workload, given model.Labels, i int) model.Labels {
	made := map[string]string{}
	switch w.Kind {
	case model.KindDeployment:
		made[model.LabelTemplateHash] = unknownValue
	case model.KindRollout:
		made["rollouts-pod-template-hash"] = unknownValue
	case model.KindDaemonSet:
		made["controller-revision-hash"] = unknownValue
		made["pod-template-generation"] = "1"
	case model.KindStatefulSet:
		made["controller-revision-hash"] = unknownValue
		made[labelPodName] = w.Name + "-" + strconv.Itoa(i)
		made[labelPodIndex] = strconv.Itoa(i)
	case model.KindJob, model.KindCronJob:
		name := w.Name
		if w.Kind == model.KindCronJob {
			name = unknownValue
		}
		for _, prefix := range []string{"", "batch.kubernetes.io/"} {
			made[prefix+"job-name"] = name
			made[prefix+"controller-uid"] = unknownValue
		}
	case model.KindDeploymentConfig:
		made["deploymentconfig"] = w.Name
		made["deployment"] = unknownValue
	case model.KindVM:
		made["kubevirt.io"] = "virt-launcher"
		made["kubevirt.io/created-by"] = unknownValue
		made["vm.kubevirt.io/name"] = w.Name
	}
	maps.Copy(made, given.Map())
	return model.NewLabels(made)
}
