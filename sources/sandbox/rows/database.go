package rows

import (
	"crypto/sha1"
	"fmt"
	"slices"
)

// Database is a database file of ovsdb-server(1)'s standalone format that holds a
// schema, written without white space, and no rows: one log record, its length and
// SHA-1 before it (ovsdb(5)).
func Database(schema []byte) []byte {
	record := append(slices.Clone(schema), '\n')
	return append(fmt.Appendf(nil, "OVSDB JSON %d %x\n", len(record), sha1.Sum(record)), record...)
}
