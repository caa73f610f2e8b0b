package template

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"rung/change"
	"rung/engine/pattern"
	"rung/model"
	"rung/model/template"
	"rung/model/words"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/preview"
	"rung/ui/view"
	"rung/ui/widget"
)

// page is the view.
type page struct {
	view.List
	page  nav.Page
	table *widget.Table[*item]
	st    *themes.StyleSet

	world view.LatestWork // the cluster as templates look at it
	w     *template.World
	makes view.LatestWork
	wrong string // why no policies could be made
	pre   *preview.View
	made  *pattern.MadeSet
}

// item is a thing to pick: a blank policy, a template, or a set that exists.
type item struct {
	id, name, purpose, asks string
	head                    widget.Line
	template                *template.Template
	set                     *template.KnownSet
	missing                 int
}

// blank is the first choice.
const blank = "blank policy"

// New makes the view.
func New(p nav.Page) view.View {
	v := &page{page: p}
	v.table = &widget.Table[*item]{
		ID:      func(it *item) string { return it.id },
		Full:    func(it *item) widget.Line { return it.head },
		Skip:    func(it *item) bool { return it.head != nil },
		Fixed:   func(it *item) bool { return it.head != nil },
		NoBelow: true,
		Columns: []widget.Column[*item]{
			{Title: "TEMPLATE", Min: 16, NoSort: true, Cell: func(it *item) widget.Line { return widget.Styled(it.name, v.st.Accent) }},
			{Title: "FOR", Min: 61, Flex: true, NoSort: true, Cell: func(it *item) widget.Line { return widget.Plain(it.purpose) }},
			{Title: "ASKS", Drop: 1, Min: 9, NoSort: true, Cell: func(it *item) widget.Line { return widget.Styled(it.asks, v.st.Dim) }},
		},
	}
	v.Of = v.table
	return v
}

// whole says whether the page is about what a set misses.
func (v *page) whole() bool { return v.page.Key.Name != "" }

// Sync looks at the cluster once, and lists what can be picked.
func (v *page) Sync(env *view.Env) {
	v.st = env.Styles
	if v.pre != nil {
		v.pre.Sync(env)
		return
	}
	if !v.world.WasBegun() {
		rev := env.Rev
		view.BeginWork(&v.world, env, "looking at the cluster", func(context.Context) (*template.World, error) {
			return pattern.WorldOf(rev).PreparedWorld(), nil
		})
	}
	if !v.whole() {
		v.fill(env)
	}
}

// fill lists the templates, and the sets there are.
func (v *page) fill(env *view.Env) {
	items := []*item{{id: blank, name: blank, purpose: fmt.Sprintf("write one from scratch, at priority %d", v.page.Priority), asks: "$EDITOR"}}
	for _, t := range template.AllTemplates() {
		var asks []string
		for _, q := range t.AskedQuestions() {
			asks = append(asks, q.Name)
		}
		items = append(items, &item{id: "template " + t.Name, name: t.Name, purpose: t.For, asks: strings.Join(asks, ", "), template: t})
	}
	if sets := template.KnownSets(env.Rev.Cluster); len(sets) > 0 {
		items = append(items, &item{id: "# sets", head: widget.Heading("made from templates here", max(1, env.W-2), v.st)})
		for _, k := range sets {
			it := &item{id: "set " + k.Name, name: k.Name, set: k, missing: len(k.MissingPolicies(env.Rev.Cluster)),
				purpose: fmt.Sprintf("%s, %s", k.Called, words.Count(len(k.Policies), "policy")), asks: "nothing"}
			if it.missing > 0 {
				it.purpose += fmt.Sprintf(", ▲ %d missing: %s makes %s", it.missing, env.Keys.ActionByID(action.Open).HintKey(), words.OneOrMany(it.missing, "it", "them"))
			}
			items = append(items, it)
		}
	}
	v.table.SetItems(items)
}

// ReceiveResult takes what was worked out.
func (v *page) ReceiveResult(env *view.Env, msg any) {
	if w, err, ok := view.TakeResult[*template.World](&v.world, msg); ok {
		v.w = w
		if err != nil {
			v.wrong = err.Error()
		} else if v.whole() {
			v.make(env, nil)
		}
		return
	}
	if m, err, ok := view.TakeResult[*pattern.MadeSet](&v.makes, msg); ok {
		v.show(env, m, err)
		return
	}
	if v.pre != nil {
		v.pre.ReceiveResult(env, msg)
	}
}

