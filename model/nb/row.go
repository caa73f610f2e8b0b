package nb

var tagByTable = map[string]byte{
	TableACL: tagACL, TableAddressSet: tagAddressSet, TablePortGroup: tagPortGroup,
	TableSwitch: tagSwitch, TablePort: tagPort, TableMeter: tagMeter,
	TableMeterBand: tagBand, TableGlobal: tagGlobal,
}

// Row returns the row of a table with that UUID, or nil when the table is not
// one of ours or holds no such row.
func (d *DB) Row(table, uuid string) Row {
	tag, ok := tagByTable[table]
	if !ok || d == nil || d.rows == nil {
		return nil
	}
	r, _ := d.rows.Get(key(tag, uuid))
	return r
}
