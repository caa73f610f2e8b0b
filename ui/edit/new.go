package edit

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"rung/change"
	"rung/engine/template"
	"rung/model"
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

	chosen      string          // the template to open as soon as the cluster is read, empty for none
	clusterWork view.LatestWork // the cluster as seen by templates
	w           *template.World
	makeWork    view.LatestWork
	problem     string // why no policies could be made
	pre         *preview.View
	madeSet     *template.PolicySet
}

// templateItem is a choice: a template, or nil for a blank policy.
type templateItem struct {
	name, purpose, asks string
	template            *template.Template
}

// NewFromTemplate makes the view of the templates.
func NewFromTemplate(p nav.Page) view.View {
	v := &templatePage{page: p, chosen: p.ID}
	v.table = &widget.Table[*templateItem]{
		ID:      func(it *templateItem) string { return it.name },
		NoBelow: true,
		Columns: []widget.TableColumn[*templateItem]{
			{Title: "TEMPLATE", Help: "a set of policies with a name", Min: 16, NoSort: true,
				Cell: func(it *templateItem) widget.Line { return widget.StyledLine(it.name, v.st.Accent) }},
			{Title: "FOR", Help: "what it is for", Min: 61, Flex: true, NoSort: true,
				Cell: func(it *templateItem) widget.Line { return widget.PlainLine(it.purpose) }},
			{Title: "ASKS", Help: "what it asks for", Drop: 1, Min: 9, NoSort: true,
				Cell: func(it *templateItem) widget.Line { return widget.StyledLine(it.asks, v.st.Dim) }},
		},
	}
	v.Widget = v.table
	return v
}

// Sync reads the cluster once, and lists the choices.
func (v *templatePage) Sync(env *view.Env) {
	v.st = env.Styles
	if v.pre != nil {
		v.pre.Sync(env)
		return
	}
	if !v.clusterWork.WasBegun() {
		rev := env.Rev
		view.BeginWork(&v.clusterWork, env, "reading the cluster", func(context.Context) (*template.World, error) {
			return template.NewWorld(rev), nil
		})
	}
	v.fillTable()
}

// fillTable lists the templates.
func (v *templatePage) fillTable() {
	at := fmt.Sprintf("at priority %d", v.page.Priority)
	if p := v.page.Place; p.Tier != "" {
		at = fmt.Sprintf("in tier %s at priority %s", p.Tier, words.Number(p.Priority))
	}
	items := []*templateItem{{name: "blank policy", purpose: "write one from scratch, " + at, asks: "$EDITOR"}}
	for _, t := range template.AllTemplates() {
		items = append(items, &templateItem{name: t.Name, purpose: t.For, asks: strings.Join(t.QuestionNames(false), ", "), template: t})
	}
	v.table.SetItems(items)
}

// ReceiveResult takes the cluster or the made policies.
func (v *templatePage) ReceiveResult(env *view.Env, msg any) {
	if w, err, ok := view.TakeResult[*template.World](&v.clusterWork, msg); ok {
		v.w = w
		if err != nil {
			v.problem = err.Error()
		} else if v.chosen != "" && v.table.SelectID(v.chosen) {
			v.Do(env, action.Open)
		}
		return
	}
	if m, err, ok := view.TakeResult[*template.PolicySet](&v.makeWork, msg); ok {
		v.showMade(env, m, err)
		return
	}
	if v.pre != nil {
		v.pre.ReceiveResult(env, msg)
	}
}

