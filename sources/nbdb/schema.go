package nbdb

import (
	"errors"
	"fmt"
	"slices"

	"rung/model/clean"
	"rung/model/ovn/nb"
	"rung/sources/nbdb/jsonrpc"
)

// ErrSchema marks a database whose schema lacks what Rung has to read.
var ErrSchema = errors.New("unsuitable schema")

// tableRead is a table of which Rung monitors columns, those it can do without among
// them.
type tableRead struct {
	table    string
	columns  []string
	optional []string
	// where, if set, is a list of conditions as JSON: a row is read that meets one.
	where string
}

// watched are the tables Rung monitors in a Northbound database.
var watched = []tableRead{
	{table: nb.TableGlobal, columns: []string{"name", "external_ids"}, optional: []string{"nb_cfg", "nb_cfg_timestamp",
		"sb_cfg", "sb_cfg_timestamp", "hv_cfg", "hv_cfg_timestamp"}},
	{table: nb.TableMeterBand, columns: []string{"action", "rate", "burst_size"}},
	{table: nb.TableMeter, columns: []string{"name", "unit", "fair", "bands"}},
	{table: nb.TablePort, columns: []string{"name", "addresses", "external_ids"}},
	{table: nb.TableSwitch, columns: []string{"name", "ports", "acls", "external_ids"}},
	{table: nb.TableAddressSet, columns: []string{"name", "addresses", "external_ids"}},
	{table: nb.TablePortGroup, columns: []string{"name", "ports", "acls", "external_ids"}},
	{table: nb.TableACL, columns: []string{"action", "direction", "external_ids", "label", "log", "match", "meter",
		"name", "options", "priority", "severity", "tier"}, optional: []string{"sample_new", "sample_est"}},
}

// requests reads a reply to get_schema and returns the parameter of
// monitor_cond that asks for what is read of the tables named, all of them when none
// is, and the schema's version.
func requests(schema []byte, database string, read []tableRead, only ...string) (request []byte, version string, err error) {
	tables := map[string]map[string]bool{}
	l := jsonrpc.NewLexer(schema)
	l.Object(func(key []byte) {
		switch string(key) {
		case "version":
			version = clean.Text(string(l.String()))
		case "tables":
			l.Object(func(table []byte) {
				columns := map[string]bool{}
				tables[string(table)] = columns
				l.Object(func(key []byte) {
					if string(key) != "columns" {
						l.Skip()
						return
					}
					l.Object(func(column []byte) { columns[string(column)] = true; l.Skip() })
				})
			})
		default:
			l.Skip()
		}
	})
	if err := l.End(); err != nil {
		return nil, "", fmt.Errorf("reading the schema: %w", err)
	}
	request = append(request, '{')
	for _, w := range read {
		if len(only) > 0 && !slices.Contains(only, w.table) {
			continue
		}
		have, ok := tables[w.table]
		if !ok {
			return nil, version, fmt.Errorf("%w: %s %s has no table %s", ErrSchema, database, version, w.table)
		}
		columns := []byte{'['}
		for _, c := range w.columns {
			if !have[c] {
				return nil, version, fmt.Errorf("%w: %s %s has no column %s.%s%s", ErrSchema, database, version,
					w.table, c, since(w.table, c))
			}
			columns = append(jsonrpc.AppendString(columns, c), ',')
		}
		for _, c := range w.optional {
			if have[c] {
				columns = append(jsonrpc.AppendString(columns, c), ',')
			}
		}
		columns[len(columns)-1] = ']'
		if len(request) > 1 {
			request = append(request, ',')
		}
		request = append(jsonrpc.AppendString(request, w.table), `:[{"columns":`...)
		request = append(request, columns...)
		if w.where != "" {
			request = append(append(request, `,"where":`...), w.where...)
		}
		request = append(request, "}]"...)
	}
	return append(request, '}'), version, nil
}

// since says from which OVN on a column is there, where people may meet an
// older one.
func since(table, column string) string {
	if table == nb.TableACL && column == "tier" {
		return ": ACL tiers came with OVN 23.06"
	}
	return ""
}
