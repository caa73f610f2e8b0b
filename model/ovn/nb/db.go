package nb

import (
	"iter"
	"slices"

	"rung/model/sorted"
)

// Row is any row type of this package.
type Row interface {
	RowUUID() string
	// RowName is the column name, empty if unset or if the table has none. IDs returns the external_ids; they
	// must not be changed.
	RowName() string
	IDs() map[string]string
}

// RowUUID returns the row's _uuid.
func (a *ACL) RowUUID() string               { return a.UUID }
func (s *AddressSet) RowUUID() string        { return s.UUID }
func (g *PortGroup) RowUUID() string         { return g.UUID }
func (s *LogicalSwitch) RowUUID() string     { return s.UUID }
func (p *LogicalSwitchPort) RowUUID() string { return p.UUID }
func (m *Meter) RowUUID() string             { return m.UUID }
func (b *MeterBand) RowUUID() string         { return b.UUID }
func (g *Global) RowUUID() string            { return g.UUID }

// RowName returns the column name.
func (a *ACL) RowName() string               { return a.Name }
func (s *AddressSet) RowName() string        { return s.Name }
func (g *PortGroup) RowName() string         { return g.Name }
func (s *LogicalSwitch) RowName() string     { return s.Name }
func (p *LogicalSwitchPort) RowName() string { return p.Name }
func (m *Meter) RowName() string             { return m.Name }
func (*MeterBand) RowName() string           { return "" }
func (g *Global) RowName() string            { return g.Name }

// IDs returns the external_ids.
func (a *ACL) IDs() map[string]string               { return a.ExternalIDs }
func (s *AddressSet) IDs() map[string]string        { return s.ExternalIDs }
func (g *PortGroup) IDs() map[string]string         { return g.ExternalIDs }
func (s *LogicalSwitch) IDs() map[string]string     { return s.ExternalIDs }
func (p *LogicalSwitchPort) IDs() map[string]string { return p.ExternalIDs }
func (*Meter) IDs() map[string]string               { return nil }
func (*MeterBand) IDs() map[string]string           { return nil }
func (g *Global) IDs() map[string]string            { return g.ExternalIDs }

// RowChange is one row that came (Old nil), changed, or went (New nil). If both are set, they have the same
// type.
type RowChange struct {
	Old, New Row
	// Step is set if Old and New are versions of an AddressSet that differ only in addresses. It has that
	// difference.
	Step *MemberStep
}

// MemberStep is the change of a set's members, both lists sorted.
type MemberStep struct{ Added, Removed []string }

// DB is an immutable snapshot of a Northbound database, empty if zero or nil.
type DB struct{ tables [tags]rowTable }

// rowTable has the rows of one table.
type rowTable struct {
	rows *sorted.Map[Row] // by UUID
	// byName maps names, for ACLs ids, to UUIDs, so it does not change with the members of rows. The schema
	// permits rows with the same name (ACLs with one id, switches with one name). Then the lowest UUID is in
	// byName, and the others are in sameNames: name + NUL + UUID → UUID. It is nearly always empty.
	byName, sameNames *sorted.Map[string]
}

// A tag is the index of a row's table in a DB.
const (
	tagNone = iota // of foreign row types
	tagACL
	tagAddressSet
	tagPortGroup
	tagSwitch
	tagPort
	tagMeter
	tagBand
	tagGlobal
	tags
)

// tables has the tables' names by tag.
var tables = [tags]string{tagACL: TableACL, tagAddressSet: TableAddressSet, tagPortGroup: TablePortGroup, tagSwitch: TableSwitch,
	tagPort: TablePort, tagMeter: TableMeter, tagBand: TableMeterBand, tagGlobal: TableGlobal}

func rowTag(r Row) int {
	switch r.(type) {
	case *ACL:
		return tagACL
	case *AddressSet:
		return tagAddressSet
	case *PortGroup:
		return tagPortGroup
	case *LogicalSwitch:
		return tagSwitch
	case *LogicalSwitchPort:
		return tagPort
	case *Meter:
		return tagMeter
	case *MeterBand:
		return tagBand
	case *Global:
		return tagGlobal
	}
	return tagNone
}

// indexedName returns the name by which a row is found: an ACL's id, another row's name.
func indexedName(r Row) string {
	if a, ok := r.(*ACL); ok {
		return a.ID()
	}
	return r.RowName()
}

