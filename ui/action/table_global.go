package action

import (
	"rung/engine/gate"
)

// The actions that hold everywhere.
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
	GoLadder   ID = "go.ladder"
	GoRows     ID = "go.rows"
	GoZones    ID = "go.zones"
	GoLogs     ID = "go.logs"
	GoActivity ID = "go.activity"
	GoPlan     ID = "go.plan"
	GoContexts ID = "go.contexts"
	GoReady    ID = "go.ready"
	GoCluster  ID = "go.cluster"
	GoFindings ID = "go.findings"
)

var global = []Action{
	{ID: Palette, Keys: []string{":", "ctrl+p"}, Title: "command", Help: "run any action or go anywhere by name", Footer: 91, Hidden: true},
	{ID: Filter, Keys: []string{"/"}, Title: "filter", Help: "show only lines that match: a regular expression, !inverse, or -f fuzzy", Footer: 90},
	{ID: Help, Keys: []string{"?", "f1"}, Title: "help", Help: "every key that works here; type to search, enter runs", Footer: 92},
	{ID: Back, Keys: []string{"esc"}, Title: "back", Help: "clear the filter, then go back to the page before", Hidden: true},
	{ID: Forward, Keys: []string{"alt+right"}, Title: "forward", Help: "go to the page that back came from", Hidden: true},
	{ID: Leave, Keys: []string{"q"}, Title: "leave", Help: "go back, and quit from the first page", Hidden: true},
	{ID: Quit, Keys: []string{"ctrl+c"}, Title: "quit", Help: "leave Rung at once"},
	{ID: Copy, Keys: []string{"y"}, Title: "copy", Help: "copy what the cursor is on: its name, YAML, match or command"},
	{ID: Save, Keys: []string{"ctrl+s"}, Title: "save", Help: "write the text of this page to a file"},
	{ID: Writes, Keys: []string{"W"}, Title: "allow changes", Help: "allow changes, or go back to read-only"},
	{ID: Undo, Keys: []string{"U"}, Title: "undo", Help: "take back the last change, after a preview", Op: gate.OpUndo, Danger: gate.Confirmed,
		Disabled: func(c Context) string {
			if c.Undo == "" {
				return "nothing to undo"
			}
			return ""
		}},
	{ID: Refresh, Keys: []string{"ctrl+r", "ctrl+l"}, Title: "refresh", Help: "read the newest state and draw the screen anew"},
	{ID: Mouse, Keys: []string{"M"}, Title: "mouse on or off", Help: "let the terminal have the mouse, so that text can be selected, or take it back"},
	{ID: Suspend, Keys: []string{"ctrl+z"}, Title: "suspend", Help: "stop Rung and go to the shell; fg comes back"},
	{ID: GoFindings, Keys: []string{"f"}, Title: "findings", Help: "go to what is wrong or dangerous about the policies; the header counts it"},
	{ID: GoLadder, Keys: []string{"1"}, Title: "ladder", Help: "go to the ladder"},
	{ID: GoRows, Keys: []string{"2"}, Title: "rows", Help: "go to the rows of all zones"},
	{ID: GoZones, Keys: []string{"3"}, Title: "zones", Help: "go to the zones"},
	{ID: GoLogs, Keys: []string{"4"}, Title: "logs", Help: "go to the log of all policies"},
	{ID: GoActivity, Keys: []string{"5"}, Title: "activity", Help: "go to what was done, with the equivalent commands"},
	{ID: GoPlan, Keys: []string{"6"}, Title: "plan", Help: "go to the plan of priorities"},
	{ID: GoContexts, Keys: []string{"C"}, Title: "contexts", Help: "go to the contexts of the kubeconfig, to another cluster"},
	{ID: GoReady, Keys: []string{"7"}, Title: "ready", Help: "go to what each zone's controller reported of each policy"},
	{ID: GoCluster, Keys: []string{"8"}, Title: "cluster", Help: "go to the cluster: API server, resources, permissions, sweep and logs"},
}

// The actions of lists.
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
	{ID: Open, Keys: []string{"enter"}, Title: "open", Help: "follow the line under the cursor", Footer: 10, Hidden: true},
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
	{ID: Wide, Keys: []string{"w"}, Title: "wide", Help: "show all columns in full, or go back to what fits"},
	{ID: SortNext, Keys: []string{">"}, Title: "sort by the next column", Help: "sort by the next column"},
	{ID: SortPrev, Keys: []string{"<"}, Title: "sort by the column before", Help: "sort by the column before; before the first is the natural order"},
	{ID: SortFlip, Keys: []string{"S"}, Title: "turn the order", Help: "turn the order of the sorted column round"},
}

// The actions of long text.
const (
	Find     ID = "text.find"
	FindNext ID = "text.find-next"
	FindPrev ID = "text.find-previous"
	Wrap     ID = "text.wrap"
)

var text = []Action{
	{ID: Find, Keys: []string{"F"}, Title: "find", Help: "find text and go to it; all lines stay"},
	{ID: FindNext, Keys: []string{"n"}, Title: "next", Help: "next place that was found", Hidden: true},
	{ID: FindPrev, Keys: []string{"N"}, Title: "previous", Help: "place before that was found", Hidden: true},
	{ID: Wrap, Keys: []string{"z"}, Title: "wrap", Help: "wrap long lines or cut them"},
}
