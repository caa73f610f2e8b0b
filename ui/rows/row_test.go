package rows_test

import (
	"strings"
	"testing"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/revision"
	"rung/test/live"
	"rung/test/uitest"
	"rung/ui/nav"
)

var rowSince = uitest.Now.Add(-54 * time.Second)

func rowTampered(t testing.TB) *revision.Facts {
	t.Helper()
	p := uitest.DemoFacts(t)
	live.Tampered(t, p, rowSince)
	return p
}

// byID is the page of a row of ovn-worker2 by what of its id tells it apart.
func byID(table, id string) nav.Page {
	return nav.Page{Kind: nav.Row, Zone: "ovn-worker2", Table: table, ID: nb.DefaultController + ":AdminNetworkPolicy:" + id}
}

func rowOpen(t testing.TB, table, id string) *uitest.Screen {
	t.Helper()
	return uitest.OpenScreen(t, rowTampered(t), byID(table, id))
}

// to walks down to the first line with a text.
func to(t *testing.T, s *uitest.Screen, text string) {
	t.Helper()
	s.Press("g")
	for range 120 {
		if strings.Contains(s.Line("▸"), text) {
			return
		}
		s.Press("j")
	}
	t.Fatalf("no line with %q:\n%s", text, s.PlainFrame())
}

func TestRowGoldens(t *testing.T) {
	s := rowOpen(t, nb.TableACL, "cluster-control:Egress:5:None")
	s.Golden("acl")
	s.ResizeAll()
	s = rowOpen(t, nb.TableAddressSet, "cluster-control:Ingress:2:v4")
	s.Golden("set")
	s.ResizeAll()
	s = rowOpen(t, nb.TablePortGroup, "cluster-control")
	s.Golden("group")
	s.ResizeAll()
	s = uitest.OpenScreen(t, rowTampered(t), nav.ToRow("ovn-worker", nb.TableACL, "f0e1d2c3-0000-4000-8000-000000000012"))
	s.Golden("raw")
}

// An ACL's row unfolds its logical flows; of other rows nobody asks for any.
func TestFlows(t *testing.T) {
	p := uitest.DemoFacts(t)
	live.Flows(t, p, "ovn-worker2", rowSince, nil)
	s := uitest.OpenScreen(t, p, byID(nb.TableAddressSet, "cluster-control:Ingress:2:v4"))
	s.WantNot("logical flows")
	if got := s.Console.LookedFlows; len(got) != 0 {
		t.Errorf("flows were wanted of %v", got)
	}
	s = uitest.OpenScreen(t, p, byID(nb.TableACL, "cluster-control:Egress:4:None"))
	s.Resize(160, 60)
	s.Want("logical flows", "✓ 1 flow on ovn-worker2.", "table 18 from-lport-after-lb · priority 27596 · tier 1 · every packet  ls_in_acl_after_lb_eval",
		"→ on to the next stage")
	s.ResizeAll()
	if got := s.Console.LookedFlows; len(got) != 1 || got[0] != "ovn-worker2" {
		t.Errorf("flows were wanted of %v", got)
	}
}

func TestRecordWithDesiredBeside(t *testing.T) {
	s := rowOpen(t, nb.TableACL, "cluster-control:Egress:5:None")
	s.Want(`owner ANP cluster-control egress 5 "default-deny"  Deny`, "≠ 2 columns differ from the desired row since 14:04:06 (54s).",
		"≠ action       : allow", "  desired      : drop", "≠ priority     : 26596", "  desired      : 26595", `name         : "ANP:cluster-control:Egress:5"`,
		`options      : {apply-after-lb="true"}`, "sample_new   : []", "label        : 0")
	s.Press("G")
	s.Want("── referenced by ──", "port group  a14645450421485494999  ANP cluster-control")
	s = rowOpen(t, nb.TableACL, "cluster-control:Egress:1:tcp")
	s.Want("≠ Missing here: this is the desired row.", "── desired record ──")
	s.WantNot("_uuid", "referenced by")
	s = rowOpen(t, nb.TableACL, "blue-tenant:Ingress:7:None")
	s.Want("≠ Extra: no policy desires this row.")
	s = rowOpen(t, nb.TableACL, "blue-tenant:Ingress:0:None")
	s.Want("✓ As desired.")
}

