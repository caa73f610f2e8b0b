package plan

import (
	"rung/model"
	"rung/model/ladder"
	"rung/model/plan"
	"rung/revision"
)

// BoardFacts is the JSON of the present priorities (command-line.md#output).
type BoardFacts struct {
	Policies []plan.Placement `json:"policies"`
	Free     []ladder.Gap     `json:"free"`
	Smallest *int             `json:"smallest_gap,omitempty"`
	Largest  int              `json:"largest_gap"`
	Plan     *Facts           `json:"plan,omitempty"` // running or stopped
}

// FactsOfBoard returns the facts of a board, and of its running or stopped plan, nil if none.
func FactsOfBoard(b *plan.Board, p *revision.PlanState) *BoardFacts {
	out := &BoardFacts{Policies: append([]plan.Placement{}, b.Placements()...), Free: append([]ladder.Gap{}, b.FreeRuns()...),
		Largest: b.LargestGap(), Plan: NewFacts(p)}
	if n, ok := b.SmallestGap(); ok {
		out.Smallest = &n
	}
	return out
}

// Facts is the JSON of a running or stopped plan.
type Facts struct {
	Title       string              `json:"title"`
	Outcome     string              `json:"outcome,omitempty"` // see difference.Consequences
	State       string              `json:"state"`
	Done        int                 `json:"done"` // steps made and not rolled back
	Total       int                 `json:"total"`
	RollingBack bool                `json:"rolling_back,omitempty"`
	Why         string              `json:"why,omitempty"`
	Waits       []ZoneWait          `json:"waits"`
	Runner      *Runner             `json:"runner,omitempty"`
	Steps       []revision.PlanStep `json:"steps"`
}

// ZoneWait is a zone that does not show the step made last.
type ZoneWait struct {
	Zone  string      `json:"zone"`
	Why   string      `json:"why"`
	Since model.Stamp `json:"since,omitzero"`
}

// Runner is the process that runs a plan.
type Runner struct {
	PID   int         `json:"pid"`
	Host  string      `json:"host,omitempty"`
	Since model.Stamp `json:"since"`
}

// NewFacts returns the facts of a plan, nil if p is nil.
func NewFacts(p *revision.PlanState) *Facts {
	if p == nil {
		return nil
	}
	out := &Facts{Title: p.Title, State: p.State, Done: p.StepsMade(), Total: p.Total, RollingBack: p.RollingBack, Why: p.Why,
		Waits: model.MapList(p.Waits, func(w revision.PlanWait) ZoneWait { return ZoneWait{w.Zone, w.Why, model.Stamp{Time: w.Since}} }),
		Steps: append([]revision.PlanStep{}, p.Steps...)}
	if r := p.Runner; r.PID != 0 {
		out.Runner = &Runner{r.PID, r.Host, model.Stamp{Time: r.Since}}
	}
	return out
}
