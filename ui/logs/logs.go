package logs

import (
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

// budget is how long one Sync may look for matches, typing how long a key of a filter may:
// the next one comes soon, and has it look anew.
const (
	budget = 5 * time.Millisecond
	typing = 2 * time.Millisecond
)

// lineWalk is the lines that are shown, and where one stands among them.
type lineWalk struct {
	feed lineFeed
	list lineList

	follow    bool
	untilLine uint64 // the newest line shown while not following
	beyond    int    // newer lines that are not taken meanwhile
	sel       uint64 // identity of the line under the cursor
	top       int    // first row on the screen
	left      int
	height    int
	find      widget.LineFilter
	seek      lineSearch
}

// logPage is the view.
type logPage struct {
	page nav.Page
	lineWalk
	headed int   // lines above the list
	rows   []int // row of every line on the screen, for the mouse

	logSetup
	wide        bool
	filterError *logline.Error // the first term of the filter that cannot be read
	by          pileDimension
	piles       byTable
	filter      string
	scanning    time.Time // since when lines are looked through, zero when none is left
	cleared     time.Time

	store *logs.Store
	sourceStates
	statsAt    int64
	pacedAt    time.Time   // up to when the pace of rules is shown
	rulesAbove *rulesAbove // what decides first, nil until that was worked out
	aboveAt    time.Time
	rev        *revision.Revision
	now        time.Time
}

// New makes the view.
func New(p nav.Page) view.View {
	v := &logPage{page: p, lineWalk: lineWalk{follow: true}, logSetup: logSetup{writer: LineWriter{Page: p.Key}}}
	v.list.feed = &v.feed
	v.feed.scope = scopeOf(p, nil)
	return v
}

// Scopes are the log's keys, those of text and of lists.
func (v *logPage) Scopes() []action.Scope {
	return []action.Scope{action.ScopeOf(nav.Logs), action.Text, action.List, action.Global}
}

// HasNews says whether lines came or are left to look at.
func (v *logPage) HasNews(env *view.Env) bool {
	l := env.Console.Logs()
	return l != nil && l.LastNumber() != v.feed.lastHeld() || v.feed.isPending() || v.seek.dir != 0 || v.piles.stale
}

// Sync takes what is new.
func (v *logPage) Sync(env *view.Env) {
	v.rev, v.now = env.Rev, env.Now
	v.beginSetup(env)
	l := env.Console.Logs()
	if l != nil {
		l.AskForLines()
	}
	v.store, v.feed.scope = l, scopeOf(v.page, v.rev)
	if l != nil {
		v.beyond = v.countOutrun(l)
		if v.beyond == 0 {
			v.feed.pullNew(l)
		}
	}
	v.feed.scanLines(budget)
	if now := env.Now.Unix(); l != nil && now != v.statsAt {
		v.statsAt = now
		v.sourceStates.takeStore(l)
		if v.follow { // else it stands still
			v.pacedAt = env.Now
		}
	}
	v.updateList()
	updatePiles(v, env)
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

// WorkingSince is since when lines are looked through, or counted.
func (v *logPage) WorkingSince() time.Time {
	if v.scanning.IsZero() {
		return v.piles.counting.BeganAt()
	}
	return v.scanning
}

// updateList makes the list of what is shown now and puts the cursor into it.
func (v *lineWalk) updateList() {
	upto := v.shownTo()
	v.list.bringUpTo(upto)
	v.feed.tally.countUpTo(&v.feed, upto)
	if v.follow && v.list.n > 0 {
		v.sel = v.list.idAt(v.list.n - 1)
	}
}

// cursorLine is the line under the cursor, -1 when there is none.
func (v *lineWalk) cursorLine() int {
	switch {
	case v.list.n == 0:
		return -1
	case v.follow:
		return v.list.n - 1
	}
	return min(v.list.findID(v.sel), v.list.n-1)
}

// selectedEntry is the log line under the cursor, of lines that are grouped the newest of them;
// nil for none.
func (v *logPage) selectedEntry() *logs.Entry {
	if v.by != byNothing {
		return v.piles.newestOf()
	}
	if i := v.cursorLine(); i >= 0 {
		return v.feed.entryOf(v.list.lineAt(i).seq)
	}
	return nil
}

// countFresh is how many matching lines came since the page stands still; of those that are
// not looked at, how many came.
func (v *lineWalk) countFresh() int {
	if v.follow {
		return 0
	}
	return len(v.feed.matches) - v.feed.matchesBefore(v.untilLine) + v.beyond
}

// countOutrun is how many lines came that a page which stands still does not take: as soon as
// the ring lets go of lines that it shows, they are held here, and new ones wait.
func (v *lineWalk) countOutrun(l lineSource) int {
	if v.follow || v.feed.firstHeld() == 0 || v.feed.firstHeld() > v.untilLine || l.FirstNumber() <= v.feed.firstHeld() {
		return 0
	}
	return int(l.LastNumber() - v.feed.lastHeld())
}

// setPaused stands still, or goes on with the newest line.
func (v *lineWalk) setPaused(on bool) {
	if on == !v.follow {
		return
	}
	v.follow = !on
	v.untilLine = v.feed.lastHeld()
	v.updateList()
}

// moveBy puts the cursor d lines further and stands still there; going on at the
// end follows again.
func (v *lineWalk) moveBy(d int) {
	i := v.cursorLine()
	if i < 0 {
		return
	}
	if d > 0 && i == v.list.n-1 {
		v.setPaused(false) // going on at the end follows again
		return
	}
	v.setPaused(true)
	i = min(max(0, i+d), v.list.n-1)
	v.sel = v.list.idAt(i)
	v.top += d
}

// SelectedPage is the rule that decided the line under the cursor, or the rows of the
// default deny that did; without lines a rule that decides before those of the page.
func (v *logPage) SelectedPage() nav.Page {
	if links := v.rulesAbove.ruleLinks(); v.list.n == 0 && len(links) > 0 {
		return links[0].page // the page says why it is empty
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

// CountLines are the lines shown and those the page is about.
func (v *logPage) CountLines() (shown, all int) {
	shown = v.feed.matchesBefore(v.shownTo())
	if v.feed.query.ShowsAll() {
		return shown, shown
	}
	return shown, v.feed.countLines(v.shownTo())
}

// TellState says whether the page follows.
func (v *logPage) TellState(env *view.Env) widget.Line {
	st := env.Styles
	l := widget.Line{}
	if v.filterError != nil && v.filterError.Open { // a term of the filter that is not looked at yet
		l = l.Add("unfinished: "+widget.CutName(widget.CleanText(v.filterError.Term), 16)+"   ", st.Warn)
	}
	switch n := v.list.around.n; {
	case v.by != byNothing:
		l = l.Add("by "+dimensions[v.by].name+" · ", st.Dim)
	case v.list.group:
		l = l.Add("grouped · ", st.Dim)
	case n > 0 && !v.feed.query.ShowsAll():
		l = l.Add(words.Thousands(n)+" around · ", st.Dim)
	}
	if busy := env.BusyLine(v.scanning, "looking"); busy != nil {
		l = append(l, busy...).Add("   ", st.Info)
	}
	if v.follow {
		return l.Add(words.Live+" follow", st.OK)
	}
	l = l.Add(words.Waiting+" paused", st.Warn)
	if n := v.countFresh(); n > 0 {
		text := " · " + words.Thousands(n) + " new"
		switch {
		case v.by != byNothing: // the last line is the table's
			text += ", " + env.Keys.ActionByID(action.LogsPause).HintKey() + " to follow"
		case env.W >= 100 || v.list.around.n == 0:
			text += ", " + env.Keys.ActionByID(action.Bottom).HintKey() + " to follow"
		}
		l = l.Add(text, st.Info)
	}
	return l
}

// Click puts the cursor on a line.
func (v *logPage) Click(_ *view.Env, _, y int) bool {
	y -= v.headed
	if v.by != byNothing {
		return v.piles.table.Click(y)
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
	if v.by != byNothing {
		v.piles.table.Wheel(lines)
		return
	}
	v.moveBy(lines)
}
