package revision

import (
	"sync"
	"sync/atomic"

	"rung/model"
	"rung/model/ladder"
	"rung/model/lint"
	"rung/model/overlap"
)

// derived is what follows from the objects and from the options they are compiled with
// (which units there are, the families, the subnets), made when first asked for and
// shared by all revisions that have both in common.
type derived struct {
	indexOnce    sync.Once
	index        *overlap.PodIndex
	ladderOnce   sync.Once
	ladder       *ladder.Ladder
	findingsOnce sync.Once
	findings     atomic.Pointer[[]model.Finding]
	addrOnce     sync.Once
	addrs        map[string][]AddressOwner
	cache        *findingsCache // nil for a revision of no engine
}

// findingsCache holds the findings that were worked out last, whichever revision
// they are of.
type findingsCache struct {
	newest atomic.Pointer[cachedFindings]
}

type cachedFindings struct {
	number   uint64 // of the revision
	findings []model.Finding
}

// podIndex answers which pods a selector means, for ladder and findings alike.
func (r *Revision) podIndex() *overlap.PodIndex {
	d := r.shared
	d.indexOnce.Do(func() { d.index = overlap.NewPodIndex(r.Cluster, r.Desired.Selectors()) })
	return d.index
}

// Ladder is the precedence ladder of this revision.
func (r *Revision) Ladder() *ladder.Ladder {
	d := r.shared
	d.ladderOnce.Do(func() {
		opt := ladder.Options{Max: r.Flags.MaxPriority, Broken: r.Broken, Units: r.Units()}
		if r.sharedPriority() {
			opt.Index = r.podIndex() // only who holds a priority together can conflict
		}
		d.ladder = ladder.New(r.Cluster, opt)
	})
	return d.ladder
}

// sharedPriority says whether two AdminNetworkPolicies hold one priority.
func (r *Revision) sharedPriority() bool {
	seen := map[int32]bool{}
	for p := range r.Cluster.Policies(model.KindANP) {
		if seen[p.Priority] {
			return true
		}
		seen[p.Priority] = true
	}
	return false
}

// Findings are the findings of this very revision, worst first. Who asks first
// waits until they are worked out, some milliseconds for 1,000 pods and 1,000
// rules.
func (r *Revision) Findings() []model.Finding {
	d := r.shared
	d.findingsOnce.Do(func() {
		o := r.lintOptions()
		o.Index, o.Ladder = r.podIndex(), r.Ladder()
		f := lint.Run(r.Cluster, r.Broken, o)
		d.findings.Store(&f)
		if d.cache != nil {
			d.cache.put(&cachedFindings{r.Number, f})
		}
	})
	return *d.findings.Load()
}

// lintOptions are what findings about this cluster hang on besides its objects.
func (r *Revision) lintOptions() lint.Options {
	o := lint.Options{MaxPriority: r.Flags.MaxPriority, NoSubnets: !r.Desired.SubnetsKnown()}
	o.IPv4, o.IPv6 = r.Desired.Families()
	return o
}

// KnownFindings are findings nobody has to wait for: those of this revision
// where they were worked out, else those that were worked out last. current
// says which; what shows others must say so. Where nothing was worked out yet
// it waits as Findings does.
func (r *Revision) KnownFindings() (findings []model.Finding, current bool) {
	d := r.shared
	if f := d.findings.Load(); f != nil {
		return *f, true
	}
	if d.cache != nil {
		if e := d.cache.newest.Load(); e != nil {
			return e.findings, false
		}
	}
	return r.Findings(), true
}

// FindingsOf are those of Findings that are about a policy.
func (r *Revision) FindingsOf(k model.PolicyKey) []model.Finding { return ofPolicy(r.Findings(), k) }

// KnownFindingsOf are those of KnownFindings that are about a policy.
func (r *Revision) KnownFindingsOf(k model.PolicyKey) []model.Finding {
	all, _ := r.KnownFindings()
	return ofPolicy(all, k)
}

func ofPolicy(all []model.Finding, k model.PolicyKey) (out []model.Finding) {
	for _, f := range all {
		if f.Policy == k {
			out = append(out, f)
		}
	}
	return out
}

// put keeps the entry of the newest revision.
func (b *findingsCache) put(e *cachedFindings) {
	for {
		old := b.newest.Load()
		if old != nil && old.number > e.number || b.newest.CompareAndSwap(old, e) {
			return
		}
	}
}
