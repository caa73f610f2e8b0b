package reconciler

import (
	"fmt"
	"maps"
	"slices"

	"rung/model"
	"rung/model/ovn/nb"
)

// fakeDB executes operations as an OVN Northbound server would, as far as the
// reconciler can tell: ACLs nobody refers to are collected, weak references to
// ports that are gone vanish, names are unique, and a transaction is all or
// nothing.
type fakeDB struct {
	db  *nb.DB
	seq int
}

func (f *fakeDB) uuid() string {
	f.seq++
	// Neighbours in time are not neighbours in order.
	return fmt.Sprintf("%08x-0000-4000-8000-%012x", uint32(f.seq)*2654435761, f.seq)
}

func refused(format string, args ...any) error {
	return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), model.ErrRejected)
}

// put sets rows as they are and returns what changed, references included.
// A row's UUID is made up when empty.
func (f *fakeDB) put(changes ...nb.RowChange) []nb.RowChange {
	before := f.db
	f.db = f.db.Apply(changes)
	return f.settle(before, changes)
}

// settle enforces the references and says what changed in all.
func (f *fakeDB) settle(before *nb.DB, changes []nb.RowChange) []nb.RowChange {
	touched := map[string]map[string]bool{}
	note := func(r nb.Row) {
		t := nb.TableName(r)
		if touched[t] == nil {
			touched[t] = map[string]bool{}
		}
		touched[t][r.RowUUID()] = true
	}
	for _, ch := range changes {
		if ch.New != nil {
			note(ch.New)
		} else {
			note(ch.Old)
		}
	}
	held := map[string]bool{}
	var fix []nb.RowChange
	for g := range f.db.PortGroups() {
		for _, u := range g.ACLs {
			held[u] = true
		}
		if slices.ContainsFunc(g.Ports, func(u string) bool { return f.db.Port(u) == nil }) {
			n := *g
			n.Ports = slices.DeleteFunc(slices.Clone(g.Ports), func(u string) bool { return f.db.Port(u) == nil })
			fix = append(fix, nb.RowChange{Old: g, New: &n})
		}
	}
	for s := range f.db.Switches() {
		for _, u := range s.ACLs {
			held[u] = true
		}
	}
	for a := range f.db.ACLs() {
		if !held[a.UUID] {
			fix = append(fix, nb.RowChange{Old: a})
		}
	}
	for _, ch := range fix {
		note(ch.Old)
	}
	f.db = f.db.Apply(fix)
	var out []nb.RowChange
	for _, table := range []string{nb.TablePort, nb.TableSwitch, nb.TableACL, nb.TableAddressSet, nb.TablePortGroup, nb.TableGlobal} {
		for u := range touched[table] {
			if old, now := before.Row(table, u), f.db.Row(table, u); old != now {
				out = append(out, nb.RowChange{Old: old, New: now, Step: memberStep(old, now)})
			}
		}
	}
	return out
}

// memberStep is how a set differs in its members alone, as a connection tells it.
func memberStep(old, now nb.Row) *nb.MemberStep {
	was, set := old.(*nb.AddressSet)
	is, still := now.(*nb.AddressSet)
	if !set || !still || !SameBooking(was, is) {
		return nil
	}
	var step nb.MemberStep
	for _, a := range is.Addresses {
		if !slices.Contains(was.Addresses, a) {
			step.Added = append(step.Added, a)
		}
	}
	for _, a := range was.Addresses {
		if !slices.Contains(is.Addresses, a) {
			step.Removed = append(step.Removed, a)
		}
	}
	return &step
}

func (f *fakeDB) transact(ops []nb.Op) (results []nb.OpResult, changes []nb.RowChange, err error) {
	before, seq := f.db, f.seq
	defer func() {
		if err != nil {
			f.db, f.seq = before, seq
		}
	}()
	names := map[string]string{}
	uuids := make([]string, len(ops))
	for i, op := range ops {
		if op.Kind == nb.OpInsert {
			uuids[i] = f.uuid()
			if op.UUIDName != "" {
				names[op.UUIDName] = uuids[i]
			}
		}
	}
	for i, op := range ops {
		ch, err := f.execute(op, uuids[i], names)
		if err != nil {
			return nil, nil, fmt.Errorf("operation %d: %w", i, err)
		}
		res := nb.OpResult{UUID: uuids[i]}
		if ch != nil {
			res.Count = 1
			f.db = f.db.Apply([]nb.RowChange{*ch})
			changes = append(changes, *ch)
		}
		results = append(results, res)
	}
	seen := map[string]bool{}
	unique := func(table, name string) error {
		if seen[table+name] {
			return refused("constraint violation: %s %s twice", table, name)
		}
		seen[table+name] = true
		return nil
	}
	for s := range f.db.AddressSets() {
		if err := unique(nb.TableAddressSet, s.Name); err != nil {
			return nil, nil, err
		}
	}
	for g := range f.db.PortGroups() {
		if err := unique(nb.TablePortGroup, g.Name); err != nil {
			return nil, nil, err
		}
		for _, u := range g.ACLs {
			if f.db.ACL(u) == nil {
				return nil, nil, refused("referential integrity violation: no ACL %s", u)
			}
		}
	}
	return results, f.settle(before, changes), nil
}

