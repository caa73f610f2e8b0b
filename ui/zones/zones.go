package zones

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"rung/model"
	"rung/model/words"
	"rung/revision"
	"rung/revision/policies"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// zones is the view: the zones above, policies by zone below.
type zones struct {
	zones    *widget.Table[*item]
	policies *widget.Table[*line]
	below    bool // the cursor is in the lower table
	names    []string
	form     form       // how the zones are shown in the lower table
	needs    [signs]int // the widths that takes
	split    int        // height of the upper table in the last frame
	gap      int        // lines between the tables
	over     int        // lines over the upper one
	now      time.Time
	st       *themes.Styles
	rev      *revision.Revision
	// found is what comparing the zones finds.
	found []model.Finding

	only  only
	items []*item // all zones, worst first
	// What was counted, of which objects and when.
	tallies   map[string]*tally
	losses    map[string]*loss // of log lines, by zone
	lossesAt  int64            // the second of them
	clusterOf *model.Cluster
	countedAt time.Time
}

// From manyZones on policies are counted over zones instead of shown in each, and
// counted anew at most so often: zones that are read in turn bring many revisions a
// second.
const (
	manyZones = 8
	again     = time.Second
)

// line is a policy with its state in every zone.
type line struct {
	key    model.PolicyKey
	prio   string
	cells  []widget.Line // the state in every zone, in words
	signs  []widget.Line // the same in signs
	states []model.PolicyState
	why    widget.Line
	over   policies.Over // where zones are many
}

// New makes the view.
func New(nav.Page) view.View {
	v := &zones{}
	plain := func(f func(*item) string) func(*item) widget.Line {
		return func(z *item) widget.Line { return widget.Plain(f(z)) }
	}
	v.zones = &widget.Table[*item]{
		ID:    func(z *item) string { return z.Name },
		Empty: "no zones yet",
		Columns: []widget.Column[*item]{
			{Title: "ZONE", Name: true, Min: 20, Cell: func(z *item) widget.Line {
				return widget.Line{view.ZoneMark(v.rev, z.ZoneState, v.now, v.st), {Text: " "}, {Text: z.Name, Style: v.st.Accent}}
			}},
			{Title: "STATE", Cell: func(z *item) widget.Line { return widget.Styled(string(z.Conn), connStyle(z.Conn, v.st)) }},
			{Title: "SINCE", Drop: 5, Cell: plain(func(z *item) string { return ago(z.ConnAt, v.now) }),
				Less: func(a, b *item) int { return a.ConnAt.Compare(b.ConnAt) }},
			{Title: "READ", Drop: 3, Cell: plain(func(z *item) string { return read(z.ZoneState, v.now) }),
				Less: func(a, b *item) int { return a.SyncedAt.Compare(b.SyncedAt) }},
			{Title: "ROWS", Right: true, Drop: 6, Cell: plain(rowCount)},
			{Title: "IN SYNC", Right: true, Drop: 1, Cell: v.inSync},
			{Title: "DIFFERS", Drop: 2, Max: 40, Cell: func(z *item) widget.Line { return widget.Styled(z.names(2), v.st.Error) }},
			{Title: "WAITING", Right: true, Drop: 4, Cell: plain(func(z *item) string { return strconv.Itoa(z.Pending) })},
			{Title: "WRITES", Drop: 8, Cell: plain(func(z *item) string { return writes(z.ZoneState) })},
			{Title: "SERVER", Drop: 9, Max: 24, Min: 10, Cell: plain(func(z *item) string { return z.Server })},
			{Title: "ENDPOINT", Drop: 7, Min: 10, Max: 60, Flex: true, Cell: plain(func(z *item) string { return z.Endpoint })},
		},
	}
	v.policies = &widget.Table[*line]{
		ID:    func(l *line) string { return l.key.String() },
		Empty: "no policy",
	}
	return v
}

