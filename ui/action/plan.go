package action

import (
	"rung/engine/gate"
)

// The actions of the plan view.
const (
	PlanStep   ID = "plan.step"
	PlanInsert ID = "plan.insert"
	PlanMove   ID = "plan.move"
	PlanRun    ID = "plan.run"
	PlanOpen   ID = "plan.open"
	PlanNew    ID = "plan.new"
	PlanBack   ID = "plan.back"
	PlanStop   ID = "plan.stop"
	PlanExport ID = "plan.export"
)

var planActions = []Action{
	{ID: PlanRun, Keys: []string{"enter"}, Title: "run the plan", Footer: 10, Op: gate.OpMove, Danger: gate.Confirmed,
		Help: "preview the plan and run it after a yes, waiting for every zone after each step; continue a stopped plan"},
	{ID: PlanStep, Keys: []string{"d"}, Title: "distance", Footer: 20, Help: "choose the distance between priorities and the first one"},
	{ID: PlanInsert, Keys: []string{"i"}, Title: "insert here", Footer: 30, Help: "find or make room for a new policy below the cursor"},
	{ID: PlanMove, Keys: []string{"m"}, Title: "move", Footer: 40, Op: gate.OpMove, Danger: gate.Confirmed, Disabled: OnANP,
		Help: "give the policy under the cursor another priority, whatever that changes"},
	{ID: PlanNew, Keys: []string{"n"}, Title: "new here", Op: gate.OpApply, Danger: gate.Confirmed,
		Help: "write a new policy at the priority the plan frees, or at the first free one below the cursor"},
	{ID: PlanOpen, Keys: []string{"o"}, Title: "open", Help: "go to the policy under the cursor", Disabled: OnPolicy},
	{ID: PlanExport, Keys: []string{"ctrl+s"}, Title: "export", Footer: 50, Help: "save the policies with their new priorities to a YAML file"},
	{ID: PlanStop, Keys: []string{"x"}, Title: "end the plan", Disabled: noPlanToEnd, Help: "stop the running plan after the current step; a stopped one: keep the policies as they are, after a question"},
	{ID: PlanBack, Keys: []string{"b"}, Title: "roll back", Op: gate.OpMove, Danger: gate.Confirmed, Disabled: noPlan, Help: "undo the steps of a stopped plan"},
}

func noPlan(c Context) string {
	switch {
	case c.Plan == nil || c.Plan.State == gate.PlanDone:
		return "no stopped plan"
	case c.Plan.State != gate.PlanStopped:
		return "the plan is running; stop it first"
	}
	return ""
}

func noPlanToEnd(c Context) string {
	if c.Plan == nil {
		return "there is no plan"
	}
	return ""
}
