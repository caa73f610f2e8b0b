package rows_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model/ovn/nb"
	"rung/pages/page"
	"rung/pages/rows"
)

// What a screen says beside the values, a command says by the signs of NOTE and a legend;
// headings are a screen's alone.
func TestToldTwoWays(t *testing.T) {
	ids := func(typ string, kv ...nb.IDPair) map[string]string { return nb.IDs(nb.DefaultController, typ, kv...) }
	group := &nb.PortGroup{UUID: "g", Name: "blue", ExternalIDs: ids(nb.OwnerNamespace, nb.IDPair{Key: nb.KeyName, Value: "blue"}), ACLs: []string{"a", "b"}}
	acl := func(uuid, action, match string, owner map[string]string) *nb.ACL {
		return &nb.ACL{UUID: uuid, Tier: 2, Priority: 10000, Direction: nb.ToLport, Action: action, Match: match, ExternalIDs: owner}
	}
	firewall := ids(nb.OwnerEgressFirewall, nb.IDPair{Key: nb.KeyName, Value: "blue"}, nb.IDPair{Key: nb.KeyRuleIndex, Value: "0"})
	db := (*nb.DB)(nil).Apply([]nb.RowChange{{New: group}, {New: acl("a", nb.ActionAllow, "ip4", firewall)},
		{New: acl("b", nb.ActionDrop, "ip4.src == banana", nil)}, {New: acl("c", nb.ActionDrop, "ip4", nil)}})
	var p rows.Pipeline
	p.ReadACLs(db)
	lines := p.ACLs("zone", nil, nil, "")
	told := func(place page.ColumnPlace) (out []string) {
		for _, l := range lines {
			if rows.ACLs.Head(l) {
				continue
			}
			text := ""
			for _, c := range rows.ACLs.Columns {
				if cell := c.Cell(l); slices.Contains([]string{"priority", "owner", "note", "on", "match"}, c.Key) && c.Place != place {
					text += strings.TrimSpace(cell.Sign.Text+" "+cell.String()) + "|"
				}
			}
			out = append(out, text)
		}
		return out
	}
	want := []string{"10000▲|no owner|▲ cannot be parsed: ip4.src == banana|namespace blue|", "10000▲|no owner|ip4|nothing: no effect|",
		"10000▲|† EF blue rule 0|ip4|namespace blue|"}
	if diff := cmp.Diff(want, told(page.Printed)); diff != "" {
		t.Errorf("on a screen (-want +got)\n%s", diff)
	}
	want = []string{"10000|no owner|▲?|namespace blue|▲ cannot be parsed: ip4.src == banana|", "10000|no owner|▲∅|–|ip4|", "10000|† EF blue rule 0|†▲|namespace blue|ip4|"}
	if diff := cmp.Diff(want, told(page.OnScreen)); diff != "" {
		t.Errorf("printed (-want +got)\n%s", diff)
	}
	if legend := rows.NoteLegend(slices.DeleteFunc(slices.Clone(lines), rows.ACLs.Head)); strings.Count(legend, "\n") != 4 {
		t.Errorf("legend:\n%s", legend)
	}
	if heads := len(lines) - 3; heads != 3 {
		t.Errorf("%d headings: want the stage, what decides late, the end of the stage", heads)
	}
}
