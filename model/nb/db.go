package nb

import (
	"iter"

	"rung/model/radix"
)

// Row is any row type of this package.
type Row interface{ RowUUID() string }

// RowUUID is the row's _uuid.
func (a *ACL) RowUUID() string               { return a.UUID }
func (s *AddressSet) RowUUID() string        { return s.UUID }
func (g *PortGroup) RowUUID() string         { return g.UUID }
func (s *LogicalSwitch) RowUUID() string     { return s.UUID }
func (p *LogicalSwitchPort) RowUUID() string { return p.UUID }
func (m *Meter) RowUUID() string             { return m.UUID }
func (b *MeterBand) RowUUID() string         { return b.UUID }
func (g *Global) RowUUID() string            { return g.UUID }

// RowChange is one row that came (Old nil), changed, or went (New nil). Both,
// where set, are of the same type.
type RowChange struct{ Old, New Row }

// DB is an immutable snapshot of one Northbound database, rows by UUID. The
// zero value and nil are an empty database.
type DB struct {
	rows *radix.Tree[Row] // key: table tag byte + uuid
	// byName finds rows by name, ACLs by id: table tag byte + name → UUID of the
	// row, so that it stands still while members come and go. Of several rows
	// with one name (ACLs with one id, switches with one name: the schema allows
	// them) the one with the lowest UUID is in byName and the others are in
	// more: tag + name + NUL + UUID → UUID. It is nearly always empty.
	byName, more *radix.Tree[string]
}

const (
	tagACL byte = iota + 'a'
	tagAddressSet
	tagPortGroup
	tagSwitch
	tagPort
	tagMeter
	tagBand
	tagGlobal
)

func tagOf(r Row) (tag byte, name string) {
	switch r := r.(type) {
	case *ACL:
		return tagACL, r.ID()
	case *AddressSet:
		return tagAddressSet, r.Name
	case *PortGroup:
		return tagPortGroup, r.Name
	case *LogicalSwitch:
		return tagSwitch, r.Name
	case *LogicalSwitchPort:
		return tagPort, r.Name
	case *Meter:
		return tagMeter, r.Name
	case *MeterBand:
		return tagBand, ""
	case *Global:
		return tagGlobal, r.Name
	}
	return 0, "" // none of ours: not kept
}

// lookLength is how long a key may be that is made without an allocation; the ids
// of ACLs stay below it, but for the longest names.
const lookLength = 160

// key makes a key in buf where it fits in.
func key(buf *[lookLength]byte, tag byte, s string) []byte {
	return append(append(buf[:0], tag), s...)
}

// TableOf names the table a row belongs to.
func TableOf(r Row) string {
	switch r.(type) {
	case *ACL:
		return TableACL
	case *AddressSet:
		return TableAddressSet
	case *PortGroup:
		return TablePortGroup
	case *LogicalSwitch:
		return TableSwitch
	case *LogicalSwitchPort:
		return TablePort
	case *Meter:
		return TableMeter
	case *MeterBand:
		return TableMeterBand
	}
	return TableGlobal
}

// Apply returns the database after the changes; the receiver stays as it is.
// Rows of types that are not of this package are left out.
func (d *DB) Apply(changes []RowChange) *DB {
	if d == nil {
		d = &DB{}
	}
	t := dbTxn{d.rows.Txn(), d.byName.Txn(), d.more.Txn()}
	for _, c := range changes {
		if c.Old != nil && (c.New == nil || c.New.RowUUID() != c.Old.RowUUID()) {
			t.take(c.Old)
		}
		if c.New != nil {
			t.put(c.New)
		}
	}
	return &DB{rows: t.rows.Commit(), byName: t.byName.Commit(), more: t.more.Commit()}
}

// dbTxn makes the next DB.
type dbTxn struct {
	rows         *radix.Txn[Row]
	byName, more *radix.Txn[string]
}

func (t dbTxn) put(r Row) {
	tag, name := tagOf(r)
	if tag == 0 {
		return
	}
	var buf [lookLength]byte
	uuid := r.RowUUID()
	if old, was := t.rows.Insert(key(&buf, tag, uuid), r); was {
		_, oldName := tagOf(old)
		if oldName == name {
			return // it is found as before
		}
		t.unname(old)
	}
	if name == "" {
		return
	}
	k := key(&buf, tag, name)
	first, taken := t.byName.Get(k)
	switch {
	case taken && first < uuid:
		t.more.Insert(moreKey(k, uuid), uuid)
		return
	case taken:
		t.more.Insert(moreKey(k, first), first)
	}
	t.byName.Insert(k, uuid)
}

func (t dbTxn) take(r Row) {
	var buf [lookLength]byte
	tag, _ := tagOf(r)
	if old, was := t.rows.Delete(key(&buf, tag, r.RowUUID())); was {
		t.unname(old)
	}
}

