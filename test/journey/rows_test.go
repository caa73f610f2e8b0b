//go:build unix

package journey_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"rung/test/install"
)

// acl is what the journeys look at in a row.
type acl struct {
	Priority int
	Action   string
	Log      bool
	Severity string
}

// Columns that are read, in order.
var columns = []string{"_uuid", "external_ids", "priority", "action", "log", "severity"}

// rows reads the ACLs of one policy in every zone: zone, a space, k8s.ovn.org/id,
// a space, _uuid → the row.
func (c *console) rows(policy string) map[string]acl {
	c.t.Helper()
	out := map[string]acl{}
	for zone, socket := range c.sockets() {
		for _, row := range dump(c.t, socket) {
			ids := row.ids()
			if ids["k8s.ovn.org/name"] != policy {
				continue
			}
			id := ids["k8s.ovn.org/id"]
			out[zone+" "+id+" "+row.atom("_uuid")] = row.acl(c.t)
		}
	}
	return out
}

// follows waits until the rows of a policy fit.
func (c *console) follows(policy, what string, fits func(map[string]acl) bool) map[string]acl {
	c.t.Helper()
	end := time.Now().Add(patience)
	for {
		rows := c.rows(policy)
		if fits(rows) {
			return rows
		}
		if time.Now().After(end) {
			c.t.Fatalf("the rows of %s are never %s: %v\n%s", policy, what, rows, c.Frame().Boxed())
		}
		time.Sleep(30 * time.Millisecond)
	}
}

// sockets are those of the sandbox, by zone.
func (c *console) sockets() map[string]string {
	c.t.Helper()
	paths, err := filepath.Glob(filepath.Join(c.db, "*.sock"))
	if err != nil || len(paths) == 0 {
		c.t.Fatalf("sockets in %s: %v, %v", c.db, paths, err)
	}
	out := map[string]string{}
	for _, p := range paths {
		out[strings.TrimSuffix(filepath.Base(p), ".sock")] = p
	}
	return out
}

// record is a row as OVSDB writes it in JSON.
type record map[string]json.RawMessage

// dump reads the ACLs behind a socket with ovsdb-client, or, where that is not
// installed, with a few lines of JSON-RPC.
func dump(t *testing.T, socket string) []record {
	t.Helper()
	if _, err := exec.LookPath("ovsdb-client"); err != nil && os.Getenv(install.RequireVar) != "1" {
		return ask(t, socket)
	}
	return table(t, []byte(run(t, install.Server(t, "ovsdb-client"), "-f", "json", "-t", "10", "dump", "unix:"+socket, "OVN_Northbound", "ACL")))
}

// table reads what ovsdb-client prints in JSON.
func table(t *testing.T, text []byte) []record {
	t.Helper()
	var in struct {
		Headings []string
		Data     [][]json.RawMessage
	}
	if err := json.Unmarshal(text, &in); err != nil {
		t.Fatalf("reading the rows: %v\n%s", err, text)
	}
	var out []record
	for _, cells := range in.Data {
		r := record{}
		for i, h := range in.Headings {
			r[h] = cells[i]
		}
		out = append(out, r)
	}
	return out
}

// ask is the query without ovsdb-client.
func ask(t *testing.T, socket string) []record {
	t.Helper()
	conn, err := net.DialTimeout("unix", socket, 10*time.Second)
	if err != nil {
		t.Fatalf("reading the rows: %v", err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
	question := map[string]any{"id": 1, "method": "transact", "params": []any{"OVN_Northbound",
		map[string]any{"op": "select", "table": "ACL", "where": []any{}, "columns": columns}}}
	var answer struct {
		Error  json.RawMessage
		Result []struct {
			Error string
			Rows  []record
		}
	}
	if err := json.NewEncoder(conn).Encode(question); err != nil {
		t.Fatalf("reading the rows: %v", err)
	}
	if err := json.NewDecoder(conn).Decode(&answer); err != nil {
		t.Fatalf("reading the rows: %v", err)
	}
	if len(answer.Result) != 1 || answer.Result[0].Error != "" {
		t.Fatalf("reading the rows: %s %+v", answer.Error, answer.Result)
	}
	return answer.Result[0].Rows
}

// atom is a column of one value; that of a UUID is its text.
func (r record) atom(column string) string {
	var text string
	if json.Unmarshal(r[column], &text) == nil {
		return text
	}
	var tagged [2]string
	if json.Unmarshal(r[column], &tagged) == nil {
		return tagged[1]
	}
	return string(r[column])
}

// ids is the column external_ids.
func (r record) ids() map[string]string {
	var tag string
	var pairs [][2]string
	out := map[string]string{}
	if json.Unmarshal(r["external_ids"], &[]any{&tag, &pairs}) == nil {
		for _, p := range pairs {
			out[p[0]] = p[1]
		}
	}
	return out
}

func (r record) acl(t *testing.T) acl {
	t.Helper()
	p, err := strconv.Atoi(r.atom("priority"))
	if err != nil {
		t.Fatalf("priority of a row: %v", err)
	}
	a := acl{Priority: p, Action: r.atom("action"), Log: r.atom("log") == "true", Severity: r.atom("severity")}
	if strings.HasPrefix(a.Severity, "[") { // an empty set
		a.Severity = ""
	}
	return a
}

// same says whether two readings have the same rows, by UUID.
func same(a, b map[string]acl) string {
	x, y := slices.Sorted(maps.Keys(a)), slices.Sorted(maps.Keys(b))
	if slices.Equal(x, y) {
		return ""
	}
	return fmt.Sprintf("the rows are not the same:\n%s\nand\n%s", strings.Join(x, "\n"), strings.Join(y, "\n"))
}

// moved says whether every row's priority changed by d, and nothing else.
func moved(before, now map[string]acl, d int) bool {
	for k, b := range before {
		b.Priority += d
		if n, ok := now[k]; ok && n != b {
			return false
		}
	}
	return true
}
