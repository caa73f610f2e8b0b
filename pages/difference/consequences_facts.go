package difference

import (
	"rung/change"
	"rung/change/effect"
	"rung/change/gate"
	"rung/model"
	"rung/model/verdict"
	"rung/model/verdict/diff"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
)

// Consequences is the JSON of a change and its consequences (command-line.md#output).
type Consequences struct {
	Title       string         `json:"title"`
	Outcome     string         `json:"outcome,omitempty"` // the outcome, with --yes
	Blocked     string         `json:"blocked,omitempty"`
	Errors      []string       `json:"errors"`
	Changes     []ObjectChange `json:"changes"`
	Rows        []RowChange    `json:"rows"`
	Guards      []Guard        `json:"guards"`
	ConfirmName string         `json:"confirm_name,omitempty"`
	Connections *Effect        `json:"connections,omitempty"`
	Findings    []FindingFacts `json:"findings"`
	Notes       []string       `json:"notes"`
	Commands    []string       `json:"commands"`
	Conflict    string         `json:"conflict,omitempty"`
}

// ObjectChange is the change of one object.
type ObjectChange struct {
	Policy string               `json:"policy"`
	Change string               `json:"change"` // "create", "update" or "delete"
	Fields []change.FieldChange `json:"fields"`
	Diff   string               `json:"diff"`
}

// RowChange is a row that is added, removed or changed, in every zone.
type RowChange struct {
	Policy string `json:"policy"`
	Change string `json:"change"` // "add", "change" or "remove"
	model.RowDiff
}

// FindingFacts is a finding that the change causes.
type FindingFacts struct {
	Policy   string         `json:"policy"`
	Severity model.Severity `json:"severity"`
	Code     string         `json:"code"`
	Message  string         `json:"message"`
}

// NewConsequences returns the facts of a preview.
func NewConsequences(p *gate.Preview) Consequences {
	out := Consequences{Title: p.Title, Blocked: p.Blocked, ConfirmName: p.ConfirmName, Connections: NewEffect(p.Effect),
		Notes: append([]string{}, p.Notes...), Commands: append([]string{}, p.Commands...),
		Errors: model.MapList(p.Errors, func(b model.Broken) string { return words.CleanLine(b.String()) }),
		Changes: model.MapList(p.Objects, func(o change.ObjectChange) ObjectChange {
			return ObjectChange{Policy: o.Key.String(), Change: changeVerb(&o), Diff: o.Diff, Fields: append([]change.FieldChange{}, o.Fields...)}
		}),
		Rows: model.MapList(p.Rows, func(r change.RowChange) RowChange {
			r.Fields = append([]model.FieldDiff{}, r.Fields...)
			return RowChange{r.Policy.String(), RowVerb[r.Kind], r.RowDiff}
		}),
		Guards: model.MapList(p.Guards, newGuard),
		Findings: model.MapList(p.Findings, func(f model.Finding) FindingFacts {
			return FindingFacts{Policy: f.Policy.String(), Severity: f.Severity, Code: f.Code, Message: f.Message}
		})}
	if p.Conflict != nil {
		out.Conflict = p.Conflict.Diff
	}
	return out
}

func changeVerb(o *change.ObjectChange) string {
	switch {
	case o.Old == nil:
		return "create"
	case o.New == nil:
		return "delete"
	}
	return "update"
}

// RowVerb names the change of a row.
var RowVerb = map[model.DiffKind]string{model.DiffMissing: "add", model.DiffExtra: "remove", model.DiffDifferent: "change"}

// Effect is the JSON of a change's effect on connections.
type Effect struct {
	Summary string           `json:"summary"`
	Unknown string           `json:"unknown,omitempty"`
	Caveat  string           `json:"caveat,omitempty"`
	Totals  []diff.PairTotal `json:"totals"`
	Flips   []diff.FlipGroup `json:"flips"`
	// ByAnotherRule are connections that keep their verdict by another rule.
	ByAnotherRule []diff.FlipGroup `json:"by_another_rule"`
	// Log is nil if no log was read.
	Log *LogEffect `json:"log,omitempty"`
}

// NewEffect returns the facts of an effect, or nil for nil.
func NewEffect(e *effect.Effect) *Effect {
	if e == nil {
		return nil
	}
	out := &Effect{Summary: e.Text(), Unknown: e.Unknown, Caveat: e.Caveat, Totals: []diff.PairTotal{},
		Flips: []diff.FlipGroup{}, ByAnotherRule: []diff.FlipGroup{}, Log: newLogEffect(e.Log)}
	if d := e.Difference; d != nil {
		out.Totals, out.Flips = append(out.Totals, d.Totals...), append(out.Flips, d.Flips...)
		out.ByAnotherRule = append(out.ByAnotherRule, d.OtherDeciders...)
	}
	return out
}

// LogEffect describes the log lines that would be decided differently.
type LogEffect struct {
	Summary  string     `json:"summary"`
	From     string     `json:"from"` // time of the oldest line
	To       string     `json:"to"`
	Judged   int        `json:"judged"`
	Lost     int        `json:"lost"`     // the address now has no pod, or another one
	Over     int        `json:"over"`     // too many different connections
	Contrary int        `json:"contrary"` // contradict the policies before the change
	Lines    int        `json:"lines"`
	Groups   []LogGroup `json:"groups"`
}

// LogGroup is a group of lines about the same kind of connection.
type LogGroup struct {
	Before   verdict.Verdict  `json:"before"`
	After    verdict.Verdict  `json:"after"`
	From     verdict.Ends     `json:"from"`
	To       verdict.Ends     `json:"to"`
	Protocol verdict.Protocol `json:"protocol"`
	Port     uint16           `json:"port"`
	Lines    int              `json:"lines"`
	First    string           `json:"first"`
	Last     string           `json:"last"`
	Logged   VerdictCounts    `json:"logged_as"`
	Contrary int              `json:"contrary"`
	Example  struct {
		At string `json:"at"`
		verdict.Connection
	} `json:"example"`
}

// VerdictCounts counts the lines by their logged verdict.
type VerdictCounts struct {
	Allowed int `json:"allowed"`
	Denied  int `json:"denied"`
	Passed  int `json:"passed"`
}

func newLogEffect(o *diff.LogDifference) *LogEffect {
	if revision.LogDiffText(o) == "" {
		return nil
	}
	return &LogEffect{Summary: revision.LogDiffText(o), From: page.StampText(o.From), To: page.StampText(o.To), Judged: o.Judged,
		Lost: o.Unattributed, Over: o.LeftOut,
		Contrary: o.Contrary, Lines: o.Lines, Groups: model.MapList(o.Groups, func(g diff.LoggedGroup) LogGroup {
			out := LogGroup{Before: g.Before, After: g.After, From: g.From, To: g.To, Protocol: g.Protocol,
				Port: g.Port, Lines: g.Lines, First: page.StampText(g.First), Last: page.StampText(g.Last), Logged: VerdictCounts{g.Allowed, g.Denied,
					g.Passed},
				Contrary: g.Contrary}
			out.Example.At, out.Example.Connection = page.StampText(g.Example.Last), revision.LoggedConnection(&g.Example)
			return out
		})}
}
