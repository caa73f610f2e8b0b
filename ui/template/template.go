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

// templatePage is the view.
type templatePage struct {
	view.List
	page  nav.Page
	table *widget.Table[*templateItem]
	st    *themes.StyleSet

	world   view.LatestWork // the cluster as templates look at it
	w       *template.World
	makes   view.LatestWork
	problem string // why no policies could be made
	pre     *preview.View
	madeSet *pattern.MadeSet
}

// templateItem is a thing to pick: a blank policy, a template, or a set that exists.
type templateItem struct {
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
	v := &templatePage{page: p}
	v.table = &widget.Table[*templateItem]{
		ID:      func(it *templateItem) string { return it.id },
		Full:    func(it *templateItem) widget.Line { return it.head },
		Skip:    func(it *templateItem) bool { return it.head != nil },
		Fixed:   func(it *templateItem) bool { return it.head != nil },
		NoBelow: true,
		Columns: []widget.TableColumn[*templateItem]{
			{Title: "TEMPLATE", Help: "a set of policies with a name", Min: 16, NoSort: true, Cell: func(it *templateItem) widget.Line { return widget.StyledLine(it.name, v.st.Accent) }},
			{Title: "FOR", Help: "what it is for", Min: 61, Flex: true, NoSort: true, Cell: func(it *templateItem) widget.Line { return widget.PlainLine(it.purpose) }},
			{Title: "ASKS", Help: "what it asks for", Drop: 1, Min: 9, NoSort: true, Cell: func(it *templateItem) widget.Line { return widget.StyledLine(it.asks, v.st.Dim) }},
		},
	}
	v.Of = v.table
	return v
}

// isForSet says whether the page is about what a set misses.
func (v *templatePage) isForSet() bool { return v.page.Key.Name != "" }

// Sync looks at the cluster once, and lists what can be picked.
func (v *templatePage) Sync(env *view.Env) {
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
	if !v.isForSet() {
		v.fillTable(env)
	}
}

// fillTable lists the templates, and the sets there are.
func (v *templatePage) fillTable(env *view.Env) {
	at := fmt.Sprintf("at priority %d", v.page.Priority)
	if p := v.page.Place; p.Tier != "" {
		at = fmt.Sprintf("in tier %s at priority %s", p.Tier, words.Number(p.Priority))
	}
	items := []*templateItem{{id: blank, name: blank, purpose: "write one from scratch, " + at, asks: "$EDITOR"}}
	for _, t := range template.AllTemplates() {
		var asks []string
		for _, q := range t.AskedQuestions() {
			asks = append(asks, q.Name)
		}
		items = append(items, &templateItem{id: "template " + t.Name, name: t.Name, purpose: t.For, asks: strings.Join(asks, ", "), template: t})
	}
	if sets := template.KnownSets(env.Rev.Cluster, env.Rev.System.Templates != nil); len(sets) > 0 {
		items = append(items, &templateItem{id: "# sets", head: widget.HeadingLine("made from templates here", max(1, env.W-2), v.st)})
		for _, k := range sets {
			it := &templateItem{id: "set " + k.Name, name: k.Name, set: k, missing: len(k.MissingPolicies(env.Rev.Cluster)),
				purpose: fmt.Sprintf("%s, %s", k.Called, words.Count(len(k.Policies), "policy")), asks: "nothing"}
			if it.missing > 0 {
				it.purpose += fmt.Sprintf(", "+words.Warned+" %s missing: %s makes %s", words.Thousands(it.missing), env.Keys.ActionByID(action.Open).HintKey(), words.OneOrMany(it.missing, "it", "them"))
			}
			items = append(items, it)
		}
	}
	v.table.SetItems(items)
}

// ReceiveResult takes what was worked out.
func (v *templatePage) ReceiveResult(env *view.Env, msg any) {
	if w, err, ok := view.TakeResult[*template.World](&v.world, msg); ok {
		v.w = w
		if err != nil {
			v.problem = err.Error()
		} else if v.isForSet() {
			v.makePolicies(env, nil)
		}
		return
	}
	if m, err, ok := view.TakeResult[*pattern.MadeSet](&v.makes, msg); ok {
		v.showMade(env, m, err)
		return
	}
	if v.pre != nil {
		v.pre.ReceiveResult(env, msg)
	}
}

// makePolicies makes the policies of a template and its answers, or those that the page's set misses.
func (v *templatePage) makePolicies(env *view.Env, of func(*template.World) (*pattern.MadeSet, error)) {
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
	v.problem = ""
	view.BeginWork(&v.makes, env, "making the policies", func(context.Context) (*pattern.MadeSet, error) { return of(w) })
}

// showMade goes on to the preview.
func (v *templatePage) showMade(env *view.Env, m *pattern.MadeSet, err error) {
	if err != nil {
		v.problem = err.Error()
		if errors.Is(err, template.ErrWhole) {
			env.SayText("%v", err)
		} else {
			env.SayFailure("%v", err)
		}
		return
	}
	v.madeSet = m
	for _, n := range m.Notes {
		env.SayText("%s", n)
	}
	v.pre = preview.PreviewMutation(change.Mutation{Op: change.OpApply, YAML: []byte(m.Text), Base: []byte(m.Base)}, preview.PreviewOptions{
		Crumb: "preview", Edit: v.editText, Cancel: v.cancelForm, Copies: []view.CopyItem{{What: "YAML", Text: m.Text}},
	})
	v.pre.Sync(env)
}

