package nbdb

import (
	"bytes"
	"crypto/sha1"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/sources/files"
)

// ListPrefix begins the address of a file with the output of ovn-nbctl list.
const ListPrefix = "list:"

// ParseLists reads what ovn-nbctl list prints, of several tables one after another, as records or with -f json.
func ParseLists(text []byte) (*nb.DB, error) {
	res, err := readLists(bytes.NewReader(text), Options{Limits: Limits{}.withDefaults()}, northboundKind(nil))
	if err != nil {
		return nil, err
	}
	return res.DB, nil
}

// readLists reads lists as a database. The result names the tables without records: their rows are unknown.
func readLists(in io.Reader, o Options, of databaseKind) (*Result, error) {
	text, err := io.ReadAll(io.LimitReader(in, o.Record+1))
	switch {
	case err != nil:
		return nil, err
	case int64(len(text)) > o.Record:
		return nil, fmt.Errorf("%w of %s for lists", ErrTooLarge, files.SizeText(o.Record))
	}
	split := words.Choose(bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")), jsonRecords, listRecords)
	records, err := split(text)
	if err == nil && len(records) == 0 {
		err = fmt.Errorf("%w: no record as ovn-nbctl list prints it", ErrContent)
	}
	if err != nil {
		return nil, err
	}
	s := &databaseState{kind: of, rows: map[rowKey]databaseRow{}}
	missing := []string{nb.TableACL, nb.TableAddressSet, nb.TablePortGroup, nb.TablePort}
	for i, r := range records {
		table, id := listedTable(r), listedUUID(r)
		switch {
		case table == "":
			return nil, fmt.Errorf("%w: record %d has the columns of no table that Rung reads, such as ACL", ErrContent, i+1)
		case !nb.IsUUID(id):
			return nil, fmt.Errorf("%w: record %d, field _uuid: want a UUID", ErrContent, i+1)
		}
		missing = slices.DeleteFunc(missing, func(t string) bool { return t == table })
		read := func(columns map[string]json.RawMessage) error {
			raw, _ := json.Marshal(map[string]any{id: columns})
			return s.readTable(tableChanges{table, raw}, false, s.rows)
		}
		err := read(r)
		for _, column := range slices.Sorted(maps.Keys(r)) {
			if err != nil && read(map[string]json.RawMessage{column: r[column]}) != nil {
				return nil, fmt.Errorf("%w: record %d, field %s: wrong type of value: %s", ErrContent, i+1, words.CleanText(column),
					briefValue(r[column]))
			}
		}
	}
	res := &Result{Schema: of.name, Records: len(records), fingerprint: fmt.Sprintf("%x", sha1.Sum(text))}
	of.fill(res, s.rows)
	if len(missing) > 0 {
		res.SkippedRows = fmt.Errorf("the lists have no record of %s", strings.Join(missing, ", "))
	}
	return res, nil
}

// listedTable finds the table of a record by its columns, since lists do not name it; empty if unknown. Columns of
// logical routers, their policies and NAT, and of QoS tell those apart from ACLs and switches.
func listedTable(r map[string]json.RawMessage) string {
	for _, other := range []string{"nexthop", "nexthops", "external_ip", "bandwidth", "static_routes"} {
		if r[other] != nil {
			return ""
		}
	}
	for _, t := range []struct{ column, table string }{{"match", nb.TableACL}, {"port_security", nb.TablePort},
		{"load_balancer", nb.TableSwitch}, {"acls", nb.TablePortGroup}, {"addresses", nb.TableAddressSet}} {
		if r[t.column] != nil {
			return t.table
		}
	}
	return ""
}

// listedUUID returns the _uuid of a record; empty if it is not one value.
func listedUUID(r map[string]json.RawMessage) string {
	var id [2]string
	_ = json.Unmarshal(r["_uuid"], &id) // a wrong one is no UUID
	return id[1]
}

// briefValue returns the beginning of a value.
func briefValue(raw []byte) string {
	return words.CleanText(string(raw[:min(len(raw), 40)]))
}

// jsonRecords reads the tables that -f json prints: {"headings":[…],"data":[[…],…]}.
func jsonRecords(text []byte) (out []map[string]json.RawMessage, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	for {
		var table struct {
			Headings []string
			Data     [][]json.RawMessage
		}
		err := d.Decode(&table)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%w: JSON after record %d: %w", ErrContent, len(out), err)
		}
		for _, cells := range table.Data {
			if len(cells) != len(table.Headings) {
				return nil, fmt.Errorf("%w: record %d: %d values for %d fields", ErrContent, len(out)+1, len(cells), len(table.Headings))
			}
			r := map[string]json.RawMessage{}
			for i, column := range table.Headings {
				r[column] = cells[i]
			}
			out = append(out, r)
		}
	}
}

