package verdict

import (
	"slices"

	"rung/model"
	"rung/model/ovn/match"
	"rung/model/ovn/nb"
)

// DecidedRows are the rows that decide about a packet in a stage, on the switch of a logical port.
type DecidedRows struct {
	Verdict Verdict
	// Rows decided it. There are several if rows of one priority disagree or only may match; none is the
	// default, allow. Passed are the rows that passed it to the next tier, in order.
	Rows, Passed []*nb.ACL
	IsOpen       bool // Rows are candidates
	// Unjudged counts the rows that only may match; Why is why the first cannot be judged.
	Unjudged int
	Why      error
}

// rowWalk is a packet's walk through the rows of a stage.
type rowWalk struct {
	z        *Zone
	stage    *stageRows
	rows     rowCursor
	rowIndex int32 // the current row of stage
	packet   *match.Packet
}

// beginWalk returns a walk on the switch of a port; ok is false if the port does not exist.
func (z *Zone) beginWalk(stage model.Stage, at string, p *match.Packet) (w rowWalk, ok bool) {
	port := z.ports[at]
	if port == nil || port.rows == nil || port.rows.stages[stage] == nil {
		return w, false
	}
	of := port.rows.stages[stage]
	w = rowWalk{z: z, stage: of, rows: of.rowsAbout(z.portMembership(p.InPort), z.portMembership(p.OutPort)), packet: p}
	if w.rows.len() > ManyRows {
		w.narrowToEnds(false)
	}
	return w, true
}

// tracksAt reports whether OVN tracks connections on the switch of a port.
func (z *Zone) tracksAt(lport string) bool {
	p := z.ports[lport]
	return p != nil && p.rows != nil && p.rows.isTracked
}

func (z *Zone) portMembership(lport string) *membership {
	if p := z.ports[lport]; p != nil {
		return p.membership
	}
	return noGroups
}

// next returns the next row that may match, or nil.
func (w *rowWalk) next() *stageRow {
	i, ok := w.rows.next()
	if !ok {
		return nil
	}
	w.rowIndex = i
	return &w.stage.rows[i]
}

// matches reports whether the current row matches. Its required port group is already checked.
func (w *rowWalk) matches() (bool, error) {
	b := w.stage.bound[w.rowIndex].Load()
	if b == nil {
		b = &boundMatch{match.BindSets(w.stage.rows[w.rowIndex].restExpr, w.z)}
		w.stage.bound[w.rowIndex].Store(b)
	}
	return match.Eval(b.expr, *w.packet, w.z)
}

// DecideStage walks the tiers of a stage (ovn-kubernetes.md#stages). ok is false if the zone has no such port.
func (z *Zone) DecideStage(stage model.Stage, at string, p match.Packet) (d DecidedRows, ok bool) {
	w, ok := z.beginWalk(stage, at, &p)
	if !ok {
		return DecidedRows{Verdict: Allow}, false
	}
	var acls []*nb.ACL
	var c HitCollector
	for r := w.next(); r != nil; r = w.next() {
		counts, more := c.Next(r.tier, r.priority)
		if !more {
			break
		}
		if !counts {
			continue
		}
		matched, err := w.matches()
		if err != nil {
			d.Unjudged++
			if d.Why == nil {
				d.Why = err
			}
		} else if !matched {
			continue
		}
		c.Add(Hit{Ref: int32(len(acls)), Priority: r.priority, Tier: r.tier, Effect: effectOfRow(r.acl), Maybe: err != nil})
		acls = append(acls, r.acl)
	}
	s := SettleHits(c.Hits)
	d.Verdict, d.IsOpen = s.Verdict, s.IsOpen
	row := func(i int32) *nb.ACL { return acls[i] }
	d.Rows, d.Passed = model.MapList(s.Decided, row), model.MapList(s.Passed, row)
	return d, true
}

