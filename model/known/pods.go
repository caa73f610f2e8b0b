package known

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"rung/model"
	"rung/model/nb"
	"rung/model/words"
)

// proven is how much younger a pod is that proves by its presence in the rows that
// the policy was computed when another already ran: that one's address and ports of
// then were taken in, and what is different now came later.
const proven = 10 * time.Minute

// pods explains what updates of pods leave that OVN-Kubernetes' filter does not see
// (ovn-kubernetes.md#unseen-pod-updates), and pods it passed over
// (ovn-kubernetes.md#subject-pods). Every sync computes the whole policy. So all that
// differs must be explained, and what one row has of a pod all others must have, too.
func pods(p *model.PolicyInZone, f *Facts) []*Cause {
	x := &unseen{p: p, f: f, moved: map[string]*model.Pod{}}
	out := make([]*Cause, len(p.Diffs))
	for _, explain := range []func(*model.RowDiff, nb.Owner) *Cause{x.set, x.named, x.group} {
		for i := range p.Diffs {
			if d := &p.Diffs[i]; out[i] == nil && d.Waiting == "" && d.Note == "" {
				out[i] = explain(d, ownerOf(p, d))
			}
		}
	}
	for i := range p.Diffs {
		if out[i] == nil && p.Diffs[i].Waiting == "" {
			return nil
		}
	}
	if !x.everywhere() {
		return nil
	}
	return out
}

// unseen gathers what was found about a policy.
type unseen struct {
	p *model.PolicyInZone
	f *Facts
	// lacks are the pods whose address sets lack an address, with the sets.
	lacks []lack
	moved map[string]*model.Pod // former addresses
}

type lack struct {
	pod  *model.Pod
	addr string
}

// ready says whether the next event of a pod is not to be expected: it runs.
func ready(p *model.Pod) bool { return p != nil && p.Phase == "Running" && !p.Deleting }

func name(p *model.Pod) string { return p.Namespace + "/" + p.Name }

// set explains an address set that has former addresses of pods instead of those of
// today.
func (x *unseen) set(d *model.RowDiff, o nb.Owner) *Cause {
	if d.Kind != model.DiffDifferent || d.Table != nb.TableAddressSet || o.Form != nb.FormKnown || len(d.Fields) != 1 {
		return nil
	}
	field := &d.Fields[0]
	if field.Column != "addresses" || len(field.Missing) == 0 || len(field.Missing) != len(field.Extra) {
		return nil
	}
	peers := x.f.Peers(model.Direction(o.Direction), o.Index)
	var of []*model.Pod // of the missing addresses
	for _, addr := range field.Missing {
		i := slices.IndexFunc(peers, func(p *model.Pod) bool { return slices.Contains(p.IPs, addr) })
		if i < 0 || !ready(peers[i]) {
			return nil
		}
		of = append(of, peers[i])
	}
	var said, left []string
	taken := make([]bool, len(of))
	for _, former := range field.Extra {
		if x.f.Owned(former) {
			return nil
		}
		i := -1
		for j, p := range of {
			if !taken[j] && x.had(p, former) {
				i = j
				break
			}
		}
		if i < 0 {
			left = append(left, former)
			continue
		}
		taken[i], x.moved[former] = true, of[i]
		said = append(said, replaced(of[i], field.Missing[i], former))
	}
	for i, p := range of {
		if taken[i] {
			continue
		}
		if !computedSince(p, peers, func(q *model.Pod) bool { return inSet(q, o.Family, field.Missing) }) {
			return nil
		}
		if len(left) == 1 {
			x.moved[left[0]] = p
			said = append(said, replaced(p, field.Missing[i], left[0]))
		} else {
			said = append(said, fmt.Sprintf("pod %s has %s now", name(p), field.Missing[i]))
		}
	}
	for i, p := range of {
		x.lacks = append(x.lacks, lack{p, field.Missing[i]})
	}
	return &Cause{PodAddress, words.Cut(said, "; ", 3)}
}

func replaced(p *model.Pod, now, former string) string {
	return fmt.Sprintf("pod %s has %s now, and had %s", name(p), now, former)
}

// had says whether the pod is known to have had an address.
func (x *unseen) had(p *model.Pod, addr string) bool {
	return slices.ContainsFunc(x.f.Before(p), func(was *model.Pod) bool { return slices.Contains(was.IPs, addr) })
}

