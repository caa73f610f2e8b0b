package model

import (
	"cmp"
	"maps"
	"time"
)

// ChangeStep is a step of the desired rows: its number and time.
type ChangeStep struct {
	Step uint64
	At   time.Time
}

// ChangeSteps holds the last step that changed the desired rows of each unit. It is immutable and shared by
// all zones. nil has no steps.
type ChangeSteps struct {
	anyChange ChangeStep // the last step that may have changed anything
	newest    ChangeStep // of anyChange and units
	units     map[PolicyKey]ChangeStep
	ports     map[unitInZone]ChangeStep // changes of subject pods in one zone only
	zones     map[string]ChangeStep     // the newest of ports, by zone
}

type unitInZone struct {
	zone string
	unit PolicyKey
}

// LastStep returns the last step that changed a unit's desired rows in a zone; the zero step for none.
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

// NewestStep returns the last step that changed anything in a zone.
func (c *ChangeSteps) NewestStep(zone string) ChangeStep {
	if c == nil {
		return ChangeStep{}
	}
	if s := c.zones[zone]; s.Step > c.newest.Step {
		return s
	}
	return c.newest
}

// AfterAnyChange returns c after a step that may have changed anything.
func (c *ChangeSteps) AfterAnyChange(s ChangeStep) *ChangeSteps {
	return &ChangeSteps{newest: s, anyChange: s}
}

// AfterStep returns c after a step that changed units everywhere. ports names, by zone, other units whose
// subject pods changed only there.
func (c *ChangeSteps) AfterStep(s ChangeStep, units map[PolicyKey]struct{}, ports map[string][]PolicyKey) *ChangeSteps {
	out := &ChangeSteps{}
	if c != nil {
		*out = *c
	}
	if len(units) > 0 {
		out.newest = s
		out.units = make(map[PolicyKey]ChangeStep, len(out.units)+len(units))
		if c != nil {
			maps.Copy(out.units, c.units)
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

// ForgetUpTo returns c with older steps merged, as every zone has been read since. It bounds the memory.
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

// UnitDigest is a digest of the live rows of one unit in one zone, without UUIDs and without what may differ
// between zones: the ports of port groups and the rows of ingress rules with named ports. Equal rows have
// equal digests within one process.
type UnitDigest struct {
	Sum  uint64
	Rows []RowDigest // by table and id
}

// RowDigest is a digest of one row.
type RowDigest struct {
	Table, ID string
	Hash      uint64
}

// DiffOfRow returns the difference of one row of a policy in a zone, nil if it is as desired.
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

// DiffOfColumn returns the difference of a column, or nil.
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

// Compare orders states, the most urgent first.
func (s PolicyState) Compare(other PolicyState) int {
	return cmp.Compare(stateOrder[s], stateOrder[other])
}
