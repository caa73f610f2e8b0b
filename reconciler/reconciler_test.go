package reconciler

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/test/made"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// opNames is "mutate Address_Set +1 -0" and so on, sorted.
func opNames(ops []nb.Op) []string {
	var out []string
	for _, op := range ops {
		s := string(op.Kind) + " " + op.Table
		for _, m := range op.Mutations {
			sign := "-"
			if m.Insert {
				sign = "+"
			}
			s += " " + sign + m.Column + strings.Repeat("*", len(m.Strings)+len(m.Refs))
		}
		if op.Kind == nb.OpUpdate {
			var cols []string
			for c := range op.Row {
				cols = append(cols, c)
			}
			slices.Sort(cols)
			s += " " + strings.Join(cols, ",")
		}
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}

func wantOps(t *testing.T, txs [][]nb.Op, want ...[]string) {
	t.Helper()
	var got [][]string
	for _, ops := range txs {
		got = append(got, opNames(ops))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("operations by transaction (-want +got)\n%s", diff)
	}
}

// tenants is a small cluster: two namespaces, three pods on n1, one elsewhere.
func tenants(b *bench) {
	for _, p := range []string{"a_p0", "a_p1", "b_p0"} {
		b.z.port(p)
	}
	b.have(namespace("a", "t=1"), namespace("b", "t=2"),
		pod("a/p0", "app=x", "n1", "10.0.0.1"), pod("a/p1", "app=x", "n1", "10.0.0.2"), pod("b/p0", "app=y", "n1", "10.0.0.3"),
		pod("b/p1", "app=y", "n2", "10.0.0.4"))
}

func isolate(prio int32) *model.Policy {
	return anp("isolate", prio, "t=1",
		rule(model.Ingress, model.Allow, tcp(80), nsPeer("t=2")),
		rule(model.Ingress, model.Deny, nil, nsPeer("")),
		rule(model.Egress, model.Pass, nil, nsPeer("t=2")))
}

func TestCreateUpdateDelete(t *testing.T) {
	run(t, Write, func(b *bench) {
		tenants(b)
		b.calm(time.Second)
		b.have(isolate(34))
		b.calm(time.Second)
		wantOps(t, b.z.taken(), []string{"insert ACL", "insert ACL", "insert ACL",
			"insert Address_Set", "insert Address_Set", "insert Address_Set", "insert Port_Group"})
		b.converged()
		if p := b.in("isolate"); p.LiveACLs != 3 || p.LivePriority != 34 {
			t.Errorf("LiveACLs %d, LivePriority %d", p.LiveACLs, p.LivePriority)
		}
		acts := b.takeActs()
		want := "isolate: 1 port group added, 3 ACLs added, 3 address sets added, 8 addresses added, 2 ports added"
		if len(acts) != 1 || acts[0].Summary != want {
			t.Errorf("activities %+v, want %q", acts, want)
		}

		// A pod in a peer namespace that is no subject: one mutate per set.
		b.have(pod("b/p2", "", "n2", "10.0.0.5"))
		b.calm(time.Second)
		wantOps(t, b.z.taken(), []string{"mutate Address_Set +addresses*", "mutate Address_Set +addresses*", "mutate Address_Set +addresses*"})

		// A subject pod with its port: one mutate per set it enters and one for
		// the port group, in one transaction.
		b.z.port("a_p2")
		b.calm(time.Second)
		b.have(pod("a/p2", "", "n1", "10.0.0.6"))
		b.calm(time.Second)
		wantOps(t, b.z.taken(), []string{"mutate Address_Set +addresses*", "mutate Port_Group +ports*"})
		b.converged()

		// A pod that changes its address: one mutate per set.
		b.have(pod("a/p2", "", "n1", "10.0.0.7"))
		b.calm(time.Second)
		wantOps(t, b.z.taken(), []string{"mutate Address_Set -addresses* +addresses*"})
		b.converged()

		b.give(b.world.set(nil, keyOf("isolate")))
		b.calm(time.Second)
		wantOps(t, b.z.taken(), []string{"delete Address_Set", "delete Address_Set", "delete Address_Set", "delete Port_Group"})
		b.converged()
		if n := len(b.r.State().Policies); n != 0 {
			t.Errorf("%d policies in the state after the delete", n)
		}
		if n := b.z.db().Len(); n != 4 {
			t.Errorf("%d rows left, want the 4 ports", n)
		}
	})
}

// aclUUIDs is id → UUID of all live ACLs and the policies' other rows.
func uuids(db *nb.DB) map[string]string {
	out := map[string]string{}
	for a := range db.ACLs() {
		out["acl "+a.ID()] = a.UUID
	}
	for s := range db.AddressSets() {
		out["set "+s.ID()] = s.UUID
	}
	for g := range db.PortGroups() {
		out["group "+g.ID()] = g.UUID
	}
	return out
}

func TestUUIDsStay(t *testing.T) {
	with := func(f func(p *model.Policy)) *model.Policy {
		p := isolate(34)
		f(p)
		return p
	}
	for _, c := range []struct {
		name string
		next *model.Policy
		ops  []string
	}{
		{"priority", isolate(36), []string{"update ACL priority", "update ACL priority", "update ACL priority"}},
		{"action", with(func(p *model.Policy) { p.Ingress[0].Action = model.Deny }), []string{"update ACL action"}},
		{"port of the same protocol", with(func(p *model.Policy) { p.Ingress[0].Ports = tcp(443) }), []string{"update ACL match"}},
		{"logging", with(func(p *model.Policy) { p.HasLogging, p.Logging = true, `{"deny":"alert"}` }), []string{"update ACL log,severity"}},
		{"peers", with(func(p *model.Policy) { p.Egress[0].Peers = []model.Peer{nsPeer("t=1")} }),
			[]string{"mutate Address_Set -addresses** +addresses**"}},
		{"subject", with(func(p *model.Policy) { p.Subject.Namespaces = made.Sel("t=2") }), []string{"mutate Port_Group -ports** +ports*"}},
		{"rule name", with(func(p *model.Policy) { p.Ingress[0].Name = "web" }), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			run(t, Write, func(b *bench) {
				tenants(b)
				b.have(isolate(34))
				b.calm(time.Second)
				b.z.taken()
				before := uuids(b.z.db())
				b.have(c.next)
				b.calm(time.Second)
				b.converged()
				if c.ops == nil {
					wantOps(t, b.z.taken())
				} else {
					wantOps(t, b.z.taken(), c.ops)
				}
				if diff := cmp.Diff(before, uuids(b.z.db())); diff != "" {
					t.Errorf("rows changed their UUID (-before +after)\n%s", diff)
				}
			})
		})
	}
}

