package ovsdb

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"testing"

	"rung/model/ovn/nb"
	"rung/test/install"
	"rung/test/wait"
)

// patience bounds every run of ovsdb-client.
const patience = wait.Patience

// Run runs ovsdb-client and returns what it printed; an error says what it
// complained of.
func Run(ctx context.Context, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "ovsdb-client", args...)
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("ovsdb-client %s: %w: %s", args, err, bytes.TrimSpace(complaint.Bytes()))
	}
	return out, nil
}

// Client is Run in a test, which needs ovsdb-client (install.Server) and fails
// where it does.
func Client(t testing.TB, args ...string) []byte {
	t.Helper()
	install.Server(t, "ovsdb-client")
	out, err := Run(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Dump reads all rows of the Northbound database at addr, for example
// "unix:/run/nb.sock".
func Dump(t testing.TB, addr string) Database {
	t.Helper()
	db, err := Parse(Client(t, DumpArgs(addr)...))
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// DumpArgs are the arguments of ovsdb-client that print what Parse reads.
func DumpArgs(addr string) []string { return []string{"-f", "json", "dump", addr, nb.Database} }

// Transact runs operations (RFC 7047 §5.2) in one transaction and returns their
// results; the test fails when one is refused.
func Transact[Op any](t testing.TB, addr string, ops ...Op) []map[string]any {
	t.Helper()
	params := []any{nb.Database}
	for _, op := range ops {
		params = append(params, op)
	}
	text, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	out := Client(t, "transact", addr, string(text))
	var results []map[string]any
	if err := json.Unmarshal(out, &results); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, r := range results {
		if r != nil && r["error"] != nil {
			t.Fatalf("%s: %s", text, out)
		}
	}
	return results
}
