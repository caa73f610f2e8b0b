package action

import (
	"rung/change"
	"rung/model"
	"rung/system"
	"rung/ui/nav"
)

// Actions of the policy view.
const (
	PolicyNextTab ID = "policy.next-tab"
	PolicyPrevTab ID = "policy.previous-tab"
	PolicyRules   ID = "policy.rules"
	PolicyPods    ID = "policy.pods"
	PolicyYAML    ID = "policy.yaml"
	PolicyZones   ID = "policy.zones"
	PolicyFinds   ID = "policy.findings"
	PolicyEdit    ID = "policy.edit"
	PolicyMove    ID = "policy.move"
	PolicyLogging ID = "policy.logging"
	PolicyLogs    ID = "policy.logs"
	PolicyRows    ID = "policy.rows"
	PolicyDelete  ID = "policy.delete"

	PolicyTrace ID = "policy.trace"

	PolicyController ID = "policy.controller"
)

var policy = []Action{
	{ID: PolicyNextTab, Keys: []string{"tab"}, Title: "next tab", Footer: 12, Help: "next tab: rules, pods, YAML, zones, findings"},
	{ID: PolicyPrevTab, Keys: []string{"shift+tab"}, Title: "previous tab", Help: "previous tab"},
	{ID: PolicyRules, Title: "rules tab", Help: "the rules in order of precedence"},
	{ID: PolicyPods, Keys: []string{"p"}, Title: "pods tab", Help: "the pods the policy applies to"},
	{ID: PolicyYAML, Keys: []string{"v"}, Title: "YAML tab", Help: "the policy as it was written"},
	{ID: PolicyZones, Needs: system.Rows, Keys: []string{"Z"}, Title: "zones tab",
		Help: "the policy in each zone: state, differences, controllers' reports, events"},
	{ID: PolicyFinds, Keys: []string{"f"}, Title: "findings tab", Help: "the findings about the policy"},
	{ID: PolicyEdit, Keys: []string{"e"}, Title: "edit", Footer: 20, Op: change.OpApply, Danger: change.Confirmed,
		Help: "edit the policy in $EDITOR"},
	{ID: PolicyMove, Keys: []string{"m"}, Title: "move", Footer: 30, Op: change.OpMove, Danger: change.Confirmed,
		Help: "give the policy another priority", Disabled: NeedsPriority},
	{ID: PolicyLogging, Keys: []string{"L"}, Title: "logging", Footer: 40, Op: change.OpLogLevel, Danger: change.Confirmed,
		Help: "choose what the policy logs, at which level and for how long; a NetworkPolicy follows its namespace"},
	{ID: PolicyLogs, Keys: []string{"l"}, Title: "log lines", Footer: 50, Help: "the log lines of the policy"},
	traceFrom(PolicyTrace, 55, "trace a connection of the policy, beginning with an example"),
	{ID: PolicyRows, Needs: system.Rows, Keys: []string{"r"}, Title: "rows", Footer: 60, Help: "the policy's rows in every zone"},
	{ID: PolicyController, Needs: system.Rows, Keys: []string{"c"}, Title: "controller's log",
		Help: "what the zone's ovnkube-controller wrote about the policy", Disabled: NeedsCluster},
	{ID: PolicyDelete, Keys: []string{"D", "delete"}, Title: "delete", Op: change.OpDelete, Danger: change.Typed,
		Help: "delete the policy; its name must be typed"},
}

// Actions of the rule view.
const (
	RuleNextZone ID = "rule.next-zone"
	RulePrevZone ID = "rule.previous-zone"
	RuleNextACL  ID = "rule.next-acl"
	RuleFold     ID = "rule.fold"
	RuleLogs     ID = "rule.logs"
	RuleEdit     ID = "rule.edit"
	RuleLogging  ID = "rule.logging"
	RuleTrace    ID = "rule.trace"
)

