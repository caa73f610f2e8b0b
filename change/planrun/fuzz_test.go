package planrun

import (
	"encoding/json"
	"strings"
	"testing"

	"rung/model/plan"
	"rung/revision"
)

// FuzzPlanFile: nothing that stands in the file of a plan makes more steps of it than
// there are, or a panic. There is no file, gate or engine in it: what a text means follows
// from the text and from where the policies stand.
func FuzzPlanFile(f *testing.F) {
	// Short names and no notes: new inputs are cut down by trying every part of them.
	pl := plan.Plan{Max: 99, Now: []plan.Placement{{Policy: "a", Priority: 1}, {Policy: "b", Priority: 2}}, Notes: []string{},
		Then:  []plan.Placement{{Policy: "a", Priority: 10}, {Policy: "b", Priority: 20}},
		Steps: []plan.Step{{Policy: "b", From: 2, To: 20}, {Policy: "a", From: 1, To: 10}}}
	for _, part := range []*plan.PlanPart{nil, {From: 2}, {From: 1}, {To: 1}} {
		for _, back := range []bool{false, true} {
			for shown := -1; shown < 4; shown++ {
				p := plan.PlanProgress{Plan: pl, Part: part, Back: back, Done: 1}
				raw, err := p.Encode()
				if err != nil {
					f.Fatal(err)
				}
				text, err := json.Marshal(planJob{Encoded: raw, Shown: &shown, Top: shown, Runner: &planRunner{PID: 1}})
				if err != nil {
					f.Fatal(err)
				}
				f.Add(text)
			}
		}
	}
	ladders := [][]plan.Placement{pl.Now, {{Policy: "a", Priority: 1}, {Policy: "b", Priority: 20}}, pl.Then, {{Policy: "a", Priority: 5}}, nil}
	f.Fuzz(func(t *testing.T, text []byte) {
		job, err := decodePlan(text, "")
		if err != nil {
			return
		}
		total := len(job.Progress.AllSteps())
		check := func(p plan.PlanProgress, states ...string) {
			t.Helper()
			j := *job
			j.Progress = &p
			for _, state := range states {
				s := j.describeJob(state)
				if s.Done < 0 || s.Done > s.Total || s.Total != total || len(s.Steps) != total || s.StepsAtRollback < 0 || s.StepsAtRollback > total {
					t.Fatalf("%d of %d: %+v", s.Done, total, s)
				}
				if n, of := s.StepsDoneAndTotal(); n < 0 || n > of || of > total {
					t.Fatalf("%s %d of %d: %+v", state, n, of, s)
				}
			}
		}
		check(*job.Progress, revision.PlanRunning, revision.PlanWaiting, revision.PlanStopped, revision.PlanDone)
		for _, at := range ladders {
			p := *job.Progress
			p.Back = false
			if next := findOutlook(&p, at); !next.continues || !next.back {
				if text := blockedStepText(&p, next); strings.HasPrefix(text, "its step 0") {
					t.Fatalf("%s: %+v", text, p)
				}
			}
			p.Back = job.Progress.Back
			if p.Done, err = p.LocateSteps(at); err == nil {
				check(p, revision.PlanStopped)
				p.StepsSince(*job.Shown)
			}
		}
		for p := *job.Progress; !p.IsFinished(); p.Advance() {
			check(p, revision.PlanRunning)
		}
	})
}
