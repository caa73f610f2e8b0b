package revision

import (
	"iter"
	"slices"
	"sync"

	"rung/compiler"
	"rung/model"
)

// policyChange is the difference between a revision of WithPolicies and its base.
type policyChange struct {
	base *Revision
	keys []model.Key // of the policies that changed
	// compiled returns the rows of the changed policies alone if they share none, else those of the cluster.
	compiled func() *compiler.Desired
}

// WithPolicies returns the revision after putting in and removing policies. Pods, namespaces, nodes and zones
// stay those of r. It is compiled on demand with the options of r. If the changed policies share no rows with
// others (ANP and BANP), only they are compiled.
func (r *Revision) WithPolicies(upsert []model.Object, remove []model.Key) *Revision {
	next := &Revision{Facts: r.Facts, shared: &derivedValues{}}
	next.Cluster, _ = r.Cluster.Upsert(upsert, remove)
	c := &policyChange{base: r, keys: slices.Clone(remove)}
	for _, o := range upsert {
		c.keys = append(c.keys, o.ObjectKey())
	}
	c.compiled = sync.OnceValue(func() *compiler.Desired {
		all := next.Cluster
		if c.sharesNoRows() {
			all, _ = r.Cluster.Upsert(upsert, model.MapSeq(r.Cluster.AllPolicies(), func(p *model.Policy) model.Key { return p.Key }))
		}
		return compiler.Compile(all, r.Desired.Options())
	})
	next.changed = c
	return next
}

// BaseRevision returns the revision on which WithPolicies was called, or nil.
func (r *Revision) BaseRevision() *Revision {
	if r.changed == nil {
		return nil
	}
	return r.changed.base
}

// sharesNoRows reports whether no changed policy shares rows with another.
func (c *policyChange) sharesNoRows() bool {
	return !slices.ContainsFunc(c.keys, func(k model.Key) bool { return !k.Kind.IsAdmin() })
}

// DesiredFor returns the compiled rows that include those of a policy or unit.
func (r *Revision) DesiredFor(k model.Key) *compiler.Desired {
	switch {
	case r.whole != nil:
		return r.whole.DesiredFor(k)
	case r.changed == nil:
		return r.Desired
	case r.changed.sharesNoRows() && !slices.Contains(r.changed.keys, k):
		return r.changed.base.DesiredFor(k)
	}
	return r.changed.compiled()
}

// findUnit returns the compiled unit of a policy or unit, and the rows it belongs to. The unit is nil if it does
// not exist or has no rows.
func (r *Revision) findUnit(k model.Key) (*compiler.Desired, *compiler.CompiledUnit) {
	d := r.DesiredFor(k)
	if c := d.Policy(k); c != nil && c.WhyNoRows == nil {
		return d, c
	}
	return d, nil
}

// AllCompiled yields every compiled unit: policies, and rows that belong to no object.
func (r *Revision) AllCompiled() iter.Seq[*compiler.CompiledUnit] {
	switch {
	case r.changed == nil:
		return r.Desired.Policies()
	case !r.changed.sharesNoRows():
		return r.changed.compiled().Policies()
	}
	return func(yield func(*compiler.CompiledUnit) bool) {
		for c := range r.changed.base.AllCompiled() {
			if !slices.Contains(r.changed.keys, c.Key) && !yield(c) {
				return
			}
		}
		for c := range r.changed.compiled().Policies() {
			if slices.Contains(r.changed.keys, c.Key) && !yield(c) {
				return
			}
		}
	}
}
