package detail

import (
	"fmt"
	"regexp"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/revision"
	"rung/revision/policies"
	"rung/ui/nav"
	"rung/ui/view"
	"rung/ui/widget"
)

// RowsFilter finds the rows of a policy, or of a unit that is no object, among
// those of a zone, by what their owner is called there.
func RowsFilter(k model.Key) string {
	ns := regexp.QuoteMeta(k.Namespace)
	switch k.Kind {
	case model.KindEF:
		return "EF " + ns + " rule"
	case model.KindNetpolNamespace:
		return "(deny|ARP|ICMP) of " + ns + ", " + model.Direction(k.Name).Lower()
	case model.KindNetpolDefault:
		return "hairpin "
	case model.KindNetpolNode:
		return "node " + regexp.QuoteMeta(k.Name) + " "
	case model.KindMulticastNS:
		return "multicast of " + ns
	case model.KindMulticastCluster:
		if k.Name == nb.TypeMulticastNodes {
			return "multicast between"
		}
		return "multicast default"
	}
	return k.Label() + " "
}

// UnitPage is where the rows of a policy or unit are seen in a zone; for address
// sets, which are in no list of ACLs, the first of them.
func UnitPage(r *revision.Revision, k model.Key, z *model.ZoneState) nav.Page {
	if k.Kind != model.KindPodSelector && k.Kind != model.KindEFDNS {
		return nav.Page{Kind: nav.Rows, Key: k, Zone: z.Name, Text: RowsFilter(k)}
	}
	rows := r.Rows(k, z.Name)
	if rows == nil || len(rows.AddressSets) == 0 {
		return nav.Page{Kind: nav.Rows, Zone: z.Name}
	}
	set := rows.AddressSets[0]
	var live *nb.AddressSet
	if z.DB != nil {
		live = z.DB.AddressSetByName(set.Name)
	}
	return RowPage(z, live, set)
}

// UnitLine is how a policy or unit stands over all zones, in one line.
func UnitLine(env *view.Env, k model.Key) widget.Line {
	st, r := env.Styles, env.Rev
	s := policies.Summarize(r, k, env.Now)
	if s.Zones == 0 {
		return widget.Styled("? not checked against live rows", st.Dim)
	}
	text := fmt.Sprintf("in sync in %d of %s", s.InSync, words.Total(s.Zones, "zone"))
	if s.State == model.StateInSync {
		return widget.Styled("✓ "+text, st.OK)
	}
	state, rest := ZoneState(r, k, r.Zone(s.Zone), env.Now)
	l := widget.Styled(StateSign(state)+" "+string(state)+" in "+s.Zone, view.StateStyle(state, st))
	if rest != "" {
		l = l.Add(" "+rest, st.Text)
	}
	return l.Add(" · "+text, st.Dim)
}

// LoggingLine is what a policy logs, and the namespace that sets it if one does.
func LoggingLine(env *view.Env, p *model.Policy) widget.Line {
	st, l := env.Styles, policies.LoggingOf(env.Rev, p)
	var out widget.Line
	switch {
	case l.Levels.Any():
		out = widget.Styled(l.Levels.String(), st.Info)
	case len(l.Problems) == 0:
		out = widget.Styled("off", st.Text)
	}
	if len(l.Problems) > 0 {
		if len(out) > 0 {
			out = out.Add("  ", st.Text)
		}
		out = out.Add("● the annotation is not valid", st.Error)
	}
	if l.Namespace != "" {
		out = out.Add("  as namespace "+l.Namespace+" says", st.Dim)
	}
	return out
}
