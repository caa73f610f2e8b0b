package guard

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"slices"

	"rung/change"
	"rung/model"
	"rung/model/lint"
	"rung/model/network"
	"rung/model/verdict/diff"
	"rung/revision"
)

// changesByNetwork groups changed policies by the non-default networks on which they are programmed, before or
// after the change.
func changesByNetwork(rev, next *revision.Revision, changes []change.ObjectChange) map[string][]change.ObjectChange {
	out := map[string][]change.ObjectChange{}
	for i := range changes {
		c := &changes[i]
		for _, name := range slices.Concat(policyNetworks(rev, c.Old), policyNetworks(next, c.New)) {
			if there := out[name]; len(there) == 0 || there[len(there)-1].Key != c.Key {
				out[name] = append(there, *c)
			}
		}
	}
	return out
}

// policyNetworks returns the networks of a policy in a revision; none if p is nil, since the policy is not in it.
func policyNetworks(r *revision.Revision, p *model.Policy) []string {
	if p == nil || r.Network != nil {
		return nil
	}
	d := revision.WholeDesired(r)
	if d == nil || d.Networks() == nil {
		return nil
	}
	return d.Networks().NetworksOfPolicy(p)
}

// judgeNetworks adds to d the effect of a change on connections of the other networks on which it is
// programmed. It returns the rails hit there.
func judgeNetworks(ctx context.Context, rev, next *revision.Revision, changes []change.ObjectChange, a ClusterFacts, v lint.VitalEndpoints,
	d *diff.Difference) (rails []change.Guard, err error) {
	byNetwork := changesByNetwork(rev, next, changes)
	for _, name := range slices.Sorted(maps.Keys(byNetwork)) {
		before, after := revision.OnNetwork(rev, name), revision.OnNetwork(next, name)
		if before == nil || after == nil {
			rails = append(rails, newGuard(Unjudged, byNetwork[name][0].Key, "effect on connections of network %s unknown: it must exist "+
				"before and after the change", name))
			continue
		}
		// Addresses in the log are ambiguous between networks, so it is compared with the default network
		// alone.
		there, more, err := judgeOn(ctx, before, after, byNetwork[name], ClusterFacts{Protected: a.Protected},
			watchesElsewhere(v, before.Network))
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

// watchesElsewhere returns the connections that nearly every pod of another network needs, in the order of
// watched. On a primary network, cluster DNS and API server are addresses outside, unless they are in its own
// subnets. Secondary networks need neither.
func watchesElsewhere(v lint.VitalEndpoints, n *network.Network) []diff.WatchedEnds {
	watches := vitalWatches(v)
	if !n.Primary {
		return make([]diff.WatchedEnds, len(watches))
	}
	dns := &watches[0]
	dns.Pods = nil
	for _, p := range v.DNS {
		for _, ip := range p.IPs {
			if a, err := netip.ParseAddr(ip); err == nil && len(dns.Ports) > 0 &&
				!slices.ContainsFunc(n.Subnets, func(s netip.Prefix) bool { return s.Contains(a) }) {
				dns.Addrs = append(dns.Addrs, a)
			}
		}
	}
	return watches
}
