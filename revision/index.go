package revision

import (
	"rung/compiler"
	"rung/model"
	"rung/model/ladder"
	"rung/model/overlap"
	"rung/model/verdict/index"
)

// derived is what follows from the objects and from the options they are compiled with
// (which units there are, the families, the subnets), made when first asked for and
// shared by all revisions that have both in common.
type derived struct {
	index     Once[*overlap.PodIndex]
	ladder    Once[*ladder.Ladder]
	addrs     Once[map[string][]AddressOwner]
	verdicts  Once[*index.Index]
	placed    Once[[]model.Object] // pods of which a place is assumed
	judged    Once[*model.Cluster]
	wholeRows Once[*compiler.Desired] // of a revision of With
	questions memo
}

// PodIndex answers which pods the selectors of this revision mean.
func (r *Revision) PodIndex() *overlap.PodIndex {
	if r.after != nil {
		return r.after.base.PodIndex() // of the same pods
	}
	return r.shared.index.Get(func() *overlap.PodIndex {
		x := overlap.NewPodIndex(r.Judged(), r.Desired.Selectors())
		x.Compiled(r.Desired.Families())
		return x
	})
}

// Ladder is the precedence ladder of this revision.
func (r *Revision) Ladder() *ladder.Ladder {
	return r.shared.ladder.Get(func() *ladder.Ladder {
		opt := ladder.Options{Max: r.Flags.MaxPriority, CNP: r.Flags.CompileCNP, Broken: r.Broken, Units: r.Units(),
			LegacyIsolation: r.Flags.LegacyIsolation}
		if sharedPriority(r) {
			opt.Index = r.PodIndex() // only who holds a priority together can conflict
		}
		return ladder.New(r.Cluster, opt)
	})
}

// sharedPriority says whether two policies of a tier hold one priority.
func sharedPriority(r *Revision) bool {
	type place struct {
		tier     int
		priority int32
	}
	seen := map[place]bool{}
	for _, k := range []model.Kind{model.KindANP, model.KindCNP} {
		if k == model.KindCNP && !r.Flags.CompileCNP {
			continue
		}
		for p := range r.Cluster.Policies(k) {
			at := place{p.Tier, p.Priority}
			if seen[at] {
				return true
			}
			seen[at] = true
		}
	}
	return false
}