// WalkStage decides a stage for one packet. It returns the rows that pass the packet on, then the deciding
// row. Among rows of equal priority the lowest UUID wins. Rows it cannot judge are skipped and counted.
func (z *Zone) WalkStage(stage model.Stage, at string, p match.Packet) (deciders []*nb.ACL, unjudged uint64) {
	w, ok := z.beginWalk(stage, at, &p)
	if !ok {
		return nil, 0
	}
	passed := int8(-1)
	for r := w.next(); r != nil; r = w.next() {
		if r.tier == passed {
			continue
		}
		matched, err := w.matches()
		if err != nil {
			unjudged++
		}
		if err != nil || !matched {
			continue
		}
		deciders = append(deciders, r.acl)
		if effectOfRow(r.acl) != Passes {
			return deciders, unjudged
		}
		passed = r.tier
	}
	return deciders, unjudged
}

// TiedRows returns the matching rows of a row's tier and priority, including the row itself: OVN may take any
// of them.
func (z *Zone) TiedRows(stage model.Stage, at string, p match.Packet, acl *nb.ACL) (out []*nb.ACL) {
	w, ok := z.beginWalk(stage, at, &p)
	if !ok {
		return nil
	}
	for r := w.next(); r != nil; r = w.next() {
		if int(r.tier) != acl.Tier || int(r.priority) != acl.Priority {
			continue
		}
		if matched, err := w.matches(); matched && err == nil {
			out = append(out, r.acl)
		}
	}
	return out
}

func effectOfRow(a *nb.ACL) TermEffect {
	switch a.Action {
	case nb.ActionDrop, nb.ActionReject:
		return Drops
	case nb.ActionPass:
		return Passes
	}
	return Allows
}

// ManyRows is the number of rows above which a stage caches the rows that match a packet's ends, since the
// next question is often about the same ends and another port.
var ManyRows = 1000 // tests lower it

// narrowedRows are the rows of a stage that may match a connection between two ends.
type narrowedRows struct {
	ends   match.Packet // without protocol and ports
	rows   []int32
	isDone bool // rows is filled; otherwise the ends were asked about once
}

// narrowToEnds keeps only the rows that may match a connection between the packet's ends. Finding them reads
// every row. So without now it waits until the same ends are asked about again.
func (w *rowWalk) narrowToEnds(now bool) {
	ends := *w.packet
	ends.Proto, ends.SrcPort, ends.DstPort = "", 0, 0
	known := w.stage.narrowed.Load()
	again := known != nil && known.ends == ends
	switch {
	case again && known.isDone:
	case again || now:
		known = &narrowedRows{ends: ends, isDone: true}
		all := *w
		all.packet = &ends
		for r := all.next(); r != nil; r = all.next() {
			if matched, err := all.matches(); matched || err != nil {
				known.rows = append(known.rows, all.rowIndex)
			}
		}
		w.stage.narrowed.Store(known)
	default:
		w.stage.narrowed.Store(&narrowedRows{ends: ends})
		return
	}
	w.rows = rowCursor{known.rows}
}

// portCuts returns the port numbers in rows that may match a connection between a packet's ends.
func (z *Zone) portCuts(stage model.Stage, at string, p match.Packet) (out []uint16) {
	w, ok := z.beginWalk(stage, at, &p)
	if !ok {
		return nil
	}
	w.narrowToEnds(true)
	for r := w.next(); r != nil; r = w.next() {
		out = append(out, match.ComparedPorts(r.expr)...)
	}
	return out
}

// RowPorts returns the ports at which rows may cut the connections between two ends, neither of them a
// Service, for PortSlices.
func RowPorts(x *Index, zones ZoneRows, c Connection) ([]uint16, error) {
	var out []uint16
	_, err := answerByPaths(x, c, func(w *packetRoute) []StageVerdict {
		hops := w.hops(x)
		stages := make([]StageVerdict, len(hops))
		for i := range hops {
			stages[i] = judgeByRows(x, zones, &hops[i])
			if z := zones.Zone(hops[i].zone); z != nil {
				at, p := rowPacket(x, &hops[i])
				out = append(out, z.portCuts(hops[i].stage, at, p)...)
			}
		}
		return stages
	})
	slices.Sort(out)
	return slices.Compact(out), err
}
