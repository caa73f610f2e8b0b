package verify

import (
	"slices"

	"rung/model"
	"rung/model/verdict"

	"rung/revision"
)

// omissionFinder finds what a statement hangs on: the omissions that could change what
// becomes of one of its connections.
type omissionFinder struct {
	filter    *revision.OmissionFilter
	ask       connectionAsker
	pending   []model.Omission // of which no connection was found yet
	omissions []model.Omission
	// cuts are the ports of the statement, cut wherever another rule may decide: the verdicts of two
	// neighbours may be equal, and only one of them hang on an omission.
	cuts []verdict.PortRange
	seen map[pairKind]bool
}

// pairKind is equal for connections between pods that no omission tells apart, of which the same rules
// decide. segments is the first of the list that pairs of the same classes share: its address stands
// for them.
type pairKind struct {
	from, to int32
	family   verdict.Family
	segments *verdict.Segment
}

func newHanging(f *revision.OmissionFilter, ask connectionAsker) *omissionFinder {
	h := &omissionFinder{filter: f, ask: ask, seen: map[pairKind]bool{}}
	for _, o := range f.AllOmissions() {
		if k := o.Key.Kind; o.Code == model.OmittedObject && (k == model.KindPod || k == model.KindNamespace) {
			h.omissions = append(h.omissions, o) // it may be one of those that labels mean
			continue
		}
		h.pending = append(h.pending, o)
	}
	return h
}

// checkPods looks at what becomes of the connections between two pods; decided is the list of verdicts
// that pairs of the same classes share.
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

// checkPair looks at what becomes of the connections between two ends.
func (h *omissionFinder) checkPair(c verdict.Connection, segments []verdict.Segment) {
	for _, g := range segments {
		if len(h.pending) == 0 {
			return
		}
		c.Protocol, c.Port = g.Protocol, g.Lo
		a, err := h.ask(c)
		if err != nil {
			continue // who asks for the answer itself says so
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

// UnprovenBy are the omissions because of which a statement that holds is not proved: codes that
// are allowed leave it proved.
func (r *Result) UnprovenBy(allowed ...string) []model.Omission {
	if !r.Holds {
		return nil
	}
	return revision.UnjudgedOmissions(r.NotConsidered, allowed...)
}
