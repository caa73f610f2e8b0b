package sandbox

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
)

// schemaFile is the Northbound database's schema as far as Rung goes: the
// tables and columns it uses, and those beside them that ovn-nbctl prints, with
// OVN's types, ranges, references and indexes.
//
//go:embed ovn-nb.ovsschema
var schemaFile []byte

// compactSchema is the schema without white space.
func compactSchema() ([]byte, error) {
	var b bytes.Buffer
	if err := json.Compact(&b, schemaFile); err != nil {
		return nil, fmt.Errorf("reading the schema: %w", err)
	}
	return b.Bytes(), nil
}

// emptyDatabase is a database file that holds the schema and no rows.
func emptyDatabase() ([]byte, error) {
	schema, err := compactSchema()
	if err != nil {
		return nil, err
	}
	return DatabaseFile(schema), nil
}
