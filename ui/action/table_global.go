package action

import (
	"rung/change"
	"rung/system"
	"rung/ui/nav"
)

// Actions available everywhere.
const (
	Quit       ID = "app.quit"
	Leave      ID = "app.leave"
	Back       ID = "app.back"
	Forward    ID = "app.forward"
	Palette    ID = "app.palette"
	Filter     ID = "app.filter"
	Help       ID = "app.help"
	Writes     ID = "app.writes"
	Copy       ID = "app.copy"
	Save       ID = "app.save"
	Refresh    ID = "app.refresh"
	Mouse      ID = "app.mouse"
	Suspend    ID = "app.suspend"
	Undo       ID = "app.undo"
	Redo       ID = "app.redo"
	Confirm    ID = "app.confirm"
	GoLadder   ID = "go.ladder"
	GoRows     ID = "go.rows"
	GoZones    ID = "go.zones"
	GoLogs     ID = "go.logs"
	GoActivity ID = "go.activity"
	GoPlan     ID = "go.plan"
	GoContexts ID = "go.contexts"
	GoCluster  ID = "go.cluster"
	GoFindings ID = "go.findings"
	GoTrace    ID = "go.trace"
	GoProbe    ID = "go.probe"
	GoMatrix   ID = "go.matrix"
	GoSessions ID = "go.sessions"
	GoDiff     ID = "go.diff"
	GoOmitted  ID = "go.omitted"
	GoMessages ID = "go.messages"
)

var global = []Action{
	{ID: Palette, Keys: []string{":", "ctrl+p"}, Title: "command", Help: "run any action or go anywhere by name", Footer: 91, Hidden: true},
	{ID: Filter, Keys: []string{"/"}, Title: "filter", Help: "show only lines that match: a regular expression, " +
		"COLUMN=text for one column, !inverse, or -f fuzzy",
		Footer: 90},
	{ID: Help, Keys: []string{"?", "f1"}, Title: "help", Also: []string{"keys"},
		Help: "keys, columns and signs of this page; type to search, enter runs", Footer: 92},
	{ID: Back, Keys: []string{"esc"}, Title: "back", Help: "clear the filter, then go back to the previous page", Hidden: true},
	{ID: Forward, Keys: []string{"alt+right"}, Title: "forward", Help: "go forward again, after back", Hidden: true},
	{ID: Leave, Keys: []string{"q"}, Title: "leave", Help: "go back, and quit from the first page", Hidden: true},
	{ID: Quit, Keys: []string{"ctrl+c"}, Title: "quit", Also: []string{"q", "q!", "exit"}, Help: "quit at once"},
	{ID: Copy, Keys: []string{"y"}, Title: "copy", Also: []string{"kubectl", "yank"}, Footer: 45,
		Hint: func(c Context) bool { return c.Page.Kind == nav.Preview },
		Help: "copy from the line under the cursor: name, YAML, match or command"},
	{ID: Save, Keys: []string{"ctrl+s"}, Title: "save", Help: "save the text of this page to a file"},
	{ID: Writes, Keys: []string{"W"}, Title: "allow changes", Help: "allow changes, or go back to read-only"},
	{ID: Undo, Keys: []string{"U"}, Title: "undo", Help: "undo the last saved change, after a preview", Op: change.OpUndo,
		Danger: change.Confirmed,
		Disabled: func(c Context) string {
			if c.Undo == "" {
				return "nothing to undo"
			}
			return ""
		}},
	{ID: Redo, Keys: []string{"R"}, Title: "redo", Help: "re-apply the change that was undone last, after a preview", Op: change.OpRedo,
		Danger: change.Confirmed,
		Disabled: func(c Context) string {
			if c.Redo == "" {
				return "nothing to redo"
			}
			return ""
		}},
	{ID: Confirm, Keys: []string{"Y"}, Title: "confirm", Also: []string{"keep"}, Footer: 1, Hint: onTrial,
		Help: "keep the change on trial; Rung reverts changes that nobody confirms in time",
		Disabled: func(c Context) string {
			if !c.Unconfirmed.IsOpen() {
				return "no change waits to be confirmed"
			}
			return ""
		}},
	{ID: Refresh, Keys: []string{"ctrl+r", "ctrl+l"}, Title: "refresh", Help: "read the newest state and redraw the screen"},
	{ID: Mouse, Keys: []string{"M"}, Title: "mouse", Help: "mouse on, or mouse off (select text freely)"},
	{ID: Suspend, Keys: []string{"ctrl+z"}, Title: "suspend", Help: "suspend Rung and go to the shell; fg returns"},
	{ID: GoFindings, Keys: []string{"f"}, Title: "findings", Also: []string{"lint"}, Help: "go to the findings: everything wrong or " +
		"dangerous; the header counts them"},
	{ID: GoTrace, Keys: []string{"t"}, Title: "trace", Also: []string{"reach"},
		Help: "trace a connection to its verdict and deciding rule: choose both ends, or type :trace FROM TO PORT"},
	{ID: GoMatrix, Title: "matrix", Also: []string{"reachability", "connectivity", "allowed"},
		Help: "go to the matrix: which namespaces, workloads and pods reach which, on a port or on any"},
	{ID: GoSessions, Title: "sessions", Also: []string{"logging", "log-sessions"}, Help: "go to the logging sessions, running and " +
		"ended: who logs what, until when"},
	{ID: GoDiff, Title: "diff", Also: []string{"compare"}, Help: "compare another input with what is shown here, or two inputs: " +
		"type :diff INPUT, or :diff BEFORE AFTER"},
	{ID: GoOmitted, Keys: []string{"!"}, Title: "not counted", Also: []string{"omitted", "not-considered", "unjudged"},
		Help: "list everything that answers leave out or assume: rejected, unread, assumed"},
	{ID: GoMessages, Title: "messages", Also: []string{"errors", "notifications"},
		Help: "go to the messages: the last 200 of the bottom line in full, with time and page"},
	{ID: GoProbe, Needs: system.Rows, Keys: []string{"P"}, Title: "probe", Also: []string{"packet"}, Footer: 28, Disabled: NeedsOVN,
		Hint: canOfferProbe,
		Help: "send a connection through the sandbox as packets: OVN's verdict and by which rule, next to rows and policies"},
	{ID: GoLadder, Keys: []string{"1"}, Title: "ladder", Also: []string{"anp", "policies"}, Help: "go to the ladder of policies"},
	{ID: GoRows, Needs: system.Rows, Keys: []string{"2"}, Title: "rows", Also: []string{"acl", "acls"}, Help: "go to the rows of all zones"},
	{ID: GoZones, Needs: system.Rows, Keys: []string{"3"}, Title: "zones",
		Also: []string{"nodes", "no", "ready", "conditions", "sync", "drift"},
		Help: "go to the zones, and their controllers' reports on each policy"},
	{ID: GoLogs, Keys: []string{"4"}, Title: "logs", Also: []string{"log"}, Help: "go to the log of all policies"},
	{ID: GoActivity, Keys: []string{"5"}, Title: "activity", Also: []string{"history", "events"},
		Help: "go to the activity: every change with its author, origin, rows and commands; undo from there"},
	{ID: GoPlan, Needs: system.Stages, Keys: []string{"6", "A"}, Title: "plan", Also: []string{"arrange"},
		Help: "go to the plan of priorities, running or new"},
	{ID: GoContexts, Keys: []string{"C"}, Title: "contexts", Also: []string{"ctx", "context"},
		Help: "go to the contexts of the kubeconfig; enter opens another cluster"},
	{ID: GoCluster, Keys: []string{"8"}, Title: "cluster", Also: []string{"info"},
		Help: "go to the cluster: API server, all counts of the header, resources, permissions, sweep, logs"},
}

