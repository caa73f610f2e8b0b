package engine

import (
	"rung/model"
	"rung/reconciler"
)

// controlPlane are the labels of nodes whose zones come first.
var controlPlane = []string{"node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"}

// runNodeZones gives every Node of the cluster its zone, as long as it is there.
func (e *Engine) runNodeZones() {
	ticks, stop := e.Subscribe()
	defer stop()
	var seen *model.Cluster
	for {
		if c := e.Revision().Cluster; c != seen {
			seen = c
			if !e.do(func(s *state) { s.set.nodes(s) }) {
				return
			}
		}
		select {
		case <-e.loop.Context().Done():
			return
		case <-ticks:
		}
	}
}

// nodes knows the zones of all Nodes that there are, and forgets the others. Under Antrea
// no node has one.
func (z *zoneSet) nodes(s *state) {
	changed, none := false, s.system == model.SystemAntrea
	for name, m := range z.members {
		if m.ofNode && (none || s.cluster.Node(name) == nil) {
			z.forget(s, name)
			changed = true
		}
	}
	for n := range s.cluster.Nodes() {
		if none || z.members[n.Name] != nil {
			continue
		}
		early := false
		for _, l := range controlPlane {
			_, has := n.Labels.Map()[l]
			early = early || has
		}
		name := n.Name
		z.know(s, &zoneMember{name: name, ofNode: true, early: early, writes: s.e.cfg.Reconcile,
			open: func() (reconciler.Zone, error) { return s.e.cfg.ZoneOf(name) }})
		changed = true
	}
	if changed {
		z.rank(s)
	}
}
