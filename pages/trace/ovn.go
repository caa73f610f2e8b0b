package trace

import (
	"rung/model"
	"rung/model/ovn/flow"
	"rung/model/verdict"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
	"rung/themes"
)

// OVNFacts is the JSON of ovn-trace's answer (command-line.md#output).
type OVNFacts struct {
	Verdict   verdict.Verdict    `json:"verdict"`
	Agreement revision.Agreement `json:"agreement"` // with the rows
	Paths     []OVNPathFacts     `json:"ways"`

	Words revision.OVNWords `json:"-"`
}

// OVNPathFacts is ovn-trace's answer about one path.
type OVNPathFacts struct {
	To      string          `json:"to"`
	Verdict verdict.Verdict `json:"verdict"`
	Why     string          `json:"not_asked,omitempty"`
	Zones   []OVNZoneFacts  `json:"zones"`
}

// OVNZoneFacts is one run of ovn-trace.
type OVNZoneFacts struct {
	Zone    string          `json:"zone"`
	Where   string          `json:"where,omitempty"`
	Command []string        `json:"command,omitempty"`
	Error   string          `json:"error,omitempty"`
	End     flow.Ending     `json:"end,omitempty"`
	At      []string        `json:"at"`
	Cause   string          `json:"likely_cause,omitempty"`
	Stages  []OVNStageFacts `json:"stages"`
	Text    string          `json:"text,omitempty"` // ovn-trace's output
}

// OVNStageFacts compares the decisions of OVN and of the rows in a stage.
type OVNStageFacts struct {
	Stage     model.Stage        `json:"stage"`
	Verdict   verdict.Verdict    `json:"verdict"`
	FoundBy   revision.FoundBy   `json:"found_by,omitempty"`
	DecidedBy []DeciderFacts     `json:"decided_by"` // one, or several candidates
	Passed    []DeciderFacts     `json:"passed"`
	Rows      StageFacts         `json:"rows"`
	Agreement revision.Agreement `json:"agreement"`
}

// FactsOfOVN returns the facts of ovn-trace's answer.
func FactsOfOVN(t *revision.OVNTrace) *OVNFacts {
	out := &OVNFacts{Verdict: t.Verdict(), Agreement: t.Agreement(), Paths: []OVNPathFacts{}, Words: t.InWords()}
	for i := range t.Paths {
		w := &t.Paths[i]
		out.Paths = append(out.Paths, OVNPathFacts{To: w.Rows.To.Endpoint.String(), Verdict: w.Verdict(), Why: w.Why,
			Zones: model.MapList(w.Zones, factsOfZone)})
	}
	return out
}

func factsOfZone(h revision.OVNZoneTrace) OVNZoneFacts {
	out := OVNZoneFacts{Zone: h.Zone, Where: h.RunAt, Command: h.Command, Error: h.Error, End: h.End, At: append([]string{}, h.EndsAt...),
		Cause: h.DisagreementCause(), Stages: []OVNStageFacts{}, Text: h.Text}
	for i := range h.Stages {
		s := &h.Stages[i]
		stage := OVNStageFacts{Stage: s.Stage, Verdict: s.Verdict, FoundBy: s.RulesBehind.FoundBy, DecidedBy: decidersOfFlow(s.RulesBehind),
			Passed: []DeciderFacts{}, Rows: factsOfStage(s.Rows), Agreement: s.Agreement}
		for _, b := range s.Passed {
			stage.Passed = append(stage.Passed, decidersOfFlow(b)...)
		}
		out.Stages = append(out.Stages, stage)
	}
	return out
}

// HasDisagreement reports whether OVN and the rows disagree; false if OVN was not asked.
func (o *OVNFacts) HasDisagreement() bool { return o != nil && o.Agreement == revision.Disagree }

// decidersOfFlow returns the rules that a flow may come from.
func decidersOfFlow(b revision.RulesBehindFlow) []DeciderFacts {
	return model.MapList(b.Rules, func(r revision.BehindRule) DeciderFacts { return FactsOfDecider(new(r.Decider())) })
}

// OVN lists the decisions of OVN and of the rows for each stage.
var OVN = &page.Table[revision.OVNLine]{
	Columns: []page.Column[revision.OVNLine]{
		{Key: "stage", Title: "STAGE", Cell: func(l revision.OVNLine) page.Cell { return page.Cell{Text: l.Stage} }},
		{Key: "zone", Title: "ZONE", Cell: func(l revision.OVNLine) page.Cell { return page.Cell{Text: l.Zone} }},
		{Key: "ovn", Title: "OVN", Cell: func(l revision.OVNLine) page.Cell { return page.Cell{Text: l.OVN} }},
		{Key: "rows", Title: "ROWS", Cell: func(l revision.OVNLine) page.Cell {
			switch l.Agreement {
			case revision.Agree:
				return page.Cell{Text: "the same"}
			case revision.Disagree:
				return page.Cell{Text: words.Differs + " " + l.Rows, Role: themes.Warn}
			}
			return page.Cell{Text: l.Rows}
		}},
	},
}
