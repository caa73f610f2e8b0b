package rows

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"

	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision/liverows"
	"rung/themes"
)

// ACLs lists the ACLs of zones in the order in which they decide.
var ACLs = table(
	column{Key: "zone", Title: "ZONE", Place: page.Printed, Worth: page.Always, Cell: plain(func(l *Line) string { return l.Zone })},
	column{Key: "stage", Title: "STAGE", Aside: true, Worth: page.Always, Cell: plain(func(l *Line) string { return l.acl.Stage() })},
	column{Key: "tier", Title: "TIER", Right: true, Worth: page.Always, Cell: plain(func(l *Line) string { return strconv.Itoa(l.acl.Tier) })},
	column{Key: "priority", Title: "PRIO ", Place: page.OnScreen, Right: true, Worth: page.Always, Cell: (*Line).priority,
		Less: func(a, b *Line) int { return cmp.Compare(a.acl.Priority, b.acl.Priority) }},
	column{Key: "priority", Title: "PRIO", Place: page.Printed, Worth: page.Always, Cell: plain(func(l *Line) string { return strconv.Itoa(l.acl.Priority) })},
	column{Key: "action", Title: "ACTION", Worth: page.Always, Cell: func(l *Line) page.Cell { return page.Cell{Text: l.acl.Action, Role: ActionRole(l.acl.Action)} }},
	ownerColumn,
	stateColumn,
	column{Key: "log", Title: "LOG", Worth: 97, Cell: func(l *Line) page.Cell {
		if !l.acl.Log {
			return page.Cell{Text: "off", Role: themes.Dim}
		}
		return page.Cell{Text: cmp.Or(l.acl.Severity, "on"), Role: themes.Info}
	}},
	column{Key: "note", Title: "NOTE", Place: page.Printed, Worth: 98, Cell: plain(func(l *Line) string { return cmp.Or(l.notes(), "–") })},
	column{Key: "on", Title: "ON", Place: page.Printed, Worth: 94, Cell: plain(func(l *Line) string { return cmp.Or(strings.Join(l.on, ", "), "–") })},
	column{Key: "match", Title: "MATCH", Min: 16, Worth: 95, Flex: true, Cell: func(l *Line) page.Cell {
		c := page.Cell{Text: l.acl.Match, Role: themes.CodeText}
		if l.Problem() != "" {
			c.Sign = page.Span{Text: "▲ cannot be parsed:", Role: themes.Warn}
		}
		return c
	}},
	column{Key: "on", Title: "ON", Place: page.OnScreen, Min: 24, Max: 40, Worth: 94, Flex: true, Cell: (*Line).holder}, // "namespace monitoring"
	column{Key: "name", Title: "NAME", Place: page.OnScreen, Wide: true, Worth: page.Always, Cell: plain(func(l *Line) string { return l.acl.Name })},
	uuidColumn,
)

// Sets lists address sets, Groups port groups.
var (
	Sets = table(
		ownerColumn,
		column{Key: "family", Title: "FAMILY", Worth: 97, Cell: plain(func(l *Line) string { return l.family })},
		column{Key: "members", Title: "MEMBERS", Right: true, Worth: page.Always, Cell: count(func(l *Line) int { return len(l.Row.(*nb.AddressSet).Addresses) })},
		stateColumn, nameColumn, idColumn, uuidColumn,
	)
	Groups = table(
		ownerColumn,
		column{Key: "ports", Title: "PORTS", Right: true, Worth: page.Always, Cell: count(func(l *Line) int { return len(l.Row.(*nb.PortGroup).Ports) })},
		column{Key: "acls", Title: "ACLS", Right: true, Worth: page.Always, Cell: count(func(l *Line) int { return len(l.Row.(*nb.PortGroup).ACLs) })},
		stateColumn, nameColumn, idColumn, uuidColumn,
	)
)

type column = page.Column[*Line]

var (
	ownerColumn = column{Key: "owner", Title: "OWNER", Name: true, Min: 24, Worth: page.Always, Cell: (*Line).owner}
	stateColumn = column{Key: "state", Title: "STATE", Place: page.OnScreen, Min: 9, Worth: page.Always, Cell: (*Line).state}
	nameColumn  = column{Key: "name", Title: "NAME", Min: 12, Worth: 96, Flex: true, Cell: plain(func(l *Line) string { return l.Row.RowName() })}
	idColumn    = column{Key: "id", Title: "ID", Wide: true, Worth: page.Always, Cell: plain(func(l *Line) string { return l.Row.IDs()[nb.KeyID] })}
	uuidColumn  = column{Key: "uuid", Title: "UUID", Wide: true, Worth: page.Always, Cell: plain(func(l *Line) string { return l.Row.RowUUID() })}
)

func table(columns ...column) *page.Table[*Line] {
	return &page.Table[*Line]{ID: func(l *Line) string { return l.ID }, Full: func(l *Line) page.Line { return l.full },
		Head: func(l *Line) bool { return l.full != nil }, Columns: columns}
}

