package rows

import (
	"fmt"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/revision"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// rowReferrers caches the rows that refer to a row while the database is the same, since finding them walks
// whole tables.
type rowReferrers struct {
	db   *nb.DB
	row  nb.Row
	rows []nb.Row
	// tied are the ACLs that share row's place, if row is an ACL.
	tied []*nb.ACL
	tie  revision.PriorityTie
}

// findReferrers finds the rows that refer to a row, and the ACLs tied with it.
func (r *rowReferrers) findReferrers(db *nb.DB, to nb.Row) []nb.Row {
	if r.db == db && r.row == to {
		return r.rows
	}
	*r = rowReferrers{db: db, row: to, rows: revision.Referrers(db, to)}
	if a, ok := to.(*nb.ACL); ok {
		r.tied, r.tie = revision.FindTies(db, a)
	}
	return r.rows
}

// refsShown bounds the referring rows listed.
const refsShown = 200

// addReferrers lists the rows that refer to the row.
func (v *RowView) addReferrers(env *view.Env, s *detail.Sheet) {
	if v.live == nil {
		return
	}
	st := env.Styles
	rows := v.refs.findReferrers(v.state.DB, v.live)
	s.AddHead("referenced by")
	if len(rows) == 0 {
		text := "nothing"
		if _, ok := v.live.(*nb.ACL); ok {
			text = "nothing: an ACL in no port group and no switch has no effect, and the database removes it"
		}
		s.AddNote("refs", 2, "", st.Dim, st.Dim, text)
		return
	}
	for i, r := range rows {
		if i == refsShown {
			s.Add("refs.more", widget.StyledLine("  "+words.Count(len(rows)-i, "more row"), st.Dim), nav.Page{})
			break
		}
		to := detail.RowPage(v.state, r, nil)
		if a, ok := r.(*nb.ACL); ok {
			s.Add("ref."+a.UUID, widget.JoinLines(widget.StyledLine("  ACL", st.Dim), detail.ACLLine(a, v.policy, st)), to)
			continue
		}
		what := "switch"
		if _, ok := r.(*nb.PortGroup); ok {
			what = "port group"
		}
		l := widget.Line{{Text: "  " + what + "  ", Style: st.Dim}, {Text: r.RowName(), Style: st.Accent}}
		if ids := r.IDs(); len(ids) > 0 {
			l = l.Add("  "+revision.OwnerName(ids), st.Text)
		}
		s.Add("ref."+r.RowUUID(), l, to)
	}
}

// tierWords names the objects of each tier.
var tierWords = map[int]string{
	model.TierIsolation: "isolation, before AdminNetworkPolicy",
	model.TierAdmin:     "AdminNetworkPolicy",
	model.TierNetwork:   "NetworkPolicy, EgressFirewall, multicast",
	model.TierBaseline:  "baseline",
}

// addPlace adds when an ACL decides, and the ACLs at the same place.
func (v *RowView) addPlace(env *view.Env, s *detail.Sheet, a *nb.ACL) {
	st := env.Styles
	l := widget.Line{{Text: "  " + a.Stage(), Style: st.Text}, {Text: fmt.Sprintf(" · tier %d", a.Tier)}}
	if where := tierWords[a.Tier]; where != "" {
		l = l.Add(" ("+where+")", st.Dim)
	}
	s.Add("place", l.Add(fmt.Sprintf(" · priority %d", a.Priority), st.Text), nav.Page{})
	if revision.AfterEgressAllow(a, v.owner) {
		s.AddNote("place.late", 2, words.Late, st.Warn, st.Text, "It "+revision.AfterAllow+", which ends the egress stages only. "+
			"A tier-1 ingress Allow or Deny at the destination decides before it.")
	}
	if v.live == nil {
		return
	}
	v.refs.findReferrers(v.state.DB, v.live)
	if v.refs.tie == revision.NoTie {
		return
	}
	first, n := v.refs.tied[0], len(v.refs.tied)
	to := detail.RowPage(v.state, first, nil)
	text := "Same priority as " + words.Count(n, "row") + " that " + words.OneOrMany(n, "decides", "decide") + " alike."
	sign, mark := "=", st.Dim
	if v.refs.tie == revision.TieUndefined {
		sign, mark = words.Warned, st.Warn
		text = "Same priority as " + words.Count(n, "row") + ", " + revision.OwnerName(first.ExternalIDs) + " (" + first.Action +
			") among them: if both match, the winner is undefined."
	}
	s.AddParagraph("place.tie", 2, sign, mark, st.Text, text, to)
}
