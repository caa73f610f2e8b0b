package activity

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"rung/model"
	"rung/model/words"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// limit is how many entries are kept on screen.
const limit = 2000

// activity is the view: what was done above, its commands below.
type activity struct {
	view.List
	table *widget.Table[*model.Activity]
	zone  string
	done  []*model.Activity // newest first
	last  uint64
	now   time.Time
	st    *themes.Styles
}

// New makes the view.
func New(p nav.Page) view.View {
	v := &activity{zone: p.Zone}
	plain := func(f func(*model.Activity) string) func(*model.Activity) widget.Line {
		return func(a *model.Activity) widget.Line { return widget.Plain(f(a)) }
	}
	v.table = &widget.Table[*model.Activity]{
		ID:    func(a *model.Activity) string { return strconv.FormatUint(a.Seq, 10) },
		Empty: "no changes yet",
		Columns: []widget.Column[*model.Activity]{
			{Title: "TIME", Cell: func(a *model.Activity) widget.Line { return widget.Styled(words.Clock(a.At, v.now), v.st.Dim) },
				Less: func(a, b *model.Activity) int { return a.At.Compare(b.At) }},
			{Title: "WHERE", Min: 11, Max: 24, Drop: 2, Cell: plain(where)},
			{Title: "POLICY", Name: true, Min: 20, Cell: func(a *model.Activity) widget.Line {
				if a.Policy.Name == "" {
					return widget.Styled("–", v.st.Dim)
				}
				return widget.Styled(a.Policy.Label(), v.st.Accent)
			}},
			{Title: "WHAT", Min: 28, Short: 20, Flex: true, Cell: func(a *model.Activity) widget.Line {
				if a.Error != "" {
					return widget.Styled("● "+a.Error, v.st.Error)
				}
				if a.Rail != "" {
					return widget.Styled("▲ "+summary(a), v.st.Warn)
				}
				return widget.Plain(summary(a))
			}},
			{Title: "OPS", Right: true, Drop: 5, Cell: plain(func(a *model.Activity) string { return strconv.Itoa(a.Ops) })},
			{Title: "TOOK", Right: true, Drop: 6, Cell: plain(func(a *model.Activity) string { return took(a.Took) }),
				Less: func(a, b *model.Activity) int { return int(a.Took - b.Took) }},
			{Title: "BY", Drop: 4, Cell: plain(func(a *model.Activity) string { return a.By })},
		},
	}
	v.Of = v.table
	return v
}

// summary leaves out the policy's name, which stands beside it.
func summary(a *model.Activity) string {
	for _, name := range []string{a.Policy.Label(), a.Policy.Name} {
		if rest, ok := strings.CutPrefix(a.Summary, name+": "); ok && a.Policy.Name != "" {
			return rest
		}
	}
	if a.Rail != "" {
		return strings.Replace(a.Summary, ": "+a.Policy.Label()+": ", ": ", 1)
	}
	return a.Summary
}

func where(a *model.Activity) string {
	if a.Zone == "" {
		return "objects"
	}
	return a.Zone
}

func took(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "<1ms"
	case d < time.Second:
		return fmt.Sprintf("%dms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1fs", d.Seconds())
}

// Sync takes what was done since.
func (v *activity) Sync(env *view.Env) {
	v.now, v.st = env.Now, env.Styles
	for _, a := range env.Console.Activity(v.last) {
		v.last = max(v.last, a.Seq)
		v.done = append(v.done, &a)
	}
	slices.SortFunc(v.done, func(a, b *model.Activity) int { return cmp.Compare(b.Seq, a.Seq) })
	if len(v.done) > limit {
		v.done = v.done[:limit]
	}
	shown := v.done
	if v.zone != "" {
		shown = nil
		for _, a := range v.done {
			if a.Zone == v.zone {
				shown = append(shown, a)
			}
		}
	}
	newest := v.table.SelectedID()
	if items := v.table.Items(); len(items) > 0 && newest != v.table.ID(items[0]) {
		newest = ""
	}
	v.table.SetItems(shown)
	if newest != "" && len(shown) > 0 && v.table.SortedBy() == "" {
		v.table.Select(v.table.ID(shown[0])) // on the newest line it stays on the newest
	}
}

// Tell says which zone is shown.
func (v *activity) Tell(env *view.Env) widget.Line {
	if v.zone == "" {
		return widget.Styled("all zones", env.Styles.Dim)
	}
	return widget.Styled("zone "+v.zone, env.Styles.Key)
}

// Do follows the policy of a line and goes through the zones.
func (v *activity) Do(env *view.Env, id action.ID) bool {
	switch id {
	case action.Open:
		p := v.Selected()
		if p.None() {
			env.Fail("not about a single policy")
		} else {
			env.Open(p)
		}
	case action.ActivityZone:
		v.turn(env, 1)
	case action.ActivityPrev:
		v.turn(env, -1)
	default:
		return v.List.Do(env, id)
	}
	return true
}

// turn goes on by d among all zones together and each alone.
func (v *activity) turn(env *view.Env, d int) {
	names := []string{""}
	for _, z := range env.Rev.Zones {
		names = append(names, z.Name)
	}
	v.zone = names[(max(0, slices.Index(names, v.zone))+d+len(names))%len(names)]
	v.Sync(env)
}

// Selected is the policy of the line under the cursor.
func (v *activity) Selected() nav.Page {
	if a, ok := v.table.Selected(); ok && a.Policy.Name != "" {
		return nav.ToPolicy(a.Policy)
	}
	return nav.Page{}
}

// Render draws the list and, where there is room, the commands of the line
// under the cursor.
func (v *activity) Render(env *view.Env, w, h int) string {
	a, ok := v.table.Selected()
	if h < 12 || !ok || len(a.Commands) == 0 {
		return v.table.Render(env.Styles, w, h)
	}
	var lines []string
	for _, c := range a.Commands {
		for i, l := range widget.Flow(widget.Clean(c), max(1, w-4)) {
			mark := "  $ "
			if i > 0 {
				mark = "    "
			}
			lines = append(lines, widget.Line{{Text: mark, Style: env.Styles.Dim}, {Text: l, Style: env.Styles.CodeText}}.Render(w))
		}
	}
	low := min(len(lines), h/3)
	if low < len(lines) {
		lines = append(lines[:low-1], widget.Styled(fmt.Sprintf("    … %d more lines, y copies all", len(lines)-low+1), env.Styles.Dim).Render(w))
	}
	head := widget.Heading("equivalent commands", w, env.Styles).Render(w)
	return v.table.Render(env.Styles, w, h-low-1) + "\n" + head + "\n" + widget.Pad(lines, low)
}

// Copies are the commands of the line under the cursor.
func (v *activity) Copies(*view.Env) []view.Copy {
	a, ok := v.table.Selected()
	if !ok {
		return nil
	}
	var out []view.Copy
	if len(a.Commands) > 0 {
		out = append(out, view.Copy{What: "commands", Text: strings.Join(a.Commands, "\n") + "\n"})
	}
	if a.Error != "" {
		out = append(out, view.Copy{What: "error", Text: a.Error})
	}
	return append(out, view.Copy{What: "summary", Text: a.Summary})
}
