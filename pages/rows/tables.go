package rows

import (
	"cmp"
	"iter"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
	"rung/themes"
)

// ACLs lists the ACLs of zones in deciding order.
var ACLs = rowTable(
	rowColumn{Key: "zone", Title: "ZONE", Place: page.Printed, Importance: page.Always,
		Cell: page.TextCell(func(l *Line) string { return l.Zone })},
	rowColumn{Key: "stage", Title: "STAGE", DetailOnly: true, Importance: page.Always,
		Cell: page.TextCell(func(l *Line) string { return l.acl.Stage() })},
	rowColumn{Key: "tier", Title: "TIER", Right: true, Importance: page.Always,
		Cell: page.TextCell(func(l *Line) string { return strconv.Itoa(l.acl.Tier) })},
	rowColumn{Key: "priority", Title: "PRIO ", Place: page.OnScreen, Right: true, Importance: page.Always, Cell: (*Line).priorityCell,
		Less: func(a, b *Line) int { return cmp.Compare(a.acl.Priority, b.acl.Priority) }},
	rowColumn{Key: "priority", Title: "PRIO", Place: page.Printed, Importance: page.Always,
		Cell: page.TextCell(func(l *Line) string { return strconv.Itoa(l.acl.Priority) })},
	rowColumn{Key: "action", Title: "ACTION", Importance: page.Always,
		Cell: func(l *Line) page.Cell { return page.Cell{Text: l.acl.Action, Role: page.WordRole(l.acl.Action)} }},
	ownerColumn,
	stateColumn,
	rowColumn{Key: "log", Title: "LOG", Importance: 97, Cell: func(l *Line) page.Cell {
		if !l.acl.Log {
			return page.Cell{Text: "off", Role: themes.Dim}
		}
		return page.Cell{Text: cmp.Or(l.acl.Severity, "on"), Role: themes.Info}
	}},
	rowColumn{Key: "note", Title: "NOTE", Place: page.Printed, Importance: 98,
		Cell: page.TextCell(func(l *Line) string { return cmp.Or(l.notesText(), "–") })},
	rowColumn{Key: "on", Title: "ON", Place: page.Printed, Importance: 94,
		Cell: page.TextCell(func(l *Line) string { return cmp.Or(strings.Join(l.on, ", "), "–") })},
	rowColumn{Key: "match", Title: "MATCH", Min: 16, Importance: 95, Flex: true, Cell: func(l *Line) page.Cell {
		c := page.Cell{Text: l.acl.Match, Role: themes.CodeText}
		if l.MatchProblem() != "" {
			c.Sign = page.Span{Text: words.Warned + " cannot be parsed:", Role: themes.Warn}
		}
		return c
	}},
	// room for "namespace monitoring"
	rowColumn{Key: "on", Title: "ON", Place: page.OnScreen, Min: 24, Max: 40, Importance: 94, Flex: true, Cell: (*Line).holderCell},
	rowColumn{Key: "name", Title: "NAME", Place: page.OnScreen, Wide: true, Importance: page.Always,
		Cell: page.TextCell(func(l *Line) string { return l.acl.Name })},
	uuidColumn,
)

// Sets lists address sets, Groups port groups.
var (
	Sets = rowTable(
		ownerColumn,
		rowColumn{Key: "family", Title: "FAMILY", Importance: 97, Cell: page.TextCell(func(l *Line) string { return l.family })},
		rowColumn{Key: "members", Title: "MEMBERS", Right: true, Importance: page.Always,
			Cell: countCell(func(l *Line) int { return len(l.Row.(*nb.AddressSet).Addresses) })},
		stateColumn, nameColumn, idColumn, uuidColumn,
	)
	Groups = rowTable(
		ownerColumn,
		rowColumn{Key: "ports", Title: "PORTS", Right: true, Importance: page.Always,
			Cell: countCell(func(l *Line) int { return len(l.Row.(*nb.PortGroup).Ports) })},
		rowColumn{Key: "acls", Title: "ACLS", Right: true, Importance: page.Always,
			Cell: countCell(func(l *Line) int { return len(l.Row.(*nb.PortGroup).ACLs) })},
		stateColumn, nameColumn, idColumn, uuidColumn,
	)
)

type rowColumn = page.Column[*Line]

var (
	ownerColumn = rowColumn{Key: "owner", Title: "OWNER", Name: true, Min: 24, Importance: page.Always, Cell: (*Line).ownerCell}
	stateColumn = rowColumn{Key: "state", Title: "STATE", Place: page.OnScreen, Min: 9, Importance: page.Always, Cell: (*Line).stateCell}
	nameColumn  = rowColumn{Key: "name", Title: "NAME", Min: 12, Importance: 96, Flex: true,
		Cell: page.TextCell(func(l *Line) string { return l.Row.RowName() })}
	idColumn = rowColumn{Key: "id", Title: "ID", Wide: true, Importance: page.Always,
		Cell: page.TextCell(func(l *Line) string { return l.Row.IDs()[nb.KeyID] })}
	uuidColumn = rowColumn{Key: "uuid", Title: "UUID", Wide: true, Importance: page.Always,
		Cell: page.TextCell(func(l *Line) string { return l.Row.RowUUID() })}
)

func rowTable(columns ...rowColumn) *page.Table[*Line] {
	return &page.Table[*Line]{Help: columnHelp, ID: func(l *Line) string { return l.ID }, Full: func(l *Line) page.Line { return l.full },
		Head: func(l *Line) bool { return l.full != nil }, Columns: columns}
}

