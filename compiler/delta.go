package compiler

import (
	"slices"

	"rung/model"
)

// Delta is the difference that one step made. A consumer that follows every Delta from
// the first knows which rows to look at again, and never has to look at others.
type Delta struct {
	// All says everything may have changed (families were switched on or off).
	All bool
	// Policies are the policies that were added, changed or removed, or whose rows with
	// named ports may differ: compare all their rows.
	Policies map[model.PolicyKey]struct{}
	// Members are the sets whose members changed, by what came and went. Sets
	// of policies in Policies may be listed too.
	Members []SetDelta
	// Ports are the port groups whose subject pods changed.
	Ports []PortDelta
}

// SetDelta is the change of one address set's members.
type SetDelta struct {
	Set         *SetSpec
	Add, Remove []string
}

// PortDelta is the change of one policy's subject ports in one zone.
type PortDelta struct {
	Policy      model.PolicyKey
	Zone        string
	Add, Remove []string
}

// Empty says whether nothing changed.
func (d *Delta) Empty() bool {
	return !d.All && len(d.Policies) == 0 && len(d.Members) == 0 && len(d.Ports) == 0
}

// recorder collects the net change of a step.
type recorder struct {
	policies map[model.PolicyKey]struct{}
	sets     []*setSpec // with news
	ports    map[portKey]*net
}

type portKey struct {
	policy model.PolicyKey
	zone   string
}

func (r *recorder) policy(k model.PolicyKey) { r.policies[k] = struct{}{} }

// net is the net change of one set: its elements that came and went. Nearly always that
// is one element, so it is a list until it grows.
type net struct {
	few   []step
	many  map[string]ends
	first [1]step // few begins here
}

type step struct {
	what string
	ends
}

// ends holds whether the first and the last note of an element said that it came
// (false: that it went). When the two differ nothing changed over the whole step: the
// element came and went, or went and came back. Notes that repeat one another change
// nothing.
type ends struct{ first, last bool }

const fewSteps = 16

// note records that something came or went.
func (n *net) note(what string, added bool) {
	if n.many != nil {
		t, ok := n.many[what]
		t.last = added
		if !ok {
			t.first = added
		}
		n.many[what] = t
		return
	}
	for i := range n.few {
		if n.few[i].what == what {
			n.few[i].last = added
			return
		}
	}
	n.few = append(n.few, step{what, ends{added, added}})
	if len(n.few) > fewSteps {
		n.many = make(map[string]ends, 4*fewSteps)
		for _, s := range n.few {
			n.many[s.what] = s.ends
		}
		n.few = nil
	}
}

func (n *net) split() (add, remove []string) {
	put := func(what string, t ends) {
		switch {
		case t.first != t.last:
		case t.last:
			add = append(add, what)
		default:
			remove = append(remove, what)
		}
	}
	for _, s := range n.few {
		put(s.what, s.ends)
	}
	for what, t := range n.many {
		put(what, t)
	}
	slices.Sort(add)
	slices.Sort(remove)
	return add, remove
}

func (r *recorder) member(s *setSpec, addr string, added bool) {
	if s.work.rec != r {
		n := &net{}
		n.few = n.first[:0]
		s.work.rec, s.work.net = r, n
		r.sets = append(r.sets, s)
	}
	s.work.net.note(addr, added)
}

func (r *recorder) port(k model.PolicyKey, zone, lsp string, added bool) {
	if r.ports == nil {
		r.ports = map[portKey]*net{}
	}
	n := r.ports[portKey{k, zone}]
	if n == nil {
		n = &net{}
		r.ports[portKey{k, zone}] = n
	}
	n.note(lsp, added)
}

func (r *recorder) delta() *Delta {
	d := &Delta{Policies: r.policies, Members: make([]SetDelta, 0, len(r.sets)), Ports: make([]PortDelta, 0, len(r.ports))}
	for _, s := range r.sets {
		n := s.work.net
		s.work.rec, s.work.net = nil, nil
		if add, remove := n.split(); len(add)+len(remove) > 0 {
			d.Members = append(d.Members, SetDelta{Set: s, Add: add, Remove: remove})
		}
	}
	for k, n := range r.ports {
		if add, remove := n.split(); len(add)+len(remove) > 0 {
			d.Ports = append(d.Ports, PortDelta{Policy: k.policy, Zone: k.zone, Add: add, Remove: remove})
		}
	}
	return d
}