func TestLinksBothWays(t *testing.T) {
	s := rowOpen(t, nb.TableACL, "cluster-control:Ingress:4:None")
	to(t, s, "outport == @a14645450421485494999  ")
	s.Press("enter")
	s.Want("› port group", "11 ACLs", "17 logical ports")
	to(t, s, "Ingress:2:None")
	s.Press("enter")
	s.Want("› ACL cluster-control Ingress:2:None")
	to(t, s, "▸   ip4.src")
	s.Press("enter")
	s.Want("› address set cluster-control Ingress:2:v4", "≠ 10.244.1.20           missing here: pod open/portal-d0", "≠ 192.0.2.7             not desired: unknown address")
	to(t, s, "10.244.1.20")
	s.Press("enter")
	s.Want("› pod open/portal-d0")
	s.Press("esc")
	to(t, s, "ACL  to-lport")
	s.Press("enter") // the ACL it came from
	s.Want("ACL cluster-control Ingress:2:None")
	s.WantNot("› address set")
	s.Press("esc")
	to(t, s, "green_api-c0")
	s.Press("enter")
	s.Want("› pod green/api-c0")
}

// l shows the log lines of the rule a row belongs to; a row of nobody's has none.
func TestLogLines(t *testing.T) {
	p := uitest.DemoFacts(t)
	uitest.AddUnits(p)
	open := func(id string) *uitest.Screen {
		return uitest.OpenScreen(t, p, nav.Page{Kind: nav.Row, Zone: "ovn-worker", Table: nb.TableACL, ID: nb.DefaultController + ":" + id})
	}
	s := open("AdminNetworkPolicy:cluster-control:Egress:5:None")
	s.Press("l")
	s.Want("log of cluster-control egress 5")
	s = open("NetpolNamespace:yellow:Egress:defaultDeny")
	s.Press("l")
	s.Want("no known policy owns this row")
}

func TestOwner(t *testing.T) {
	s := rowOpen(t, nb.TableACL, "cluster-control:Egress:5:None")
	s.Press("o")
	s.Want(`cluster-control egress 5 "default-deny"`, "zone ovn-worker2")
	s = rowOpen(t, nb.TablePortGroup, "cluster-control")
	s.Press("o")
	s.Want("AdminNetworkPolicy cluster-control")
	s = uitest.OpenScreen(t, rowTampered(t), nav.ToRow("ovn-worker", nb.TableACL, "f0e1d2c3-0000-4000-8000-000000000011"))
	s.Want("owner node ovn-worker 10.244.1.2", "✓ As desired.", "source address: unknown address")
	s.Press("o")
	s.Want("owner: no known policy owns this row")
}

// Rows of NetworkPolicy and EgressFirewall are compared and lead to their rule.
func TestPolicyBehind(t *testing.T) {
	for _, tt := range []struct {
		id     string
		want   []string
		behind string
	}{
		{"EgressFirewall:yellow:3", []string{"owner EF yellow rule 3  Deny", "✓ As desired.", "† It decides even after an ANP egress Allow"}, "egress 3"},
		{"NetworkPolicy:yellow:web-to-vault:Egress:0:tcp:-1", []string{"owner NP yellow/web-to-vault egress 0 tcp", "Allow", "✓ As desired.", "= Same priority as "}, "egress 0"},
		{"NetpolNamespace:yellow:Egress:defaultDeny", []string{"owner default deny of yellow, egress", "✓ As desired."}, "owner: no known policy owns this row"},
	} {
		t.Run(tt.id, func(t *testing.T) {
			p := uitest.DemoFacts(t)
			uitest.AddUnits(p)
			s := uitest.OpenScreen(t, p, nav.Page{Kind: nav.Row, Zone: "ovn-worker", Table: nb.TableACL, ID: nb.DefaultController + ":" + tt.id})
			s.Resize(160, 50)
			s.Want(tt.want...)
			s.Press("o")
			s.Want(tt.behind)
		})
	}
}

