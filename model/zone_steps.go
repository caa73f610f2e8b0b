package model

import (
	"cmp"
	"maps"
	"time"
)

// ChangeStep is one step of the desired rows: its number, and when it was.
type ChangeStep struct {
	Step uint64
	At   time.Time
}

// ChangeSteps know at which step the desired rows of each unit changed last; an
// immutable value that all zones share. Nil knows of none.
type ChangeSteps struct {
	anyChange ChangeStep // the last one that may have changed anything
	newest    ChangeStep // of all and units
	units     map[PolicyKey]ChangeStep
	ports     map[unitInZone]ChangeStep // subject pods of one zone alone
	zones     map[string]ChangeStep     // the newest of ports, by zone
}

type unitInZone struct {
	zone string
	unit PolicyKey
}

// LastStep is the step that changed a unit's desired rows in a zone last; the zero
// step when there was none.
func (c *ChangeSteps) LastStep(zone string, k PolicyKey) ChangeStep {
	if c == nil {
		return ChangeStep{}
	}
	last := c.anyChange
	if s := c.units[k]; s.Step > last.Step {
		last = s
	}
	if s := c.ports[unitInZone{zone, k}]; s.Step > last.Step {
		last = s
	}
	return last
}

// NewestStep is the last step that changed anything in a zone.
func (c *ChangeSteps) NewestStep(zone string) ChangeStep {
	if c == nil {
		return ChangeStep{}
	}
	if s := c.zones[zone]; s.Step > c.newest.Step {
		return s
	}
	return c.newest
}

// AfterAnyChange is c after a step that may have changed anything.
func (c *ChangeSteps) AfterAnyChange(s ChangeStep) *ChangeSteps {
	return &ChangeSteps{newest: s, anyChange: s}
}

// AfterStep is c after a step that changed the units everywhere, and the subject pods
// of others in single zones.
func (c *ChangeSteps) AfterStep(s ChangeStep, units map[PolicyKey]struct{}, ports map[string][]PolicyKey) *ChangeSteps {
	out := &ChangeSteps{}
	if c != nil {
		*out = *c
	}
	if len(units) > 0 {
		out.newest = s
		out.units = maps.Clone(out.units)
		if out.units == nil {
			out.units = make(map[PolicyKey]ChangeStep, len(units))
		}
		for k := range units {
			out.units[k] = s
		}
	}
	if len(ports) > 0 {
		out.ports, out.zones = maps.Clone(out.ports), maps.Clone(out.zones)
		if out.ports == nil {
			out.ports, out.zones = map[unitInZone]ChangeStep{}, map[string]ChangeStep{}
		}
		for zone, keys := range ports {
			out.zones[zone] = s
			for _, k := range keys {
				out.ports[unitInZone{zone, k}] = s
			}
		}
	}
	return out
}

// ForgetUpTo is c with the steps up to the given one taken together, as every zone
// has been read since. It bounds the memory.
func (c *ChangeSteps) ForgetUpTo(step uint64) *ChangeSteps {
	if c == nil {
		return nil
	}
	out := *c
	old := func(s ChangeStep) bool {
		if s.Step > step {
			return false
		}
		if s.Step > out.anyChange.Step {
			out.anyChange = s
		}
		return true
	}
	out.units, out.ports, out.zones = maps.Clone(c.units), maps.Clone(c.ports), maps.Clone(c.zones)
	maps.DeleteFunc(out.units, func(_ PolicyKey, s ChangeStep) bool { return old(s) })
	maps.DeleteFunc(out.ports, func(_ unitInZone, s ChangeStep) bool { return old(s) })
	maps.DeleteFunc(out.zones, func(_ string, s ChangeStep) bool { return s.Step <= step })
	if out.anyChange.Step > out.newest.Step {
		out.newest = out.anyChange
	}
	return &out
}

// UnitDigest stands for the live rows of one unit in one zone, without UUIDs and
// without what may differ between zones: the ports of port groups and the rows
// of ingress rules with named ports. Equal rows have equal digests within one
// process.
type UnitDigest struct {
	Sum  uint64
	Rows []RowDigest // by table and id
}

// RowDigest stands for one row.
type RowDigest struct {
	Table, ID string
	Hash      uint64
}

// DiffOfRow is the difference of one row of a policy in a zone, nil when it is as desired.
// Members that only wait for something are not meant.
func (p *PolicyInZone) DiffOfRow(table, id string) *RowDiff {
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

// DiffOfColumn is the difference of one column, nil when it is equal.
func (d *RowDiff) DiffOfColumn(column string) *FieldDiff {
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
	return cmp.Compare(stateOrder[s], stateOrder[other])
}
