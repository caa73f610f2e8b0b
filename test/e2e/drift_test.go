//go:build linux

package e2e_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"rung/engine"
	"rung/engine/zones"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/revision"
	"rung/test/install"
	"rung/test/ovsdb"
	"rung/test/wait"
)

// writer runs an engine that keeps the rows of zones it did not start.
func (c *cluster) writer() *run {
	c.t.Helper()
	return c.engine(func(cfg *engine.Config) {
		cfg.NB, cfg.Reconcile, cfg.Mode.Reconciles = c.addresses(), true, true
		cfg.Own = zones.OwnerOptions{SoleWriter: true, Quiet: time.Millisecond}
	})
}

// reader runs an engine that only looks.
func (c *cluster) reader() *run {
	c.t.Helper()
	return c.engine(func(cfg *engine.Config) { cfg.NB, cfg.Writes = c.addresses(), false })
}

// tamper is something done behind Rung's back, and how it has to be named.
type tamper struct {
	what   string
	policy string
	ops    func(db ovsdb.Database) []map[string]any
	diff   model.RowDiff // Fields name the columns; their values are compared where given
}

func id(end string) string { return nb.DefaultController + ":AdminNetworkPolicy:" + end }

// tampers delete, alter and add rows of every table, and every column.
func tampers(t testing.TB) []tamper {
	acl := func(db ovsdb.Database, end string) ovsdb.Record {
		return byID(t, db, nb.TableACL, "AdminNetworkPolicy:"+end)
	}
	alter := func(column string, value any, field model.FieldDiff) tamper {
		field.Column = column
		return tamper{"alters " + column, "one", func(db ovsdb.Database) []map[string]any {
			return []map[string]any{update(nb.TableACL, acl(db, "one:Ingress:1:None").UUID(), map[string]any{column: value})}
		}, model.RowDiff{Kind: model.DiffDifferent, Table: nb.TableACL, ID: id("one:Ingress:1:None"), Fields: []model.FieldDiff{field}}}
	}
	group := func(db ovsdb.Database, policy string) ovsdb.Record {
		return byID(t, db, nb.TablePortGroup, "AdminNetworkPolicy:"+policy)
	}
	addresses := func(db ovsdb.Database) ovsdb.Record {
		return byID(t, db, nb.TableAddressSet, "AdminNetworkPolicy:one:Ingress:0:v4")
	}
	return []tamper{
		{"deletes an ACL", "one", func(db ovsdb.Database) []map[string]any {
			return []map[string]any{mutate(nb.TablePortGroup, group(db, "one").UUID(), "acls", "delete", set(ref(acl(db, "one:Ingress:0:tcp").UUID())))}
		}, model.RowDiff{Kind: model.DiffMissing, Table: nb.TableACL, ID: id("one:Ingress:0:tcp")}},
		alter("priority", 1234, model.FieldDiff{Desired: "28999", Live: "1234"}),
		alter("action", "allow-related", model.FieldDiff{Desired: "drop", Live: "allow-related"}),
		alter("match", "ip4", model.FieldDiff{Live: "ip4"}),
		alter("direction", "from-lport", model.FieldDiff{Desired: "to-lport", Live: "from-lport"}),
		alter("log", true, model.FieldDiff{Desired: "false", Live: "true"}),
		alter("severity", "alert", model.FieldDiff{Live: "alert"}),
		alter("tier", 2, model.FieldDiff{Desired: "1", Live: "2"}),
		alter("name", "else", model.FieldDiff{Live: "else"}),
		alter("meter", set(), model.FieldDiff{Desired: "acl-logging"}),
		alter("options", pairs(map[string]string{"apply-after-lb": "true"}), model.FieldDiff{}),
		{"adds an ACL under the policy's ids", "one", func(db ovsdb.Database) []map[string]any {
			row := acl(db, "one:Ingress:1:None")
			ids := maps.Clone(row.IDs())
			ids[nb.KeyID], ids[nb.KeyGressIndex] = id("one:Ingress:9:None"), "9"
			return []map[string]any{
				insert(nb.TableACL, "new", map[string]any{"priority": 30000, "direction": "to-lport", "match": "ip4", "action": "allow-related", "tier": 1, "external_ids": pairs(ids)}),
				mutate(nb.TablePortGroup, group(db, "one").UUID(), "acls", "insert", set(named("new"))),
			}
		}, model.RowDiff{Kind: model.DiffExtra, Table: nb.TableACL, ID: id("one:Ingress:9:None")}},
		{"takes an address out and puts one in", "one", func(db ovsdb.Database) []map[string]any {
			s := addresses(db)
			return []map[string]any{
				mutate(nb.TableAddressSet, s.UUID(), "addresses", "delete", s["addresses"].([]string)[0]),
				mutate(nb.TableAddressSet, s.UUID(), "addresses", "insert", "192.0.2.7"),
			}
		}, model.RowDiff{Kind: model.DiffDifferent, Table: nb.TableAddressSet, ID: id("one:Ingress:0:v4"),
			Fields: []model.FieldDiff{{Column: "addresses", Missing: []string{"10.244.1.12"}, Extra: []string{"192.0.2.7"}}}}},
		{"adds an address set of a rule that is not", "one", func(db ovsdb.Database) []map[string]any {
			ids := maps.Clone(addresses(db).IDs())
			ids[nb.KeyID], ids[nb.KeyGressIndex] = id("one:Ingress:8:v4"), "8"
			return []map[string]any{insert(nb.TableAddressSet, "", map[string]any{"name": "a8", "external_ids": pairs(ids)})}
		}, model.RowDiff{Kind: model.DiffExtra, Table: nb.TableAddressSet, ID: id("one:Ingress:8:v4")}},
		{"takes a pod's port out of the group", "one", func(db ovsdb.Database) []map[string]any {
			g := group(db, "one")
			return []map[string]any{mutate(nb.TablePortGroup, g.UUID(), "ports", "delete", set(ref(g["ports"].([]string)[0])))}
		}, model.RowDiff{Kind: model.DiffDifferent, Table: nb.TablePortGroup, ID: id("one"), Fields: []model.FieldDiff{{Column: "ports"}}}},
		{"deletes an address set", "two", func(db ovsdb.Database) []map[string]any {
			return []map[string]any{remove(nb.TableAddressSet, byID(t, db, nb.TableAddressSet, "AdminNetworkPolicy:two:Egress:0:v4").UUID())}
		}, model.RowDiff{Kind: model.DiffMissing, Table: nb.TableAddressSet, ID: id("two:Egress:0:v4")}},
		{"deletes a port group", "two", func(db ovsdb.Database) []map[string]any {
			return []map[string]any{remove(nb.TablePortGroup, group(db, "two").UUID())}
		}, model.RowDiff{Kind: model.DiffMissing, Table: nb.TablePortGroup, ID: id("two")}},
		{"takes an ACL's id away", "one", func(db ovsdb.Database) []map[string]any {
			row := acl(db, "one:Egress:0:udp")
			ids := maps.Clone(row.IDs())
			delete(ids, nb.KeyID)
			return []map[string]any{update(nb.TableACL, row.UUID(), map[string]any{"external_ids": pairs(ids)})}
		}, model.RowDiff{Kind: model.DiffExtra, Table: nb.TableACL}},
		{"gives an ACL an id that is nobody's", "one", func(db ovsdb.Database) []map[string]any {
			row := acl(db, "one:Egress:1:None")
			ids := maps.Clone(row.IDs())
			ids[nb.KeyID] = "x"
			return []map[string]any{update(nb.TableACL, row.UUID(), map[string]any{"external_ids": pairs(ids)})}
		}, model.RowDiff{Kind: model.DiffExtra, Table: nb.TableACL, ID: "x"}},
		{"adds rows of a policy that is not", "ghost", func(db ovsdb.Database) []map[string]any { return ghost("ghost") },
			model.RowDiff{Kind: model.DiffExtra, Table: nb.TablePortGroup, ID: id("ghost")}},
	}
}

