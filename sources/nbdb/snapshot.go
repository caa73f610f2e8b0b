package nbdb

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"

	"rung/model/words"
)

// queryRows reads all rows of the tables in one transaction of selects.
func (p *serverPlayer) queryRows(ctx context.Context, tables []tableColumns) ([]byte, error) {
	type selection struct {
		Op      string            `json:"op"`
		Table   string            `json:"table"`
		Where   []json.RawMessage `json:"where"`
		Columns []string          `json:"columns"`
	}
	txn := []any{p.db.name}
	for _, t := range selectionsOf(tables) {
		txn = append(txn, selection{"select", t.name, append([]json.RawMessage{}, t.where...), append([]string{"_uuid"}, t.columns...)})
	}
	text, err := json.Marshal(txn)
	if err != nil {
		return nil, fmt.Errorf("query: %w", err)
	}
	raw, err := p.runClient(ctx, "query", "unix:"+p.site.socket, string(text))
	if err != nil {
		return nil, fmt.Errorf("query: %w", err)
	}
	return raw, nil
}

// rowHashes knows the rows of the last query by a hash of their text, so that the
// next one tells what changed without a second copy of anything.
type rowHashes struct {
	hash   maphash.Hash
	tables map[string]map[string]uint64 // by table and uuid
}

// takeReply reads the reply to a query of selections, remembers it, and returns what differs
// from the one before as <table-updates2>: changed and new rows in full under kind,
// gone ones as deletions. It is empty when nothing differs.
func (s *rowHashes) takeReply(tables []tableColumns, raw []byte, kind string) ([]byte, error) {
	out := []byte{'{'}
	next := make(map[string]map[string]uint64, len(tables))
	l := NewLexer(raw)
	n, at := 0, 0
	var refused string
	l.Array(func() {
		if n >= len(tables) {
			l.Skip() // "query" adds an operation of its own
			n++
			return
		}
		name := tables[n].name
		first, last := n == 0 || tables[n-1].name != name, n == len(tables)-1 || tables[n+1].name != name
		n++
		if l.Null() {
			return // an operation after the one that failed
		}
		rows := next[name]
		if first || rows == nil {
			rows = make(map[string]uint64, len(s.tables[name]))
			next[name] = rows
			at = len(out)
		}
		l.Object(func(key []byte) {
			switch string(key) {
			case "error", "details":
				refused += " " + name + ": " + string(l.String())
			case "rows":
				l.Array(func() {
					row := l.Raw()
					id := rowUUID(row)
					if id == "" {
						l.Fail("a row with a _uuid")
						return
					}
					if _, twice := rows[id]; twice {
						return // it meets two conditions
					}
					h := maphash.Bytes(s.hash.Seed(), row)
					rows[id] = h
					if was, ok := s.tables[name][id]; !ok || was != h {
						out = appendRow(out, at, name, id)
						out = append(append(append(AppendString(append(out, '{'), kind), ':'), row...), '}')
					}
				})
			default:
				l.Skip()
			}
		})
		if !last {
			return
		}
		for _, id := range slices.Sorted(maps.Keys(s.tables[name])) {
			if _, ok := rows[id]; !ok {
				out = append(appendRow(out, at, name, id), `{"delete":null}`...)
			}
		}
		if len(out) > at {
			out = append(out, '}')
		}
	})
	if err := l.End(); err != nil {
		return nil, fmt.Errorf("query: %w: %w", ErrOutput, err)
	}
	if refused != "" {
		return nil, fmt.Errorf("query: %w:%s", ErrOutput, words.CleanText(refused))
	}
	if n < len(tables) {
		return nil, fmt.Errorf("query: %w: %d of %d tables", ErrOutput, n, len(tables))
	}
	s.tables = next
	return append(out, '}'), nil
}

// appendRow appends what stands before a row's update; the table's part of out
// began at at.
func appendRow(out []byte, at int, table, id string) []byte {
	if len(out) == at {
		out = append(AppendString(AppendComma(out), table), `:{`...)
	}
	return append(AppendString(AppendComma(out), id), ':')
}

// rowUUID finds ["uuid", id] under _uuid.
func rowUUID(row []byte) (id string) {
	l := NewLexer(row)
	l.Object(func(key []byte) {
		if string(key) != "_uuid" {
			l.Skip()
			return
		}
		l.Array(func() { id = string(l.String()) })
	})
	if l.End() != nil {
		return ""
	}
	return id
}
