package nbdb

import (
	"fmt"

	"rung/model/ovn/nb"
	"rung/model/ovn/sb"
	"rung/sources/nbdb/jsonrpc"
)

// Table is the name of a table Rung reads, or empty for one it does not.
func Table(name []byte) string {
	for _, w := range watched {
		if string(name) == w.table {
			return w.table
		}
	}
	return ""
}

// CheckSchema says whether a schema (RFC 7047 §3.2) has what Rung has to read,
// and which version it is; the error then wraps ErrSchema.
func CheckSchema(schema []byte) (version string, err error) {
	_, version, err = requests(schema, nb.Database, watched)
	return version, err
}

// RowReader reads rows as database files hold them (ovsdb(5), <row-txn>): in the
// notation of the protocol, so that file and server give the same rows. It is
// for one goroutine.
type RowReader struct{ d decoder }

// NewRowReader makes a reader; share may be nil.
func NewRowReader(share *Sharing) *RowReader { return &RowReader{decoder{share: share}} }

// Row reads the object of columns that is next in l. Columns that are not there
// are as in old, which may be nil and stays as it is. With diff, sets and maps
// hold the elements that differ from old's. The row is worth nothing once l has
// failed.
func (r *RowReader) Row(l *jsonrpc.Lexer, table, uuid string, old nb.Row, diff bool) nb.Row {
	r.d.Lexer = l
	return r.d.row(table, text([]byte(uuid)), old, diff)
}

// CheckName refuses the database of another zone, as Run does: NB_Global says
// whose it is. An empty name is one that was never set.
func CheckName(db *nb.DB, zone string) error {
	if g := db.Global(); g != nil && g.Name != "" && g.Name != zone {
		return fmt.Errorf("%w: NB_Global is named %q, not %q", ErrWrongZone, g.Name, zone)
	}
	return nil
}

// SouthboundTable is the name of a table of a Southbound database that Rung reads, or
// empty for one it does not.
func SouthboundTable(name []byte) string { return southboundTable(name) }

// CheckSouthboundSchema is CheckSchema for a Southbound database.
func CheckSouthboundSchema(schema []byte) (version string, err error) {
	_, version, err = requests(schema, sb.Database, watchedSouthbound)
	return version, err
}

// Southbound is Row for a Southbound database; nil for a flow of a stage that is not
// read.
func (r *RowReader) Southbound(l *jsonrpc.Lexer, table, uuid string, old sb.Row, diff bool) sb.Row {
	r.d.Lexer = l
	row := r.d.southbound(table, uuid, old, diff)
	if f, ok := row.(*sb.Flow); ok && !sb.IsACLStage(f.Stage) {
		return nil
	}
	return row
}
