package engine

import (
	"maps"
	"slices"
	"time"

	"rung/model"
	"rung/revision"
	"rung/sources/nbdb"
	"rung/sources/sandbox"
)

// zoneRetry is how long after a zone's server did not start it is tried again.
const zoneRetry = 5 * time.Second

// runSandbox starts the sandbox once the nodes are known, and lets its zones
// follow them.
func (e *Engine) runSandbox() {
	tools, err := e.findOVN() // while manifests are read
	if err != nil {
		e.send(func(s *state) { s.Problem("sandbox", err.Error()) })
		return
	}
	if tools != nil {
		e.do(func(s *state) {
			s.ovn = tools.Version
			s.Changed()
		})
	}
	if e.Wait(e.loop.Context(), func(r *revision.Revision) bool { return r.Loaded }) != nil {
		return
	}
	if len(nodeNames(e.Revision().Cluster)) == 0 {
		e.send(func(s *state) {
			s.Problem("sandbox", "no Node in the manifests, so there is no zone; add the nodes, or give --nb")
		})
		if e.Wait(e.loop.Context(), func(r *revision.Revision) bool { return len(nodeNames(r.Cluster)) > 0 }) != nil {
			return
		}
		e.send(func(s *state) { s.Solved("sandbox") })
	}
	zones := nodeNames(e.Revision().Cluster)
	c := e.cfg.Sandbox
	if tools != nil && c.OVN == OVNAuto {
		if err := tooMany(e.Revision().Cluster, len(zones)); err != nil {
			e.withoutOVN(err)
			e.do(func(s *state) {
				s.ovn = ""
				s.Changed()
			})
			tools = nil
		}
	}
	sb, err := sandbox.Start(e.loop.Context(), sandbox.Config{
		Zones: zones, Dir: c.Dir, Server: c.Server, ForeignRows: c.Foreign, PortDelay: c.PortDelay, Turn: e.slots.Take,
		Node: func(name string) *model.Node { return e.Revision().Cluster.Node(name) },
		OVN:  tools, OVNOnly: c.OVN != OVNAuto,
		OnDaemon: func(zone, program string, st sandbox.ServerState, err error) {
			if err != nil {
				e.loop.Record(model.Activity{Zone: zone, By: "sandbox", Summary: program + " " + string(st),
					Error: err.Error()})
			}
		},
		OnFaults: e.daemons.set,
		OnServer: func(zone string, st sandbox.ServerState, err error) {
			if err != nil {
				e.loop.Record(model.Activity{Zone: zone, By: "sandbox", Summary: "server " + string(st),
					Error: err.Error()})
			}
		},
	})
	if err != nil {
		e.send(func(s *state) { s.Problem("sandbox", err.Error()) })
		return
	}
	defer sb.Close()
	if why := sb.Fallback(); why != nil {
		e.loop.Record(model.Activity{By: "sandbox", Summary: "runs on the built-in server", Error: why.Error()})
	}
	if why := sb.WithoutOVN(); why != nil {
		e.withoutOVN(why)
	}
	e.do(func(s *state) {
		s.sandbox, s.ovn = sb, sb.OVN()
		s.Changed()
	})
	e.watchZones(sb, zones)
	if c.Churn > 0 {
		e.loop.Go(func() { e.runChurn(c.Churn) })
	}
	if c.Traffic > 0 {
		e.loop.Go(func() { e.runTraffic(sb, c.Traffic) })
	}
	e.followNodes(sb)
}

// watchZones starts the reconcilers of zones of the sandbox, all in one
// revision, and tells the pods anew: the zones may have come after them.
func (e *Engine) watchZones(sb *sandbox.Sandbox, names []string) {
	at, server := sb.Endpoints(), sb.Describe()
	south := map[string]string{}
	for _, name := range names {
		south[name] = sb.Southbound(name)
	}
	e.do(func(s *state) {
		for zone, addr := range south {
			s.south.At(zone, addr)
		}
		sb.SetPods(s.cluster, nil)
		for _, name := range names {
			s.zones.Add(nbdb.Dial(nbdb.Config{Name: name, Addr: at[name], Server: server, Slot: e.slots.Take, Share: e.share}), true)
		}
	})
}

// followNodes gives nodes that come a zone and ends the zones of those that go.
func (e *Engine) followNodes(sb *sandbox.Sandbox) {
	ticks, stop := e.Subscribe()
	defer stop()
	retry := time.NewTimer(0) // nodes may have come while the first zones started
	defer retry.Stop()
	var seen *model.Cluster
	for {
		select {
		case <-e.loop.Context().Done():
			return
		case <-ticks:
			if e.Revision().Cluster == seen {
				continue
			}
		case <-retry.C:
		}
		seen = e.Revision().Cluster
		want, have := nodeNames(seen), sb.Zones()
		for _, name := range have {
			if !slices.Contains(want, name) {
				e.dropZone(sb, name)
			}
		}
		for _, name := range want {
			if slices.Contains(have, name) {
				continue
			}
			if err := sb.AddZone(e.loop.Context(), name); err != nil {
				e.loop.Record(model.Activity{Zone: name, By: "sandbox", Summary: "start the zone of a new node",
					Error: err.Error()})
				retry.Reset(zoneRetry)
				continue
			}
			e.watchZones(sb, []string{name})
		}
	}
}

// dropZone ends a zone whose node is gone, and takes away what its controller
// reported (ovn-kubernetes.md#status-conditions).
func (e *Engine) dropZone(sb *sandbox.Sandbox, name string) {
	var ended <-chan struct{}
	e.do(func(s *state) { ended = s.zones.End(name) })
	if ended != nil {
		<-ended
	}
	// What it said last has been sent by now.
	e.do(func(s *state) {
		s.zones.Remove(name)
		s.south.At(name, "")
	})
	err := sb.RemoveZone(name)
	e.daemons.forget(name)
	if err != nil {
		e.loop.Record(model.Activity{Zone: name, By: "sandbox", Summary: "end the zone of a deleted node",
			Error: err.Error()})
	}
}

// nodeNames are the names of the nodes, sorted.
func nodeNames(c *model.Cluster) []string {
	names := map[string]struct{}{}
	for n := range c.Nodes() {
		names[n.Name] = struct{}{}
	}
	return slices.Sorted(maps.Keys(names))
}
