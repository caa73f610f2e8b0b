package cli

import (
	"cmp"
	"fmt"
	"strings"

	"rung/cli/command"
	"rung/engine/trace"
	"rung/model"
	"rung/model/verdict"
	"rung/pages/page"
	pages "rung/pages/trace"
	"rung/revision"
)

// probeOut is the JSON of `rung probe` (command-line.md#output): the packets' verdict in the form of `rung
// trace`, with the verdicts of rows and policies.
type probeOut struct {
	verdictOut
	Policies *pages.VerdictFacts `json:"policies"`
	OVN      string              `json:"ovn"`
	Packets  []packetOut         `json:"packets"`
	Findings []probeFindingOut   `json:"findings"`

	result *trace.Result
}

// packetOut is one packet in one zone.
type packetOut struct {
	Packet    string               `json:"packet"`
	To        string               `json:"to,omitempty"` // the endpoint if the destination is a Service
	Reply     bool                 `json:"reply"`
	Zone      string               `json:"zone"`
	In        string               `json:"in"`
	Out       []string             `json:"out"`
	Delivered bool                 `json:"delivered"`
	Met       []pages.DeciderFacts `json:"met"`
}

type probeFindingOut struct {
	revision.Brief
	Zone   string `json:"zone,omitempty"`
	Remedy string `json:"remedy,omitempty"`
}

func probeOf(q trace.Question, r *trace.Result) *probeOut {
	out := &probeOut{verdictOut: verdictOut{VerdictFacts: pages.FactsOfAnswer(q, &r.Packets)}, Policies: pages.FactsOfAnswer(q, &r.Policies),
		OVN:     r.OVN,
		Packets: []packetOut{}, result: r}
	out.Findings = page.MapList(r.Findings, func(f model.Finding) probeFindingOut {
		return probeFindingOut{revision.BriefOf(f), f.Zone, f.Remedy}
	})
	out.Rows = pages.FactsOfAnswer(q, &r.Rows)
	for i := range r.Sent {
		for j := range r.Sent[i] {
			s := &r.Sent[i][j]
			p := packetOut{Packet: s.Packet, Reply: s.Reply, Zone: s.Zone, In: s.EntryPort, Out: append([]string{}, s.ExitPorts...),
				Delivered: s.Delivered,
				Met:       page.MapList(s.Met, func(m trace.MetACL) pages.DeciderFacts { return pages.FactsOfDecider(&m.Decider) })}
			if len(r.Sent) > 1 {
				p.To = r.Packets.Paths[i].To.Endpoint.String()
			}
			out.Packets = append(out.Packets, p)
		}
	}
	return out
}

// WriteText prints the answer: one line if brief, else the path of the packets.
func (o *probeOut) WriteText(b *strings.Builder, wide, brief bool) {
	r := o.result
	fmt.Fprintf(b, "%s: %s", r.Connection, trace.VerdictWord(o.Verdict))
	if o.Reason != "" {
		fmt.Fprintf(b, " (%s)", o.Reason)
	}
	b.WriteString(" · " + r.Agreement() + "\n")
	if brief {
		return
	}
	for _, f := range o.Findings {
		fmt.Fprintf(b, "%s\n  → %s\n", f.Message, f.Remedy)
	}
	for i := range r.Packets.Paths {
		p := &r.Packets.Paths[i]
		if len(r.Packets.Paths) > 1 {
			fmt.Fprintf(b, "\nto %s: %s\n", p.To.Endpoint, strings.TrimSpace(trace.VerdictWord(p.Verdict)+" "+p.Reason))
		}
		if len(r.Sent[i]) > 0 {
			b.WriteString("\n" + o.stagesText(i, wide) + "\n" + o.packetsText(i))
		}
	}
}

// stagesText returns a table of the stages that the first packet passed on a path; without wide, only of
// stages that decided something.
func (o *probeOut) stagesText(path int, wide bool) string {
	r := o.result
	t := &command.TextTable{Head: []string{"STAGE", "ZONE", "VERDICT", "DECIDED BY", "BY ROWS", "BY POLICIES"}}
	for i := range r.Packets.Paths[path].Stages {
		s, rows, policies := &r.Packets.Paths[path].Stages[i], &r.Rows.Paths[path].Stages[i], &r.Policies.Paths[path].Stages[i]
		if !wide && !r.IsDecided(path, i) {
			continue
		}
		word, by := string(s.Verdict), trace.DeciderTextOf(s)
		if s.Verdict == verdict.NotApplicable {
			word, by = "–", s.Reason
		}
		t.AddRow(s.Name(), s.Zone, word, by, otherDecision(s, rows), otherDecision(s, policies))
	}
	return t.String()
}

// otherDecision returns the decision of rows or policies at a stage, or "the same" if packets got the same.
func otherDecision(packets, other *verdict.StageVerdict) string {
	if trace.SameRule(packets.Decided, other.Decided) && packets.Verdict == other.Verdict {
		return "the same"
	}
	return strings.TrimSpace(string(other.Verdict) + " · " + trace.DeciderTextOf(other))
}

// packetsText returns a table of all packets sent on a path.
func (o *probeOut) packetsText(path int) string {
	t := &command.TextTable{Head: []string{"PACKET", "ZONE", "IN", "OUT", "", "MET"}}
	for i := range o.result.Sent[path] {
		s := &o.result.Sent[path][i]
		word := trace.Dropped
		if s.Delivered {
			word = trace.Delivered
		}
		var met []string
		for k := range s.Met {
			met = append(met, trace.RuleName(&s.Met[k].Decider))
		}
		t.AddRow(s.Packet, s.Zone, s.EntryPort, cmp.Or(strings.Join(s.ExitPorts, " "), "–"), word, strings.Join(met, ", "))
	}
	return t.String()
}
