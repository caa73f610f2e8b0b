package rows

import (
	"fmt"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/pages/page"
	"rung/pages/rows"
	"rung/revision"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// tables in the order in which a key switches through them
var tables = []struct {
	name, title string
	told        *page.Table[*rows.Line]
}{
	{nb.TableACL, "ACLs", rows.ACLs},
	{nb.TableAddressSet, "address sets", rows.Sets},
	{nb.TablePortGroup, "port groups", rows.Groups},
}

// missingShown bounds the policies whose missing rows are listed: an emptied zone lacks them all, and their
// number says enough.
const missingShown = 50

// View shows the rows of a zone.
type View struct {
	view.List
	page  nav.Page
	zone  string
	table int
	stage model.Stage // empty for all

	lists [3]*widget.Table[*rows.Line]
	st    *themes.StyleSet
	state *model.ZoneState
	note  widget.Line // line above the table, nil if none

	filter string
	// noteIsFiltered: the note is about the filtered rows
	noteIsFiltered bool

	acls rows.Pipeline
}

// New makes the view of a zone's rows.
func New(page nav.Page) view.View {
	v := &View{page: page}
	v.beginWith(page)
	for i := range v.lists {
		v.lists[i] = widget.PageTable(tables[i].told, &v.st)
		v.lists[i].Text = (*rows.Line).FilterText
	}
	for i := range v.lists[0].Columns {
		if c := &v.lists[0].Columns[i]; c.Title == "ON" {
			c.Fit = func(l *rows.Line, w int) widget.Line { return c.Cell(l).CutName(w) }
		}
	}
	v.Widget = v.shownTable()
	return v
}

// beginWith takes the zone and the table from a page.
func (v *View) beginWith(page nav.Page) {
	if page.Zone != "" {
		v.zone = page.Zone
	}
	for i := range tables {
		if tables[i].name == page.Table {
			v.table = i
		}
	}
	v.acls = rows.Pipeline{}
}

func (v *View) shownTable() *widget.Table[*rows.Line] { return v.lists[v.table] }

// Sync makes the rows from the revision.
func (v *View) Sync(env *view.Env) {
	v.st = env.Styles
	if env.Rev.Zone(v.zone) == nil && len(env.Rev.Zones) > 0 && v.zone == "" {
		v.zone = revision.FirstZone(env.Rev)
	}
	v.state = env.Rev.Zone(v.zone)
	env.Console.LookAt(v.zone)
	t := v.shownTable()
	v.Widget = t
	v.note, v.noteIsFiltered = nil, false
	t.Empty = "no rows in this table"
	switch z := v.state; {
	case len(env.Rev.Zones) == 0:
		t.Empty = env.Rev.EmptyText("no zone is known yet: rows are read from the Northbound database of each node", model.KindNode)
	case z == nil:
		t.Empty = "zone " + v.zone + " does not exist"
	case z.DB == nil:
		t.Empty = detail.WhyNoRows(z, env.Now)
		v.note = rememberedLine(env, z)
	default:
		v.fillTable(env, t)
		return
	}
	t.SetItems(nil)
}

// rememberedLine describes a swept zone, whose rows are not kept: the policies that were behind or frozen when
// it was read.
func rememberedLine(env *view.Env, z *model.ZoneState) widget.Line {
	var names []string
	for _, k := range revision.ZonePolicies(env.Rev, z) {
		if s := z.PolicyJoin(k).StateAt(z, env.Now); s == model.StateBehind || s == model.StateFrozen {
			names = append(names, k.Label())
		}
	}
	switch {
	case z.Conn != model.ConnSwept:
		return nil
	case len(names) == 0:
		when := words.Choose(z.Agent != "", "its node agent judged it", "it was read")
		return widget.StyledLine(" "+words.Yes+" no policy was behind or frozen when "+when, env.Styles.OK)
	}
	return widget.StyledLine(" "+words.Failed+" behind or frozen when it was read: "+words.List(names, 3), env.Styles.Error)
}

func (v *View) fillTable(env *view.Env, t *widget.Table[*rows.Line]) {
	z := v.state
	marks := revision.MarkRows(env.Rev, z, env.Now)
	lost := marks.MissingRows(env.Rev, z, tables[v.table].name, missingShown)
	switch tables[v.table].told {
	case rows.ACLs:
		v.acls.ReadACLs(z.DB)
		t.SetItems(v.acls.ACLs(z.Name, lost, marks, v.stage))
	case rows.Sets:
		t.SetItems(rows.NamedRows(z.Name, z.DB.AddressSets(), lost, marks))
	default:
		t.SetItems(rows.NamedRows(z.Name, z.DB.PortGroups(), lost, marks))
	}
	if why := detail.WhyNotCurrent(z, env.Now); why != "" {
		v.note = widget.StyledLine(" "+words.Waiting+" "+why, env.Styles.Warn)
	} else if n := len(marks.Missing); n > missingShown {
		v.note = widget.StyledLine(fmt.Sprintf(" "+words.Failed+" rows of %s are missing; those of the first %d are listed",
			words.Count(n, "policy"), missingShown), env.Styles.Error)
	} else {
		v.noteIsFiltered = true
		v.noteTies()
	}
}

// noteTies warns if shown rows share their place with rows that decide differently.
func (v *View) noteTies() {
	v.note = nil
	if text := rows.UndefinedOrder(v.shownTable().ShownItems()); text != "" {
		v.note = widget.StyledLine(" "+words.Warned+" "+text, v.st.Warn)
	}
}

// Render draws the table.
func (v *View) Render(env *view.Env, w, h int) string {
	if v.note == nil || h < 3 {
		return v.shownTable().Render(env.Styles, w, h)
	}
	return v.note.Render(w) + "\n" + v.shownTable().Render(env.Styles, w, h-1)
}

// Do carries out the actions of rows.
func (v *View) Do(env *view.Env, id action.ID) bool {
	switch id {
	case action.RowsNextZone, action.RowsPrevZone:
		d := words.Choose(id == action.RowsPrevZone, -1, 1)
		v.zone = revision.NextZone(env.Rev, v.zone, d)
		v.acls = rows.Pipeline{}
	case action.RowsTable:
		v.table = (v.table + 1) % len(tables)
	case action.RowsStage:
		v.table = 0
		v.stage = v.stage.NextStage()
	case action.Open:
		env.OpenPage(v.SelectedPage())
		return true
	default:
		return v.shownTable().Do(id)
	}
	v.Sync(env)
	return true
}

// SelectedPage returns the selected row.
func (v *View) SelectedPage() nav.Page {
	switch l, _ := v.shownTable().SelectedItem(); {
	case l == nil || l.Row == nil:
		return nav.Page{}
	case l.Missing:
		return detail.RowPage(v.state, nil, l.Row)
	default:
		return detail.RowPage(v.state, l.Row, nil)
	}
}

// SetFilter filters all tables.
func (v *View) SetFilter(f widget.LineFilter) {
	v.filter = f.Text
	for _, t := range v.lists {
		t.SetFilter(f)
	}
	if v.noteIsFiltered {
		v.noteTies()
	}
}

func (v *View) linesAbove() int { return words.Choose(v.note != nil, 1, 0) }

// Click puts the cursor on a row.
func (v *View) Click(_ *view.Env, _, y int) bool { return v.shownTable().Click(y - v.linesAbove()) }

// StateLine names stage, order and zone.
func (v *View) StateLine(env *view.Env) widget.Line {
	st := env.Styles
	var l widget.Line
	l = l.AddIf(v.table == 0 && v.stage != "", string(v.stage)+" ", st.Key)
	if by := v.shownTable().Arrangement().Sort; by != "" {
		l = l.Add("by "+by, st.Key)
	}
	l = l.AddIf(len(l) > 0, "  ", st.Text)
	return widget.JoinLines(l, detail.ZoneStatus(env, v.state, action.RowsPrevZone, action.RowsNextZone))
}

// Crumb names the table, and the rows' owner while the filter finds them.
func (v *View) Crumb() string {
	about := "rows"
	if v.page.Key.Name != "" && v.filter == widget.ParseFilter(v.page.Text).Text {
		about = "rows of " + v.page.Key.ShortLabel()
	}
	return about + ": " + tables[v.table].title
}

// PointTo shows the zone and table of a page that is opened again.
func (v *View) PointTo(env *view.Env, to nav.Page) bool {
	v.beginWith(to)
	v.Sync(env)
	return true
}

// WhyNot says why an action is not possible now.
func (v *View) WhyNot(env *view.Env, id action.ID) string {
	if (id == action.RowsNextZone || id == action.RowsPrevZone) && len(env.Rev.Zones) < 2 {
		return "there is " + words.Count(len(env.Rev.Zones), "zone")
	}
	return ""
}

// Copies returns the texts of the selected row that can be copied.
func (v *View) Copies(*view.Env) []view.CopyItem {
	l, _ := v.shownTable().SelectedItem()
	if l == nil || l.Row == nil {
		return nil
	}
	return detail.RowCopies(v.state, l.Row)
}
