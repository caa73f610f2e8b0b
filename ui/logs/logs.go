package logs

import (
	"math"
	"time"

	"rung/engine/logs"
	"rung/model/logline"
	"rung/model/words"
	"rung/revision"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// budget is how long one Sync may scan for matches, typing how long a key of a filter may: the next key soon
// restarts the scan.
const (
	budget = 5 * time.Millisecond
	typing = 2 * time.Millisecond
)

// lineWalk is the list of shown lines with its cursor.
type lineWalk struct {
	feed lineFeed
	list lineList

	follow       bool
	untilLine    uint64          // newest line shown while paused
	waitingLines int             // newer lines not taken while paused
	sel          uint64          // identity of the line under the cursor
	marked       map[uint64]bool // by number of the line
	top          int             // first row on the screen
	left         int
	height       int
	find         widget.LineFilter
	seek         lineSearch
}

// logPage is the view.
type logPage struct {
	page nav.Page
	lineWalk
	headed int   // lines above the list
	rows   []int // row of every line on the screen, for the mouse

	logSetup
	wide        bool
	filterError *logline.Error // first unreadable term of the filter
	by          bucketDimension
	buckets     bucketTable
	filter      string
	scanning    time.Time // start of the scan, zero when done
	cleared     time.Time

	store *logs.Store
	sourceStates
	statsAt    int64
	pacedAt    time.Time   // time up to which the recent rates of rules are shown
	rulesAbove *rulesAbove // what decides first, nil until computed
	aboveAt    time.Time
	rev        *revision.Revision
	now        time.Time
}

// New makes the view.
func New(p nav.Page) view.View {
	v := &logPage{page: p, lineWalk: lineWalk{follow: true}, logSetup: logSetup{writer: LineWriter{Page: p.Key}}}
	v.list.feed = &v.feed
	v.feed.scope = newScopeFilter(p, nil)
	return v
}

// Scopes returns the keys of the log, of text and of lists.
func (v *logPage) Scopes() []action.Scope {
	return []action.Scope{action.PageScope(nav.Logs), action.Text, action.List, action.Global}
}

// HasNews reports whether lines arrived or are left to scan.
func (v *logPage) HasNews(env *view.Env) bool {
	l := env.Console.Logs()
	return l != nil && l.LastNumber() != v.feed.lastHeld() || v.feed.isPending() || v.seek.dir != 0 || v.buckets.stale
}

// Sync takes new lines and updates the list.
func (v *logPage) Sync(env *view.Env) {
	v.rev, v.now = env.Rev, env.Now
	v.beginSetup(env)
	l := env.Console.Logs()
	if l != nil {
		l.AskForLines()
	}
	v.store, v.feed.scope = l, newScopeFilter(v.page, v.rev)
	if l != nil {
		v.waitingLines = v.countWaiting(l)
		if v.waitingLines == 0 {
			v.feed.pullNew(l)
		}
	}
	v.feed.scanLines(budget)
	if now := env.Now.Unix(); l != nil && now != v.statsAt {
		v.statsAt = now
		v.sourceStates.takeStore(l)
		if v.follow { // paused pages do not change
			v.pacedAt = env.Now
		}
	}
	v.updateList()
	updateBuckets(v, env)
	if v.seek.dir != 0 {
		v.seekOn()
	}
	if v.list.n == 0 && v.page.Key.Kind.IsPolicy() {
		v.findAbove(env, false)
	}
	switch {
	case !v.feed.isPending() && v.seek.dir == 0:
		v.scanning = time.Time{}
	case v.scanning.IsZero():
		v.scanning = env.Now
	}
}

// WorkingSince returns when scanning or counting began.
func (v *logPage) WorkingSince() time.Time {
	if v.scanning.IsZero() {
		return v.buckets.counting.BeganAt()
	}
	return v.scanning
}

// updateList rebuilds the list and moves the cursor to the end when following.
func (v *lineWalk) updateList() {
	upto := v.shownTo()
	v.list.updateTo(upto)
	v.feed.tally.countMatches(&v.feed, upto, v.feed.tally.addEntry)
	if v.follow && v.list.n > 0 {
		v.sel = v.list.idAt(v.list.n - 1)
	}
}

// cursorLine returns the line under the cursor, -1 if none.
func (v *lineWalk) cursorLine() int {
	switch {
	case v.list.n == 0:
		return -1
	case v.follow:
		return v.list.n - 1
	}
	return min(v.list.findID(v.sel), v.list.n-1)
}

// selectedEntry returns the log line under the cursor, for a group its newest line; nil for none.
func (v *logPage) selectedEntry() *logs.Entry {
	if v.by != ungrouped {
		return v.buckets.newestLine()
	}
	if i := v.cursorLine(); i >= 0 {
		return v.feed.findEntry(v.list.lineAt(i).seq)
	}
	return nil
}

// countFresh counts the matching lines since the page was paused, plus lines not scanned yet.
func (v *lineWalk) countFresh() int {
	if v.follow {
		return 0
	}
	return len(v.feed.matches) - v.feed.matchesBefore(v.untilLine) + v.waitingLines
}

// countWaiting counts the lines that a paused page does not take: once the ring drops lines that the page
// shows, the page keeps them, and new ones wait.
func (v *lineWalk) countWaiting(l lineSource) int {
	if v.follow || v.feed.firstHeld() == 0 || v.feed.firstHeld() > v.untilLine || l.FirstNumber() <= v.feed.firstHeld() {
		return 0
	}
	return int(l.LastNumber() - v.feed.lastHeld())
}

// shownTo returns the newest line that may be shown.
func (v *lineWalk) shownTo() uint64 { return words.Choose(v.follow, math.MaxUint64, v.untilLine) }

// setPaused pauses the list, or follows the newest line again.
func (v *lineWalk) setPaused(on bool) {
	if on == !v.follow {
		return
	}
	v.follow = !on
	v.untilLine = v.feed.lastHeld()
	v.updateList()
}

// moveBy moves the cursor by d lines and pauses; moving on at the end follows again.
func (v *lineWalk) moveBy(d int) {
	i := v.cursorLine()
	if i < 0 {
		return
	}
	if d > 0 && i == v.list.n-1 {
		v.setPaused(false) // moving on at the end follows again
		return
	}
	v.setPaused(true)
	i = min(max(0, i+d), v.list.n-1)
	v.sel = v.list.idAt(i)
}

// SelectedPage returns the rule that decided the selected line, or the rows of the default deny that did;
// without lines, a rule that decides before the page's rules.
func (v *logPage) SelectedPage() nav.Page {
	if links := v.rulesAbove.ruleLinks(); v.list.n == 0 && len(links) > 0 {
		return links[0].page // the page explains why it is empty
	}
	e := v.selectedEntry()
	if e == nil || !e.Attributed {
		return nav.Page{}
	}
	if IsDeny(e.Rule) {
		return nav.Page{Kind: nav.Rows, Key: e.UnitKey(), Zone: e.Line.Zone, Text: detail.RowsFilter(e.UnitKey())}
	}
	if e.Rule.Rule < 0 {
		return nav.ToPolicy(e.Rule.Policy)
	}
	p := nav.ToRule(e.Rule.Policy, e.Rule.Direction, e.Rule.Rule)
	p.Zone = e.Line.Zone
	return p
}

// CountLines returns the lines shown, and all lines in the page's scope.
func (v *logPage) CountLines() (shown, all int) {
	shown = v.feed.matchesBefore(v.shownTo())
	if v.feed.query.ShowsAll() {
		return shown, shown
	}
	return shown, v.feed.countLines(v.shownTo())
}

// StateLine says whether the page follows.
func (v *logPage) StateLine(env *view.Env) widget.Line {
	st := env.Styles
	l := widget.Line{}
	if v.filterError != nil && v.filterError.Open { // an unfinished term is not applied yet
		l = l.Add("unfinished: "+widget.CutName(widget.CleanText(v.filterError.Term), 16)+"   ", st.Warn)
	}
	switch n := v.list.around.n; {
	case v.by != ungrouped:
		l = l.Add("by "+dimensions[v.by].name+" · ", st.Dim)
	case v.list.group:
		l = l.Add("grouped · ", st.Dim)
	case n > 0 && !v.feed.query.ShowsAll():
		l = l.Add(words.Thousands(n)+" around · ", st.Dim)
	}
	if busy := env.BusyLine(v.scanning, "looking"); busy != nil {
		l = append(l, busy...).Add("   ", st.Info)
	}
	if len(v.marked) > 0 {
		if chosen, marked := v.chosenEntries(); marked {
			l = l.Add(words.Thousands(len(chosen))+" marked", st.Key).Add(" · ", st.Dim)
		}
	}
	if v.follow {
		return l.Add(words.Live+" follow", st.OK)
	}
	l = l.Add(words.Waiting+" paused", st.Warn)
	if n := v.countFresh(); n > 0 {
		text := " · " + words.Thousands(n) + " new"
		switch {
		case v.by != ungrouped: // End belongs to the table
			text += ", " + env.KeyHint(action.LogsPause) + " to follow"
		case env.W >= 100 || v.list.around.n == 0:
			text += ", " + env.KeyHint(action.Bottom) + " to follow"
		}
		l = l.Add(text, st.Info)
	}
	return l
}

// Click puts the cursor on a line.
func (v *logPage) Click(_ *view.Env, _, y int) bool {
	y -= v.headed
	if v.by != ungrouped {
		return v.buckets.table.Click(y)
	}
	if y < 0 || y >= len(v.rows) {
		return false
	}
	it := v.list.itemAtRow(v.rows[y])
	if it.mark != nil {
		return false
	}
	v.setPaused(true)
	v.sel = it.id
	return true
}

// Wheel scrolls.
func (v *logPage) Wheel(_ *view.Env, lines int) {
	if v.by != ungrouped {
		v.buckets.table.Wheel(lines)
		return
	}
	v.moveBy(lines)
}
