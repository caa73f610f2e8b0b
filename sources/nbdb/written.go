package nbdb

import (
	"bytes"
	"slices"
	"sync"

	"rung/model/ovn/nb"
)

// pendingWrites are the transactions under way that make rows. The server sends those rows
// back in the update that comes before the result, nearly always in the very bytes in
// which they were sent: then they need not be decoded, nor held twice. The bytes on the
// wire are compared, never taken on trust.
type pendingWrites struct {
	mu       sync.Mutex
	underWay []*sentRows
}

func (w *pendingWrites) beginWrite(s *sentRows) {
	if len(s.texts)+len(s.maps)+len(s.sets)+len(s.refs) == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.underWay = append(w.underWay, s)
}

func (w *pendingWrites) endWrite(s *sentRows) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.underWay = slices.DeleteFunc(w.underWay, func(o *sentRows) bool { return o == s })
}

// currentWrites lists them, for one update.
func (w *pendingWrites) currentWrites() []*sentRows {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.underWay)
}

// sentRows holds the values of the rows that one transaction makes. It is filled while the
// operations are encoded and does not change afterwards.
type sentRows struct {
	texts map[string]string            // values of columns that are clean as they are
	maps  map[string]map[string]string // by their bytes
	sets  map[string][]string          // address sets by name: their members
	refs  map[string][]string          // port groups by name: the UUIDs of their ports
}

// noteColumn takes in a column of a new row; raw is what it was encoded to.
func (s *sentRows) noteColumn(op *nb.Op, column string, value any, raw []byte) {
	switch v := value.(type) {
	case string:
		if isClean([]byte(v)) {
			putInMap(&s.texts, v, v)
		}
	case map[string]string:
		if len(v) > 0 && isClean(raw) && bytes.IndexByte(raw, '\\') < 0 { // no text of it is escaped
			putInMap(&s.maps, string(raw), v)
		}
	case []string:
		if name, ok := op.Row["name"].(string); ok && op.Table == nb.TableAddressSet && column == "addresses" {
			putInMap(&s.sets, name, v)
		}
	case []nb.Ref:
		if name, ok := op.Row["name"].(string); ok && op.Table == nb.TablePortGroup && column == "ports" {
			uuids := make([]string, len(v))
			for i, r := range v {
				uuids[i] = r.UUID
				if !nb.IsUUID(r.UUID) {
					return // a row of the same transaction: nobody knows how it will be called
				}
			}
			putInMap(&s.refs, name, uuids)
		}
	}
}

func putInMap[T any](m *map[string]T, key string, v T) {
	if *m == nil {
		*m = map[string]T{}
	}
	(*m)[key] = v
}

// sentText returns a text as it was sent, where it was, so that it is held once.
func (d *rowDecoder) sentText(b []byte) string {
	for _, s := range d.sent {
		if t, ok := s.texts[string(b)]; ok {
			return t
		}
	}
	return internClean(b)
}

// sentValue is the map that was sent as these bytes.
func (d *rowDecoder) sentValue(raw []byte) (m map[string]string, ok bool) {
	for _, s := range d.sent {
		m, ok = s.maps[string(raw)]
		if ok {
			return m, true
		}
	}
	return nil, false
}

// sentSet returns the members sent for the address set of that name, or the ports for the
// group, if raw spells them; before is as for spells.
func (d *rowDecoder) sentSet(name string, raw []byte, before string) (members []string, ok bool) {
	for _, s := range d.sent {
		m := s.sets[name]
		if before != "" {
			m = s.refs[name]
		}
		if len(m) > 0 && spellsMembers(raw, m, before) {
			return m, true
		}
	}
	return nil, false
}

// spellsMembers says whether reading raw, a set as the server writes it, would give just
// these members; before is what comes before each, and an array is closed behind it.
// It is sure of a yes: where a byte is not where it would be, where members are out of
// order or where one is written by an escape or has to be cleaned, it says no, and raw
// has to be read.
func spellsMembers(raw []byte, members []string, before string) bool {
	const begin, end = `["set",[`, `]]`
	if len(members) != 1 || startsWith(raw, begin) {
		if !startsWith(raw, begin) || len(raw) < len(begin)+len(end) || string(raw[len(raw)-len(end):]) != end {
			return false
		}
		raw = raw[len(begin) : len(raw)-len(end)]
	}
	after := `"`
	if before != "" {
		after = `"]`
	}
	last := ""
	for i, m := range members {
		if i > 0 {
			if !startsWith(raw, ",") {
				return false
			}
			raw = raw[1:]
		}
		if before != "" {
			if !startsWith(raw, before) {
				return false
			}
			raw = raw[len(before):]
		}
		n := len(m)
		if len(raw) < n+1+len(after) || raw[0] != '"' || string(raw[1:n+1]) != m || string(raw[n+1:n+1+len(after)]) != after ||
			m < last || !isPlainJSON(m) {
			return false
		}
		raw, last = raw[n+1+len(after):], m
	}
	return len(raw) == 0
}

func startsWith(raw []byte, s string) bool { return len(raw) >= len(s) && string(raw[:len(s)]) == s }

// isPlainJSON says whether a string is in JSON as it is, and stays so when it is cleaned.
func isPlainJSON(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c > 0x7e || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
