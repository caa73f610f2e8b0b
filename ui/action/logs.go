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
	{ID: LogsPause, Keys: []string{"space"}, Title: "pause", Footer: 20, Help: "pause, or follow the newest lines again"},
	{ID: LogsAggregate, Keys: []string{"z"}, Title: "group", Footer: 30, Help: "group equal lines and count them, or show every line"},
	{ID: LogsMark, Keys: []string{"m"}, Title: "mark", Footer: 40, Help: "put a marker line with the time into the log"},
	{ID: LogsClear, Keys: []string{"ctrl+l"}, Title: "clear", Help: "clear the list; counts stay"},
	{ID: LogsPod, Keys: []string{"p"}, Title: "pod", Footer: 50, Help: "go to the pod of the line under the cursor"},
	{ID: LogsLogging, Keys: []string{"L"}, Title: "logging", Footer: 60, Op: gate.OpLogLevel, Danger: gate.Confirmed,
		Help: "choose what the policy logs: that of the page, or of the line under the cursor"},
	{ID: LogsWhy, Keys: []string{"h"}, Title: "why nothing", Footer: 70, Help: "why there are no lines, or not the ones you expect"},
	{ID: LogsTime, Keys: []string{"T"}, Title: "times", Help: "show times in full, in seconds, or not at all"},
	{ID: LogsSave, Keys: []string{"ctrl+s"}, Title: "save", Help: "save the lines shown to a file, as sentences with the raw lines"},
}
