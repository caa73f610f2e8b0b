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
// (model.Pod.Planned). They are judged as if their controllers had made them. No live row knows them, so they are
// not compiled, but added wherever pods are counted.

// assumesFuturePod is the assumption about such a pod.
const assumesFuturePod = "does not exist yet: treated as in its manifest, alone on its node"

// futurePods returns the pods of PodIndex that do not exist yet; nil if none.
func futurePods(r *Revision) selectors.PodSet {
	if r.changed != nil {
		return futurePods(r.changed.base) // both revisions have the same pods
	}
	return r.shared.plannedPods.Get(func() selectors.PodSet {
		if !slices.ContainsFunc(r.placedPods(), isFuturePod) {
			return nil
		}
		return r.PodIndex().PodsWhere(func(p *model.Pod) bool { return p.Planned != nil })
	})
}

func isFuturePod(o model.Object) bool {
	p, is := o.(*model.Pod)
	return is && p.Planned != nil
}

// futureSubjects returns the pods that do not exist yet and will be subjects of a policy or default deny.
func futureSubjects(r *Revision, k model.PolicyKey) selectors.PodSet {
	all := futurePods(r)
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

// CountFuturePods counts the future pods that a policy will apply to.
func CountFuturePods(r *Revision, k model.PolicyKey) int { return futureSubjects(r, k).Len() }

func (r *Revision) withFuturePods(pods []*model.Pod, more selectors.PodSet) []*model.Pod {
	if more.IsEmpty() {
		return pods
	}
	out := slices.AppendSeq(slices.Clone(pods), r.PodIndex().Pods(more))
	slices.SortFunc(out, func(a, b *model.Pod) int { return a.Key.Compare(b.Key) })
	return out
}

// JudgedPod returns a pod as questions see it, nil if unknown; a future pod has an assumed place.
func (r *Revision) JudgedPod(namespace, name string) *model.Pod {
	if p := r.Cluster.Pod(namespace, name); p == nil || p.Planned == nil {
		return p
	}
	return r.JudgedCluster().Pod(namespace, name)
}

// futurePodsOmission returns the omission for pods that answers take as existing.
func futurePodsOmission(r *Revision) []model.Omission {
	names := placedNames(r, true)
	if len(names) == 0 {
		return nil
	}
	why := fmt.Sprintf("%s (%s) %s as in the manifests, each alone on its node: %s not exist yet", words.Count(len(names), "pod"),
		words.ListFew(names, 3), words.OneOrMany(len(names), "runs", "run"), words.OneOrMany(len(names), "it does", "they do"))
	return []model.Omission{{Code: model.OmittedPlanned, Key: model.Key{Kind: model.KindPod}, Why: why + futurePodAssumptions(r)}}
}

// futurePodAssumptions names further assumptions about pods that do not exist yet, and unknown facts.
func futurePodAssumptions(r *Revision) (out string) {
	addresses, host, daemons := false, false, false
	for _, o := range r.placedPods() {
		p := o.(*model.Pod)
		if p.Planned != nil {
			addresses = addresses || p.MadeUpIPs
			host = host || p.HostNetwork && r.Cluster.Node(p.NodeName) == nil
			daemons = daemons || strings.HasPrefix(p.Workload, model.WorkloadWord(string(model.KindDaemonSet))+"/") && p.Planned.Node == ""
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
