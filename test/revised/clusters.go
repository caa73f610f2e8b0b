package revised

import (
	"slices"
	"strings"
	"testing"

	"rung/bench/workload"
	"rung/compiler"
	"rung/model"
	"rung/revision"
	"rung/test/given"
)

// NewRevision is a revision of the cluster of given with policies, IPv4 only.
func NewRevision(t testing.TB, policies ...string) *revision.Revision {
	t.Helper()
	c := given.Cluster(t, policies...)
	return revision.New(revision.Facts{Number: 1, Cluster: c, Loaded: true, Desired: compiler.Compile(c, compiler.Options{IPv4: true})}, nil)
}

// WithZones is a revision with other zones, given by name.
func WithZones(r *revision.Revision, zones ...*model.ZoneState) *revision.Revision {
	f := r.Facts
	f.Zones = zones
	slices.SortFunc(f.Zones, func(a, b *model.ZoneState) int { return strings.Compare(a.Name, b.Name) })
	return revision.New(f, r)
}

// Drawn is a revision of a cluster whose labels are drawn at random.
func Drawn(b *testing.B, s workload.Size) *revision.Revision {
	b.Helper()
	c, err := workload.Cluster(s)
	if err != nil {
		b.Fatal(err)
	}
	return revision.New(revision.Facts{Cluster: c, Flags: revision.Flags{}}, nil)
}
