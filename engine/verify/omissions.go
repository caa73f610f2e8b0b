package verify

import (
	"slices"

	"rung/model"
	"rung/model/verdict"
	"rung/model/verdict/matrix"
	"rung/revision/omitted"
)

// hanging finds what a statement hangs on: the omissions that could change what becomes of one
// of its connections.
type hanging struct {
	filter *omitted.OmissionFilter
	ask    asking
	left   []model.Omission // of which no connection was found yet
	found  []model.Omission
}

func newHanging(f *omitted.OmissionFilter, ask asking) *hanging {
	h := &hanging{filter: f, ask: ask}
	for _, o := range f.All() {
		if k := o.Key.Kind; o.Code == model.OmittedObject && (k == model.KindPod || k == model.KindNamespace) {
			h.found = append(h.found, o) // it may be one of those that labels mean
			continue
		}
		h.left = append(h.left, o)
	}
	return h
}

// pair looks at what becomes of the connections between two ends.
func (h *hanging) pair(c verdict.Connection, segments []matrix.Segment) {
	for _, g := range segments {
		if len(h.left) == 0 {
			return
		}
		c.Protocol, c.Port = g.Protocol, g.Lo
		a, err := h.ask(c)
		if err != nil {
			continue // who asks for the answer itself says so
		}
		h.left = slices.DeleteFunc(h.left, func(o model.Omission) bool {
			could := h.filter.CouldChange(&o, &a)
			if could {
				h.found = append(h.found, o)
			}
			return could
		})
	}
}

// Unproven are the omissions because of which a statement that holds is not proved: codes that
// are allowed leave it proved.
func (r *Result) Unproven(allowed ...string) []model.Omission {
	if !r.Holds {
		return nil
	}
	return omitted.UnjudgedOmissions(r.NotConsidered, allowed...)
}
