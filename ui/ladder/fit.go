package ladder

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"rung/model"
	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/view"
)

// whyNot says why an action on a policy makes no sense for the line, empty where
// it does.
func (it *item) whyNot(id action.ID) string {
	switch id {
	case action.LadderMove, action.LadderEdit, action.LadderDelete:
	case action.LadderLogging, action.LadderSelect:
		if it.logging().Kind != "" {
			return ""
		}
	case action.LadderLogs:
		if it.kind == unit && it.stands.Kind != model.KindNetpolNamespace {
			return rowsOf(it.stands) + " never log" // ovn-kubernetes.md#namespace-logging, #multicast
		}
		return ""
	default:
		return ""
	}
	switch {
	case it.broken != nil:
		return cmp.Or(it.key.Name, "the object") + " could not be read"
	case it.kind == unit:
		return "no policy here: " + rowsOf(it.stands)
	case it.kind == rows && it.whose != "":
		return "no policy here: rows of " + it.whose
	case it.kind != policy:
		return "no policy here"
	case it.key.Kind.IsAntrea():
		return "Rung shows policies of Antrea and does not change them"
	case id == action.LadderMove:
		return action.NoPriority(it.key)
	}
	return ""
}

// logging is the object whose annotation sets what the line logs: a policy, or a namespace;
// the zero Key where nothing does.
func (it *item) logging() model.Key {
	if it.broken != nil {
		return model.Key{}
	}
	switch it.kind {
	case policy:
		if it.key.Kind.IsAntrea() {
			return model.Key{} // each rule says it
		}
		return model.LoggedBy(it.key)
	case unit:
		return model.LoggedBy(it.stands)
	case namespace:
		if name, ok := strings.CutPrefix(it.id, namespaceID("")); ok {
			return model.Key{Kind: model.KindNamespace, Name: name}
		}
	}
	return model.Key{}
}

// choose selects what sets the logging of a line, or no longer.
func (v *ladderPage) choose(env *view.Env, it *item) {
	k := it.logging()
	if v.chosen[k] {
		delete(v.chosen, k)
	} else {
		v.chosen[k] = true
	}
	switch n := len(v.chosen); n {
	case 0:
		env.Say("nothing is selected")
	default:
		env.Say("%d selected: L is about all of them", n)
	}
	v.Sync(env)
}

// askLogging asks about all that is selected, or about the line under the cursor.
func (v *ladderPage) askLogging(env *view.Env, it *item) {
	if len(v.chosen) == 0 {
		view.AskLogging(env, it.logging())
		return
	}
	view.AskLogging(env, slices.SortedFunc(maps.Keys(v.chosen), model.Key.Compare)...)
	clear(v.chosen)
	v.Sync(env)
}

// rowsOf names the rows of a unit; some labels say already that they are rows.
func rowsOf(k model.Key) string {
	if k.Kind == model.KindNetpolDefault || k.Kind == model.KindNetpolNode {
		return k.Label()
	}
	return "rows of " + k.Label()
}

// logs is the page of what the line logs. The lines of a default deny are found
// by what their sentences say: it is no object with a log of its own.
func (it *item) logs() nav.Page {
	p := nav.Page{Kind: nav.Logs, Key: it.key}
	if it.kind == unit {
		p.Text = regexp.QuoteMeta(it.stands.Label())
	}
	return p
}
