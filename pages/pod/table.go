package pod

import (
	"cmp"
	"fmt"

	"rung/model"
	"rung/model/words"
	"rung/pages/page"

	"strconv"
	"strings"

	"rung/themes"
)

// PlaceTexts returns the pod's addresses, node and state.
func (o *PodFacts) PlaceTexts() []string {
	out := []string{cmp.Or(strings.Join(o.IPs, " "), "no address"), cmp.Or(o.Node, "not scheduled"), o.Phase}
	if o.Original.Deleting {
		out = append(out, "being deleted")
	}
	return out
}

// SummaryText returns the text above the printed table.
func (o *PodFacts) SummaryText() string {
	s := fmt.Sprintf("pod %s/%s  %s\nlabels  %s\n", o.Namespace, o.Name, strings.Join(o.PlaceTexts(), "  "), o.Labels)
	if o.Note != "" {
		s += "note    " + o.Note + "\n"
	}
	for _, dir := range model.Directions {
		if by := o.by[dir]; len(by) > 0 {
			s += fmt.Sprintf("%-7s %s\n", dir.Lower(), isolatedText(policyLabels(by)))
		}
	}
	return s + "\n"
}

func policyLabels(keys []model.PolicyKey) string {
	return strings.Join(model.MapList(keys, model.PolicyKey.Label), ", ")
}

// Table lists the rules.
var Table = &page.Table[*Line]{
	Help: map[string]string{
		"is": "whether the pod is subject or peer of the rule",
	},
	ID: func(l *Line) string { return l.ID }, Full: func(l *Line) page.Line { return l.Full }, Head: func(l *Line) bool { return l.Head },
	Empty: "no rule touches this pod",
	Columns: []podColumn{
		{Key: "tier", Title: "TIER", Place: page.Printed, Importance: page.Always,
			Cell: ruleTextCell(func(t *TouchingRule) string { return t.band })},
		{Key: "priority", Title: "PRIO", Right: true, Importance: page.Always,
			Cell: ruleTextCell(func(t *TouchingRule) string { return t.prio })},
		{Key: "policy", Title: "POLICY", Place: page.OnScreen, Name: true, Min: 24, Importance: page.Always,
			Cell: ruleCell(func(t *TouchingRule) page.Cell { return page.Cell{Text: t.mark + t.short, Role: themes.Accent} })},
		{Key: "policy", Title: "POLICY", Place: page.Printed, Importance: page.Always, Exact: func(l *Line) string { return l.label },
			Cell: ruleTextCell(func(t *TouchingRule) string { return t.mark + t.label })},
		{Key: "rule", Title: "RULE", Importance: page.Always, Cell: ruleTextCell((*TouchingRule).ruleName)},
		{Key: "action", Title: "ACTION", Importance: page.Always, Cell: ruleCell(func(t *TouchingRule) page.Cell {
			if t.rule == nil {
				return page.Cell{Text: t.word, Role: themes.Deny}
			}
			return page.Cell{Text: t.word, Role: page.ActionRole(t.rule.Action)}
		})},
		{Key: "is", Title: "POD IS", Place: page.OnScreen, Importance: page.Always, Cell: ruleCell((*TouchingRule).roleCell)},
		{Key: "is", Title: "POD IS", Place: page.Printed, Importance: page.Always, Cell: ruleTextCell((*TouchingRule).roleText)},
		{Key: "name", Title: "NAME", Place: page.OnScreen, Min: 14, Importance: 97,
			Cell: ruleTextCell(func(t *TouchingRule) string { return t.RuleName })},
		{Key: "name", Title: "NAME", Place: page.Printed, Importance: 97, Flex: true,
			Cell: ruleTextCell(func(t *TouchingRule) string { return t.note })},
		{Key: "peers", Title: "PEERS", Place: page.OnScreen, Min: 14, Importance: 96, Cell: ruleCell((*TouchingRule).peersCell)},
		{Key: "ports", Title: "PORTS", Place: page.OnScreen, Min: 8, Importance: 95, Cell: ruleTextCell((*TouchingRule).portsText)},
	},
}

type podColumn = page.Column[*Line]

// ruleCell returns a rule's cell; lines of text have none.
func ruleCell(of func(*TouchingRule) page.Cell) func(*Line) page.Cell {
	return func(l *Line) page.Cell {
		if l.TouchingRule == nil {
			return page.Cell{}
		}
		return of(l.TouchingRule)
	}
}

func ruleTextCell(of func(*TouchingRule) string) func(*Line) page.Cell {
	return ruleCell(func(t *TouchingRule) page.Cell { return page.Cell{Text: of(t)} })
}

// ruleName returns the rule's direction and number.
func (t *TouchingRule) ruleName() string {
	if t.rule == nil {
		return t.Direction
	}
	return t.Direction + " " + strconv.Itoa(t.Rule)
}

// roleCell returns the role of the pod in the rule, in short.
func (t *TouchingRule) roleCell() page.Cell {
	switch {
	case t.Subject && t.Peer:
		return page.Cell{Text: "subject, peer"}
	case t.Subject:
		return page.Cell{Text: "subject"}
	}
	return page.Cell{Text: "peer", Role: themes.Info}
}

func (t *TouchingRule) roleText() string {
	peer := "peer" + words.Between(" in ", t.Network, "")
	switch {
	case t.rule == nil:
		return "isolated"
	case t.Subject && t.Peer:
		return "subject and " + peer
	case t.Subject:
		return "subject"
	}
	return peer
}

func (t *TouchingRule) peersCell() page.Cell {
	if t.rule == nil {
		return page.Cell{}
	}
	word := words.Choose(t.rule.Direction == model.Ingress, "from ", "to ")
	return page.Cell{Text: word, Role: themes.Dim, More: page.Line{{Text: strings.Join(t.rule.PeerTexts(), " | ")}}}
}

func (t *TouchingRule) portsText() string {
	if t.rule == nil {
		return ""
	}
	text := cmp.Or(strings.Join(t.rule.PortTexts(), ", "), "any")
	if t.Broken != "" {
		text = page.StateSign(model.StateNotEnforced) + " " + text
	}
	return text
}
