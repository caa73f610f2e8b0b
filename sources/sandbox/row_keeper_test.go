package sandbox

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/sources/nbdb"
	"rung/test/servers"
)

// A pod that is replaced by another of its name while its port is being written
// is another pod all the same: the port written for the first goes.
func TestPodReplacedWhileItsPortIsWritten(t *testing.T) {
	k := newKeeper("a", nil, slog.New(slog.DiscardHandler), nbdb.Config{Addr: "unix:/none"})
	var db *nb.DB
	show := func(rows ...nb.Row) {
		var changes []nb.RowChange
		for _, r := range rows {
			changes = append(changes, nb.RowChange{New: r})
		}
		db = db.Apply(changes)
		k.takeUpdate(model.ZoneUpdate{Conn: model.ConnSynced, DB: db})
	}
	show(&nb.Global{UUID: "g", Name: "a"}, &nb.LogicalSwitch{UUID: "s", Name: "a"})
	row := func(address string) *nb.LogicalSwitchPort {
		return &nb.LogicalSwitchPort{UUID: "p", Name: "ns_x", Addresses: []string{address}, ExternalIDs: map[string]string{"pod": "true"}}
	}
	x := func(uid, ip string) *ClusterNetworks {
		p := pod("ns", "x", "a", ip)
		p.UID = uid
		return &ClusterNetworks{Cluster: cluster(p)}
	}
	k.putObjects(x("first", "10.0.0.1"))
	ops, isolation := k.dueOps()
	if len(ops) != 2 || ops[0].Kind != nb.OpInsert {
		t.Fatalf("%+v", ops)
	}
	k.putObjects(x("second", "10.0.0.2"))
	show(row("mac 10.0.0.1"))
	k.noteWritten(isolation, nil)
	ops, _ = k.dueOps()
	if len(ops) != 1 || ops[0].Kind != nb.OpMutate || ops[0].Mutations[0].Insert || ops[0].Mutations[0].Refs[0].UUID != "p" {
		t.Errorf("the port of the first pod stays: %+v", ops)
	}
}

// A server that has little of a busy machine may take long for the first rows: it is
// waited for. One that never takes them is told with what it said last.
func TestSeedingTakesItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newKeeper("a", nil, slog.New(slog.DiscardHandler), nbdb.Config{Addr: "unix:/none"})
		k.takeUpdate(model.ZoneUpdate{Conn: model.ConnDialling, Error: "nobody listens"})
		begin := time.Now()
		err := k.waitSeeded(t.Context())
		if waited := time.Since(begin); waited < time.Minute {
			t.Errorf("gave up after %v", waited)
		}
		const want = "seeding zone a: its first rows were not written within 1m0s: nobody listens"
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		time.AfterFunc(30*time.Second, func() {
			var db *nb.DB
			k.takeUpdate(model.ZoneUpdate{Conn: model.ConnSynced, DB: db.Apply([]nb.RowChange{{New: &nb.Global{UUID: "g"}}})})
			k.dueOps()
		})
		if err := k.waitSeeded(t.Context()); err != nil {
			t.Errorf("after half a minute: %v", err)
		}
	})
}

func namespace(name string) *model.Namespace {
	return &model.Namespace{Meta: model.Meta{Key: model.Key{Kind: model.KindNamespace, Name: name}}}
}

// nsGroups are the groups of namespaces and the names of their ports.
func nsGroups(db *nb.DB) map[string]string {
	out := map[string]string{}
	for g := range db.PortGroups() {
		if g.ExternalIDs[nb.KeyOwnerType] != nb.OwnerNamespace {
			continue
		}
		var ports []string
		for _, id := range g.Ports {
			ports = append(ports, db.Port(id).Name)
		}
		slices.Sort(ports)
		out[g.ExternalIDs[nb.KeyName]] = strings.Join(ports, " ")
	}
	return out
}

