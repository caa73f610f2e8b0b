package revision

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/test/given"
)

func groupsText(l *LadderRows) string {
	var b strings.Builder
	for _, g := range l.Groups {
		fmt.Fprintf(&b, "%d %s %d-%d %s | %s gone=%v %s rows=%d %v\n", g.Tier, g.Stage, g.Priority, g.Last, g.Label, g.Form, g.Gone, g.Actions, g.Rows, g.Zones)
	}
	return b.String()
}

// Rows that a policy of the ladder stands for are left out, whatever they look
// like; all others are there, once for all zones.
func TestLadderRows(t *testing.T) {
	kept := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindANP, Name: "kept"}}, Tier: model.TierAdmin, Priority: 5}
	firewall := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindEF, Namespace: "blue", Name: "default"}}, Tier: model.TierNetwork}
	cluster, _ := (&model.Cluster{}).Upsert([]model.Object{kept, firewall}, nil)
	isolation := func(name string) map[string]string {
		return given.IDs(nb.OwnerUDNIsolation, nb.KeyName, name, nb.KeyDirection, "Ingress")
	}
	common := []nb.RowChange{
		given.ACLRow("1", 1, 29500, nb.ToLport, nb.ActionDrop, given.ANPIDs("kept", "0")),
		given.ACLRow("2", 0, 1000, nb.ToLport, nb.ActionDrop, isolation("DenyPrimaryUDN")),
		given.ACLRow("3", 0, 1001, nb.ToLport, nb.ActionAllowRelated, isolation("OpenPort-red/a")),
		given.ACLRow("4", 0, 1001, nb.ToLport, nb.ActionAllowRelated, isolation("OpenPort-red/b")),
		given.ACLRow("5", 1, 20000, nb.ToLport, nb.ActionPass, given.ANPIDs("gone", "0")),
		given.ACLRow("6", 1, 19999, nb.ToLport, nb.ActionDrop, given.ANPIDs("gone", "1")),
		given.ACLRow("7", 2, 9999, nb.ToLport, nb.ActionAllow, given.IDs(nb.OwnerEgressFirewall, nb.KeyName, "blue", nb.KeyRuleIndex, "1")),
		given.ACLRow("8", 2, 7000, nb.ToLport, nb.ActionReject, nil),
		given.ACLRow("9", 2, 7001, nb.ToLport, nb.ActionReject, nil),
		given.ACLRow("a", 2, 1001, nb.ToLport, nb.ActionAllow, nb.IDs("blue-network-controller", nb.OwnerNetworkPolicy, nb.IDPair{Key: nb.KeyName, Value: "n:p"},
			nb.IDPair{Key: nb.KeyDirection, Value: "Ingress"}, nb.IDPair{Key: nb.KeyGressIndex, Value: "0"}, nb.IDPair{Key: nb.KeyProtocol, Value: "tcp"}, nb.IDPair{Key: nb.KeyIPBlock, Value: "-1"})),
	}
	one := (*nb.DB)(nil).Apply(common)
	two := one.Apply([]nb.RowChange{given.ACLRow("b", 2, 9990, nb.ToLport, nb.ActionDrop,
		given.IDs(nb.OwnerEgressFirewall, nb.KeyName, "blue", nb.KeyPriority, "9990"))})
	zone := func(name string, db *nb.DB) *model.ZoneState {
		return &model.ZoneState{Name: name, DB: db, Conn: model.ConnSynced}
	}
	parts := Facts{Cluster: cluster, Zones: []*model.ZoneState{zone("z1", one), zone("z2", two), zone("z3", nil)}}
	r := New(parts, nil)
	rows := FindLadderRows(r)
	want := `0 to-lport 1001-1001 UDN isolation open ports of pods, ingress | recognised gone=false 2A rows=4 [z1 z2]
0 to-lport 1000-1000 UDN isolation DenyPrimaryUDN, ingress | recognised gone=false 1D rows=2 [z1 z2]
1 to-lport 20000-19999 ANP gone ingress | known gone=true 1P 1D rows=4 [z1 z2]
2 to-lport 9990-9990 older form: EF blue | legacy gone=false 1D rows=1 [z2]
2 to-lport 7001-7001 no owner | none gone=false 1D rows=2 [z1 z2]
2 to-lport 7000-7000 no owner | none gone=false 1D rows=2 [z1 z2]
2 to-lport 1001-1001 network blue: NP n/p ingress | known gone=false 1A rows=2 [z1 z2]
`
	if diff := cmp.Diff(want, groupsText(rows)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if rows.Read != 2 || rows.Zones != 3 {
		t.Errorf("read %d of %d", rows.Read, rows.Zones)
	}
	if n := len(rows.GroupsOfTier(0, model.StageToLport)) + len(rows.GroupsOfTier(0, model.StageFromLport)) + len(rows.GroupsOfTier(2, "")); n != 2+0+4 {
		t.Errorf("by tier and stage there are %d", n)
	}

	// A later revision: what is known is the last until it is worked out anew.
	next := *r
	next.Zones = []*model.ZoneState{zone("z1", one), zone("z2", one), zone("z3", one)}
	old, current := KnownLadderRows(&next)
	if current || old != rows {
		t.Error("rows of before are taken for those of now")
	}
	FindLadderRows(&next)
	now, current := KnownLadderRows(&next)
	if !current || now.Read != 3 || strings.Contains(groupsText(now), "older form") || now.Groups[1].Rows != 3 {
		t.Errorf("worked out anew: %v\n%s", current, groupsText(now))
	}
	// The policy is back, or never was gone: its own line stands for the rows.
	gone := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindANP, Name: "gone"}}, Tier: model.TierAdmin, Priority: 50}
	parts.Cluster, _ = cluster.Upsert([]model.Object{gone}, nil)
	back := New(parts, r)
	if text := groupsText(FindLadderRows(back)); strings.Contains(text, "ANP gone") {
		t.Errorf("rows of a policy on the ladder:\n%s", text)
	}
}

