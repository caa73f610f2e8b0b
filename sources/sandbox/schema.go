package sandbox

import (
	"bytes"
	"crypto/sha1"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
)

// schemaFile is the part of the Northbound database's schema that Rung needs. It has the tables and columns
// Rung uses and those ovn-nbctl prints, with OVN's types, ranges, references and indexes.
//
//go:embed ovn-nb.ovsschema
var schemaFile []byte

// compactSchema removes a schema's white space; from names its source in errors.
func compactSchema(schema []byte, from string) ([]byte, error) {
	var b bytes.Buffer
	if err := json.Compact(&b, schema); err != nil {
		return nil, fmt.Errorf("reading %s: %w", from, err)
	}
	return b.Bytes(), nil
}

// createDatabase writes a standalone database file of ovsdb-server(1) with a schema and no rows: one log
// record after its length and SHA-1 (ovsdb(5)).
func createDatabase(path string, schema []byte, from string) error {
	record, err := compactSchema(schema, from)
	if err != nil {
		return err
	}
	record = append(record, '\n')
	return os.WriteFile(path, append(fmt.Appendf(nil, "OVSDB JSON %d %x\n", len(record), sha1.Sum(record)), record...), 0o600)
}
