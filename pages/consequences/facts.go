package consequences

import (
	"rung/change"
	"rung/change/gate"
	"rung/model"
	"rung/model/clean"
	"rung/pages/page"
)

// Facts is what a change does.
type Facts struct {
	Title       string    `json:"title"`
	Outcome     string    `json:"outcome,omitempty"` // with --yes: what became of it
	Blocked     string    `json:"blocked,omitempty"`
	Errors      []string  `json:"errors"`
	Changes     []Change  `json:"changes"`
	Rows        []Row     `json:"rows"`
	Guards      []Guard   `json:"guards"`
	ConfirmName string    `json:"confirm_name,omitempty"`
	Connections *Effect   `json:"connections,omitempty"`
	Findings    []Finding `json:"findings"`
	Notes       []string  `json:"notes"`
	Commands    []string  `json:"commands"`
	Conflict    string    `json:"conflict,omitempty"`
}

// Change is what becomes of one object.
type Change struct {
	Policy string               `json:"policy"`
	Change string               `json:"change"` // "create", "update" or "delete"
	Fields []change.FieldChange `json:"fields"`
	Diff   string               `json:"diff"`
}

// Row is a row that comes, goes or becomes another, in every zone.
type Row struct {
	Policy string            `json:"policy"`
	Change string            `json:"change"` // "add", "change" or "remove"
	Kind   model.DiffKind    `json:"kind"`
	Table  string            `json:"table"`
	ID     string            `json:"id"`
	Fields []model.FieldDiff `json:"fields"`
}

// Guard is a guard rail that the change runs into.
type Guard struct {
	Code    string `json:"code"`
	Policy  string `json:"policy"`
	Message string `json:"message"`
}

// Finding is one that the change brings.
type Finding struct {
	Policy   string         `json:"policy"`
	Severity model.Severity `json:"severity"`
	Code     string         `json:"code"`
	Message  string         `json:"message"`
}

// Of are the facts of a preview.
func Of(p *gate.Preview) Facts {
	out := Facts{Title: p.Title, Blocked: p.Blocked, ConfirmName: p.ConfirmName, Connections: EffectOf(p.Effect),
		Notes: append([]string{}, p.Notes...), Commands: append([]string{}, p.Commands...),
		Errors: page.Each(p.Errors, func(b model.Broken) string { return clean.Line(b.String()) }),
		Changes: page.Each(p.Objects, func(o change.ObjectChange) Change {
			return Change{Policy: o.Key.String(), Change: changeOf(&o), Diff: o.Diff, Fields: append([]change.FieldChange{}, o.Fields...)}
		}),
		Rows: page.Each(p.Rows, func(r change.RowChange) Row {
			return Row{Policy: r.Policy.String(), Change: RowVerb[r.Kind], Kind: r.Kind, Table: r.Table, ID: r.ID, Fields: append([]model.FieldDiff{}, r.Fields...)}
		}),
		Guards: page.Each(p.Guards, func(g change.Guard) Guard {
			return Guard{Code: g.Code, Policy: g.Policy.String(), Message: g.Message}
		}),
		Findings: page.Each(p.Findings, func(f model.Finding) Finding {
			return Finding{Policy: f.Policy.String(), Severity: f.Severity, Code: f.Code, Message: f.Message}
		})}
	if p.Conflict != nil {
		out.Conflict = p.Conflict.Diff
	}
	return out
}

func changeOf(o *change.ObjectChange) string {
	switch {
	case o.Old == nil:
		return "create"
	case o.New == nil:
		return "delete"
	}
	return "update"
}

// RowVerb says what becomes of a row.
var RowVerb = map[model.DiffKind]string{model.DiffMissing: "add", model.DiffExtra: "remove", model.DiffDifferent: "change"}
