package sandbox

import (
	"bytes"
	"crypto/sha1"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
)

// schemaFile is the Northbound database's schema as far as Rung goes: the
// tables and columns it uses, and those beside them that ovn-nbctl prints, with
// OVN's types, ranges, references and indexes.
//
//go:embed ovn-nb.ovsschema
var schemaFile []byte

// compactSchema is a schema without white space; from says in an error where it was read.
func compactSchema(schema []byte, from string) ([]byte, error) {
	var b bytes.Buffer
	if err := json.Compact(&b, schema); err != nil {
		return nil, fmt.Errorf("reading %s: %w", from, err)
	}
	return b.Bytes(), nil
}

// createDatabase writes a database file of ovsdb-server(1)'s standalone format that holds a
// schema and no rows: one log record, its length and SHA-1 before it (ovsdb(5)).
func createDatabase(path string, schema []byte, from string) error {
	record, err := compactSchema(schema, from)
	if err != nil {
		return err
	}
	record = append(record, '\n')
	return os.WriteFile(path, append(fmt.Appendf(nil, "OVSDB JSON %d %x\n", len(record), sha1.Sum(record)), record...), 0o600)
}
