package revision

import "slices"

// JoinNetwork adds the changes on a user-defined network. A workload that only one side has is listed once for
// all networks.
func (c *Changes) JoinNetwork(other *Changes, network string) {
	for _, change := range other.List {
		change.Network = network
		c.List = append(c.List, change)
	}
	add := func(to *[]End, ends []End) {
		for _, e := range ends {
			if !slices.ContainsFunc(*to, func(o End) bool { return o.String() == e.String() }) {
				*to = append(*to, e)
			}
		}
	}
	add(&c.AddedEnds, other.AddedEnds)
	add(&c.RemovedEnds, other.RemovedEnds)
	c.MovedPods, c.MixedPairs, c.Ends = c.MovedPods+other.MovedPods, c.MixedPairs+other.MixedPairs, c.Ends+other.Ends
}
