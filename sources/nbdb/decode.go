package nbdb

import (
	"errors"
	"fmt"
	"slices"

	"rung/model/ovn/nb"
)

// errInconsistent says that an update does not fit the rows known so far; only
// a fresh snapshot helps.
var errInconsistent = errors.New("update does not fit the snapshot")

// rowDecoder reads rows in the notation of RFC 7047 §5.1.
type rowDecoder struct {
	*Lexer
	share    *Sharing    // may be nil
	sent     []*sentRows // on its way
	scratch  []string
	spareSet []string       // the last set that was changed, kept for its room
	step     *nb.MemberStep // of the address set that was read last, if that is all that is new
}

// readUpdates reads <table-updates2> (ovsdb-server(7) §4.1.14) and calls row before the
// columns of each row. table returns the name of a table that is read, empty for others. kind is
// "initial", "insert", "modify" or "delete", as in the protocol.
func (d *rowDecoder) readUpdates(table func(name []byte) string, row func(table string, id []byte, kind string)) error {
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

// unfitError says that an update is about a row that is not known.
func unfitError(table, uuid, what string) error {
	return fmt.Errorf("%w: %s %s %s but is not known", errInconsistent, table, uuid, what)
}

// readChanges reads updates on top of db. Rows without a proper _uuid go to left.
func readChanges(raw []byte, db *nb.DB, share *Sharing, written []*sentRows, left *RowsAside) ([]nb.RowChange, error) {
	d := &rowDecoder{Lexer: NewLexer(raw), share: share, sent: written}
	var out []nb.RowChange
	var misfit error
	err := d.readUpdates(TableName, func(table string, id []byte, kind string) {
		old := db.Row(table, string(id))
		var uuid string
		if old != nil {
			uuid = old.RowUUID()
		} else {
			uuid = internClean(id)
		}
		if !nb.IsUUID(uuid) {
			d.leaveAside(left, table, string(id), kind)
			return
		}
		c := nb.RowChange{Old: old}
		switch {
		case kind == "delete":
			d.Skip()
			if old == nil {
				misfit = unfitError(table, uuid, "went")
				return
			}
		case kind != "modify":
			c.New = d.readRow(table, uuid, nil, false)
		case old == nil:
			misfit = unfitError(table, uuid, "changed")
			d.Skip()
			return
		default:
			c.New = d.readRow(table, uuid, old, true)
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

// leaveAside reads over a row without a proper _uuid.
func (d *rowDecoder) leaveAside(left *RowsAside, table, uuid, kind string) {
	switch kind {
	case "initial", "insert":
		left.AddRow(table, uuid, d.readRow(table, "", nil, false))
		return
	case "delete":
		left.RemoveRow(table, uuid)
	}
	d.Skip()
}

// readRow reads an object of columns. With delta, sets and maps hold the elements
// that differ from old's; other columns hold the new value.
func (d *rowDecoder) readRow(table, uuid string, old nb.Row, delta bool) nb.Row {
	switch table {
	case nb.TableACL:
		return d.readACL(uuid, old, delta)
	case nb.TableAddressSet:
		r := rowCopy[nb.AddressSet](old)
		r.UUID, d.step = uuid, nil
		var raw []byte // of addresses, decoded when the name is known
		columns, toggled := 0, false
		d.Object(func(column []byte) {
			columns++
			switch string(column) {
			case "name":
				r.Name = d.readString()
			case "addresses":
				switch {
				case delta:
					if toggled { // told twice: what is there is the last one
						d.spareSet = nil
					}
					now, step := toggleMembers(d.spareSet, r.Addresses, d.readElements(d.readString))
					d.spareSet, r.Addresses, d.step, toggled = now, now, &step, true
				case d.share == nil && d.sent == nil:
					r.Addresses = slices.Clone(d.readElements(d.readString))
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
			r.Addresses = d.readAddresses(r.Name, raw)
		case toggled:
			// Most often another zone has the set already: only what is kept is copied.
			r.Addresses = d.share.internSet(r.Name, r.Addresses, nil, slices.Clone)
		}
		if columns > 1 {
			d.step = nil
		}
		return r
	case nb.TablePortGroup:
		r := rowCopy[nb.PortGroup](old)
		r.UUID = uuid
		var later []byte // ports that were just written, read when the name is known
		d.readMembers(delta, &r.Name, &r.ExternalIDs, &r.Ports, &r.ACLs, nil, &later)
		if later == nil {
			return r
		}
		uuids, ok := d.sentSet(r.Name, later, `["uuid",`)
		if !ok {
			d.readPart(later, "a set of references", func() { uuids = d.readSet(nil, false, d.readUUID) })
		}
		r.Ports = uuids
		return r
	case nb.TableSwitch:
		r := rowCopy[nb.LogicalSwitch](old)
		r.UUID = uuid
		d.Object(func(column []byte) {
			switch string(column) {
			case "name":
				r.Name = d.readString()
			case "ports":
				r.Ports = d.readSet(r.Ports, delta, d.readUUID)
			case "acls":
				r.ACLs = d.readSet(r.ACLs, delta, d.readUUID)
			case "external_ids":
				r.ExternalIDs = d.externalIDs(r.ExternalIDs, delta)
			case "other_config":
				r.OtherConfig = d.readMap(r.OtherConfig, delta)
			default:
				d.Skip()
			}
		})
		return r
	case nb.TablePort:
		r := rowCopy[nb.LogicalSwitchPort](old)
		r.UUID = uuid
		d.readMembers(delta, &r.Name, &r.ExternalIDs, nil, nil, &r.Addresses, nil)
		return r
	case nb.TableMeter:
		r := rowCopy[nb.Meter](old)
		r.UUID = uuid
		d.Object(func(column []byte) {
			switch string(column) {
			case "name":
				r.Name = d.readString()
			case "unit":
				r.Unit = d.readString()
			case "fair":
				r.Fair = false
				d.readOptional(func() { r.Fair = d.Bool() })
			case "bands":
				r.Bands = d.readSet(r.Bands, delta, d.readUUID)
			default:
				d.Skip()
			}
		})
		return r
	case nb.TableMeterBand:
		r := rowCopy[nb.MeterBand](old)
		r.UUID = uuid
		d.Object(func(column []byte) {
			switch string(column) {
			case "action":
				r.Action = d.readString()
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
	r := rowCopy[nb.Global](old)
	r.UUID = uuid
	d.Object(func(column []byte) {
		switch string(column) {
		case "name":
			r.Name = d.readString()
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

// rowCopy is a copy of the old row to write the new one into, or an empty row.
func rowCopy[T any](old any) *T {
	r := new(T)
	if o, ok := old.(*T); ok && o != nil {
		*r = *o
	}
	return r
}

func (d *rowDecoder) readACL(uuid string, old nb.Row, delta bool) nb.Row {
	r := rowCopy[nb.ACL](old)
	r.UUID = uuid
	d.Object(func(column []byte) {
		switch string(column) {
		case "action":
			r.Action = d.readString()
		case "direction":
			r.Direction = d.readString()
		case "external_ids":
			r.ExternalIDs = d.externalIDs(r.ExternalIDs, delta)
		case "label":
			r.Label = d.Int()
		case "log":
			r.Log = d.Bool()
		case "match":
			r.Match = d.readString()
		case "meter":
			r.Meter, r.BlankMeter = d.optionalText()
		case "name":
			r.Name, r.BlankName = d.optionalText()
		case "options":
			r.Options = d.readMap(r.Options, delta)
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

// readPart reads a part that was spanned before.
func (d *rowDecoder) readPart(raw []byte, expected string, read func()) bool {
	outer := d.Lexer
	d.Lexer = NewLexer(raw)
	read()
	err := d.Lexer.End()
	d.Lexer = outer
	if err != nil {
		d.Fail(expected)
	}
	return err == nil
}

// readMembers reads the columns that switches, ports, port groups and NB_Global share; nil
// stands for one that the table has not. Whole ports are only spanned where later is given
// and some were just written.
func (d *rowDecoder) readMembers(delta bool, name *string, ids *map[string]string, ports, acls, addresses *[]string, later *[]byte) {
	d.Object(func(column []byte) {
		switch {
		case string(column) == "name":
			*name = d.readString()
		case string(column) == "ports" && later != nil && !delta && d.sent != nil:
			*later = d.Span()
		case string(column) == "ports" && ports != nil:
			*ports = d.readSet(*ports, delta, d.readUUID)
		case string(column) == "acls" && acls != nil:
			*acls = d.readSet(*acls, delta, d.readUUID)
		case string(column) == "addresses" && addresses != nil:
			*addresses = d.readSet(*addresses, delta, d.readString)
		case string(column) == "external_ids":
			*ids = d.externalIDs(*ids, delta)
		default:
			d.Skip()
		}
	})
}

// readAddresses reads a whole set, unless the set of that name looked the same the last
// time, in whichever zone, or equals the set that was just written.
func (d *rowDecoder) readAddresses(name string, raw []byte) []string {
	if known, same := d.share.knownSet(name, raw); same {
		return known
	}
	if members, ok := d.sentSet(name, raw, ""); ok {
		return d.share.internSet(name, members, raw, trimSlice)
	}
	var members []string
	if !d.readPart(raw, "a set of strings", func() { members = d.readElements(d.readString) }) {
		return nil
	}
	return d.share.internSet(name, members, raw, slices.Clone)
}

// externalIDs reads the column of that name; maps that looked the same are one.
func (d *rowDecoder) externalIDs(old map[string]string, delta bool) map[string]string {
	if delta || d.share == nil {
		return d.share.externalIDs(d.readMap(old, delta))
	}
	raw := d.Span()
	if known, same := d.share.knownIDs(raw); same {
		return known
	}
	ids, known := d.sentValue(raw)
	if !known && !d.readPart(raw, "a map of strings", func() { ids = d.readMap(nil, false) }) {
		return nil
	}
	ids = d.share.externalIDs(ids)
	d.share.learnIDs(raw, ids)
	return ids
}
