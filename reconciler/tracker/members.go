package tracker

import (
	"slices"
)

// Members is a set of strings: addresses or port names.
type Members map[string]struct{}

// Add takes a member in.
func (m *Members) Add(s string) {
	if *m == nil {
		*m = Members{}
	}
	(*m)[s] = struct{}{}
}

// take removes s and says whether it was in. With the last member the set itself
// goes: a map keeps the room for all it ever held, and at the first write that is
// every member of every row.
func (m *Members) take(s string) bool {
	if _, ok := (*m)[s]; !ok {
		return false
	}
	delete(*m, s)
	if len(*m) == 0 {
		*m = nil
	}
	return true
}

// swap takes names out of one set, and adds those that are not in it to the other.
func swap(out, in *Members, names []string) {
	for _, s := range names {
		if !out.take(s) {
			in.Add(s)
		}
	}
}

// Has says whether it is a member.
func (m Members) Has(s string) bool {
	_, ok := m[s]
	return ok
}

func (m Members) sorted() []string {
	if len(m) == 0 {
		return nil
	}
	out := make([]string, 0, len(m))
	for s := range m {
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}

// StepMembers finds what came and went between two versions of a set column.
// Both are usually in the same order and differ in few places, so the common
// ends are cut off before anything is hashed.
func StepMembers(old, now []string) (added, removed []string) {
	for len(old) > 0 && len(now) > 0 && old[0] == now[0] {
		old, now = old[1:], now[1:]
	}
	for len(old) > 0 && len(now) > 0 && old[len(old)-1] == now[len(now)-1] {
		old, now = old[:len(old)-1], now[:len(now)-1]
	}
	if len(old) == 0 || len(now) == 0 {
		return now, old
	}
	if slices.IsSorted(old) && slices.IsSorted(now) {
		return stepSorted(old, now)
	}
	was := make(Members, len(old))
	for _, s := range old {
		was[s] = struct{}{}
	}
	for _, s := range now {
		if !was.take(s) {
			added = append(added, s)
		}
	}
	return added, was.sorted()
}

// stepSorted is stepMembers for sorted columns, which nearly all are.
func stepSorted(old, now []string) (added, removed []string) {
	for len(old) > 0 && len(now) > 0 {
		switch {
		case old[0] == now[0]:
			old, now = old[1:], now[1:]
		case old[0] < now[0]:
			removed, old = append(removed, old[0]), old[1:]
		default:
			added, now = append(added, now[0]), now[1:]
		}
	}
	return append(added, now...), append(removed, old...)
}

// compareMembers compares a desired set with a live one. Neither holds a member
// twice.
func compareMembers(desired, live []string) (missing, extra Members) {
	add, gone := StepMembers(live, desired)
	for _, s := range add {
		missing.Add(s)
	}
	for _, s := range gone {
		extra.Add(s)
	}
	return missing, extra
}
