package revision

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	"rung/model"
	"rung/model/verdict"
)

// alignment is two clusters whose common workloads have pods of the same names and addresses. A pod that only
// one cluster has gets a stand-in in the other, whose connections do not count.
type alignment struct {
	clusters  [2]*model.Cluster
	workloads [2][]Workload // existing pods, by aligned name
	real      [2]map[model.Key]*model.Pod
	// moved counts the pods with different addresses in the two revisions; both are judged at the second's
	// address.
	moved int
}

func alignRevisions(before, after *Revision) *alignment {
	a := &alignment{}
	judged := [2]*model.Cluster{before.JudgedCluster(), after.JudgedCluster()}
	byName := [2]map[[2]string][]*model.Pod{{}, {}}
	var names [][2]string
	for side, c := range judged {
		a.real[side] = map[model.Key]*model.Pod{}
		for _, w := range GroupWorkloads(judgedPods(c)) {
			name := [2]string{w.Namespace, w.Name}
			if byName[0][name] == nil {
				names = append(names, name)
			}
			byName[side][name] = w.Pods
		}
	}
	slices.SortFunc(names, func(x, y [2]string) int { return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1])) })
	names = slices.Compact(names)
	taken := map[netip.Addr]bool{}
	for _, c := range judged {
		for p := range c.Pods() {
			for _, ip := range p.IPs {
				if addr, err := netip.ParseAddr(ip); err == nil && p.Planned == nil && !p.IsCompleted() {
					taken[addr] = true
				}
			}
		}
	}
	free := unusedAddresses{taken}
	var placed [2][]model.Object
	for _, name := range names {
		var pods [2][]*model.Pod
		for i, pair := range pairPods(byName[0][name], byName[1][name]) {
			key := model.Key{Kind: model.KindPod, Namespace: name[0], Name: fmt.Sprintf("%s\x00%d", name[1], i)}
			ips := a.pairAddresses(&pair, &free)
			for side, p := range pair {
				q := model.Pod{Meta: model.Meta{Key: key}}
				node := "own node of " + key.String() // keeps the rows of one node from affecting other pods
				if p != nil {
					node = p.NodeName
					q = *p
					q.Key = key
					a.real[side][key] = p
					pods[side] = append(pods[side], &q)
				}
				q.NodeName, q.IPs, q.Phase = node, ips, "Running"
				placed[side] = append(placed[side], &q)
			}
		}
		for side := range pods {
			if len(pods[side]) > 0 {
				a.workloads[side] = append(a.workloads[side], Workload{name[0], name[1], pods[side]})
			}
		}
	}
	for side, c := range judged {
		a.clusters[side], _ = c.Upsert(placed[side], model.MapList(judgedPods(c), func(p *model.Pod) model.Key { return p.Key }))
	}
	return a
}

// pairPods pairs the pods of a workload whose addresses have the same families: first by name, then in order.
func pairPods(before, after []*model.Pod) (out [][2]*model.Pod) {
	left := slices.Clone(after)
	pair := func(unpaired []*model.Pod, fits func(p, q *model.Pod) bool) (rest []*model.Pod) {
		for _, p := range unpaired {
			i := slices.IndexFunc(left, func(q *model.Pod) bool { return fits(p, q) && podFamilies(p) == podFamilies(q) })
			if i < 0 {
				rest = append(rest, p)
				continue
			}
			out = append(out, [2]*model.Pod{p, left[i]})
			left = slices.Delete(left, i, i+1)
		}
		return rest
	}
	rest := pair(before, func(p, q *model.Pod) bool { return p.Key == q.Key })
	for _, p := range pair(rest, func(_, _ *model.Pod) bool { return true }) {
		out = append(out, [2]*model.Pod{p, nil})
	}
	for _, q := range left {
		out = append(out, [2]*model.Pod{nil, q})
	}
	return out
}

func podFamilies(p *model.Pod) (has [2]bool) {
	for _, a := range verdict.ParseAddrs(p.IPs) {
		has[verdict.AddrFamily(a).Index()] = true
	}
	return has
}

// pairAddresses returns the addresses at which a pair of pods is judged: the second's if both exist.
func (a *alignment) pairAddresses(pair *[2]*model.Pod, free *unusedAddresses) []string {
	var at, like *model.Pod
	for _, p := range pair {
		if p == nil {
			continue
		}
		if like == nil || len(p.IPs) > len(like.IPs) {
			like = p
		}
		if p.Planned == nil {
			if at != nil && !slices.Equal(at.IPs, p.IPs) {
				a.moved++
			}
			at = p
		}
	}
	if at != nil {
		return at.IPs
	}
	if pair[1] != nil { // later questions ask about the second pod
		like = pair[1]
	}
	return free.takeLike(like.IPs)
}

// unusedAddresses hands out addresses that no pod has.
type unusedAddresses struct{ taken map[netip.Addr]bool }

// takeLike hands out one address for each given one, of the same family: the given address itself if unused.
func (f *unusedAddresses) takeLike(ips []string) (out []string) {
	for _, ip := range ips {
		at, err := netip.ParseAddr(ip)
		if err != nil {
			continue
		}
		for f.taken[at] { // the next one, so in the same subnet
			at = at.Next()
		}
		f.taken[at] = true
		out = append(out, at.String())
	}
	return out
}

// realEnd returns an end with the pod's name in the revision of that side.
func (a *alignment) realEnd(side int, e verdict.Endpoint) verdict.Endpoint {
	if p := a.real[side][e.Key]; p != nil {
		return verdict.Endpoint{Key: p.Key}
	}
	return e
}