// A rule that gets ports has another id: the old row goes, a new one comes, in
// the same transaction.
func TestChangedIDIsANewRow(t *testing.T) {
	run(t, Write, func(b *bench) {
		tenants(b)
		b.have(isolate(34))
		b.calm(time.Second)
		b.z.taken()
		p := isolate(34)
		p.Ingress[1].Ports = tcp(22)
		b.have(p)
		b.calm(time.Second)
		wantOps(t, b.z.taken(), []string{"insert ACL", "mutate Port_Group -acls* +acls*"})
		b.converged()
	})
}

// A policy without desired rows keeps the rows it had, whatever happens to
// them, and says what they decide.
func TestPoliciesWithoutRowsAreLeftAlone(t *testing.T) {
	run(t, Write, func(b *bench) {
		tenants(b)
		b.have(isolate(50))
		b.calm(time.Second)
		b.takeConds()
		before := b.z.db()
		b.z.taken()
		b.have(isolate(120))
		b.calm(time.Second)
		wantOps(t, b.z.taken())
		p := b.in("isolate")
		if p.None == nil || p.None.Code != "priority" || p.LivePriority != 50 || p.LiveACLs != 3 {
			t.Errorf("%+v", p)
		}
		if s := p.StateAt(b.r.State(), time.Now().Add(time.Hour)); s != model.StateFrozen {
			t.Errorf("state %s", s)
		}
		if diff := cmp.Diff([]string{"isolate Ready-In-Zone-n1 False SetupFailed error attempting to add ANP isolate with priority 120 because, OVNK only supports priority ranges 0-99"}, b.takeConds()); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"isolate ANPWithUnsupportedPriority This ANP isolate has an unsupported priority 120; Please update the priority to a value between 0(highest priority) and 99(lowest priority)"}, b.takeEvents()); diff != "" {
			t.Error(diff)
		}
		// Pods come and go, a row is altered: nothing follows.
		b.have(pod("b/p0", "", "n1", "10.0.0.77"))
		for a := range before.ACLs() {
			row := *a
			row.Match = "0"
			b.z.put(nb.RowChange{Old: a, New: &row})
			break
		}
		b.calm(time.Minute)
		wantOps(t, b.z.taken())
		// A deleted policy takes its rows along.
		b.give(b.world.set(nil, keyOf("isolate")))
		b.calm(time.Second)
		if n := b.z.db().Len(); n != 3 {
			t.Errorf("%d rows left, want the 3 ports", n)
		}
	})
}

