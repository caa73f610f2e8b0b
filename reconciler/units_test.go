package reconciler

import (
	"strings"
	"testing"
	"time"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
)

// allowing is a NetworkPolicy that lets the pods of namespaces in.
func allowing(name, from string) *model.Policy {
	return &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindNP, Namespace: "a", Name: name}}, Tier: model.TierNetwork,
		Subject: model.Subject{Namespaces: model.SelectEverything(), Pods: model.SelectEverything(), Namespace: "a"}, IsolatesIngress: true,
		Ingress: []model.Rule{{Direction: model.Ingress, Action: model.Allow, Peers: []model.Peer{nsPeer(from)}}}}
}

// concern says whether some operation is of a unit whose key begins so.
func concern(ops []nb.Op, unit string) bool {
	for _, o := range ops {
		if strings.HasPrefix(o.Policy, unit) {
			return true
		}
	}
	return false
}

// While a NetworkPolicy's rows are refused, nothing denies the rest of its
// namespace, and a set its live rows name stays (ovn-kubernetes.md#isolation-groups).
func TestDenyWaitsForWhatAllows(t *testing.T) {
	run(t, Write, func(b *bench) {
		tenants(b)
		b.calm(time.Second)
		b.z.do(func() {
			b.z.fault = func(ops []nb.Op) fault {
				if concern(ops, "NetworkPolicy/a/web") {
					return isRefused
				}
				return works
			}
		})
		b.have(allowing("web", "t=2"))
		b.calm(10 * time.Second)
		db := b.z.db()
		deny := nb.HashedName("default-network-controller:NetpolNamespace:a:Ingress")
		if db.PortGroupByName(deny) != nil {
			t.Error("the pods are isolated, and nothing lets anybody in")
		}
		b.z.do(func() { b.z.fault = func([]nb.Op) fault { return works } })
		b.calm(time.Minute)
		for _, h := range holders() {
			b.z.meddle(func(f *fakeDB) []nb.RowChange { return f.hold(h) })
		}
		b.calm(time.Minute)
		b.converged()

		set := nb.HashedName("default-network-controller:PodSelector:LS{ML:{t: 2,},}_LS{}_LNM:v4")
		if b.z.db().AddressSetByName(set) == nil {
			t.Fatal("no set to lose")
		}
		b.z.do(func() {
			b.z.fault = func(ops []nb.Op) fault {
				if concern(ops, "NetworkPolicy/a/web") {
					return isRefused
				}
				return works
			}
		})
		b.have(allowing("web", "t=1"))
		b.calm(10 * time.Second)
		if b.z.db().AddressSetByName(set) == nil {
			t.Error("a set is gone that a live row names")
		}
		b.z.do(func() { b.z.fault = func([]nb.Op) fault { return works } })
		b.calm(time.Minute)
		b.converged()
		if b.z.db().AddressSetByName(set) != nil {
			t.Error("a set is left that nobody names")
		}
	})
}

// Who only observes does not know whether rows that no object asks for belong
// there: OVN-Kubernetes has some by its configuration, and keeps others.
func TestObserverKnowsNoBetter(t *testing.T) {
	rows := func(b *bench) {
		hairpin := compiler.HolderForUnit(model.Key{Kind: model.KindNetpolDefault})
		ids := nb.IDs(nb.DefaultController, nb.OwnerNetpolDefault, nb.IDPair{Key: nb.KeyName, Value: "allow-hairpinning"}, nb.IDPair{Key: nb.KeyDirection, Value: "Ingress"})
		old := nb.IDs(nb.DefaultController, nb.OwnerPodSelector, nb.IDPair{Key: nb.KeyName, Value: "a_LS{}"}, nb.IDPair{Key: nb.KeyIPFamily, Value: "v4"})
		b.z.put(nb.RowChange{New: &nb.ACL{UUID: "h", ExternalIDs: ids}},
			nb.RowChange{New: &nb.PortGroup{UUID: "g", Name: hairpin.Name, ACLs: []string{"h"}}},
			nb.RowChange{New: &nb.AddressSet{UUID: "s", Name: nb.HashedName(old[nb.KeyID]), ExternalIDs: old}})
		tenants(b)
		b.calm(time.Second)
	}
	run(t, Observe, func(b *bench) {
		rows(b)
		if n := len(b.r.State().Policies); n != 0 {
			t.Errorf("%d units differ, want none", n)
		}
	})
	run(t, Write, func(b *bench) {
		rows(b)
		if db := b.z.db(); db.ACL("h") != nil || db.AddressSet("s") != nil || db.PortGroup("g") == nil {
			t.Error("the writer leaves rows that nobody wants, or takes what they hung on")
		}
	})
}

