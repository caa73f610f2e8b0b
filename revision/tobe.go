package revision

import (
	"fmt"
	"slices"
	"strings"

	"rung/model"
	"rung/model/selectors"
	"rung/model/words"
)

// Pods that do not exist yet: manifests have pods without a status, and workloads whose templates make pods
// (model.Pod.ToBe). They are judged as if their controllers had made them. No live row knows them, so they are
// not compiled, but added wherever pods are counted.

// assumesToBe is the assumption about such a pod.
const assumesToBe = "does not exist yet: treated as in its manifest, alone on its node"

// toBeSet returns the pods of PodIndex that do not exist yet; nil if none.
func toBeSet(r *Revision) selectors.PodSet {
	if r.changed != nil {
		return toBeSet(r.changed.base) // both revisions have the same pods
	}
	return r.shared.toBe.Get(func() selectors.PodSet {
		if !slices.ContainsFunc(r.placedPods(), isToBe) {
			return nil
		}
		return r.PodIndex().PodsWhere(func(p *model.Pod) bool { return p.ToBe != nil })
	})
}

func isToBe(o model.Object) bool {
	p, is := o.(*model.Pod)
	return is && p.ToBe != nil
}

// toBeSubjects returns the pods that do not exist yet and will be subjects of a policy or of a namespace's
// default deny.
func toBeSubjects(r *Revision, k model.PolicyKey) selectors.PodSet {
	all := toBeSet(r)
	if all == nil {
		return nil
	}
	if k.Kind != model.KindNetpolNamespace {
		p := r.Cluster.Policy(k)
		if p == nil {
			return nil
		}
		return r.PodIndex().SubjectSet(p).And(all)
	}
	var out selectors.PodSet
	for p := range r.Cluster.Policies(model.KindNP) {
		if p.Namespace == k.Namespace && p.IsolatesDirection(model.Direction(k.Name)) && r.WhyNoRows(p.Key) == nil {
			out = out.Or(r.PodIndex().SubjectSet(p).And(all))
		}
	}
	return out
}

// CountToBe counts the pods of toBeSubjects.
func CountToBe(r *Revision, k model.PolicyKey) int { return toBeSubjects(r, k).Len() }

// withToBe adds pods that do not exist yet to compiled pods, sorted by namespace and name.
func (r *Revision) withToBe(pods []*model.Pod, more selectors.PodSet) []*model.Pod {
	if more.IsEmpty() {
		return pods
	}
	out := slices.AppendSeq(slices.Clone(pods), r.PodIndex().Pods(more))
	slices.SortFunc(out, func(a, b *model.Pod) int { return a.Key.Compare(b.Key) })
	return out
}

// JudgedPod returns a pod as questions see it, nil if unknown; a pod that does not exist yet has an assumed
// place.
func (r *Revision) JudgedPod(namespace, name string) *model.Pod {
	if p := r.Cluster.Pod(namespace, name); p == nil || p.ToBe == nil {
		return p
	}
	return r.JudgedCluster().Pod(namespace, name)
}

// podsToBe returns the omission for pods that answers take as existing.
func podsToBe(r *Revision) []model.Omission {
	var names []string
	for _, o := range r.placedPods() {
		if isToBe(o) {
			names = append(names, o.ObjectKey().NamespacedName())
		}
	}
	if len(names) == 0 {
		return nil
	}
	why := fmt.Sprintf("%s (%s) %s as in the manifests, each alone on its node: %s not exist yet", words.Count(len(names), "pod"),
		words.ListFew(names, 3), words.OneOrMany(len(names), "runs", "run"), words.OneOrMany(len(names), "it does", "they do"))
	return []model.Omission{{Code: model.OmittedToBe, Key: model.Key{Kind: model.KindPod}, Why: why + assumedOfPodsToBe(r)}}
}

// assumedOfPodsToBe names further assumptions about pods that do not exist yet, and unknown facts.
func assumedOfPodsToBe(r *Revision) (out string) {
	addresses, host, daemons := false, false, false
	for _, o := range r.placedPods() {
		p := o.(*model.Pod)
		if p.ToBe != nil {
			addresses = addresses || p.MadeUpIPs
			host = host || p.HostNetwork && r.Cluster.Node(p.NodeName) == nil
			daemons = daemons || strings.HasPrefix(p.Workload, model.WorkloadWord(string(model.KindDaemonSet))+"/") && p.ToBe.Node == ""
		}
	}
	if addresses {
		out += "; addresses are assumed"
	}
	if daemons {
		out += "; no Node is known, so a DaemonSet counts as 2 pods on 2 assumed nodes"
	}
	if host {
		out += "; the node addresses of host-networked pods are unknown"
	}
	return out
}
