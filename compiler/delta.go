package compiler

import (
	"cmp"
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
	ports    map[portKey]netChange
}

type portKey struct {
	policy model.PolicyKey
	zone   string
}

func (r *deltaRecorder) notePolicy(k model.PolicyKey) { r.policies[k] = struct{}{} }

// netChange are the notes of what came to one set and went, in their order.
type netChange []elementNote

type elementNote struct {
	element string
	came    bool // else it went
}

// addedAndRemoved are the elements that came and that went over the whole step. An element whose first
// and last note differ came and went, or went and came back: nothing changed. Notes that repeat one
// another change nothing.
func (n netChange) addedAndRemoved() (add, remove []string) {
	slices.SortStableFunc(n, func(a, b elementNote) int { return cmp.Compare(a.element, b.element) })
	for len(n) > 0 {
		last := 0
		for last+1 < len(n) && n[last+1].element == n[0].element {
			last++
		}
		switch {
		case n[0].came != n[last].came:
		case n[0].came:
			add = append(add, n[0].element)
		default:
			remove = append(remove, n[0].element)
		}
		n = n[last+1:]
	}
	return add, remove
}

func (r *deltaRecorder) noteMember(s *setSpec, addr string, added bool) {
	if s.work.rec != r {
		s.work.rec, s.work.net = r, nil
		r.sets = append(r.sets, s)
	}
	s.work.net = append(s.work.net, elementNote{addr, added})
}

func (r *deltaRecorder) notePort(k model.PolicyKey, zone, lsp string, added bool) {
	if r.ports == nil {
		r.ports = map[portKey]netChange{}
	}
	at := portKey{k, zone}
	r.ports[at] = append(r.ports[at], elementNote{lsp, added})
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
