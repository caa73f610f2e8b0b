package diff

import (
	"cmp"
	"net/netip"
	"slices"

	"rung/model"
	"rung/model/verdict"
	"rung/model/verdict/matrix"
)

// Reach is the pairs that flip alike, counted by what they are to a cluster. A pair counts
// once however many of its ports flip.
type Reach struct {
	Before, After verdict.Verdict
	// Pods counts the pairs of pods, each with each of its addresses.
	Pods int
	// Across are the pairs whose ends are of different namespaces or of which one is outside,
	// by the namespace that they lead to.
	Across Share
	// Protected are the pairs with an end in a namespace that Asked.Protected names, by that
	// namespace: where both ends are in such a namespace they count for each.
	Protected Share
}

// Share is a part of the pairs that flip alike.
type Share struct {
	Pairs int
	// By has the most first; the namespace "" is outside.
	By                []NamespacePairs
	Ports             []verdict.PortRange
	Example           verdict.Connection
	ByBefore, ByAfter []verdict.Decider // of the example
}

// NamespacePairs counts pairs of a namespace.
type NamespacePairs struct {
	Namespace string
	Pairs     int
}

// Hanging is pairs that were denied at both ends before a change, and are at one end alone
// after it.
type Hanging struct {
	// Senders says that the end which still denies them is the sender's, by its egress; else
	// it is the receiver's, by its ingress.
	Senders bool
	By      []verdict.Decider // of all of them
	Pairs   int
	Example verdict.Connection
}

// flip is the ports that flip alike between two lists of decisions.
type flip struct {
	before, after     verdict.Verdict
	byBefore, byAfter int32
	ports             []verdict.PortRange
}

// findFlips joins the changes that flip alike.
func (r *result) findFlips() {
	for i := range r.changes {
		c := &r.changes[i]
		if c.before == c.after {
			continue
		}
		at := slices.IndexFunc(r.flips, func(f *flip) bool { return f.before == c.before && f.after == c.after })
		if at < 0 {
			r.flips = append(r.flips, &flip{c.before, c.after, c.byBefore, c.byAfter, slices.Clone(c.ports)})
			continue
		}
		r.flips[at].ports = append(r.flips[at].ports, c.ports...)
	}
}

// reached is a Reach in the making.
type reached struct {
	Reach
	across, protected share
}

// share is a Share in the making: by counts by namespace, outside comes last.
type share struct {
	Share
	by  []int
	had map[*flip]bool
}

// noNamespace is the namespace of an end that is no pod.
const noNamespace int32 = -1

// reaches counts the pairs that flip by the namespaces of their ends.
type reaches struct {
	c         *matrix.Classes
	names     []string
	protected []bool
	of        []int32 // of each pod
	crowds    []*crowd
	byNode    []map[string]*crowd
	list      []*reached
	hangs     []*hanging
}

// hanging is a Hanging in the making.
type hanging struct {
	Hanging
	by []int32
}

// crowd counts ends by namespace: in the order of the namespaces.
type crowd struct {
	total, bare int // bare are in no protected namespace
	counts      []headcount
}

type headcount struct {
	namespace int32
	n         int
}

func newReaches(c *matrix.Classes, protected []string) *reaches {
	s := &reaches{c: c, crowds: make([]*crowd, len(c.List)), byNode: make([]map[string]*crowd, len(c.List))}
	known := map[string]int32{}
	for i := range c.Index.Pods.Len() {
		name := c.Index.Pods.At(i).Namespace
		id, is := known[name]
		if !is {
			id = int32(len(s.names))
			known[name] = id
			s.names = append(s.names, name)
			s.protected = append(s.protected, model.IsProtectedNamespace(name, protected))
		}
		s.of = append(s.of, id)
	}
	return s
}

func (s *reaches) namespace(end int32) int32 { return s.of[s.c.Index.Ends[end].Pod] }

// count makes the crowd of some ends.
func (s *reaches) count(ends []int32) *crowd {
	k := &crowd{}
	n := map[int32]int{}
	for _, e := range ends {
		n[s.namespace(e)]++
	}
	for id, n := range n {
		k.counts = append(k.counts, headcount{id, n})
		k.total += n
		if !s.protected[id] {
			k.bare += n
		}
	}
	slices.SortFunc(k.counts, func(a, b headcount) int { return cmp.Compare(a.namespace, b.namespace) })
	return k
}

func (s *reaches) crowd(class int32) *crowd {
	if s.crowds[class] == nil {
		s.crowds[class] = s.count(s.c.List[class].Ends)
	}
	return s.crowds[class]
}

