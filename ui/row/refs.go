package row

import (
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/revision/liverows"
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
	tie  liverows.Tie
}

// find looks for the rows of the database that refer to a row, and those that tie with it.
func (r *refs) find(db *nb.DB, to nb.Row) []nb.Row {
	if r.db == db && r.row == to {
		return r.rows
	}
	*r = refs{db: db, row: to, rows: liverows.Referrers(db, to)}
	if a, ok := to.(*nb.ACL); ok {
		r.tied, r.tie = liverows.TiedWith(db, a)
	}
	return r.rows
}

// refsShown bounds how many rows that refer to this one are listed.
const refsShown = 200

// referrers lists the rows that refer to the row.
func (v *View) referrers(env *view.Env, s *detail.Sheet) {
	if v.live == nil {
		return
	}
	st := env.Styles
	rows := v.refs.find(v.state.DB, v.live)
	s.Head("referenced by")
	if len(rows) == 0 {
		text := "nothing"
		if _, ok := v.live.(*nb.ACL); ok {
			text = "nothing: an ACL in no port group and no switch has no effect, and the database removes it"
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
		what := "switch"
		if _, ok := r.(*nb.PortGroup); ok {
			what = "port group"
		}
		l := widget.Line{{Text: "  " + what + "  ", Style: st.Dim}, {Text: r.RowName(), Style: st.Accent}}
		if ids := r.IDs(); len(ids) > 0 {
			l = l.Add("  "+liverows.OwnerName(ids), st.Text)
		}
		s.Add("ref."+r.RowUUID(), l, to)
	}
}
