package template

import (
	"time"

	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// Scopes are the keys of the list.
func (v *page) Scopes() []action.Scope { return []action.Scope{action.List, action.Global} }

// Front is the preview of what was made.
func (v *page) Front() view.View {
	if v.pre == nil {
		return nil
	}
	return v.pre
}

// Selected is the policy that is about the set under the cursor.
func (v *page) Selected() nav.Page {
	if it, ok := v.table.Selected(); ok && it.set != nil {
		return nav.ToPolicy(it.set.Main().Key)
	}
	return nav.Page{}
}

// Crumb names the page.
func (v *page) Crumb() string {
	switch {
	case v.made != nil:
		return "new " + v.made.Name
	case v.whole():
		return "what is missing"
	}
	return "new from a template"
}

// Tell says how far it is.
func (v *page) Tell(env *view.Env) widget.Line {
	switch {
	case v.makes.Under():
		return env.Busy(v.makes.Since(), "making the policies")
	case v.world.Under():
		return env.Busy(v.world.Since(), "looking at the cluster")
	}
	return nil
}

// Working is since when something is worked out.
func (v *page) Working() time.Time {
	if v.makes.Under() {
		return v.makes.Since()
	}
	return v.world.Since()
}

// Render draws the list, or why there is none.
func (v *page) Render(env *view.Env, w, h int) string {
	var lines []string
	if v.wrong != "" {
		mark := "✗"
		for _, l := range widget.Flow(widget.Clean(v.wrong), max(1, w-6)) {
			lines = append(lines, widget.Line{{Text: "  " + mark + " ", Style: env.Styles.Error}, {Text: l}}.Render(w))
			mark = " "
		}
		lines = append(lines, "")
	}
	if v.whole() {
		if l := env.Busy(v.Working(), "working out what is missing"); l != nil && v.wrong == "" {
			lines = append(lines, "", widget.Join(widget.Plain("  "), l).Render(w))
		}
		return widget.Pad(lines, h)
	}
	if len(lines) >= h {
		return widget.Pad(lines, h)
	}
	out := v.table.Render(env.Styles, w, h-len(lines))
	for i := len(lines) - 1; i >= 0; i-- {
		out = lines[i] + "\n" + out
	}
	return out
}
