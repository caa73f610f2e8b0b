package nbdb

import (
	"errors"
	"fmt"
	"slices"

	"rung/model/ovn/nb"
	"rung/sources/nbdb/jsonrpc"
)

// errInconsistent says that an update does not fit the rows known so far; only
// a fresh snapshot helps.
var errInconsistent = errors.New("update does not fit the snapshot")

// decoder reads rows in the notation of RFC 7047 §5.1.
type decoder struct {
	*jsonrpc.Lexer
	share   *Sharing // may be nil
	sent    []*sent  // on its way
	scratch []string
	made    []string       // the last set that was changed, kept for its room
	step    *nb.MemberStep // of the address set that was read last, if that is all that is new
}

// updates reads <table-updates2> (ovsdb-server(7) §4.1.14) and calls row before what is
// said of each row; table names the tables that are read, empty for others. kind is one
// of those of the protocol.
func (d *decoder) updates(table func(name []byte) string, row func(table string, id []byte, kind string)) error {
	d.Object(func(key []byte) {
		name := table(key)
		if name == "" {
			d.Skip()
			return
		}
		d.Object(func(id []byte) {
			d.Object(func(key []byte) {
				kind := string(key)
				switch kind {
				case "initial", "insert", "modify", "delete":
				default:
					d.Fail("initial, insert, modify or delete")
				}
				row(name, id, kind)
			})
		})
	})
	if err := d.End(); err != nil {
		return fmt.Errorf("reading an update: %w", err)
	}
	return nil
}

// unfit says that an update is about a row that is not known.
func unfit(table, uuid, what string) error {
	return fmt.Errorf("%w: %s %s %s but is not known", errInconsistent, table, uuid, what)
}

// changes reads updates on top of db. Rows without a proper _uuid go to left.
func changes(raw []byte, db *nb.DB, share *Sharing, written []*sent, left *Left) ([]nb.RowChange, error) {
	d := &decoder{Lexer: jsonrpc.NewLexer(raw), share: share, sent: written}
	var out []nb.RowChange
	var misfit error
	err := d.updates(Table, func(table string, id []byte, kind string) {
		old := db.Row(table, string(id))
		var uuid string
		if old != nil {
			uuid = old.RowUUID()
		} else {
			uuid = text(id)
		}
		if !nb.IsUUID(uuid) {
			d.leave(left, table, string(id), kind)
			return
		}
		c := nb.RowChange{Old: old}
		switch {
		case kind == "delete":
			d.Skip()
			if old == nil {
				misfit = unfit(table, uuid, "went")
				return
			}
		case kind != "modify":
			c.New = d.row(table, uuid, nil, false)
		case old == nil:
			misfit = unfit(table, uuid, "changed")
			d.Skip()
			return
		default:
			c.New = d.row(table, uuid, old, true)
			if table == nb.TableAddressSet {
				c.Step = d.step
			}
		}
		out = append(out, c)
	})
	if err != nil {
		return nil, err
	}
	return out, misfit
}

// leave reads over a row without a proper _uuid.
func (d *decoder) leave(left *Left, table, uuid, kind string) {
	switch kind {
	case "initial", "insert":
		left.Row(table, uuid, d.row(table, "", nil, false))
		return
	case "delete":
		left.Gone(table, uuid)
	}
	d.Skip()
}

// row reads an object of columns. With delta, sets and maps hold the elements
// that differ from old's; other columns hold the new value.
func (d *decoder) row(table, uuid string, old nb.Row, delta bool) nb.Row {
	switch table {
	case nb.TableACL:
		return d.acl(uuid, old, delta)
	case nb.TableAddressSet:
		r := start[nb.AddressSet](old)
		r.UUID, d.step = uuid, nil
		var raw []byte // of addresses, decoded when the name is known
		columns, toggled := 0, false
		d.Object(func(column []byte) {
			columns++
			switch string(column) {
			case "name":
				r.Name = d.str()
			case "addresses":
				switch {
				case delta:
					if toggled { // told twice: what is there is the last one
						d.made = nil
					}
					now, step := toggle(d.made, r.Addresses, d.elements(d.str))
					d.made, r.Addresses, d.step, toggled = now, now, &step, true
				case d.share == nil && d.sent == nil:
					r.Addresses = slices.Clone(d.elements(d.str))
				default:
					raw = d.Span()
				}
			case "external_ids":
				r.ExternalIDs = d.externalIDs(r.ExternalIDs, delta)
			default:
				d.Skip()
			}
		})
		switch {
		case raw != nil:
			r.Addresses = d.addresses(r.Name, raw)
		case toggled:
			// Most often another zone has the set already: only what is kept is copied.
			r.Addresses = d.share.setAs(r.Name, r.Addresses, nil, slices.Clone)
		}
		if columns > 1 {
			d.step = nil
		}
		return r
	case nb.TablePortGroup:
		r := start[nb.PortGroup](old)
		r.UUID = uuid
		var later []byte // ports that were just written, read when the name is known
		d.members(delta, &r.Name, &r.ExternalIDs, &r.Ports, &r.ACLs, nil, &later)
		if later == nil {
			return r
		}
		uuids, ok := d.sentSet(r.Name, later, `["uuid",`)
		if !ok {
			d.within(later, "a set of references", func() { uuids = d.set(nil, false, d.uuid) })
		}
		r.Ports = uuids
		return r
	case nb.TableSwitch:
		r := start[nb.LogicalSwitch](old)
		r.UUID = uuid
		d.members(delta, &r.Name, &r.ExternalIDs, &r.Ports, &r.ACLs, nil, nil)
		return r
	case nb.TablePort:
		r := start[nb.LogicalSwitchPort](old)
		r.UUID = uuid
		d.members(delta, &r.Name, &r.ExternalIDs, nil, nil, &r.Addresses, nil)
		return r
	case nb.TableMeter:
		r := start[nb.Meter](old)
		r.UUID = uuid
		d.Object(func(column []byte) {
			switch string(column) {
			case "name":
				r.Name = d.str()
			case "unit":
				r.Unit = d.str()
			case "fair":
				r.Fair = false
				d.optional(func() { r.Fair = d.Bool() })
			case "bands":
				r.Bands = d.set(r.Bands, delta, d.uuid)
			default:
				d.Skip()
			}
		})
		return r
	case nb.TableMeterBand:
		r := start[nb.MeterBand](old)
		r.UUID = uuid
		d.Object(func(column []byte) {
			switch string(column) {
			case "action":
				r.Action = d.str()
			case "rate":
				r.Rate = d.Int()
			case "burst_size":
				r.BurstSize = d.Int()
			default:
				d.Skip()
			}
		})
		return r
	}
	r := start[nb.Global](old)
	r.UUID = uuid
	d.Object(func(column []byte) {
		switch string(column) {
		case "name":
			r.Name = d.str()
		case "external_ids":
			r.ExternalIDs = d.externalIDs(r.ExternalIDs, delta)
		case "nb_cfg":
			r.Written.Cfg = int64(d.Int())
		case "nb_cfg_timestamp":
			r.Written.Stamp = int64(d.Int())
		case "sb_cfg":
			r.Made.Cfg = int64(d.Int())
		case "sb_cfg_timestamp":
			r.Made.Stamp = int64(d.Int())
		case "hv_cfg":
			r.Done.Cfg = int64(d.Int())
		case "hv_cfg_timestamp":
			r.Done.Stamp = int64(d.Int())
		default:
			d.Skip()
		}
	})
	return r
}

