package logs

import (
	"time"

	"rung/engine/logs"
	"rung/engine/revision"
	"rung/model"
	"rung/model/words"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// budget is how long one Sync may look for matches.
const budget = 5 * time.Millisecond

// stamp says how much of a line's time is shown.
type stamp int

const (
	full stamp = iota
	seconds
	none
)

// logPage is the view.
type logPage struct {
	page nav.Page
	feed feed
	list list

	follow bool
	until  uint64 // the newest line shown while not following
	sel    uint64 // identity of the line under the cursor
	top    int    // first row on the screen
	left   int
	height int
	headed int   // lines above the list
	rows   []int // row of every line on the screen, for the mouse

	wide, wrap bool
	stamp      stamp
	find       widget.Filter
	seek       seek
	scanning   time.Time // since when lines are looked through, zero when none is left
	cleared    time.Time

	stats   logs.Stats
	streams []model.LogStream
	statsAt int64
	paces   map[model.RuleRef]pace // of the lines shown
	seen    widths
	above   *above // what decides first, nil until that was worked out
	aboveAt time.Time
	rev     *revision.Revision
	now     time.Time
}

// New makes the view.
func New(p nav.Page) view.View {
	v := &logPage{page: p, follow: true}
	v.list.feed = &v.feed
	v.feed.scope = v.scope()
	return v
}

// scope is what the page is about: a policy, one of its rules, or a pod. Of a
// NetworkPolicy it is also what the default deny of its namespace does to the
// policy's pods.
func (v *logPage) scope() func(*logs.Entry) bool {
	p := v.page
	switch {
	case p.Key.Kind == model.KindPod:
		return func(e *logs.Entry) bool { return e.Src.Key == p.Key || e.Dst.Key == p.Key }
	case p.Key.Name == "" && p.Key.Kind == "":
		return nil
	case p.Dir != "":
		return func(e *logs.Entry) bool {
			return e.Rule.Policy == p.Key && e.Rule.Direction == p.Dir && e.Rule.Rule == p.Rule
		}
	case p.Key.Kind == model.KindNP:
		return func(e *logs.Entry) bool { return e.Rule.Policy == p.Key || v.denied(e) }
	}
	return func(e *logs.Entry) bool { return e.Rule.Policy == p.Key }
}

// denied says whether the default deny dropped what a pod of the page's
// NetworkPolicy sent or should have got, in a direction in which that isolates it.
func (v *logPage) denied(e *logs.Entry) bool {
	k := v.page.Key
	if !isDeny(e.Rule) || e.Rule.Policy.Namespace != k.Namespace || !e.Attributed || v.rev == nil {
		return false
	}
	end := &e.Src
	if e.Rule.Direction == model.Ingress {
		end = &e.Dst
	}
	p, pod := v.rev.Cluster.Policy(k), v.rev.Cluster.Pod(end.Key.Namespace, end.Key.Name)
	return p != nil && pod != nil && end.Key.Kind == model.KindPod && !revision.OutsideTypes(p, e.Rule.Direction) && v.rev.IsSubject(k, pod)
}

// Scopes are the log's keys, those of text and of lists.
func (v *logPage) Scopes() []action.Scope {
	return []action.Scope{action.Of(nav.Logs), action.Text, action.List, action.Global}
}

// Fresh says whether lines came or are left to look at.
func (v *logPage) Fresh(env *view.Env) bool {
	l := env.Console.Logs()
	return l != nil && l.Last() != v.feed.last() || v.feed.pending() || v.seek.dir != 0
}

// Sync takes what is new.
func (v *logPage) Sync(env *view.Env) {
	v.rev, v.now = env.Rev, env.Now
	l := env.Console.Logs()
	if l != nil {
		l.Ask()
	}
	v.feed.pull(l)
	v.feed.scan(budget)
	if now := env.Now.Unix(); l != nil && now != v.statsAt {
		v.statsAt, v.stats, v.streams = now, l.Stats(), l.Streams()
		if v.follow { // else it stands still
			v.paces = v.feed.paces(v.shownTo(), env.Now)
		}
	}
	v.bring()
	if v.seek.dir != 0 {
		v.seekOn()
	}
	if v.list.n == 0 && v.page.Key.Kind.IsPolicy() {
		v.findAbove(env, false)
	}
	switch {
	case !v.feed.pending() && v.seek.dir == 0:
		v.scanning = time.Time{}
	case v.scanning.IsZero():
		v.scanning = env.Now
	}
}

// Working is since when lines are looked through.
func (v *logPage) Working() time.Time { return v.scanning }

// bring makes the list of what is shown now and puts the cursor into it.
func (v *logPage) bring() {
	upto := v.shownTo()
	v.list.bring(upto)
	v.feed.tally.count(&v.feed, upto)
	if v.follow && v.list.n > 0 {
		v.sel = v.list.id(v.list.n - 1)
	}
}

// cursor is the line under the cursor, -1 when there is none.
func (v *logPage) cursor() int {
	switch {
	case v.list.n == 0:
		return -1
	case v.follow:
		return v.list.n - 1
	}
	return min(v.list.find(v.sel), v.list.n-1)
}

// entry is the log line under the cursor, nil for none.
func (v *logPage) entry() *logs.Entry {
	if i := v.cursor(); i >= 0 {
		return v.feed.entry(v.list.line(i).seq)
	}
	return nil
}

// fresh is how many matching lines came since the page stands still.
func (v *logPage) fresh() int {
	if v.follow {
		return 0
	}
	return v.feed.len() - v.feed.before(v.until)
}

// pause stands still, or goes on with the newest line.
func (v *logPage) pause(on bool) {
	if on == !v.follow {
		return
	}
	v.follow = !on
	v.until = v.feed.last()
	v.bring()
}

// move puts the cursor d lines further and stands still there; going on at the
// end follows again.
func (v *logPage) move(d int) {
	i := v.cursor()
	if i < 0 {
		return
	}
	if d > 0 && i == v.list.n-1 {
		v.pause(false) // going on at the end follows again
		return
	}
	v.pause(true)
	i = min(max(0, i+d), v.list.n-1)
	v.sel = v.list.id(i)
	v.top += d
}

// Selected is the rule that decided the line under the cursor, or the rows of the
// default deny that did; without lines a rule that decides before those of the page.
func (v *logPage) Selected() nav.Page {
	if links := v.above.links(); v.list.n == 0 && len(links) > 0 {
		return links[0].to // the page says why it is empty
	}
	e := v.entry()
	if e == nil || !e.Attributed {
		return nav.Page{}
	}
	if isDeny(e.Rule) {
		return nav.Page{Kind: nav.Rows, Key: e.Unit(), Zone: e.Line.Zone, Text: detail.RowsFilter(e.Unit())}
	}
	if e.Rule.Rule < 0 {
		return nav.ToPolicy(e.Rule.Policy)
	}
	p := nav.ToRule(e.Rule.Policy, e.Rule.Direction, e.Rule.Rule)
	p.Zone = e.Line.Zone
	return p
}

// SetFilter shows only lines that match.
func (v *logPage) SetFilter(f widget.Filter) {
	q := parseQuery(f.Text)
	v.feed.narrow(q)
	v.feed.scan(budget)
	v.bring()
	v.paces = v.feed.paces(v.shownTo(), v.now)
}

// Counts are the lines shown and those the page is about.
func (v *logPage) Counts() (shown, all int) {
	shown = v.feed.before(v.shownTo())
	if v.feed.query.empty() {
		return shown, shown
	}
	return shown, v.feed.lines(v.shownTo())
}

// Tell says whether the page follows.
func (v *logPage) Tell(env *view.Env) widget.Line {
	st := env.Styles
	l := widget.Line{}
	if v.list.group {
		l = l.Add("grouped · ", st.Dim)
	}
	if busy := env.Busy(v.scanning, "looking"); busy != nil {
		l = append(l, busy...).Add("   ", st.Info)
	}
	if v.follow {
		return l.Add("● follow", st.OK)
	}
	l = l.Add("❚❚ paused", st.Warn)
	if n := v.fresh(); n > 0 {
		l = l.Add(" · "+words.Thousands(n)+" new, "+env.Keys.Action(action.Bottom).Shown()+" to follow", st.Info)
	}
	return l
}

// Copies are the line under the cursor in its forms.
func (v *logPage) Copies(*view.Env) []view.Copy {
	e := v.entry()
	if e == nil {
		return nil
	}
	if e.Gap != nil {
		return []view.Copy{{What: "gap", Text: e.Line.At.Format(time.RFC3339Nano) + " " + e.Sentence()}}
	}
	out := []view.Copy{{What: "sentence", Text: e.Line.At.Format(time.RFC3339Nano) + " " + e.Line.Zone + " " + e.Sentence()},
		{What: "raw line", Text: e.Line.Raw}}
	if e.Line.Name != "" {
		out = append(out, view.Copy{What: "ACL name", Text: e.Line.Name})
	}
	if e.Attributed {
		if n := e.Rule.Policy.Name; n != "" {
			out = append(out, view.Copy{What: "policy name", Text: n})
		}
	}
	return out
}

// Click puts the cursor on a line.
func (v *logPage) Click(_ *view.Env, _, y int) bool {
	y -= v.headed
	if y < 0 || y >= len(v.rows) {
		return false
	}
	it := v.list.at(v.rows[y])
	if it.mark != nil {
		return false
	}
	v.pause(true)
	v.sel = it.id
	return true
}

// Wheel scrolls.
func (v *logPage) Wheel(_ *view.Env, lines int) { v.move(lines) }
