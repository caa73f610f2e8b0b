package rows

import (
	"cmp"
	"fmt"
	"strconv"

	"rung/model/ovn/nb"
	"rung/revision/liverows"
	"rung/themes"
	"rung/ui/widget"
)

func (v *View) list(i int) *widget.Table[*item] {
	t := &widget.Table[*item]{
		ID: func(it *item) string { return it.id },
		Full: func(it *item) widget.Line {
			if it.head == "" {
				return nil
			}
			if it.end {
				return widget.Styled("   "+it.head, v.st.Dim)
			}
			return widget.Line{{Text: "── ", Style: v.st.Border}, {Text: it.head, Style: v.st.Title}, {Text: " ──", Style: v.st.Border}}
		},
		Skip:  func(it *item) bool { return it.head != "" },
		Fixed: func(it *item) bool { return it.head != "" },
		Text:  v.text,
		Empty: "no rows",
	}
	switch tables[i] {
	case nb.TableACL:
		t.Columns = v.aclColumns()
	case nb.TableAddressSet:
		t.Columns = v.setColumns()
	default:
		t.Columns = v.groupColumns()
	}
	return t
}

// text is what the filter looks at: more than the columns that are shown.
func (v *View) text(it *item) string {
	s := it.label + " " + markText[it.mark] + " " + it.row.IDs()[nb.KeyID] + " " + it.row.RowUUID()
	switch r := it.row.(type) {
	case *nb.ACL:
		if it.late {
			s += " " + lateSign + liverows.AfterAllow
		}
		if v.problem(it) != "" {
			s += " " + badMatch
		}
		return fmt.Sprintf("%s %s %d %d %s %s %s %s %s", s, r.Stage(), r.Tier, r.Priority, r.Action, r.Severity, it.tie, it.on, r.Match)
	case *nb.AddressSet:
		return s + " " + r.Name
	case *nb.PortGroup:
		return s + " " + r.Name
	}
	return s
}

// badMatch is said where a match cannot be taken apart.
const badMatch = "▲ match"

func (v *View) markCell(it *item) widget.Line {
	look := v.st.Error
	switch it.mark {
	case liverows.RowSettling:
		look = v.st.Info
	case liverows.RowStrange, liverows.RowLegacy:
		look = v.st.Warn
	case liverows.RowForeign:
		look = v.st.Dim
	}
	text := markText[it.mark]
	if (text == "" || it.mark == liverows.RowForeign) && v.problem(it) != "" {
		text, look = badMatch, v.st.Warn
	}
	return widget.Styled(text, look)
}

// prioCell is the priority with a sign where others share it.
func (v *View) prioCell(it *item) widget.Line {
	a, ok := it.row.(*nb.ACL)
	if !ok {
		return nil
	}
	l := widget.Plain(strconv.Itoa(a.Priority))
	switch it.tie {
	case liverows.TieSame:
		return l.Add("=", v.st.Dim)
	case liverows.TieUndefined:
		return l.Add("▲", v.st.Warn)
	}
	return l.Add(" ", v.st.Text)
}

func (v *View) onCell(it *item) widget.Line {
	if it.on == onNothing {
		return widget.Styled(it.on, v.st.Warn)
	}
	return widget.Plain(it.on)
}

// matchCell is the match as it stands; one that cannot be taken apart says so.
func (v *View) matchCell(it *item) widget.Line {
	a, ok := it.row.(*nb.ACL)
	if !ok {
		return nil
	}
	if v.problem(it) == "" {
		return widget.Styled(a.Match, v.st.CodeText)
	}
	return widget.Styled("▲ cannot be parsed: ", v.st.Warn).Add(a.Match, v.st.CodeText)
}

func (v *View) ownerCell(it *item) widget.Line {
	look := v.st.Accent
	switch it.mark {
	case liverows.RowForeign, liverows.RowUncompiled, liverows.RowLegacy:
		look = v.st.Text
	}
	if it.late {
		return widget.Line{{Text: lateSign, Style: v.st.Warn}, {Text: it.label, Style: look}}
	}
	return widget.Styled(it.label, look)
}

func uuidCell(it *item) widget.Line { return widget.Plain(it.row.RowUUID()) }