// Rows of other owners and forms: whose they are in words, what is made of them,
// when they decide, and the policy behind them where there is one.
func TestOtherOwners(t *testing.T) {
	const uuid = "0e000000-0000-4000-8000-000000000001"
	for _, tt := range []struct {
		name   string
		row    nb.ACL
		want   []string
		behind string // after o
	}{
		{"EgressFirewall", nb.ACL{Tier: 2, Priority: 10000, Direction: nb.ToLport, Action: nb.ActionDrop, Match: "ip4",
			ExternalIDs: nb.IDs(nb.DefaultController, nb.OwnerEgressFirewall, nb.IDPair{Key: nb.KeyName, Value: "old"}, nb.IDPair{Key: nb.KeyRuleIndex, Value: "0"})},
			[]string{"owner EF old rule 0", "Not compared", "to-lport · tier 2 (NetworkPolicy, EgressFirewall, multicast) · priority 10000",
				"† It decides even after an ANP egress Allow", "A tier-1 ingress Allow or Deny at the destination decides before it."},
			"owner: no known policy owns this row"},
		{"2023", nb.ACL{Tier: 1, Priority: 26599, Direction: nb.FromLport, Options: map[string]string{nb.OptAfterLB: "true"}, Action: nb.ActionDrop, Match: "ip4",
			ExternalIDs: nb.IDs("network-policy-controller", nb.OwnerANP, nb.IDPair{Key: nb.KeyName, Value: "cluster-control"},
				nb.IDPair{Key: nb.KeyDirection, Value: "ANPEgress"}, nb.IDPair{Key: nb.KeyPriority, Value: "26599"})},
			[]string{"owner 2023 form: ANP cluster-control egress, priority 26599", "Written in the form of 2023.",
				"▲ Same priority as 1 row, ANP cluster-control egress 1 tcp (allow-related) among them: if both match, the winner is undefined."},
			"AdminNetworkPolicy cluster-control"},
		{"another network", nb.ACL{Tier: 2, Priority: 1001, Direction: nb.ToLport, Action: nb.ActionAllow, Match: "ip4",
			ExternalIDs: nb.IDs("blue-network-controller", nb.OwnerNetpolDefault, nb.IDPair{Key: nb.KeyName, Value: "allow-hairpinning"}, nb.IDPair{Key: nb.KeyDirection, Value: "Ingress"})},
			[]string{"owner network blue: hairpin ingress", "A row of the unknown network blue. Not checked by Rung; OVN enforces it."},
			"owner: no known policy owns this row"},
		{"tier 0", nb.ACL{Tier: 0, Priority: 1000, Direction: nb.FromLport, Action: nb.ActionDrop, Match: "ip4",
			ExternalIDs: nb.IDs(nb.DefaultController, nb.OwnerUDNIsolation, nb.IDPair{Key: nb.KeyName, Value: "DenyPrimaryUDN"}, nb.IDPair{Key: nb.KeyDirection, Value: "Egress"})},
			[]string{"owner UDN isolation DenyPrimaryUDN, egress", "Not checked by Rung; OVN enforces it.", "from-lport · tier 0 (isolation, before AdminNetworkPolicy) · priority 1000"},
			"owner: no known policy owns this row"},
		{"somebody", nb.ACL{Tier: 1, Priority: 26000, Direction: nb.ToLport, Action: nb.ActionAllow, Match: "ip4",
			ExternalIDs: nb.IDs("shop", "Basket", nb.IDPair{Key: nb.KeyName, Value: "fruit"})},
			[]string{"owner Basket of controller shop: fruit", "Unknown owner. Not checked by Rung; OVN enforces it.", "= Same priority as 4 rows that decide alike."},
			"owner: no known policy owns this row"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := uitest.DemoFacts(t)
			live.Edit(t, p, "ovn-worker", func(*nb.DB) []nb.RowChange {
				a := tt.row
				a.UUID = uuid
				return []nb.RowChange{{New: &a}}
			})
			s := uitest.OpenScreen(t, p, nav.ToRow("ovn-worker", nb.TableACL, uuid))
			s.Resize(160, 50)
			s.Want(append(tt.want, "nothing: an ACL in no port group")...)
			s.Press("o")
			s.Want(tt.behind)
		})
	}
}

func TestRawMatch(t *testing.T) {
	s := uitest.OpenScreen(t, rowTampered(t), nav.ToRow("ovn-worker", nb.TableACL, "f0e1d2c3-0000-4000-8000-000000000012"))
	s.Want("no owner in its external_ids", "Rung cannot parse this match", `inport == "blue_web-g0" && (arp || nd) && outport @ 7`)
	s.Press("G")
	s.Want("switch  ovn-worker")
	s.Press("enter")
	s.Want("Logical_Switch", "2 ACLs", "22 logical ports")
	to(t, s, "blue_web-g0")
	s.Press("enter")
	s.Want("behind it", "pod blue/web-g0", "referenced by", "ANP cluster-control")
}

func TestSameRowElsewhere(t *testing.T) {
	s := rowOpen(t, nb.TableACL, "cluster-control:Egress:5:None")
	s.Press("]")
	s.Want("zone ovn-control-plane", "✓ As desired.", "ACL cluster-control Egress:5:None")
	s.Press("[")
	s.Want("zone ovn-worker2", "2 columns differ")
	s = rowOpen(t, nb.TableACL, "blue-tenant:Ingress:7:None")
	s.Press("]")
	s.Want("no other zone read has this row")
}

