package revision

import "slices"

// JoinNetwork takes in the connections on a network besides the default one. Of the workloads that only one
// side has, those that the default network has as well are told once.
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
	add(&c.Came, other.Came)
	add(&c.Went, other.Went)
	c.MovedPods, c.MixedPairs, c.Ends = c.MovedPods+other.MovedPods, c.MixedPairs+other.MixedPairs, c.Ends+other.Ends
}
