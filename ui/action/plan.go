package action

import (
	"rung/change"
	"rung/revision"
)

// Actions of the plan view.
const (
	PlanStep     ID = "plan.step"
	PlanInsert   ID = "plan.insert"
	PlanMove     ID = "plan.move"
	PlanRun      ID = "plan.run"
	PlanOpen     ID = "plan.open"
	PlanNew      ID = "plan.new"
	PlanTemplate ID = "plan.template"
	PlanBack     ID = "plan.back"
	PlanStop     ID = "plan.stop"
	PlanExport   ID = "plan.export"
)

var planActions = []Action{
	{ID: PlanRun, Keys: []string{"enter"}, Title: "run", Footer: 10, Op: change.OpMove, Danger: change.Confirmed, Disabled: whileRunning,
		Help: "preview and run the steps of the plan, or the remaining ones of a stopped plan, waiting for every zone after each"},
	{ID: PlanStep, Keys: []string{"d"}, Title: "distance", Footer: 20, Disabled: whileOpen,
		Help: "choose the distance between priorities and the first priority"},
	{ID: PlanInsert, Keys: []string{"i"}, Title: "insert here", Footer: 30, Disabled: whileOpen,
		Help: "find or make room for a new policy below the cursor"},
	{ID: PlanMove, Keys: []string{"m"}, Title: "move", Footer: 40, Op: change.OpMove, Danger: change.Confirmed, Disabled: NeedsPriority,
		Help: "give the policy under the cursor another priority, even if that changes decisions"},
	{ID: PlanBack, Keys: []string{"b"}, Title: "roll back", Footer: 12, Op: change.OpMove, Danger: change.Confirmed, Disabled: noPlan,
		Help: "preview and undo the steps of a stopped plan, the last one first"},
	{ID: PlanStop, Keys: []string{"x"}, Title: "end the plan", Footer: 14, Disabled: noPlanToEnd,
		Help: "stop a running plan after this step (it can be continued later), or end a stopped one and keep its result"},
	{ID: PlanNew, Keys: []string{"n"}, Title: "new here", Op: change.OpApply, Danger: change.Confirmed,
		Help: "create a policy at the priority made free, or at the first free one below the cursor"},
	{ID: PlanTemplate, Keys: []string{"N"}, Title: "template", Op: change.OpApply, Danger: change.Confirmed,
		Help: "make policies from a template: tenant isolation, default deny, quarantine and others"},
	{ID: PlanOpen, Keys: []string{"o"}, Title: "open", Help: "go to the policy under the cursor", Disabled: NeedsAdminPolicy},
	{ID: PlanExport, Keys: []string{"ctrl+s"}, Title: "export", Footer: 50, Disabled: whileOpen,
		Help: "write the policies with their new priorities to a YAML file"},
}

// whileRunning disables actions while a plan runs.
func whileRunning(c Context) string {
	switch {
	case c.Plan.RunsElsewhere():
		return c.Plan.RunBy()
	case c.Plan.IsUnderWay():
		return "the plan is running"
	}
	return ""
}

// whileOpen disables proposing a plan while another is not ended.
func whileOpen(c Context) string {
	switch {
	case c.Plan.IsUnderWay():
		return whileRunning(c)
	case c.Plan.IsOpen():
		return "a plan has stopped: continue it, roll it back or keep its result"
	}
	return ""
}

func noPlan(c Context) string {
	switch {
	case c.Plan.RunsElsewhere():
		return c.Plan.RunBy()
	case c.Plan.IsUnderWay():
		return "the plan is running: end it first"
	case c.Plan == nil:
		return "no plan has stopped"
	case c.Plan.IsUndoneBy(c.Undo):
		return "the plan is done: undo reverts all of it"
	case c.Plan.State == revision.PlanDone:
		return "the plan is done"
	}
	return ""
}

func noPlanToEnd(c Context) string {
	switch {
	case c.Plan == nil:
		return "there is no plan"
	case c.Plan.RunsElsewhere():
		return c.Plan.RunBy()
	}
	return ""
}
