package verify

import (
	"context"
	"fmt"
	"slices"

	"rung/model"
	"rung/model/verdict"
	"rung/revision"
)

// writeAlone writes statements for a pod without others to connect to: the verdicts between it and addresses
// outside, one address for each block that policies distinguish. A comment says if there are too many
// workloads to find the blocks.
func (w *statementWriter) writeAlone(ctx context.Context, r *revision.Revision, p *model.Pod) error {
	w.text.WriteString("\n")
	table, err := revision.FindVerdictTable(ctx, r)
	if ctx.Err() != nil {
		return err
	}
	if err != nil {
		w.writeComment("Not stated, connections with addresses outside: " + err.Error() + ".")
		return nil
	}
	workload := revision.GroupWorkloads([]*model.Pod{p})[0]
	pod := slices.IndexFunc(table.Ends, func(e revision.End) bool { return e.Namespace == workload.Namespace && e.Name == workload.Name })
	if pod < 0 {
		return nil
	}
	name := p.Namespace + "/" + p.Name
	w.writeComment("It is the only pod here. One address represents each block of outside addresses that policies distinguish.")
	for i := range table.Ends {
		if !table.Ends[i].IsOutside() {
			continue
		}
		w.writeAddress(table, pod, i, func(c verdict.Connection) (from, to any) { return name, c.To.Addr.String() })
		w.writeAddress(table, i, pod, func(c verdict.Connection) (from, to any) { return c.From.Addr.String(), name })
	}
	return nil
}

// writeAddress writes statements for the connections between two ends of the table, by an example.
func (w *statementWriter) writeAddress(t *revision.VerdictTable, from, to int, ends func(verdict.Connection) (from, to any)) {
	states := t.States(from, to)
	if len(states) == 0 {
		return
	}
	names := t.Ends[from].String() + " → " + t.Ends[to].String()
	example := t.Example(from, to, states[0].PortRange, states[0].Outcome)
	if !example.From.Addr.IsValid() && !example.To.Addr.IsValid() {
		w.text.WriteString("\n")
		w.writeComment("Not stated, as the block has no example address: " + names + ".")
		return
	}
	var segments []verdict.Segment
	for i := range states {
		v, _ := states[i].Outcome.Verdict()
		segments = append(segments, verdict.Segment{Protocol: states[i].Protocol, Lo: states[i].Lo, Hi: states[i].Hi, Verdict: v})
	}
	source, destination := ends(example)
	w.writePorts(segments, source, destination, names, true)
}

// writePorts writes a statement of the ports with each verdict, and a comment about the others. With isNamed
// the statements get names, which describe their ends.
func (w *statementWriter) writePorts(segments []verdict.Segment, from, to any, names string, isNamed bool) {
	allowed, denied := portsWithVerdict(segments, verdict.Allow), portsWithVerdict(segments, verdict.Deny)
	if rest := verdict.SubtractPorts(verdict.SubtractPorts(verdict.EveryPort(), allowed), denied); len(rest) > 0 {
		w.text.WriteString("\n")
		w.writeComment(fmt.Sprintf("Not stated (undefined, or different between nodes or addresses): %s, %s.", names,
			revision.PortsText(rest)))
	}
	for _, s := range []struct {
		expect verdict.Verdict
		ports  []verdict.PortRange
	}{{verdict.Allow, allowed}, {verdict.Deny, denied}} {
		if len(s.ports) == 0 {
			continue
		}
		m := map[string]any{"expect": string(s.expect), "from": from, "to": to}
		rest := verdict.SubtractPorts(verdict.EveryPort(), s.ports)
		switch {
		case len(rest) == 0:
		case len(rest) < len(s.ports):
			m["exceptPort"] = portTexts(rest)
		default:
			m["port"] = portTexts(s.ports)
		}
		if isNamed {
			m["name"] = names
		}
		w.writeStatement(m)
	}
}
