package verify

import (
	"slices"

	"rung/model"
	"rung/model/verdict"
	"rung/revision"
)

// omissionFinder finds the omissions that could change the verdict on a statement's connections.
type omissionFinder struct {
	filter    *revision.OmissionFilter
	ask       connectionAsker
	pending   []model.Omission // without a connection so far
	omissions []model.Omission
	// cuts are the statement's ports, cut wherever another rule may decide: neighbours may have equal verdicts
	// although an omission could change only one of them.
	cuts []verdict.PortRange
	seen map[pairKind]bool
}

// pairKind is equal for connections between pods that no omission distinguishes and the same rules decide.
// segments points to the first of the list shared by pairs of the same classes, and identifies it.
type pairKind struct {
	from, to int32
	family   verdict.Family
	segments *verdict.Segment
}

func newOmissionFinder(f *revision.OmissionFilter, ask connectionAsker) *omissionFinder {
	h := &omissionFinder{filter: f, ask: ask, seen: map[pairKind]bool{}}
	for _, o := range f.AllOmissions() {
		if k := o.Key.Kind; o.Code == model.OmittedObject && (k == model.KindPod || k == model.KindNamespace) {
			h.omissions = append(h.omissions, o) // labels might match it
			continue
		}
		h.pending = append(h.pending, o)
	}
	return h
}

// checkPods checks the connections between two pods; decided is the list of verdicts shared by pairs of the
// same classes.
func (h *omissionFinder) checkPods(c verdict.Connection, decided []verdict.Segment) {
	if len(h.pending) == 0 {
		return
	}
	kind := pairKind{h.filter.PodKind(c.From.Key), h.filter.PodKind(c.To.Key), c.Family, &decided[0]}
	if !h.seen[kind] {
		h.seen[kind] = true
		h.checkPair(c, segmentsOfPorts(decided, h.cuts))
	}
}

// checkPair checks the connections between two ends.
func (h *omissionFinder) checkPair(c verdict.Connection, segments []verdict.Segment) {
	for _, g := range segments {
		if len(h.pending) == 0 {
			return
		}
		c.Protocol, c.Port = g.Protocol, g.Lo
		a, err := h.ask(c)
		if err != nil {
			continue // whoever asks for the answer itself reports it
		}
		h.pending = slices.DeleteFunc(h.pending, func(o model.Omission) bool {
			could := h.filter.CouldChange(&o, &a)
			if could {
				h.omissions = append(h.omissions, o)
			}
			return could
		})
	}
}

// UnprovenBy returns the omissions because of which a statement that holds is not proved. Omissions with
// allowed codes do not count.
func (r *Result) UnprovenBy(allowed ...string) []model.Omission {
	if !r.Holds {
		return nil
	}
	return revision.UnjudgedOmissions(r.NotConsidered, allowed...)
}
