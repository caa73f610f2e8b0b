package activity

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rung/pages/activity"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// limit is how many entries are kept on screen.
const limit = 2000

// activityPage is the view: what was done above, its commands below.
type activityPage struct {
	view.List
	table *widget.Table[*activity.Entry]
	zone  string
	done  []*activity.Entry // newest first
	last  uint64
	st    *themes.StyleSet
}

// New makes the view.
func New(p nav.Page) view.View {
	v := &activityPage{zone: p.Zone}
	v.table = widget.TableOf(activity.Table, &v.st)
	v.Of = v.table
	return v
}

// Sync takes what was done since.
func (v *activityPage) Sync(env *view.Env) {
	v.st = env.Styles
	for _, a := range env.Console.Activity(v.last) {
		v.last = max(v.last, a.Seq)
		v.done = append(v.done, activity.EntryOf(a, env.Now))
	}
	slices.SortFunc(v.done, func(a, b *activity.Entry) int { return cmp.Compare(b.Done.Seq, a.Done.Seq) })
	if len(v.done) > limit {
		v.done = v.done[:limit]
	}
	var shown []*activity.Entry
	for _, a := range v.done {
		a.Now = env.Now
		if v.zone == "" || a.Zone == v.zone {
			shown = append(shown, a)
		}
	}
	newest := v.table.SelectedID()
	if items := v.table.AllItems(); len(items) > 0 && newest != v.table.ID(items[0]) {
		newest = ""
	}
	v.table.SetItems(shown)
	if newest != "" && len(shown) > 0 && v.table.SortedBy() == "" {
		v.table.SelectID(v.table.ID(shown[0])) // on the newest line it stays on the newest
	}
}

// TellState says which zone is shown.
func (v *activityPage) TellState(env *view.Env) widget.Line {
	if v.zone == "" {
		return widget.StyledLine("all zones", env.Styles.Dim)
	}
	return widget.StyledLine("zone "+v.zone, env.Styles.Key)
}

// Do follows the policy of a line and goes through the zones.
func (v *activityPage) Do(env *view.Env, id action.ID) bool {
	switch id {
	case action.Open:
		if p := v.SelectedPage(); !p.IsNone() {
			env.OpenPage(p)
		} else {
			env.SayFailure("not about a single policy")
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

// turnZone goes on by d among all zones together and each alone.
func (v *activityPage) turnZone(env *view.Env, d int) {
	names := []string{""}
	for _, z := range env.Rev.Zones {
		names = append(names, z.Name)
	}
	v.zone = names[(max(0, slices.Index(names, v.zone))+d+len(names))%len(names)]
	v.Sync(env)
}

// SelectedPage is the policy of the line under the cursor.
func (v *activityPage) SelectedPage() nav.Page {
	if a, ok := v.table.SelectedItem(); ok && a.Policy != "" {
		return nav.ToPolicy(a.Done.Policy)
	}
	return nav.Page{}
}

// Render draws the list and, where there is room, the commands of the line
// under the cursor.
func (v *activityPage) Render(env *view.Env, w, h int) string {
	a, ok := v.table.SelectedItem()
	if h < 12 || !ok || len(a.Commands) == 0 {
		return v.table.Render(env.Styles, w, h)
	}
	var lines []string
	for _, c := range a.Commands {
		for i, l := range widget.FlowText(widget.CleanText(c), max(1, w-4)) {
			mark := "  $ "
			if i > 0 {
				mark = "    "
			}
			lines = append(lines, widget.Line{{Text: mark, Style: env.Styles.Dim}, {Text: l, Style: env.Styles.CodeText}}.Render(w))
		}
	}
	low := min(len(lines), h/3)
	if low < len(lines) {
		lines = append(lines[:low-1], widget.StyledLine(fmt.Sprintf("    … %d more lines, y copies all", len(lines)-low+1), env.Styles.Dim).Render(w))
	}
	head := widget.HeadingLine("equivalent commands", w, env.Styles).Render(w)
	return v.table.Render(env.Styles, w, h-low-1) + "\n" + head + "\n" + widget.PadBlock(lines, low)
}

// Copies are the commands of the line under the cursor.
func (v *activityPage) Copies(*view.Env) []view.CopyItem {
	a, ok := v.table.SelectedItem()
	if !ok {
		return nil
	}
	var out []view.CopyItem
	if len(a.Commands) > 0 {
		out = append(out, view.CopyItem{What: "commands", Text: strings.Join(a.Commands, "\n") + "\n"})
	}
	if a.Error != "" {
		out = append(out, view.CopyItem{What: "error", Text: a.Error})
	}
	return append(out, view.CopyItem{What: "summary", Text: a.Summary})
}