// TableName returns the name of a row's table.
func TableName(r Row) string { return tables[rowTag(r)] }

// Apply returns the database after the changes; the receiver is not changed. Foreign row types are left out.
func (d *DB) Apply(changes []RowChange) *DB {
	if d == nil {
		d = &DB{}
	}
	t := dbTxn{from: d}
	for _, c := range changes {
		if c.Old != nil && (c.New == nil || c.New.RowUUID() != c.Old.RowUUID()) {
			t.takeRow(c.Old)
		}
		if c.New != nil {
			t.putRow(c.New)
		}
	}
	next := &DB{tables: t.from.tables}
	for tag, x := range t.tables {
		if x != nil {
			next.tables[tag] = rowTable{x.rows.Commit(), x.byName.Commit(), x.sameNames.Commit()}
		}
	}
	return next
}

// dbTxn builds the next DB.
type dbTxn struct {
	from   *DB
	tables [tags]*tableTxn // of changed tables
}

type tableTxn struct {
	rows              *sorted.Txn[Row]
	byName, sameNames *sorted.Txn[string]
}

func (t *dbTxn) ensureTableTxn(tag int) *tableTxn {
	if t.tables[tag] == nil {
		from := t.from.tables[tag]
		t.tables[tag] = &tableTxn{from.rows.Txn(), from.byName.Txn(), from.sameNames.Txn()}
	}
	return t.tables[tag]
}

func (t *dbTxn) putRow(r Row) {
	tag, name := rowTag(r), indexedName(r)
	if tag == tagNone {
		return
	}
	x, uuid := t.ensureTableTxn(tag), r.RowUUID()
	if old, was := x.rows.Set(uuid, r); was {
		if indexedName(old) == name {
			return // the index does not change
		}
		x.removeName(old)
	}
	if name == "" {
		return
	}
	first, taken := x.byName.Get(name)
	switch {
	case taken && first < uuid:
		x.sameNames.Set(sameNameKey(name, uuid), uuid)
		return
	case taken:
		x.sameNames.Set(sameNameKey(name, first), first)
	}
	x.byName.Set(name, uuid)
}

func (t *dbTxn) takeRow(r Row) {
	tag := rowTag(r)
	if tag == tagNone {
		return
	}
	x := t.ensureTableTxn(tag)
	if old, was := x.rows.Delete(r.RowUUID()); was {
		x.removeName(old)
	}
}

// removeName removes a row from the index; the next row with the same name replaces it.
func (x *tableTxn) removeName(r Row) {
	name := indexedName(r)
	if name == "" {
		return
	}
	if first, ok := x.byName.Get(name); !ok || first != r.RowUUID() {
		x.sameNames.Delete(sameNameKey(name, r.RowUUID()))
		return
	}
	at, next, ok := x.sameNames.FirstFitting(sameNameKey(name, ""), func(at, uuid string) bool {
		return len(at) == len(name)+1+len(uuid) // a name may contain a NUL
	})
	if !ok {
		x.byName.Delete(name)
		return
	}
	x.sameNames.Delete(at)
	x.byName.Set(name, next)
}

func sameNameKey(name, uuid string) string { return name + "\x00" + uuid }

func rowByUUID[T Row](d *DB, tag int, uuid string) (row T) {
	if d != nil {
		r, _ := d.tables[tag].rows.Get(uuid)
		row, _ = r.(T)
	}
	return row
}

func rowByName[T Row](d *DB, tag int, name string) (row T) {
	if d == nil {
		return row
	}
	uuid, ok := d.tables[tag].byName.Get(name)
	if !ok {
		return row
	}
	return rowByUUID[T](d, tag, uuid)
}

func rowsOfTable[T Row](d *DB, tag int) iter.Seq[T] {
	return func(yield func(T) bool) {
		if d == nil {
			return
		}
		for _, r := range d.tables[tag].rows.Prefix("") {
			if !yield(r.(T)) {
				return
			}
		}
	}
}