// more adds the columns that only some zones fill: how far what is below the rows is,
// where anybody counts, and the lines of the ACL log that meters discard.
func (v *zones) more() {
	cols := slices.DeleteFunc(slices.Clone(v.zones.Columns), func(c widget.Column[*item]) bool { return c.Title == marksTitle || c.Title == lostTitle })
	if slices.ContainsFunc(v.items, func(it *item) bool { return v.losses[it.Name] != nil }) {
		cols = append(cols, widget.Column[*item]{Title: lostTitle, Drop: 2, Cell: func(z *item) widget.Line { return v.losses[z.Name].line(v.st) },
			Less: func(a, b *item) int { return v.losses[a.Name].compare(v.losses[b.Name]) }})
	}
	if slices.ContainsFunc(v.items, func(it *item) bool { return it.below.Known && it.below.Tracked() }) {
		cols = append(cols, widget.Column[*item]{Title: marksTitle, Drop: 5, NoSort: true,
			Cell: func(z *item) widget.Line {
				look := v.st.Text
				if z.below.Behind(v.now) != "" {
					look = v.st.Error
				}
				return widget.Styled(z.marks(), look)
			}})
	}
	if len(cols) != len(v.zones.Columns) || cols[len(cols)-1].Title != v.zones.Columns[len(cols)-1].Title {
		v.zones.Columns = cols
	}
}

// marksTitle heads the numbers of what was written to a zone, what flows were made of and
// what its nodes have.
const marksTitle = "ROWS/FLOWS/NODES"

func connStyle(c model.ConnState, st *themes.Styles) themes.Style {
	switch c {
	case model.ConnSynced, model.ConnReadOnly:
		return st.OK
	case model.ConnLost, model.ConnDenied:
		return st.Error
	}
	return st.Info
}

func ago(t, now time.Time) string {
	if t.IsZero() {
		return "–"
	}
	return words.Age(now.Sub(t))
}

// read is how old the rows are: while the connection stands they are current.
func read(z *model.ZoneState, now time.Time) string {
	switch {
	case z.SyncedAt.IsZero():
		return "never"
	case z.Conn == model.ConnSynced:
		return "now"
	}
	return words.Age(now.Sub(z.SyncedAt)) + " ago"
}

func writes(z *model.ZoneState) string {
	if z.Writes {
		return "yes"
	}
	return "observed"
}

// Tell says which zones are shown.
func (v *zones) Tell(*view.Env) widget.Line {
	if v.only == allZones {
		return nil
	}
	return widget.Styled("zones: "+onlyNames[v.only], v.st.Key)
}

// Sync takes over the zones and joins the policies with them.
func (v *zones) Sync(env *view.Env) {
	v.now, v.st, v.rev = env.Now, env.Styles, env.Rev
	many := len(env.Rev.Zones) > manyZones
	fresh := v.clusterOf == env.Rev.Cluster && !env.Now.Before(v.countedAt) && env.Now.Sub(v.countedAt) < again
	v.items = v.count(env.Rev, env.Now, many && fresh)
	v.lose(env)
	v.show()
	v.more()
	v.columns(env.Rev.Zones)
	if many && fresh && len(v.policies.Items()) > 0 {
		return
	}
	v.clusterOf, v.countedAt = env.Rev.Cluster, env.Now
	v.compare(env.Rev)
	var lines []*line
	if many {
		lines = v.overZones(env.Rev)
	} else {
		for _, k := range shown(env.Rev, env.Now) {
			lines = append(lines, v.line(env.Rev, k))
		}
	}
	if !many {
		v.narrow(lines)
	}
	v.policies.SetItems(lines)
}

// show gives the upper table the zones that are to be seen.
func (v *zones) show() {
	var items []*item
	for _, it := range v.items {
		if v.only.has(it) {
			items = append(items, it)
		}
	}
	v.zones.Empty = "no zones yet"
	if len(v.items) > 0 {
		v.zones.Empty = "no zone matches: " + onlyNames[v.only]
	}
	v.zones.SetItems(items)
}

// leastBelow is how many lines the lower table keeps: the legend goes first.
const leastBelow = 3

