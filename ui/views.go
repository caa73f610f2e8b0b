package ui

import (
	"rung/ui/cluster"
	"rung/ui/edit"
	"rung/ui/ladder"
	"rung/ui/logs"
	"rung/ui/nav"
	"rung/ui/policy"
	"rung/ui/preview"
	"rung/ui/rows"
	"rung/ui/trace"
	"rung/ui/view"
)

// viewMakers maps each kind of page to its view. A new view adds a line.
var viewMakers = map[nav.PageKind]view.ViewMaker{
	nav.Edit:      edit.New,
	nav.Ladder:    ladder.New,
	nav.Policy:    policy.New,
	nav.Rule:      rows.NewRule,
	nav.Rows:      rows.New,
	nav.Row:       rows.NewRow,
	nav.Pod:       policy.NewPod,
	nav.Namespace: policy.NewNamespace,
	nav.Activity:  logs.NewActivity,
	nav.Logs:      logs.New,
	nav.Plan:      ladder.NewPlan,
	nav.Zones:     cluster.NewZones,

	nav.Controller: logs.NewControllerLog,
	nav.Contexts:   cluster.NewContexts,
	nav.Findings:   cluster.NewFindings,
	nav.Cluster:    cluster.New,
	nav.Trace:      trace.New,
	nav.Matrix:     trace.NewMatrix,
	nav.Probe:      trace.NewProbe,
	nav.Template:   edit.NewFromTemplate,
	nav.Sessions:   logs.NewSessions,
	nav.Diff:       preview.NewDiff,
	nav.Omitted:    cluster.NewOmitted,
	nav.Messages:   cluster.NewMessages,
}
