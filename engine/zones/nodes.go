package zones

import (
	"rung/model"
	"rung/reconciler"
	"rung/sources/retry"
)

// controlPlane lists labels of nodes whose zones rank first.
var controlPlane = []string{"node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"}

// runNodeZones keeps a zone for every existing Node of the cluster.
func (z *Set) runNodeZones() {
	ticks, stop := z.Subscribe()
	defer stop()
	var seen *model.Cluster
	for ok := true; ok; ok = retry.Await(z.Context(), ticks) {
		if c := z.Revision().Cluster; c != seen {
			seen = c
			z.Do(z.followNodes)
		}
	}
}

// followNodes adds the zones of all Nodes, and removes the others. Without rows no node has a zone.
func (z *Set) followNodes() {
	changed, none := false, z.world().NoZones
	for name, m := range z.members {
		if m.belongsToNode && (none || z.world().Cluster.Node(name) == nil) {
			z.removeMember(name)
			changed = true
		}
	}
	for n := range z.world().Cluster.Nodes() {
		if none || z.members[n.Name] != nil {
			continue
		}
		early := false
		for _, l := range controlPlane {
			_, has := n.Labels.Map()[l]
			early = early || has
		}
		name := n.Name
		z.addMember(&member{name: name, belongsToNode: true, early: early, writes: z.cfg.Reconcile,
			open: func() (reconciler.Zone, error) { return z.cfg.MakeZone(name) }})
		changed = true
	}
	if changed {
		z.rankMembers()
	}
}
