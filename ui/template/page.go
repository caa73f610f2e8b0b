package template

import (
	"time"

	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// Scopes are the keys of the list, or of the preview.
func (v *page) Scopes() []action.Scope {
	if v.pre != nil {
		return v.pre.Scopes()
	}
	return []action.Scope{action.List, action.Global}
}

// WhyNot and Offers are the preview's.
func (v *page) WhyNot(env *view.Env, id action.ID) string {
	if v.pre != nil {
		return v.pre.WhyNot(env, id)
	}
	return ""
}

// Offers leaves out of the hints what cannot be done now.
func (v *page) Offers(env *view.Env, id action.ID) bool { return v.pre == nil || v.pre.Offers(env, id) }

// Selected is the policy that is about the set under the cursor.
func (v *page) Selected() nav.Page {
	if v.pre != nil {
		return nav.Page{}
	}
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
	case v.pre != nil:
		return v.pre.Tell(env)
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

// Leave asks the preview.
func (v *page) Leave(env *view.Env) bool { return v.pre == nil || v.pre.Leave(env) }

// Copies are those of the preview, and the text.
func (v *page) Copies(env *view.Env) []view.Copy {
	if v.pre == nil {
		return nil
	}
	return append([]view.Copy{{What: "YAML", Text: v.made.Text}}, v.pre.Copies(env)...)
}

// Click puts the cursor on a line.
func (v *page) Click(env *view.Env, x, y int) bool {
	if v.pre != nil {
		return v.pre.Click(env, x, y)
	}
	return v.List.Click(env, x, y)
}

// Wheel scrolls.
func (v *page) Wheel(env *view.Env, lines int) {
	if v.pre != nil {
		v.pre.Wheel(env, lines)
		return
	}
	v.List.Wheel(env, lines)
}

// Render draws the preview, the list, or why there is none.
func (v *page) Render(env *view.Env, w, h int) string {
	if v.pre != nil {
		return v.pre.Render(env, w, h)
	}
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
