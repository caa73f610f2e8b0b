package live

import (
	"testing"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/revision"
)

// Tampered turns a demo cluster whose rows are in sync into one with a bit of
// everything: in ovn-worker2 an ACL of cluster-control has another priority and
// does not log, one is gone, an address set lacks a member and has a strange
// one, and blue-tenant has a row that nobody wants; in ovn-worker rows of other
// owners and of none, one with a match that cannot be parsed. The differences
// stand since at.
func Tampered(t testing.TB, p *revision.Facts, at time.Time) {
	t.Helper()
	uuid := func(n string) string { return "f0e1d2c3-0000-4000-8000-0000000000" + n }
	Edit(t, p, "ovn-worker2", func(db *nb.DB) []nb.RowChange {
		deny := ACL(t, db, "AdminNetworkPolicy:cluster-control:Egress:5:None")
		wrong := *deny
		wrong.Priority, wrong.Action = deny.Priority+1, nb.ActionAllow
		gone := ACL(t, db, "AdminNetworkPolicy:cluster-control:Egress:1:tcp")
		var set *nb.AddressSet
		for s := range db.AddressSets() {
			if s.ID() == nb.DefaultController+":AdminNetworkPolicy:cluster-control:Ingress:2:v4" {
				set = s
			}
		}
		off := *set
		off.Addresses = append([]string{"192.0.2.7"}, set.Addresses[1:]...)
		extra := *ACL(t, db, "AdminNetworkPolicy:blue-tenant:Ingress:0:None")
		ids := map[string]string{}
		for k, v := range extra.ExternalIDs {
			ids[k] = v
		}
		ids[nb.KeyGressIndex] = "7"
		ids[nb.KeyID] = nb.DefaultController + ":AdminNetworkPolicy:blue-tenant:Ingress:7:None"
		extra.UUID, extra.ExternalIDs = uuid("01"), ids
		var group, blue nb.PortGroup
		for g := range db.PortGroups() {
			switch g.ID() {
			case nb.DefaultController + ":AdminNetworkPolicy:cluster-control":
				group = *g
			case nb.DefaultController + ":AdminNetworkPolicy:blue-tenant":
				blue = *g
			}
		}
		without := group
		without.ACLs = nil
		for _, a := range group.ACLs {
			if a != gone.UUID {
				without.ACLs = append(without.ACLs, a)
			}
		}
		with := blue
		with.ACLs = append([]string{extra.UUID}, blue.ACLs...)
		return []nb.RowChange{{Old: deny, New: &wrong}, {Old: gone}, {Old: set, New: &off}, {New: &extra},
			{Old: &group, New: &without}, {Old: &blue, New: &with}}
	})
	Edit(t, p, "ovn-worker", func(db *nb.DB) []nb.RowChange {
		sw := *db.SwitchByName("ovn-worker")
		sw.ACLs = []string{uuid("11"), uuid("12")}
		acl := func(n, match, direction string, ids map[string]string) nb.RowChange {
			return nb.RowChange{New: &nb.ACL{UUID: uuid(n), Priority: 1001, Tier: 2, Direction: direction, Action: nb.ActionAllowRelated,
				Match: match, Meter: nb.LoggingMeter, ExternalIDs: ids}}
		}
		return []nb.RowChange{
			acl("11", "ip4.src==10.244.1.2", nb.ToLport, nb.IDs(nb.DefaultController, "NetpolNode",
				nb.IDPair{Key: nb.KeyName, Value: "ovn-worker"}, nb.IDPair{Key: nb.KeyIP, Value: "10.244.1.2"})),
			{Old: db.SwitchByName("ovn-worker"), New: &sw},
			acl("12", "inport == \"blue_web-g0\" && (arp || nd) && outport @ 7", nb.FromLport, map[string]string{}),
		}
	})
	Judge(t, p, at)
}

// Frozen makes the rows of a policy old: OVN-Kubernetes refused its last change
// (a priority above the range), so that what is live still decides.
func Frozen(t testing.TB, p *revision.Facts, k model.PolicyKey, priority int32, at time.Time) {
	t.Helper()
	old := p.Cluster.Policy(k)
	if old == nil {
		t.Fatalf("no %s", k.Label())
	}
	c := *old
	c.Priority = priority
	p.Cluster, _ = p.Cluster.Upsert([]model.Object{&c}, nil)
	p.Desired = nil
	Judge(t, p, at)
}
