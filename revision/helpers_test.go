package revision

import (
	"slices"
	"strings"
	"testing"

	"rung/bench/workload"
	"rung/compiler"
	"rung/model"
	"rung/test/given"
)

// Package revised has the same for other packages, and cannot be imported here.

func revisionOf(t testing.TB, policies ...string) *Revision {
	t.Helper()
	c := given.Cluster(t, policies...)
	return New(Facts{Number: 1, Cluster: c, Loaded: true, Desired: compiler.Compile(c, compiler.Options{IPv4: true})}, nil)
}

func withZones(r *Revision, zones ...*model.ZoneState) *Revision {
	f := r.Facts
	f.Zones = zones
	slices.SortFunc(f.Zones, func(a, b *model.ZoneState) int { return strings.Compare(a.Name, b.Name) })
	return New(f, r)
}

func drawnRevision(b *testing.B, s workload.Size) *Revision {
	b.Helper()
	c, err := workload.Cluster(s)
	if err != nil {
		b.Fatal(err)
	}
	return New(Facts{Cluster: c, Flags: Flags{}}, nil)
}
