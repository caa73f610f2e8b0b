package compiler

import (
	"cmp"
	"slices"

	"rung/model"
)

// Delta is the difference that one step made. A consumer that follows every Delta from the first has to
// compare only the rows that the deltas name.
type Delta struct {
	// Everything means that any row may have changed, for example because an address family was switched on.
	Everything bool
	// Policies are the policies added, changed or removed, or with named ports that may resolve differently:
	// compare all their rows.
	Policies map[model.PolicyKey]struct{}
	// Members are the sets with added or removed members. Sets of policies in Policies may be listed too.
	Members []SetDelta
	// Ports are the port groups whose subject pods changed.
	Ports []PortDelta
}

// SetDelta lists the members that an address set gained and lost.
type SetDelta struct {
	Set         *SetSpec
	Add, Remove []string
}

// PortDelta lists the subject ports that a policy gained and lost in one zone.
type PortDelta struct {
	Policy      model.PolicyKey
	Zone        string
	Add, Remove []string
}

// IsEmpty reports whether nothing changed.
func (d *Delta) IsEmpty() bool {
	return !d.Everything && len(d.Policies) == 0 && len(d.Members) == 0 && len(d.Ports) == 0
}

// deltaRecorder collects the net change of a step.
type deltaRecorder struct {
	policies map[model.PolicyKey]struct{}
	sets     []*SetSpec // sets with notes of this step
	ports    map[portKey]netChange
}

type portKey struct {
	policy model.PolicyKey
	zone   string
}

func (r *deltaRecorder) notePolicy(k model.PolicyKey) { r.policies[k] = struct{}{} }

// netChange lists the additions and removals of one set's elements, in order.
type netChange []elementNote

type elementNote struct {
	element string
	added   bool // false: it went
}

// addedAndRemoved returns the elements that the whole step added and removed. An element whose first and last
// note differ is unchanged: it came and went, or went and came back. Repeated notes count once.
func (n netChange) addedAndRemoved() (add, remove []string) {
	slices.SortStableFunc(n, func(a, b elementNote) int { return cmp.Compare(a.element, b.element) })
	for len(n) > 0 {
		last := 0
		for last+1 < len(n) && n[last+1].element == n[0].element {
			last++
		}
		switch {
		case n[0].added != n[last].added:
		case n[0].added:
			add = append(add, n[0].element)
		default:
			remove = append(remove, n[0].element)
		}
		n = n[last+1:]
	}
	return add, remove
}

func (r *deltaRecorder) noteMember(s *SetSpec, addr string, added bool) {
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
