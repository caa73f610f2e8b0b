package revision

import (
	"cmp"
	"slices"
	"strings"

	"rung/model/verdict"
	"rung/model/words"
)

// CellVerdicts lists the verdicts of matrix cells, in the order of legends. A cell without connections has none. A
// cell is mixed if its pods, ports or endpoints differ.
var CellVerdicts = []verdict.Verdict{verdict.Allow, verdict.Deny, verdict.Mixed, verdict.Undefined, verdict.Unknown,
	verdict.NotApplicable}

// CellLegend returns the verdict of a cell as in legends.
func CellLegend(v verdict.Verdict) string {
	if v == verdict.NotApplicable {
		return "does not apply"
	}
	return string(v)
}

// MatrixCell counts pairs of pods by the verdict of their connections.
type MatrixCell struct {
	Allow int `json:"allow"`
	Deny  int `json:"deny"`
	// ByPort counts pairs allowed on some ports and denied on others.
	ByPort int `json:"by_port"`
	// ByEndpoint counts pairs allowed at some endpoints of a Service and denied at others.
	ByEndpoint int `json:"by_endpoint"`
	// Undefined and Unknown count pairs with that verdict on at least one port.
	Undefined int `json:"undefined"`
	Unknown   int `json:"unknown"`
	// AlsoAllow and AlsoDeny count undefined and unknown pairs allowed, or denied, on another port.
	AlsoAllow int `json:"-"`
	AlsoDeny  int `json:"-"`
	// NotApplicable counts the pairs for which no policy is asked: one pod is completed, has no address or
	// another primary network, or both are on the network of their nodes.
	NotApplicable int `json:"not_applicable"`
}

func (c *MatrixCell) add(o verdict.Outcome, n int) {
	if o&(verdict.UndefinedOutcome|verdict.UnknownOutcome) != 0 {
		if o&(verdict.Allowed|verdict.MixedOutcome) != 0 {
			c.AlsoAllow += n
		}
		if o&(verdict.Denied|verdict.MixedOutcome) != 0 {
			c.AlsoDeny += n
		}
	}
	switch {
	case o&verdict.UndefinedOutcome != 0:
		c.Undefined += n
	case o&verdict.UnknownOutcome != 0:
		c.Unknown += n
	case o&verdict.MixedOutcome != 0:
		c.ByEndpoint += n
	case o == verdict.Allowed|verdict.Denied:
		c.ByPort += n
	case o == verdict.Denied:
		c.Deny += n
	case o == verdict.Allowed:
		c.Allow += n
	default:
		c.NotApplicable += n
	}
}

// CountPairs returns the number of all pairs.
func (c MatrixCell) CountPairs() int {
	return c.Allow + c.Deny + c.ByPort + c.ByEndpoint + c.Undefined + c.Unknown + c.NotApplicable
}

// Verdict returns the cell's verdict. A single undefined or unknown pair decides it, whatever the others are.
// Pairs without an applicable policy count only in the absence of others.
func (c MatrixCell) Verdict() verdict.Verdict {
	switch {
	case c.Undefined > 0:
		return verdict.Undefined
	case c.Unknown > 0:
		return verdict.Unknown
	case c.ByPort+c.ByEndpoint > 0 || c.Allow > 0 && c.Deny > 0:
		return verdict.Mixed
	case c.Deny > 0:
		return verdict.Deny
	case c.Allow > 0:
		return verdict.Allow
	case c.NotApplicable > 0:
		return verdict.NotApplicable
	}
	return ""
}

// Has reports whether any connection of the cell has verdict v; for Mixed, whether the cell is mixed.
func (c MatrixCell) Has(v verdict.Verdict) bool {
	switch v {
	case verdict.Allow:
		return c.Allow+c.ByPort+c.ByEndpoint+c.AlsoAllow > 0
	case verdict.Deny:
		return c.Deny+c.ByPort+c.ByEndpoint+c.AlsoDeny > 0
	case verdict.Mixed:
		return c.Verdict() == verdict.Mixed
	case verdict.Undefined:
		return c.Undefined > 0
	case verdict.Unknown:
		return c.Unknown > 0
	}
	return c.NotApplicable > 0
}

