package action

import (
	"rung/change"
	"rung/engine/logs"
	"rung/revision"
	"rung/system"
)

// Actions of the page of controllers' log lines.
const (
	ControllerAgain ID = "controller.again"
	ControllerZone  ID = "controller.zone"
	ControllerPrev  ID = "controller.previous-zone"
)

var controllerActions = []Action{
	{ID: ControllerAgain, Keys: []string{"ctrl+r"}, Title: "refresh", Footer: 20, Help: "read the newest lines of the controller"},
	{ID: ControllerZone, Keys: []string{"]"}, Title: "next zone", Footer: 30, Help: "the controller of the next zone"},
	{ID: ControllerPrev, Keys: []string{"["}, Title: "previous zone", Help: "the controller of the previous zone"},
}

// NeedsCluster disables an action that needs the pods of a cluster.
func NeedsCluster(c Context) string {
	if c.Mode.Name != revision.ClusterMode {
		return logs.ErrNotOnCluster.Error()
	}
	return ""
}

// Actions of the page of a comparison.
const (
	DiffNextTab ID = "diff.next-tab"
	DiffPrevTab ID = "diff.previous-tab"
	DiffInput   ID = "diff.input"
	DiffAgain   ID = "diff.again"
)

var diffActions = []Action{
	{ID: DiffNextTab, Keys: []string{"tab"}, Title: "next tab", Footer: 12, Help: "next tab: connections, policies, findings, guard rails, " +
		"not counted"},
	{ID: DiffPrevTab, Keys: []string{"shift+tab"}, Title: "previous tab", Help: "previous tab"},
	{ID: DiffInput, Keys: []string{"e"}, Title: "inputs", Footer: 20, Help: "choose inputs: one to compare with what is " +
		"shown here, or two to compare with each other"},
	{ID: DiffAgain, Keys: []string{"ctrl+r"}, Title: "refresh", Footer: 30, Help: "read the inputs again, and compare"},
}

// Actions of the edit view and of the preview of a change.
const (
	EditEditor  ID = "edit.editor"
	EditPreview ID = "edit.preview"

	PreviewApply ID = "preview.apply"
	PreviewNo    ID = "preview.no"
	PreviewEdit  ID = "preview.edit"
	PreviewDiff  ID = "preview.diff"
	PreviewMerge ID = "preview.merge"
	PreviewWhole ID = "preview.whole"

	PreviewSection     ID = "preview.next-section"
	PreviewSectionBack ID = "preview.previous-section"
)

var edit = []Action{
	{ID: EditEditor, Keys: []string{"e"}, Title: "edit again", Footer: 20,
		Help: "open the text in $EDITOR again, at the mistake under the cursor"},
	{ID: EditPreview, Keys: []string{"enter"}, Title: "preview", Footer: 30, Help: "preview the change; nothing is " +
		"written yet"},
}

// PreviewApply has no operation of its own: the preview knows whether its change is possible.
var preview = []Action{
	{ID: PreviewNo, Keys: []string{"esc", "q"}, Title: "no", Footer: 10, Danger: change.Harmless, Help: "change nothing and go back"},
	{ID: PreviewApply, Keys: []string{"a", "enter"}, Title: "apply", Footer: 20, Danger: change.Confirmed,
		Help: "apply the change, after a last question (the default is no)"},
	{ID: PreviewEdit, Keys: []string{"e"}, Title: "edit again", Footer: 30, Help: "go back to the text"},
	{ID: PreviewDiff, Keys: []string{"v"}, Title: "as text", Footer: 40, Help: "show the change as a text diff, or field by field"},
	{ID: PreviewWhole, Keys: []string{"w"}, Title: "whole", Footer: 60, Help: "wrap long lines and list all members of sets, or cut them; " +
		"→ scrolls sideways"},
	{ID: PreviewSection, Keys: []string{"}"}, Title: "next section", Footer: 50, Help: "go to the next heading of a long preview; after the " +
		"last, to the end"},
	{ID: PreviewSectionBack, Keys: []string{"{"}, Title: "previous section",
		Help: "go to the heading before; before the first, to the beginning"},
	{ID: PreviewMerge, Keys: []string{"u"}, Title: "merge", Help: "merge your change with the one made in the meantime, and " +
		"preview the result"},
}

// Actions of the page of findings.
const (
	FindingsOnly   ID = "findings.severity"
	FindingsPolicy ID = "findings.policy"
	FindingsFold   ID = "findings.fold"
	FindingsFix    ID = "findings.fix"
)

var findingsActions = []Action{
	{ID: FindingsFold, Keys: []string{"space"}, Title: "unfold", Footer: 12, Help: "show or hide the findings that the rule under the " +
		"cursor causes"},
	{ID: FindingsFix, Keys: []string{"."}, Title: "fix", Footer: 15, Op: change.OpApply, Danger: change.Confirmed,
		Help: "preview the change that fixes the finding, if one is known for sure"},
	{ID: FindingsOnly, Keys: []string{"V"}, Title: "severity", Footer: 20, Help: "show errors only, then errors and warnings, then all again"},
	{ID: FindingsPolicy, Keys: []string{"o"}, Title: "policy", Footer: 30, Help: "open the policy the finding is about"},
}

// Actions of the pod view.
const (
	PodLogs       ID = "pod.logs"
	PodTrace      ID = "pod.trace"
	PodTraceTo    ID = "pod.trace-to"
	PodOVN        ID = "pod.ovn"
	PodQuarantine ID = "pod.quarantine"
)

