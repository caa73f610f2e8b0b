package sb

import (
	"iter"

	"rung/model/sorted"
)

// DB is an immutable snapshot of one Southbound database, rows by UUID. The zero value
// and nil are an empty database.
type DB struct {
	flows     *sorted.Map[*Flow]
	groups    *sorted.Map[*Group]
	datapaths *sorted.Map[*Datapath]
	globals   *sorted.Map[*Global]
	chassis   *sorted.Map[*Chassis]
}

// Change is one row that came (Old nil), changed, or went (New nil). Both, where set,
// are of the same type and have the same UUID.
type Change struct{ Old, New Row }

// Apply returns the database after the changes; the receiver stays as it is.
func (d *DB) Apply(changes []Change) *DB {
	if d == nil {
		d = &DB{}
	}
	flows, groups, datapaths := d.flows.Txn(), d.groups.Txn(), d.datapaths.Txn()
	globals, chassis := d.globals.Txn(), d.chassis.Txn()
	for _, c := range changes {
		row := c.New
		if row == nil {
			row = c.Old
		}
		switch r := row.(type) {
		case *Flow:
			put(flows, r.UUID, r, c.New == nil)
		case *Group:
			put(groups, r.UUID, r, c.New == nil)
		case *Datapath:
			put(datapaths, r.UUID, r, c.New == nil)
		case *Global:
			put(globals, r.UUID, r, c.New == nil)
		case *Chassis:
			put(chassis, r.UUID, r, c.New == nil)
		}
	}
	return &DB{flows.Commit(), groups.Commit(), datapaths.Commit(), globals.Commit(), chassis.Commit()}
}

func put[T any](t *sorted.Txn[T], uuid string, row T, gone bool) {
	if gone {
		t.Delete(uuid)
		return
	}
	t.Set(uuid, row)
}

func all[T any](m *sorted.Map[T]) iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, row := range m.Prefix("") {
			if !yield(row) {
				return
			}
		}
	}
}

// Flows walks the logical flows of the ACL stages in the order of their UUIDs.
func (d *DB) Flows() iter.Seq[*Flow] {
	if d == nil {
		return func(func(*Flow) bool) {}
	}
	return all(d.flows)
}

// Chassis walks the chassis in the order of their UUIDs.
func (d *DB) Chassis() iter.Seq[*Chassis] {
	if d == nil {
		return func(func(*Chassis) bool) {}
	}
	return all(d.chassis)
}

// Global returns the SB_Global row or nil.
func (d *DB) Global() *Global {
	if d != nil {
		for _, g := range d.globals.Prefix("") {
			return g
		}
	}
	return nil
}

// Row returns the row of a table with that UUID, or nil when the table is not one of
// ours or holds no such row.
func (d *DB) Row(table, uuid string) Row {
	if d == nil {
		return nil
	}
	switch table {
	case TableFlow:
		return get(d.flows, uuid)
	case TableGroup:
		return get(d.groups, uuid)
	case TableDatapath:
		return get(d.datapaths, uuid)
	case TableGlobal:
		return get(d.globals, uuid)
	case TableChassis:
		return get(d.chassis, uuid)
	}
	return nil
}

func get[T Row](m *sorted.Map[T], uuid string) Row {
	if r, ok := m.Get(uuid); ok {
		return r
	}
	return nil
}

// DatapathsOf are the datapaths a flow is for: its own, or those of its group. Rows
// that are missing are left out.
func (d *DB) DatapathsOf(f *Flow) (out []*Datapath) {
	ids := []string{f.Datapath}
	if g, ok := d.Row(TableGroup, f.Group).(*Group); ok && f.Datapath == "" {
		ids = g.Datapaths
	}
	for _, id := range ids {
		if dp, ok := d.Row(TableDatapath, id).(*Datapath); ok {
			out = append(out, dp)
		}
	}
	return out
}

// Len counts all rows, and the logical flows among them.
func (d *DB) Len() (rows, flows int) {
	if d == nil {
		return 0, 0
	}
	flows = d.flows.Len()
	return flows + d.groups.Len() + d.datapaths.Len() + d.globals.Len() + d.chassis.Len(), flows
}