// Every zone has a group for each namespace, with the ports of the namespace's
// pods that are there. Groups come and go with namespaces, ports with pods, and
// what others hang on a group stays.
func TestNamespaceGroups(t *testing.T) {
	onBoth(t, func(t *testing.T, server string) {
		s := start(t, Config{Server: server, Zones: []string{"a", "b"}})
		a, b := follow(t, s, "a", nbdb.Config{}), follow(t, s, "b", nbdb.Config{})
		c := cluster(namespace("blue"), namespace("default"), pod("blue", "one", "a", "10.244.0.5"), pod("blue", "two", "b", "10.244.1.5"),
			pod("late", "x", "a", "10.244.0.6"))
		set := func(upsert []model.Object, remove ...model.Key) {
			var changes []model.Change
			c, changes = c.Upsert(upsert, remove)
			s.SetPods(c, changes)
		}
		have := func(w *watcher, what string, want map[string]string) {
			t.Helper()
			w.until(what, func(_ []model.ZoneUpdate, db *nb.DB) bool { return cmp.Equal(want, nsGroups(db)) })
		}
		s.SetPods(c, nil)
		have(a, "all groups of a", map[string]string{"blue": "blue_one", "default": ""})
		have(b, "all groups of b", map[string]string{"blue": "blue_two", "default": ""})
		// The check value of ovn-kubernetes.md#hashed-names.
		if g := a.rows().PortGroupByName("a5680351521869907322"); g == nil || g.ID() != "default-network-controller:Namespace:default" || len(g.ExternalIDs) != 4 {
			t.Errorf("%+v", g)
		}
		// Somebody hangs a row on a group: it stays through everything.
		blue := a.rows().PortGroupByName(nb.HashedName("default-network-controller:Namespace:blue"))
		a.transact(aclOps("other", nil, "drop")[0], nb.Op{Kind: nb.OpMutate, Table: nb.TablePortGroup, UUID: blue.UUID,
			Mutations: []nb.Mutation{{Column: "acls", Insert: true, Refs: []nb.Ref{{Name: "acl0"}}}}})

		set([]model.Object{namespace("late"), pod("blue", "three", "a", "10.244.0.7")})
		have(a, "a namespace after its pods", map[string]string{"blue": "blue_one blue_three", "default": "", "late": "late_x"})
		set([]model.Object{pod("blue", "one", "b", "10.244.0.5")}, c.Pod("blue", "one").Key)
		have(a, "without the pod that went", map[string]string{"blue": "blue_three", "default": "", "late": "late_x"})
		have(b, "with the pod that came", map[string]string{"blue": "blue_one blue_two", "default": "", "late": ""})
		// A pod of the same name is another one, with a port of its own.
		again := pod("blue", "three", "a", "10.244.0.8")
		again.UID = "another"
		was := a.rows().PortByName("blue_three").UUID
		set([]model.Object{again})
		a.until("another port", func(_ []model.ZoneUpdate, db *nb.DB) bool {
			p := db.PortByName("blue_three")
			return p != nil && p.UUID != was && nsGroups(db)["blue"] == "blue_three"
		})
		set([]model.Object{namespace("late"), namespace("blue")}) // as they are
		set(nil, namespace("default").Key)
		if err := servers.Kill(s.Endpoints()["a"]); err != nil {
			t.Fatal(err)
		}
		set([]model.Object{namespace("new"), pod("new", "y", "a", "10.244.0.9")}, namespace("late").Key)
		have(a, "after the server died", map[string]string{"blue": "blue_three", "new": "new_y"})
		have(b, "of b", map[string]string{"blue": "blue_one blue_two", "new": ""})
		if g := a.rows().PortGroup(blue.UUID); g == nil || len(g.ACLs) != 1 {
			t.Errorf("the group lost what hangs on it: %+v", g)
		}
	})
}