var pod = []Action{
	{ID: PodLogs, Keys: []string{"l"}, Title: "log lines", Footer: 20, Help: "the log lines with this pod at one end"},
	traceFrom(PodTrace, 30, "trace a connection from the pod: choose the other end and the port"),
	{ID: PodTraceTo, Keys: []string{"@"}, Title: "trace to", Footer: 32,
		Help: "trace a connection to the pod: choose the other end and the port"},
	{ID: PodQuarantine, Keys: []string{"Q"}, Title: "quarantine", Footer: 34, Op: change.OpApply, Danger: change.Confirmed,
		Help: "make a policy that isolates the pods with a label of this pod; it is previewed first"},
	ovnFrom(PodOVN, "trace a connection of the pod, also with ovn-trace: choose the other end and the port"),
}

// SessionsLogging is the action of the view of logging sessions.
const SessionsLogging ID = "sessions.logging"

var sessionActions = []Action{
	{ID: SessionsLogging, Keys: []string{"L"}, Title: "logging", Footer: 20, Op: change.OpLogLevel, Danger: change.Confirmed,
		Help: "change the session under the cursor, or end it now"},
}

// Actions of the activity and zones views.
const (
	ActivityZone   ID = "activity.zone"
	ActivityPrev   ID = "activity.previous-zone"
	ActivityPolicy ID = "activity.policy"
	ActivityUndo   ID = "activity.undo"
	ZonesRows      ID = "zones.rows"
	ZonesState     ID = "zones.state"
)

var activity = []Action{
	{ID: ActivityUndo, Keys: []string{"U"}, Title: "undo", Footer: 15, Op: change.OpUndo, Danger: change.Confirmed,
		Help: "undo the change under the cursor, after a preview"},
	{ID: ActivityPolicy, Keys: []string{"o"}, Title: "policy", Footer: 30, Help: "go to the policy"},
	{ID: ActivityZone, Keys: []string{"]"}, Title: "next zone", Footer: 20,
		Help: "show one zone only; press again for the next, then for all"},
	{ID: ActivityPrev, Keys: []string{"["}, Title: "previous zone", Help: "show one zone only: the previous one"},
}

var zones = []Action{
	{ID: ZonesRows, Keys: []string{"r"}, Title: "rows", Footer: 20, Help: "the rows of the zone under the cursor"},
	{ID: ZonesState, Keys: []string{"V"}, Title: "show only", Footer: 30, Help: "show only zones that differ, are unreachable, have trouble " +
		"in OVN, are followed, or are read in turn; press again for the next, then for all"},
}

// OmittedEdit is the action of the page "not counted".
const OmittedEdit ID = "omitted.edit"

var omitted = []Action{
	{ID: OmittedEdit, Keys: []string{"e"}, Title: "edit file", Footer: 20, Help: "edit the file in $EDITOR, from the unreadable object on"},
}

// Actions of the logs view.
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
)

var logActions = []Action{
	{ID: LogsPause, Keys: []string{"space"}, Title: "pause, mark", Footer: 20,
		Help: "pause; while paused mark or unmark the line: E, y and ctrl+s take the marked lines, End follows again"},
	{ID: LogsAggregate, Keys: []string{"z"}, Title: "group", Footer: 30, Help: "group equal lines and count them, or show every line"},
	{ID: LogsBy, Keys: []string{"B"}, Title: "group by", Footer: 57, Help: "group by source, destination, port, rule or namespaces: count, " +
		"rate, first and last line; enter shows the lines of a group"},
	{ID: LogsMark, Keys: []string{"m"}, Title: "time mark", Footer: 62, Help: "put a marker line with the time into the log"},
	{ID: LogsClear, Keys: []string{"ctrl+l"}, Title: "clear", Help: "clear the list; counts stay"},
	{ID: LogsMore, Keys: []string{"+"}, Title: "more around", Help: "with a filter: show more lines before and after each match"},
	{ID: LogsLess, Keys: []string{"-"}, Title: "fewer around", Help: "with a filter: show fewer lines before and after each match"},
	{ID: LogsPod, Keys: []string{"p"}, Title: "pod", Footer: 50, Help: "go to the pod of the line under the cursor"},
	{ID: LogsRows, Needs: system.Rows, Keys: []string{"r"}, Title: "row", Help: "go to the row that logged the line under the cursor"},
	traceFrom(LogsTrace, 22, "trace the connection of the line under the cursor, or of a marked line, by the current policies"),
	ovnFrom(LogsOVN, "trace the connection of the line under the cursor, or of a marked line, also with ovn-trace"),
	{ID: LogsLogging, Keys: []string{"L"}, Title: "logging", Footer: 60, Op: change.OpLogLevel, Danger: change.Confirmed,
		Help: "choose the logging of the page's policy, or of the policy of the line under the cursor"},
	{ID: LogsColumns, Keys: []string{"O"}, Title: "columns", Help: "choose which columns the lines have, and their order"},
	{ID: LogsPropose, Keys: []string{"E"}, Title: "propose a rule", Footer: 25, Op: change.OpApply, Danger: change.Confirmed,
		Help: "propose the rule that allows or denies exactly the line under the cursor, the marked lines, or all shown; it goes " +
			"through the editor and a preview"},
	{ID: LogsWhy, Keys: []string{"h"}, Title: "why nothing", Footer: 70, Help: "explain why expected lines are missing"},
	{ID: LogsTime, Keys: []string{"K"}, Title: "clock", Help: "show times in local time, in UTC, as age, or not at all"},
	{ID: LogsSave, Keys: []string{"ctrl+s"}, Title: "save",
		Help: "save the marked lines, or all shown, to a file, as sentences with the raw lines, or the raw lines alone; asks for the path"},
}