func (v *View) aclColumns() []widget.Column[*item] {
	cell := func(f func(a *nb.ACL) widget.Line) func(*item) widget.Line {
		return func(it *item) widget.Line {
			if a, ok := it.row.(*nb.ACL); ok {
				return f(a)
			}
			return nil
		}
	}
	number := func(f func(*nb.ACL) int) func(*item) widget.Line {
		return cell(func(a *nb.ACL) widget.Line { return widget.Plain(strconv.Itoa(f(a))) })
	}
	return []widget.Column[*item]{
		{Title: "STAGE", Wide: true, Cell: cell(func(a *nb.ACL) widget.Line { return widget.Plain(a.Stage()) })},
		{Title: "TIER", Right: true, Cell: number(func(a *nb.ACL) int { return a.Tier })},
		{Title: "PRIO ", Right: true, Cell: v.prioCell, Less: byPriority},
		{Title: "ACTION", Cell: cell(func(a *nb.ACL) widget.Line { return widget.Styled(a.Action, v.actionLook(a.Action)) })},
		{Title: "OWNER", Name: true, Min: 24, Cell: v.ownerCell},
		{Title: "STATE", Min: 9, Cell: v.markCell},
		{Title: "LOG", Drop: 3, Cell: cell(v.logCell)},
		{Title: "MATCH", Min: 16, Drop: 5, Flex: true, Cell: v.matchCell},
		{Title: "ON", Min: 24, Max: 40, Drop: 6, Flex: true, Cell: v.onCell, // "namespace monitoring"
			Fit: func(it *item, w int) widget.Line { return v.onCell(it).CutName(w) }},
		{Title: "NAME", Wide: true, Cell: cell(func(a *nb.ACL) widget.Line { return widget.Plain(a.Name) })},
		{Title: "UUID", Wide: true, Cell: uuidCell},
	}
}

// byPriority orders as PRIO reads, without the sign.
func byPriority(a, b *item) int {
	x, _ := a.row.(*nb.ACL)
	y, _ := b.row.(*nb.ACL)
	if x == nil || y == nil {
		return 0
	}
	return cmp.Compare(x.Priority, y.Priority)
}

func (v *View) actionLook(a string) themes.Style {
	switch a {
	case nb.ActionAllow, nb.ActionAllowRelated, nb.ActionAllowStateless:
		return v.st.Allow
	case nb.ActionDrop, nb.ActionReject:
		return v.st.Deny
	case nb.ActionPass:
		return v.st.Pass
	}
	return v.st.Text
}

func (v *View) logCell(a *nb.ACL) widget.Line {
	if !a.Log {
		return widget.Styled("off", v.st.Dim)
	}
	if a.Severity == "" {
		return widget.Styled("on", v.st.Info)
	}
	return widget.Styled(a.Severity, v.st.Info)
}

// known leaves a number out of rows that are missing: see liverows.RowMarks.
func known(cell func(*item) widget.Line) func(*item) widget.Line {
	return func(it *item) widget.Line {
		if it.mark == liverows.RowMissing || it.mark == liverows.RowKnownMissing {
			return widget.Plain("–")
		}
		return cell(it)
	}
}

func (v *View) setColumns() []widget.Column[*item] {
	cell := func(f func(*nb.AddressSet) string) func(*item) widget.Line {
		return func(it *item) widget.Line {
			if s, ok := it.row.(*nb.AddressSet); ok {
				return widget.Plain(f(s))
			}
			return nil
		}
	}
	return []widget.Column[*item]{
		{Title: "OWNER", Name: true, Min: 24, Cell: v.ownerCell},
		{Title: "FAMILY", Drop: 3, Cell: func(it *item) widget.Line { return widget.Plain(it.owner.Family) }},
		{Title: "MEMBERS", Right: true, Cell: known(cell(func(s *nb.AddressSet) string { return strconv.Itoa(len(s.Addresses)) }))},
		{Title: "STATE", Min: 9, Cell: v.markCell},
		{Title: "NAME", Min: 12, Drop: 4, Flex: true, Cell: cell(func(s *nb.AddressSet) string { return s.Name })},
		{Title: "ID", Wide: true, Cell: cell(func(s *nb.AddressSet) string { return s.ID() })},
		{Title: "UUID", Wide: true, Cell: uuidCell},
	}
}

func (v *View) groupColumns() []widget.Column[*item] {
	cell := func(f func(*nb.PortGroup) string) func(*item) widget.Line {
		return func(it *item) widget.Line {
			if g, ok := it.row.(*nb.PortGroup); ok {
				return widget.Plain(f(g))
			}
			return nil
		}
	}
	return []widget.Column[*item]{
		{Title: "OWNER", Name: true, Min: 24, Cell: v.ownerCell},
		{Title: "PORTS", Right: true, Cell: known(cell(func(g *nb.PortGroup) string { return strconv.Itoa(len(g.Ports)) }))},
		{Title: "ACLS", Right: true, Cell: known(cell(func(g *nb.PortGroup) string { return strconv.Itoa(len(g.ACLs)) }))},
		{Title: "STATE", Min: 9, Cell: v.markCell},
		{Title: "NAME", Min: 12, Drop: 4, Flex: true, Cell: cell(func(g *nb.PortGroup) string { return g.Name })},
		{Title: "ID", Wide: true, Cell: cell(func(g *nb.PortGroup) string { return g.ID() })},
		{Title: "UUID", Wide: true, Cell: uuidCell},
	}
}
