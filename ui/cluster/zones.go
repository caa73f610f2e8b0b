package cluster

import (
	"cmp"
	"strings"
	"time"

	"rung/model"
	"rung/model/words"
	"rung/pages/cluster"
	"rung/revision"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// zonesPage shows the zones above, policies by zone below.
type zonesPage struct {
	zones      *widget.Table[*cluster.ZoneFacts]
	policies   *widget.Table[*policyLine]
	isBelow    bool // the cursor is in the lower table
	names      []string
	form       zoneForm       // form of the zones in the lower table
	needs      [signsOnly]int // widths that the forms need
	split      int            // height of the upper table in the last frame
	gap        int            // lines between the tables
	linesAbove int            // lines above the upper table
	now        time.Time
	st         *themes.StyleSet
	rev        *revision.Revision
	// zoneFindings are the findings of comparing the zones.
	zoneFindings []model.Finding

	only  zoneFilter
	items []*cluster.ZoneFacts // all zones, worst first
	// Counts of the zones, with the objects and time of counting.
	tallies        map[string]*policyTally
	losses         map[string]*cluster.LogLoss // lost log lines, by zone
	lossesAt       int64                       // the Unix second in which losses were summed
	countedCluster *model.Cluster
	countedAt      time.Time
	// Controllers' reports on policies, with the time of collecting.
	reports   map[model.PolicyKey]*cluster.PolicyReports
	reportsAt time.Time
}

// With more than manyZones zones, policies are summarized over zones instead of shown in each. They are
// counted at most once per recountInterval: zones that are swept bring many revisions a second.
const (
	manyZones       = 8
	recountInterval = time.Second
)

// policyLine is a policy with its state in every zone.
type policyLine struct {
	key        model.PolicyKey
	prio       string
	cells      []widget.Line // state in every zone, in words
	signs      []widget.Line // the same as signs
	states     []model.PolicyState
	reasonLine widget.Line
	summary    revision.PolicySummary // for many zones
	reports    *cluster.PolicyReports // what the controllers reported; nil for other kinds
}

// NewZones makes the view.
func NewZones(nav.Page) view.View {
	v := &zonesPage{}
	v.zones = widget.PageTable(cluster.Table, &v.st)
	v.policies = &widget.Table[*policyLine]{
		ID:    func(l *policyLine) string { return l.key.String() },
		Empty: "no policy",
	}
	return v
}

// StateLine names the filter of zones.
func (v *zonesPage) StateLine(*view.Env) widget.Line {
	if v.only == allZones {
		return nil
	}
	return widget.StyledLine("zones: "+zoneFilterNames[v.only], v.st.Key)
}

// Sync updates the zones and the policies.
func (v *zonesPage) Sync(env *view.Env) {
	v.now, v.st, v.rev = env.Now, env.Styles, env.Rev
	many := len(env.Rev.Zones) > manyZones
	fresh := v.countedCluster == env.Rev.Cluster && !env.Now.Before(v.countedAt) && env.Now.Sub(v.countedAt) < recountInterval
	v.addLosses(env)
	v.items = v.countZones(env.Rev, env.Now, many && fresh)
	v.showZones()
	v.setColumns(env.Rev.Zones)
	if many && fresh && len(v.policies.AllItems()) > 0 {
		return
	}
	v.countedCluster, v.countedAt = env.Rev.Cluster, env.Now
	if !fresh || env.Now.Sub(v.reportsAt) >= recountInterval {
		v.reports, v.reportsAt = map[model.PolicyKey]*cluster.PolicyReports{}, env.Now
		for _, p := range cluster.AllReports(env.Rev, env.Now) {
			v.reports[p.Key] = p
		}
	}
	v.zoneFindings = revision.SettledZoneFindings(env.Rev, v.now)
	var lines []*policyLine
	if many {
		lines = v.summaryLines(env.Rev)
	} else {
		for _, k := range shownUnits(env.Rev, env.Now) {
			lines = append(lines, v.policyLineIn(env.Rev, k))
		}
		v.narrowWidths(lines)
	}
	v.policies.SetItems(lines)
}

// showZones fills the upper table with the zones of the filter.
func (v *zonesPage) showZones() {
	var items []*cluster.ZoneFacts
	for _, it := range v.items {
		if v.only.showsZone(it) {
			items = append(items, it)
		}
	}
	v.zones.Empty = v.rev.EmptyText(cluster.Table.Empty, model.KindNode)
	if len(v.items) > 0 {
		v.zones.Empty = "no zone matches: " + zoneFilterNames[v.only]
	}
	v.zones.SetItems(items)
}

// leastBelow is the least height of the lower table: the legend is dropped first.
const leastBelow = 3

// Render draws both tables, or only the one with the cursor if room is short.
func (v *zonesPage) Render(env *view.Env, w, h int) string {
	v.fitColumns(w)
	if h < 10 {
		v.split, v.linesAbove = words.Choose(v.isBelow, 0, h), 0
		return v.activeTable().Render(env.Styles, w, h)
	}
	wrong, over := v.troubleLines(w, h/6), v.sumLines(env, w)
	v.linesAbove = len(over)
	v.split = v.linesAbove + min(len(v.zones.AllItems())+2, h/2)
	legend := v.legendLines(w)
	if h-v.split-len(wrong)-1-len(legend) < leastBelow {
		legend = nil
	}
	v.gap = len(wrong) + 1 + len(legend)
	title := "policies by zone, and other rows that are not in sync"
	if len(env.Rev.Zones) > manyZones {
		title = "policies over all zones; other rows if behind or frozen"
	}
	parts := append(over, v.zones.RenderFocus(env.Styles, w, v.split-v.linesAbove, !v.isBelow))
	parts = append(append(parts, wrong...), widget.HeadingLine(title, w, env.Styles).Render(w))
	parts = append(parts, legend...)
	below := v.policies.RenderFocus(env.Styles, w, h-v.split-v.gap, v.isBelow)
	if shown, all := v.CountLines(); shown == 0 && all > 0 { // the upper table says that nothing matches
		below = widget.PadBlock(nil, h-v.split-v.gap)
	}
	return strings.Join(append(parts, below), "\n")
}

// Do moves the cursor, switches panes and opens pages.
func (v *zonesPage) Do(env *view.Env, id action.ID) bool {
	switch id {
	case action.Pane:
		v.isBelow = !v.isBelow
	case action.ZonesState:
		v.only = (v.only + 1) % zoneFilters
		v.showZones()
	case action.Open, action.ZonesRows:
		if p := v.SelectedPage(); !p.IsNone() {
			if id == action.ZonesRows {
				p = v.rowsPage()
			}
			env.OpenPage(p)
		}
	default:
		if v.isBelow || id != action.Down {
			return v.activeTable().Do(id)
		}
		// Moving down from the last zone enters the policies.
		before := v.zones.SelectedID()
		v.zones.Do(id)
		v.isBelow = v.zones.SelectedID() == before
	}
	return true
}

func (v *zonesPage) rowsPage() nav.Page {
	if z, ok := v.zones.SelectedItem(); ok {
		return nav.Page{Kind: nav.Rows, Zone: z.Name}
	}
	return nav.NewPage(nav.Rows)
}

// unitPage returns the rows of a unit in the first zone not in sync.
func (v *zonesPage) unitPage(k model.PolicyKey) nav.Page {
	for _, z := range v.rev.Zones {
		if v.rev.InZone(k, z.Name) && z.PolicyJoin(k).StateAt(z, v.now) != model.StateInSync {
			return detail.UnitPage(v.rev, k, z)
		}
	}
	return nav.Page{}
}

// SelectedPage returns the selected policy, or the rows of the selected zone.
func (v *zonesPage) SelectedPage() nav.Page {
	if l, ok := v.policies.SelectedItem(); v.isBelow && ok {
		if l.key.Kind.IsPolicy() {
			return nav.ToPolicy(l.key)
		}
		return v.unitPage(l.key)
	}
	if _, ok := v.zones.SelectedItem(); !ok || v.isBelow {
		return nav.Page{}
	}
	return v.rowsPage()
}

// SetFilter filters both tables.
func (v *zonesPage) SetFilter(f widget.LineFilter) {
	v.zones.SetFilter(f)
	v.policies.SetFilter(f)
}

// Arrangement returns the arrangement of the upper table.
func (v *zonesPage) Arrangement() widget.Arrangement { return v.zones.Arrangement() }

// ArrangeBy arranges the upper table.
func (v *zonesPage) ArrangeBy(to widget.Arrangement) { v.zones.ArrangeBy(to) }

// ColumnHelps explains the columns of both tables.
func (v *zonesPage) ColumnHelps() []widget.ColumnHelp {
	return append(v.zones.ColumnHelps(), v.policies.ColumnHelps()...)
}

// CompleteWord completes a word of either table.
func (v *zonesPage) CompleteWord(begin string) string {
	return cmp.Or(v.zones.CompleteWord(begin), v.policies.CompleteWord(begin))
}

// CountLines counts both tables.
func (v *zonesPage) CountLines() (shown, all int) {
	a, b := v.zones.CountLines()
	c, d := v.policies.CountLines()
	return a + c, b + d
}

// Click puts the cursor there.
func (v *zonesPage) Click(_ *view.Env, _, y int) bool {
	if y < v.split {
		v.isBelow = false
		return v.zones.Click(y - v.linesAbove)
	}
	v.isBelow = true
	if v.split > 0 {
		y -= v.split + v.gap
	}
	return v.policies.Click(y)
}

// activeTable returns the table with the cursor.
func (v *zonesPage) activeTable() view.Lister {
	if v.isBelow {
		return v.policies
	}
	return v.zones
}

// Wheel scrolls the table with the cursor.
func (v *zonesPage) Wheel(_ *view.Env, lines int) { v.activeTable().Wheel(lines) }

// Copies offers the endpoint and commands that read it.
func (v *zonesPage) Copies(env *view.Env) []view.CopyItem {
	z, ok := v.zones.SelectedItem()
	if v.isBelow || !ok {
		return view.PageCopies(env, v.SelectedPage())
	}
	return []view.CopyItem{{What: "name", Text: z.Name}, {What: "endpoint", Text: z.Endpoint},
		{What: "ovn-nbctl command", Text: words.ShellJoin("ovn-nbctl", "--db="+z.Endpoint, "list", "ACL")},
		{What: "ovsdb-client command", Text: words.ShellJoin("ovsdb-client", "dump", z.Endpoint, "OVN_Northbound", "ACL")}}
}
