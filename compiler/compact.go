package compiler

import (
	"rung/model"
	"rung/model/selectors"
)

// compactFirst is how many selectors are interned before it is asked, for the
// first time, how many of them are still in use.
const compactFirst = 4096

// wasteful says whether most selectors that were ever interned are in no policy
// any more. Their ids cannot be given to others, because the tables of label
// classes that older revisions read know them; so a session of weeks in which
// policies are edited all the time would only ever grow.
func (c *Compiler) wasteful() bool {
	n := c.selectors.Selectors()
	if n < c.compactAt {
		return false
	}
	live := map[*selectors.Selector]struct{}{}
	for _, g := range c.groups {
		live[g.ns], live[g.pods] = struct{}{}, struct{}{}
	}
	for s := range c.nodeSets {
		for _, sel := range s.nodes {
			live[sel] = struct{}{}
		}
	}
	c.compactAt = max(compactFirst, 2*n)
	return len(live) < n/2
}

// compact starts anew with what there is now. Revisions that were handed out
// keep what they share with the old start.
func (c *Compiler) compact(next *model.Cluster) (*Desired, *Delta) {
	fresh := New(c.requested)
	d, delta := fresh.Apply(next, everything(next))
	for k := range c.policies {
		delta.Policies[k] = struct{}{} // also those that went in this very step
	}
	delta.All = true
	*c = *fresh
	return d, delta
}

func everything(cluster *model.Cluster) []model.Change {
	var changes []model.Change
	for o := range cluster.Objects() {
		changes = append(changes, model.Change{New: o})
	}
	return changes
}
