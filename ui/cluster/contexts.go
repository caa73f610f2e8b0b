package cluster

import (
	"context"
	"time"

	"rung/model/words"
	"rung/themes"
	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// contextsPage is the view.
type contextsPage struct {
	view.List
	table   *widget.Table[string]
	reads   view.LatestWork
	current string
	st      *themes.StyleSet
}

// contextList holds the contexts that were read.
type contextList struct {
	names   []string
	current string
}

// NewContexts makes the view.
func NewContexts(nav.Page) view.View {
	v := &contextsPage{}
	v.table = &widget.Table[string]{
		ID: func(name string) string { return name },
		Columns: []widget.TableColumn[string]{
			{Title: "CONTEXT", Help: "a context of the kubeconfig", Name: true, Min: 20, Cell: func(name string) widget.Line {
				if name == v.current {
					return widget.Line{{Text: words.Live + " ", Style: v.st.OK}, {Text: name, Style: v.st.Accent}, {Text: "  here", Style: v.st.Dim}}
				}
				return widget.Line{{Text: "  "}, {Text: name, Style: v.st.Accent}}
			}},
		},
	}
	v.Widget = v.table
	return v
}

// Sync reads the kubeconfig once.
func (v *contextsPage) Sync(env *view.Env) {
	v.st = env.Styles
	if v.reads.WasBegun() {
		if v.reads.IsUnderWay() {
			v.table.Empty = env.BusyLine(v.reads.BeganAt(), "reading the kubeconfig").String()
			v.table.SetItems(nil)
		}
		return
	}
	console := env.Console
	view.BeginWork(&v.reads, env, "reading the kubeconfig", func(context.Context) (contextList, error) {
		names, current, err := console.Contexts()
		return contextList{names, current}, err
	})
}

// ReceiveResult takes the contexts.
func (v *contextsPage) ReceiveResult(_ *view.Env, result any) {
	l, err, ok := view.TakeResult[contextList](&v.reads, result)
	if !ok {
		return
	}
	v.current, v.table.Empty = l.current, "no contexts in the kubeconfig"
	if err != nil {
		v.table.Empty = widget.CleanText(err.Error())
	}
	v.table.SetItems(l.names)
	if l.current != "" {
		v.table.SelectID(l.current)
	}
}

// WorkingSince returns when reading the kubeconfig began.
func (v *contextsPage) WorkingSince() time.Time { return v.reads.BeganAt() }

// StateLine says what switching does.
func (v *contextsPage) StateLine(env *view.Env) widget.Line {
	return widget.StyledLine(env.KeyHint(action.Open)+" switches to the cluster, closing these pages", env.Styles.Dim)
}

// SelectedPage returns none: a context is another console.
func (v *contextsPage) SelectedPage() nav.Page { return nav.Page{} }

// Do switches to the selected context.
func (v *contextsPage) Do(env *view.Env, id action.ID) bool {
	if id != action.Open {
		return v.List.Do(env, id)
	}
	switch name := v.table.SelectedID(); name {
	case "":
		env.ShowFailure("nothing to open here")
	case v.current:
		env.ShowText("already on %s", name)
	default:
		env.SwitchContext(name)
	}
	return true
}

// Copies offers the name of the context.
func (v *contextsPage) Copies(*view.Env) []view.CopyItem {
	if name := v.table.SelectedID(); name != "" {
		return []view.CopyItem{{What: "the context's name", Text: name}}
	}
	return nil
}