// ACL, AddressSet, PortGroup, Switch and Port return the row with that UUID or nil.
func (d *DB) ACL(uuid string) *ACL { return rowByUUID[*ACL](d, tagACL, uuid) }
func (d *DB) AddressSet(uuid string) *AddressSet {
	return rowByUUID[*AddressSet](d, tagAddressSet, uuid)
}
func (d *DB) PortGroup(uuid string) *PortGroup  { return rowByUUID[*PortGroup](d, tagPortGroup, uuid) }
func (d *DB) Switch(uuid string) *LogicalSwitch { return rowByUUID[*LogicalSwitch](d, tagSwitch, uuid) }
func (d *DB) Port(uuid string) *LogicalSwitchPort {
	return rowByUUID[*LogicalSwitchPort](d, tagPort, uuid)
}

// Band returns the meter band with that UUID or nil.
func (d *DB) Band(uuid string) *MeterBand { return rowByUUID[*MeterBand](d, tagBand, uuid) }

// ACLByID finds an ACL by its k8s.ovn.org/id, or nil. If several rows have the id, it returns the one with the
// lowest UUID, as for names.
func (d *DB) ACLByID(id string) *ACL { return rowByName[*ACL](d, tagACL, id) }

// AddressSetByName, PortGroupByName and PortByName find rows by name.
func (d *DB) AddressSetByName(name string) *AddressSet {
	return rowByName[*AddressSet](d, tagAddressSet, name)
}
func (d *DB) PortGroupByName(name string) *PortGroup {
	return rowByName[*PortGroup](d, tagPortGroup, name)
}
func (d *DB) PortByName(name string) *LogicalSwitchPort {
	return rowByName[*LogicalSwitchPort](d, tagPort, name)
}

// SwitchByName and MeterByName find rows by name.
func (d *DB) SwitchByName(name string) *LogicalSwitch {
	return rowByName[*LogicalSwitch](d, tagSwitch, name)
}
func (d *DB) MeterByName(name string) *Meter { return rowByName[*Meter](d, tagMeter, name) }

// ACLs and the others yield the rows of a table in order of UUID.
func (d *DB) ACLs() iter.Seq[*ACL]                { return rowsOfTable[*ACL](d, tagACL) }
func (d *DB) AddressSets() iter.Seq[*AddressSet]  { return rowsOfTable[*AddressSet](d, tagAddressSet) }
func (d *DB) PortGroups() iter.Seq[*PortGroup]    { return rowsOfTable[*PortGroup](d, tagPortGroup) }
func (d *DB) Switches() iter.Seq[*LogicalSwitch]  { return rowsOfTable[*LogicalSwitch](d, tagSwitch) }
func (d *DB) Ports() iter.Seq[*LogicalSwitchPort] { return rowsOfTable[*LogicalSwitchPort](d, tagPort) }
func (d *DB) Meters() iter.Seq[*Meter]            { return rowsOfTable[*Meter](d, tagMeter) }

// Row returns the row of a table with that UUID; nil if the table is foreign or has no such row.
func (d *DB) Row(table, uuid string) Row {
	tag := slices.Index(tables[1:], table) + 1
	if tag == tagNone || d == nil {
		return nil
	}
	r, _ := d.tables[tag].rows.Get(uuid)
	return r
}

// Rows yields the rows of all tables.
func (d *DB) Rows() iter.Seq[Row] {
	return d.eachRowInTables(tagACL, tagAddressSet, tagPortGroup, tagSwitch, tagPort, tagMeter, tagBand, tagGlobal)
}

// OwnedRows yields the rows of tables with owners in external_ids: ACLs, address sets and port groups.
func (d *DB) OwnedRows() iter.Seq[Row] { return d.eachRowInTables(tagACL, tagAddressSet, tagPortGroup) }

// eachRowInTables yields the rows of some tables.
func (d *DB) eachRowInTables(tags ...int) iter.Seq[Row] {
	return func(yield func(Row) bool) {
		for _, tag := range tags {
			for r := range rowsOfTable[Row](d, tag) {
				if !yield(r) {
					return
				}
			}
		}
	}
}

// Global returns the NB_Global row or nil.
func (d *DB) Global() *Global {
	for g := range rowsOfTable[*Global](d, tagGlobal) {
		return g
	}
	return nil
}

// Len counts all rows.
func (d *DB) Len() (n int) {
	if d == nil {
		return 0
	}
	for _, t := range d.tables {
		n += t.rows.Len()
	}
	return n
}
