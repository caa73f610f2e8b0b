package revision

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/selectors"
	"rung/model/verdict"
)

func newMatrixNamespace(name string, pods []matrixPod) *MatrixEnd {
	out := newMatrixEnd(pods)
	out.Namespace = name
	of := make(map[*model.Pod]matrixPod, len(out.pods))
	for _, p := range out.pods {
		of[p.pod] = p
	}
	for _, group := range GroupWorkloads(model.MapList(out.pods, func(p matrixPod) *model.Pod { return p.pod })) {
		pods := model.MapList(group.Pods, func(p *model.Pod) matrixPod { return of[p] })
		w := newMatrixEnd(pods)
		w.Namespace, w.Workload = name, group.Name
		if len(pods) == 1 {
			w.Pod = pods[0].pod.Name
		} else {
			for _, p := range pods {
				one := newMatrixEnd([]matrixPod{p})
				one.Namespace, one.Workload, one.Pod = name, group.Name, p.pod.Name
				w.Parts = append(w.Parts, one)
			}
		}
		out.Parts = append(out.Parts, w)
	}
	slices.SortFunc(out.Parts, func(a, b *MatrixEnd) int { return cmp.Compare(a.pods[0].pod.Name, b.pods[0].pod.Name) })
	return out
}

// IsFuture reports whether none of its pods exists yet.
func (e *MatrixEnd) IsFuture() bool {
	return len(e.pods) > 0 && !slices.ContainsFunc(e.pods, func(p matrixPod) bool { return p.pod.Planned == nil })
}

func newMatrixEnd(pods []matrixPod) *MatrixEnd {
	pods = slices.Clone(pods)
	slices.SortFunc(pods, func(a, b matrixPod) int { return cmp.Compare(a.pod.Name, b.pod.Name) })
	out := &MatrixEnd{pods: pods, namespaceIndex: -1}
	at := map[int32]int{}
	for _, p := range pods {
		i, known := at[p.kind]
		if !known {
			i = len(out.groups)
			at[p.kind] = i
			out.groups = append(out.groups, matrixGroup{kind: p.kind, nodes: map[int32]int{}})
		}
		out.groups[i].n++
		out.groups[i].nodes[p.node]++
	}
	return out
}

// workloadKey is equal for the pods of a workload. Without one it is equal for pods that differ only in name.
func workloadKey(p *model.Pod) string {
	if p.Workload != "" {
		return p.Workload
	}
	return selectors.ReplicaKey(p)
}

// Workload is a group of pods of one namespace, treated as a single end of connections.
type Workload struct {
	Namespace, Name string // as in the matrix: "deployment/api", "api-*", or a pod's name
	Pods            []*model.Pod
}

// GroupWorkloads groups pods by workload as the matrix does, sorted by namespace and name.
func GroupWorkloads(pods []*model.Pod) []Workload {
	alike := map[[2]string]*Workload{}
	named := map[[2]string]int{}
	for _, p := range pods {
		key := [2]string{p.Namespace, workloadKey(p)}
		if alike[key] == nil {
			alike[key] = &Workload{Namespace: p.Namespace}
		}
		alike[key].Pods = append(alike[key].Pods, p)
	}
	out := make([]Workload, 0, len(alike))
	for _, w := range alike {
		slices.SortFunc(w.Pods, func(a, b *model.Pod) int { return a.Key.Compare(b.Key) })
		w.Name = workloadName(w.Pods)
		named[[2]string{w.Namespace, w.Name}]++
		out = append(out, *w)
	}
	for i := range out {
		if w := &out[i]; named[[2]string{w.Namespace, w.Name}] > 1 { // same prefix, different labels
			w.Name = w.Pods[0].Name
			if len(w.Pods) > 1 {
				w.Name += " +" + strconv.Itoa(len(w.Pods)-1)
			}
		}
	}
	slices.SortFunc(out, func(a, b Workload) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return out
}

// workloadName returns the workload that owns the pods, "deployment/api". Without a known workload it returns
// the common prefix of their names, "api-*", without a rollout's hash; for a single pod, its name.
func workloadName(pods []*model.Pod) string {
	first := pods[0]
	if first.Workload != "" {
		return first.Workload
	}
	if len(pods) == 1 {
		return first.Name
	}
	common := first.Name
	for _, p := range pods[1:] {
		common = commonPrefix(common, p.Name)
	}
	if hash := first.Labels.Get(model.LabelTemplateHash); hash != "" {
		if name, _, found := strings.Cut(first.Name, "-"+hash); found {
			common = common[:min(len(common), len(name)+1)]
		}
	}
	return common + "*"
}

// matrixEndpoint returns a pod as the end of a question. For another family it is the address.
func matrixEndpoint(p *model.Pod, f verdict.Family) verdict.Endpoint {
	e := verdict.Endpoint{Key: p.Key}
	if f != verdict.IPv6 || len(p.IPs) < 2 {
		return e
	}
	for _, a := range verdict.ParseAddrs(p.IPs) {
		if verdict.AddrFamily(a) == f {
			return verdict.AddrEnd(a)
		}
	}
	return e
}