// plain and count leave out what headings have not, and count what is not known of rows
// that are missing: see liverows.RowMarks.
func plain(text func(*Line) string) func(*Line) page.Cell {
	return func(l *Line) page.Cell { return page.Cell{Text: text(l)} }
}

func count(of func(*Line) int) func(*Line) page.Cell {
	return plain(func(l *Line) string {
		if l.Lost {
			return "–"
		}
		return strconv.Itoa(of(l))
	})
}

// ActionRole is the role of an ACL's action.
func ActionRole(action string) page.Role {
	switch action {
	case nb.ActionAllow, nb.ActionAllowRelated, nb.ActionAllowStateless:
		return themes.Allow
	case nb.ActionDrop, nb.ActionReject:
		return themes.Deny
	case nb.ActionPass:
		return themes.Pass
	}
	return themes.Text
}

// priority has a sign where others share it.
func (l *Line) priority() page.Cell {
	sign := page.Span{Text: " "}
	switch l.acl.Tie {
	case liverows.TieSame:
		sign = page.Span{Text: "=", Role: themes.Dim}
	case liverows.TieUndefined:
		sign = page.Span{Text: "▲", Role: themes.Warn}
	}
	return page.Cell{Text: strconv.Itoa(l.acl.Priority), More: page.Line{sign}}
}

func (l *Line) owner() page.Cell {
	c := page.Cell{Text: l.label, Role: themes.Accent}
	switch l.Mark {
	case liverows.RowForeign, liverows.RowUncompiled, liverows.RowLegacy:
		c.Role = themes.Text
	}
	if l.acl != nil && l.acl.AfterAllow {
		c.Sign = page.Span{Text: lateSign, Role: themes.Warn}
	}
	return c
}

// holder names the port groups and switches that hold an ACL.
func (l *Line) holder() page.Cell {
	switch {
	case l.own:
		return page.Cell{Text: "own group"}
	case l.Lost:
		return page.Cell{}
	case len(l.on) == 0:
		return page.Cell{Text: "nothing: has no effect", Role: themes.Warn}
	}
	return page.Cell{Text: words.List(l.on, 3)}
}

// markText are the marks for people.
var markText = map[liverows.RowMark]string{
	liverows.RowSettling:       "… settling",
	liverows.RowDifferent:      "≠ differs",
	liverows.RowExtra:          "≠ extra",
	liverows.RowMissing:        "≠ missing",
	liverows.RowKnownDifferent: "≠ differs: known",
	liverows.RowKnownExtra:     "≠ extra: known",
	liverows.RowKnownMissing:   "≠ missing: known",
	liverows.RowFrozen:         "● frozen",
	liverows.RowStrange:        "? other form",
	liverows.RowForeign:        "· other",
	liverows.RowLegacy:         "~ legacy",
}

// badMatch is said where a match cannot be taken apart.
const badMatch = "▲ match"

// state is how a row stands to what is desired.
func (l *Line) state() page.Cell {
	c := page.Cell{Text: markText[l.Mark], Role: themes.Error}
	switch l.Mark {
	case liverows.RowSettling:
		c.Role = themes.Info
	case liverows.RowStrange, liverows.RowLegacy:
		c.Role = themes.Warn
	case liverows.RowForeign:
		c.Role = themes.Dim
	}
	if (c.Text == "" || l.Mark == liverows.RowForeign) && l.Problem() != "" {
		return page.Cell{Text: badMatch, Role: themes.Warn}
	}
	return c
}

// The signs of column NOTE.
var signs = []struct {
	sign, means string
	of          func(*Line) bool
}{
	{lateSign, liverows.AfterAllow + ": to-lport comes after the egress stages", func(l *Line) bool { return l.acl.AfterAllow }},
	{"=", "other rows at this priority decide the same", func(l *Line) bool { return l.acl.Tie == liverows.TieSame }},
	{"▲", "other rows at this priority decide differently: which one wins is undefined", func(l *Line) bool { return l.acl.Tie == liverows.TieUndefined }},
	{"?", "Rung cannot parse this match", func(l *Line) bool { return l.Problem() != "" }},
	{"∅", "in no port group and on no switch: it decides nothing", func(l *Line) bool { return len(l.on) == 0 }},
}

func (l *Line) notes() (out string) {
	for _, n := range signs {
		if n.of(l) {
			out += n.sign
		}
	}
	return out
}

// Legend explains the signs of column NOTE in some lines, one to a line.
func Legend(lines []*Line) (out string) {
	var used string
	for _, l := range lines {
		used += l.notes()
	}
	for _, n := range signs {
		if strings.Contains(used, n.sign) {
			out += n.sign + " " + n.means + "\n"
		}
	}
	return out
}

// Undefined says at which priorities some ACLs decide differently from others, "" for none.
func Undefined(lines iter.Seq[*Line]) string {
	var at []string
	for l := range lines {
		if l.acl == nil || l.acl.Tie != liverows.TieUndefined {
			continue
		}
		if text := strconv.Itoa(l.acl.Priority); !slices.Contains(at, text) {
			at = append(at, text)
		}
	}
	if len(at) == 0 {
		return ""
	}
	return "rows at " + words.List(at, 3) + " decide differently: which one wins is undefined"
}
