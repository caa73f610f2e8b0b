package walk

import (
	"slices"

	"rung/model"
	"rung/model/ovn/match"
	"rung/model/verdict"
	"rung/model/verdict/index"
)

// ManyRows is how many rows a packet has to meet in a stage before those that its ends leave are
// kept: the next question is often about the same ends and another port.
var ManyRows = 1000 // tests lower it

// narrowed are the rows of a stage that may match some connection between two ends.
type narrowed struct {
	ends match.Packet // without protocol and ports
	rows []int32
	done bool // rows are known; otherwise the ends were asked about once
}

// narrow leaves out the rows that match no connection between the packet's ends. To find
// them is a look at every row, so that it waits until the ends are asked about again, or now.
func (w *walking) narrow(now bool) {
	ends := *w.packet
	ends.Proto, ends.SrcPort, ends.DstPort = "", 0, 0
	known := w.of.narrowed.Load()
	again := known != nil && known.ends == ends
	switch {
	case again && known.done:
	case again || now:
		known = &narrowed{ends: ends, done: true}
		all := *w
		all.packet = &ends
		for r := all.next(); r != nil; r = all.next() {
			if matched, err := all.matches(); matched || err != nil {
				known.rows = append(known.rows, all.at)
			}
		}
		w.of.narrowed.Store(known)
	default:
		w.of.narrowed.Store(&narrowed{ends: ends})
		return
	}
	w.rows = cursor{known.rows}
}

// cuts are the numbers that rows compare ports with, of those that may match some connection
// between a packet's ends.
func (z *Zone) cuts(stage model.Stage, at string, p match.Packet) (out []uint16) {
	w, ok := z.begin(stage, at, &p)
	if !ok {
		return nil
	}
	w.narrow(true)
	for r := w.next(); r != nil; r = w.next() {
		out = append(out, match.Ports(r.expr)...)
	}
	return out
}

// RowPorts are the ports at which rows may cut the connections between the ends of one, which
// are none of a Service: for Slices.
func RowPorts(x *index.Index, zones Rows, c verdict.Connection) ([]uint16, error) {
	var out []uint16
	_, err := answer(x, c, func(w *way) []verdict.StageVerdict {
		hops := w.hops()
		stages := make([]verdict.StageVerdict, len(hops))
		for i := range hops {
			stages[i] = fromRows(x, zones, &hops[i])
			if z := zones.Zone(hops[i].zone); z != nil {
				at, p := rowPacket(x, &hops[i])
				out = append(out, z.cuts(hops[i].stage, at, p)...)
			}
		}
		return stages
	})
	slices.Sort(out)
	return slices.Compact(out), err
}
