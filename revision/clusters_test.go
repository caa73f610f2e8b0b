package revision

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"rung/bench/workload"
	"rung/compiler"
	"rung/examples"
	"rung/model"
	"rung/sources/manifests"
	"rung/test/given"
)

func workloadCluster(t testing.TB, s workload.Size) *model.Cluster {
	t.Helper()
	var text bytes.Buffer
	if err := workload.Write(&text, s); err != nil {
		t.Fatal(err)
	}
	res := manifests.Parse("w.yaml", text.Bytes(), manifests.Options{SkipSchema: true})
	c, _ := (*model.Cluster)(nil).Upsert(res.Objects, nil)
	return c
}

func exampleCluster(t testing.TB) *model.Cluster {
	t.Helper()
	res, err := manifests.Read(t.Context(), manifests.Options{FS: examples.Files, Paths: []string{"."}, SkipSchema: true})
	if err != nil {
		t.Fatal(err)
	}
	c, _ := (*model.Cluster)(nil).Upsert(res.Objects, nil)
	return c
}

// revisionOf is a revision of the cluster of given with policies, IPv4 only.
func revisionOf(t testing.TB, policies ...string) *Revision {
	t.Helper()
	c := given.Cluster(t, policies...)
	return New(Facts{Number: 1, Cluster: c, Loaded: true, Desired: compiler.Compile(c, compiler.Options{IPv4: true})}, nil)
}

// withZones is a revision with other zones, given by name.
func withZones(r *Revision, zones ...*model.ZoneState) *Revision {
	f := r.Facts
	f.Zones = zones
	slices.SortFunc(f.Zones, func(a, b *model.ZoneState) int { return strings.Compare(a.Name, b.Name) })
	return New(f, r)
}
