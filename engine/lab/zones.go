package lab

import (
	"net/netip"
	"slices"
	"time"

	"rung/model"
	"rung/revision"
	"rung/sources/nbdb"
	"rung/sources/sandbox"
)

// zoneRetry is the pause before a zone's server that failed to start is tried again.
const zoneRetry = 5 * time.Second

// runSandbox starts the sandbox once the nodes are known, and lets its zones follow them.
func (l *Lab) runSandbox() {
	tools, err := l.findOVN() // while manifests are read
	if err != nil {
		l.reportProblem(err.Error())
		return
	}
	if tools != nil {
		l.setOVN(tools.Version)
	}
	if l.WaitFor(l.Context(), func(r *revision.Revision) bool { return r.Loaded }) != nil {
		return
	}
	if len(nodeNames(l.Revision().Cluster)) == 0 {
		l.reportProblem("no Node in the manifests, so no zone: add the nodes, or give --nb")
		if l.WaitFor(l.Context(), func(r *revision.Revision) bool { return len(nodeNames(r.Cluster)) > 0 }) != nil {
			return
		}
		l.Send(func() { l.ClearProblem("sandbox") })
	}
	zones := nodeNames(l.Revision().Cluster)
	if tools != nil && l.OVN == OVNAuto {
		if err := tooManyZones(l.Revision().Cluster, len(zones)); err != nil {
			l.withoutOVN(err)
			l.setOVN("")
			tools = nil
		}
	}
	sb, err := sandbox.Start(l.Context(), sandbox.Config{
		Zones: zones, Dir: l.Dir, Server: l.Server, Listen: l.Listen, ForeignRows: l.Foreign, PortDelay: l.PortDelay, Slots: l.Slots,
		Node:       func(name string) *model.Node { return l.Revision().Cluster.Node(name) },
		PodSubnets: func() []netip.Prefix { return podSubnets(l.Revision()) },
		OVN:        tools, OVNOnly: l.OVN != OVNAuto,
		OnDaemon: func(zone, program string, st sandbox.State, err error) {
			l.recordFailure(zone, program+" "+string(st), err)
		},
		OnFaults: l.daemons.setFaults,
		OnServer: func(zone string, st sandbox.State, err error) { l.recordFailure(zone, "server "+string(st), err) },
	})
	if err != nil {
		l.reportProblem(err.Error())
		return
	}
	defer sb.Close()
	l.recordFailure("", "runs on the built-in server", sb.Fallback())
	if why := sb.WithoutOVN(); why != nil {
		l.withoutOVN(why)
	}
	l.Do(func() {
		l.box, l.ovn = sb, sb.OVN()
		l.MarkChanged()
	})
	l.watchZones(sb, zones, l.Lag)
	if l.Churn > 0 {
		l.Go(func() { l.runChurn(l.Churn) })
	}
	if l.Traffic > 0 {
		l.Go(func() { l.runTraffic(sb, l.Traffic) })
	}
	l.followNodes(sb)
}

func (l *Lab) setOVN(version string) {
	l.Do(func() {
		l.ovn = version
		l.MarkChanged()
	})
}

// podSubnets returns the subnets of pods from settings and nodes. For pods outside these it adds the /24 or
// /64 around their addresses.
func podSubnets(r *revision.Revision) []netip.Prefix {
	out := slices.Clone(r.Desired.Options().ClusterSubnets)
	for n := range r.Cluster.Nodes() {
		for _, text := range n.Subnets {
			if s, err := netip.ParsePrefix(text); err == nil && !slices.Contains(out, s.Masked()) {
				out = append(out, s.Masked())
			}
		}
	}
	for p := range r.Cluster.Pods() {
		if p.HostNetwork {
			continue
		}
		for _, ip := range p.IPs {
			a, err := netip.ParseAddr(ip)
			if err != nil || slices.ContainsFunc(out, func(s netip.Prefix) bool { return s.Contains(a.Unmap()) }) {
				continue
			}
			bits := 24
			if a.Unmap().Is6() {
				bits = 64
			}
			out = append(out, netip.PrefixFrom(a.Unmap(), bits).Masked())
		}
	}
	return out
}

// watchZones starts the reconcilers of sandbox zones, all in one revision. The last one reaches its database
// after the lag. It sends the pods again, since the zones may have come after them.
func (l *Lab) watchZones(sb *sandbox.Sandbox, names []string, lag time.Duration) {
	at, server := sb.Endpoints(), sb.Describe()
	south := map[string]string{}
	for _, name := range names {
		south[name] = sb.Southbound(name)
	}
	l.Do(func() {
		for zone, addr := range south {
			l.South.SetAddress(zone, addr)
		}
		sb.SetPods(l.Cluster(), nil)
		for i, name := range names {
			c := nbdb.Config{Name: name, Addr: at[name], Server: server, Slot: l.Slots.TakeSlot, Share: l.Share}
			if i == len(names)-1 {
				c.NotBefore = time.Now().Add(lag)
			}
			l.Zones.AddZone(nbdb.Dial(c), true)
		}
	})
}

// followNodes starts a zone for each new node and ends the zones of deleted nodes.
func (l *Lab) followNodes(sb *sandbox.Sandbox) {
	ticks, stop := l.Subscribe()
	defer stop()
	retry := time.NewTimer(0) // nodes may have come while the first zones started
	defer retry.Stop()
	var seen *model.Cluster
	for {
		select {
		case <-l.Context().Done():
			return
		case <-ticks:
			if l.Revision().Cluster == seen {
				continue
			}
		case <-retry.C:
		}
		seen = l.Revision().Cluster
		want, have := nodeNames(seen), sb.Zones()
		for _, name := range have {
			if !slices.Contains(want, name) {
				l.dropZone(sb, name)
			}
		}
		for _, name := range want {
			if slices.Contains(have, name) {
				continue
			}
			if err := sb.AddZone(l.Context(), name); err != nil {
				l.recordFailure(name, "start the zone of a new node", err)
				retry.Reset(zoneRetry)
				continue
			}
			l.watchZones(sb, []string{name}, 0)
		}
	}
}

// dropZone ends the zone of a deleted node, and removes its controller's reports
// (ovn-kubernetes.md#status-conditions).
func (l *Lab) dropZone(sb *sandbox.Sandbox, name string) {
	var ended <-chan struct{}
	l.Do(func() { ended = l.Zones.EndZone(name) })
	if ended != nil {
		<-ended
	}
	// The zone's last reports have been sent by now.
	l.Do(func() {
		l.Zones.RemoveZone(name)
		l.South.SetAddress(name, "")
	})
	err := sb.RemoveZone(name)
	l.daemons.forgetZone(name)
	l.recordFailure(name, "end the zone of a deleted node", err)
}

// nodeNames returns the names of the nodes, sorted.
func nodeNames(c *model.Cluster) []string {
	var names []string
	for n := range c.Nodes() {
		names = append(names, n.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// recordFailure records what the sandbox could not do in a zone.
func (l *Lab) recordFailure(zone, summary string, err error) {
	if err != nil {
		l.RecordActivity(model.Activity{Zone: zone, By: "sandbox", Summary: summary, Error: err.Error()})
	}
}