// listRecords reads records in the default form: a line "field : value" for each column, and a line between
// records. It skips prompts and comments.
func listRecords(text []byte) (out []map[string]json.RawMessage, err error) {
	var r map[string]json.RawMessage
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" {
			r = nil
			continue
		}
		if line[0] == '#' || line[0] == '$' {
			continue
		}
		column, value, ok := strings.Cut(line, ":")
		column = strings.TrimSpace(column)
		if r == nil || column == "_uuid" {
			r = map[string]json.RawMessage{}
			out = append(out, r)
		}
		if !ok {
			return nil, fmt.Errorf("%w: record %d: want FIELD: VALUE, got %s", ErrContent, len(out), strconv.Quote(briefValue([]byte(line))))
		}
		s := &listScanner{strings.TrimSpace(value)}
		raw := s.readValue()
		if raw == nil || s.text != "" {
			return nil, fmt.Errorf("%w: record %d, field %s: not a value of OVSDB: %s", ErrContent, len(out), words.CleanText(column),
				briefValue([]byte(value)))
		}
		r[column], _ = json.Marshal(raw)
	}
	return out, nil
}

// listScanner reads a value as OVSDB tools print it; text is the rest.
type listScanner struct{ text string }

// readValue reads a value and returns it in the notation of OVSDB's protocol; nil if it is none.
func (s *listScanner) readValue() any {
	switch {
	case s.take("["):
		set := []any{}
		for !s.take("]") {
			v := s.readAtom(false)
			if v == nil || !s.take(",") && !strings.HasPrefix(s.text, "]") {
				return nil
			}
			set = append(set, v)
		}
		return []any{"set", set}
	case s.take("{"):
		pairs := []any{}
		for !s.take("}") {
			k := s.readAtom(true)
			ok := k != nil && s.take("=")
			v := s.readAtom(true)
			if !ok || v == nil || !s.take(",") && !strings.HasPrefix(s.text, "}") {
				return nil
			}
			pairs = append(pairs, []any{k, v})
		}
		return []any{"map", pairs}
	}
	return s.readAtom(false)
}

// take skips a sign and the space around it; it reports whether the sign was there.
func (s *listScanner) take(sign string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(s.text, " "), sign)
	if ok {
		s.text = strings.TrimLeft(rest, " ")
	}
	return ok
}

// readAtom reads one string, number, boolean or UUID; asText reads all of them as strings.
func (s *listScanner) readAtom(asText bool) any {
	if strings.HasPrefix(s.text, `"`) {
		d := json.NewDecoder(strings.NewReader(s.text))
		var text string
		if d.Decode(&text) != nil {
			return nil
		}
		s.text = s.text[d.InputOffset():]
		return text
	}
	end := strings.IndexAny(s.text+",", ",=]} \"")
	word := s.text[:end]
	s.text = s.text[end:]
	n, err := strconv.ParseInt(word, 10, 64)
	switch {
	case word == "":
		return nil
	case asText:
	case nb.IsUUID(word):
		return []any{"uuid", word}
	case word == "true" || word == "false":
		return word == "true"
	case err == nil:
		return n
	}
	return word
}
