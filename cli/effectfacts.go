package cli

import (
	"net/netip"
	"rung/change/effect"
	"rung/model/verdict"
	"rung/model/verdict/diff"
)

// effectOut is what becomes of connections.
type effectOut struct {
	Summary string     `json:"summary"`
	Unknown string     `json:"unknown,omitempty"`
	Caveat  string     `json:"caveat,omitempty"`
	Totals  []totalOut `json:"totals"`
	Flips   []groupOut `json:"flips"`
	// ByAnotherRule keep their verdict.
	ByAnotherRule []groupOut `json:"by_another_rule"`
	// Log is there where a log was read.
	Log *seenOut `json:"log,omitempty"`
}

type totalOut struct {
	Before verdict.Verdict `json:"before"`
	After  verdict.Verdict `json:"after"`
	Pairs  int             `json:"pairs"`
}

type groupOut struct {
	totalOut
	From          endsOut    `json:"from"`
	To            endsOut    `json:"to"`
	Ports         []portsOut `json:"ports"`
	DecidedBefore []byOut    `json:"decided_before"` // none: no policy
	DecidedAfter  []byOut    `json:"decided_after"`
	Example       exampleOut `json:"example"`
}

type endsOut struct {
	Pods       int      `json:"pods"`
	Namespaces []string `json:"namespaces"`
	Outside    []string `json:"outside"`
	// Except are networks that are not meant: of all that hold an address the narrowest counts.
	Except []string `json:"outside_except,omitempty"`
}

type portsOut struct {
	Protocol verdict.Protocol `json:"protocol"`
	From     uint16           `json:"from"`
	To       uint16           `json:"to"`
}

type byOut struct {
	Policy    string `json:"policy"`
	Direction string `json:"direction,omitempty"`
	Rule      int    `json:"rule"` // -1 for none of a policy
	Name      string `json:"name,omitempty"`
}

type exampleOut struct {
	From     string           `json:"from"`
	To       string           `json:"to"`
	Protocol verdict.Protocol `json:"protocol"`
	Port     uint16           `json:"port"`
}

func describeEffect(e *effect.Effect) *effectOut {
	if e == nil {
		return nil
	}
	out := &effectOut{Summary: e.Text(), Unknown: e.Unknown, Caveat: e.Caveat, Totals: []totalOut{}, Flips: []groupOut{}, ByAnotherRule: []groupOut{}}
	if e.Difference != nil {
		out.Totals = each(e.Totals, func(t diff.Total) totalOut { return totalOut{t.Before, t.After, t.Pairs} })
		out.Flips, out.ByAnotherRule = each(e.Flips, describeGroup), each(e.Others, describeGroup)
	}
	out.Log = describeSeen(e.Log)
	return out
}

func describeGroup(g diff.Group) groupOut {
	by := func(d verdict.Decider) byOut {
		return byOut{Policy: d.Policy.String(), Direction: string(d.Direction), Rule: d.Rule, Name: d.RuleName}
	}
	return groupOut{totalOut{g.Before, g.After, g.Pairs}, describeEnds(g.From), describeEnds(g.To),
		each(g.Ports, func(p verdict.PortRange) portsOut { return portsOut{p.Protocol, p.Lo, p.Hi} }), each(g.ByBefore, by), each(g.ByAfter, by),
		exampleOut{g.Example.From.String(), g.Example.To.String(), g.Example.Protocol, g.Example.Port}}
}

func describeEnds(e verdict.Ends) endsOut {
	return endsOut{e.Pods, append([]string{}, e.Namespaces...), each(e.Outside, netip.Prefix.String), each(e.Except, netip.Prefix.String)}
}
