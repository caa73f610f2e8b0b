//go:build linux

package e2e_test

import (
	"testing"

	"rung/model/ovn/nb"
	"rung/revision"
	"rung/test/ovsdb"
	"rung/test/wait"
)

// A port that is deleted takes its reference in a port group with it, unseen: no
// row of ours was written. Rung says that the pod waits, and takes the port in
// when it is there again.
func TestPortsComeAndGo(t *testing.T) {
	c := newCluster(t, driftPolicies...)
	c.zonesOf()
	addr := c.address("n1")
	r := c.writer()
	rev := r.settle()
	db := ovsdb.Dump(t, addr)
	asCompiled(t, rev.Cluster, "n1", db)
	port := find(t, db, nb.TablePort, "blue_n1-0", func(p ovsdb.Record) bool { return p.Str("name") == "blue_n1-0" })
	group := byID(t, db, nb.TablePortGroup, "AdminNetworkPolicy:one")
	home := find(t, db, nb.TableSwitch, "n1", func(s ovsdb.Record) bool { return s.Str("name") == "n1" }).UUID()
	ovsdb.Transact(t, addr, mutate(nb.TableSwitch, home, "ports", "delete", set(ref(port.UUID()))))
	r.until("the pod waits", func(rev *revision.Revision) bool {
		return revision.SummarizePolicy(rev, anpKey("one"), r.Now()).Waiting == 1
	})
	if g := byID(t, ovsdb.Dump(t, addr), nb.TablePortGroup, "AdminNetworkPolicy:one"); g["ports"] == nil || equal(map[string]ovsdb.Record{"": g}, map[string]ovsdb.Record{"": group}) {
		t.Fatalf("the port is still in the group: %v", g)
	}
	// A port of the same name is another row.
	ovsdb.Transact(t, addr, insert(nb.TablePort, "back", map[string]any{"name": "blue_n1-0", "external_ids": pairs(map[string]string{"pod": "true", "namespace": "blue"})}),
		mutate(nb.TableSwitch, home, "ports", "insert", set(named("back"))))
	wait.Within(t, patience, "the port is taken in", func() bool {
		return equal(ovsdb.Dump(t, addr).Policies(), db.Policies())
	})
	// Port and group in one: the reference is gone before the group is written.
	now := ovsdb.Dump(t, addr)
	back := find(t, now, nb.TablePort, "blue_n1-0", func(p ovsdb.Record) bool { return p.Str("name") == "blue_n1-0" })
	ovsdb.Transact(t, addr, mutate(nb.TableSwitch, home, "ports", "delete", set(ref(back.UUID()))),
		insert(nb.TablePort, "again", map[string]any{"name": "blue_n1-0", "external_ids": pairs(map[string]string{"pod": "true", "namespace": "blue"})}),
		mutate(nb.TableSwitch, home, "ports", "insert", set(named("again"))))
	wait.Within(t, patience, "the other port is taken in", func() bool {
		return equal(ovsdb.Dump(t, addr).Policies(), db.Policies())
	})
	r.settle()
}
