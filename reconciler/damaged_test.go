package reconciler

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
)

// withID are the external_ids of a row with another id, without one when it is
// empty.
func withID(ids map[string]string, id string) map[string]string {
	out := maps.Clone(ids)
	delete(out, nb.KeyID)
	if id != "" {
		out[nb.KeyID] = id
	}
	return out
}

// edit changes the external_ids of a row.
func (f *fakeDB) edit(row nb.Row, ids map[string]string) []nb.RowChange {
	switch old := row.(type) {
	case *nb.ACL:
		n := *old
		n.ExternalIDs = ids
		return f.put(nb.RowChange{Old: old, New: &n})
	case *nb.AddressSet:
		n := *old
		n.ExternalIDs = ids
		return f.put(nb.RowChange{Old: old, New: &n})
	case *nb.PortGroup:
		n := *old
		n.ExternalIDs = ids
		return f.put(nb.RowChange{Old: old, New: &n})
	}
	return nil
}

// allOurs are all rows that Rung wrote.
func allOurs(db *nb.DB) []nb.Row {
	var out []nb.Row
	add := func(r nb.Row) {
		if OwnerOfRow(r).Form == Ours {
			out = append(out, r)
		}
	}
	for r := range db.ACLs() {
		add(r)
	}
	for r := range db.AddressSets() {
		add(r)
	}
	for r := range db.PortGroups() {
		add(r)
	}
	return out
}

// families makes a world with rows of every kind.
func families(b *bench) {
	for _, h := range holders() {
		b.z.meddle(func(f *fakeDB) []nb.RowChange { return f.hold(h) })
	}
	tenants(b)
	ns := namespace("a", "t=1")
	ns.Annotations = map[string]string{model.AnnotationMulticast: "true"}
	node := &model.Node{Meta: model.Meta{Key: model.Key{Kind: model.KindNode, Name: "n1"}}, MgmtIPs: []string{"10.244.0.2"}, HostIPs: []string{"172.18.0.2"}}
	b.have(ns, node, isolate(1), policy(model.KindBANP, "default", 0, "t=1", rule(model.Ingress, model.Deny, nil, nsPeer("t=2"))), allowing("web", "t=2"),
		&model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindEF, Namespace: "a", Name: "default"}}, Tier: model.TierNetwork,
			Egress: []model.Rule{{Direction: model.Egress, Action: model.Allow, Peers: []model.Peer{{Kind: model.PeerDNS, DNSName: "a.example"}}},
				{Direction: model.Egress, Index: 1, Action: model.Deny, Peers: []model.Peer{{Kind: model.PeerNetworks, Networks: []string{"10.0.0.0/8"}}}}}})
	b.calm(time.Minute)
	b.converged()
}

// A row of any kind that lost its id, or whose id is in no known form or another
// row's, is the policy's by owner and name: the right one is written anew in one
// transaction, and the other taken away.
func TestLostIDsAreRepaired(t *testing.T) {
	run(t, Write, func(b *bench) {
		families(b)
		kinds := map[string]int{}
		for _, was := range allOurs(b.z.db()) {
			table, o := nb.TableName(was), OwnerOfRow(was)
			id := was.IDs()[nb.KeyID]
			var other string
			for _, r := range allOurs(b.z.db()) {
				if nb.TableName(r) == table && r.IDs()[nb.KeyID] != id {
					other = r.IDs()[nb.KeyID]
				}
			}
			for _, to := range []string{"", "x", id + "x", other} {
				var row nb.Row // the one with the id: a repair may have made it anew
				for _, r := range allOurs(b.z.db()) {
					if nb.TableName(r) == table && r.IDs()[nb.KeyID] == id {
						row = r
					}
				}
				if row == nil {
					t.Fatalf("%s %s is gone", table, id)
				}
				b.z.taken()
				b.z.meddle(func(f *fakeDB) []nb.RowChange { return f.edit(row, withID(row.IDs(), to)) })
				b.calm(2 * time.Second)
				b.converged()
				if txs := b.z.taken(); len(txs) != 1 {
					t.Errorf("%s %s → %q: %d transactions", table, id, to, len(txs))
				}
				if left := slices.Collect(maps.Keys(b.r.State().Policies)); slices.ContainsFunc(left, func(k model.PolicyKey) bool {
					p := b.r.State().Policies[k]
					return p.NotComparable || !p.InSync
				}) {
					t.Errorf("%s %s → %q: not all in sync", table, id, to)
				}
			}
			kinds[table+" "+string(o.Unit.Kind)]++
		}
		if len(kinds) != 17 {
			t.Errorf("not every kind of row was there: %v", kinds)
		}
	})
}

