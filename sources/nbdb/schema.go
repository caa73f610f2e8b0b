package nbdb

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"rung/model/ovn/nb"
	"rung/model/words"
)

// ErrSchema means that the schema lacks a table or column that Rung needs.
var ErrSchema = errors.New("unsuitable schema")

// tableRead names a table and the columns to monitor; optional ones may be missing.
type tableRead struct {
	table    string
	columns  []string
	optional []string
	// where, if set, is a JSON list of conditions: rows that meet one are read.
	where string
}

// watched are the monitored tables of a Northbound database.
var watched = []tableRead{
	{table: nb.TableGlobal, columns: []string{"name", "external_ids"}, optional: []string{"nb_cfg", "nb_cfg_timestamp",
		"sb_cfg", "sb_cfg_timestamp", "hv_cfg", "hv_cfg_timestamp"}},
	{table: nb.TableMeterBand, columns: []string{"action", "rate", "burst_size"}},
	{table: nb.TableMeter, columns: []string{"name", "unit", "fair", "bands"}},
	{table: nb.TablePort, columns: []string{"name", "addresses", "external_ids"}},
	{table: nb.TableSwitch, columns: []string{"name", "ports", "acls", "external_ids"}, optional: []string{"other_config"}},
	{table: nb.TableAddressSet, columns: []string{"name", "addresses", "external_ids"}},
	{table: nb.TablePortGroup, columns: []string{"name", "ports", "acls", "external_ids"}},
	{table: nb.TableACL, columns: []string{"action", "direction", "external_ids", "label", "log", "match", "meter",
		"name", "options", "priority", "severity", "tier"}, optional: []string{"sample_new", "sample_est"}},
}

// monitorRequests reads a reply to get_schema. It returns the parameter of monitor_cond for the tables in
// read, limited to those named in only, if any, and the schema's version.
func monitorRequests(schema []byte, database string, read []tableRead, only ...string) (request []byte, version string, err error) {
	var in struct {
		Version string
		Tables  map[string]struct{ Columns map[string]any }
	}
	if err := json.Unmarshal(schema, &in); err != nil {
		return nil, "", fmt.Errorf("reading the schema: %w", err)
	}
	version = words.CleanText(in.Version)
	request = append(request, '{')
	for _, w := range read {
		if len(only) > 0 && !slices.Contains(only, w.table) {
			continue
		}
		have, ok := in.Tables[w.table]
		if !ok {
			return nil, version, fmt.Errorf("%w: %s %s has no table %s", ErrSchema, database, version, w.table)
		}
		columns := []byte{'['}
		for _, c := range w.columns {
			if _, ok := have.Columns[c]; !ok {
				since := ""
				if w.table == nb.TableACL && c == "tier" { // older OVN releases without this column are still in use
					since = ": ACL tiers came with OVN 23.06"
				}
				return nil, version, fmt.Errorf("%w: %s %s has no column %s.%s%s", ErrSchema, database, version, w.table, c, since)
			}
			columns = append(AppendString(columns, c), ',')
		}
		for _, c := range w.optional {
			if _, ok := have.Columns[c]; ok {
				columns = append(AppendString(columns, c), ',')
			}
		}
		columns[len(columns)-1] = ']'
		request = append(AppendString(AppendComma(request), w.table), `:[{"columns":`...)
		request = append(request, columns...)
		if w.where != "" {
			request = append(append(request, `,"where":`...), w.where...)
		}
		request = append(request, "}]"...)
	}
	return append(request, '}'), version, nil
}

// tableIn returns the name if the table is in read, else "".
func tableIn(read []tableRead, name []byte) string {
	for _, w := range read {
		if string(name) == w.table {
			return w.table
		}
	}
	return ""
}

// checkName rejects the database of another zone, by the name in NB_Global. An empty name was never set; only
// strict rejects it.
func checkName(db *nb.DB, zone string, strict bool) error {
	g := db.Global()
	switch {
	case strict && (g == nil || g.Name == ""):
		return fmt.Errorf("%w: NB_Global has no name, so it may not be %q", ErrWrongZone, zone)
	case g != nil && g.Name != "" && g.Name != zone:
		return fmt.Errorf("%w: NB_Global is named %q, not %q", ErrWrongZone, g.Name, zone)
	}
	return nil
}
