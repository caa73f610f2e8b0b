package matrix

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rung/engine/trace"
	"rung/model"
	"rung/model/verdict"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
	"rung/themes"
)

// AllowedConnection is a group of connections between two ends that the same rules allow at some ports: the JSON of rung
// connections.
type AllowedConnection struct {
	From  string           `json:"from"`
	To    string           `json:"to"`
	Ports []page.PortRange `json:"ports"`
	// Verdict is allow, mixed if pods of a workload differ, or undefined.
	Verdict string   `json:"verdict"`
	By      []string `json:"by"` // empty if no rule matches
	// Example is one of the connections, in the form for rung trace --cases; nil if an end does not exist yet.
	Example *trace.Question `json:"example,omitempty"`
	// IngressObject is set for connections from outside through an ingress controller.
	IngressObject *IngressObject `json:"way_in,omitempty"`

	FromEnd, ToEnd *revision.End       `json:"-"`
	portRanges     []verdict.PortRange // its ports
}

// AllowedConnections returns the allowed connections of a table, by ends. keep selects the ends, nil all. exposed
// keeps only connections that expose workloads.
func AllowedConnections(t *revision.VerdictTable, keep func(*revision.End) bool, exposed bool) []*AllowedConnection {
	out := []*AllowedConnection{}
	for i := range t.Ends {
		for j := range t.Ends {
			if keep != nil && !keep(&t.Ends[i]) && !keep(&t.Ends[j]) || exposed && !t.Exposes(i, j) {
				continue
			}
			for _, s := range groupStates(t.States(i, j)) {
				p := &AllowedConnection{From: t.Ends[i].String(), To: t.Ends[j].String(), FromEnd: &t.Ends[i], ToEnd: &t.Ends[j],
					portRanges: s.ports, Verdict: "mixed",
					By: model.MapList(s.by, func(d verdict.Decider) string { return revision.DecidersText([]verdict.Decider{d}) })}
				if v, one := s.outcome.Verdict(); one {
					p.Verdict = string(v)
				}
				p.Ports = page.PortRanges(s.ports)
				if !p.FromEnd.IsImagined() && !p.ToEnd.IsImagined() {
					p.Example = new(trace.NewQuestion(t.Example(i, j, s.ports[0], s.outcome&^verdict.Denied)))
				}
				out = append(out, p)
			}
		}
	}
	return out
}

// portGroup is a group of ports with the same verdict by the same rules.
type portGroup struct {
	outcome verdict.Outcome
	by      []verdict.Decider
	ports   []verdict.PortRange
}

// groupStates groups the ports at which connections are allowed, or may be.
func groupStates(states []revision.PortState) (out []portGroup) {
	for i := range states {
		s := &states[i]
		if s.Outcome == verdict.Denied {
			continue
		}
		at := slices.IndexFunc(out, func(g portGroup) bool {
			return g.outcome == s.Outcome && slices.EqualFunc(g.by, s.By, func(a, b verdict.Decider) bool {
				return a.Policy == b.Policy && a.Direction == b.Direction && a.Rule == b.Rule
			})
		})
		if at < 0 {
			at = len(out)
			out = append(out, portGroup{outcome: s.Outcome, by: s.By})
		}
		out[at].ports = verdict.JoinPorts(append(out[at].ports, s.PortRange))
	}
	return out
}

// PortsText returns the ports for people.
func (p *AllowedConnection) PortsText() string {
	if len(p.portRanges) == 0 {
		return page.None.Text
	}
	return revision.PortsText(p.portRanges)
}

// Table lists what may connect to what.
var Table = &page.Table[*AllowedConnection]{
	Help: map[string]string{
		"from":    "the source: a workload or outside addresses",
		"to":      "the destination: a workload or outside addresses",
		"verdict": "allow; mixed if pods of a workload differ; undefined if policies of one priority disagree",
		"by":      "the rules that allow it: at the sender and at the receiver",
		"example": "one of the connections, for rung trace",
	},
	ID:    func(p *AllowedConnection) string { return p.From + " → " + p.To + " " + p.PortsText() },
	Empty: "no connection is allowed",
	Columns: []page.Column[*AllowedConnection]{
		{Key: "from", Title: "FROM", Name: true, Min: 14, Max: 48, Importance: page.Always, Cell: func(p *AllowedConnection) page.Cell {
			return page.Cell{Text: p.FromEnd.Brief(), Role: themes.Accent}
		}, Exact: func(p *AllowedConnection) string { return p.From }},
		{Key: "to", Title: "TO", Name: true, Min: 14, Max: 48, Importance: page.Always, Cell: func(p *AllowedConnection) page.Cell {
			return page.Cell{Text: p.ToEnd.Brief(), Role: themes.Accent}
		}, Exact: func(p *AllowedConnection) string { return p.To }},
		{Key: "ports", Title: "PORTS", Min: 8, Max: 40, Importance: page.Always,
			Cell: page.TextCell(func(p *AllowedConnection) string { return p.PortsText() })},
		{Key: "verdict", Title: "VERDICT", Importance: 99, Cell: func(p *AllowedConnection) page.Cell { return page.Cell{Text: p.Verdict} }},
		{Key: "by", Title: "BY", Flex: true, Min: 16, Importance: 98,
			Cell: page.TextCell(func(p *AllowedConnection) string { return cmp.Or(strings.Join(p.By, "; "), "no policy") })},
		{Key: "example", Title: "EXAMPLE", Wide: true, Importance: 90, Cell: func(p *AllowedConnection) page.Cell {
			if p.Example == nil {
				return page.None
			}
			return page.Cell{Text: p.Example.String()}
		}},
	},
}

// CountText counts the ends and the allowed pairs.
func CountText(t *revision.VerdictTable, shown []*AllowedConnection) string {
	workloads, outside := 0, 0
	for i := range t.Ends {
		switch {
		case t.Ends[i].IsImagined():
		case !t.Ends[i].IsOutside():
			workloads++
		case t.IsAsked(i): // skips families that no pod has
			outside++
		}
	}
	pairs := map[[2]string]bool{}
	for _, p := range shown {
		if p.IngressObject == nil {
			pairs[[2]string{p.From, p.To}] = true
		}
	}
	return fmt.Sprintf("%s, %s of outside addresses; %s may connect", words.Count(workloads, "workload"), words.Count(outside, "block"),
		words.Count(len(pairs), "pair"))
}
