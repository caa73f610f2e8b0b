package change

import (
	"cmp"
	"fmt"
	"strings"

	"rung/change"
	"rung/change/effect"
	"rung/change/gate"
	"rung/cli/command"
	"rung/model"
	"rung/model/clean"
	"rung/pages/consequences"
	"rung/pages/drift"
	"rung/pages/findings"
	"rung/pages/page"
)

type previewOut struct {
	Title       string              `json:"title"`
	Outcome     string              `json:"outcome,omitempty"` // with --yes: what became of it
	Blocked     string              `json:"blocked,omitempty"`
	Errors      []string            `json:"errors"`
	Changes     []changeOut         `json:"changes"`
	Rows        []rowChangeOut      `json:"rows"`
	Guards      []guardOut          `json:"guards"`
	ConfirmName string              `json:"confirm_name,omitempty"`
	Connections *consequences.Facts `json:"connections,omitempty"`
	Findings    []findings.OfPolicy `json:"findings"`
	Notes       []string            `json:"notes"`
	Commands    []string            `json:"commands"`
	Conflict    string              `json:"conflict,omitempty"`
}

type changeOut struct {
	Policy string     `json:"policy"`
	Change string     `json:"change"` // "create", "update" or "delete"
	Fields []fieldOut `json:"fields"`
	Diff   string     `json:"diff"`
}

type fieldOut struct {
	Path string `json:"path"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

type rowChangeOut struct {
	Policy string `json:"policy"`
	Change string `json:"change"` // "add", "change" or "remove"
	drift.Row
}

type guardOut struct {
	Code    string `json:"code"`
	Policy  string `json:"policy"`
	Message string `json:"message"`
}

func previewAnswer(p *gate.Preview, outcome string) *command.Answer {
	out := describePreview(p)
	out.Outcome = outcome
	return &command.Answer{Value: out, Text: func(wide bool) string { return previewText(p, wide) }, NotConsidered: p.NotConsidered}
}

func describePreview(p *gate.Preview) previewOut {
	out := previewOut{Title: p.Title, Blocked: p.Blocked, ConfirmName: p.ConfirmName,
		Notes: append([]string{}, p.Notes...), Commands: append([]string{}, p.Commands...),
		Errors: page.Each(p.Errors, func(b model.Broken) string { return clean.Line(b.String()) }),
		Changes: page.Each(p.Objects, func(o change.ObjectChange) changeOut {
			return changeOut{Policy: o.Key.String(), Change: objectVerb(o), Diff: o.Diff,
				Fields: page.Each(o.Fields, func(f change.FieldChange) fieldOut { return fieldOut(f) })}
		}),
		Rows: page.Each(p.Rows, func(r change.RowChange) rowChangeOut {
			return rowChangeOut{r.Policy.String(), rowVerb[r.Kind], drift.RowOf(r.RowDiff)}
		}),
		Guards: page.Each(p.Guards, func(g change.Guard) guardOut {
			return guardOut{Code: g.Code, Policy: g.Policy.String(), Message: g.Message}
		}),
		Findings: page.Each(p.Findings, func(f model.Finding) findings.OfPolicy {
			return findings.OfPolicy{Policy: f.Policy.String(), Brief: findings.BriefOf(f)}
		})}
	out.Connections = consequences.Of(p.Effect)
	if p.Conflict != nil {
		out.Conflict = p.Conflict.Diff
	}
	return out
}

func objectVerb(o change.ObjectChange) string {
	switch {
	case o.Old == nil:
		return "create"
	case o.New == nil:
		return "delete"
	}
	return "update"
}

var rowVerb = map[model.DiffKind]string{model.DiffMissing: "add", model.DiffExtra: "remove",
	model.DiffDifferent: "change"}

// previewText says what a change does: the objects, the rows, and what to think
// about. wide adds the YAML before and after, and the equivalent commands.
func previewText(p *gate.Preview, wide bool) string {
	var b strings.Builder
	fmt.Fprintln(&b, p.Title)
	for _, e := range p.Errors {
		fmt.Fprintln(&b, "  ✗ "+clean.Line(e.String()))
	}
	for _, o := range p.Objects {
		for _, f := range o.Fields {
			fmt.Fprintf(&b, "  %s: %s → %s\n", f.Path, cmp.Or(f.Old, "unset"), cmp.Or(f.New, "unset"))
		}
	}
	b.WriteString(effectText(p))
	b.WriteString(rowChangesText(p, wide))
	for _, f := range p.Findings {
		fmt.Fprintf(&b, "  %s %s: %s: %s\n", f.Severity, f.Code, f.Policy.Label(), f.Message)
	}
	for _, n := range p.Notes {
		fmt.Fprintln(&b, "  · "+n)
	}
	for _, g := range p.Guards {
		fmt.Fprintf(&b, "  ✗ guard rail %s: %s\n", g.Code, g.Message)
	}
	if p.Conflict != nil {
		fmt.Fprintf(&b, "changed meanwhile:\n%s", p.Conflict.Diff)
	}
	if !wide {
		return b.String()
	}
	for _, o := range p.Objects {
		b.WriteString(o.Diff)
	}
	for _, c := range p.Commands {
		fmt.Fprintln(&b, "$ "+c)
	}
	return b.String()
}

// rowChangesText counts the rows that change, as the console does, and lists them.
func rowChangesText(p *gate.Preview, wide bool) string {
	var b strings.Builder
	for _, n := range effect.CountRows(p.Rows) {
		if sum := effect.RowSummary(p.Rows, n); sum != "" {
			fmt.Fprintf(&b, "  %s rows: %s\n", n.Table, sum)
		}
	}
	for _, r := range p.Rows {
		fmt.Fprintf(&b, "    %-6s %-11s %s\n", rowVerb[r.Kind], r.Table, command.ShortID(r.ID, wide))
		for _, f := range r.Fields {
			if r.Kind == model.DiffDifferent {
				fmt.Fprintf(&b, "           %s\n", fieldText(f, wide))
			}
		}
	}
	return b.String()
}

// fieldText is one column that changes; of a set, the members that come and go.
func fieldText(f model.FieldDiff, wide bool) string {
	if len(f.Missing)+len(f.Extra) == 0 {
		return fmt.Sprintf("%s: %s → %s", f.Column, cmp.Or(f.Live, "unset"), cmp.Or(f.Desired, "unset"))
	}
	s := f.Column + ":"
	if len(f.Missing) > 0 {
		s += " add " + command.ListMembers(f.Missing, wide)
	}
	if len(f.Extra) > 0 {
		s += " remove " + command.ListMembers(f.Extra, wide)
	}
	return s
}
