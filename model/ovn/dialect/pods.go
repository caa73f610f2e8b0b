package dialect

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
)

// provenAge is the age difference after which a young pod in the rows proves that an older pod was included too.
// The policy was computed while the older pod ran, so its addresses and ports changed later.
const provenAge = 10 * time.Minute

// whyUnknownForm is why a row is not current if no line of Lines explains its form.
func explainPods(p *model.PolicyInZone, f *Facts) []*DiffCause {
	x := &unseenUpdates{p: p, f: f, earlier: map[*model.Pod][]*model.Pod{}, lackedAddrs: map[string]*model.Pod{},
		formerAddrs: map[string]*model.Pod{}}
	out := make([]*DiffCause, len(p.Diffs))
	for _, explain := range []func(*model.RowDiff, nb.Owner) *DiffCause{x.explainSet, x.explainNamedPorts, x.explainGroup} {
		for i := range p.Diffs {
			if d := &p.Diffs[i]; out[i] == nil && d.Waiting == "" && d.Note == "" {
				out[i] = explain(d, ownerOfDiff(p, d))
			}
		}
	}
	for i := range p.Diffs {
		if out[i] == nil && p.Diffs[i].Waiting == "" {
			return nil
		}
	}
	if !x.lacksEverywhere() {
		return nil
	}
	return out
}

// unseenUpdates collects findings about a policy. Rows may differ in as many addresses as a Deployment has
// pods, so lookups are by address: the cost is the sum of pods and addresses, not their product.
type unseenUpdates struct {
	p           *model.PolicyInZone
	f           *Facts
	earlier     map[*model.Pod][]*model.Pod // results of Facts.Before
	lackedAddrs map[string]*model.Pod       // addresses that sets lack, with their pods
	formerAddrs map[string]*model.Pod       // former addresses, with their pods
}

// earlierStates returns the known earlier states of a pod.
func (x *unseenUpdates) earlierStates(p *model.Pod) []*model.Pod {
	was, asked := x.earlier[p]
	if !asked {
		was = x.f.Before(p)
		x.earlier[p] = was
	}
	return was
}

// podsByAddress maps addresses to pods; the first pod wins.
func podsByAddress(pods []*model.Pod) map[string]*model.Pod {
	out := make(map[string]*model.Pod, len(pods))
	for _, p := range pods {
		for _, addr := range p.IPs {
			if out[addr] == nil {
				out[addr] = p
			}
		}
	}
	return out
}

// formerHolders maps addresses to the indexes in pods, ascending, of the pods that once had them.
func (x *unseenUpdates) formerHolders(pods []*model.Pod) map[string][]int {
	out := make(map[string][]int, len(pods))
	for i, p := range pods {
		for _, was := range x.earlierStates(p) {
			for _, addr := range was.IPs {
				if at := out[addr]; len(at) == 0 || at[len(at)-1] != i {
					out[addr] = append(at, i)
				}
			}
		}
	}
	return out
}

// isRunning reports whether a pod runs: no further event is expected.
func isRunning(p *model.Pod) bool { return p != nil && p.Phase == "Running" && !p.Deleting }

func podName(p *model.Pod) string { return p.Namespace + "/" + p.Name }

// explainSet explains an address set that has former addresses of pods instead of current ones.
func (x *unseenUpdates) explainSet(d *model.RowDiff, o nb.Owner) *DiffCause {
	field := onlyField(d, nb.TableAddressSet, "addresses")
	if field == nil || o.Form != nb.FormKnown || len(field.Missing) != len(field.Extra) {
		return nil
	}
	peers := x.f.Peers(model.Direction(o.Direction), o.Index)
	have := podsByAddress(peers)
	of := make([]*model.Pod, len(field.Missing))
	for i, addr := range field.Missing {
		of[i] = have[addr]
		if !isRunning(of[i]) {
			return nil
		}
	}
	var said, left []string
	taken := make([]bool, len(of))
	formers := x.formerHolders(of)
	for _, former := range field.Extra {
		if x.f.Owned(former) {
			return nil
		}
		at := formers[former]
		for len(at) > 0 && taken[at[0]] {
			at = at[1:]
		}
		formers[former] = at
		if len(at) == 0 {
			left = append(left, former)
			continue
		}
		i := at[0]
		taken[i], x.formerAddrs[former] = true, of[i]
		said = addText(said, "pod %s has %s now, and had %s", podName(of[i]), field.Missing[i], former)
	}
	missing := make(map[string]bool, len(field.Missing))
	for _, addr := range field.Missing {
		missing[addr] = true
	}
	since := youngestInRows(peers, func(q *model.Pod) bool { return hasAddresses(q, o.Family, missing) })
	for i, p := range of {
		if taken[i] {
			continue
		}
		if !since.provesIncluded(p) {
			return nil
		}
		if len(left) == 1 {
			x.formerAddrs[left[0]] = p
			said = addText(said, "pod %s has %s now, and had %s", podName(p), field.Missing[i], left[0])
		} else {
			said = addText(said, "pod %s has %s now", podName(p), field.Missing[i])
		}
	}
	for i, addr := range field.Missing {
		if other := x.lackedAddrs[addr]; other != nil && other != of[i] {
			return nil // two pods have it, so it is uncertain whose address the sets lack
		}
		x.lackedAddrs[addr] = of[i]
	}
	return &DiffCause{PodAddress, words.JoinAtMost(said, "; ", maxNamed)}
}