// unname takes a row out of the names; the next of its name takes its place.
func (t dbTxn) unname(r Row) {
	tag, name := tagOf(r)
	if name == "" {
		return
	}
	var buf [lookLength]byte
	k := key(&buf, tag, name)
	if first, ok := t.byName.Get(k); !ok || first != r.RowUUID() {
		t.more.Delete(moreKey(k, r.RowUUID()))
		return
	}
	at, next, ok := t.more.First(moreKey(k, ""), func(at, uuid string) bool {
		return len(at) == len(k)+1+len(uuid) // a name may hold a NUL itself
	})
	if !ok {
		t.byName.Delete(k)
		return
	}
	t.more.Delete([]byte(at))
	t.byName.Insert(k, next)
}

func moreKey(name []byte, uuid string) []byte {
	k := make([]byte, 0, len(name)+1+len(uuid))
	return append(append(append(k, name...), 0), uuid...)
}

func get[T Row](d *DB, tag byte, uuid string) (row T) {
	if d == nil {
		return row
	}
	var buf [lookLength]byte
	r, ok := d.rows.Get(key(&buf, tag, uuid))
	if !ok {
		return row
	}
	return r.(T)
}

func named[T Row](d *DB, tag byte, name string) (row T) {
	if d == nil {
		return row
	}
	var buf [lookLength]byte
	uuid, ok := d.byName.Get(key(&buf, tag, name))
	if !ok {
		return row
	}
	return get[T](d, tag, uuid)
}

func all[T Row](d *DB, tag byte) iter.Seq[T] {
	return func(yield func(T) bool) {
		if d == nil {
			return
		}
		for _, r := range d.rows.Prefix([]byte{tag}) {
			if !yield(r.(T)) {
				return
			}
		}
	}
}

// ACL, AddressSet, PortGroup, Switch and Port return the row with that UUID or
// nil.
func (d *DB) ACL(uuid string) *ACL               { return get[*ACL](d, tagACL, uuid) }
func (d *DB) AddressSet(uuid string) *AddressSet { return get[*AddressSet](d, tagAddressSet, uuid) }
func (d *DB) PortGroup(uuid string) *PortGroup   { return get[*PortGroup](d, tagPortGroup, uuid) }
func (d *DB) Switch(uuid string) *LogicalSwitch  { return get[*LogicalSwitch](d, tagSwitch, uuid) }
func (d *DB) Port(uuid string) *LogicalSwitchPort {
	return get[*LogicalSwitchPort](d, tagPort, uuid)
}

// Band returns the meter band with that UUID or nil.
func (d *DB) Band(uuid string) *MeterBand { return get[*MeterBand](d, tagBand, uuid) }

// ACLByID finds an ACL by its k8s.ovn.org/id. Should several rows carry one id,
// the one with the lowest UUID is returned, as it is for names.
func (d *DB) ACLByID(id string) *ACL { return named[*ACL](d, tagACL, id) }

// AddressSetByName, PortGroupByName and PortByName find rows by name.
func (d *DB) AddressSetByName(name string) *AddressSet {
	return named[*AddressSet](d, tagAddressSet, name)
}
func (d *DB) PortGroupByName(name string) *PortGroup { return named[*PortGroup](d, tagPortGroup, name) }
func (d *DB) PortByName(name string) *LogicalSwitchPort {
	return named[*LogicalSwitchPort](d, tagPort, name)
}

// SwitchByName and MeterByName find rows by name.
func (d *DB) SwitchByName(name string) *LogicalSwitch {
	return named[*LogicalSwitch](d, tagSwitch, name)
}
func (d *DB) MeterByName(name string) *Meter { return named[*Meter](d, tagMeter, name) }

// ACLs and the others walk a table in the order of the UUIDs.
func (d *DB) ACLs() iter.Seq[*ACL]                { return all[*ACL](d, tagACL) }
func (d *DB) AddressSets() iter.Seq[*AddressSet]  { return all[*AddressSet](d, tagAddressSet) }
func (d *DB) PortGroups() iter.Seq[*PortGroup]    { return all[*PortGroup](d, tagPortGroup) }
func (d *DB) Switches() iter.Seq[*LogicalSwitch]  { return all[*LogicalSwitch](d, tagSwitch) }
func (d *DB) Ports() iter.Seq[*LogicalSwitchPort] { return all[*LogicalSwitchPort](d, tagPort) }
func (d *DB) Meters() iter.Seq[*Meter]            { return all[*Meter](d, tagMeter) }

// Global returns the NB_Global row or nil.
func (d *DB) Global() *Global {
	for g := range all[*Global](d, tagGlobal) {
		return g
	}
	return nil
}

// Len counts all rows.
func (d *DB) Len() int {
	if d == nil {
		return 0
	}
	return d.rows.Len()
}
