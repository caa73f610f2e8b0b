package action

import (
	"rung/change"
	"rung/system"
)

// The actions of the logs view.
const (
	LogsPause     ID = "logs.pause"
	LogsAggregate ID = "logs.aggregate"
	LogsMark      ID = "logs.mark"
	LogsClear     ID = "logs.clear"
	LogsPod       ID = "logs.pod"
	LogsLogging   ID = "logs.logging"
	LogsTime      ID = "logs.time"
	LogsWhy       ID = "logs.why"
	LogsSave      ID = "logs.save"
	LogsTrace     ID = "logs.trace"
	LogsOVN       ID = "logs.ovn"
	LogsRows      ID = "logs.rows"
	LogsBy        ID = "logs.by"
	LogsColumns   ID = "logs.columns"
	LogsMore      ID = "logs.more-around"
	LogsLess      ID = "logs.fewer-around"
	LogsPropose   ID = "logs.propose"
	LogsSeek      ID = "logs.seek"
)

var logActions = []Action{
	{ID: LogsPause, Keys: []string{"space"}, Title: "pause", Footer: 20, Help: "pause, or follow the newest lines again"},
	{ID: LogsAggregate, Keys: []string{"z"}, Title: "group", Footer: 30, Help: "group equal lines and count them, or show every line"},
	{ID: LogsBy, Keys: []string{"B"}, Title: "group by", Footer: 57, Help: "group by source, destination, port, rule or namespaces: count, rate, first and last line; enter shows the lines of one"},
	{ID: LogsMark, Keys: []string{"m"}, Title: "mark", Footer: 40, Help: "put a marker line with the time into the log"},
	{ID: LogsClear, Keys: []string{"ctrl+l"}, Title: "clear", Help: "clear the list; counts stay"},
	{ID: LogsMore, Keys: []string{"+"}, Title: "more around", Help: "with a filter: show more lines before and after each match"},
	{ID: LogsLess, Keys: []string{"-"}, Title: "fewer around", Help: "with a filter: show fewer lines before and after each match"},
	{ID: LogsPod, Keys: []string{"p"}, Title: "pod", Footer: 50, Help: "go to the pod of the line under the cursor"},
	{ID: LogsRows, Needs: system.Rows, Keys: []string{"r"}, Title: "row", Help: "go to the row that logged the line under the cursor"},
	traceFrom(LogsTrace, 55, "trace the connection of the line under the cursor: who decides now"),
	ovnFrom(LogsOVN, "the trace of the line under the cursor, and run ovn-trace about it"),
	{ID: LogsLogging, Needs: system.LogLevels, Keys: []string{"L"}, Title: "logging", Footer: 60, Op: change.OpLogLevel, Danger: change.Confirmed,
		Help: "choose what the policy logs: that of the page, or of the line under the cursor"},
	{ID: LogsColumns, Keys: []string{"O"}, Title: "columns", Help: "choose which columns the lines have, and their order"},
	{ID: LogsPropose, Keys: []string{"E"}, Title: "propose a rule", Op: change.OpApply, Danger: change.Confirmed,
		Help: "propose the rule that allows or denies exactly the line under the cursor, or the lines shown; it goes through the editor and a preview"},
	{ID: LogsWhy, Keys: []string{"h"}, Title: "why nothing", Footer: 70, Help: "why there are no lines, or not the ones you expect"},
	{ID: LogsTime, Keys: []string{"K"}, Title: "clock", Help: "show times of this machine, in UTC, as age, or not at all"},
	{ID: LogsSeek, Keys: []string{"@"}, Title: "go to a time", Help: "with --log: go to a time in the log files; the end follows again"},
	{ID: LogsSave, Keys: []string{"ctrl+s"}, Title: "save", Help: "save the lines shown to a file, as sentences with the raw lines, or the raw lines alone; asks for the path"},
}
