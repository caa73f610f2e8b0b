package nbdb

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ovn-kubernetes/libovsdb/ovsdb"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/test/install"
)

// libovsdb's package ovsdb has types for replies, errors and schemas that could
// stand in results.go and schema.go. What they do with what a server may send is
// why they do not (docs/libovsdb.md#the-package-ovsdb).

// attempt decodes and says how that ended: "panics", "error" or "taken".
func attempt(raw string, into any) (how string) {
	defer func() {
		if recover() != nil {
			how = "panics"
		}
	}()
	if json.Unmarshal([]byte(raw), into) != nil {
		return "error"
	}
	return "taken"
}

func fixed(t *testing.T, what string, args ...any) {
	t.Helper()
	t.Errorf("fixed: see docs/libovsdb.md: %s", fmt.Sprintf(what, args...))
}

func TestRepliesThatLibovsdbCannotRead(t *testing.T) {
	ops := []nb.Op{{Kind: nb.OpSelect, Table: nb.TableACL, UUID: u1}}
	for _, c := range []struct{ reply, theirs, ours string }{
		{`[{"rows":[{"a":[]}]}]`, "panics", "taken"}, // Rung reads over rows: it asks for none
		{`[{"rows":[{"a":["set"]}]}]`, "panics", "taken"},
		{`[{"rows":[{"a":["map",["b"]]}]}]`, "panics", "taken"},
		{`[{"uuid":["uuid"]}]`, "panics", "error"},
		{`[{"uuid":["uuid","; rm -rf /"]}]`, "taken", "error"},
		{`[{"uuid":5}]`, "taken", "error"},
		{`[{"count":1.0}]`, "error", "taken"}, // some servers write whole numbers so
	} {
		var reply []ovsdb.OperationResult
		if how := attempt(c.reply, &reply); how != c.theirs {
			fixed(t, "%s %s, it was %s", c.reply, how, c.theirs)
		}
		if _, err := readResults([]byte(c.reply), ops); (err == nil) != (c.ours == "taken") {
			t.Errorf("%s: %v, want %s", c.reply, err, c.ours)
		}
	}
}

func TestErrorsOfLibovsdb(t *testing.T) {
	ops := []nb.Op{{Kind: nb.OpDelete, Table: nb.TableACL, UUID: u1}}
	theirs := func(raw string) error {
		var reply []ovsdb.OperationResult
		if err := json.Unmarshal([]byte(raw), &reply); err != nil {
			t.Fatal(err)
		}
		errs, err := ovsdb.CheckOperationResults(reply, make([]ovsdb.Operation, len(ops)))
		if len(errs) > 0 {
			return errs[0]
		}
		return err
	}
	// What is no fault of the transaction has to be told from what is. Three of the
	// server's errors have one type together with all that nobody has named.
	for _, code := range []string{"canceled", "cluster error", "not leader"} {
		raw := fmt.Sprintf(`[{"error":%q}]`, code)
		var other *ovsdb.Error
		if !errors.As(theirs(raw), &other) {
			fixed(t, "%s has a type of its own", code)
		}
		if _, err := readResults([]byte(raw), ops); !errors.Is(err, errPassing) {
			t.Errorf("%s: %v", code, err)
		}
	}
	// What the server says in the error stays as it came, and cannot be replaced.
	raw := `[{"error":"constraint violation","details":"\u001b]0;title\u0007"}]`
	if err := theirs(raw); !strings.ContainsRune(err.Error(), 0x1b) {
		fixed(t, "an error is cleaned: %q", err)
	}
	if _, err := readResults([]byte(raw), ops); !errors.Is(err, model.ErrRejected) || strings.ContainsRune(err.Error(), 0x1b) {
		t.Errorf("%q", err)
	}
}

