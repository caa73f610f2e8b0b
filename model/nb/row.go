package nb

var tagByTable = map[string]int{
	TableACL: tagACL, TableAddressSet: tagAddressSet, TablePortGroup: tagPortGroup,
	TableSwitch: tagSwitch, TablePort: tagPort, TableMeter: tagMeter,
	TableMeterBand: tagBand, TableGlobal: tagGlobal,
}

// Row returns the row of a table with that UUID, or nil when the table is not
// one of ours or holds no such row.
func (d *DB) Row(table, uuid string) Row {
	tag, ok := tagByTable[table]
	if !ok || d == nil {
		return nil
	}
	r, _ := d.tables[tag].rows.Get(uuid)
	return r
}
