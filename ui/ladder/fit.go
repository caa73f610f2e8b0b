package ladder

import (
	"cmp"
	"maps"
	"regexp"
	"slices"

	"rung/model"
	"rung/pages/ladder"
	"rung/system"
	"rung/ui/action"
	"rung/ui/nav"
	"rung/ui/view"
)

// whyNot says why an action on a policy makes no sense for the line, empty where
// it does.
func whyNot(l *ladder.Line, id action.ID) string {
	switch id {
	case action.LadderMove, action.LadderEdit, action.LadderDelete:
	case action.LadderLogging, action.LadderSelect:
		if logging(l).Kind != "" {
			return ""
		}
	case action.LadderLogs:
		if l.Kind == ladder.Unit && l.Key.Kind != model.KindNetpolNamespace {
			return rowsOf(l.Key) + " never log" // ovn-kubernetes.md#namespace-logging, #multicast
		}
		return ""
	default:
		return ""
	}
	switch {
	case l.Kind == ladder.Broken:
		return cmp.Or(l.Key.Name, "the object") + " could not be read"
	case l.Kind == ladder.Unit:
		return "no policy here: " + rowsOf(l.Key)
	case l.Kind == ladder.Rows:
		return "no policy here: rows of " + l.Rows.Label
	case l.Kind != ladder.Policy:
		return "no policy here"
	case system.WhyNotChanged(l.Key.Kind) != "":
		return system.WhyNotChanged(l.Key.Kind)
	case id == action.LadderMove:
		return action.NoPriority(l.Key)
	}
	return ""
}

// logging is the object whose annotation sets what the line logs: a policy, or a namespace;
// the zero Key where nothing does.
func logging(l *ladder.Line) model.Key {
	switch l.Kind {
	case ladder.Policy, ladder.Unit:
		return model.LoggedBy(l.Key)
	case ladder.Namespace:
		return model.Key{Kind: model.KindNamespace, Name: l.Title}
	}
	return model.Key{}
}

// choose selects what sets the logging of a line, or no longer.
func (v *ladderPage) choose(env *view.Env, l *ladder.Line) {
	k := logging(l)
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
func (v *ladderPage) askLogging(env *view.Env, l *ladder.Line) {
	if len(v.chosen) == 0 {
		view.AskLogging(env, logging(l))
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
func logsOf(l *ladder.Line) nav.Page {
	if l.Kind == ladder.Unit {
		return nav.Page{Kind: nav.Logs, Text: regexp.QuoteMeta(l.Key.Label())}
	}
	return nav.Page{Kind: nav.Logs, Key: l.Key}
}