// onNodes are the crowds of a class by node.
func (s *reaches) onNodes(class int32) map[string]*crowd {
	if s.byNode[class] == nil {
		ends := map[string][]int32{}
		for _, e := range s.c.List[class].Ends {
			ends[s.c.Index.NodeOfEnd(e)] = append(ends[s.c.Index.NodeOfEnd(e)], e)
		}
		s.byNode[class] = map[string]*crowd{}
		for node, list := range ends {
			s.byNode[class][node] = s.count(list)
		}
	}
	return s.byNode[class]
}

// pair takes in what flips between two classes, and what hangs on one end.
func (s *reaches) pair(d *differ, a, b int32, nodes matrix.Nodes, pairs int, r *result) {
	for _, h := range r.hangs {
		at := slices.IndexFunc(s.hangs, func(o *hanging) bool { return o.Senders == h.senders })
		if at < 0 {
			at = len(s.hangs)
			s.hangs = append(s.hangs, &hanging{Hanging: Hanging{Senders: h.senders, Example: d.connection(a, b, nodes, h.port)}})
		}
		o := s.hangs[at]
		o.Pairs += pairs
		for _, by := range h.by {
			if !slices.Contains(o.by, by) {
				o.by, o.By = append(o.by, by), append(o.By, d.sides[1].deciders(by)...)
			}
		}
	}
	for _, f := range r.flips {
		s.flip(d, a, b, nodes, pairs, f)
	}
}

func (s *reaches) flip(d *differ, a, b int32, nodes matrix.Nodes, pairs int, f *flip) {
	at := slices.IndexFunc(s.list, func(o *reached) bool { return o.Before == f.before && o.After == f.after })
	if at < 0 {
		at = len(s.list)
		s.list = append(s.list, &reached{Reach: Reach{Before: f.before, After: f.after},
			across: share{by: make([]int, len(s.names)+1)}, protected: share{by: make([]int, len(s.names)+1)}})
	}
	o := s.list[at]
	across, protected := o.across.Pairs, o.protected.Pairs
	ka, kb := s.c.List[a], s.c.List[b]
	switch {
	case ka.Outside || kb.Outside:
		s.outside(a, b, nodes, pairs, o)
	default:
		o.Pods += pairs
		if nodes != matrix.OneNode {
			s.cross(1, s.crowd(a), s.crowd(b), o)
		}
		if nodes != matrix.AnyNodes {
			sign := 1
			if nodes == matrix.TwoNodes {
				sign = -1
			}
			there := s.onNodes(b)
			for node, k := range s.onNodes(a) {
				if there[node] != nil {
					s.cross(sign, k, there[node], o)
				}
			}
		}
		if nodes != matrix.TwoNodes && (a == b && ka.Loops > 0 || a != b && ka.Crossed) {
			s.withoutSelf(a, b, o)
		}
	}
	if o.across.Pairs > across {
		o.across.take(s, d, a, b, nodes, f, func(from, to int32) bool { return from != to })
	}
	if o.protected.Pairs > protected {
		o.protected.take(s, d, a, b, nodes, f, func(from, to int32) bool { return s.protects(from) || s.protects(to) })
	}
}

func (s *reaches) protects(namespace int32) bool {
	return namespace != noNamespace && s.protected[namespace]
}

// cross counts the pairs between two crowds, or with a sign of -1 takes them out again.
func (s *reaches) cross(sign int, ka, kb *crowd, o *reached) {
	o.protected.Pairs += sign * (ka.total*kb.total - ka.bare*kb.bare)
	for i, j := 0, 0; i < len(ka.counts) || j < len(kb.counts); {
		var from, to int
		var id int32
		switch {
		case j == len(kb.counts) || i < len(ka.counts) && ka.counts[i].namespace < kb.counts[j].namespace:
			id, from = ka.counts[i].namespace, ka.counts[i].n
			i++
		case i == len(ka.counts) || kb.counts[j].namespace < ka.counts[i].namespace:
			id, to = kb.counts[j].namespace, kb.counts[j].n
			j++
		default:
			id, from, to = ka.counts[i].namespace, ka.counts[i].n, kb.counts[j].n
			i, j = i+1, j+1
		}
		n := sign * to * (ka.total - from)
		o.across.Pairs += n
		o.across.by[id] += n
		if s.protected[id] {
			o.protected.by[id] += sign * (from*kb.total + ka.total*to - from*to)
		}
	}
}

