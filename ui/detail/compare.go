package detail

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/pages/page"
	"rung/pages/rows"
	"rung/revision"
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

// ColumnsDiffer returns "1 column differs" or "2 columns differ".
func ColumnsDiffer(n int) string {
	return words.Count(n, "column") + words.OneOrMany(n, " differs", " differ")
}

// RowPage returns the page of a live row, else of the desired one, else none.
func RowPage(z *model.ZoneState, live, desired nb.Row) nav.Page {
	zone := ""
	if z != nil {
		zone = z.Name
	}
	switch {
	case !isNil(live):
		return nav.ToRow(zone, nb.TableName(live), live.RowUUID())
	case !isNil(desired):
		return nav.Page{Kind: nav.Row, Zone: zone, Table: nb.TableName(desired), ID: desired.IDs()[nb.KeyID]}
	}
	return nav.Page{}
}

// isNil also detects a nil pointer in an interface.
func isNil(r nb.Row) bool { return r == nil || reflect.ValueOf(r).IsNil() }

// ShortID removes from an id the default controller, and the owner type and name of policy k, which the page
// says already.
func ShortID(id string, k model.PolicyKey) string {
	s := strings.TrimPrefix(id, nb.DefaultController+":")
	about := string(k.Kind) + ":"
	about += words.Between("", k.Namespace, ":")
	if k.Kind != model.KindEF && k.Kind != model.KindMulticastNS { // these have one for each namespace
		about += k.Name + ":"
	}
	rest, own := strings.CutPrefix(s, about)
	if own && k.Kind == model.KindEF {
		return "rule " + rest // a bare number would look like a priority
	}
	return rest
}

// ACLLine describes an ACL in one line: stage, tier and priority, action, owner. Rows of policy k show only
// the rest of their id.
func ACLLine(a *nb.ACL, k model.PolicyKey, st *themes.StyleSet) widget.Line {
	owner := revision.OwnerName(a.ExternalIDs)
	if p, _, _, ok := revision.RuleOfIDs(a.ExternalIDs); ok && p == k {
		owner = ShortID(a.ID(), k)
	}
	l := widget.Line{{Text: "  " + padText(a.Stage(), 20)}, {Text: padText(strconv.Itoa(a.Tier)+" · "+strconv.Itoa(a.Priority), 12)}}
	return l.Add(padText(a.Action, 15), st.TokenStyle(page.WordRole(a.Action))).Add(owner, st.Accent)
}

func padText(s string, w int) string {
	if len(s) < w {
		return s + blankText(w-len(s))
	}
	return s + " "
}

// AddFlows lists the logical flows that northd made from a live ACL: their state, and for each its table,
// packets and effect. A sandbox without OVN has none.
func AddFlows(s *Sheet, r *revision.Revision, z *model.ZoneState, a *nb.ACL, now time.Time) {
	if z == nil || a == nil || r.Mode.Sandbox && r.Southbound(z.Name) == nil {
		return
	}
	f := rows.FlowsOfACL(r, z, a, now)
	s.AddHead("logical flows")
	s.AddNote("flows", 2, f.Sign.Text, s.St.TokenStyle(f.Sign.Role), s.St.Text, strings.TrimSpace(f.Text+" "+f.Offset))
	for i := range f.Flows {
		x, to := &f.Flows[i], nav.Page{}
		flowLines(s, fmt.Sprintf("flow.%d", i), x)
		if x.SharedWith != nil {
			to = nav.ToRow(z.Name, nb.TableACL, x.SharedWith.UUID)
		}
		if x.Shared != "" {
			s.AddParagraph(fmt.Sprintf("flow.%d.shared", i), 4, "=", s.St.Dim, s.St.Text, x.Shared, to)
		}
	}
}

// flowLines adds one flow.
func flowLines(s *Sheet, id string, x *rows.FlowFacts) {
	text := x.Packets
	l := widget.Line{{Text: "  table " + fmt.Sprint(x.Table) + " ", Style: s.St.CodeKey}, {Text: x.Place, Style: s.St.Text}}
	if room := s.TextWidth() - l.LineWidth(); widget.TextWidth(text)+3 <= room {
		l = l.Add(" · "+text, s.St.Text)
		text = ""
	}
	if name := "  " + x.Name; text == "" && l.LineWidth()+widget.TextWidth(name) <= s.TextWidth() {
		l = l.Add(name, s.St.Dim)
	}
	s.Add(id, l, nav.Page{})
	if text != "" {
		s.AddUnder(4, text, s.St.Text)
	}
	s.AddNote(id+".does", 4, "→", s.St.Dim, s.St.Text, x.EffectText())
	for i, d := range x.Differs {
		s.AddNote(fmt.Sprintf("%s.differs.%d", id, i), 4, words.Differs, s.St.Error, s.St.Text, d)
	}
}
