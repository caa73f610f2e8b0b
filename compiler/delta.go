package compiler

import (
	"slices"

	"rung/model"
)

// Delta is the difference that one step made. A consumer that follows every Delta from
// the first knows which rows to look at again, and never has to look at others.
type Delta struct {
	// Everything says everything may have changed (families were switched on or off).
	Everything bool
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

// IsEmpty says whether nothing changed.
func (d *Delta) IsEmpty() bool {
	return !d.Everything && len(d.Policies) == 0 && len(d.Members) == 0 && len(d.Ports) == 0
}

// deltaRecorder collects the net change of a step.
type deltaRecorder struct {
	policies map[model.PolicyKey]struct{}
	sets     []*setSpec // with news
	ports    map[portKey]*netChange
}

type portKey struct {
	policy model.PolicyKey
	zone   string
}

func (r *deltaRecorder) notePolicy(k model.PolicyKey) { r.policies[k] = struct{}{} }

// netChange is the net change of one set: its elements that came and went. Nearly always that
// is one element, so it is a list until it grows.
type netChange struct {
	steps      []elementStep
	byElement  map[string]firstAndLast
	stepBuffer [1]elementStep // steps begins here
}

type elementStep struct {
	element string
	firstAndLast
}

// firstAndLast holds whether the first and the last note of an element said that it came
// (false: that it went). When the two differ nothing changed over the whole step: the
// element came and went, or went and came back. Notes that repeat one another change
// nothing.
type firstAndLast struct{ cameFirst, cameLast bool }

const fewSteps = 16

// noteElement records that something came or went.
func (n *netChange) noteElement(what string, added bool) {
	if n.byElement != nil {
		t, ok := n.byElement[what]
		t.cameLast = added
		if !ok {
			t.cameFirst = added
		}
		n.byElement[what] = t
		return
	}
	for i := range n.steps {
		if n.steps[i].element == what {
			n.steps[i].cameLast = added
			return
		}
	}
	n.steps = append(n.steps, elementStep{what, firstAndLast{added, added}})
	if len(n.steps) > fewSteps {
		n.byElement = make(map[string]firstAndLast, 4*fewSteps)
		for _, s := range n.steps {
			n.byElement[s.element] = s.firstAndLast
		}
		n.steps = nil
	}
}

func (n *netChange) addedAndRemoved() (add, remove []string) {
	put := func(what string, t firstAndLast) {
		switch {
		case t.cameFirst != t.cameLast:
		case t.cameLast:
			add = append(add, what)
		default:
			remove = append(remove, what)
		}
	}
	for _, s := range n.steps {
		put(s.element, s.firstAndLast)
	}
	for what, t := range n.byElement {
		put(what, t)
	}
	slices.Sort(add)
	slices.Sort(remove)
	return add, remove
}

func (r *deltaRecorder) noteMember(s *setSpec, addr string, added bool) {
	if s.work.rec != r {
		n := &netChange{}
		n.steps = n.stepBuffer[:0]
		s.work.rec, s.work.net = r, n
		r.sets = append(r.sets, s)
	}
	s.work.net.noteElement(addr, added)
}

func (r *deltaRecorder) notePort(k model.PolicyKey, zone, lsp string, added bool) {
	if r.ports == nil {
		r.ports = map[portKey]*netChange{}
	}
	n := r.ports[portKey{k, zone}]
	if n == nil {
		n = &netChange{}
		r.ports[portKey{k, zone}] = n
	}
	n.noteElement(lsp, added)
}

func (r *deltaRecorder) buildDelta() *Delta {
	d := &Delta{Policies: r.policies, Members: make([]SetDelta, 0, len(r.sets)), Ports: make([]PortDelta, 0, len(r.ports))}
	for _, s := range r.sets {
		n := s.work.net
		s.work.rec, s.work.net = nil, nil
		if add, remove := n.addedAndRemoved(); len(add)+len(remove) > 0 {
			d.Members = append(d.Members, SetDelta{Set: s, Add: add, Remove: remove})
		}
	}
	for k, n := range r.ports {
		if add, remove := n.addedAndRemoved(); len(add)+len(remove) > 0 {
			d.Ports = append(d.Ports, PortDelta{Policy: k.policy, Zone: k.zone, Add: add, Remove: remove})
		}
	}
	return d
}