// start is a copy of the old row to write the new one into, or an empty row.
func start[T any](old any) *T {
	r := new(T)
	if o, ok := old.(*T); ok && o != nil {
		*r = *o
	}
	return r
}

func (d *decoder) acl(uuid string, old nb.Row, delta bool) nb.Row {
	r := start[nb.ACL](old)
	r.UUID = uuid
	d.Object(func(column []byte) {
		switch string(column) {
		case "action":
			r.Action = d.str()
		case "direction":
			r.Direction = d.str()
		case "external_ids":
			r.ExternalIDs = d.externalIDs(r.ExternalIDs, delta)
		case "label":
			r.Label = d.Int()
		case "log":
			r.Log = d.Bool()
		case "match":
			r.Match = d.str()
		case "meter":
			r.Meter, r.BlankMeter = d.optionalText()
		case "name":
			r.Name, r.BlankName = d.optionalText()
		case "options":
			r.Options = d.mapping(r.Options, delta)
		case "priority":
			r.Priority = d.Int()
		case "severity":
			r.Severity, _ = d.optionalText()
		case "tier":
			r.Tier = d.Int()
		case "sample_new":
			r.SampleNew = d.optionalUUID()
		case "sample_est":
			r.SampleEst = d.optionalUUID()
		default:
			d.Skip()
		}
	})
	return r
}

// within reads a part that was spanned before.
func (d *decoder) within(raw []byte, expected string, read func()) bool {
	outer := d.Lexer
	d.Lexer = jsonrpc.NewLexer(raw)
	read()
	err := d.Lexer.End()
	d.Lexer = outer
	if err != nil {
		d.Fail(expected)
	}
	return err == nil
}

// members reads the columns that switches, ports, port groups and NB_Global share; nil
// stands for one that the table has not. Whole ports are only spanned where later is given
// and some were just written.
func (d *decoder) members(delta bool, name *string, ids *map[string]string, ports, acls, addresses *[]string, later *[]byte) {
	d.Object(func(column []byte) {
		switch {
		case string(column) == "name":
			*name = d.str()
		case string(column) == "ports" && later != nil && !delta && d.sent != nil:
			*later = d.Span()
		case string(column) == "ports" && ports != nil:
			*ports = d.set(*ports, delta, d.uuid)
		case string(column) == "acls" && acls != nil:
			*acls = d.set(*acls, delta, d.uuid)
		case string(column) == "addresses" && addresses != nil:
			*addresses = d.set(*addresses, delta, d.str)
		case string(column) == "external_ids":
			*ids = d.externalIDs(*ids, delta)
		default:
			d.Skip()
		}
	})
}

// addresses reads a whole set, unless the set of that name looked the same the last
// time, in whichever zone, or equals the set that was just written.
func (d *decoder) addresses(name string, raw []byte) []string {
	if known, same := d.share.knownSet(name, raw); same {
		return known
	}
	if members, ok := d.sentSet(name, raw, ""); ok {
		return d.share.setAs(name, members, raw, fitting)
	}
	var members []string
	if !d.within(raw, "a set of strings", func() { members = d.elements(d.str) }) {
		return nil
	}
	return d.share.setAs(name, members, raw, slices.Clone)
}

// externalIDs reads the column of that name; maps that looked the same are one.
func (d *decoder) externalIDs(old map[string]string, delta bool) map[string]string {
	if delta || d.share == nil {
		return d.share.externalIDs(d.mapping(old, delta))
	}
	raw := d.Span()
	if known, same := d.share.knownIDs(raw); same {
		return known
	}
	ids, known := d.asSent(raw)
	if !known && !d.within(raw, "a map of strings", func() { ids = d.mapping(nil, false) }) {
		return nil
	}
	ids = d.share.externalIDs(ids)
	d.share.learnIDs(raw, ids)
	return ids
}
