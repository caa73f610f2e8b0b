package consequences

import (
	"net/netip"
	"rung/change/effect"
	"rung/model/verdict"
	"rung/model/verdict/diff"
	"rung/pages/page"
)

// Facts is what becomes of connections.
type Facts struct {
	Summary string  `json:"summary"`
	Unknown string  `json:"unknown,omitempty"`
	Caveat  string  `json:"caveat,omitempty"`
	Totals  []Total `json:"totals"`
	Flips   []Group `json:"flips"`
	// ByAnotherRule keep their verdict.
	ByAnotherRule []Group `json:"by_another_rule"`
	// Log is there where a log was read.
	Log *Log `json:"log,omitempty"`
}

type Total struct {
	Before verdict.Verdict `json:"before"`
	After  verdict.Verdict `json:"after"`
	Pairs  int             `json:"pairs"`
}

type Group struct {
	Total
	From          Ends       `json:"from"`
	To            Ends       `json:"to"`
	Ports         []Ports    `json:"ports"`
	DecidedBefore []Decider  `json:"decided_before"` // none: no policy
	DecidedAfter  []Decider  `json:"decided_after"`
	Example       Connection `json:"example"`
}

type Ends struct {
	Pods       int      `json:"pods"`
	Namespaces []string `json:"namespaces"`
	Outside    []string `json:"outside"`
	// Except are networks that are not meant: of all that hold an address the narrowest counts.
	Except []string `json:"outside_except,omitempty"`
}

type Ports struct {
	Protocol verdict.Protocol `json:"protocol"`
	From     uint16           `json:"from"`
	To       uint16           `json:"to"`
}

type Decider struct {
	Policy    string `json:"policy"`
	Direction string `json:"direction,omitempty"`
	Rule      int    `json:"rule"` // -1 for none of a policy
	Name      string `json:"name,omitempty"`
}

type Connection struct {
	From     string           `json:"from"`
	To       string           `json:"to"`
	Protocol verdict.Protocol `json:"protocol"`
	Port     uint16           `json:"port"`
}

func Of(e *effect.Effect) *Facts {
	if e == nil {
		return nil
	}
	out := &Facts{Summary: e.Text(), Unknown: e.Unknown, Caveat: e.Caveat, Totals: []Total{}, Flips: []Group{}, ByAnotherRule: []Group{}}
	if e.Difference != nil {
		out.Totals = page.Each(e.Totals, func(t diff.Total) Total { return Total{t.Before, t.After, t.Pairs} })
		out.Flips, out.ByAnotherRule = page.Each(e.Flips, GroupOf), page.Each(e.Others, GroupOf)
	}
	out.Log = logOf(e.Log)
	return out
}

func GroupOf(g diff.Group) Group {
	by := func(d verdict.Decider) Decider {
		return Decider{Policy: d.Policy.String(), Direction: string(d.Direction), Rule: d.Rule, Name: d.RuleName}
	}
	return Group{Total{g.Before, g.After, g.Pairs}, endsOf(g.From), endsOf(g.To),
		page.Each(g.Ports, func(p verdict.PortRange) Ports { return Ports{p.Protocol, p.Lo, p.Hi} }), page.Each(g.ByBefore, by), page.Each(g.ByAfter, by),
		Connection{g.Example.From.String(), g.Example.To.String(), g.Example.Protocol, g.Example.Port}}
}

func endsOf(e verdict.Ends) Ends {
	return Ends{e.Pods, append([]string{}, e.Namespaces...), page.Each(e.Outside, netip.Prefix.String), page.Each(e.Except, netip.Prefix.String)}
}