// Render draws both tables, or the one with the cursor where there is no room.
func (v *zones) Render(env *view.Env, w, h int) string {
	v.fit(w)
	if h < 10 {
		v.split, v.over = 0, 0
		if v.below {
			return v.policies.Render(env.Styles, w, h)
		}
		v.split = h
		return v.zones.Render(env.Styles, w, h)
	}
	wrong, over := v.troubles(w, h/6), v.sums(env, w)
	v.over = len(over)
	v.split = v.over + min(len(v.zones.Items())+2, h/2)
	legend := v.legend(w)
	if h-v.split-len(wrong)-1-len(legend) < leastBelow {
		legend = nil
	}
	v.gap = len(wrong) + 1 + len(legend)
	title := "policies by zone, and other rows that are not in sync"
	if len(env.Rev.Zones) > manyZones {
		title = "policies over all zones, and other rows that are behind or frozen"
	}
	parts := append(over, v.zones.RenderFocus(env.Styles, w, v.split-v.over, !v.below))
	parts = append(append(parts, wrong...), widget.Heading(title, w, env.Styles).Render(w))
	parts = append(parts, legend...)
	below := v.policies.RenderFocus(env.Styles, w, h-v.split-v.gap, v.below)
	if shown, all := v.Counts(); shown == 0 && all > 0 { // the upper table says that nothing matches
		below = widget.Pad(nil, h-v.split-v.gap)
	}
	return strings.Join(append(parts, below), "\n")
}

// Do walks, changes panes and follows.
func (v *zones) Do(env *view.Env, id action.ID) bool {
	switch id {
	case action.Pane:
		v.below = !v.below
	case action.ZonesState:
		v.only = (v.only + 1) % onlys
		v.show()
	case action.Open, action.ZonesRows:
		if p := v.Selected(); !p.None() {
			if id == action.ZonesRows {
				p = v.rows()
			}
			env.Open(p)
		}
	default:
		if v.below {
			return v.policies.Do(id)
		}
		// Walking on from the last zone goes down into the policies.
		if id == action.Down {
			before := v.zones.SelectedID()
			v.zones.Do(id)
			if v.zones.SelectedID() == before {
				v.below = true
			}
			return true
		}
		return v.zones.Do(id)
	}
	return true
}

func (v *zones) rows() nav.Page {
	if z, ok := v.zones.Selected(); ok {
		return nav.Page{Kind: nav.Rows, Zone: z.Name}
	}
	return nav.To(nav.Rows)
}

// unitPage are the rows of a unit in the first zone where they are not in sync.
func (v *zones) unitPage(k model.PolicyKey) nav.Page {
	for _, z := range v.rev.Zones {
		if v.rev.InZone(k, z.Name) && z.Policy(k).State(z, v.now) != model.StateInSync {
			return detail.UnitPage(v.rev, k, z)
		}
	}
	return nav.Page{}
}

// Selected is the policy or the rows of the zone under the cursor.
func (v *zones) Selected() nav.Page {
	if v.below {
		if l, ok := v.policies.Selected(); ok {
			if l.key.Kind.IsPolicy() {
				return nav.ToPolicy(l.key)
			}
			return v.unitPage(l.key)
		}
		return nav.Page{}
	}
	if _, ok := v.zones.Selected(); !ok {
		return nav.Page{}
	}
	return v.rows()
}

// SetFilter filters both tables.
func (v *zones) SetFilter(f widget.Filter) {
	v.zones.SetFilter(f)
	v.policies.SetFilter(f)
}

// Complete finds how a word of either table goes on.
func (v *zones) Complete(begin string) string {
	return cmp.Or(v.zones.Complete(begin), v.policies.Complete(begin))
}

// Counts counts both tables.
func (v *zones) Counts() (shown, all int) {
	a, b := v.zones.Counts()
	c, d := v.policies.Counts()
	return a + c, b + d
}

// Click puts the cursor there.
func (v *zones) Click(_ *view.Env, _, y int) bool {
	if y < v.split {
		v.below = false
		return v.zones.Click(y - v.over)
	}
	v.below = true
	if v.split > 0 {
		y -= v.split + v.gap
	}
	return v.policies.Click(y)
}

// Wheel scrolls the table with the cursor.
func (v *zones) Wheel(_ *view.Env, lines int) {
	if v.below {
		v.policies.Wheel(lines)
	} else {
		v.zones.Wheel(lines)
	}
}

// Copies are the endpoint and a command that reads it.
func (v *zones) Copies(env *view.Env) []view.Copy {
	z, ok := v.zones.Selected()
	if v.below || !ok {
		return view.CopiesOf(env, v.Selected())
	}
	return []view.Copy{{What: "name", Text: z.Name}, {What: "endpoint", Text: z.Endpoint},
		{What: "ovn-nbctl command", Text: model.ShellJoin("ovn-nbctl", "--db="+z.Endpoint, "list", "ACL")},
		{What: "ovsdb-client command", Text: model.ShellJoin("ovsdb-client", "dump", z.Endpoint, "OVN_Northbound", "ACL")}}
}