func TestForeignRowsAreLeftAlone(t *testing.T) {
	run(t, Write, func(b *bench) {
		udn := nb.IDs("blue-network-controller", nb.OwnerANP, nb.IDPair{Key: nb.KeyName, Value: "isolate"})
		rows := []nb.Row{
			&nb.AddressSet{UUID: "s1", Name: "mine", Addresses: []string{"1.1.1.1"}},
			&nb.AddressSet{UUID: "s2", Name: "udn", ExternalIDs: udn},
			&nb.ACL{UUID: "a1", Match: "1", ExternalIDs: map[string]string{"policy": "old"}},
			&nb.PortGroup{UUID: "g1", Name: "pg", ACLs: []string{"a1"}, ExternalIDs: map[string]string{nb.KeyOwnerType: "NetworkPolicy", nb.KeyOwnerController: nb.DefaultController}},
		}
		var changes []nb.RowChange
		for _, r := range rows {
			changes = append(changes, nb.RowChange{New: r})
		}
		b.z.put(changes...)
		tenants(b)
		b.have(isolate(1))
		b.calm(time.Second)
		b.give(b.world.set(nil, keyOf("isolate")))
		b.calm(time.Second)
		for _, r := range rows {
			if got := b.z.db().Row(nb.TableName(r), r.RowUUID()); got != r {
				t.Errorf("%s %s is %v", nb.TableName(r), r.RowUUID(), got)
			}
		}
	})
}

// Where Rung only observes, an id that is not today's is an older release's or may
// be a newer one's: neither is compared, which is said.
func TestRowsOfAnotherReleaseAreNotComparable(t *testing.T) {
	firewall := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindEF, Namespace: "a", Name: "default"}}, Tier: model.TierNetwork,
		Egress: []model.Rule{{Direction: model.Egress, Action: model.Deny, Peers: []model.Peer{{Kind: model.PeerNetworks, Networks: []string{"10.0.0.0/8"}}}}}}
	older := map[string]string{nb.KeyOwnerController: nb.DefaultController, nb.KeyOwnerType: nb.OwnerEgressFirewall, nb.KeyName: "a",
		nb.KeyID: "default-network-controller:EgressFirewall:a:10000"}
	newer := map[string]string{nb.KeyOwnerController: nb.DefaultController, nb.KeyOwnerType: nb.OwnerANP, nb.KeyName: "isolate",
		nb.KeyID: "default-network-controller:AdminNetworkPolicy:isolate:Ingress:0"}
	for _, c := range []struct {
		ids map[string]string
		key model.PolicyKey
	}{{older, firewall.Key}, {newer, keyOf("isolate")}} {
		run(t, Observe, func(b *bench) {
			b.z.put(nb.RowChange{New: &nb.ACL{UUID: "a1", ExternalIDs: c.ids}}, nb.RowChange{New: &nb.PortGroup{UUID: "g1", Name: "pg", ACLs: []string{"a1"}}})
			tenants(b)
			b.have(isolate(1), firewall, anp("other", 2, "t=1"))
			b.calm(time.Second)
			p := b.r.State().Policies[c.key]
			if !p.NotComparable || p.InSync || len(p.Diffs) > 0 || p.StateAt(b.r.State(), time.Now()) != model.StateNotComparable {
				t.Errorf("%+v", p)
			}
			if want := "rows in the form of another OVN-Kubernetes release: ACL " + c.ids[nb.KeyID]; p.Why != want {
				t.Errorf("%q, want %q", p.Why, want)
			}
		})
	}
}

