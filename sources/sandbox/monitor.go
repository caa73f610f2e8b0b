package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"rung/sources/nbdb"
)

// clientMonitor is one monitor of a client: RFC 7047 §4.1.5, or a later kind of ovsdb-server(7) §4.1.12 and
// §4.1.15.
type clientMonitor struct {
	method string
	id     json.RawMessage
	tables map[string]tableWatch
}

// tableWatch holds the columns and kinds of change of a table that a monitor asks for.
type tableWatch struct {
	Columns []string        `json:"columns"`
	Where   json.RawMessage `json:"where"`
	Select  struct {
		Initial, Insert, Delete, Modify *bool
	} `json:"select"`
}

func isOn(b *bool) bool { return b == nil || *b }

// startMonitor starts a monitor. The reply is the snapshot; later commits follow it.
func (p *clientPeer) startMonitor(m nbdb.Message) error {
	ps, err := splitParams(m.Params, 3)
	if err != nil {
		return err
	}
	mon := &clientMonitor{method: m.Method, id: bytes.Clone(ps[1])}
	if mon.tables, err = readWatches(p.b.db.Schema, ps[2]); err != nil {
		return err
	}
	p.b.dbmu.Lock()
	defer p.b.dbmu.Unlock()
	if _, ok := p.monitors[string(mon.id)]; ok {
		return fmt.Errorf("duplicate monitor ID")
	}
	if p.monitors == nil {
		return nil // hung up in the meantime
	}
	p.monitors[string(mon.id)] = mon
	reply := mon.encodeSnapshot(p.b.db)
	if mon.method == "monitor_cond_since" {
		reply = slices.Concat([]byte(`[false,"00000000-0000-0000-0000-000000000000",`), reply, []byte{']'})
	}
	if m.ID != nil {
		p.queueMessage(nbdb.ReplyText(m.ID, reply))
	}
	return nil
}

// readWatches reads a monitor's requests: one per table, possibly in a list.
func readWatches(schema *Schema, raw []byte) (map[string]tableWatch, error) {
	var requests map[string]json.RawMessage
	if err := json.Unmarshal(raw, &requests); err != nil {
		return nil, fmt.Errorf("syntax error: %w", err)
	}
	out := map[string]tableWatch{}
	for table, raw := range requests {
		t := schema.Tables[table]
		if t == nil {
			return nil, fmt.Errorf("unknown table: %s", table)
		}
		if raw[0] != '[' {
			raw = slices.Concat([]byte{'['}, raw, []byte{']'})
		}
		var ws []tableWatch
		if err := json.Unmarshal(raw, &ws); err != nil {
			return nil, fmt.Errorf("syntax error: table %s: %w", table, err)
		}
		if len(ws) != 1 {
			return nil, fmt.Errorf("not supported: %d requests for table %s", len(ws), table)
		}
		w := ws[0]
		if w.Columns == nil {
			w.Columns = slices.Sorted(maps.Keys(t.Columns))
		}
		for _, c := range w.Columns {
			if t.Columns[c] == nil && c != "_uuid" && c != "_version" {
				return nil, fmt.Errorf("unknown column: %s.%s", table, c)
			}
		}
		switch string(w.Where) {
		case "", "null", "true", "[]", "[true]":
		default:
			return nil, fmt.Errorf("not supported: a monitor's condition %s", w.Where)
		}
		out[table] = w
	}
	return out, nil
}

func (p *clientPeer) cancelMonitor(raw []byte) ([]byte, error) {
	var ps []json.RawMessage
	if err := json.Unmarshal(raw, &ps); err != nil || len(ps) != 1 {
		return nil, fmt.Errorf("syntax error: one parameter is needed")
	}
	p.b.dbmu.Lock()
	defer p.b.dbmu.Unlock()
	if _, ok := p.monitors[string(ps[0])]; !ok {
		return nil, fmt.Errorf("unknown monitor")
	}
	delete(p.monitors, string(ps[0]))
	return []byte("{}"), nil
}