// A row counts once however many zones have it, and where each zone has rows of
// its own they all count; what the sandbox made is known by its note.
func TestLadderRowsCountOnce(t *testing.T) {
	note := func(ids map[string]string) map[string]string {
		ids["rung"] = "sandbox"
		return ids
	}
	port := func(name string) map[string]string {
		return note(given.IDs(nb.OwnerUDNIsolation, nb.KeyName, "OpenPort-"+name, nb.KeyDirection, "Ingress"))
	}
	zone := func(name string, rows ...nb.RowChange) *model.ZoneState {
		return &model.ZoneState{Name: name, DB: (*nb.DB)(nil).Apply(rows), Conn: model.ConnSynced}
	}
	r := New(Facts{Cluster: &model.Cluster{}, Zones: []*model.ZoneState{
		zone("z1", given.ACLRow("1", 0, 1001, nb.ToLport, nb.ActionAllow, port("a")), given.ACLRow("2", 0, 900, nb.ToLport, nb.ActionDrop, nil)),
		zone("z2", given.ACLRow("3", 0, 1001, nb.ToLport, nb.ActionAllow, port("b")), given.ACLRow("4", 0, 900, nb.ToLport, nb.ActionDrop, note(map[string]string{}))),
		zone("z3", given.ACLRow("5", 0, 1001, nb.ToLport, nb.ActionAllow, port("a")), given.ACLRow("6", 0, 1001, nb.ToLport, nb.ActionAllow, port("c"))),
	}}, nil)
	groups := FindLadderRows(r).Groups
	want := `0 to-lport 1001-1001 UDN isolation open ports of pods, ingress | recognised gone=false 3A rows=4 [z1 z2 z3]
0 to-lport 900-900 no owner | none gone=false 1D rows=2 [z1 z2]
`
	if diff := cmp.Diff(want, groupsText(FindLadderRows(r))); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
	if !groups[0].Examples || groups[1].Examples {
		t.Errorf("examples: %v, %v; want the first group alone", groups[0].Examples, groups[1].Examples)
	}
}

// Members of sets come and go all the time: the ACLs are not read again for it.
func TestLadderRowsReadAgainOnlyWhenACLsChange(t *testing.T) {
	db := (*nb.DB)(nil).Apply([]nb.RowChange{given.ACLRow("1", 0, 1000, nb.ToLport, nb.ActionDrop, nil)})
	first := readZone("z", db, nil)
	set := db.Apply([]nb.RowChange{{New: &nb.AddressSet{UUID: "s", Name: "a"}}})
	second := readZone("z", set, first)
	if &second.groups[0] != &first.groups[0] {
		t.Error("read again although no ACL changed")
	}
	third := readZone("z", set.Apply([]nb.RowChange{given.ACLRow("2", 0, 1000, nb.ToLport, nb.ActionDrop, nil)}), second)
	if len(third.groups[0].rows) != 2 || len(first.groups[0].rows) != 1 {
		t.Errorf("%d rows, and before %d", len(third.groups[0].rows), len(first.groups[0].rows))
	}
}

func BenchmarkLadderRows(b *testing.B) {
	var changes []nb.RowChange
	for i := range 10_000 {
		changes = append(changes, given.ACLRow(fmt.Sprint("u", i), 1, 30000-i, nb.ToLport, nb.ActionAllow, given.ANPIDs(fmt.Sprint("p", i/100), fmt.Sprint(i%100))))
	}
	db := (*nb.DB)(nil).Apply(changes)
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			readZone("z", db, nil)
		}
	})
	b.Run("members", func(b *testing.B) {
		z := readZone("z", db, nil)
		other := db.Apply([]nb.RowChange{{New: &nb.AddressSet{UUID: "s", Name: "a"}}})
		for b.Loop() {
			readZone("z", other, z)
		}
	})
}