// onTrial reports whether a change waits to be confirmed.
func onTrial(c Context) bool { return c.Unconfirmed.IsOpen() }

// Actions of lists.
const (
	Down     ID = "list.down"
	Up       ID = "list.up"
	HalfDown ID = "list.half-down"
	HalfUp   ID = "list.half-up"
	PageDown ID = "list.page-down"
	PageUp   ID = "list.page-up"
	Top      ID = "list.top"
	Bottom   ID = "list.bottom"
	Left     ID = "list.left"
	Right    ID = "list.right"
	Open     ID = "list.open"
	Wide     ID = "list.wide"
	SortNext ID = "list.sort-next"
	SortPrev ID = "list.sort-previous"
	SortFlip ID = "list.sort-flip"
	Pane     ID = "list.pane"
)

var list = []Action{
	{ID: Open, Keys: []string{"enter"}, Title: "open", Help: "open the line under the cursor", Footer: 10, Hidden: true},
	{ID: Down, Keys: []string{"j", "down", "ctrl+n"}, Title: "down", Help: "one line down", Hidden: true},
	{ID: Up, Keys: []string{"k", "up"}, Title: "up", Help: "one line up", Hidden: true},
	{ID: HalfDown, Keys: []string{"ctrl+d"}, Title: "half a page down", Help: "half a page down", Hidden: true},
	{ID: HalfUp, Keys: []string{"ctrl+u"}, Title: "half a page up", Help: "half a page up", Hidden: true},
	{ID: PageDown, Keys: []string{"pgdown", "ctrl+f"}, Title: "page down", Help: "one page down", Hidden: true},
	{ID: PageUp, Keys: []string{"pgup"}, Title: "page up", Help: "one page up", Hidden: true},
	{ID: Top, Keys: []string{"g", "home"}, Title: "top", Help: "first line", Hidden: true},
	{ID: Bottom, Keys: []string{"G", "end"}, Title: "bottom", Help: "last line", Hidden: true},
	{ID: Left, Keys: []string{"left"}, Title: "left", Help: "scroll to the left", Hidden: true},
	{ID: Right, Keys: []string{"right"}, Title: "right", Help: "scroll to the right", Hidden: true},
	{ID: Pane, Keys: []string{"tab"}, Title: "other pane", Help: "go to the other pane", Hidden: true},
	{ID: Wide, Keys: []string{"w"}, Title: "wide", Help: "show every column in full, or only what fits"},
	{ID: SortNext, Keys: []string{">"}, Title: "sort by the next column", Help: "sort by the next column; after the last, unsorted"},
	{ID: SortPrev, Keys: []string{"<"}, Title: "sort by the previous column", Help: "sort by the previous column; before the first, unsorted"},
	{ID: SortFlip, Keys: []string{"S"}, Title: "reverse the sort", Help: "reverse the sort"},
}

// Actions of long text.
const (
	Find     ID = "text.find"
	FindNext ID = "text.find-next"
	FindPrev ID = "text.find-previous"
	Wrap     ID = "text.wrap"
)

var text = []Action{
	{ID: Find, Keys: []string{"F"}, Title: "find", Help: "find text and jump to it; all lines stay"},
	{ID: FindNext, Keys: []string{"n"}, Title: "next", Help: "next match", Hidden: true},
	{ID: FindPrev, Keys: []string{"N"}, Title: "previous", Help: "previous match", Hidden: true},
	{ID: Wrap, Keys: []string{"w"}, Title: "wrap", Help: "wrap long lines, or cut them"},
}