// editText goes on with the text in the editor.
func (v *templatePage) editText(env *view.Env) {
	text, base := v.madeSet.Text, v.madeSet.Base
	if m := v.pre.CurrentMutation(); len(m.YAML) > 0 {
		text, base = string(m.YAML), string(m.Base)
	}
	key := model.PolicyKey{}
	if len(v.madeSet.Changed) > 0 {
		key = v.madeSet.Changed[0]
	}
	notes := append([]string{"made from the template " + v.madeSet.Template.Name + "."}, v.madeSet.Notes...)
	env.ReplacePage(nav.ToProposal(key, v.page.Priority, text, base, strings.Join(notes, "\n"), nil))
}

// cancelForm goes back to the list, or to where what a set misses was asked for.
func (v *templatePage) cancelForm(env *view.Env) {
	v.pre, v.madeSet = nil, nil
	env.SayText("nothing was changed")
	if v.isForSet() {
		env.GoBack()
	}
}

// Do picks.
func (v *templatePage) Do(env *view.Env, id action.ID) bool {
	if id != action.Open {
		return v.List.Do(env, id)
	}
	it, ok := v.table.SelectedItem()
	switch {
	case !ok || v.isForSet():
		env.SayFailure("nothing to pick here")
	case it.id == blank && v.page.Place.Tier != "":
		env.ReplacePage(nav.ToNewIn(v.page.Place))
	case it.id == blank:
		env.ReplacePage(nav.ToNew(v.page.Priority))
	case v.w == nil || v.makes.IsUnderWay():
		env.SayText("looking at the cluster; a moment")
	case it.set != nil && it.missing == 0:
		env.OpenPage(nav.ToPolicy(it.set.MainPolicy().Key))
	case it.set != nil:
		name := it.set.Name
		v.makePolicies(env, func(w *template.World) (*pattern.MadeSet, error) { return pattern.CompleteSet(w, name, nil) })
	case it.template != nil:
		t := it.template
		env.AskDialog(newForm(v.w, t, func(env *view.Env, a template.Answers) {
			v.makePolicies(env, func(w *template.World) (*pattern.MadeSet, error) { return pattern.MakeSet(w, t, a, false) })
		}))
	}
	return true
}

// Scopes are the keys of the list.
func (v *templatePage) Scopes() []action.Scope { return []action.Scope{action.List, action.Global} }

// FrontView is the preview of what was made.
func (v *templatePage) FrontView() view.View {
	if v.pre == nil {
		return nil
	}
	return v.pre
}

// SelectedPage is the policy that is about the set under the cursor.
func (v *templatePage) SelectedPage() nav.Page {
	if it, ok := v.table.SelectedItem(); ok && it.set != nil {
		return nav.ToPolicy(it.set.MainPolicy().Key)
	}
	return nav.Page{}
}

// Crumb names the page.
func (v *templatePage) Crumb() string {
	switch {
	case v.madeSet != nil:
		if v.pre != nil {
			if priority, ok := v.pre.NewPriority(); ok {
				return fmt.Sprintf("new %s at %s", v.madeSet.Name, priority)
			}
		}
		return "new " + v.madeSet.Name
	case v.isForSet():
		return "what is missing"
	}
	return "new from a template"
}

// TellState says how far it is.
func (v *templatePage) TellState(env *view.Env) widget.Line {
	switch {
	case v.makes.IsUnderWay():
		return env.BusyLine(v.makes.BeganAt(), "making the policies")
	case v.world.IsUnderWay():
		return env.BusyLine(v.world.BeganAt(), "looking at the cluster")
	}
	return nil
}

// WorkingSince is since when something is worked out.
func (v *templatePage) WorkingSince() time.Time {
	if v.makes.IsUnderWay() {
		return v.makes.BeganAt()
	}
	return v.world.BeganAt()
}

// Render draws the list, or why there is none.
func (v *templatePage) Render(env *view.Env, w, h int) string {
	var lines []string
	if v.problem != "" {
		mark := words.No
		for _, l := range widget.FlowText(widget.CleanText(v.problem), max(1, w-6)) {
			lines = append(lines, widget.Line{{Text: "  " + mark + " ", Style: env.Styles.Error}, {Text: l}}.Render(w))
			mark = " "
		}
		lines = append(lines, "")
	}
	if v.isForSet() {
		if l := env.BusyLine(v.WorkingSince(), "working out what is missing"); l != nil && v.problem == "" {
			lines = append(lines, "", widget.JoinLines(widget.PlainLine("  "), l).Render(w))
		}
		return widget.PadBlock(lines, h)
	}
	if len(lines) >= h {
		return widget.PadBlock(lines, h)
	}
	out := v.table.Render(env.Styles, w, h-len(lines))
	for i := len(lines) - 1; i >= 0; i-- {
		out = lines[i] + "\n" + out
	}
	return out
}
