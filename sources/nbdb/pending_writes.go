package nbdb

import (
	"bytes"
	"slices"
	"sync"

	"rung/model/ovn/nb"
)

// pendingWrites holds the transactions under way that insert rows. Before the result, the server sends these
// rows back in an update, nearly always with the bytes that were sent. They then need no decoding and no
// second copy. The received bytes are always compared.
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

// currentWrites returns the transactions under way, for one update.
func (w *pendingWrites) currentWrites() []*sentRows {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.underWay)
}

// sentRows holds the values of the rows that one transaction inserts. It is filled while the operations are
// encoded, and does not change afterwards.
type sentRows struct {
	texts map[string]string            // column values that need no cleaning
	maps  map[string]map[string]string // by their encoded bytes
	sets  map[string][]string          // members of address sets, by name
	refs  map[string][]string          // UUIDs of port groups' ports, by name
}

// noteColumn records a column of a new row; raw is its encoding.
func (s *sentRows) noteColumn(op *nb.Op, column string, value any, raw []byte) {
	switch v := value.(type) {
	case string:
		if isClean([]byte(v)) {
			putInMap(&s.texts, v, v)
		}
	case map[string]string:
		if len(v) > 0 && isClean(raw) && bytes.IndexByte(raw, '\\') < 0 { // no string in it is escaped
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
					return // a row of the same transaction, whose UUID is unknown
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

// sentText returns the sent string itself if it equals b, so that it is held once.
func (d *rowDecoder) sentText(b []byte) string {
	for _, s := range d.sent {
		if t, ok := s.texts[string(b)]; ok {
			return t
		}
	}
	return internClean(b)
}

// sentValue returns the map that was sent as these bytes.
func (d *rowDecoder) sentValue(raw []byte) (m map[string]string, ok bool) {
	for _, s := range d.sent {
		m, ok = s.maps[string(raw)]
		if ok {
			return m, true
		}
	}
	return nil, false
}

// sentSet returns the sent members of that address set, or the ports of that group, if raw spells them. before
// is as for spellsMembers.
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

// spellsMembers reports whether reading raw, a set as the server writes it, would give exactly these members.
// before precedes each member, and then an array is closed behind it. It returns false if in doubt: for
// unexpected bytes, unsorted members, escapes, or text to clean. Then raw must be read.
func spellsMembers(raw []byte, members []string, before string) bool {
	const begin, end = `["set",[`, `]]`
	startsWith := func(s string) bool { return len(raw) >= len(s) && string(raw[:len(s)]) == s }
	before += `"`
	between, after, last := before, `"`, end
	if len(before) > 1 {
		after = `"]`
	}
	if len(members) != 1 || startsWith(begin) {
		before = begin + before
	} else {
		last = ""
	}
	for i, m := range members {
		if !startsWith(before) || i > 0 && m < members[i-1] || !isPlainJSON(m) {
			return false
		}
		raw = raw[len(before):]
		if !startsWith(m) {
			return false
		}
		raw = raw[len(m):]
		if !startsWith(after) {
			return false
		}
		raw, before = raw[len(after):], ","+between
	}
	return string(raw) == last
}

// isPlainJSON reports whether JSON encoding and cleaning both leave the string unchanged.
func isPlainJSON(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c > 0x7e || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
