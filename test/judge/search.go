package judge

import (
	"fmt"
	"slices"

	"rung/model"
)

type judge struct {
	cluster *model.Cluster
	Options
}

// row is an ACL that matches the packet. Maybe says that it may match.
type row struct {
	priority int // OVN's: the highest decides
	By
	maybe bool
}

// search does what OVN does in a stage (ovn-kubernetes.md#stages). Where rows may match,
// it is done for each of the possibilities.
func (j judge) search(p packet) Hop {
	rows := j.rows(p)
	var maybe []int
	for i, r := range rows {
		if r.maybe {
			maybe = append(maybe, i)
		}
	}
	if len(maybe) > 12 {
		panic(fmt.Sprintf("%d rows that may match are more than can be tried", len(maybe)))
	}
	var all []Hop
	for chosen := range 1 << len(maybe) {
		var there []row
		for i, r := range rows {
			if at := slices.Index(maybe, i); at < 0 || chosen&(1<<at) != 0 {
				there = append(there, r)
			}
		}
		all = append(all, decide(p, there, model.TierIsolation))
	}
	out := all[0]
	for _, h := range all[1:] {
		if h.Verdict != out.Verdict {
			out.Verdict = Unknown
		}
		out.Open = out.Open || h.Open || !slices.Equal(h.By, all[0].By)
		out.By = union(out.By, h.By)
	}
	return out
}

func union(a, b []By) []By {
	for _, x := range b {
		if !slices.Contains(a, x) {
			a = append(slices.Clip(a), x)
		}
	}
	return a
}

// decide tries the tiers from one on; in each the highest priority decides. Of rows that
// are tied any may (ovn-kubernetes.md#stages): where they disagree all are candidates, and
// the verdict is undefined if it depends on which one it is.
func decide(p packet, rows []row, tier int) Hop {
	hop := Hop{Stage: p.stage, Zone: p.zone, Verdict: Allow}
	for ; tier <= model.TierBaseline; tier++ {
		highest := -1
		for _, r := range rows {
			if r.Tier == tier {
				highest = max(highest, r.priority)
			}
		}
		var top []By
		for _, r := range rows {
			if r.Tier == tier && r.priority == highest {
				top = append(top, r.By)
			}
		}
		var can []Verdict
		for _, a := range []struct {
			does model.Action
			then func() Verdict
		}{
			{model.Allow, func() Verdict { return Allow }},
			{model.Deny, func() Verdict { return Deny }},
			{model.Pass, func() Verdict { return decide(p, rows, tier+1).Verdict }},
		} {
			if slices.ContainsFunc(top, func(b By) bool { return b.Action == a.does }) {
				can = append(can, a.then())
			}
		}
		pass := func(b By) bool { return b.Action == model.Pass }
		switch {
		case len(top) == 0:
		case len(can) == 1 && pass(top[0]):
			hop.Passed = append(hop.Passed, top...)
		default:
			hop.By, hop.Open, hop.Verdict = top, len(can) > 1, can[0]
			for _, v := range can {
				if v != hop.Verdict {
					hop.Verdict = Undefined
				}
			}
			return hop
		}
	}
	return hop
}