// Where Rung only observes, such a row is named as extra, with why; what others
// write is not touched.
func TestLostIDsAreNamed(t *testing.T) {
	run(t, Write, func(b *bench) {
		families(b)
		b.r.SetMode(Observe)
		b.calm(time.Second)
		acl := b.z.db().ACLByID("default-network-controller:AdminNetworkPolicy:isolate:Ingress:0:tcp")
		b.z.meddle(func(f *fakeDB) []nb.RowChange { return f.edit(acl, withID(acl.ExternalIDs, "")) })
		b.calm(time.Second)
		p := b.in("isolate")
		i := slices.IndexFunc(p.Diffs, func(d model.RowDiff) bool { return d.UUID == acl.UUID })
		if i < 0 || p.Missing != 1 || p.Extra != 1 || p.Diffs[i].Note != "the policy's by owner and name, but it has no k8s.ovn.org/id" {
			t.Errorf("%+v", p)
		}
		if b.z.db().ACL(acl.UUID) == nil {
			t.Error("an observer touched it")
		}
	})
}

// A row whose owner ids somebody took away is nobody's: it stays where it hangs
// among those of others, and is named until it is gone.
func TestDisownedRowsAreNamed(t *testing.T) {
	run(t, Write, func(b *bench) {
		families(b)
		const id = "default-network-controller:EgressFirewall:a:1"
		acl := b.z.db().ACLByID(id)
		b.z.meddle(func(f *fakeDB) []nb.RowChange { return f.edit(acl, nil) })
		b.calm(time.Second)
		b.converged()
		want := []model.DisownedRow{{Table: nb.TableACL, UUID: acl.UUID, ID: id, Was: model.PolicyKey{Kind: model.KindEF, Namespace: "a", Name: "default"}}}
		if got := b.r.State().Disowned; !slices.Equal(got, want) {
			t.Errorf("%+v", got)
		}
		if b.z.db().ACL(acl.UUID) == nil {
			t.Error("a row of nobody was touched")
		}
		// A read of everything does not forget it.
		b.z.disconnect()
		b.calm(time.Second)
		b.z.connect()
		b.calm(time.Second)
		if got := b.r.State().Disowned; !slices.Equal(got, want) {
			t.Errorf("after a read of everything: %+v", got)
		}
		b.z.meddle(func(f *fakeDB) []nb.RowChange {
			var out []nb.RowChange
			for g := range f.db.PortGroups() {
				if slices.Contains(g.ACLs, acl.UUID) {
					n := *g
					n.ACLs = slices.DeleteFunc(slices.Clone(g.ACLs), func(u string) bool { return u == acl.UUID })
					out = append(out, f.put(nb.RowChange{Old: g, New: &n})...)
				}
			}
			return out
		})
		b.calm(time.Second)
		if got := b.r.State().Disowned; len(got) > 0 {
			t.Errorf("gone: %+v", got)
		}
	})
}

// What stays as it is for a reason is looked at again after a while, and no age
// begins anew with that.
func TestLooksAgain(t *testing.T) {
	run(t, Write, func(b *bench) {
		tenants(b)
		ids := nb.IDs(nb.DefaultController, nb.OwnerANP, nb.IDPair{Key: nb.KeyName, Value: "isolate"}, nb.IDPair{Key: nb.KeyDirection, Value: "Ingress"},
			nb.IDPair{Key: nb.KeyGressIndex, Value: "9"}, nb.IDPair{Key: nb.KeyProtocol, Value: "None"})
		b.z.put(nb.RowChange{New: &nb.ACL{UUID: "a1", ExternalIDs: ids}}, nb.RowChange{New: &nb.PortGroup{UUID: "g1", Name: "pg", ACLs: []string{"a1"}}})
		b.have(isolate(1))
		b.calm(time.Second)
		before := b.in("isolate")
		if before.Blocked != 1 || !strings.Contains(diffText(before.Diffs), HeldElsewhere) {
			t.Fatalf("%+v", before)
		}
		b.calm(2 * time.Minute)
		after := b.in("isolate")
		if after == before {
			t.Error("it was not looked at again")
		}
		if after.Touched != before.Touched || after.DiffSince != before.DiffSince {
			t.Errorf("touched %v, since %v; before %v, %v", after.Touched, after.DiffSince, before.Touched, before.DiffSince)
		}
	})
}
