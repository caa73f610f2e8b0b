package dbfile

import (
	"rung/model/ovn/nb"
	"rung/model/ovn/sb"
	"rung/sources/nbdb"
	"rung/sources/nbdb/jsonrpc"
)

// row is a row of either database.
type row interface{ RowUUID() string }

// kind is which of OVN's two databases is read, and how.
type kind struct {
	name  string
	check func(schema []byte) (version string, err error)
	table func(name []byte) string
	// row reads the columns of a row; nil for one that is not kept.
	row func(l *jsonrpc.Lexer, table, uuid string, old row, diff bool) row
	// leave reads over a row without a proper _uuid.
	leave func(left *nbdb.Left, l *jsonrpc.Lexer, table, id string, diff bool)
	// partly says that only some rows of a table are kept: one that goes may be unknown.
	partly func(table string) bool
	fill   func(*Result, map[rowKey]row)
}

func northbound(share *nbdb.Sharing) kind {
	reader := nbdb.NewRowReader(share)
	return kind{name: nb.Database, check: nbdb.CheckSchema, table: nbdb.Table,
		row: func(l *jsonrpc.Lexer, table, uuid string, old row, diff bool) row {
			was, _ := old.(nb.Row)
			return reader.Row(l, table, uuid, was, diff)
		},
		leave: func(left *nbdb.Left, l *jsonrpc.Lexer, table, id string, diff bool) {
			left.Row(table, id, reader.Row(l, table, "", nil, diff))
		},
		partly: func(string) bool { return false },
		fill: func(r *Result, rows map[rowKey]row) {
			ch := make([]nb.RowChange, 0, len(rows))
			for _, r := range rows {
				ch = append(ch, nb.RowChange{New: r.(nb.Row)})
			}
			r.DB = (*nb.DB)(nil).Apply(ch)
		}}
}

func southbound() kind {
	reader := nbdb.NewRowReader(nil)
	return kind{name: sb.Database, check: nbdb.CheckSouthboundSchema, table: nbdb.SouthboundTable,
		row: func(l *jsonrpc.Lexer, table, uuid string, old row, diff bool) row {
			was, _ := old.(sb.Row)
			return reader.Southbound(l, table, uuid, was, diff)
		},
		leave:  func(_ *nbdb.Left, l *jsonrpc.Lexer, _, _ string, _ bool) { l.Skip() }, // as of a server
		partly: func(table string) bool { return table == sb.TableFlow },
		fill: func(r *Result, rows map[rowKey]row) {
			ch := make([]sb.Change, 0, len(rows))
			for _, r := range rows {
				ch = append(ch, sb.Change{New: r.(sb.Row)})
			}
			r.Flows = (*sb.DB)(nil).Apply(ch)
		}}
}