// onlyField returns a row's only different column, nil if it is another one or lacks nothing.
func onlyField(d *model.RowDiff, table, column string) *model.FieldDiff {
	if d.Kind != model.DiffDifferent || d.Table != table || len(d.Fields) != 1 || d.Fields[0].Column != column ||
		len(d.Fields[0].Missing) == 0 {
		return nil
	}
	return &d.Fields[0]
}

// maxNamed is how many items a cause names; the rest is counted.
const maxNamed = 3

// addText adds an item to a cause. After maxNamed items it adds an empty text, which only counts.
func addText(said []string, format string, args ...string) []string {
	if len(said) >= maxNamed {
		return append(said, "")
	}
	values := make([]any, len(args))
	for i, a := range args {
		values[i] = a
	}
	return append(said, fmt.Sprintf(format, values...))
}

// hasAddresses reports whether the live set has all addresses of a pod in the family, at least one.
func hasAddresses(p *model.Pod, family string, missing map[string]bool) bool {
	found := false
	for _, addr := range p.IPs {
		if strings.Contains(addr, ":") == (family == "v6") {
			if missing[addr] {
				return false
			}
			found = true
		}
	}
	return found
}

// youngestPod is the creation time of the youngest pod in the rows, so the rows were computed later; zero
// without pods.
type youngestPod time.Time

// youngestInRows finds the youngest pod for which in returns true.
func youngestInRows(pods []*model.Pod, in func(*model.Pod) bool) youngestPod {
	var last time.Time
	for _, q := range pods {
		if q.Created.After(last) && !q.Deleting && in(q) {
			last = q.Created
		}
	}
	return youngestPod(last)
}

// provesIncluded reports whether the pod is so much older that the rows were computed while it ran.
func (y youngestPod) provesIncluded(p *model.Pod) bool {
	return !p.Created.IsZero() && time.Time(y).Sub(p.Created) >= provenAge
}

// lacksEverywhere reports whether each address that a set lacks is missing in all sets that should have it.
func (x *unseenUpdates) lacksEverywhere() bool {
	if len(x.lackedAddrs) == 0 {
		return true
	}
	type at struct {
		dir  string
		rule int
		addr string
	}
	lacking := map[at]bool{}
	for i := range x.p.Diffs {
		d := &x.p.Diffs[i]
		if d.Table != nb.TableAddressSet || len(d.Fields) != 1 {
			continue
		}
		o := ownerOfDiff(x.p, d)
		for _, addr := range d.Fields[0].Missing {
			lacking[at{o.Direction, o.Index, addr}] = true
		}
	}
	of := map[model.Key][]string{}
	for addr, p := range x.lackedAddrs {
		of[p.Key] = append(of[p.Key], addr)
	}
	for r := range x.f.Policy.AllRules() {
		for _, p := range x.f.Peers(r.Direction, r.Index) {
			if slices.ContainsFunc(of[p.Key], func(addr string) bool { return !lacking[at{string(r.Direction), r.Index, addr}] }) {
				return false
			}
		}
	}
	return true
}

// explainGroup explains a port group that lacks the ports of passed-over pods: no event came for them after
// their logical port was created.
func (x *unseenUpdates) explainGroup(d *model.RowDiff, _ nb.Owner) *DiffCause {
	field := onlyField(d, nb.TablePortGroup, "ports")
	if field == nil || len(field.Extra) > 0 {
		return nil
	}
	var said []string
	for _, port := range field.Missing {
		p := x.f.FindPod(port)
		switch {
		case p == nil || p.Deleting:
			return nil
		case p.Phase == "Pending":
			said = addText(said, "pod %s does not run yet", podName(p))
		case slices.ContainsFunc(x.earlierStates(p), func(was *model.Pod) bool { return was.NodeName != p.NodeName }):
			said = addText(said, "pod %s got its node later", podName(p))
		default:
			return nil
		}
	}
	return &DiffCause{PodPort, words.JoinAtMost(said, "; ", maxNamed)}
}
