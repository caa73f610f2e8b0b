package liverows

import (
	"sync"

	"rung/compiler"
	"rung/model"
	"rung/revision"
)

// stageCounts are the numbers of ACLs by stage of what was asked about, for one
// set of desired rows: those of rules with named ports take a walk over pods.
type stageCounts struct {
	mu      sync.Mutex
	desired *compiler.Desired
	byKey   map[model.PolicyKey]map[model.Stage]int
}

// StageACLCount is how many of the ACLs that ACLCount counts are in a stage of the
// pipeline; without a stage it is all of them.
func StageACLCount(r *revision.Revision, k model.PolicyKey, stage model.Stage) int {
	if stage == "" {
		return revision.ACLCount(r, k)
	}
	c := &revision.Carried[rowsCache](r).counts
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.desired != r.Desired || c.byKey == nil {
		c.desired, c.byKey = r.Desired, map[model.PolicyKey]map[model.Stage]int{}
	}
	n, ok := c.byKey[k]
	if !ok {
		n = map[model.Stage]int{}
		for _, a := range r.ACLs(k, "") {
			n[model.Stage(a.Stage())]++
		}
		c.byKey[k] = n
	}
	return n[stage]
}
