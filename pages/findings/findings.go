package findings

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"rung/model"
	"rung/pages/page"
	"rung/revision"
	"rung/themes"
)

// Finding is the JSON of a finding (command-line.md#output). Policy and rule are empty if it is about none.
type Finding struct {
	Code     string         `json:"code"`
	Severity model.Severity `json:"severity"`
	Policy   string         `json:"policy"`
	Rule     string         `json:"rule"`
	Message  string         `json:"message"`
	Remedy   string         `json:"remedy"`
	// Cause is the rule that causes several findings. Under counts these findings, on the finding about that
	// rule.
	Cause string `json:"cause,omitempty"`
	Under int    `json:"under,omitempty"`
	// Witness is a connection that proves it, nil if none.
	Witness *model.Witness `json:"witness,omitempty"`
	File    string         `json:"file,omitempty"`

	Original *model.Finding `json:"-"`
	id       string
}

// NewList returns findings for display, in the same order.
func NewList(found []model.Finding) []*Finding {
	out, ids, under := make([]*Finding, len(found)), map[string]int{}, map[string]int{}
	roots := model.RootCauses(found)
	for i := range found {
		f := &found[i]
		o := &Finding{Code: f.Code, Severity: f.Severity, Message: f.Message, Remedy: f.Remedy, File: f.Origin.Place(), Original: f}
		o.id = fmt.Sprintf("%s %s %s %d %s %s", f.Code, f.Policy, f.Direction, f.Rule, f.Zone, o.File)
		ids[o.id]++
		if ids[o.id] > 1 { // the same finding about one rule, twice
			o.id += fmt.Sprintf(" #%d", ids[o.id])
		}
		if roots.IsUnderRoot(f) {
			o.Cause = f.Cause
			under[f.Cause]++
		}
		if !f.Witness.IsZero() {
			o.Witness = &f.Witness
		}
		if f.Policy.Kind != "" && f.Policy.Name != "" {
			o.Policy = f.Policy.String()
		}
		if f.Direction != "" && f.Rule >= 0 {
			o.Rule = revision.RuleLabel(f.Direction, f.Rule, "")
		}
		out[i] = o
	}
	for _, o := range out {
		if o.Original.Root {
			o.Under = under[o.Original.Cause]
		}
	}
	return out
}

// CountText counts findings like the console's header, and those listed below their cause; empty for none.
func CountText(found []model.Finding) string {
	if len(found) == 0 {
		return ""
	}
	text := model.CountFindings(found).Text()
	if under := model.CountUnderRoots(found); under.Total() > 0 {
		text += ", and " + under.Text() + " under their cause (indented)"
	}
	return text
}

// LeastPolicy and MostPolicy limit the width of the column of policies.
const LeastPolicy, MostPolicy = 12, 32

// Table lists findings; those with a common cause are below the finding about it.
var Table = &page.Table[*Finding]{
	Help: map[string]string{
		"severity": "error, warning or info",
		"policy":   "the policy or object it is about",
		"where":    "the rule or field",
		"code":     "its kind: docs/findings.md explains each",
		"message":  "the problem; remedies are below the table",
	},
	ID:    func(f *Finding) string { return f.id },
	Empty: "nothing found",
	Under: func(f *Finding) bool { return f.Cause != "" },
	Columns: []page.Column[*Finding]{
		{Key: "severity", Title: "SEVERITY", Importance: page.Always, Less: func(a, b *Finding) int { return a.Severity.Compare(b.Severity) },
			Cell: func(f *Finding) page.Cell {
				sign := page.SeveritySign(f.Severity)
				return page.Cell{Sign: sign, Text: string(f.Severity), Role: sign.Role}
			}},
		{Key: "policy", Title: "POLICY", Min: LeastPolicy, Max: MostPolicy, Importance: page.Always, Cell: func(f *Finding) page.Cell {
			c := page.Cell{Text: f.SubjectText(), Role: themes.Accent}
			if f.Cause != "" {
				c.Sign = page.Span{Text: "└", Role: themes.Dim}
			}
			return c
		}},
		{Key: "where", Title: "WHERE", Place: page.OnScreen, Min: 9, Max: 24, Importance: 99, Cell: page.TextCell((*Finding).PlaceText)},
		// Printed in full: it distinguishes findings of one policy.
		{Key: "where", Title: "WHERE", Place: page.Printed, Importance: page.Always, Cell: page.TextCell((*Finding).PlaceText)},
		{Key: "code", Title: "CODE", Place: page.Printed, Importance: 98,
			Cell: page.RoleCell(themes.Dim, func(f *Finding) string { return f.Code })},
		{Key: "file", Title: "FILE", Importance: 97, DetailOnly: true, Cell: func(f *Finding) page.Cell {
			if f.SubjectText() == f.File {
				return page.Cell{} // shown as the policy
			}
			return page.Cell{Text: f.File, Role: themes.Dim}
		}},
		{Key: "message", Title: "MESSAGE", Min: 20, Flex: true, NoSort: true, Importance: page.Always, Cell: (*Finding).messageCell},
	},
}

// messageCell returns the text of the finding, its witness, and the remedy.
func (f *Finding) messageCell() page.Cell {
	c := page.Cell{Text: f.Message}
	if f.Witness != nil {
		c.More = append(c.More, page.Span{Text: " (" + f.Original.Witness.String() + ")"})
	}
	if f.Remedy != "" {
		c.More = append(c.More, page.Span{Text: " → " + f.Remedy})
	}
	return c
}

// clauseEnds separate the clauses of messages.
var clauseEnds = []string{"; ", ": ", ", ", " ("}

// BriefMessage replaces the last clauses of the message with an ellipsis until it fits, if possible.
func (f *Finding) BriefMessage(room int) string {
	const cut = " …"
	text, rest := f.Message, ""
	for utf8.RuneCountInString(text+rest) > room || strings.Count(text, "(") > strings.Count(text, ")") {
		end := 0
		for _, sign := range clauseEnds {
			end = max(end, strings.LastIndex(text, sign))
		}
		if end == 0 {
			break
		}
		text, rest = text[:end], cut
	}
	return text + rest
}

// SubjectText names the policy, or another subject of the finding.
func (f *Finding) SubjectText() string {
	switch {
	case f.Original.Policy.Name != "":
		return f.Original.Policy.ShortLabel()
	case f.Original.Policy.Kind != "":
		return string(f.Original.Policy.Kind)
	case f.File != "":
		return f.File
	case f.Original.Zone != "":
		return "zone " + f.Original.Zone
	}
	return "zones"
}

// PlaceText returns the rule or the zone.
func (f *Finding) PlaceText() string {
	if f.Rule != "" {
		return f.Rule
	}
	return f.Original.Zone
}
