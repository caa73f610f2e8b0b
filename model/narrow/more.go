package narrow

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"rung/model"
	"rung/model/overlap"
	"rung/model/verdict"
)

// more works out what a rule covers and nobody asked for: pods of the subject and of the
// peers that have the same labels as one of the lines', and ports of one pair that another
// one had.
func (p *proposer) more(r *Rule) {
	wanted := p.wanted[r.Direction]
	peers := make(overlap.PodSet, len(p.pods.Eligible()))
	for _, s := range r.Peers {
		peers = peers.Or(p.eval(s))
	}
	// Who is in no line of the direction at all is all alike.
	var at, idle []int
	var others, strange []end
	inLines, otherInLines := map[int]bool{}, map[end]bool{}
	for w := range wanted {
		inLines[w.at], otherInLines[w.other] = true, true
	}
	for i := range p.subj.And(p.pods.Eligible()).Each() {
		switch {
		case !p.counts(i):
		case inLines[i]:
			at = append(at, i)
		default:
			idle = append(idle, i)
		}
	}
	collect := func(e end) {
		if otherInLines[e] {
			others = append(others, e)
		} else {
			strange = append(strange, e)
		}
	}
	for i := range peers.Each() {
		if p.counts(i) {
			collect(end{pod: i})
		}
	}
	for _, n := range r.Networks {
		for a := n.Addr(); n.Contains(a); a = a.Next() {
			collect(end{-1, a})
		}
	}
	whole := missing(r.Ports, nil)
	p.cover(r, idle, slices.Concat(others, strange), whole)
	p.cover(r, at, strange, whole)
	// Of the rest each pair has ports of its own; what is alike of them goes together.
	type share struct {
		at     []int
		others []end
		ports  []verdict.PortRange
	}
	byAt := map[string]*share{}
	var order []string
	for _, i := range at {
		mine := map[string]*share{}
		var keys []string
		for _, o := range others {
			ports := missing(r.Ports, wanted[pair{i, o}])
			if len(ports) == 0 || o.pod == i {
				continue
			}
			k := fmt.Sprint(ports)
			if mine[k] == nil {
				mine[k] = &share{ports: ports}
				keys = append(keys, k)
			}
			mine[k].others = append(mine[k].others, o)
		}
		for _, k := range keys {
			id := k + fmt.Sprint(mine[k].others)
			if byAt[id] == nil {
				byAt[id] = mine[k]
				order = append(order, id)
			}
			byAt[id].at = append(byAt[id].at, i)
		}
	}
	for _, id := range order {
		p.cover(r, byAt[id].at, byAt[id].others, byAt[id].ports)
	}
}

// cover notes some pairs.
func (p *proposer) cover(r *Rule, at []int, others []end, ports []verdict.PortRange) {
	if len(at) == 0 || len(others) == 0 || len(ports) == 0 {
		return
	}
	if len(at) == 1 {
		others = slices.DeleteFunc(slices.Clone(others), func(o end) bool { return o.pod == at[0] })
	}
	m := More{Direction: r.Direction, Ports: ports}
	var mine, theirs []verdict.Endpoint
	set := map[int]bool{}
	for _, i := range at {
		mine = append(mine, verdict.Endpoint{Key: p.pods.At(i).Key})
		set[i] = true
	}
	m.Pairs = len(at) * len(others)
	for _, o := range others {
		if o.pod >= 0 {
			theirs = append(theirs, verdict.Endpoint{Key: p.pods.At(o.pod).Key})
			if set[o.pod] {
				m.Pairs-- // nobody needs leave to reach itself
			}
		} else {
			theirs = append(theirs, verdict.AddrEnd(o.addr))
		}
	}
	if m.Pairs == 0 {
		return
	}
	m.From, m.To = mine, theirs
	if r.Direction == model.Ingress {
		m.From, m.To = theirs, mine
	}
	p.out.More = append(p.out.More, m)
}

// EndsOf are ends counted, as verdicts have them.
func EndsOf(all []verdict.Endpoint) (out verdict.Ends) {
	for _, e := range all {
		if e.Key.Kind != model.KindPod {
			out.Outside = append(out.Outside, netip.PrefixFrom(e.Addr, e.Addr.BitLen()))
			continue
		}
		out.Pods++
		if len(out.Some) < 3 {
			out.Some = append(out.Some, e.Key)
		}
		if !slices.Contains(out.Namespaces, e.Key.Namespace) {
			out.Namespaces = append(out.Namespaces, e.Key.Namespace)
		}
	}
	slices.SortFunc(out.Namespaces, strings.Compare)
	return out
}
