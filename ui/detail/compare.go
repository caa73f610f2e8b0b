package detail

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"rung/model"
	"rung/model/ovn/flow"
	"rung/model/ovn/nb"
	"rung/model/signs"
	"rung/model/words"
	"rung/pages/rows"
	"rung/revision"
	"rung/revision/flows"
	"rung/revision/liverows"
	"rung/themes"
	"rung/ui/nav"
	"rung/ui/widget"
)

// TableWord returns the everyday word for a row of a table.
func TableWord(table string) string {
	switch table {
	case nb.TableAddressSet:
		return "address set"
	case nb.TablePortGroup:
		return "port group"
	}
	return table
}

// ColumnsDiffer is "1 column differs", "2 columns differ".
func ColumnsDiffer(n int) string {
	return words.Count(n, "column") + words.OneOrMany(n, " differs", " differ")
}

// RowPage is the page of a live row, or of the desired one where there is no
// live one, or no place.
func RowPage(z *model.ZoneState, live, desired nb.Row) nav.Page {
	zone := ""
	if z != nil {
		zone = z.Name
	}
	switch {
	case !isNil(live):
		return nav.ToRow(zone, nb.TableOf(live), live.RowUUID())
	case !isNil(desired):
		return nav.Page{Kind: nav.Row, Zone: zone, Table: nb.TableOf(desired), ID: desired.IDs()[nb.KeyID]}
	}
	return nav.Page{}
}

// isNil also sees a nil pointer in an interface.
func isNil(r nb.Row) bool {
	switch r := r.(type) {
	case nil:
		return true
	case *nb.ACL:
		return r == nil
	case *nb.AddressSet:
		return r == nil
	case *nb.PortGroup:
		return r == nil
	case *nb.LogicalSwitch:
		return r == nil
	case *nb.LogicalSwitchPort:
		return r == nil
	}
	return false
}

// ShortID leaves out of an id what every row of the default network shares, and
// the owner type and name where the page says them already.
func ShortID(id string, k model.PolicyKey) string {
	s := strings.TrimPrefix(id, nb.DefaultController+":")
	about := string(k.Kind) + ":"
	if k.Namespace != "" {
		about += k.Namespace + ":"
	}
	if k.Kind != model.KindEF && k.Kind != model.KindMulticastNS { // one for each namespace
		about += k.Name + ":"
	}
	rest, own := strings.CutPrefix(s, about)
	if own && k.Kind == model.KindEF {
		return "rule " + rest // a number alone would be taken for a priority
	}
	return rest
}

// ACLLine is an ACL in one line: when it decides, its action and its owner. Of rows of
// the policy k only the rest of the id is said.
func ACLLine(a *nb.ACL, k model.PolicyKey, st *themes.StyleSet) widget.Line {
	owner := liverows.OwnerName(a.ExternalIDs)
	if p, _, _, ok := liverows.RuleOfIDs(a.ExternalIDs); ok && p == k {
		owner = ShortID(a.ID(), k)
	}
	l := widget.Line{{Text: "  " + padText(a.Stage(), 20)}, {Text: padText(strconv.Itoa(a.Tier)+" · "+strconv.Itoa(a.Priority), 12)}}
	return l.Add(padText(a.Action, 15), st.StyleOf(rows.ActionRole(a.Action))).Add(owner, st.Accent)
}

func padText(s string, w int) string {
	if len(s) < w {
		return s + blankText(w-len(s))
	}
	return s + " "
}

// FlowsHere says whether a page of an ACL shows flows in a zone: not in a sandbox that
// has no OVN below its rows.
func FlowsHere(r *revision.Revision, z *model.ZoneState) bool {
	return z != nil && (!r.Mode.Sandbox || r.Southbound(z.Name) != nil)
}

// AddFlows lists the logical flows that northd made of a live ACL, explained: how they stand,
// and for each where it decides, about which packets, and what it does.
func AddFlows(s *Sheet, r *revision.Revision, z *model.ZoneState, a *nb.ACL, now time.Time) {
	if !FlowsHere(r, z) || a == nil {
		return
	}
	f := flows.FlowsOfACL(r, z, a, now)
	s.AddHead("logical flows")
	sign, mark := signs.Noted, s.St.Info
	switch {
	case f.State == flows.FlowsMade:
		sign, mark = signs.Yes, s.St.OK
	case f.AreLate(now):
		sign, mark = signs.Differs, s.St.Error
	case f.State == flows.FlowsMissing || f.State == flows.FlowsOld:
		sign = signs.Working
	}
	text := f.Text
	offset := func(x *flow.Flow) bool { return x.Row.Priority == a.Priority+flow.PriorityOffset }
	if n := len(f.Flows); n > 0 && !slices.ContainsFunc(f.Flows, func(x *flow.Flow) bool { return !offset(x) }) {
		text += fmt.Sprintf(" %s priority is the ACL's + %d.", words.OneOrMany(n, "Its", "Their"), flow.PriorityOffset)
	}
	s.AddParagraph("flows", 2, sign, mark, s.St.Text, text, nav.Page{})
	for i, x := range f.Flows {
		flowLines(s, fmt.Sprintf("flow.%d", i), x)
		if text, first := flows.SharedFlowText(r, a, x); text != "" {
			to := nav.Page{}
			if first != nil {
				to = nav.ToRow(z.Name, nb.TableACL, first.UUID)
			}
			s.AddParagraph(fmt.Sprintf("flow.%d.shared", i), 4, "=", s.St.Dim, s.St.Text, text, to)
		}
	}
}

// flowLines are one flow.
func flowLines(s *Sheet, id string, x *flow.Flow) {
	text := x.PacketsText()
	l := widget.Line{{Text: "  table " + fmt.Sprint(x.Row.Table) + " ", Style: s.St.CodeKey}, {Text: x.PlaceText(), Style: s.St.Text}}
	if room := s.TextWidth() - l.LineWidth(); widget.TextWidth(text)+3 <= room {
		l = l.Add(" · "+text, s.St.Text)
		text = ""
	}
	if name := "  " + x.Row.Stage; text == "" && l.LineWidth()+widget.TextWidth(name) <= s.TextWidth() {
		l = l.Add(name, s.St.Dim)
	}
	s.Add(id, l, nav.Page{})
	if text != "" {
		s.AddUnder(4, text, s.St.Text)
	}
	s.AddParagraph(id+".does", 4, "→", s.St.Dim, s.St.Text, rows.EffectText(flow.ActionTexts(x.Acts)), nav.Page{})
	for i, d := range x.Differs {
		s.AddParagraph(fmt.Sprintf("%s.differs.%d", id, i), 4, signs.Differs, s.St.Error, s.St.Text, d, nav.Page{})
	}
}