func TestRowThatGoes(t *testing.T) {
	p := rowTampered(t)
	uuid := p.Zones[2].DB.ACLByID(nb.DefaultController + ":AdminNetworkPolicy:cluster-control:Egress:5:None").UUID
	s := uitest.OpenScreen(t, p, nav.ToRow("ovn-worker2", nb.TableACL, uuid))
	s.Want("2 columns differ")
	live.Edit(t, p, "ovn-worker2", func(db *nb.DB) []nb.RowChange {
		old := db.ACL(uuid)
		c := *old
		c.UUID = "11111111-0000-4000-8000-000000000000"
		return []nb.RowChange{{Old: old}, {New: &c}}
	})
	live.Judge(t, p, rowSince)
	s.Console.Set(p)
	s.Refresh()
	s.Want("Row "+uuid+" was replaced by this one.", "_uuid        : 11111111", "2 columns differ")
	live.Edit(t, p, "ovn-worker2", func(db *nb.DB) []nb.RowChange {
		return []nb.RowChange{{Old: db.ACL("11111111-0000-4000-8000-000000000000")}}
	})
	live.Judge(t, p, rowSince)
	s.Console.Set(p)
	s.Refresh()
	s.Want("≠ Missing here", "── desired record")
	s = uitest.OpenScreen(t, p, nav.ToRow("ovn-worker2", nb.TableACL, "no-such"))
	s.Want("ACL no-such is not in ovn-worker2.")
	s = uitest.OpenScreen(t, p, nav.ToRow("mars", nb.TableACL, "no-such"))
	s.Want("Zone mars does not exist.")
	s.ResizeAll()
}

func TestFrozenRow(t *testing.T) {
	p := rowTampered(t)
	live.Frozen(t, p, model.Key{Kind: model.KindANP, Name: "multi-tenant-isolation"}, 120, rowSince)
	s := uitest.OpenScreen(t, p, byID(nb.TableACL, "multi-tenant-isolation:Ingress:0:None"))
	s.Want("▣ Frozen: OVN-Kubernetes rejected the last change, and OVN still enforces this old row.")
}

func TestFilterFindsAMember(t *testing.T) {
	s := rowOpen(t, nb.TableAddressSet, "cluster-control:Ingress:4:v4")
	s.Press("/")
	s.Type("blue/web")
	s.Press("enter")
	s.Want("pod blue/web-g0", "pod blue/web-g1", "2 of ")
	s.WantNot("green/web")
}

func TestSelectionIsKeptByIdentity(t *testing.T) {
	p := rowTampered(t)
	s := uitest.OpenScreen(t, p, byID(nb.TableAddressSet, "cluster-control:Ingress:4:v4"))
	to(t, s, "pod green/api-c0")
	live.Edit(t, p, "ovn-worker2", func(db *nb.DB) []nb.RowChange {
		for set := range db.AddressSets() {
			if set.ID() == nb.DefaultController+":AdminNetworkPolicy:cluster-control:Ingress:4:v4" {
				c := *set
				c.Addresses = append([]string{"10.0.0.1", "10.0.0.2"}, set.Addresses...)
				return []nb.RowChange{{Old: set, New: &c}}
			}
		}
		return nil
	})
	live.Judge(t, p, rowSince)
	s.Console.Set(p)
	s.Refresh()
	s.Resize(120, 70)
	s.Want("≠ 10.0.0.1", "2 extra")
	if l := s.Line("▸"); !strings.Contains(l, "pod green/api-c0") {
		t.Errorf("the cursor is on %q", l)
	}
}

func TestRowCopies(t *testing.T) {
	s := rowOpen(t, nb.TableAddressSet, "cluster-control:Ingress:4:v4")
	s.Press("y")
	s.Want("name", "UUID", "ovn-nbctl list command", "ovn-nbctl find command", "record")
}

// A set of 10,000 addresses, one of which changes.
func BenchmarkLargeSet(b *testing.B) {
	p := uitest.DemoFacts(b)
	p.Cluster, p.Desired = live.Big(10000, 1, 2), nil
	uitest.Sync(p)
	var set *nb.AddressSet
	for x := range p.Zones[0].DB.AddressSets() {
		if set == nil || len(x.Addresses) > len(set.Addresses) {
			set = x
		}
	}
	s := uitest.OpenScreen(b, p, nav.ToRow("node-0", nb.TableAddressSet, set.UUID))
	s.Want("addresses")
	for b.Loop() {
		b.StopTimer()
		s.Console.Set(p)
		revision.FindingsOfObjects(s.Console.Revision())
		b.StartTimer()
		s.Refresh()
	}
}