// inSet says whether the live set has the addresses of a pod: all of the family, and
// at least one.
func inSet(p *model.Pod, family string, missing []string) bool {
	found := false
	for _, addr := range p.IPs {
		if strings.Contains(addr, ":") == (family == "v6") {
			if slices.Contains(missing, addr) {
				return false
			}
			found = true
		}
	}
	return found
}

// computedSince says whether a pod that is so much younger is in the rows that these
// were computed while p ran.
func computedSince(p *model.Pod, all []*model.Pod, in func(*model.Pod) bool) bool {
	return !p.Created.IsZero() && slices.ContainsFunc(all, func(q *model.Pod) bool {
		return q.Created.Sub(p.Created) >= proven && !q.Deleting && in(q)
	})
}

// everywhere says whether each address that a set lacks is lacking in all sets of the
// policy that should have it.
func (x *unseen) everywhere() bool {
	for _, l := range x.lacks {
		for _, dir := range model.Directions {
			for _, r := range x.f.Policy.Rules(dir) {
				if slices.ContainsFunc(x.f.Peers(dir, r.Index), func(p *model.Pod) bool { return p.Key == l.pod.Key }) &&
					!x.lacking(dir, r.Index, l.addr) {
					return false
				}
			}
		}
	}
	return true
}

func (x *unseen) lacking(dir model.Direction, rule int, addr string) bool {
	return slices.ContainsFunc(x.p.Diffs, func(d model.RowDiff) bool {
		if d.Table != nb.TableAddressSet || len(d.Fields) != 1 || !slices.Contains(d.Fields[0].Missing, addr) {
			return false
		}
		o := ownerOf(x.p, &d)
		return o.Direction == string(dir) && o.Index == rule
	})
}

// group explains a port group that lacks the ports of pods that were passed over: no
// event came since their logical port is there.
func (x *unseen) group(d *model.RowDiff, _ nb.Owner) *Cause {
	if d.Kind != model.DiffDifferent || d.Table != nb.TablePortGroup || len(d.Fields) != 1 {
		return nil
	}
	field := &d.Fields[0]
	if field.Column != "ports" || len(field.Missing) == 0 || len(field.Extra) > 0 {
		return nil
	}
	var said []string
	for _, port := range field.Missing {
		p := x.f.PodOf(port)
		switch {
		case p == nil || p.Deleting:
			return nil
		case p.Phase == "Pending":
			said = append(said, fmt.Sprintf("pod %s does not run yet", name(p)))
		case slices.ContainsFunc(x.f.Before(p), func(was *model.Pod) bool { return was.NodeName != p.NodeName }):
			said = append(said, fmt.Sprintf("pod %s got its node later", name(p)))
		default:
			return nil
		}
	}
	return &Cause{PodPort, words.Cut(said, "; ", 3)}
}

// item is one address and port of a row with named ports.
type item struct {
	addr string
	port int32
}

// named explains a row with named ports that has former addresses or ports of pods
// (ovn-kubernetes.md#named-ports), or that should not be there any more, or should be
// by now, because of them.
func (x *unseen) named(d *model.RowDiff, o nb.Owner) *Cause {
	proto, ok := strings.CutSuffix(o.Protocol, "-namedPort")
	rule := x.f.Policy.Rule(model.Direction(o.Direction), o.Index)
	if d.Table != nb.TableACL || o.Form != nb.FormKnown || !ok || rule == nil ||
		d.Kind == model.DiffDifferent && (len(d.Fields) != 1 || d.Fields[0].Column != "match") {
		return nil
	}
	desired, live := x.f.Match(d)
	want, lead, ok1 := itemsOf(desired, proto)
	have, lead2, ok2 := itemsOf(live, proto)
	if !ok1 || !ok2 || desired != "" && live != "" && lead != lead2 || (desired == "") != (d.Kind == model.DiffExtra) ||
		(live == "") != (d.Kind == model.DiffMissing) {
		return nil
	}
	scanned := x.f.Peers(rule.Direction, rule.Index)
	if rule.Direction == model.Ingress {
		scanned = append(slices.Clip(scanned), x.f.Subjects()...)
	}
	lost, gained, stays := compare(want, have)
	in := func(q *model.Pod) bool {
		return slices.ContainsFunc(stays, func(it item) bool { return slices.Contains(q.IPs, it.addr) })
	}
	defect := PodAddress
	var said []string
	about := func(p *model.Pod) {
		if text := fmt.Sprintf("pod %s", name(p)); !slices.Contains(said, text) {
			said = append(said, text)
		}
	}
	for _, it := range lost { // the row should have it
		p := whose(scanned, it.addr)
		if !ready(p) || !x.lacked(p, it, rule, proto) && !computedSince(p, scanned, in) {
			return nil
		}
		if !slices.ContainsFunc(x.lacks, func(l lack) bool { return l.addr == it.addr }) && !x.movedTo(p, it.addr) {
			defect = PodPorts
		}
		about(p)
	}
	for _, it := range gained { // the row should not have it
		if p := whose(scanned, it.addr); p != nil {
			if !ready(p) || !x.offered(p, it, rule, proto) && !computedSince(p, scanned, in) {
				return nil
			}
			defect = PodPorts
			about(p)
			continue
		}
		p := x.moved[it.addr]
		if p == nil {
			i := slices.IndexFunc(scanned, func(p *model.Pod) bool { return x.offered(p, it, rule, proto) })
			if i < 0 || !ready(scanned[i]) {
				return nil
			}
			p = scanned[i]
		}
		if x.f.Owned(it.addr) {
			return nil
		}
		about(p)
	}
	if len(said) == 0 {
		return nil
	}
	return &Cause{defect, words.Cut(said, "; ", 3)}
}

