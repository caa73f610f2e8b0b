package diff

import (
	"slices"

	"rung/model"
	"rung/model/verdict"
)

// hang is ports that one end alone denies still.
type hang struct {
	senders bool
	by      []int32
	port    verdict.PortRange
}

// denies says at which ends a ruling denies. A rule for egress is the sender's wherever its
// rows are.
func (s *side) denies(r *ruling) (sender, receiver bool) {
	for i := range r.walks {
		w := &r.walks[i]
		switch {
		case w.verdict != verdict.Deny:
		case i == 0 || s.c.Index.Rules[s.by[w.by][0]].Direction == model.Egress:
			sender = true
		default:
			receiver = true
		}
	}
	return sender, receiver
}

// hanging notes the ports that both ends denied before, and one alone denies after.
func (d *differ) hanging(r *result, p, q *ruling, ports verdict.PortRange) {
	if p.verdict != verdict.Deny || q.verdict != verdict.Deny {
		return
	}
	if out, in := d.sides[0].denies(p); !out || !in {
		return
	}
	out, in := d.sides[1].denies(q)
	if out == in {
		return
	}
	by := q.walks[q.settling()].by
	at := slices.IndexFunc(r.hangs, func(o hang) bool { return o.senders == out })
	if at < 0 {
		r.hangs = append(r.hangs, hang{senders: out, by: []int32{by}, port: ports})
	} else if !slices.Contains(r.hangs[at].by, by) {
		r.hangs[at].by = append(r.hangs[at].by, by)
	}
}
