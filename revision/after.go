package revision

import (
	"iter"
	"slices"
	"sync"

	"rung/compiler"
	"rung/model"
)

// change is the difference between a revision of With and the revision it comes from.
type change struct {
	base *Revision
	keys []model.Key // of the policies that changed
	// compiled are the rows of the changed policies alone, where they share none
	// with others, else of the whole cluster.
	compiled func() *compiler.Desired
}

// With is the revision as it will be once policies were put in or removed: pods,
// namespaces, nodes and zones are those of r. It is compiled when somebody asks for
// rows, and with the options r was: only the policies that change, where those
// share no rows with others (ANP and BANP).
func (r *Revision) With(upsert []model.Object, remove []model.Key) *Revision {
	next := &Revision{Facts: r.Facts, shared: &derived{}}
	next.Cluster, _ = r.Cluster.Upsert(upsert, remove)
	c := &change{base: r, keys: slices.Clone(remove)}
	for _, o := range upsert {
		c.keys = append(c.keys, o.ObjectKey())
	}
	c.compiled = sync.OnceValue(func() *compiler.Desired {
		all := next.Cluster
		if c.alone() {
			var others []model.Key
			for p := range r.Cluster.AllPolicies() {
				others = append(others, p.Key)
			}
			all, _ = r.Cluster.Upsert(upsert, others)
		}
		return compiler.Compile(all, r.Desired.Options())
	})
	next.after = c
	return next
}

// Base is the revision that one of With comes from, nil of any other.
func (r *Revision) Base() *Revision {
	if r.after == nil {
		return nil
	}
	return r.after.base
}

// alone says whether no changed policy shares rows with another.
func (c *change) alone() bool {
	return !slices.ContainsFunc(c.keys, func(k model.Key) bool { return !k.Kind.IsAdmin() })
}

// DesiredOf are compiled rows among which those of a policy or unit are.
func (r *Revision) DesiredOf(k model.Key) *compiler.Desired {
	switch {
	case r.after == nil:
		return r.Desired
	case r.after.alone() && !slices.Contains(r.after.keys, k):
		return r.after.base.DesiredOf(k)
	}
	return r.after.compiled()
}

// AllCompiled is everything that is compiled: policies, and the kinds of rows that are
// no objects.
func (r *Revision) AllCompiled() iter.Seq[*compiler.Compiled] {
	switch {
	case r.after == nil:
		return r.Desired.Policies()
	case !r.after.alone():
		return r.after.compiled().Policies()
	}
	return func(yield func(*compiler.Compiled) bool) {
		for c := range r.after.base.AllCompiled() {
			if !slices.Contains(r.after.keys, c.Key) && !yield(c) {
				return
			}
		}
		for c := range r.after.compiled().Policies() {
			if slices.Contains(r.after.keys, c.Key) && !yield(c) {
				return
			}
		}
	}
}
