package diff

import (
	"slices"

	"rung/model"
	"rung/model/verdict"
)

// hangingPorts is ports that one end alone denies still.
type hangingPorts struct {
	atSenders bool
	deciders  []int32
	port      verdict.PortRange
}

// denyingEnds says at which ends a ruling denies. A rule for egress is the sender's wherever its
// rows are.
func (s *indexSide) denyingEnds(r *ruling) (sender, receiver bool) {
	for i := range r.walks {
		w := &r.walks[i]
		switch {
		case w.verdict != verdict.Deny, i > 2: // replies
		case i == 0 || s.c.Index.Rules[s.decidersByID[w.decider][0]].Direction == model.Egress:
			sender = true
		default:
			receiver = true
		}
	}
	return sender, receiver
}

// noteHanging notes the ports that both ends denied before, and one alone denies after.
func (d *differ) noteHanging(r *decisionDiff, p, q *ruling, ports verdict.PortRange) {
	if p.verdict != verdict.Deny || q.verdict != verdict.Deny {
		return
	}
	if out, in := d.sides[0].denyingEnds(p); !out || !in {
		return
	}
	out, in := d.sides[1].denyingEnds(q)
	if out == in {
		return
	}
	by := q.walks[q.settlingWalk()].decider
	at := slices.IndexFunc(r.hangs, func(o hangingPorts) bool { return o.atSenders == out })
	if at < 0 {
		r.hangs = append(r.hangs, hangingPorts{atSenders: out, deciders: []int32{by}, port: ports})
	} else if !slices.Contains(r.hangs[at].deciders, by) {
		r.hangs[at].deciders = append(r.hangs[at].deciders, by)
	}
}