// ghost inserts the rows of a policy: a port group with an ACL and an address set.
func ghost(name string) []map[string]any {
	ids := func(end string, more ...string) []any {
		m := map[string]string{nb.KeyOwnerController: nb.DefaultController, nb.KeyOwnerType: nb.OwnerANP, nb.KeyName: name, nb.KeyID: id(name + end)}
		for i := 0; i+1 < len(more); i += 2 {
			m[more[i]] = more[i+1]
		}
		return pairs(m)
	}
	return []map[string]any{
		insert(nb.TableACL, "acl", map[string]any{"priority": 25000, "direction": "to-lport", "match": "ip4", "action": "drop", "tier": 1, "meter": nb.LoggingMeter,
			"external_ids": ids(":Ingress:0:None", nb.KeyDirection, "Ingress", nb.KeyGressIndex, "0", nb.KeyProtocol, "None")}),
		insert(nb.TablePortGroup, "", map[string]any{"name": "pg_" + name, "acls": set(named("acl")), "external_ids": ids("")}),
		insert(nb.TableAddressSet, "", map[string]any{"name": "as_" + name, "addresses": "192.0.2.1",
			"external_ids": ids(":Ingress:0:v4", nb.KeyDirection, "Ingress", nb.KeyGressIndex, "0", nb.KeyIPFamily, "v4")}),
	}
}