// One pod costs its namespace's group one mutation when it comes, and nothing
// when it changes or goes; a namespace's group has all its ports at once.
func TestPodCostsOneMutation(t *testing.T) {
	k := newKeeper("a", nil, slog.New(slog.DiscardHandler), nbdb.Config{Addr: "unix:/none"})
	var db *nb.DB
	show := func(rows ...nb.Row) {
		var changes []nb.RowChange
		for _, r := range rows {
			changes = append(changes, nb.RowChange{New: r})
		}
		db = db.Apply(changes)
		k.takeUpdate(model.ZoneUpdate{Conn: model.ConnSynced, DB: db})
	}
	what := func() (out []string) {
		ops, _ := k.dueOps()
		for _, op := range ops {
			s := string(op.Kind) + " " + op.Table
			for _, m := range op.Mutations {
				s += fmt.Sprint(" ", len(m.Refs))
			}
			if ports, ok := op.Row["ports"].([]nb.Ref); ok {
				s += fmt.Sprint(" ", len(ports))
			}
			out = append(out, s)
		}
		return out
	}
	expect := func(when string, want ...string) {
		t.Helper()
		if d := cmp.Diff(want, what()); d != "" {
			t.Errorf("%s: %s", when, d)
		}
	}
	const ip, other = "10.0.0.1", "10.0.0.2"
	live := func(name, ip string) *nb.LogicalSwitchPort {
		return &nb.LogicalSwitchPort{UUID: name + "-uuid", Name: "ns_" + name, Addresses: []string{DeriveMAC(ip, "") + " " + ip}, ExternalIDs: map[string]string{"pod": "true"}}
	}
	have := []model.Object{pod("ns", "0", "a", ip), pod("ns", "1", "a", ip), pod("ns", "2", "a", ip)}
	put := func(more ...model.Object) {
		k.putObjects(&ClusterNetworks{Cluster: cluster(append(slices.Clone(have), more...)...)})
	}
	show(&nb.Global{UUID: "g", Name: "a"}, &nb.LogicalSwitch{UUID: "s", Name: "a"}, live("0", ip), live("1", ip), live("2", ip))
	put()
	expect("no namespace yet")
	have = append(have, namespace("ns"))
	put()
	expect("a namespace", "insert Port_Group 3")
	group := &nb.PortGroup{UUID: "pg", Name: nb.HashedName("default-network-controller:Namespace:ns"), ExternalIDs: NamespaceIDs("ns"),
		Ports: []string{"0-uuid", "1-uuid", "2-uuid"}}
	show(group)
	expect("the group is there")
	put(pod("ns", "3", "a", ip))
	expect("a pod comes", "insert Logical_Switch_Port", "mutate Logical_Switch 1", "mutate Port_Group 1")
	grown := *group
	grown.Ports = append(slices.Clone(group.Ports), "3-uuid")
	show(live("3", ip), &grown)
	expect("it is there")
	put(pod("ns", "3", "a", other))
	expect("a pod changes", "update Logical_Switch_Port")
	put()
	expect("a pod goes", "mutate Logical_Switch 1")
	show(group, live("3", ip))
	put(pod("ns", "3", "a", ip))
	expect("a port that its group lacks", "mutate Port_Group 1")
	show(&grown)
	have = append(have[:3], pod("ns", "3", "a", ip))
	put()
	expect("the namespace goes", "delete Port_Group")
	stranger := *group
	stranger.ExternalIDs = map[string]string{nb.KeyID: "somebody's"}
	show(&stranger)
	expect("somebody's group of that name stays")
}

// The management port has the addresses that the node's annotation gives it.
func TestManagementPortFollowsItsNode(t *testing.T) {
	s := start(t, Config{Server: ServerBuiltin, Zones: []string{"a", "b"}})
	a, b := follow(t, s, "a", nbdb.Config{}), follow(t, s, "b", nbdb.Config{})
	node := func(name string, ips ...string) *model.Node {
		return &model.Node{Meta: model.Meta{Key: model.Key{Kind: model.KindNode, Name: name}}, MgmtIPs: ips}
	}
	address := func(w *watcher, port, want string) {
		t.Helper()
		w.until(want, func(_ []model.ZoneUpdate, db *nb.DB) bool {
			return slices.Equal(db.PortByName(port).Addresses, []string{want})
		})
	}
	address(a, "k8s-a", "0a:58:0a:f4:00:02 10.244.0.2")
	c := cluster(node("a", "10.128.2.2", "fd01::2"), node("b"))
	s.SetPods(c, nil)
	address(a, "k8s-a", "0a:58:0a:80:02:02 10.128.2.2 fd01::2")
	c, changes := c.Upsert([]model.Object{node("a"), node("b", "10.128.4.2")}, nil)
	s.SetPods(c, changes)
	address(b, "k8s-b", "0a:58:0a:80:04:02 10.128.4.2")
	if got := a.rows().PortByName("k8s-a").Addresses[0]; got != "0a:58:0a:80:02:02 10.128.2.2 fd01::2" {
		t.Error("an annotation that went changed it to", got)
	}
	if pg := a.rows().PortGroupByName(nb.HashedName("default-network-controller:Cluster:clusterPortGroup")); len(pg.Ports) != 1 {
		t.Errorf("%+v", pg)
	}
}
