package engine

import (
	"crypto/sha1"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rung/model"
	"rung/revision"
	"rung/test/wait"
)

// databaseFile writes a file as ovsdb-server does, of transactions.
func databaseFile(t *testing.T, path string, txns ...string) string {
	t.Helper()
	raw, err := os.ReadFile("../sources/sandbox/ovn-nb.ovsschema")
	if err != nil {
		t.Fatal(err)
	}
	var schema any
	if err := json.Unmarshal(raw, &schema); err != nil {
		t.Fatal(err)
	}
	compact, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, r := range append([]string{string(compact)}, txns...) {
		r += "\n"
		fmt.Fprintf(&out, "OVSDB JSON %d %x\n%s", len(r), sha1.Sum([]byte(r)), r)
	}
	if err := os.WriteFile(path, []byte(out.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Several files whose zones nobody named: each says which it is; one that is
// damaged shows what it has and why there is no more, one without a name goes by
// its address, and two of one zone are told apart.
func TestDatabaseFiles(t *testing.T) {
	dir := t.TempDir()
	const date = 1700000000000
	global := func(name string) string {
		return fmt.Sprintf(`{"_date":%d,"NB_Global":{"11111111-1111-1111-1111-111111111111":{"name":%q}}}`, date, name)
	}
	whole := databaseFile(t, filepath.Join(dir, "a_nbdb"), global("node-a"))
	cut := databaseFile(t, filepath.Join(dir, "b_nbdb"), global("node-b"), `{"Address_Set":{"22222222-2222-2222-2222-222222222222":{"name":"x"}}}`)
	info, err := os.Stat(cut)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(cut, info.Size()-10); err != nil {
		t.Fatal(err)
	}
	databaseFile(t, filepath.Join(dir, "c_nbdb"), global("node-a"))
	nameless := databaseFile(t, filepath.Join(dir, "leader_nbdb"))

	found, err := FindDatabases(t.Context(), []string{dir})
	if err != nil || len(found) != 4 {
		t.Fatalf("%v, %v", found, err)
	}
	cfg := Config{Mode: revision.Mode{Name: "files", Title: "x"}, NB: map[string]string{}}
	for _, addr := range found {
		cfg.NB[addr] = addr
	}
	e, err := New(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	want := map[string]string{"node-a": whole, "node-b": cut, "file:" + nameless: nameless}
	deadline := time.Now().Add(wait.Patience)
	for {
		rev := e.Revision()
		ready := len(rev.Zones) == len(want) && len(rev.Sources) > 0
		for name := range want {
			z := rev.Zone(name)
			ready = ready && z != nil && z.Conn == model.ConnReadOnly && z.DB != nil
		}
		if ready {
			break
		}
		if time.Now().After(deadline) {
			for _, z := range rev.Zones {
				t.Logf("%+v", z)
			}
			t.Fatalf("%d zones, %+v", len(rev.Zones), rev.Sources)
		}
		time.Sleep(10 * time.Millisecond)
	}
	rev := e.Revision()
	a, b := rev.Zone("node-a"), rev.Zone("node-b")
	if a.Error != "" || a.Server != "file" || a.SyncedAt.UnixMilli() != date || a.Writes {
		t.Errorf("%+v", a)
	}
	if !strings.Contains(b.Error, "b_nbdb: record 2 at byte ") || b.DB.Global().Name != "node-b" || b.DB.AddressSetByName("x") != nil {
		t.Errorf("%+v", b)
	}
	// Which of the two files of node-a was first is open; that there are two is said.
	if p := rev.Sources[len(rev.Sources)-1]; !strings.Contains(p.Error, "claims the zone of another database") {
		t.Errorf("%+v", rev.Sources)
	}
}