// Text describes the cell: "deny: all 40 pairs", "mixed: 12 of 40 pairs denied, 28 allowed".
func (c MatrixCell) Text() string {
	v, all := c.Verdict(), c.CountPairs()
	if v == "" {
		return "no connections: the only pod does not connect to itself"
	}
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{c.Undefined, "undefined"}, {c.Unknown, "unknown"}, {c.Deny, "denied"}, {c.ByPort, "depending on the port"},
		{c.ByEndpoint, "depending on the endpoint"}, {c.Allow, "allowed"},
		{c.NotApplicable, "not applicable"}} {
		if p.n == all {
			text := CellLegend(v) + ": " + words.OneOrMany(all, "the one pair", "all "+words.Thousands(all)+" pairs")
			if v == verdict.Mixed {
				text += ", " + p.what
			}
			return text
		}
		if p.n > 0 {
			parts = append(parts, words.Thousands(p.n)+" "+p.what)
		}
	}
	return CellLegend(v) + ": " + words.Count(all, "pair") + ", " + strings.Join(parts, ", ")
}

// PartTexts names the parts of an end, preferably the destination, whose verdicts differ: "deny to kube-proxy; mixed to
// coredns-*". It is empty if no part differs from the others.
func (m *Matrix) PartTexts(from, to *MatrixEnd) []string {
	for _, way := range []struct {
		word  string
		parts []*MatrixEnd
		cell  func(part *MatrixEnd) MatrixCell
	}{
		{"to ", to.Parts, func(part *MatrixEnd) MatrixCell { return m.Cell(from, part) }},
		{"from ", from.Parts, func(part *MatrixEnd) MatrixCell { return m.Cell(part, to) }},
	} {
		names := map[verdict.Verdict][]string{}
		for _, part := range way.parts {
			v := way.cell(part).Verdict()
			names[v] = append(names[v], cmp.Or(part.Pod, part.Workload))
		}
		var out []string
		for _, v := range CellVerdicts {
			if len(names[v]) > 0 {
				out = append(out, CellLegend(v)+" "+way.word+words.ListFew(names[v], 3))
			}
		}
		if len(out) > 1 {
			return out
		}
	}
	return nil
}

// exampleVerdict returns the verdict that an example of the cell should have, and which pairs may be examples.
func (c MatrixCell) exampleVerdict() (v verdict.Verdict, of func(verdict.Outcome) bool) {
	switch v = c.Verdict(); {
	case v == verdict.Mixed && c.Deny+c.ByPort > 0:
		v = verdict.Deny
	case v == "" || v == verdict.NotApplicable:
		return verdict.NotApplicable, func(o verdict.Outcome) bool { return o == 0 }
	}
	bit := verdict.NewOutcome(v)
	return v, func(o verdict.Outcome) bool { return o&bit != 0 }
}

// FilterByVerdict drops the rows and columns in which no cell has the verdict; empty keeps all.
func (m *Matrix) FilterByVerdict(rows, cols []*MatrixEnd, only verdict.Verdict) (r, c []*MatrixEnd) {
	if only == "" {
		return rows, cols
	}
	row, col := make([]bool, len(rows)), make([]bool, len(cols))
	for i := range rows {
		for j := range cols {
			if m.Cell(rows[i], cols[j]).Has(only) {
				row[i], col[j] = true, true
			}
		}
	}
	keep := func(all []*MatrixEnd, which []bool) (out []*MatrixEnd) {
		for i, e := range all {
			if which[i] {
				out = append(out, e)
			}
		}
		return out
	}
	return keep(rows, row), keep(cols, col)
}

// Namespace returns a namespace with pods, nil if none.
func (m *Matrix) Namespace(name string) *MatrixEnd {
	i := slices.IndexFunc(m.Namespaces, func(e *MatrixEnd) bool { return e.Namespace == name })
	if i < 0 {
		return nil
	}
	return m.Namespaces[i]
}
