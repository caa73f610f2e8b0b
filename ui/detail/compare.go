package detail

import (
	"strconv"
	"strings"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/revision/liverows"
	"rung/themes"
	"rung/ui/nav"
	"rung/ui/widget"
)

// TableWord is what people call a row of a table.
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
	return words.Total(n, "column") + words.Form(n, " differs", " differ")
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
func ACLLine(a *nb.ACL, k model.PolicyKey, st *themes.Styles) widget.Line {
	action := st.Deny
	switch a.Action {
	case nb.ActionAllow, nb.ActionAllowRelated, nb.ActionAllowStateless:
		action = st.Allow
	case nb.ActionPass:
		action = st.Pass
	}
	owner := liverows.OwnerName(a.ExternalIDs)
	if p, _, _, ok := liverows.RuleOf(a.ExternalIDs); ok && p == k {
		owner = ShortID(a.ID(), k)
	}
	l := widget.Line{{Text: "  " + pad(a.Stage(), 20)}, {Text: pad(strconv.Itoa(a.Tier)+" · "+strconv.Itoa(a.Priority), 12)}}
	return l.Add(pad(a.Action, 15), action).Add(owner, st.Accent)
}

func pad(s string, w int) string {
	if len(s) < w {
		return s + blank(w-len(s))
	}
	return s + " "
}
