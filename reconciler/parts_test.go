package reconciler

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
)

func TestOwner(t *testing.T) {
	const d = nb.DefaultController + ":"
	ids := func(kv ...string) map[string]string {
		m := map[string]string{nb.KeyOwnerController: nb.DefaultController, nb.KeyOwnerType: nb.OwnerANP}
		for i := 0; i < len(kv); i += 2 {
			m[kv[i]] = kv[i+1]
		}
		return m
	}
	p := keyOf("web")
	for _, c := range []struct {
		name, table string
		ids         map[string]string
		want        RowOwner
	}{
		{"ACL", nb.TableACL, ids(nb.KeyID, d+"AdminNetworkPolicy:web:Ingress:12:tcp-namedPort"), RowOwner{Unit: p, Form: Ours, Index: 12}},
		{"altered name", nb.TableACL, ids(nb.KeyID, d+"AdminNetworkPolicy:web:Egress:0:None", nb.KeyName, "other"), RowOwner{Unit: p, Form: Ours}},
		{"address set", nb.TableAddressSet, ids(nb.KeyID, d+"AdminNetworkPolicy:web:Egress:3:v6"), RowOwner{Unit: p, Form: Ours, Index: 3}},
		{"port group", nb.TablePortGroup, ids(nb.KeyID, d+"AdminNetworkPolicy:web"), RowOwner{Unit: p, Form: Ours}},
		{"baseline", nb.TablePortGroup, ids(nb.KeyOwnerType, nb.OwnerBANP, nb.KeyID, d+"BaselineAdminNetworkPolicy:default"),
			RowOwner{Unit: model.PolicyKey{Kind: model.KindBANP, Name: "default"}, Form: Ours}},
		{"no protocol", nb.TableACL, ids(nb.KeyID, d+"AdminNetworkPolicy:web:Ingress:1", nb.KeyName, "web"), RowOwner{Unit: p, Form: Damaged, IsOtherRelease: true}},
		{"unknown protocol", nb.TableACL, ids(nb.KeyID, d+"AdminNetworkPolicy:web:Ingress:1:icmp", nb.KeyName, "web"), RowOwner{Unit: p, Form: Damaged, IsOtherRelease: true}},
		{"lower case", nb.TableACL, ids(nb.KeyID, d+"AdminNetworkPolicy:web:ingress:1:tcp", nb.KeyName, "web"), RowOwner{Unit: p, Form: Damaged, IsOtherRelease: true}},
		{"index with a zero", nb.TableACL, ids(nb.KeyID, d+"AdminNetworkPolicy:web:Ingress:01:tcp", nb.KeyName, "web"), RowOwner{Unit: p, Form: Damaged, IsOtherRelease: true}},
		{"the type of another id", nb.TablePortGroup, ids(nb.KeyID, d+"BaselineAdminNetworkPolicy:web", nb.KeyName, "web"), RowOwner{Unit: p, Form: Damaged}},
		{"no id", nb.TablePortGroup, ids(nb.KeyName, "web"), RowOwner{Unit: p, Form: Damaged}},
		{"an older release", nb.TableACL, ids(nb.KeyOwnerType, "EgressFirewall", nb.KeyID, d+"EgressFirewall:a:9999", nb.KeyName, "a"),
			RowOwner{Unit: model.PolicyKey{Kind: model.KindEF, Namespace: "a", Name: "default"}, Form: Damaged, IsOtherRelease: true, Index: 1}},
		{"no id, no name", nb.TablePortGroup, ids(), RowOwner{}},
		{"user-defined network", nb.TablePortGroup, ids(nb.KeyOwnerController, "blue-network-controller", nb.KeyID, d+"AdminNetworkPolicy:web"), RowOwner{}},
		{"NetworkPolicy", nb.TablePortGroup, ids(nb.KeyOwnerType, "NetworkPolicy", nb.KeyID, d+"NetworkPolicy:a:b"),
			RowOwner{Unit: model.PolicyKey{Kind: model.KindNP, Namespace: "a", Name: "b"}, Form: Ours}},
		{"group of a namespace", nb.TablePortGroup, ids(nb.KeyOwnerType, "Namespace", nb.KeyID, d+"Namespace:a", nb.KeyName, "a"), RowOwner{}},
		{"other type", nb.TablePortGroup, ids(nb.KeyOwnerType, "UDNIsolation", nb.KeyID, d+"UDNIsolation:a", nb.KeyName, "a"), RowOwner{}},
		{"nothing", nb.TableACL, nil, RowOwner{}},
	} {
		row := map[string]nb.Row{nb.TableACL: &nb.ACL{ExternalIDs: c.ids}, nb.TableAddressSet: &nb.AddressSet{ExternalIDs: c.ids},
			nb.TablePortGroup: &nb.PortGroup{ExternalIDs: c.ids}}[c.table]
		if got := OwnerOfRow(row); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestStepMembers(t *testing.T) {
	for _, c := range []struct{ old, now, added, removed string }{
		{"a b c", "a b c", "", ""},
		{"a c", "a b c", "b", ""},
		{"a b c", "a c", "", "b"},
		{"", "a b", "a b", ""},
		{"a b", "", "", "a b"},
		{"a b c d", "a c b e", "e", "d"},
		{"c a b", "b c x", "x", "a"},
	} {
		added, removed := StepMembers(strings.Fields(c.old), strings.Fields(c.now))
		if a, r := strings.Join(added, " "), strings.Join(removed, " "); a != c.added || r != c.removed {
			t.Errorf("%q → %q: +%q -%q, want +%q -%q", c.old, c.now, a, r, c.added, c.removed)
		}
	}
}

// Sorted or not, what comes and goes between two versions of a column is the
// same.
func TestStepMembersInAnyOrder(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	some := func() (out []string) {
		for c := 'a'; c <= 'h'; c++ {
			if rnd.IntN(2) == 0 {
				out = append(out, string(c))
			}
		}
		return out
	}
	for range 2000 {
		old, now := some(), some()
		added, removed := StepMembers(slices.Clone(old), slices.Clone(now))
		rnd.Shuffle(len(old), func(i, j int) { old[i], old[j] = old[j], old[i] })
		rnd.Shuffle(len(now), func(i, j int) { now[i], now[j] = now[j], now[i] })
		added2, removed2 := StepMembers(old, now)
		sorted := func(s []string) []string { return slices.Sorted(slices.Values(s)) }
		if !slices.Equal(sorted(added), sorted(added2)) || !slices.Equal(sorted(removed), sorted(removed2)) {
			t.Fatalf("from %v to %v: added %v or %v, removed %v or %v", old, now, added, added2, removed, removed2)
		}
	}
}

// The first change after a pause is written at once; those that keep coming go
// together.
func TestGathering(t *testing.T) {
	run(t, Write, func(b *bench) {
		tenants(b)
		b.have(isolate(1))
		b.calm(time.Second)
		b.z.taken()
		b.have(pod("b/first", "", "n2", "10.1.1.1"))
		b.calm(time.Millisecond)
		if n := len(b.z.taken()); n != 1 {
			t.Errorf("%d transactions for the first change, want 1 at once", n)
		}
		for i := range 200 {
			b.have(pod("b/p9", "", "n2", "10.1.0."+strconv.Itoa(i)))
			b.calm(5 * time.Millisecond)
		}
		if n := len(b.z.taken()); n < 15 || n > 21 {
			t.Errorf("%d transactions for a second of changes, want about 20", n)
		}
		// A database that needs 40 ms is left alone for three times as long.
		b.z.do(func() { b.z.takes = 40 * time.Millisecond })
		for i := range 400 {
			b.have(pod("b/p9", "", "n2", "10.1.2."+strconv.Itoa(i%250)))
			b.calm(5 * time.Millisecond)
		}
		if n := len(b.z.taken()); n < 11 || n > 14 {
			t.Errorf("%d slow transactions for two seconds of changes, want about 12", n)
		}
		b.z.do(func() { b.z.takes = 0 })
		b.calm(time.Second)
		b.converged()
	})
}

// A change is written in the end whenever it comes after the one before, also
// when its time comes while the loop is at something else.
func TestNoChangeIsForgotten(t *testing.T) {
	for after := 0 * time.Millisecond; after < 60*time.Millisecond; after += 500 * time.Microsecond {
		run(t, Write, func(b *bench) {
			tenants(b)
			b.have(isolate(1))
			b.calm(time.Second)
			b.mu.Lock()
			b.slow = 2 * time.Millisecond
			b.mu.Unlock()
			b.have(pod("b/first", "", "n2", "10.1.1.1"))
			b.calm(after)
			b.have(pod("b/second", "", "n2", "10.1.1.2"))
			b.calm(time.Second)
			if p := b.in("isolate"); !p.InSync {
				t.Errorf("%v after the first change a second is never written: %+v", after, p.Diffs)
			}
		}, func(c *Config) { c.Publish = 5 * time.Millisecond })
	}
}

// A loop that was busy for long finds many updates: each was added, not copied
// together with all before it.
func TestMailboxAddsChanges(t *testing.T) {
	const updates = 20_000
	sent := []nb.RowChange{{New: &nb.ACL{UUID: "a"}}}
	u := model.ZoneUpdate{DB: (*nb.DB)(nil).Apply(nil), Changes: sent[:1:1]}
	b := mailbox{signal: make(chan struct{}, 1)}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range updates {
		b.addMail(func(m *mailItems) { m.addLive(u) })
	}
	runtime.ReadMemStats(&after)
	if n := len(b.takeMail().live.Changes); n != updates {
		t.Errorf("%d changes, want %d", n, updates)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 64<<20 {
		t.Errorf("%d MB were allocated for %d updates of one change", took>>20, updates)
	}
	// What the sender has is the sender's.
	b.addMail(func(m *mailItems) { m.addLive(u) })
	b.addMail(func(m *mailItems) { m.addLive(u) })
	b.takeMail().live.Changes[0] = nb.RowChange{}
	if sent[0].New == nil {
		t.Error("a change of the sender's was overwritten")
	}
}

// Mail that is not looked at for a while is taken together without loss.
func TestMailboxLosesNothing(t *testing.T) {
	box := &mailbox{signal: make(chan struct{}, 1)}
	row := func(u string) []nb.RowChange { return []nb.RowChange{{New: &nb.AddressSet{UUID: u}}} }
	db := (*nb.DB)(nil).Apply(nil)
	live := func(u model.ZoneUpdate) { box.addMail(func(m *mailItems) { m.addLive(u) }) }
	live(model.ZoneUpdate{Conn: model.ConnSynced, Server: "s", DB: db, Changes: row("1")})
	live(model.ZoneUpdate{Conn: model.ConnSynced, DB: db, Changes: row("2")})
	live(model.ZoneUpdate{Conn: model.ConnLost, Error: "gone", Attempts: 3})
	d1, d2 := compiler.Compile(nil, compiler.Options{}), compiler.Compile(nil, compiler.Options{})
	box.addMail(func(m *mailItems) {
		m.addDesired(d1, &compiler.Delta{Policies: map[model.PolicyKey]struct{}{keyOf("a"): {}}}, true)
	})
	box.addMail(func(m *mailItems) {
		m.addDesired(d2, &compiler.Delta{Policies: map[model.PolicyKey]struct{}{keyOf("b"): {}}}, false)
	})
	m := box.takeMail()
	if m.live.Conn != model.ConnLost || m.live.Error != "gone" || m.live.Server != "s" || m.live.DB != db || len(m.live.Changes) != 2 || m.live.Resync {
		t.Errorf("live %+v", m.live)
	}
	if m.desired != d2 || len(m.delta.Policies) != 2 || m.delta.Everything || !m.loaded {
		t.Errorf("desired %+v %+v", m.delta, m.loaded)
	}
	live(model.ZoneUpdate{Conn: model.ConnSynced, DB: db, Resync: true})
	live(model.ZoneUpdate{Conn: model.ConnSynced, DB: db, Changes: row("3")})
	box.addMail(func(m *mailItems) { m.addDesired(d1, nil, false) })
	m = box.takeMail()
	if !m.live.Resync || m.live.Changes != nil || m.delta != nil || !m.loaded {
		t.Errorf("live %+v, delta %v", m.live, m.delta)
	}
	m = box.takeMail()
	if m.live != nil || m.desired != nil || m.mode != nil {
		t.Errorf("mail twice: %+v", m)
	}
}

// States are published soon, but not for every step, and the last always.
func TestPublishing(t *testing.T) {
	run(t, Write, func(b *bench) {
		tenants(b)
		b.have(isolate(1))
		b.calm(time.Second)
		b.mu.Lock()
		b.states = 0
		b.mu.Unlock()
		for i := range 1000 {
			b.have(pod("b/p9", "", "n2", "10.1.0."+string(rune('0'+i%10))))
			b.calm(time.Millisecond)
		}
		b.calm(20 * time.Millisecond)
		b.mu.Lock()
		n := b.states
		b.mu.Unlock()
		if n < 15 || n > 23 {
			t.Errorf("%d states in a second, want about 20", n)
		}
		b.converged()
		// Nothing happens: nothing is published.
		b.calm(time.Hour)
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.states != n {
			t.Errorf("%d more states", b.states-n)
		}
	})
}

// A difference keeps its age until it is gone; the newest change is apart.
func TestAges(t *testing.T) {
	run(t, Observe, func(b *bench) {
		tenants(b)
		b.have(isolate(1))
		b.calm(time.Second)
		first := b.in("isolate")
		b.calm(time.Minute)
		b.have(pod("b/p9", "", "n2", "10.1.0.1"))
		b.calm(time.Second)
		p := b.in("isolate")
		if !p.DiffSince.Equal(first.DiffSince) || !p.Touched.After(first.Touched) {
			t.Errorf("since %v and %v, touched %v and %v", first.DiffSince, p.DiffSince, first.Touched, p.Touched)
		}
		if s := p.StateAt(b.r.State(), p.Touched.Add(4*time.Second)); s != model.StateSettling {
			t.Errorf("state %s", s)
		}
		b.z.disconnect()
		b.calm(time.Second)
		z := b.r.State()
		if z.Conn != model.ConnLost || z.Attempts != 1 || z.Error == "" || z.SyncedAt.IsZero() || b.in("isolate").StateAt(z, time.Now()) != model.StateStale {
			t.Errorf("%+v", z)
		}
	})
}

func TestCommands(t *testing.T) {
	acl := &nb.ACL{Action: "drop", Direction: nb.ToLport, Match: `outport == @a1 && ((ip4.src == $a2))`, Priority: 26400, Tier: 1, Meter: "acl-logging",
		Name: "ANP:it's:Ingress:0", ExternalIDs: map[string]string{nb.KeyID: "D:x", "direction": "Ingress"}}
	for _, c := range []struct {
		name string
		ops  []nb.Op
		want []string
	}{
		{"update", []nb.Op{{Kind: nb.OpUpdate, Table: nb.TableACL, UUID: "u1", Row: map[string]any{"priority": 26400, "log": true, "severity": "alert"}}},
			[]string{"ovn-nbctl set ACL u1 log=true priority=26400 severity=alert"}},
		{"unset", []nb.Op{{Kind: nb.OpUpdate, Table: nb.TableACL, UUID: "u1", Row: map[string]any{"log": false, "severity": nil}}},
			[]string{"ovn-nbctl set ACL u1 log=false severity='[]'"}},
		{"members", []nb.Op{{Kind: nb.OpMutate, Table: nb.TableAddressSet, UUID: "u2", Mutations: []nb.Mutation{
			{Column: "addresses", Strings: []string{"10.0.0.9"}}, {Column: "addresses", Insert: true, Strings: []string{"10.0.0.1", "fd00::1"}}}}},
			[]string{`ovn-nbctl remove Address_Set u2 addresses '"10.0.0.9"'`, `ovn-nbctl add Address_Set u2 addresses '"10.0.0.1"' '"fd00::1"'`}},
		{"new ACL", []nb.Op{{Kind: nb.OpInsert, Table: nb.TableACL, UUIDName: "acl1", Row: ACLRow(acl)},
			{Kind: nb.OpMutate, Table: nb.TablePortGroup, UUID: "u3", Mutations: []nb.Mutation{
				{Column: "acls", Refs: []nb.Ref{{UUID: "u4"}}}, {Column: "acls", Insert: true, Refs: []nb.Ref{{Name: "acl1"}}}}}},
			[]string{"ovn-nbctl remove Port_Group u3 acls u4",
				`ovn-nbctl --id=@acl1 create ACL action=drop direction=to-lport external_ids='{direction=Ingress, "k8s.ovn.org/id"="D:x"}' ` +
					`match='"outport == @a1 && ((ip4.src == $a2))"' meter=acl-logging name='"ANP:it'\''s:Ingress:0"' priority=26400 tier=1` +
					` -- add Port_Group u3 acls @acl1`}},
		{"new set and group", []nb.Op{
			{Kind: nb.OpInsert, Table: nb.TableAddressSet, Row: map[string]any{"name": "a1", "addresses": []string{"10.0.0.1"}}},
			{Kind: nb.OpInsert, Table: nb.TablePortGroup, Row: map[string]any{"name": "a2", "ports": []nb.Ref{{UUID: "u5"}}}}},
			[]string{"ovn-nbctl create Address_Set name=a1", `ovn-nbctl add Address_Set a1 addresses '"10.0.0.1"'`,
				"ovn-nbctl create Port_Group name=a2", "ovn-nbctl add Port_Group a2 ports u5"}},
		{"delete", []nb.Op{{Kind: nb.OpDelete, Table: nb.TableAddressSet, UUID: "u6"}}, []string{"ovn-nbctl destroy Address_Set u6"}},
	} {
		if diff := cmp.Diff(c.want, commandLines(c.ops)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", c.name, diff)
		}
	}
	many := []nb.Op{{Kind: nb.OpMutate, Table: nb.TableAddressSet, UUID: "u", Mutations: []nb.Mutation{{Column: "addresses", Insert: true, Strings: make([]string, 1000)}}}}
	if got := commandLines(many); len(got) != maxCommands+1 || got[maxCommands] != "# and 30 more commands" {
		t.Errorf("%d lines, the last %q", len(got), got[len(got)-1])
	}
}

func TestSummary(t *testing.T) {
	ops := []nb.Op{
		{Kind: nb.OpUpdate, Table: nb.TableACL}, {Kind: nb.OpUpdate, Table: nb.TableACL},
		{Kind: nb.OpMutate, Table: nb.TableAddressSet, Mutations: []nb.Mutation{{Column: "addresses", Insert: true, Strings: []string{"a", "b", "c"}}, {Column: "addresses", Strings: []string{"d"}}}},
		{Kind: nb.OpInsert, Table: nb.TableACL, UUIDName: "acl1"},
		{Kind: nb.OpMutate, Table: nb.TablePortGroup, Mutations: []nb.Mutation{{Column: "acls", Insert: true, Refs: []nb.Ref{{Name: "acl1"}}}, {Column: "acls", Refs: []nb.Ref{{UUID: "x"}}}}},
	}
	if got, want := opsSummary(keyOf("cluster-control"), ops), "cluster-control: 1 ACL added, 2 ACLs updated, 1 ACL removed, 3 addresses added, 1 address removed"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := opsSummary(model.PolicyKey{Kind: model.KindBANP, Name: "default"}, ops[:1]), "BANP default: 1 ACL updated"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Whatever a database calls its rows, a command that names them runs nothing else.
func TestCommandsQuoteUUIDs(t *testing.T) {
	const evil = "x; touch /tmp/owned #"
	for _, line := range commandLines([]nb.Op{
		{Kind: nb.OpDelete, Table: nb.TableAddressSet, UUID: evil},
		{Kind: nb.OpUpdate, Table: nb.TableACL, UUID: evil, Row: map[string]any{"priority": 1}},
		{Kind: nb.OpMutate, Table: nb.TablePortGroup, UUID: evil, Mutations: []nb.Mutation{{Column: "acls", Refs: []nb.Ref{{UUID: evil}}}}},
		{Kind: nb.OpInsert, Table: nb.TablePortGroup, Row: map[string]any{"name": evil, "acls": []nb.Ref{{UUID: evil}}}},
	}) {
		if strings.Contains(strings.ReplaceAll(strings.ReplaceAll(line, "'"+evil+"'", ""), `'"`+evil+`"'`, ""), "touch") {
			t.Error(line)
		}
	}
}