// tableUpdates builds <table-updates> or <table-updates2>: changes by table, then by row.
type tableUpdates struct {
	b     []byte
	table string
}

func (u *tableUpdates) addRow(table string, id UUID, what []byte) {
	switch {
	case u.b == nil:
		u.b = append(nbdb.AppendString([]byte{'{'}, table), ":{"...)
	case table != u.table:
		u.b = append(nbdb.AppendString(append(u.b, "},"...), table), ":{"...)
	}
	u.table = table
	u.b = append(append(nbdb.AppendString(nbdb.AppendComma(u.b), string(id)), ':'), what...)
}

func (u *tableUpdates) finishUpdates() []byte {
	if u.b == nil {
		return []byte("{}")
	}
	return append(u.b, "}}"...)
}

// isRFCMonitor reports whether this is RFC 7047's monitor, which sends whole rows, old and new.
func (m *clientMonitor) isRFCMonitor() bool { return m.method == "monitor" }

func (m *clientMonitor) encodeSnapshot(db *MemDB) []byte {
	var u tableUpdates
	for _, table := range slices.Sorted(maps.Keys(m.tables)) {
		w := m.tables[table]
		if !isOn(w.Select.Initial) {
			continue
		}
		for id, row := range db.tables[table] {
			u.addRow(table, id, m.wholeRow(db, &RowChange{Table: table, UUID: id, New: row}, "initial", w.Columns))
		}
	}
	return u.finishUpdates()
}

// encodeNotification returns the message about a commit, nil if the monitor is not affected.
func (m *clientMonitor) encodeNotification(db *MemDB, changes []RowChange) []byte {
	var u tableUpdates
	for _, table := range slices.Sorted(maps.Keys(m.tables)) {
		w := m.tables[table]
		for i := range changes {
			if ch := &changes[i]; ch.Table == table {
				if what := m.describeChange(db, ch, &w); what != nil {
					u.addRow(table, ch.UUID, what)
				}
			}
		}
	}
	if u.b == nil {
		return nil
	}
	method, middle := "update2", ","
	switch m.method {
	case "monitor":
		method = "update"
	case "monitor_cond_since":
		method, middle = "update3", `,"00000000-0000-0000-0000-000000000000",` // no history to continue from
	}
	return nbdb.NotificationText(method, slices.Concat([]byte{'['}, m.id, []byte(middle), u.finishUpdates(), []byte{']'}))
}

// wholeRow returns the new row under a kind of update2.
func (m *clientMonitor) wholeRow(db *MemDB, ch *RowChange, kind string, columns []string) []byte {
	if m.isRFCMonitor() {
		kind = "new"
	}
	return append(db.AppendRow([]byte(`{"`+kind+`":`), ch.Table, ch.UUID, ch.New, columns, !m.isRFCMonitor()), '}')
}

// describeChange returns a change as the monitor receives it, nil if the monitor does not watch that change.
func (m *clientMonitor) describeChange(db *MemDB, ch *RowChange, w *tableWatch) []byte {
	switch {
	case ch.Old == nil:
		if isOn(w.Select.Insert) {
			return m.wholeRow(db, ch, "insert", w.Columns)
		}
	case ch.New == nil:
		switch {
		case !isOn(w.Select.Delete):
		case m.isRFCMonitor():
			return append(db.AppendRow([]byte(`{"old":`), ch.Table, ch.UUID, ch.Old, w.Columns, false), '}')
		default:
			return []byte(`{"delete":null}`)
		}
	case isOn(w.Select.Modify) && len(db.changedColumns(ch, w.Columns)) > 0:
		if m.isRFCMonitor() {
			old := db.AppendRow([]byte(`{"old":`), ch.Table, ch.UUID, ch.Old, db.changedColumns(ch, w.Columns), false)
			return append(append(old, ','), m.wholeRow(db, ch, "new", w.Columns)[1:]...)
		}
		return append(db.AppendDelta([]byte(`{"modify":`), ch, w.Columns), '}')
	}
	return nil
}
