package action

import (
	"rung/change"
	"rung/system"
)

// The actions of the rule view.
const (
	RuleNextZone ID = "rule.next-zone"
	RulePrevZone ID = "rule.previous-zone"
	RuleNextACL  ID = "rule.next-acl"
	RuleLogs     ID = "rule.logs"
	RuleEdit     ID = "rule.edit"
	RuleLogging  ID = "rule.logging"
	RuleTrace    ID = "rule.trace"
)

var rule = []Action{
	{ID: RuleNextZone, Needs: system.Rows, Keys: []string{"]"}, Title: "next zone", Footer: 20, Help: "compare with the live rows of the next zone"},
	{ID: RulePrevZone, Needs: system.Rows, Keys: []string{"["}, Title: "previous zone", Help: "compare with the live rows of the previous zone"},
	{ID: RuleNextACL, Needs: system.Rows, Keys: []string{"tab"}, Title: "next ACL", Footer: 25, Help: "show the next ACL of the rule; a rule has one ACL per protocol"},
	{ID: RuleLogs, Keys: []string{"l"}, Title: "log lines", Footer: 30, Help: "the log lines this rule decided"},
	traceFrom(RuleTrace, 35, "trace a connection that the rule is about: an example to begin with"),
	{ID: RuleEdit, Keys: []string{"e"}, Title: "edit", Footer: 40, Op: change.OpApply, Danger: change.Confirmed, Help: "edit the policy in $EDITOR"},
	{ID: RuleLogging, Needs: system.LogLevels, Keys: []string{"L"}, Title: "logging", Footer: 50, Op: change.OpLogLevel, Danger: change.Confirmed, Help: "choose what the policy logs, how much and for how long; a NetworkPolicy logs as its namespace says"},
}