// make makes the policies of a template and its answers, or those that the page's set misses.
func (v *page) make(env *view.Env, of func(*template.World) (*pattern.MadeSet, error)) {
	w, key := v.w, v.page.Key
	if of == nil {
		of = func(w *template.World) (*pattern.MadeSet, error) {
			k := template.SetOf(w.Cluster, key)
			if k == nil {
				return nil, fmt.Errorf("%s is of no set made from a template", key.Label())
			}
			return pattern.CompleteSet(w, k.Name, nil)
		}
	}
	v.wrong = ""
	view.BeginWork(&v.makes, env, "making the policies", func(context.Context) (*pattern.MadeSet, error) { return of(w) })
}

// show goes on to the preview.
func (v *page) show(env *view.Env, m *pattern.MadeSet, err error) {
	if err != nil {
		v.wrong = err.Error()
		if errors.Is(err, template.ErrWhole) {
			env.SayText("%v", err)
		} else {
			env.SayFailure("%v", err)
		}
		return
	}
	v.made = m
	for _, n := range m.Notes {
		env.SayText("%s", n)
	}
	v.pre = preview.Change(change.Mutation{Op: change.OpApply, YAML: []byte(m.Text), Base: []byte(m.Base)}, preview.Options{
		Crumb: "preview", Edit: v.edit, Cancel: v.cancel, Copies: []view.CopyItem{{What: "YAML", Text: m.Text}},
	})
	v.pre.Sync(env)
}

// edit goes on with the text in the editor.
func (v *page) edit(env *view.Env) {
	text, base := v.made.Text, v.made.Base
	if m := v.pre.Mutation(); len(m.YAML) > 0 {
		text, base = string(m.YAML), string(m.Base)
	}
	key := model.PolicyKey{}
	if len(v.made.Changed) > 0 {
		key = v.made.Changed[0]
	}
	notes := append([]string{"made from the template " + v.made.Template.Name + "."}, v.made.Notes...)
	env.ReplacePage(nav.ToProposal(key, v.page.Priority, text, base, strings.Join(notes, "\n"), nil))
}

// cancel goes back to the list, or to where what a set misses was asked for.
func (v *page) cancel(env *view.Env) {
	v.pre, v.made = nil, nil
	env.SayText("nothing was changed")
	if v.whole() {
		env.GoBack()
	}
}

// Do picks.
func (v *page) Do(env *view.Env, id action.ID) bool {
	if id != action.Open {
		return v.List.Do(env, id)
	}
	it, ok := v.table.Selected()
	switch {
	case !ok || v.whole():
		env.SayFailure("nothing to pick here")
	case it.id == blank:
		env.ReplacePage(nav.ToNew(v.page.Priority))
	case v.w == nil || v.makes.IsUnderWay():
		env.SayText("looking at the cluster; a moment")
	case it.set != nil && it.missing == 0:
		env.OpenPage(nav.ToPolicy(it.set.MainPolicy().Key))
	case it.set != nil:
		name := it.set.Name
		v.make(env, func(w *template.World) (*pattern.MadeSet, error) { return pattern.CompleteSet(w, name, nil) })
	case it.template != nil:
		t := it.template
		env.AskDialog(newForm(v.w, t, func(env *view.Env, a template.Answers) {
			v.make(env, func(w *template.World) (*pattern.MadeSet, error) { return pattern.MakeSet(w, t, a, false) })
		}))
	}
	return true
}

// Scopes are the keys of the list.
func (v *page) Scopes() []action.Scope { return []action.Scope{action.List, action.Global} }

// FrontView is the preview of what was made.
func (v *page) FrontView() view.View {
	if v.pre == nil {
		return nil
	}
	return v.pre
}

// SelectedPage is the policy that is about the set under the cursor.
func (v *page) SelectedPage() nav.Page {
	if it, ok := v.table.Selected(); ok && it.set != nil {
		return nav.ToPolicy(it.set.MainPolicy().Key)
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

// TellState says how far it is.
func (v *page) TellState(env *view.Env) widget.Line {
	switch {
	case v.makes.IsUnderWay():
		return env.BusyLine(v.makes.BeganAt(), "making the policies")
	case v.world.IsUnderWay():
		return env.BusyLine(v.world.BeganAt(), "looking at the cluster")
	}
	return nil
}

// WorkingSince is since when something is worked out.
func (v *page) WorkingSince() time.Time {
	if v.makes.IsUnderWay() {
		return v.makes.BeganAt()
	}
	return v.world.BeganAt()
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
		if l := env.BusyLine(v.WorkingSince(), "working out what is missing"); l != nil && v.wrong == "" {
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
