package row

import (
	"fmt"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/revision/liverows"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// tierWords are what decides in a tier.
var tierWords = map[int]string{
	model.TierIsolation: "isolation, before AdminNetworkPolicy",
	model.TierAdmin:     "AdminNetworkPolicy",
	model.TierNetwork:   "NetworkPolicy, EgressFirewall, multicast",
	model.TierBaseline:  "baseline",
}

// place is when an ACL decides, and the ACLs that share its place.
func (v *View) place(env *view.Env, s *detail.Sheet, a *nb.ACL) {
	st := env.Styles
	l := widget.Line{{Text: "  " + a.Stage(), Style: st.Text}, {Text: fmt.Sprintf(" · tier %d", a.Tier)}}
	if where := tierWords[a.Tier]; where != "" {
		l = l.Add(" ("+where+")", st.Dim)
	}
	s.Add("place", l.Add(fmt.Sprintf(" · priority %d", a.Priority), st.Text), nav.Page{})
	if liverows.AfterEgressAllow(a, v.owner) {
		s.Say("place.late", 2, "†", st.Warn, st.Text, "It "+liverows.AfterAllow+", which ends the egress stages only. "+
			"A tier-1 ingress Allow or Deny at the destination decides before it.", nav.Page{})
	}
	if v.live == nil {
		return
	}
	v.refs.find(v.state.DB, v.live)
	if v.refs.tie == liverows.NoTie {
		return
	}
	first, n := v.refs.tied[0], len(v.refs.tied)
	to := detail.RowPage(v.state, first, nil)
	text := "Same priority as " + words.Total(n, "row") + " that " + words.Form(n, "decides", "decide") + " alike."
	sign, mark := "=", st.Dim
	if v.refs.tie == liverows.TieUndefined {
		sign, mark = "▲", st.Warn
		text = "Same priority as " + words.Total(n, "row") + ", " + liverows.OwnerName(first.ExternalIDs) + " (" + first.Action +
			") among them: where both match, which one wins is undefined."
	}
	s.Say("place.tie", 2, sign, mark, st.Text, text, to)
}
