//go:build linux

package e2e_test

import (
	"testing"
	"time"

	"rung/engine"
	"rung/model/nb"
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
	db := dump(t, addr)
	asCompiled(t, rev.Cluster, "n1", db)
	port := db.find(t, nb.TablePort, "blue_n1-0", func(p record) bool { return p.str("name") == "blue_n1-0" })
	group := db.byID(t, nb.TablePortGroup, "AdminNetworkPolicy:one")
	home := db.find(t, nb.TableSwitch, "n1", func(s record) bool { return s.str("name") == "n1" }).uuid()
	transact(t, addr, mutate(nb.TableSwitch, home, "ports", "delete", set(ref(port.uuid()))))
	r.untilWithin(time.Second, "the pod waits", func(rev *engine.Revision) bool {
		return rev.Summary(anpKey("one"), r.Now()).Waiting == 1
	})
	if g := dump(t, addr).byID(t, nb.TablePortGroup, "AdminNetworkPolicy:one"); g["ports"] == nil || equal(map[string]record{"": g}, map[string]record{"": group}) {
		t.Fatalf("the port is still in the group: %v", g)
	}
	// A port of the same name is another row.
	transact(t, addr, insert(nb.TablePort, "back", map[string]any{"name": "blue_n1-0", "external_ids": pairs(map[string]string{"pod": "true", "namespace": "blue"})}),
		mutate(nb.TableSwitch, home, "ports", "insert", set(named("back"))))
	within(t, 2*time.Second, "the port is taken in", func() bool {
		return equal(shown(dump(t, addr), nil), shown(db, nil))
	})
	// Port and group in one: the reference is gone before the group is written.
	now := dump(t, addr)
	back := now.find(t, nb.TablePort, "blue_n1-0", func(p record) bool { return p.str("name") == "blue_n1-0" })
	transact(t, addr, mutate(nb.TableSwitch, home, "ports", "delete", set(ref(back.uuid()))),
		insert(nb.TablePort, "again", map[string]any{"name": "blue_n1-0", "external_ids": pairs(map[string]string{"pod": "true", "namespace": "blue"})}),
		mutate(nb.TableSwitch, home, "ports", "insert", set(named("again"))))
	within(t, 2*time.Second, "the other port is taken in", func() bool {
		return equal(shown(dump(t, addr), nil), shown(db, nil))
	})
	r.settle()
}