var rule = []Action{
	{ID: RuleNextZone, Needs: system.Rows, Keys: []string{"]"}, Title: "next zone", Footer: 20,
		Help: "compare with the live rows of the next zone"},
	{ID: RulePrevZone, Needs: system.Rows, Keys: []string{"["}, Title: "previous zone",
		Help: "compare with the live rows of the previous zone"},
	{ID: RuleNextACL, Needs: system.Rows, Keys: []string{"tab"}, Title: "next ACL", Footer: 25,
		Help: "show the next ACL of the rule; a rule has one ACL per protocol"},
	{ID: RuleFold, Needs: system.Rows, Keys: []string{"space"}, Title: "all columns",
		Help: "show all columns of the ACL, or only the differing ones"},
	{ID: RuleLogs, Keys: []string{"l"}, Title: "log lines", Footer: 30, Help: "the log lines this rule decided"},
	traceFrom(RuleTrace, 35, "trace a connection of the rule, beginning with an example"),
	{ID: RuleEdit, Keys: []string{"e"}, Title: "edit", Footer: 40, Op: change.OpApply, Danger: change.Confirmed,
		Help: "edit the policy in $EDITOR"},
	{ID: RuleLogging, Keys: []string{"L"}, Title: "logging", Footer: 50, Op: change.OpLogLevel, Danger: change.Confirmed,
		Help: "choose what the policy logs, at which level and for how long; a NetworkPolicy follows its namespace"},
}

// Actions of the views of rows and of one row.
const (
	RowsNextZone ID = "rows.next-zone"
	RowsPrevZone ID = "rows.previous-zone"
	RowsTable    ID = "rows.table"
	RowsStage    ID = "rows.stage"

	RowOwner    ID = "row.owner"
	RowLogs     ID = "row.logs"
	RowNextZone ID = "row.next-zone"
	RowPrevZone ID = "row.previous-zone"
)

var rows = []Action{
	{ID: RowsNextZone, Keys: []string{"]"}, Title: "next zone", Footer: 20, Help: "the rows of the next zone"},
	{ID: RowsPrevZone, Keys: []string{"["}, Title: "previous zone", Help: "the rows of the previous zone"},
	{ID: RowsTable, Keys: []string{"V"}, Title: "table", Footer: 30, Help: "show only one table: ACLs, address sets, port groups; press " +
		"again for the next"},
	{ID: RowsStage, Keys: []string{"s"}, Title: "stage", Footer: 40, Help: "show one stage of the pipeline only; press again for " +
		"the next stage"},
}

var row = []Action{
	{ID: RowOwner, Keys: []string{"o"}, Title: "owner", Footer: 20, Help: "go to the rule or policy the row belongs to"},
	{ID: RowLogs, Keys: []string{"l"}, Title: "log lines", Help: "the log lines of the rule or policy the row belongs to"},
	{ID: RowNextZone, Keys: []string{"]"}, Title: "next zone", Footer: 30, Help: "the same row in the next zone"},
	{ID: RowPrevZone, Keys: []string{"["}, Title: "previous zone", Help: "the same row in the previous zone"},
}

// Actions of the ladder.
const (
	LadderNew      ID = "ladder.new"
	LadderTemplate ID = "ladder.template"
	LadderMove     ID = "ladder.move"
	LadderEdit     ID = "ladder.edit"
	LadderDelete   ID = "ladder.delete"
	LadderLogging  ID = "ladder.logging"
	LadderSelect   ID = "ladder.select"
	LadderLogs     ID = "ladder.logs"
	LadderPlan     ID = "ladder.plan"
	LadderGaps     ID = "ladder.gaps"
	LadderFold     ID = "ladder.fold"
	LadderStage    ID = "ladder.stage"
	LadderTrace    ID = "ladder.trace"

	CarryUp     ID = "carry.up"
	CarryDown   ID = "carry.down"
	CarryFar    ID = "carry.far-down"
	CarryFarUp  ID = "carry.far-up"
	CarryDrop   ID = "carry.drop"
	CarryCancel ID = "carry.cancel"
	CarryErase  ID = "carry.erase"
)

