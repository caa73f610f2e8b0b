package ui

import (
	"rung/ui/activity"
	"rung/ui/cluster"
	"rung/ui/contexts"
	"rung/ui/controllerlog"
	"rung/ui/diff"
	"rung/ui/edit"
	"rung/ui/findings"
	"rung/ui/ladder"
	"rung/ui/logs"
	"rung/ui/matrix"
	"rung/ui/messages"
	"rung/ui/nav"
	"rung/ui/omitted"
	"rung/ui/plan"
	"rung/ui/pod"
	"rung/ui/policy"
	"rung/ui/probe"
	"rung/ui/row"
	"rung/ui/rows"
	"rung/ui/rule"
	"rung/ui/sessions"
	"rung/ui/template"
	"rung/ui/trace"
	"rung/ui/view"
	"rung/ui/zones"
)

// makers says which view shows which kind of page. A new view adds a line.
var makers = map[nav.PageKind]view.ViewMaker{
	nav.Edit:     edit.New,
	nav.Ladder:   ladder.New,
	nav.Policy:   policy.New,
	nav.Rule:     rule.New,
	nav.Rows:     rows.New,
	nav.Row:      row.New,
	nav.Pod:      pod.New,
	nav.Activity: activity.New,
	nav.Logs:     logs.New,
	nav.Plan:     plan.New,
	nav.Zones:    zones.New,

	nav.Controller: controllerlog.New,
	nav.Contexts:   contexts.New,
	nav.Findings:   findings.New,
	nav.Cluster:    cluster.New,
	nav.Trace:      trace.New,
	nav.Matrix:     matrix.New,
	nav.Probe:      probe.New,
	nav.Template:   template.New,
	nav.Sessions:   sessions.New,
	nav.Diff:       diff.New,
	nav.Omitted:    omitted.New,
	nav.Messages:   messages.New,
}
