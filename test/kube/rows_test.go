package kube_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model/ovn/nb"
	"rung/test/kube/cluster"
	"rung/test/ovsdb"
	"rung/test/wait"
)

// rows are the rows of policies by table and id (ovsdb.Database.Policies).
type rows = map[string]ovsdb.Record

// databases are those of a cluster's zones: of cluster.Zones or cluster.Lab.
type databases interface {
	NB() []string
	Dump(ctx context.Context, zone string) ([]byte, error)
}

// asCompiled waits until a zone's dump shows what `rung compile` wants of the
// objects the API server has now.
func asCompiled(t testing.TB, c *cluster.Cluster, z databases, zones ...string) {
	t.Helper()
	for _, zone := range zones {
		var diff string
		want := compiled(t, c, zone)
		ok := wait.Poll(patience, func() bool {
			diff = cmp.Diff(want, dumped(t, z, zone))
			return diff == ""
		})
		if !ok {
			t.Fatalf("zone %s: (-rung compile +ovsdb-client dump)\n%s", zone, diff)
		}
	}
}

// compiled are the rows `rung compile` prints for a zone from what kubectl
// prints of the cluster: not through Rung's own eyes.
func compiled(t testing.TB, c *cluster.Cluster, zone string) rows {
	t.Helper()
	text, err := c.Kubectl(t.Context(), cluster.Admin, "", "get", everything, "-A", "-o", "json")
	must(t, err)
	file := filepath.Join(t.TempDir(), "cluster.json")
	must(t, os.WriteFile(file, []byte(text), 0o600))
	r := rung(t, "", "compile", "-f", file, "--zone", zone, "-o", "json")
	if r.code != 0 {
		t.Fatalf("rung compile: %s", r.err)
	}
	out, err := ovsdb.Compiled([]byte(r.out))
	must(t, err)
	return out
}

// database is a zone's, whole.
func database(t testing.TB, z databases, zone string) ovsdb.Database {
	t.Helper()
	text, err := z.Dump(t.Context(), zone)
	must(t, err)
	db, err := ovsdb.Parse(text)
	must(t, err)
	return db
}

// dumped are the policies' rows in a zone's database.
func dumped(t testing.TB, z databases, zone string) rows {
	t.Helper()
	return database(t, z, zone).Policies()
}

// global is a zone's NB_Global.external_ids.
func global(t testing.TB, z databases, zone string) map[string]string {
	t.Helper()
	for _, row := range database(t, z, zone)[nb.TableGlobal] {
		return row.IDs()
	}
	t.Fatalf("zone %s has no NB_Global", zone)
	return nil
}
