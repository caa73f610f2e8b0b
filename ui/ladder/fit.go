package ladder

import (
	"cmp"
	"regexp"

	"rung/model"
	"rung/ui/action"
	"rung/ui/nav"
)

// whyNot says why an action on a policy makes no sense for the line, empty where
// it does.
func (it *item) whyNot(id action.ID) string {
	switch id {
	case action.LadderMove, action.LadderEdit, action.LadderDelete, action.LadderLogging:
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
	case id == action.LadderMove:
		return action.NoPriority(it.key)
	}
	return ""
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