// names says whether a zone's state names the difference.
func (w tamper) names(z *model.ZoneState) bool {
	in := z.PolicyJoin(anpKey(w.policy))
	if in == nil || in.InSync {
		return false
	}
	for _, d := range in.Diffs {
		if d.Kind != w.diff.Kind || d.Table != w.diff.Table || d.ID != w.diff.ID {
			continue
		}
		for _, f := range w.diff.Fields {
			if !slices.ContainsFunc(d.Fields, func(g model.FieldDiff) bool {
				return g.Column == f.Column && (f.Desired == "" || g.Desired == f.Desired) && (f.Live == "" || g.Live == f.Live) &&
					(f.Missing == nil || slices.Equal(g.Missing, f.Missing)) && (f.Extra == nil || slices.Equal(g.Extra, f.Extra)) &&
					(f.Column != "ports" || len(g.Missing) == 1)
			}) {
				return false
			}
		}
		return true
	}
	return false
}

var driftPolicies = []string{
	anp("one", 10, "team=blue", "in Allow team=green TCP:80", "in Deny *", "out Allow 10.0.0.0/8 UDP:53", "out Deny team=red"),
	anp("two", 50, "team=red", "out Allow team=ops http", "out Deny *"),
	banp("*", "in Deny team=red"),
}

// What is done behind its back is named by whoever only looks, and mended by whoever writes, without touching anybody else's rows.
func TestDrift(t *testing.T) {
	c := newCluster(t, driftPolicies...)
	c.zonesOf()
	zone, addr := "n2", c.address("n2")
	foreign := func() string { return foreign(t, ovsdb.Dump(t, addr), true) }
	ovsdb.Transact(t, addr, foreigners()...)
	before := foreign()

	first := c.writer()
	rev := first.settle()
	asCompiled(t, rev.Cluster, zone, ovsdb.Dump(t, addr))
	first.Close()

	// Nobody writes now: every difference stands until it is named.
	look := c.reader()
	rev = look.settle()
	if z := rev.Zone(zone); z.Writes || z.Paused != "" {
		t.Errorf("the reader writes: %+v", z)
	}
	var slowest time.Duration
	for _, w := range tampers(t) {
		db := ovsdb.Dump(t, addr)
		began := time.Now()
		ovsdb.Transact(t, addr, w.ops(db)...)
		look.until("somebody "+w.what+": named", func(r *revision.Revision) bool { return w.names(r.Zone(zone)) })
		slowest = max(slowest, time.Since(began))
	}
	t.Logf("%d kinds of drift named, the slowest %v after ovsdb-client was started", len(tampers(t)), slowest.Round(time.Millisecond))
	for _, z := range []string{"n1", "n3"} {
		if s := look.Revision().Zone(z); !s.PolicyJoin(anpKey("one")).InSync {
			t.Errorf("%s differs, too: %+v", z, s.PolicyJoin(anpKey("one")).Diffs)
		}
	}
	if code, out := c.drift(); code != 1 || !strings.Contains(out, `"n2"`) || strings.Contains(out, `"n1"`) || !strings.Contains(out, id("one:Ingress:9:None")) {
		t.Errorf("rung drift: exit %d, %s", code, out)
	}

	second := c.writer()
	rev = second.settle()
	asCompiled(t, rev.Cluster, zone, ovsdb.Dump(t, addr))
	if after := foreign(); after != before {
		t.Errorf("rows of others changed:\n%s\nto\n%s", before, after)
	}
	look.settle()
	if code, out := c.drift(); code != 0 || strings.TrimSpace(out) != "[]" {
		t.Errorf("rung drift: exit %d, %s", code, out)
	}

	// And while somebody writes: each is mended on its own.
	slowest = 0
	for _, w := range tampers(t) {
		db := ovsdb.Dump(t, addr)
		rows, ghosts := db.Policies(), len(rowsOf(db, nb.TablePortGroup, "ghost"))
		seq := last(second.Activity(0))
		ovsdb.Transact(t, addr, w.ops(db)...)
		took := wait.Within(t, patience, "somebody "+w.what+": mended", func() bool {
			now := ovsdb.Dump(t, addr)
			return len(rowsOf(now, nb.TablePortGroup, "ghost")) == ghosts && equal(now.Policies(), rows)
		})
		slowest = max(slowest, took)
		wait.Within(t, patience, "somebody "+w.what+": in the activity", func() bool {
			return slices.ContainsFunc(second.Activity(seq), func(a model.Activity) bool {
				return a.Zone == zone && a.Policy.Name == w.policy && a.Error == "" && len(a.Commands) > 0
			})
		})
	}
	t.Logf("each mended within %v", slowest.Round(time.Millisecond))
	second.settle()
	asCompiled(t, rev.Cluster, zone, ovsdb.Dump(t, addr))
	if after := foreign(); after != before {
		t.Errorf("rows of others changed:\n%s\nto\n%s", before, after)
	}
}

