package nbdb

import (
	"errors"
	"fmt"
	"slices"

	"rung/model/ovn/nb"
)

// errInconsistent means that an update does not fit the known rows; only a fresh snapshot helps.
var errInconsistent = errors.New("update does not fit the snapshot")

// rowDecoder reads rows in the notation of RFC 7047 §5.1.
type rowDecoder struct {
	*Lexer
	share    *Sharing // may be nil
	scratch  []string
	spareSet []string       // the last changed set, to reuse its memory
	step     *nb.MemberStep // of the address set read last, if only members changed
}

// readUpdates reads <table-updates2> (ovsdb-server(7) §4.1.14). It calls row before the columns of each row in
// the tables of read. kind is "initial", "insert", "modify" or "delete", as in the protocol.
func (d *rowDecoder) readUpdates(read []tableRead, row func(table string, id []byte, kind string)) error {
	d.Object(func(key []byte) {
		name := tableIn(read, key)
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

// inconsistentError returns an error about an update of an unknown row.
func inconsistentError(table, uuid, what string) error {
	return fmt.Errorf("%w: %s %s %s but is unknown", errInconsistent, table, uuid, what)
}

// readChanges reads updates of db. Rows without a valid _uuid are added to left.
func readChanges(raw []byte, db *nb.DB, share *Sharing, left *SkippedRows) ([]nb.RowChange, error) {
	d := &rowDecoder{Lexer: NewLexer(raw), share: share}
	var out []nb.RowChange
	var misfit error
	err := d.readUpdates(watched, func(table string, id []byte, kind string) {
		old := db.Row(table, string(id))
		var uuid string
		if old != nil {
			uuid = old.RowUUID()
		} else {
			uuid = internClean(id)
		}
		if !nb.IsUUID(uuid) {
			d.skipRow(left, table, string(id), kind)
			return
		}
		c := nb.RowChange{Old: old}
		switch {
		case kind == "delete":
			d.Skip()
			if old == nil {
				misfit = inconsistentError(table, uuid, "was deleted")
				return
			}
		case kind != "modify":
			c.New = d.readRow(table, uuid, nil, false)
		case old == nil:
			misfit = inconsistentError(table, uuid, "changed")
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

// skipRow skips a row without a valid _uuid.
func (d *rowDecoder) skipRow(left *SkippedRows, table, uuid, kind string) {
	switch kind {
	case "initial", "insert":
		left.AddRow(table, uuid, d.readRow(table, "", nil, false))
		return
	case "delete":
		left.RemoveRow(table, uuid)
	}
	d.Skip()
}

// readRow reads an object of columns. With delta, sets and maps contain only the elements that differ from
// old's; other columns contain the new value.
func (d *rowDecoder) readRow(table, uuid string, old nb.Row, delta bool) nb.Row {
	switch table {
	case nb.TableACL:
		r := rowCopy[nb.ACL](old)
		d.readColumns(&r.UUID, uuid, delta, []columnTarget{{"action", &r.Action}, {"direction", &r.Direction}, {"external_ids", &r.ExternalIDs},
			{"label", &r.Label}, {"log", &r.Log}, {"match", &r.Match}, {"options", &r.Options}, {"priority", &r.Priority}, {"tier", &r.Tier},
			{"meter", func() { r.Meter, r.BlankMeter = d.optionalText() }},
			{"name", func() { r.Name, r.BlankName = d.optionalText() }},
			{"severity", func() { r.Severity, _ = d.optionalText() }},
			{"sample_new", func() { r.SampleNew = d.optionalUUID() }},
			{"sample_est", func() { r.SampleEst = d.optionalUUID() }}})
		return r
	case nb.TableAddressSet:
		return d.readAddressSet(uuid, old, delta)
	case nb.TablePortGroup:
		r := rowCopy[nb.PortGroup](old)
		d.readColumns(&r.UUID, uuid, delta, []columnTarget{{"name", &r.Name}, {"external_ids", &r.ExternalIDs}, {"acls", &r.ACLs},
			{"ports", &r.Ports}})
		return r
	case nb.TableSwitch:
		r := rowCopy[nb.LogicalSwitch](old)
		d.readColumns(&r.UUID, uuid, delta, []columnTarget{{"name", &r.Name}, {"ports", &r.Ports}, {"acls", &r.ACLs},
			{"external_ids", &r.ExternalIDs}, {"other_config", &r.OtherConfig}})
		return r
	case nb.TablePort:
		r := rowCopy[nb.LogicalSwitchPort](old)
		d.readColumns(&r.UUID, uuid, delta, []columnTarget{{"name", &r.Name}, {"addresses", &r.Addresses}, {"external_ids", &r.ExternalIDs}})
		return r
	case nb.TableMeter:
		r := rowCopy[nb.Meter](old)
		d.readColumns(&r.UUID, uuid, delta, []columnTarget{{"name", &r.Name}, {"unit", &r.Unit}, {"bands", &r.Bands}, {"fair", func() {
			r.Fair = false
			d.readOptional(func() { r.Fair = d.Bool() })
		}}})
		return r
	case nb.TableMeterBand:
		r := rowCopy[nb.MeterBand](old)
		d.readColumns(&r.UUID, uuid, delta, []columnTarget{{"action", &r.Action}, {"rate", &r.Rate}, {"burst_size", &r.BurstSize}})
		return r
	}
	r := rowCopy[nb.Global](old)
	d.readColumns(&r.UUID, uuid, delta, []columnTarget{{"name", &r.Name}, {"external_ids", &r.ExternalIDs},
		{"nb_cfg", &r.Written.Cfg}, {"nb_cfg_timestamp", &r.Written.Stamp}, {"sb_cfg", &r.Made.Cfg}, {"sb_cfg_timestamp", &r.Made.Stamp},
		{"hv_cfg", &r.Done.Cfg}, {"hv_cfg_timestamp", &r.Done.Stamp}})
	return r
}

func (d *rowDecoder) readAddressSet(uuid string, old nb.Row, delta bool) nb.Row {
	r := rowCopy[nb.AddressSet](old)
	d.step = nil
	var raw []byte // of addresses, decoded once the name is known
	toggled := false
	columns := d.readColumns(&r.UUID, uuid, delta, []columnTarget{{"name", &r.Name}, {"external_ids", &r.ExternalIDs}, {"addresses", func() {
		switch {
		case delta:
			if toggled { // the column came twice: spareSet is in use
				d.spareSet = nil
			}
			now, step := toggleMembers(d.spareSet, r.Addresses, d.readElements(d.readString))
			d.spareSet, r.Addresses, d.step, toggled = now, now, &step, true
		case d.share == nil:
			r.Addresses = slices.Clone(d.readElements(d.readString))
		default:
			raw = d.Span()
		}
	}}})
	switch {
	case raw != nil:
		r.Addresses = d.readAddresses(r.Name, raw)
	case toggled:
		// Usually another zone has the set already, so copy only a new one.
		r.Addresses = d.share.internSet(r.Name, r.Addresses, nil, slices.Clone)
	}
	if columns > 1 {
		d.step = nil
	}
	return r
}

// columnTarget is the destination of a column's value: a pointer to a string, number, boolean, map or set of
// references (of strings, for addresses), or a function that reads it.
type columnTarget struct {
	name string
	to   any
}

// readColumns sets a row's _uuid, reads an object of columns and counts them. It skips columns without a target.
func (d *rowDecoder) readColumns(to *string, uuid string, delta bool, targets []columnTarget) (columns int) {
	*to = uuid
	d.Object(func(name []byte) {
		columns++
		for i := range targets {
			if targets[i].name == string(name) {
				d.readColumn(&targets[i], delta)
				return
			}
		}
		d.Skip()
	})
	return columns
}

func (d *rowDecoder) readColumn(t *columnTarget, delta bool) {
	switch to := t.to.(type) {
	case *string:
		*to = d.readString()
	case *int:
		*to = d.Int()
	case *int64:
		*to = int64(d.Int())
	case *bool:
		*to = d.Bool()
	case *map[string]string:
		if t.name == "external_ids" {
			*to = d.externalIDs(*to, delta)
		} else {
			*to = d.readMap(*to, delta)
		}
	case *[]string:
		if t.name == "addresses" {
			*to = d.readSet(*to, delta, d.readString)
		} else {
			*to = d.readSet(*to, delta, d.readUUID)
		}
	case func():
		to()
	}
}

// rowCopy returns a copy of the old row to update, or an empty row.
func rowCopy[T any](old any) *T {
	r := new(T)
	if o, ok := old.(*T); ok && o != nil {
		*r = *o
	}
	return r
}

// readPart reads a value that Span returned before.
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

// readAddresses reads a whole set. It decodes nothing if its bytes equal the last ones of that name in any
// zone.
func (d *rowDecoder) readAddresses(name string, raw []byte) []string {
	if known, same := d.share.knownSet(name, raw); same {
		return known
	}
	var members []string
	if !d.readPart(raw, "a set of strings", func() { members = d.readElements(d.readString) }) {
		return nil
	}
	return d.share.internSet(name, members, raw, slices.Clone)
}

// externalIDs reads the column external_ids; equal maps share memory.
func (d *rowDecoder) externalIDs(old map[string]string, delta bool) map[string]string {
	if delta || d.share == nil {
		return d.share.externalIDs(d.readMap(old, delta))
	}
	raw := d.Span()
	if known, same := d.share.knownIDs(raw); same {
		return known
	}
	var ids map[string]string
	if !d.readPart(raw, "a map of strings", func() { ids = d.readMap(nil, false) }) {
		return nil
	}
	ids = d.share.externalIDs(ids)
	d.share.learnIDs(raw, ids)
	return ids
}
