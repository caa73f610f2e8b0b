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
	PlanOn     ID = "plan.resume"
	PlanBack   ID = "plan.back"
	PlanStop   ID = "plan.stop"
	PlanForget ID = "plan.forget"
	PlanExport ID = "plan.export"
)

var planActions = []Action{
	{ID: PlanRun, Keys: []string{"enter", "R"}, Title: "run the plan", Footer: 10, Op: gate.OpMove, Danger: gate.Confirmed,
		Help: "preview the steps and, after a yes, do them one after the other, each when every zone shows the last"},
	{ID: PlanStep, Keys: []string{"s"}, Title: "step", Footer: 20, Help: "choose the distance between priorities and where they begin"},
	{ID: PlanInsert, Keys: []string{"i"}, Title: "insert here", Footer: 30, Help: "find or make room for a new policy below the cursor"},
	{ID: PlanMove, Keys: []string{"m"}, Title: "move", Footer: 40, Op: gate.OpMove, Danger: gate.Confirmed, Disabled: OnANP,
		Help: "give the policy under the cursor another priority, whatever that changes"},
	{ID: PlanNew, Keys: []string{"n"}, Title: "new here", Op: gate.OpApply, Danger: gate.Confirmed,
		Help: "write a new policy in the room that was made, or in the first free priority below the cursor"},
	{ID: PlanOpen, Keys: []string{"o"}, Title: "open", Help: "go to the policy under the cursor", Disabled: OnPolicy},
	{ID: PlanExport, Keys: []string{"x"}, Title: "export", Footer: 50, Help: "write the policies with their new priorities to a YAML file"},
	{ID: PlanStop, Keys: []string{"S"}, Title: "stop", Disabled: noRunningPlan, Help: "stop the running plan after the step under way; it can go on later"},
	{ID: PlanOn, Keys: []string{"c"}, Title: "go on", Op: gate.OpMove, Danger: gate.Confirmed, Disabled: noPlan, Help: "go on with a plan that stopped half way"},
	{ID: PlanBack, Keys: []string{"b"}, Title: "go back", Op: gate.OpMove, Danger: gate.Confirmed, Disabled: noPlan, Help: "undo the steps of a plan that stopped half way"},
	{ID: PlanForget, Keys: []string{"f"}, Title: "leave it", Disabled: noOldPlan, Help: "forget a plan that stopped or is done; the policies stay where they are"},
}

func noPlan(c Context) string {
	switch {
	case c.Plan == nil || c.Plan.State == gate.PlanDone:
		return "no plan has stopped half way"
	case c.Plan.State != gate.PlanStopped:
		return "the plan is running: stop it first"
	}
	return ""
}

func noRunningPlan(c Context) string {
	if c.Plan == nil || c.Plan.State != gate.PlanRunning && c.Plan.State != gate.PlanWaiting {
		return "no plan is running"
	}
	return ""
}

func noOldPlan(c Context) string {
	switch {
	case c.Plan == nil:
		return "there is no plan to forget"
	case c.Plan.State == gate.PlanRunning || c.Plan.State == gate.PlanWaiting:
		return "the plan is running: stop it first"
	}
	return ""
}