// movedTo says whether an address is one that a pod did not have before.
func (x *unseen) movedTo(p *model.Pod, addr string) bool {
	before := x.f.Before(p)
	return len(before) > 0 && !slices.ContainsFunc(before,
		func(was *model.Pod) bool { return slices.Contains(was.IPs, addr) })
}

// lacked says whether the pod is known to have been without an item, offered whether
// it is known to have had it.
func (x *unseen) lacked(p *model.Pod, it item, r *model.Rule, proto string) bool {
	return slices.ContainsFunc(x.f.Before(p), func(was *model.Pod) bool { return !offers(was, it, r, proto) })
}

func (x *unseen) offered(p *model.Pod, it item, r *model.Rule, proto string) bool {
	return slices.ContainsFunc(x.f.Before(p), func(was *model.Pod) bool { return offers(was, it, r, proto) })
}

// offers says whether a pod gives a rule an item.
func offers(p *model.Pod, it item, r *model.Rule, proto string) bool {
	return slices.Contains(p.IPs, it.addr) && slices.ContainsFunc(p.Ports, func(c model.ContainerPort) bool {
		return c.Port == it.port && strings.EqualFold(c.Protocol, proto) &&
			slices.ContainsFunc(r.Ports, func(port model.Port) bool { return port.Name != "" && port.Name == c.Name })
	})
}

func whose(all []*model.Pod, addr string) *model.Pod {
	if i := slices.IndexFunc(all, func(p *model.Pod) bool { return slices.Contains(p.IPs, addr) }); i >= 0 {
		return all[i]
	}
	return nil
}

// itemsOf takes the match of a row with named ports apart
// (ovn-kubernetes.md#acl-match): its items and what stands before them. An empty match
// has none.
func itemsOf(match, proto string) (items []item, lead string, ok bool) {
	if match == "" {
		return nil, "", true
	}
	lead, rest, found := strings.Cut(match, " && "+proto+" && (")
	rest, closed := strings.CutSuffix(rest, ")")
	if !found || !closed {
		return nil, "", false
	}
	for _, text := range strings.Split(rest, " || ") {
		text, open := strings.CutPrefix(text, "(ip")
		addr, port, two := strings.Cut(text, " && "+proto+".dst == ")
		_, addr, three := strings.Cut(addr, ".dst == ")
		port, end := strings.CutSuffix(port, ")")
		n, err := strconv.ParseInt(port, 10, 32)
		if !open || !two || !three || !end || err != nil {
			return nil, "", false
		}
		items = append(items, item{addr, int32(n)})
	}
	return items, lead, true
}

// compare counts what only one of two lists has, and what both have.
func compare(want, have []item) (lost, gained, stays []item) {
	n := map[item]int{}
	for _, it := range want {
		n[it]++
	}
	for _, it := range have {
		if n[it]--; n[it] < 0 {
			gained = append(gained, it)
		} else {
			stays = append(stays, it)
		}
	}
	for _, it := range want {
		if n[it] > 0 {
			n[it]--
			lost = append(lost, it)
		}
	}
	return lost, gained, stays
}
