package tracker

import (
	"maps"
	"slices"

	"rung/compiler"
)

// tooManySteps is where a list of deltas is worth less than comparing all.
const tooManySteps = 1 << 18

// MergeDeltas is the delta of two steps taken together. nil means anything may
// have changed. The steps of one set or port group stay in order: the tracker
// books them one after another, and skips those of policies that were compiled
// anew in either step.
func MergeDeltas(a, b *compiler.Delta) *compiler.Delta {
	if a == nil || b == nil || a.All || b.All || len(a.Members)+len(a.Ports) > tooManySteps {
		return &compiler.Delta{All: true}
	}
	out := &compiler.Delta{Policies: maps.Clone(a.Policies), Members: slices.Concat(a.Members, b.Members),
		Ports: slices.Concat(a.Ports, b.Ports)}
	if out.Policies == nil {
		out.Policies = b.Policies
	} else {
		maps.Copy(out.Policies, b.Policies)
	}
	return out
}
