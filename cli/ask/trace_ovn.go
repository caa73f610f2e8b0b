package ask

import (
	"context"
	"fmt"
	"strings"

	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/model/ovn/ovntrace"
	"rung/model/signs"
	"rung/model/verdict"
	"rung/pages/page"
	"rung/revision/flows"
	"rung/revision/liverows"
)

// ovnOut is the answer of ovn-trace, in the JSON of `rung trace --ovn`
// (command-line.md#output).
type ovnOut struct {
	Verdict   verdict.Verdict `json:"verdict"`
	Agreement flows.Agreement `json:"agreement"` // with the rows
	Ways      []ovnWayOut     `json:"ways"`

	words flows.OVNWords
}

type ovnWayOut struct {
	To      string          `json:"to"`
	Verdict verdict.Verdict `json:"verdict"`
	Why     string          `json:"not_asked,omitempty"`
	Zones   []ovnZoneOut    `json:"zones"`
}

type ovnZoneOut struct {
	Zone    string          `json:"zone"`
	Where   string          `json:"where,omitempty"`
	Command []string        `json:"command,omitempty"`
	Error   string          `json:"error,omitempty"`
	End     ovntrace.Ending `json:"end,omitempty"`
	At      []string        `json:"at"`
	Cause   string          `json:"likely_cause,omitempty"`
	Stages  []ovnStageOut   `json:"stages"`
	Text    string          `json:"text,omitempty"` // what ovn-trace printed
}

type ovnStageOut struct {
	Stage     model.Stage      `json:"stage"`
	Verdict   verdict.Verdict  `json:"verdict"`
	FoundBy   liverows.FoundBy `json:"found_by,omitempty"`
	DecidedBy []deciderOut     `json:"decided_by"` // one, or those it may be
	Passed    []deciderOut     `json:"passed"`
	Rows      verdictStage     `json:"rows"`
	Agreement flows.Agreement  `json:"agreement"`
}

// askOVN asks ovn-trace about a connection; nil where it is not to be asked.
type askOVN func(verdict.Connection) (*ovnOut, error)

// ovnAnswer asks it through an engine.
func ovnAnswer(ctx context.Context, e *engine.Engine, c verdict.Connection) (*ovnOut, error) {
	t, err := e.OVNTrace(ctx, c, nil)
	if err != nil {
		return nil, fmt.Errorf("--ovn: %w", err)
	}
	out := &ovnOut{Verdict: t.Verdict(), Agreement: t.Agreement(), Ways: []ovnWayOut{}, words: t.InWords()}
	for i := range t.Ways {
		w := &t.Ways[i]
		x := ovnWayOut{To: w.Rows.To.Endpoint.String(), Verdict: w.Verdict(), Why: w.Why, Zones: []ovnZoneOut{}}
		for j := range w.Zones {
			x.Zones = append(x.Zones, ovnZone(&w.Zones[j]))
		}
		out.Ways = append(out.Ways, x)
	}
	return out, nil
}

func ovnZone(h *flows.OVNZoneWay) ovnZoneOut {
	out := ovnZoneOut{Zone: h.Zone, Where: h.RunAt, Command: h.Command, Error: h.Error, End: h.End, At: append([]string{}, h.EndsAt...),
		Cause: h.DisagreementCause(), Stages: []ovnStageOut{}, Text: h.Text}
	for i := range h.Stages {
		s := &h.Stages[i]
		stage := ovnStageOut{Stage: s.Stage, Verdict: s.Verdict, FoundBy: s.RulesBehind.FoundBy, DecidedBy: decidersOfFlow(s.RulesBehind), Passed: []deciderOut{}, Rows: stageOut(&s.Rows), Agreement: s.Agreement}
		for _, b := range s.Passed {
			stage.Passed = append(stage.Passed, decidersOfFlow(b)...)
		}
		out.Stages = append(out.Stages, stage)
	}
	return out
}

// decidersOfFlow are the rules that a flow may be of.
func decidersOfFlow(b liverows.RulesBehindFlow) []deciderOut {
	return page.MapList(b.Rules, func(r liverows.BehindRule) deciderOut {
		d := r.Decider()
		return deciderOf(&d)
	})
}

// whyFailed says what kept ovn-trace from answering, nil where it did.
func (o *ovnOut) whyFailed() error {
	if o == nil {
		return nil
	}
	for i := range o.Ways {
		for _, z := range o.Ways[i].Zones {
			if z.Error != "" {
				return fmt.Errorf("--ovn: zone %s: %s", z.Zone, z.Error)
			}
		}
	}
	return nil
}

// hasDisagreement says whether OVN and the rows do.
func (o *ovnOut) hasDisagreement() bool { return o != nil && o.Agreement == flows.Disagree }

// briefText is the answer at the end of a line.
func (o *ovnOut) briefText() string {
	switch o.Agreement {
	case flows.Agree:
		return " · OVN agrees"
	case flows.Disagree:
		return fmt.Sprintf(" · OVN and the rows disagree: OVN %s", o.Verdict)
	}
	return " · OVN: " + o.words.Headline
}

// writeStages prints what OVN says stage by stage, and the rows beside it.
func (o *ovnOut) writeStages(b *strings.Builder) {
	fmt.Fprintf(b, "\novn-trace: %s\n", o.words.Headline)
	for i := range o.words.Ways {
		w := &o.words.Ways[i]
		if w.To != "" {
			fmt.Fprintf(b, "\nto %s:\n", w.To)
		}
		t := &command.TextTable{Head: []string{"STAGE", "ZONE", "OVN", "ROWS"}}
		for _, l := range w.Lines {
			rows := l.Rows
			switch l.Agreement {
			case flows.Agree:
				rows = "the same"
			case flows.Disagree:
				rows = signs.No + " " + rows
			}
			t.AddRow(l.Stage, l.Zone, l.OVN, rows)
		}
		if len(t.Rows) > 0 {
			b.WriteString("\n" + t.String())
		}
		for _, n := range w.Notes {
			b.WriteString(n + "\n")
		}
	}
}