// askQuestion asks a question of a template, then the next; after the last it makes the policies.
func (v *templatePage) askQuestion(env *view.Env, t *template.Template, i int, answers template.Answers) {
	for i < len(t.Questions) && t.Questions[i].Extra {
		i++
	}
	if i == len(t.Questions) {
		v.problem = ""
		w := v.w
		view.BeginWork(&v.makeWork, env, "making the policies", func(context.Context) (*template.PolicySet, error) {
			return template.MakeSet(w, t, answers, false)
		})
		return
	}
	q := &t.Questions[i]
	first, offers := "", []view.ChoiceItem(nil)
	for i, c := range v.w.OfferedChoices(t, q, answers) {
		if i == 0 {
			first = c.Value
		}
		offers = append(offers, view.ChoiceItem{Text: c.Value, Note: c.Note})
	}
	if len(answers) == 0 {
		first = cmp.Or(v.page.Base, first)
	}
	env.AskDialog(&view.PromptDialog{
		Title: fmt.Sprintf("new %s · question %s of %s", t.Name, words.Thousands(len(answers)+1), words.Thousands(len(t.QuestionNames(false)))),
		Label: q.Ask, Value: first, Offers: offers,
		Check: func(text string) string {
			if _, err := t.CheckAnswer(v.w, q, text, answers); err != nil {
				return err.Error()
			}
			return ""
		},
		Done: func(env *view.Env, text string) {
			answers[q.Name] = text
			v.askQuestion(env, t, i+1, answers)
		},
	})
}

// showMade opens the preview.
func (v *templatePage) showMade(env *view.Env, m *template.PolicySet, err error) {
	if err != nil {
		v.problem = err.Error()
		env.ShowFailure("%v", err)
		return
	}
	v.madeSet = m
	for _, n := range m.Notes {
		env.ShowText("%s", n)
	}
	v.pre = preview.PreviewMutation(change.Mutation{Op: change.OpApply, YAML: []byte(m.Text), Base: []byte(m.Base)}, preview.PreviewOptions{
		Crumb: "preview", Edit: v.editText, Copies: []view.CopyItem{{What: "YAML", Text: m.Text}},
		Cancel: func(env *view.Env) { // back to the list
			v.pre, v.madeSet = nil, nil
			env.ShowText("nothing was changed")
		},
	})
	v.pre.Sync(env)
}

// editText continues with the text in the editor.
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

// Do picks.
func (v *templatePage) Do(env *view.Env, id action.ID) bool {
	if id != action.Open {
		v.chosen = "" // who moves on has not waited for the cluster
		return v.List.Do(env, id)
	}
	it, ok := v.table.SelectedItem()
	switch {
	case !ok:
		env.ShowFailure("nothing to pick here")
	case it.template == nil && v.page.Place.Tier != "":
		env.ReplacePage(nav.ToNewIn(v.page.Place))
	case it.template == nil:
		env.ReplacePage(nav.ToNew(v.page.Priority))
	case v.w == nil:
		v.chosen = it.name
		env.ShowText("still reading the cluster; %s opens then", it.name)
	case v.makeWork.IsUnderWay():
		env.ShowText("still making the policies")
	default:
		v.askQuestion(env, it.template, 0, template.Answers{})
	}
	return true
}

// FrontView returns the preview of the policies, nil if none.
func (v *templatePage) FrontView() view.View {
	if v.pre == nil {
		return nil
	}
	return v.pre
}

// SelectedPage returns none: templates have no page.
func (v *templatePage) SelectedPage() nav.Page { return nav.Page{} }

// Crumb names the page.
func (v *templatePage) Crumb() string {
	if v.madeSet == nil {
		return "new from a template"
	}
	if v.pre != nil {
		if priority, ok := v.pre.NewPriority(); ok {
			return fmt.Sprintf("new %s at %s", v.madeSet.Name, priority)
		}
	}
	return "new " + v.madeSet.Name
}

// StateLine shows the running work.
func (v *templatePage) StateLine(env *view.Env) widget.Line {
	switch {
	case v.makeWork.IsUnderWay():
		return env.BusyLine(v.makeWork.BeganAt(), "making the policies")
	case v.clusterWork.IsUnderWay():
		return env.BusyLine(v.clusterWork.BeganAt(), "reading the cluster")
	}
	return nil
}

// WorkingSince returns when the running work began.
func (v *templatePage) WorkingSince() time.Time {
	if v.makeWork.IsUnderWay() {
		return v.makeWork.BeganAt()
	}
	return v.clusterWork.BeganAt()
}

// Render draws the list, below an error if there is one.
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
	if len(lines) >= h {
		return widget.PadBlock(lines, h)
	}
	return strings.Join(append(lines, v.table.Render(env.Styles, w, h-len(lines))), "\n")
}
