package action

import (
	"rung/engine/gate"
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
)

var logActions = []Action{
	{ID: LogsPause, Keys: []string{"space"}, Title: "pause", Footer: 20, Help: "stop following, or go on with the newest line"},
	{ID: LogsAggregate, Keys: []string{"a"}, Title: "aggregate", Footer: 30, Help: "count equal lines instead of repeating them"},
	{ID: LogsMark, Keys: []string{"m"}, Title: "mark", Footer: 40, Help: "put a line with the time into the log"},
	{ID: LogsClear, Keys: []string{"c"}, Title: "clear", Help: "begin with an empty list; counts stay"},
	{ID: LogsPod, Keys: []string{"p"}, Title: "pod", Footer: 50, Help: "go to the pod of the line under the cursor"},
	{ID: LogsLogging, Keys: []string{"L"}, Title: "logging", Footer: 60, Op: gate.OpLogLevel, Danger: gate.Confirmed,
		Help: "choose what the policy of the page, or of the line under the cursor, logs"},
	{ID: LogsWhy, Keys: []string{"i"}, Title: "why nothing", Footer: 70, Help: "why do I see nothing, or not what I expect"},
	{ID: LogsTime, Keys: []string{"T"}, Title: "time", Help: "show times in full, in seconds, or not at all"},
	{ID: LogsSave, Keys: []string{"s"}, Title: "save", Help: "write the lines that are shown to a file, as sentences with the raw lines"},
}