func (f *fakeDB) execute(op nb.Op, uuid string, names map[string]string) (*nb.RowChange, error) {
	if op.Kind == nb.OpInsert {
		row := write(op.Table, uuid, nil, op.Row, names)
		return &nb.RowChange{New: row}, nil
	}
	old := f.db.Row(op.Table, op.UUID)
	if old == nil {
		return nil, nil
	}
	switch op.Kind {
	case nb.OpWait:
		g := old.(*nb.Global)
		for k, v := range op.Has["external_ids"] {
			if g.ExternalIDs[k] != v {
				return nil, fmt.Errorf("timed out: %w", model.ErrWait)
			}
		}
		if want, ok := op.Row["external_ids"].(map[string]string); ok && !maps.Equal(want, g.ExternalIDs) {
			return nil, fmt.Errorf("timed out: %w", model.ErrWait)
		}
		return nil, nil
	case nb.OpDelete:
		return &nb.RowChange{Old: old}, nil
	case nb.OpUpdate:
		return &nb.RowChange{Old: old, New: write(op.Table, op.UUID, old, op.Row, names)}, nil
	case nb.OpMutate:
		return &nb.RowChange{Old: old, New: mutate(old, op.Mutations, names)}, nil
	}
	return nil, refused("unknown operation %s", op.Kind)
}

func refs(v any, names map[string]string) []string {
	in, _ := v.([]nb.Ref)
	var out []string
	for _, r := range in {
		if r.Name != "" {
			out = append(out, names[r.Name])
		} else {
			out = append(out, r.UUID)
		}
	}
	return out
}

// write makes a row from old (nil: from nothing) with the columns set.
func write(table, uuid string, old nb.Row, cols map[string]any, names map[string]string) nb.Row {
	str := func(v any) string { s, _ := v.(string); return s }
	num := func(v any) int { n, _ := v.(int); return n }
	ids := func(v any) map[string]string { m, _ := v.(map[string]string); return m }
	switch table {
	case nb.TableACL:
		row := &nb.ACL{UUID: uuid}
		if old != nil {
			*row = *old.(*nb.ACL)
		}
		for c, v := range cols {
			switch c {
			case "action":
				row.Action = str(v)
			case "direction":
				row.Direction = str(v)
			case "external_ids":
				row.ExternalIDs = ids(v)
			case "log":
				row.Log, _ = v.(bool)
			case "match":
				row.Match = str(v)
			case "meter":
				row.Meter = str(v)
			case "name":
				row.Name = str(v)
			case "options":
				row.Options = ids(v)
			case "priority":
				row.Priority = num(v)
			case "severity":
				row.Severity = str(v)
			case "tier":
				row.Tier = num(v)
			default:
				panic("no column " + c)
			}
		}
		return row
	case nb.TableAddressSet:
		row := &nb.AddressSet{UUID: uuid}
		if old != nil {
			*row = *old.(*nb.AddressSet)
		}
		for c, v := range cols {
			switch c {
			case "name":
				row.Name = str(v)
			case "external_ids":
				row.ExternalIDs = ids(v)
			case "addresses":
				row.Addresses, _ = v.([]string)
			default:
				panic("no column " + c)
			}
		}
		return row
	}
	row := &nb.PortGroup{UUID: uuid}
	if old != nil {
		*row = *old.(*nb.PortGroup)
	}
	for c, v := range cols {
		switch c {
		case "name":
			row.Name = str(v)
		case "external_ids":
			row.ExternalIDs = ids(v)
		case "ports":
			row.Ports = refs(v, names)
		case "acls":
			row.ACLs = refs(v, names)
		default:
			panic("no column " + c)
		}
	}
	return row
}

func mutate(old nb.Row, ms []nb.Mutation, names map[string]string) nb.Row {
	step := func(in []string, m nb.Mutation, vs []string) []string {
		out := slices.DeleteFunc(slices.Clone(in), func(s string) bool { return slices.Contains(vs, s) })
		if m.Insert {
			out = append(out, vs...)
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	switch old := old.(type) {
	case *nb.AddressSet:
		row := *old
		for _, m := range ms {
			row.Addresses = step(row.Addresses, m, m.Strings)
		}
		return &row
	case *nb.Global:
		row := *old
		row.ExternalIDs = maps.Clone(old.ExternalIDs)
		if row.ExternalIDs == nil {
			row.ExternalIDs = map[string]string{}
		}
		for _, m := range ms {
			for _, k := range m.Strings {
				delete(row.ExternalIDs, k)
			}
			for k, v := range m.Pairs {
				if _, has := row.ExternalIDs[k]; m.Insert && !has {
					row.ExternalIDs[k] = v
				}
			}
		}
		return &row
	case *nb.LogicalSwitch:
		row := *old
		for _, m := range ms {
			row.ACLs = step(row.ACLs, m, refs(m.Refs, names))
		}
		return &row
	case *nb.PortGroup:
		row := *old
		for _, m := range ms {
			if m.Column == "ports" {
				row.Ports = step(row.Ports, m, refs(m.Refs, names))
			} else {
				row.ACLs = step(row.ACLs, m, refs(m.Refs, names))
			}
		}
		return &row
	}
	panic("cannot mutate")
}