// The addresses of a DNS name that Rung was not told are kept by whoever
// resolves it.
func TestUnknownNamesAreLeftAlone(t *testing.T) {
	run(t, Write, func(b *bench) {
		for _, h := range holders() {
			b.z.meddle(func(f *fakeDB) []nb.RowChange { return f.hold(h) })
		}
		tenants(b)
		b.have(&model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindEF, Namespace: "a", Name: "default"}}, Tier: model.TierNetwork,
			Egress: []model.Rule{{Direction: model.Egress, Action: model.Allow, Peers: []model.Peer{{Kind: model.PeerDNS, DNSName: "a.example"}}}}})
		b.calm(time.Second)
		b.converged()
		row := b.z.db().AddressSetByName(nb.HashedName("default-network-controller:EgressFirewallDNS:a.example:v4"))
		if row == nil {
			t.Fatal("no set")
		}
		b.z.taken()
		resolved := *row
		resolved.Addresses = []string{"192.0.2.1"}
		b.z.put(nb.RowChange{Old: row, New: &resolved})
		b.calm(time.Second)
		b.converged()
		wantOps(t, b.z.taken())
	})
}

// Without the row that ACLs hang on nothing can be written, and the difference
// says why: no command waits for it.
func TestNothingToHangOn(t *testing.T) {
	run(t, Write, func(b *bench) {
		tenants(b)
		key := model.Key{Kind: model.KindEF, Namespace: "a", Name: "default"}
		ids := nb.IDs(nb.DefaultController, nb.OwnerEgressFirewall, nb.IDPair{Key: nb.KeyName, Value: "a"}, nb.IDPair{Key: nb.KeyRuleIndex, Value: "0"})
		// Somebody moved the row of rule 0 elsewhere and changed it.
		b.z.put(nb.RowChange{New: &nb.ACL{UUID: "moved", ExternalIDs: ids, Priority: 1}},
			nb.RowChange{New: &nb.PortGroup{UUID: "g", Name: "elsewhere", ACLs: []string{"moved"}}})
		b.have(&model.Policy{Meta: model.Meta{Key: key}, Tier: model.TierNetwork, Egress: []model.Rule{
			{Direction: model.Egress, Action: model.Deny, Peers: []model.Peer{{Kind: model.PeerNetworks, Networks: []string{"192.0.2.0/24"}}}},
			{Direction: model.Egress, Index: 1, Action: model.Deny, Peers: []model.Peer{{Kind: model.PeerNetworks, Networks: []string{"198.51.100.0/24"}}}}}})
		b.calm(time.Second)
		p := b.r.State().PolicyJoin(key)
		if p == nil || p.InSync || p.Missing != 2 || p.Different != 1 || p.Blocked != 3 || b.r.State().Pending != 0 {
			t.Fatalf("%+v, %d pending", p, b.r.State().Pending)
		}
		for _, d := range p.Diffs {
			if want := map[bool]string{true: lostHolder, false: NoHolder}[d.Table == nb.TablePortGroup]; d.Waiting != want {
				t.Errorf("%s %s waits for %q", d.Kind, d.ID, d.Waiting)
			}
		}
	})
}

// The rows of a policy that is not programmed as it is stay, and with them the
// sets they name, although nobody wants these any more.
func TestFrozenRowsKeepTheirSets(t *testing.T) {
	run(t, Write, func(b *bench) {
		tenants(b)
		b.have(allowing("web", "t=2"))
		for _, h := range holders() {
			b.z.meddle(func(f *fakeDB) []nb.RowChange { return f.hold(h) })
		}
		b.calm(time.Second)
		b.converged()
		set := nb.HashedName("default-network-controller:PodSelector:LS{ML:{t: 2,},}_LS{}_LNM:v4")
		bad := allowing("web", "t=2")
		bad.Invalid = []model.Broken{{Message: "not taken"}}
		b.have(bad)
		b.calm(time.Minute)
		if b.z.db().AddressSetByName(set) == nil {
			t.Error("a set is gone that a frozen row names")
		}
		if n := b.r.State().Pending; n != 0 {
			t.Errorf("%d pending, though nothing is to be written", n)
		}
		b.give(b.world.set(nil, model.Key{Kind: model.KindNP, Namespace: "a", Name: "web"}))
		b.calm(time.Minute)
		if b.z.db().AddressSetByName(set) != nil {
			t.Error("a set is left that no row names")
		}
	})
}
