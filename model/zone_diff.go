package model

// Diff is the difference of one row of a policy in a zone, nil when it is as desired.
// Members that only wait for something are not meant.
func (p *PolicyInZone) Diff(table, id string) *RowDiff {
	if p == nil {
		return nil
	}
	for i := range p.Diffs {
		if d := &p.Diffs[i]; d.Table == table && d.ID == id && d.Waiting == "" {
			return d
		}
	}
	return nil
}

// Field is the difference of one column, nil when it is equal.
func (d *RowDiff) Field(column string) *FieldDiff {
	if d == nil {
		return nil
	}
	for i := range d.Fields {
		if d.Fields[i].Column == column {
			return &d.Fields[i]
		}
	}
	return nil
}

// Compare orders states, the one that needs attention first.
func (s PolicyState) Compare(other PolicyState) int {
	switch {
	case s.Worse(other):
		return -1
	case other.Worse(s):
		return 1
	}
	return 0
}
