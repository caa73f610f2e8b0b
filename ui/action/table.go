package action

import (
	"rung/ui/nav"
)

// group is the actions of one scope.
type group struct {
	scope   Scope
	actions []Action
}

// groups is everything, in the order of help and docs. A new view adds a line.
func groups() []group {
	return []group{
		{Of(nav.Ladder), ladder},
		{Carry, carry},
		{Of(nav.Policy), policy},
		{Of(nav.Rule), rule},
		{Of(nav.Rows), rows},
		{Of(nav.Row), row},
		{Of(nav.Pod), pod},
		{Of(nav.Edit), edit},
		{Of(nav.Preview), preview},
		{Of(nav.Plan), planActions},
		{Of(nav.Logs), logActions},
		{Of(nav.Sessions), sessionActions},
		{Of(nav.Activity), activity},
		{Of(nav.Zones), zones},
		{Of(nav.Controller), controllerActions},
		{Of(nav.Ready), readyActions},
		{Of(nav.Findings), findingsActions},
		{Of(nav.Trace), traceActions},
		{Of(nav.Matrix), matrixActions},
		{Of(nav.Probe), probeActions},
		{Of(nav.Convert), convertActions},
		{Text, text},
		{Input, input},
		{List, list},
		{Global, global},
	}
}

// Table is every action with its scope, grouped by scope, Global last.
func Table() []Action {
	var out []Action
	for _, g := range groups() {
		for _, a := range g.actions {
			a.Scope = g.scope
			out = append(out, a)
		}
	}
	return out
}
