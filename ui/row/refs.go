package row

import (
	"slices"
	"strings"

	"rung/engine/revision"
	"rung/model/nb"
	"rung/model/words"
	"rung/themes"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

type styleOf = themes.Style

// refs are the rows that refer to this one; finding them walks tables, so they
// are kept while the database is the same.
type refs struct {
	db   *nb.DB
	row  nb.Row
	rows []nb.Row
	// tied are the ACLs that share the place of an ACL.
	tied []*nb.ACL
	tie  revision.Tie
}

// find lists the rows of the database that refer to a row: port groups and
// switches by UUID, ACLs by name in their match.
func (r *refs) find(db *nb.DB, to nb.Row) []nb.Row {
	if r.db == db && r.row == to {
		return r.rows
	}
	r.db, r.row, r.rows, r.tied, r.tie = db, to, nil, nil, revision.NoTie
	uuid := to.RowUUID()
	switch to := to.(type) {
	case *nb.ACL:
		r.tied, r.tie = revision.TiedWith(db, to)
		for g := range db.PortGroups() {
			if slices.Contains(g.ACLs, uuid) {
				r.rows = append(r.rows, g)
			}
		}
		for s := range db.Switches() {
			if slices.Contains(s.ACLs, uuid) {
				r.rows = append(r.rows, s)
			}
		}
	case *nb.LogicalSwitchPort:
		for g := range db.PortGroups() {
			if slices.Contains(g.Ports, uuid) {
				r.rows = append(r.rows, g)
			}
		}
		for s := range db.Switches() {
			if slices.Contains(s.Ports, uuid) {
				r.rows = append(r.rows, s)
			}
		}
	case *nb.AddressSet:
		r.naming(db, "$"+to.Name)
	case *nb.PortGroup:
		r.naming(db, "@"+to.Name)
	case *nb.Meter:
		for a := range db.ACLs() {
			if a.Meter == to.Name {
				r.rows = append(r.rows, a)
			}
		}
	}
	return r.rows
}

// naming finds the ACLs whose match has a name in it.
func (r *refs) naming(db *nb.DB, name string) {
	for a := range db.ACLs() {
		if names(a.Match, name) {
			r.rows = append(r.rows, a)
		}
	}
}

// names says whether the name stands in a match as a whole word.
func names(match, name string) bool {
	for rest := match; ; {
		i := strings.Index(rest, name)
		if i < 0 {
			return false
		}
		rest = rest[i+len(name):]
		if rest == "" || !word(rest[0]) {
			return true
		}
	}
}

func word(c byte) bool {
	return c == '_' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// refsShown bounds how many rows that refer to this one are listed.
const refsShown = 200

// referrers lists who refers to the row.
func (v *View) referrers(env *view.Env, s *detail.Sheet) {
	if v.live == nil {
		return
	}
	st := env.Styles
	rows := v.refs.find(v.state.DB, v.live)
	s.Head("who refers to it")
	if len(rows) == 0 {
		text := "nobody"
		if _, ok := v.live.(*nb.ACL); ok {
			text = "nobody: a row that no port group and no switch holds decides nothing, and the database removes it"
		}
		s.Say("refs", 2, "", st.Dim, st.Dim, text, nav.Page{})
		return
	}
	for i, r := range rows {
		if i == refsShown {
			s.Add("refs.more", widget.Styled("  "+words.Total(len(rows)-i, "more row"), st.Dim), nav.Page{})
			break
		}
		to := detail.RowPage(v.state, r, nil)
		if a, ok := r.(*nb.ACL); ok {
			s.Add("ref."+a.UUID, widget.Join(widget.Styled("  ACL", st.Dim), detail.ACLLine(a, v.policy, st)), to)
			continue
		}
		what := map[string]string{nb.TablePortGroup: "port group", nb.TableSwitch: "switch"}[nb.TableOf(r)]
		l := widget.Line{{Text: "  " + what + "  ", Style: st.Dim}, {Text: r.RowName(), Style: st.Accent}}
		if ids := r.IDs(); len(ids) > 0 {
			l = l.Add("  "+revision.OwnerName(ids), st.Text)
		}
		s.Add("ref."+r.RowUUID(), l, to)
	}
}
