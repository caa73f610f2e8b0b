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
	for _, t := range splitConditions(tables) {
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

// rowHashes stores a hash of each row of the last query. The next query then shows which rows changed, without
// a second copy of them.
type rowHashes struct {
	hash   maphash.Hash
	tables map[string]map[string]uint64 // by table and uuid
}

// takeReply reads the reply to a query, stores its row hashes, and returns the differences from the previous
// reply as <table-updates2>: new and changed rows in full under kind, deleted rows as deletions. It returns {}
// if nothing differs.
func (s *rowHashes) takeReply(tables []tableColumns, raw []byte, kind string) ([]byte, error) {
	next, updates := map[string]map[string]uint64{}, map[string][]byte{}
	addUpdate := func(table, id, kind string, row []byte) {
		b := updates[table]
		if b == nil {
			b = []byte{'{'}
		}
		b = append(AppendString(AppendComma(b), id), ":{"...)
		updates[table] = append(append(append(AppendString(b, kind), ':'), row...), '}')
	}
	l := NewLexer(raw)
	n := 0
	var refused string
	l.Array(func() {
		n++
		if n > len(tables) {
			l.Skip() // "query" adds an operation
			return
		}
		if l.Null() {
			return // an operation after the failed one
		}
		name := tables[n-1].name
		rows := next[name]
		if rows == nil {
			rows = make(map[string]uint64, len(s.tables[name]))
			next[name] = rows
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
					rows[id] = maphash.Bytes(s.hash.Seed(), row)
					if was, ok := s.tables[name][id]; !ok || was != rows[id] {
						addUpdate(name, id, kind, row)
					}
				})
			default:
				l.Skip()
			}
		})
	})
	switch err := l.End(); {
	case err != nil:
		return nil, fmt.Errorf("query: %w: %w", ErrOutput, err)
	case refused != "":
		return nil, fmt.Errorf("query: %w:%s", ErrOutput, words.CleanText(refused))
	case n < len(tables):
		return nil, fmt.Errorf("query: %w: %d of %d tables", ErrOutput, n, len(tables))
	}
	for table, rows := range s.tables {
		for _, id := range slices.Sorted(maps.Keys(rows)) {
			if _, stays := next[table][id]; !stays {
				addUpdate(table, id, "delete", []byte("null"))
			}
		}
	}
	s.tables = next
	out := []byte{'{'}
	for _, table := range slices.Sorted(maps.Keys(updates)) {
		out = append(AppendString(AppendComma(out), table), ':')
		out = append(append(out, updates[table]...), '}')
	}
	return append(out, '}'), nil
}

// rowUUID returns the id of ["uuid", id] in _uuid.
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