// countCell returns a column's cell of a count. Missing rows have none, since their members are not listed: see
// revision.RowMarks.
func countCell(of func(*Line) int) func(*Line) page.Cell {
	return page.TextCell(func(l *Line) string {
		if l.Missing {
			return "–"
		}
		return words.Thousands(of(l))
	})
}

// priorityCell returns the priority, with a sign if others share it.
func (l *Line) priorityCell() page.Cell {
	sign := page.Span{Text: " "}
	switch l.acl.Tie {
	case revision.TieSame:
		sign = page.Span{Text: "=", Role: themes.Dim}
	case revision.TieUndefined:
		sign = page.Span{Text: words.Warned, Role: themes.Warn}
	}
	return page.Cell{Text: strconv.Itoa(l.acl.Priority), More: page.Line{sign}}
}

func (l *Line) ownerCell() page.Cell {
	c := page.Cell{Text: l.label, Role: themes.Accent}
	switch l.Mark {
	case revision.RowOtherOwner, revision.RowUncompiled, revision.RowLegacy:
		c.Role = themes.Text
	}
	if l.acl != nil && l.acl.AfterAllow {
		c.Sign = page.Span{Text: words.Late, Role: themes.Warn}
	}
	return c
}

// holderCell names the port groups and switches that hold an ACL.
func (l *Line) holderCell() page.Cell {
	switch {
	case l.inOwnGroup:
		return page.Cell{Text: "own group"}
	case l.Missing:
		return page.Cell{}
	case len(l.on) == 0:
		return page.Cell{Text: "nothing: no effect", Role: themes.Warn}
	}
	return page.Cell{Text: words.List(l.on, 3)}
}

// markText names the marks for people.
var markText = map[revision.RowMark]string{
	revision.RowSettling:       words.Working + " settling",
	revision.RowDifferent:      words.Differs + " differs",
	revision.RowExtra:          words.Differs + " extra",
	revision.RowMissing:        words.Differs + " missing",
	revision.RowKnownDifferent: words.Differs + " differs: known",
	revision.RowKnownExtra:     words.Differs + " extra: known",
	revision.RowKnownMissing:   words.Differs + " missing: known",
	revision.RowFrozen:         words.Frozen + " frozen",
	revision.RowOtherForm:      words.Unmatched + " other form",
	revision.RowOtherOwner:     words.Noted + " other",
	revision.RowLegacy:         "~ legacy",
}

// badMatch marks a match that cannot be parsed.
const badMatch = words.Warned + " match"

// stateCell returns how a row compares with the desired rows.
func (l *Line) stateCell() page.Cell {
	c := page.Cell{Text: markText[l.Mark], Role: themes.Error}
	switch l.Mark {
	case revision.RowSettling:
		c.Role = themes.Info
	case revision.RowOtherForm, revision.RowLegacy:
		c.Role = themes.Warn
	case revision.RowOtherOwner:
		c.Role = themes.Dim
	}
	if (c.Text == "" || l.Mark == revision.RowOtherOwner) && l.MatchProblem() != "" {
		return page.Cell{Text: badMatch, Role: themes.Warn}
	}
	return c
}

var columnHelp = map[string]string{
	"acls":     "number of ACLs in the group",
	"family":   "IPv4 or IPv6",
	"log":      "the level at which the ACL logs",
	"match":    "the packets that the ACL decides",
	"members":  "number of addresses in the set",
	"name":     "the row's name",
	"on":       "the port groups and switches that have the ACL",
	"owner":    "the policy or object that the row is written for",
	"ports":    "number of ports in the group",
	"priority": "higher numbers decide first, within stage and tier",
	"stage":    "the pipeline stage of the ACL",
	"state":    "how the row differs from the desired one",
	"tier":     "the lowest tier decides first",
}

// The signs of column NOTE.
var noteSigns = []struct {
	sign, means string
	of          func(*Line) bool
}{
	{words.Late, revision.AfterAllow + ": to-lport comes after the egress stages", func(l *Line) bool { return l.acl.AfterAllow }},
	{words.Tied, "other rows at this priority decide the same", func(l *Line) bool { return l.acl.Tie == revision.TieSame }},
	{words.Warned, "other rows at this priority decide differently: which one wins is undefined", func(l *Line) bool {
		return l.acl.Tie == revision.TieUndefined
	}},
	{words.Unknown, "Rung cannot parse this match", func(l *Line) bool { return l.MatchProblem() != "" }},
	{words.Gone, "in no port group and on no switch: it decides nothing", func(l *Line) bool { return len(l.on) == 0 }},
}

func (l *Line) notesText() (out string) {
	for _, n := range noteSigns {
		if n.of(l) {
			out += n.sign
		}
	}
	return out
}

// NoteLegend explains the signs of column NOTE that some lines have, one per line.
func NoteLegend(lines []*Line) (out string) {
	var used string
	for _, l := range lines {
		used += l.notesText()
	}
	for _, n := range noteSigns {
		if strings.Contains(used, n.sign) {
			out += n.sign + " " + n.means + "\n"
		}
	}
	return out
}

// UndefinedOrder names the priorities at which ACLs decide differently, "" if none.
func UndefinedOrder(lines iter.Seq[*Line]) string {
	var at []string
	for l := range lines {
		if l.acl == nil || l.acl.Tie != revision.TieUndefined {
			continue
		}
		at = model.AppendNew(at, strconv.Itoa(l.acl.Priority))
	}
	if len(at) == 0 {
		return ""
	}
	return "rows at " + words.List(at, 3) + " decide differently: which one wins is undefined"
}
