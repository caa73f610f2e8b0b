package nbdb

import (
	"encoding/json"

	"rung/model/ovn/nb"
	"rung/model/ovn/sb"
	"rung/sources/nbdb/jsonrpc"
)

// Keys of external_ids in a Southbound database.
const (
	keyStage  = "stage-name"
	keyHint   = "stage-hint"
	keySwitch = "logical-switch"
	keyName   = "name"
)

// watchedSouthbound are the tables Rung monitors in a Southbound database.
var watchedSouthbound = []tableRead{
	{table: sb.TableGlobal, columns: []string{"nb_cfg"}},
	{table: sb.TableChassis, columns: []string{"name", "nb_cfg"}, optional: []string{"nb_cfg_timestamp"}},
	{table: sb.TableDatapath, columns: []string{"external_ids"}},
	{table: sb.TableGroup, columns: []string{"datapaths"}},
	{table: sb.TableFlow, columns: []string{"logical_datapath", "logical_dp_group", "pipeline", "table_id", "priority",
		"match", "actions", "external_ids"}, where: aclConditions()},
}

// aclConditions are met by the flows of the ACL stages: a row is sent that meets one of
// them (ovsdb-server(7) §4.1.12).
func aclConditions() string {
	var conditions [][3]any
	for _, stage := range sb.ACLStages() {
		conditions = append(conditions, [3]any{"external_ids", "includes", []any{"map", [][2]string{{keyStage, stage}}}})
	}
	text, _ := json.Marshal(conditions) // strings and lists: it cannot fail
	return string(text)
}

// southboundChanges reads updates on top of db. A row without a proper _uuid is left
// out: nothing could be said of it.
func southboundChanges(raw []byte, db *sb.DB) ([]sb.Change, error) {
	d := &decoder{Lexer: jsonrpc.NewLexer(raw)}
	var out []sb.Change
	var misfit error
	err := d.updates(SouthboundTable, func(table string, id []byte, kind string) {
		old := db.Row(table, string(id))
		uuid := text(id)
		if !nb.IsUUID(uuid) {
			d.Skip()
			return
		}
		// A flow of another stage is unknown, should a server have sent it all the same.
		lacking := old == nil && table != sb.TableFlow
		switch {
		case kind == "delete":
			d.Skip()
			if lacking {
				misfit = unfit(table, uuid, "went")
			}
			if old != nil {
				out = append(out, sb.Change{Old: old})
			}
		case kind == "modify" && old == nil:
			d.Skip()
			if lacking {
				misfit = unfit(table, uuid, "changed")
			}
		default:
			row := d.southbound(table, uuid, old, kind == "modify")
			if f, ok := row.(*sb.Flow); ok && !sb.IsACLStage(f.Stage) {
				if row = nil; old == nil {
					return
				}
			}
			out = append(out, sb.Change{Old: old, New: row})
		}
	})
	if err != nil {
		return nil, err
	}
	return out, misfit
}

// southbound reads an object of columns; see row.
func (d *decoder) southbound(table, uuid string, old sb.Row, delta bool) sb.Row {
	switch table {
	case sb.TableFlow:
		r := start[sb.Flow](old)
		r.UUID = uuid
		d.flow(r, delta)
		return r
	case sb.TableGroup:
		r := start[sb.Group](old)
		r.UUID = uuid
		d.columns(map[string]func(){"datapaths": func() { r.Datapaths = d.set(r.Datapaths, delta, d.uuid) }})
		return r
	case sb.TableDatapath:
		r := start[sb.Datapath](old)
		r.UUID = uuid
		d.columns(map[string]func(){"external_ids": func() { d.picks(map[string]*string{keyName: &r.Name, keySwitch: &r.Switch}, delta) }})
		if !nb.IsUUID(r.Switch) {
			r.Switch = ""
		}
		return r
	case sb.TableChassis:
		r := start[sb.Chassis](old)
		r.UUID = uuid
		d.columns(map[string]func(){
			"name":             func() { r.Name = d.str() },
			"nb_cfg":           func() { r.NbCfg = int64(d.Int()) },
			"nb_cfg_timestamp": func() { r.Stamp = int64(d.Int()) },
		})
		return r
	}
	r := start[sb.Global](old)
	r.UUID = uuid
	d.columns(map[string]func(){"nb_cfg": func() { r.NbCfg = int64(d.Int()) }})
	return r
}

// columns reads an object of columns; others than those named are passed over.
func (d *decoder) columns(read map[string]func()) {
	d.Object(func(column []byte) {
		if f := read[string(column)]; f != nil {
			f()
		} else {
			d.Skip()
		}
	})
}

// flow reads the columns of a logical flow: there may be very many.
func (d *decoder) flow(r *sb.Flow, delta bool) {
	d.Object(func(column []byte) {
		switch string(column) {
		case "logical_datapath":
			r.Datapath = d.optionalUUID()
		case "logical_dp_group":
			r.Group = d.optionalUUID()
		case "pipeline":
			r.Pipeline = d.str()
		case "table_id":
			r.Table = d.Int()
		case "priority":
			r.Priority = d.Int()
		case "match":
			r.Match = d.str()
		case "actions":
			r.Actions = d.str()
		case "external_ids":
			d.picks(map[string]*string{keyStage: &r.Stage, keyHint: &r.Hint}, delta)
		default:
			d.Skip()
		}
	})
}

// picks reads single entries of a map. In a delta an entry equal to what was is one
// that went.
func (d *decoder) picks(want map[string]*string, delta bool) {
	d.pairs(func(key, value string) {
		to := want[key]
		switch {
		case to == nil:
		case delta && *to == value:
			*to = ""
		default:
			*to = value
		}
	})
}
