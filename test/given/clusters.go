package given

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"rung/bench/workload"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/sources/manifests"
	"rung/test/given/troubled"
)

// Workload is a drawn cluster of that size.
func Workload(t testing.TB, s workload.Size) *model.Cluster {
	t.Helper()
	var text bytes.Buffer
	if err := workload.Write(&text, s); err != nil {
		t.Fatal(err)
	}
	res := manifests.Parse("w.yaml", text.Bytes(), manifests.Options{SkipSchema: true})
	c, _ := (*model.Cluster)(nil).Upsert(res.Objects, nil)
	return c
}

// Example is the troubled cluster.
func Example(t testing.TB) *model.Cluster {
	t.Helper()
	res, err := manifests.Read(t.Context(), manifests.Options{FS: troubled.Files, Paths: []string{"."}, SkipSchema: true})
	if err != nil {
		t.Fatal(err)
	}
	c, _ := (*model.Cluster)(nil).Upsert(res.Objects, nil)
	return c
}

// ACLRow is a new ACL.
func ACLRow(uuid string, tier, priority int, direction, action string, ids map[string]string) nb.RowChange {
	return nb.RowChange{New: &nb.ACL{UUID: uuid, Tier: tier, Priority: priority, Direction: direction, Action: action, ExternalIDs: ids}}
}

// ANPIDs are the external_ids of an ACL of an AdminNetworkPolicy's ingress rule.
func ANPIDs(name, index string) map[string]string {
	return IDs(nb.OwnerANP, nb.KeyName, name, nb.KeyDirection, "Ingress", nb.KeyGressIndex, index, nb.KeyProtocol, "None")
}

// LoggingPolicy gives a policy the annotation that makes it log.
func LoggingPolicy(policy, annotation string) string {
	return strings.Replace(policy, "metadata:\n", "metadata:\n  annotations: {k8s.ovn.org/acl-logging: '"+annotation+"'}\n", 1)
}

// Now is when the tests of readiness and state look.
var Now = time.Date(2026, 11, 3, 14, 5, 0, 0, time.UTC)

// Database holds the rows.
func Database(rows ...nb.Row) *nb.DB {
	var changes []nb.RowChange
	for _, r := range rows {
		changes = append(changes, nb.RowChange{New: r})
	}
	return (*nb.DB)(nil).Apply(changes)
}

// IDs are external_ids of the default controller, of keys and values.
func IDs(owner string, kv ...string) map[string]string {
	var pairs []nb.IDPair
	for i := 0; i < len(kv); i += 2 {
		pairs = append(pairs, nb.IDPair{Key: kv[i], Value: kv[i+1]})
	}
	return nb.IDs(nb.DefaultController, owner, pairs...)
}