// Whoever only looks names what is done behind its back within a second.
func TestTimingDrift(t *testing.T) {
	limit := time.Duration(install.Timing(t)) * time.Second
	c := newCluster(t, driftPolicies...)
	c.zonesOf()
	first := c.writer()
	first.settle()
	first.Close()
	look := c.reader()
	look.settle()
	for _, w := range tampers(t) {
		db := ovsdb.Dump(t, c.address("n2"))
		ovsdb.Transact(t, c.address("n2"), w.ops(db)...)
		look.untilWithin(limit, "somebody "+w.what+": named", func(r *revision.Revision) bool { return w.names(r.Zone("n2")) })
	}
}

func last(as []model.Activity) uint64 {
	if len(as) == 0 {
		return 0
	}
	return as[len(as)-1].Seq
}

func equal(a, b map[string]ovsdb.Record) bool {
	x, errx := json.Marshal(a)
	y, erry := json.Marshal(b)
	return errx == nil && erry == nil && string(x) == string(y)
}

// drift runs `rung drift` on the cluster.
func (c *cluster) drift() (code int, out string) {
	c.t.Helper()
	args := []string{"drift", "-f", c.manifests, "-o", "json", "--settle", "0", "--state-dir", c.t.TempDir()}
	for _, z := range zoneNames {
		args = append(args, "--nb", z+"="+c.address(z))
	}
	cmd := exec.CommandContext(c.t.Context(), install.Binary(c.t), args...)
	text, err := cmd.Output()
	if cmd.ProcessState == nil {
		c.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(text)
}

// foreigners insert rows of other owners, and of none, near to ours.
func foreigners() []map[string]any {
	other := func(owner, controller, end string) []any {
		return pairs(map[string]string{nb.KeyOwnerController: controller, nb.KeyOwnerType: owner, nb.KeyName: "one", nb.KeyID: controller + ":" + owner + ":" + end})
	}
	acl := func(name string, ids []any) map[string]any {
		row := map[string]any{"priority": 28999, "direction": "to-lport", "match": "ip4", "action": "drop", "tier": 1}
		if ids != nil {
			row["external_ids"] = ids
		}
		return insert(nb.TableACL, name, row)
	}
	var ops []map[string]any
	for i, ids := range [][]any{
		nil,
		other(nb.OwnerUDNIsolation, nb.DefaultController, "one:Ingress"),
		other("EgressQoS", nb.DefaultController, "blue:0"),
		other(nb.OwnerNetworkPolicy, "tenant-network-controller", "blue:one:Ingress:0:None:-1"),
		// The same policy in another network: a controller of its own keeps it.
		other(nb.OwnerANP, "tenant-network-controller", "one:Ingress:0:None"),
	} {
		n := fmt.Sprint("f", i)
		ops = append(ops, acl(n, ids))
		group := map[string]any{"name": "pg" + n, "acls": set(named(n))}
		addresses := map[string]any{"name": "as" + n, "addresses": set("192.0.2.1", "192.0.2.2")}
		if ids != nil {
			group["external_ids"], addresses["external_ids"] = ids, ids
		}
		ops = append(ops, insert(nb.TablePortGroup, "", group), insert(nb.TableAddressSet, "", addresses))
	}
	return ops
}

// At its start the writer takes away rows of policies that are not there and of
// rules that are not, and leaves alone those of a policy that has no desired
// rows.
func TestStartUpRepair(t *testing.T) {
	text := append(slices.Clone(driftPolicies), anp("refused", 120, "team=ops", "in Deny *"),
		logging(anp("mute", 60, "team=ops", "in Deny *"), `{"deny":"loud"}`))
	c := newCluster(t, text...)
	c.zonesOf()
	addr := c.address("n1")
	ovsdb.Transact(t, addr, foreigners()...)
	for _, name := range []string{"ghost", "refused", "mute", "one"} {
		ovsdb.Transact(t, addr, ghost(name)...)
	}
	// A rule row of a policy that is there, in a port group of the right name.
	db := ovsdb.Dump(t, addr)
	stale := byID(t, db, nb.TablePortGroup, "AdminNetworkPolicy:one").UUID()
	ovsdb.Transact(t, addr, update(nb.TablePortGroup, stale, map[string]any{"name": nb.HashedName(id("one"))}),
		insert(nb.TableACL, "stale", map[string]any{"priority": 25000, "direction": "from-lport", "match": "ip4", "action": "drop", "tier": 1, "meter": nb.LoggingMeter,
			"external_ids": pairs(map[string]string{nb.KeyOwnerController: nb.DefaultController, nb.KeyOwnerType: nb.OwnerANP, nb.KeyName: "one",
				nb.KeyID: id("one:Egress:7:tcp"), nb.KeyDirection: "Egress", nb.KeyGressIndex: "7", nb.KeyProtocol: "tcp"})}),
		mutate(nb.TablePortGroup, stale, "acls", "insert", set(named("stale"))),
		insert(nb.TableAddressSet, "", map[string]any{"name": "stale", "external_ids": pairs(map[string]string{nb.KeyOwnerController: nb.DefaultController,
			nb.KeyOwnerType: nb.OwnerANP, nb.KeyName: "one", nb.KeyID: id("one:Egress:7:v4"), nb.KeyDirection: "Egress", nb.KeyGressIndex: "7", nb.KeyIPFamily: "v4"})}))
	before := ovsdb.Dump(t, addr)
	untouched := func(db ovsdb.Database) string {
		out := foreign(t, db, true)
		for _, name := range []string{"refused", "mute"} {
			for _, table := range []string{nb.TableACL, nb.TableAddressSet, nb.TablePortGroup} {
				for _, r := range rowsOf(db, table, name) {
					line, err := json.Marshal(r)
					if err != nil {
						t.Fatal(err)
					}
					out += "\n" + string(line)
				}
			}
		}
		return out
	}
	w := c.writer()
	rev := w.settle()
	after := ovsdb.Dump(t, addr)
	asCompiled(t, rev.Cluster, "n1", after, "refused", "mute")
	for _, table := range []string{nb.TableACL, nb.TableAddressSet, nb.TablePortGroup} {
		if n := len(rowsOf(after, table, "ghost")); n > 0 {
			t.Errorf("%d rows of %s are left of a policy that is not there", n, table)
		}
	}
	if was, is := untouched(before), untouched(after); was != is {
		t.Errorf("touched what is not to be touched:\n%s\nto\n%s", was, is)
	}
	if g := byID(t, after, nb.TablePortGroup, "AdminNetworkPolicy:one"); g.UUID() != stale {
		t.Error("the port group was made anew instead of mended")
	}
	for name, want := range map[string]string{"refused": "frozen: still enforced at 50", "mute": "frozen: still enforced at 50"} {
		if s := revision.SummarizePolicy(rev, anpKey(name), w.Now()); s.State != model.StateFrozen || s.Text != want {
			t.Errorf("%s: %+v", name, s)
		}
	}
	look := c.reader()
	for _, name := range []string{"one", "two"} {
		s := revision.SummarizePolicy(look.settle(), anpKey(name), look.Now())
		if s.State != model.StateInSync || s.InSync != 3 || s.Text != "in sync" {
			t.Errorf("the reader says of %s: %+v", name, s)
		}
	}
}
