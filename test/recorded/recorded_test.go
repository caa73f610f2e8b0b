package recorded

import (
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rung/cli"
)

// unzip writes a file of the test data unpacked to a folder.
func unzip(t *testing.T, path, dir string) (out string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	out = filepath.Join(dir, strings.TrimSuffix(filepath.Base(path), ".gz"))
	if err := os.WriteFile(out, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return out
}

// cluster unpacks a cluster: its objects, and its databases by node.
func cluster(t *testing.T, name string) (objects string, databases map[string]string) {
	t.Helper()
	dir, databases := t.TempDir(), map[string]string{}
	files, err := filepath.Glob(filepath.Join("testdata", name, "*.db.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d databases: %v", len(files), err)
	}
	for _, f := range files {
		databases[strings.TrimSuffix(filepath.Base(f), ".db.gz")] = unzip(t, f, dir)
	}
	return unzip(t, filepath.Join("testdata", name, "objects.yaml.gz"), dir), databases
}

// drift runs rung drift over databases.
func drift(t *testing.T, objects string, databases map[string]string, more ...string) (code int, out, errs string) {
	t.Helper()
	args := append([]string{"drift", "-f", objects, "--state-dir", t.TempDir(), "--settle", "0s"}, more...)
	for node, file := range databases {
		args = append(args, "--nb", node+"=file:"+file)
	}
	var stdout, stderr bytes.Buffer
	code = cli.Main(args, strings.NewReader(""), &stdout, &stderr, nil)
	return code, stdout.String(), stderr.String()
}

// Rows that OVN-Kubernetes wrote are the rows that Rung compiles.
func TestNoDrift(t *testing.T) {
	for _, name := range []string{"examples", "random", "networks", "networks-random", "dual-stack"} {
		t.Run(name, func(t *testing.T) {
			objects, databases := cluster(t, name)
			if code, out, errs := drift(t, objects, databases); code != 0 || !strings.HasPrefix(out, "no drift") {
				t.Errorf("exit code %d\n%s\n%s", code, out, errs)
			}
		})
	}
}

// record is one transaction of a database file: rows by table and UUID.
type record map[string]json.RawMessage

// ownedRows returns one row for each table, owner type, network and kind of a database file's rows.
func ownedRows(t *testing.T, file string) (rows map[string]string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rows = map[string]string{}
	for line := range bytes.Lines(text) {
		var r record
		if json.Unmarshal(line, &r) != nil {
			continue
		}
		for _, table := range []string{"ACL", "Address_Set", "Port_Group"} {
			var byUUID map[string]*struct {
				IDs  []any `json:"external_ids"`
				ACLs []any `json:"acls"`
			}
			if json.Unmarshal(r[table], &byUUID) != nil {
				continue
			}
			for uuid, row := range byUUID {
				if row == nil || len(row.IDs) != 2 || table == "Port_Group" && !holdsACLs(row.ACLs) {
					continue
				}
				ids := map[string]string{}
				pairs, _ := row.IDs[1].([]any)
				for _, p := range pairs {
					pair := p.([]any)
					ids[pair[0].(string)] = pair[1].(string)
				}
				if owner := ids["k8s.ovn.org/owner-type"]; owner != "" {
					key := table + " " + owner + " " + ids["k8s.ovn.org/owner-controller"]
					if had := rows[key]; had == "" || uuid < had {
						rows[key] = uuid
					}
				}
			}
		}
	}
	return rows
}

// holdsACLs reports whether a column of references has any.
func holdsACLs(column []any) bool {
	if len(column) != 2 {
		return false
	}
	set, isSet := column[1].([]any)
	return !isSet || len(set) > 0
}

// altered copies a database file with one column of a row changed, or without a column with the row gone.
func altered(t *testing.T, file, table, uuid, column string, value any) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	row := any(map[string]any{column: value})
	if column == "" {
		row = nil
	}
	change, err := json.Marshal(map[string]any{"_date": 1, table: map[string]any{uuid: row}})
	if err != nil {
		t.Fatal(err)
	}
	change = append(change, '\n')
	text = fmt.Appendf(text, "OVSDB JSON %d %x\n%s", len(change), sha1.Sum(change), change)
	out := filepath.Join(t.TempDir(), filepath.Base(file))
	if err := os.WriteFile(out, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return out
}

// Every kind of row of every network may be altered, or gone: drift answers, and names the difference. Rows of
// kinds that Rung does not compile are left out.
func TestAlteredRows(t *testing.T) {
	objects, databases := cluster(t, "networks")
	all := alterations(t, databases[node])
	owners, networks := map[string]bool{}, map[string]bool{}
	for _, a := range all {
		owners[a.owner], networks[a.controller] = true, true
		t.Run(a.String(), func(t *testing.T) {
			code, out, errs := drift(t, objects, map[string]string{node: a.write(t, databases[node])})
			if want := map[bool]int{true: 1, false: 0}[a.isCompiled()]; code != want {
				t.Errorf("exit code %d, want %d\n%s\n%s", code, want, out, errs)
			}
		})
	}
	if len(all) < 70 || len(owners) < 12 || len(networks) < 6 {
		t.Errorf("%d alterations of %d owner types on %d networks", len(all), len(owners), len(networks))
	}
}
