package cli

import (
	"strconv"

	"rung/model"
	"rung/revision/liverows"
)

// liveQueue are the live rows of a tier that no policy stands for, put between
// the policies by OVN priority.
type liveQueue struct {
	t      *ladderTable
	groups []liverows.RowGroup
	zones  int
}

func (t *ladderTable) rowsOf(tier int) *liveQueue {
	if len(t.r.Zones) == 0 {
		return &liveQueue{t: t}
	}
	live := liverows.FindLadderRows(t.r)
	return &liveQueue{t, live.Of(tier, t.l.Stage), live.Zones}
}

// above prints what has a higher OVN priority.
func (q *liveQueue) above(priority int) {
	for len(q.groups) > 0 && q.groups[0].Priority > priority {
		q.print(&q.groups[0])
		q.groups = q.groups[1:]
	}
}

func (q *liveQueue) print(g *liverows.RowGroup) {
	what := "rows Rung does not compile"
	switch {
	case g.Gone:
		what = "rows of what is gone"
	case g.Tier == model.TierIsolation:
		what = "rows of OVN-Kubernetes itself"
	}
	if g.Tier == model.TierAdmin || g.Tier == model.TierBaseline {
		what += " (PRIO is OVN's)"
	}
	prio := strconv.Itoa(g.Priority)
	if g.Last != g.Priority {
		prio += "–" + strconv.Itoa(g.Last)
	}
	cells := make([]string, len(q.t.head))
	cells[0], cells[1], cells[2], cells[7] = strconv.Itoa(g.Tier), prio, "◦ "+g.Label,
		strconv.Itoa(g.Actions.Allow+g.Actions.Deny+g.Actions.Pass)
	if g.Stage == model.StageToLport {
		cells[4] = g.Actions.String()
	} else {
		cells[5] = g.Actions.String()
	}
	cells[9] = strconv.Itoa(len(g.Zones)) + "/" + strconv.Itoa(q.zones)
	cells[len(cells)-1] = what + ", " + string(g.Stage)
	q.t.add(cells...)
}