// withoutSelf takes the ends of one pod out of the pairs: no pod connects to itself.
func (s *reaches) withoutSelf(a, b int32, o *reached) {
	x := s.c.Index
	for _, e := range s.c.List[a].Ends {
		id := s.namespace(e)
		if !s.protected[id] {
			continue
		}
		pod := x.Ends[e].Pod
		for other := x.FirstEnd[pod]; other < x.FirstEnd[pod+1]; other++ {
			if s.c.ClassOf[other] == b {
				o.protected.Pairs--
				o.protected.by[id]--
			}
		}
	}
}

// outside counts the pairs of pods with addresses outside.
func (s *reaches) outside(a, b int32, nodes matrix.Nodes, pairs int, o *reached) {
	ka, kb := s.c.List[a], s.c.List[b]
	o.across.Pairs += pairs
	ends, n := ka.Ends, 0
	if ka.Outside {
		ends = kb.Ends
	} else {
		o.across.by[len(s.names)] += pairs
	}
	for _, e := range ends {
		id := s.namespace(e)
		if ka.Outside {
			n = 0
			for range s.c.Sources(ka, e) {
				n++
			}
			o.across.by[id] += n
		} else if s.protected[id] {
			n = s.c.BlocksFor(kb, s.c.Index.NodeOfEnd(e), nodes)
		}
		if s.protected[id] {
			o.protected.Pairs += n
			o.protected.by[id] += n
		}
	}
}

// take notes the ports of a flip that a share has pairs of, and of the first an example.
func (t *share) take(s *reaches, d *differ, a, b int32, nodes matrix.Nodes, f *flip, counts func(from, to int32) bool) {
	if t.had[f] {
		return
	}
	if t.had == nil {
		t.had = map[*flip]bool{}
		t.ByBefore, t.ByAfter = d.sides[0].deciders(f.byBefore), d.sides[1].deciders(f.byAfter)
		t.Example = verdict.Connection{Family: s.c.List[a].Family, Protocol: f.ports[0].Protocol, Port: f.ports[0].Example()}
		t.Example.From, t.Example.To = s.example(a, b, nodes, counts)
	}
	t.had[f] = true
	t.Ports = append(t.Ports, f.ports...)
}

// example is two ends whose namespaces count.
func (s *reaches) example(a, b int32, nodes matrix.Nodes, counts func(from, to int32) bool) (from, to verdict.Endpoint) {
	x, ka, kb := s.c.Index, s.c.List[a], s.c.List[b]
	switch {
	case ka.Outside:
		for _, e := range kb.Ends {
			if !counts(noNamespace, s.namespace(e)) {
				continue
			}
			for addr := range s.c.Sources(ka, e) {
				return verdict.AddrEnd(addr), x.Endpoint(e)
			}
		}
	case kb.Outside:
		for _, e := range ka.Ends {
			for _, i := range kb.Blocks {
				if o := &s.c.Outside.Blocks[i]; counts(s.namespace(e), noNamespace) && nodes.Has(o.Host == x.NodeOfEnd(e)) {
					return x.Endpoint(e), verdict.AddrEnd(o.Addr)
				}
			}
		}
	}
	for _, i := range ka.Ends {
		for _, j := range kb.Ends {
			if x.Ends[i].Pod != x.Ends[j].Pod && counts(s.namespace(i), s.namespace(j)) &&
				nodes.Has(x.NodeOfEnd(i) == x.NodeOfEnd(j)) {
				return x.Endpoint(i), x.Endpoint(j)
			}
		}
	}
	return verdict.AddrEnd(netip.Addr{}), verdict.AddrEnd(netip.Addr{}) // not reached: there is a pair
}

// found are the counts, what hurts first.
func (s *reaches) found() (out []Reach, hangs []Hanging) {
	for _, r := range s.list {
		r.Across, r.Protected = r.across.done(s.names), r.protected.done(s.names)
		out = append(out, r.Reach)
	}
	slices.SortFunc(out, func(a, b Reach) int {
		return cmp.Or(a.After.Rank()-b.After.Rank(), a.Before.Rank()-b.Before.Rank())
	})
	for _, h := range s.hangs {
		hangs = append(hangs, h.Hanging)
	}
	slices.SortStableFunc(hangs, func(a, b Hanging) int { return cmp.Compare(b.Pairs, a.Pairs) })
	return out, hangs
}

func (t *share) done(names []string) Share {
	for id, n := range t.by {
		if n == 0 {
			continue
		}
		name := ""
		if id < len(names) {
			name = names[id]
		}
		t.By = append(t.By, NamespacePairs{name, n})
	}
	slices.SortFunc(t.By, func(a, b NamespacePairs) int {
		return cmp.Or(cmp.Compare(b.Pairs, a.Pairs), cmp.Compare(a.Namespace, b.Namespace))
	})
	t.Ports = verdict.JoinPorts(t.Ports)
	return t.Share
}
