package logs

import (
	"fmt"
	"slices"
	"strings"

	"rung/change"
	"rung/model"
	"rung/model/words"
	"rung/pages/activity"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// limit bounds the entries of Rung's own activity on screen.
const limit = 2000

// activityPage lists changes and other activity, with the commands of the selected entry below. An unfolded
// entry shows all its details; an unfolded change also the rows written for it.
type activityPage struct {
	view.List
	table    *widget.Table[*activity.Entry]
	zone     string
	done     []model.Activity // oldest first
	last     uint64
	unfolded map[string]bool // by id of an entry
	newest   string          // id of the newest entry
	st       *themes.StyleSet
	width    int
}

// NewActivity makes the view.
func NewActivity(p nav.Page) view.View {
	v := &activityPage{zone: p.Zone, unfolded: map[string]bool{}}
	v.table = widget.PageTable(activity.Table, &v.st)
	v.table.Fixed = func(e *activity.Entry) bool { return e.LineEntry != nil || v.isUnderChange(e) }
	v.table.Text = (*activity.Entry).FilterText
	v.Widget = v.table
	return v
}

// isUnderChange reports whether an entry is shown under the change it was made for.
func (v *activityPage) isUnderChange(e *activity.Entry) bool {
	return e.CausedBy != nil && v.zone == ""
}

// Sync adds new activity.
func (v *activityPage) Sync(env *view.Env) {
	v.st, v.width = env.Styles, env.W
	for _, a := range env.Console.Activity(v.last) {
		v.last = max(v.last, a.Seq)
		v.done = append(v.done, a)
	}
	v.done = v.done[max(0, len(v.done)-limit):]
	var shown []*activity.Entry
	newest := ""
	for _, e := range slices.Backward(activity.ListEntries(env.Console.Changes(), v.done, env.Now)) {
		if v.zone != "" && e.Zone != v.zone || v.isUnderChange(e) {
			continue
		}
		if newest == "" {
			newest = v.table.ID(e)
		}
		shown = v.addEntry(shown, e)
	}
	onNewest := v.newest != "" && v.table.SelectedID() == v.newest
	v.newest = newest
	v.table.SetItems(shown)
	if onNewest && v.table.Arrangement().Sort == "" {
		v.table.SelectID(newest) // the cursor stays on the newest line
	}
}

// addEntry appends an entry and, if unfolded, its lines.
func (v *activityPage) addEntry(shown []*activity.Entry, e *activity.Entry) []*activity.Entry {
	shown = append(shown, e)
	if !v.unfolded[v.table.ID(e)] {
		return shown
	}
	for i, d := range e.Details() {
		for j, part := range widget.FlowText(widget.CleanText(d.Text), max(12, v.width-detail.Gutter-activity.NameWidth)) {
			shown = append(shown, e.DetailLine(fmt.Sprintf("%d.%d", i, j), d, part, j == 0))
		}
	}
	if v.zone == "" {
		for _, r := range e.Rows {
			shown = v.addEntry(shown, r)
		}
	}
	return shown
}

// StateLine names the zone shown.
func (v *activityPage) StateLine(env *view.Env) widget.Line {
	if v.zone == "" {
		return widget.StyledLine("all zones", env.Styles.Dim)
	}
	return widget.StyledLine("zone "+v.zone, env.Styles.Key)
}

// Do unfolds an entry, follows its link, undoes a change, and switches zones.
func (v *activityPage) Do(env *view.Env, id action.ID) bool {
	switch id {
	case action.Open:
		v.openSelected(env)
	case action.ActivityPolicy:
		if p := v.SelectedPage(); !p.IsNone() {
			env.OpenPage(p)
		} else {
			env.ShowFailure("not about a single policy")
		}
	case action.ActivityUndo:
		if e := v.selectedChange(); e != nil {
			env.PreviewChange(change.Mutation{Op: change.OpUndo, Undo: e.Number})
		}
	case action.ActivityZone:
		v.turnZone(env, 1)
	case action.ActivityPrev:
		v.turnZone(env, -1)
	default:
		return v.List.Do(env, id)
	}
	return true
}

// openSelected unfolds or folds the selected entry, or follows the link of a detail line.
func (v *activityPage) openSelected(env *view.Env) {
	e, ok := v.table.SelectedItem()
	switch {
	case !ok:
		env.ShowFailure("nothing to open here")
	case e.Lead.Policy.Name != "":
		env.OpenPage(nav.ToPolicy(e.Lead.Policy))
	case e.Lead.Entry != nil:
		v.zone = ""
		to := e.Lead.Entry
		v.unfolded[v.table.ID(to)] = true
		if to.CausedBy != nil {
			v.unfolded[v.table.ID(to.CausedBy)] = true
		}
		v.Sync(env)
		v.table.SelectID(v.table.ID(to))
	default:
		if e.LineEntry != nil {
			e = e.LineEntry
		}
		id := v.table.ID(e)
		v.unfolded[id] = !v.unfolded[id]
		v.Sync(env)
		v.table.SelectID(id)
	}
}

// selectedChange returns the selected change, also from its lines or rows; nil for none.
func (v *activityPage) selectedChange() *activity.Entry {
	e, ok := v.table.SelectedItem()
	if !ok {
		return nil
	}
	if e.LineEntry != nil {
		e = e.LineEntry
	}
	if e.CausedBy != nil {
		e = e.CausedBy
	}
	return e
}

// WhyNot says why the selected change cannot be undone.
func (v *activityPage) WhyNot(_ *view.Env, id action.ID) string {
	if id != action.ActivityUndo {
		return ""
	}
	if e := v.selectedChange(); e != nil {
		return e.WhyNotUndone()
	}
	return "no change here"
}

// turnZone moves by d in the cycle of all zones together, then each alone.
func (v *activityPage) turnZone(env *view.Env, d int) {
	names := []string{""}
	for _, z := range env.Rev.Zones {
		names = append(names, z.Name)
	}
	v.zone = names[(max(0, slices.Index(names, v.zone))+d+len(names))%len(names)]
	v.Sync(env)
}

// SelectedPage returns the policy of the selected line.
func (v *activityPage) SelectedPage() nav.Page {
	if e, ok := v.table.SelectedItem(); ok {
		if k := e.SinglePolicy(); k.Name != "" {
			return nav.ToPolicy(k)
		}
	}
	return nav.Page{}
}

// Render draws the list and, if there is room, the commands of the selected line.
func (v *activityPage) Render(env *view.Env, w, h int) string {
	e, ok := v.table.SelectedItem()
	if h < 12 || !ok || len(e.Commands) == 0 || e.LineEntry != nil || v.unfolded[v.table.ID(e)] {
		return v.table.Render(env.Styles, w, h)
	}
	var lines []string
	for _, c := range e.Commands {
		for i, l := range widget.FlowText(widget.CleanText(c), max(1, w-4)) {
			mark := words.Choose(i > 0, "    ", "  $ ")
			lines = append(lines, widget.Line{{Text: mark, Style: env.Styles.Dim}, {Text: l, Style: env.Styles.CodeText}}.Render(w))
		}
	}
	low := min(len(lines), h/3)
	if low < len(lines) {
		key := env.Keys.ActionByID(action.Open).ShownKey("enter")
		lines = append(lines[:low-1], widget.StyledLine(fmt.Sprintf("    … %s more lines, %s shows all", words.Thousands(len(lines)-low+1), key),
			env.Styles.Dim).Render(w))
	}
	head := widget.HeadingLine("equivalent commands", w, env.Styles).Render(w)
	return v.table.Render(env.Styles, w, h-low-1) + "\n" + head + "\n" + widget.PadBlock(lines, low)
}

// Copies offers the commands of the selected line, and all its details.
func (v *activityPage) Copies(*view.Env) []view.CopyItem {
	e, ok := v.table.SelectedItem()
	if !ok {
		return nil
	}
	if e.LineEntry != nil {
		e = e.LineEntry
	}
	var out []view.CopyItem
	if len(e.Commands) > 0 {
		out = append(out, view.CopyItem{What: "commands", Text: strings.Join(e.Commands, "\n") + "\n"})
	}
	if e.Error != "" {
		out = append(out, view.CopyItem{What: "error", Text: e.Error})
	}
	return append(out, view.CopyItem{What: "summary", Text: e.Summary}, view.CopyItem{What: "all of it", Text: e.DetailText()})
}
