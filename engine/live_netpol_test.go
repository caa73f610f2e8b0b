package engine

import (
	"slices"
	"strings"
	"testing"

	"rung/change"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/revision"
	"rung/test/given"
)

// A NetworkPolicy and an EgressFirewall are made, edited, taken back and deleted
// through the gate, and the zones follow: in the end no row of theirs is left, nor
// of what stood for several.
func TestLiveTier2(t *testing.T) {
	w := newLiveWorld(t, livePolicies()...)
	r := w.sandbox()
	nodes := []string{"control", "worker"}
	r.settle(nodes...)
	before := tier2Rows(w.read("worker"))
	if len(before) != 0 {
		t.Fatalf("there are rows of tier 2 before: %v", before)
	}
	web := given.NP("blue", "web", "{podSelector: {matchLabels: {app: web}}, ingress: [{from: [{namespaceSelector: {matchLabels: {tenant: red}}}], ports: [{port: 80}]}]}")
	wall := given.EF("blue", "{type: Allow, to: {cidrSelector: 1.2.3.0/24}}", "{type: Deny, to: {cidrSelector: 0.0.0.0/0}}")
	r.change(applied(web, wall))
	r.until("the policies are there", func(rev *revision.Revision) bool { return rev.Cluster.Policy(given.NPKey("blue", "web")) != nil })
	rev := r.settle(nodes...)
	for _, z := range nodes {
		w.compiledAnew(rev.Cluster, z)
	}
	db := w.read("worker")
	const c = nb.DefaultController
	for id, want := range map[string]int{
		c + ":NetworkPolicy:blue:web:Ingress:0:tcp:-1": 1001, c + ":NetpolNamespace:blue:Ingress:defaultDeny": 1000,
		c + ":EgressFirewall:blue:1": 9999} {
		if a := db.ACLByID(id); a == nil || a.Priority != want {
			t.Errorf("%s: %+v", id, a)
		}
	}
	// The firewall hangs on the group of the namespace, which is not Rung's.
	_, holder := revision.FindACLHolder(model.PolicyKey{Kind: model.KindEF, Namespace: "blue", Name: "default"})
	if g := db.PortGroupByName(holder); g == nil || !slices.Contains(g.ACLs, db.ACLByID(c+":EgressFirewall:blue:0").UUID) {
		t.Errorf("the group of the namespace: %+v", g)
	}

	edited := strings.Replace(web, "port: 80", "port: 81", 1)
	r.change(change.Mutation{Op: change.OpApply, YAML: []byte(edited), Base: []byte(web)})
	shows := func(port string) {
		t.Helper()
		r.until("port "+port, func(rev *revision.Revision) bool {
			for _, z := range rev.Zones {
				a := z.DB.ACLByID(c + ":NetworkPolicy:blue:web:Ingress:0:tcp:-1")
				if a == nil || !strings.Contains(a.Match, "tcp.dst=="+port+" ") {
					return false
				}
			}
			return true
		})
	}
	shows("81")
	r.change(change.Mutation{Op: change.OpUndo})
	shows("80")

	r.change(change.Mutation{Op: change.OpDelete, Policy: given.NPKey("blue", "web")})
	r.until("the NetworkPolicy is gone", func(rev *revision.Revision) bool { return rev.Cluster.Policy(given.NPKey("blue", "web")) == nil })
	r.settle(nodes...)
	for _, row := range tier2Rows(w.read("worker")) {
		if !strings.Contains(row, ":EgressFirewall:blue:") {
			t.Errorf("left of the NetworkPolicy: %s", row)
		}
	}
	r.change(change.Mutation{Op: change.OpDelete, Policy: model.PolicyKey{Kind: model.KindEF, Namespace: "blue", Name: "default"}})
	r.until("the EgressFirewall is gone", func(rev *revision.Revision) bool { return rev.Cluster.Count(model.KindEF) == 0 })
	rev = r.settle(nodes...)
	for _, z := range nodes {
		if left := tier2Rows(w.read(z)); len(left) > 0 {
			t.Errorf("%s: left: %v", z, left)
		}
		w.compiledAnew(rev.Cluster, z)
	}
}

// tier2Rows are the ids of the rows that Rung compiles besides those of ANPs and
// the baseline.
func tier2Rows(db *nb.DB) (out []string) {
	take := func(ids map[string]string) {
		if k, ok := revision.UnitOfOwner(revision.OwnerOfIDs(ids)); ok && !k.Kind.IsAdmin() {
			out = append(out, ids[nb.KeyID])
		}
	}
	for a := range db.ACLs() {
		take(a.ExternalIDs)
	}
	for s := range db.AddressSets() {
		take(s.ExternalIDs)
	}
	for g := range db.PortGroups() {
		take(g.ExternalIDs)
	}
	slices.Sort(out)
	return out
}
