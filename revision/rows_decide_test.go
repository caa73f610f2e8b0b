package revision

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/test/given"
)

func ownedACL(uuid string, tier, prio int, stage, action, owner string, values ...string) *nb.ACL {
	a := &nb.ACL{UUID: uuid, Tier: tier, Priority: prio, Direction: stage, Action: action}
	if stage == "from-lport-after-lb" {
		a.Direction, a.Options = nb.FromLport, map[string]string{nb.OptAfterLB: "true"}
	}
	if owner != "" {
		a.ExternalIDs = map[string]string{nb.KeyOwnerController: nb.DefaultController, nb.KeyOwnerType: owner,
			nb.KeyID: nb.DefaultController + ":" + owner + ":" + strings.Join(values, ":")}
	}
	return a
}

// Rows stand in the order in which they decide, whoever owns them, and every
// row stands there once.
func TestPipelineOrderAndTies(t *testing.T) {
	db := given.Database(
		ownedACL("01", 2, 1001, "to-lport", nb.ActionAllowRelated, nb.OwnerNetworkPolicy, "blue", "web", "Ingress", "0", "tcp", "-1"),
		ownedACL("02", 2, 1001, "to-lport", nb.ActionAllowRelated, nb.OwnerNetworkPolicy, "blue", "web", "Ingress", "0", "udp", "-1"),
		ownedACL("03", 2, 9999, "to-lport", nb.ActionDrop, nb.OwnerEgressFirewall, "blue", "1"),
		ownedACL("04", 1, 26600, "to-lport", nb.ActionAllowRelated, nb.OwnerANP, "a", "Ingress", "0", "tcp"),
		ownedACL("05", 1, 26600, "to-lport", nb.ActionAllowRelated, nb.OwnerANP, "a", "Ingress", "0", "udp"),
		ownedACL("06", 1, 26600, "from-lport-after-lb", nb.ActionDrop, nb.OwnerANP, "a", "Egress", "0", "None"),
		ownedACL("07", 1, 26600, "from-lport-after-lb", nb.ActionPass, nb.OwnerANP, "b", "Egress", "0", "None"),
		ownedACL("08", 0, 1000, "from-lport", nb.ActionDrop, nb.OwnerUDNIsolation, "DenyPrimaryUDN", "Egress"),
		ownedACL("09", 3, 1750, "to-lport", nb.ActionReject, nb.OwnerBANP, "default", "Ingress", "0", "None"),
		ownedACL("10", 3, 1750, "to-lport", nb.ActionDrop, ""),
		// Those of another namespace match other pods.
		ownedACL("12", 2, 9999, "to-lport", nb.ActionAllow, nb.OwnerEgressFirewall, "green", "1"),
		ownedACL("13", 2, 1000, "to-lport", nb.ActionDrop, nb.OwnerNetpolNamespace, "blue", "Ingress", "defaultDeny"),
		ownedACL("14", 2, 1000, "to-lport", nb.ActionDrop, nb.OwnerNetpolNamespace, "green", "Ingress", "defaultDeny"),
		ownedACL("15", 2, 999, "to-lport", nb.ActionDrop, nb.OwnerNetpolNamespace, "blue", "Ingress", "defaultDeny"),
		ownedACL("16", 2, 999, "to-lport", nb.ActionDrop, nb.OwnerNetpolNamespace, "green", "Ingress", "defaultDeny"),
		ownedACL("17", 2, 999, "to-lport", nb.ActionAllow, ""),
		// One rule whose rows were made to differ.
		ownedACL("18", 1, 100, "to-lport", nb.ActionAllow, nb.OwnerANP, "a", "Ingress", "9", "tcp"),
		ownedACL("19", 1, 100, "to-lport", nb.ActionDrop, nb.OwnerANP, "a", "Ingress", "9", "udp"),
		ownedACL("11", 0, 1, "sideways", nb.ActionDrop, ""),
	)
	sorted := SortedACLs(db)
	var got []string
	for i, tie := range tiesIn(sorted) {
		a := sorted[i]
		others, with := FindTies(db, a)
		if with != tie {
			t.Errorf("%s: tie %q among all, %q by itself", a.UUID, tie, with)
		}
		line := a.UUID + " " + tie.String()
		for _, o := range others {
			line += " " + o.UUID
		}
		got = append(got, strings.TrimSpace(line))
	}
	want := []string{
		"11",
		"08",
		"06 undefined if both match 07", "07 undefined if both match 06",
		"04", "05", // one rule
		"18 undefined if both match 19", "19 undefined if both match 18",
		"03", "12",
		"01", "02",
		"13", "14",
		"17 undefined if both match 15 16", "15 undefined if both match 17", "16 undefined if both match 17",
		"10 same verdict 09", "09 same verdict 10",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// Those that decide differently come first among the rows of one place.
func TestTiedWithOrder(t *testing.T) {
	a := ownedACL("1", 1, 5, "to-lport", nb.ActionDrop, "")
	others, tie := FindTies(given.Database(a, ownedACL("2", 1, 5, "to-lport", nb.ActionDrop, ""), ownedACL("3", 1, 5, "to-lport", nb.ActionAllow, ""),
		ownedACL("4", 1, 6, "to-lport", nb.ActionAllow, "")), a)
	if tie != TieUndefined || len(others) != 2 || others[0].UUID != "3" || others[1].UUID != "2" {
		t.Errorf("tie %q with %v", tie, others)
	}
}

func TestAfterEgressAllow(t *testing.T) {
	for _, tt := range []struct {
		acl  *nb.ACL
		want bool
	}{
		{ownedACL("1", 2, 10000, "to-lport", nb.ActionDrop, nb.OwnerEgressFirewall, "blue", "0"), true},
		{ownedACL("1", 2, 1012, "to-lport", nb.ActionAllow, nb.OwnerMulticastNS, "blue", "Ingress"), true},
		{ownedACL("1", 2, 1011, "to-lport", nb.ActionDrop, nb.OwnerMulticastCluster, "DefaultDeny", "Ingress"), true},
		{ownedACL("1", 2, 1011, "from-lport-after-lb", nb.ActionDrop, nb.OwnerMulticastCluster, "DefaultDeny", "Egress"), false},
		{ownedACL("1", 2, 1001, "to-lport", nb.ActionAllow, nb.OwnerNetworkPolicy, "b", "p", "Ingress", "0", "None", "-1"), false},
		{ownedACL("1", 1, 26000, "to-lport", nb.ActionAllow, nb.OwnerANP, "a", "Ingress", "0", "None"), false},
	} {
		if got := AfterEgressAllow(tt.acl, nb.OwnerOfRow(tt.acl)); got != tt.want {
			t.Errorf("%s in %s: %t", tt.acl.ID(), tt.acl.Stage(), got)
		}
	}
}

func TestHolders(t *testing.T) {
	a, b, c := ownedACL("a", 1, 1, "to-lport", nb.ActionDrop, ""), ownedACL("b", 1, 1, "to-lport", nb.ActionDrop, ""), ownedACL("c", 1, 1, "to-lport", nb.ActionDrop, "")
	group := &nb.PortGroup{UUID: "g", Name: "a1", ACLs: []string{"a"}, ExternalIDs: nb.IDs(nb.DefaultController, nb.OwnerNamespace, nb.IDPair{Key: nb.KeyName, Value: "blue"})}
	bare := &nb.PortGroup{UUID: "h", Name: "pg", ACLs: []string{"a", "b"}}
	db := given.Database(a, b, c, group, bare, &nb.LogicalSwitch{UUID: "s", Name: "w1", ACLs: []string{"b"}})
	h := NewACLHolders(db, nil)
	for _, tt := range []struct {
		acl  *nb.ACL
		want []string
	}{{a, []string{"namespace blue", "group pg"}}, {b, []string{"group pg", "switch w1"}}, {c, []string{}}} {
		if d := cmp.Diff(tt.want, h.HolderNames(tt.acl)); d != "" {
			t.Errorf("%s: %s", tt.acl.UUID, d)
		}
	}
	// Ports come and go without work; another list of ACLs does not.
	ports := *bare
	ports.Ports = []string{"p"}
	db = db.Apply([]nb.RowChange{{Old: bare, New: &ports}})
	if NewACLHolders(db, h) != h {
		t.Error("found again though only ports changed")
	}
	moved := ports
	moved.ACLs = []string{"c"}
	db = db.Apply([]nb.RowChange{{Old: &ports, New: &moved}})
	if d := cmp.Diff([]string{"group pg"}, NewACLHolders(db, h).HolderNames(c)); d != "" {
		t.Error(d)
	}
}

func TestUnitAndPolicyAndRuleOf(t *testing.T) {
	type answer struct {
		Unit, Policy, Rule string
		Dir                model.Direction
		Index              int
	}
	for _, tt := range []struct {
		acl  *nb.ACL
		want answer
	}{
		{ownedACL("", 1, 1, "to-lport", "", nb.OwnerANP, "a", "Ingress", "3", "tcp"),
			answer{"AdminNetworkPolicy/a", "AdminNetworkPolicy/a", "AdminNetworkPolicy/a", "Ingress", 3}},
		{ownedACL("", 2, 1, "to-lport", "", nb.OwnerNetworkPolicy, "b", "p", "Egress", "1", "None", "-2"),
			answer{"NetworkPolicy/b/p", "NetworkPolicy/b/p", "NetworkPolicy/b/p", "Egress", 1}},
		{ownedACL("", 2, 1, "to-lport", "", nb.OwnerEgressFirewall, "b", "7"),
			answer{"EgressFirewall/b/default", "EgressFirewall/b/default", "EgressFirewall/b/default", "Egress", 7}},
		{ownedACL("", 2, 1, "to-lport", "", nb.OwnerNetpolNamespace, "b", "Ingress", "arpAllow"), answer{Unit: "NetpolNamespace/b/Ingress", Index: -1}},
		{ownedACL("", 2, 1, "to-lport", "", nb.OwnerNetpolNode, "w1", "fd00::2"), answer{Unit: "NetpolNode/w1", Index: -1}},
		{ownedACL("", 2, 1, "to-lport", "", nb.OwnerNetworkPolicy, "b", "p", "egress", "1", "-1", "0"), answer{Policy: "NetworkPolicy/b/p", Index: -1}},
		{ownedACL("", 0, 1, "to-lport", "", nb.OwnerUDNIsolation, "DenyPrimaryUDN", "Egress"), answer{Index: -1}},
		{ownedACL("", 0, 1, "to-lport", "", ""), answer{Index: -1}},
	} {
		var got answer
		o := nb.OwnerOfRow(tt.acl)
		if k, ok := UnitOfOwner(o); ok {
			got.Unit = k.String()
		}
		if k, ok := PolicyOfOwner(o); ok {
			got.Policy = k.String()
		}
		k, dir, index, ok := RuleOfIDs(tt.acl.ExternalIDs)
		if ok {
			got.Rule = k.String()
		}
		got.Dir, got.Index = dir, index
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s: %s", tt.acl.ID(), d)
		}
	}
}

func TestMatchProblem(t *testing.T) {
	for text, want := range map[string]string{"ip4": "", "": "the match is empty", "ip4 &&": "at offset"} {
		if got := MatchProblem(text); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%q: %q", text, got)
		}
	}
}