// The view decides whether an action fits a line of the ladder, since it knows what the line is.
var ladder = []Action{
	{ID: LadderNew, Keys: []string{"n"}, Title: "new here", Footer: 20, Op: change.OpApply, Danger: change.Confirmed,
		Help: "create a policy in the gap under the cursor, or at the next free priority of its tier"},
	{ID: LadderTemplate, Keys: []string{"N"}, Title: "template", Footer: 70, Also: []string{"from template"}, Op: change.OpApply,
		Danger: change.Confirmed,
		Help:   "make policies from a template: tenant isolation, default deny, quarantine and others"},
	{ID: LadderMove, Keys: []string{"m"}, Title: "move", Footer: 30, Op: change.OpMove, Danger: change.Confirmed,
		Help: "move the policy along the ladder, or type its new priority; enter previews"},
	{ID: LadderEdit, Keys: []string{"e"}, Title: "edit", Footer: 40, Op: change.OpApply, Danger: change.Confirmed,
		Help: "edit the policy in $EDITOR"},
	{ID: LadderLogging, Keys: []string{"L"}, Title: "logging", Footer: 50, Op: change.OpLogLevel, Danger: change.Confirmed,
		Help: "choose what the policy logs, at which level and for how long; a NetworkPolicy follows its namespace"},
	{ID: LadderSelect, Keys: []string{"*"}, Title: "select", Help: "select or unselect the policy or namespace under the cursor; L " +
		"applies to all selected ones"},
	{ID: LadderLogs, Keys: []string{"l"}, Title: "log lines", Help: "the log lines of the policy under the cursor"},
	traceFrom(LadderTrace, 42, "trace a connection of the policy under the cursor"),
	{ID: LadderPlan, Needs: system.Stages, Keys: []string{"A"}, Title: "arrange", Footer: 60, Hidden: true,
		Help: "arrange priorities: free ranges, insert between two, re-space"},
	{ID: LadderDelete, Keys: []string{"D", "delete"}, Title: "delete", Op: change.OpDelete, Danger: change.Typed,
		Help: "delete the policy; its name must be typed"},
	{ID: LadderGaps, Needs: system.Stages, Keys: []string{"z"}, Title: "unfold all gaps",
		Help: "unfold every gap, one line per free priority, or fold them all to one line each"},
	{ID: LadderFold, Keys: []string{"space"}, Title: "unfold", Help: "unfold or fold the tier, namespace or gap under the cursor"},
	networkFrom(LadderNetwork, 46, "show the policies of another network"),
	{ID: LadderStage, Needs: system.Stages, Keys: []string{"s"}, Title: "stage", Footer: 45,
		Help: "show one stage of the pipeline only, in order of precedence; press again for the next stage"},
}

var carry = []Action{
	{ID: CarryDrop, Keys: []string{"enter"}, Title: "preview", Footer: 1, Help: "preview the move to this priority"},
	{ID: CarryDown, Keys: []string{"j", "down", "ctrl+n"}, Title: "down", Footer: 2, Help: "one priority down"},
	{ID: CarryUp, Keys: []string{"k", "up"}, Title: "up", Footer: 3, Help: "one priority up"},
	{ID: CarryFar, Keys: []string{"ctrl+d", "pgdown"}, Title: "ten down", Help: "ten priorities down"},
	{ID: CarryFarUp, Keys: []string{"ctrl+u", "pgup"}, Title: "ten up", Help: "ten priorities up"},
	{ID: CarryCancel, Keys: []string{"esc", "q"}, Title: "cancel", Footer: 4, Help: "cancel the move; the policy stays where it was"},
	{ID: CarryErase, Keys: []string{"backspace"}, Title: "erase a digit", Help: "delete the last digit typed; digits go straight to a " +
		"priority: 42, then enter"},
}

// NeedsPriority disables an action that needs a policy with a priority.
func NeedsPriority(c Context) string {
	for _, p := range []nav.Page{c.Selected, c.Page} {
		if p.Key.Kind.IsPolicy() {
			return NoPriority(p.Key)
		}
	}
	return NeedsAdminPolicy(c)
}

// NoPriority says why a policy cannot be moved, empty if it can.
func NoPriority(k model.PolicyKey) string {
	if k.Kind.CanMove() {
		return ""
	}
	switch k.Kind {
	case model.KindNP:
		return "a NetworkPolicy has no priority to move"
	case model.KindEF:
		return "an EgressFirewall has no priority to move"
	}
	return k.Label() + " has no priority"
}