// Where Rung writes, rows of an older release become those of today, in the same
// transaction, as at the start of OVN-Kubernetes: nothing between lets a pod be cut
// off. A row that hangs where others' rows do stays, and is named.
func TestRowsOfAnOlderReleaseAreReplaced(t *testing.T) {
	web := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindNP, Namespace: "a", Name: "web"}}, Tier: model.TierNetwork,
		Subject: model.Subject{Namespace: "a", Namespaces: model.SelectEverything(), Pods: model.SelectEverything(), AllPods: true}, IsolatesIngress: true,
		Ingress: []model.Rule{{Direction: model.Ingress, Action: model.Allow, Peers: []model.Peer{
			{Kind: model.PeerNetworks, Networks: []string{"10.0.0.0/8"}}, {Kind: model.PeerNetworks, Networks: []string{"11.0.0.0/8"}}}}}}
	ids := func(id string) map[string]string {
		return map[string]string{nb.KeyOwnerController: nb.DefaultController, nb.KeyOwnerType: nb.OwnerNetworkPolicy, nb.KeyName: "a:web",
			nb.KeyID: "default-network-controller:NetworkPolicy:a:web:" + id}
	}
	for _, old := range [][2]string{
		{"ingress:0:-1:0", "ingress:0:-1:1"}, // one row for each port entry and block
		{"Ingress:0:None:0", "Ingress:0:None:1"},
	} {
		run(t, Write, func(b *bench) {
			for _, h := range holders() {
				b.z.meddle(func(f *fakeDB) []nb.RowChange { return f.hold(h) })
			}
			b.have(namespace("a", "t=1"), pod("a/p0", "", "n1", "10.0.0.1"), web)
			b.z.port("a_p0")
			b.calm(time.Second)
			b.converged()
			var group *nb.PortGroup
			for g := range b.z.db().PortGroups() {
				if g.ExternalIDs[nb.KeyID] == "default-network-controller:NetworkPolicy:a:web" {
					group = g
				}
			}
			if group == nil {
				t.Fatal("the policy has no port group")
			}
			b.z.taken() // those before; what follows is answered at once
			b.z.meddle(func(f *fakeDB) []nb.RowChange {
				was := *group
				was.ACLs = []string{"a1", "a2"}
				return f.put(nb.RowChange{New: &nb.ACL{UUID: "a1", ExternalIDs: ids(old[0])}}, nb.RowChange{New: &nb.ACL{UUID: "a2", ExternalIDs: ids(old[1])}},
					nb.RowChange{New: &nb.ACL{UUID: "a3", ExternalIDs: ids(old[0])}}, nb.RowChange{New: &nb.PortGroup{UUID: "g9", Name: "others", ACLs: []string{"a3"}}},
					nb.RowChange{Old: group, New: &was})
			})
			b.calm(time.Second)
			if db := b.z.db(); db.ACL("a1") != nil || db.ACL("a2") != nil || db.ACL("a3") == nil {
				t.Errorf("%v: a1 %v, a2 %v, a3 %v", old, db.ACL("a1"), db.ACL("a2"), db.ACL("a3"))
			}
			if n := len(b.z.taken()); n != 1 {
				t.Errorf("%v: %d transactions, want one", old, n)
			}
			p := b.r.State().Policies[web.Key]
			if p.NotComparable || p.Missing+p.Different > 0 || p.Blocked != 1 || len(p.Diffs) != 1 || p.Diffs[0].UUID != "a3" || p.Diffs[0].Waiting == "" {
				t.Errorf("%v: %+v", old, p)
			}
		})
	}
}

// Subject pods whose port is not there yet wait; they are no difference.
func TestWaitingForPorts(t *testing.T) {
	run(t, Write, func(b *bench) {
		b.have(namespace("a", "t=1"), pod("a/p0", "", "n1", "10.0.0.1"), anp("all", 1, "t=1"))
		b.calm(time.Second)
		p := b.in("all")
		if !p.InSync || p.Waiting != 1 || len(p.Diffs) != 1 || p.Diffs[0].Waiting == "" {
			t.Fatalf("%+v", p)
		}
		b.z.taken()
		b.z.port("a_p0")
		b.calm(time.Second)
		wantOps(t, b.z.taken(), []string{"mutate Port_Group +ports*"})
		b.converged()
		if p := b.in("all"); p.Waiting != 0 || len(p.Diffs) != 0 {
			t.Errorf("%+v", p)
		}
	})
}