func TestSchemasThatLibovsdbCannotRead(t *testing.T) {
	with := func(column string) string {
		return `{"name":"OVN_Northbound","version":"1","tables":{"ACL":{"columns":{"x":` + column + `}}}}`
	}
	for _, column := range []string{`{}`, `{"type":{"key":{"type":"string","enum":[]}}}`, `{"type":{"key":{"type":"string","enum":["set"]}}}`} {
		var schema ovsdb.DatabaseSchema
		if how := attempt(with(column), &schema); how != "panics" {
			fixed(t, "a column %s: %s", column, how)
		}
		// The error is about what the schema lacks, not about what it has.
		if _, _, err := monitorRequests([]byte(with(column)), nb.Database, watched); !errors.Is(err, ErrSchema) {
			t.Errorf("%s: %v", column, err)
		}
	}
	var schema ovsdb.DatabaseSchema
	if err := json.Unmarshal([]byte(with(`{"type":{"key":{"type":"string","minLength":1,"maxLength":63}}}`)), &schema); err != nil {
		t.Fatal(err)
	}
	if n, err := schema.Tables["ACL"].Columns["x"].TypeObj.Key.MinLength(); err != nil || n != 63 {
		fixed(t, "a minLength of 1 is read as %d, %v", n, err)
	}
}

func TestNumbersOfLibovsdb(t *testing.T) {
	var row ovsdb.Row
	if err := json.Unmarshal([]byte(`{"x":9007199254740993}`), &row); err != nil {
		t.Fatal(err)
	}
	if row["x"] != float64(9007199254740992) {
		fixed(t, "9007199254740993 is read as %v", row["x"])
	}
}

// BenchmarkAgainstLibovsdb reads the reply to a transaction of 1,000 inserts, and
// the schema, with Rung's decoders and libovsdb's in turn.
func BenchmarkAgainstLibovsdb(b *testing.B) {
	root, err := install.Root()
	if err != nil {
		b.Fatal(err)
	}
	schema, err := os.ReadFile(filepath.Join(root, "sources", "sandbox", "ovn-nb.ovsschema"))
	if err != nil {
		b.Fatal(err)
	}
	ops := make([]nb.Op, 1000)
	reply := []byte{'['}
	for i := range ops {
		ops[i] = nb.Op{Kind: nb.OpInsert, Table: nb.TableACL}
		reply = fmt.Appendf(reply, `{"uuid":["uuid","00000000-0000-4000-8000-%012d"]},`, i)
	}
	reply[len(reply)-1] = ']'
	theirOps := make([]ovsdb.Operation, len(ops))
	for _, c := range []struct {
		name         string
		ours, theirs func() error
	}{
		{"results", func() error { _, err := readResults(reply, ops); return err }, func() error {
			var r []ovsdb.OperationResult
			if err := json.Unmarshal(reply, &r); err != nil {
				return err
			}
			_, err := ovsdb.CheckOperationResults(r, theirOps)
			return err
		}},
		{"schema", func() error { _, _, err := monitorRequests(schema, nb.Database, watched); return err }, func() error {
			var s ovsdb.DatabaseSchema
			return json.Unmarshal(schema, &s)
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			var ours, theirs cost
			for b.Loop() {
				ours.add(b, c.ours)
				theirs.add(b, c.theirs)
			}
			b.ReportMetric(float64(ours.took.Nanoseconds())/float64(b.N), "rung-ns/op")
			b.ReportMetric(float64(theirs.took)/float64(ours.took), "libovsdb-times-longer")
			b.ReportMetric(float64(theirs.bytes)/float64(max(ours.bytes, 1)), "libovsdb-times-bytes")
			b.ReportMetric(float64(theirs.objects)/float64(max(ours.objects, 1)), "libovsdb-times-objects")
		})
	}
}

// cost is what something took and allocated.
type cost struct {
	took           time.Duration
	bytes, objects uint64
}

func (c *cost) add(b *testing.B, f func() error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	err := f()
	c.took += time.Since(began)
	runtime.ReadMemStats(&after)
	if err != nil {
		b.Fatal(err)
	}
	c.bytes += after.TotalAlloc - before.TotalAlloc
	c.objects += after.Mallocs - before.Mallocs
}
