package guard

import (
	"context"
	"fmt"
	"net/netip"
	"slices"

	"rung/model"
	"rung/model/lint/vital"
	"rung/model/verdict/diff"
	"rung/revision"
)

// NetworksOf are the names of the networks besides the default one that changed policies are programmed
// on, before or after the change, sorted.
func NetworksOf(rev, next *revision.Revision, changes []PolicyChange) (out []string) {
	add := func(r *revision.Revision, p *model.Policy) {
		if p == nil || r.Network != nil {
			return
		}
		d := revision.WholeDesired(r)
		if d == nil || d.Networks() == nil {
			return
		}
		for _, name := range d.Networks().OfPolicy(p) {
			if !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	for i := range changes {
		add(rev, changes[i].Old)
		add(next, changes[i].New)
	}
	slices.Sort(out)
	return out
}

// judgeNetworks adds what a change does to connections on the networks that it is programmed on, with
// the rails that it runs into there.
func judgeNetworks(ctx context.Context, rev, next *revision.Revision, changes []PolicyChange, a ClusterFacts, v vital.VitalEndpoints,
	d *diff.Difference) (rails []Guard, err error) {
	for _, name := range NetworksOf(rev, next, changes) {
		before, after := revision.OnNetwork(rev, name), revision.OnNetwork(next, name)
		if before == nil || after == nil {
			rails = append(rails, newGuard(Unjudged, changes[0].Key, "what it does to connections on the network %s is unknown: the network is not there before and after it", name))
			continue
		}
		// What the log has seen is told apart by addresses, which networks share: it is judged on the default one.
		there, more, err := judgeOn(ctx, before, after, changes, ClusterFacts{Protected: a.Protected}, watchesElsewhere(v), v)
		if err != nil {
			return nil, err
		}
		d.JoinNetwork(there, name)
		for _, g := range more {
			g.About = fmt.Sprint("on ", name, " ", g.Identity())
			g.Message = "on the network " + name + ": " + g.Message
			rails = append(rails, g)
		}
	}
	return rails, nil
}

// watchesElsewhere are the connections that nearly every pod of another network needs: from there the
// cluster's DNS and its API server are addresses outside.
func watchesElsewhere(v vital.VitalEndpoints) []diff.WatchedEnds {
	watches := vitalWatches(v)
	dns := &watches[0]
	dns.Pods = nil
	for _, p := range v.DNS {
		for _, ip := range p.IPs {
			if a, err := netip.ParseAddr(ip); err == nil && len(dns.Ports) > 0 {
				dns.Addrs = append(dns.Addrs, a)
			}
		}
	}
	return watches
}
