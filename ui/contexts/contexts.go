package contexts

import (
	"context"
	"time"

	"rung/themes"
	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// contexts is the view.
type contexts struct {
	view.List
	table   *widget.Table[string]
	reads   view.Once
	current string
	st      *themes.Styles
}

// list holds the contexts that were read.
type list struct {
	names   []string
	current string
}

// New makes the view.
func New(nav.Page) view.View {
	v := &contexts{}
	v.table = &widget.Table[string]{
		ID: func(name string) string { return name },
		Columns: []widget.Column[string]{
			{Title: "CONTEXT", Name: true, Min: 20, Cell: func(name string) widget.Line {
				if name == v.current {
					return widget.Line{{Text: "● ", Style: v.st.OK}, {Text: name, Style: v.st.Accent}, {Text: "  here", Style: v.st.Dim}}
				}
				return widget.Line{{Text: "  "}, {Text: name, Style: v.st.Accent}}
			}},
		},
	}
	v.Of = v.table
	return v
}

// Sync reads the kubeconfig once.
func (v *contexts) Sync(env *view.Env) {
	v.st = env.Styles
	if v.reads.Begun() {
		if v.reads.Under() {
			v.table.Empty = env.Busy(v.reads.Since(), "reading the kubeconfig").String()
			v.table.SetItems(nil)
		}
		return
	}
	console := env.Console
	view.Begin(&v.reads, env, "reading the kubeconfig", func(context.Context) (list, error) {
		names, current, err := console.Contexts()
		return list{names, current}, err
	})
}

// Receive takes what was read.
func (v *contexts) Receive(_ *view.Env, result any) {
	l, err, ok := view.Come[list](&v.reads, result)
	if !ok {
		return
	}
	v.current, v.table.Empty = l.current, "no contexts in the kubeconfig"
	if err != nil {
		v.table.Empty = widget.Clean(err.Error())
	}
	v.table.SetItems(l.names)
	if l.current != "" {
		v.table.Select(l.current)
	}
}

// Working is since when the kubeconfig is read.
func (v *contexts) Working() time.Time { return v.reads.Since() }

// Tell says what leaving does.
func (v *contexts) Tell(env *view.Env) widget.Line {
	return widget.Styled(env.Keys.Action(action.Open).Shown()+" switches to the cluster, closing these pages", env.Styles.Dim)
}

// Selected is no place: a context is another console.
func (v *contexts) Selected() nav.Page { return nav.Page{} }

// Do goes to the context under the cursor.
func (v *contexts) Do(env *view.Env, id action.ID) bool {
	if id != action.Open {
		return v.List.Do(env, id)
	}
	switch name := v.table.SelectedID(); name {
	case "":
		env.Fail("nothing to open here")
	case v.current:
		env.Say("this is %s", name)
	default:
		env.Switch(name)
	}
	return true
}

// Copies is the name of a context.
func (v *contexts) Copies(*view.Env) []view.Copy {
	if name := v.table.SelectedID(); name != "" {
		return []view.Copy{{What: "the context's name", Text: name}}
	}
	return nil
}
