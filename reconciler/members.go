package reconciler

import (
	"maps"
	"slices"

	"rung/compiler"
	"rung/model/ovn/nb"
)

// MemberSet is a set of strings: addresses or port names.
type MemberSet map[string]struct{}

// Add adds a member.
func (m *MemberSet) Add(s string) {
	if *m == nil {
		*m = MemberSet{}
	}
	(*m)[s] = struct{}{}
}

// setOf returns a set of strings.
func setOf(all []string) MemberSet {
	out := make(MemberSet, len(all))
	for _, s := range all {
		out[s] = struct{}{}
	}
	return out
}

// remove removes s and reports whether it was a member. It frees an empty set: a map keeps its memory, and the
// first write removes every member of every row.
func (m *MemberSet) remove(s string) bool {
	if _, ok := (*m)[s]; !ok {
		return false
	}
	delete(*m, s)
	if len(*m) == 0 {
		*m = nil
	}
	return true
}

// swapNames removes names from out, and adds those not found there to in.
func swapNames(out, in *MemberSet, names []string) {
	for _, s := range names {
		if !out.remove(s) {
			in.Add(s)
		}
	}
}

// Has reports whether s is a member.
func (m MemberSet) Has(s string) bool {
	_, ok := m[s]
	return ok
}

func (m MemberSet) sortedNames() []string {
	if len(m) == 0 {
		return nil
	}
	out := slices.AppendSeq(make([]string, 0, len(m)), maps.Keys(m)) // sized, since there are many
	slices.Sort(out)
	return out
}

// StepMembers returns the differences between two versions of a set column. Both usually have the same order
// and few differences, so common ends are skipped first.
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
	if !slices.IsSorted(old) || !slices.IsSorted(now) { // nearly all columns are
		old, now = slices.Sorted(slices.Values(old)), slices.Sorted(slices.Values(now))
	}
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

// compareMembers compares a desired and a live set, both without duplicates.
func compareMembers(desired, live []string) (missing, extra MemberSet) {
	add, gone := StepMembers(live, desired)
	for _, s := range add {
		missing.Add(s)
	}
	for _, s := range gone {
		extra.Add(s)
	}
	return missing, extra
}

// compareSet compares a whole address set. It finds the row by name, as OVN-Kubernetes does
// (ovn-kubernetes.md#external-ids).
func (t *Tracker) compareSet(s *setTrack) {
	s.memberTrack = memberTrack{}
	row := t.DB.AddressSetByName(s.spec.Name)
	if row == nil {
		return
	}
	s.uuid = row.UUID
	if !s.spec.KeptByOthers {
		s.missing, s.extra = compareMembers(t.wantedMembers(s), row.Addresses)
	}
	s.listed = nil
	t.compareSetIDs(s, row)
}

// wantedMembers lists a desired set.
func (t *Tracker) wantedMembers(s *setTrack) []string {
	if s.listed != nil {
		return s.listed
	}
	if t.ListMembers != nil {
		return t.ListMembers(s.spec)
	}
	return t.Desired.SetMembers(s.spec)
}

func (t *Tracker) compareSetIDs(s *setTrack, row *nb.AddressSet) {
	s.ids = !maps.Equal(row.ExternalIDs, s.spec.ExternalIDs)
	if s.ids {
		t.markReowned(row)
	}
}

// stepDesiredMembers applies added and removed members of a desired set.
func (t *Tracker) stepDesiredMembers(d *compiler.SetDelta) {
	s := t.sets[d.Set.Name]
	// A recompiled policy has new sets, which were compared as a whole.
	if s == nil || s.spec != d.Set || t.isFresh(s.track) {
		return
	}
	t.touchTrack(s.track)
	s.listed = nil
	if s.uuid != "" {
		s.stepDesired(d.Add, d.Remove)
	}
}

// stepSet applies a change that names only the changed members, the usual case. It returns false for other
// changes.
func (t *Tracker) stepSet(before *nb.DB, uuid string, ch *nb.RowChange) bool {
	if ch.Step == nil || ch.Old != nb.Row(before.AddressSet(uuid)) || ch.New != nb.Row(t.DB.AddressSet(uuid)) {
		return false // the step misses earlier changes
	}
	s := t.sets[ch.New.RowName()]
	if s == nil || s.uuid != uuid || s.ids {
		return false
	}
	t.touchTrack(s.track)
	s.stepLive(ch.Step.Added, ch.Step.Removed)
	return true
}

// stepLive applies added and removed members of the live set.
func (s *setTrack) stepLive(added, removed []string) {
	if !s.spec.KeptByOthers {
		s.stepDesired(removed, added)
	}
}

// stepLiveSet applies one changed row; old or row is nil for an insert or delete.
func (t *Tracker) stepLiveSet(uuid string, old, row *nb.AddressSet) {
	if old != nil && row != nil && old.Name == row.Name {
		s := t.sets[row.Name]
		if s == nil {
			return
		}
		t.touchTrack(s.track)
		if s.uuid != uuid {
			return // another row with the same name
		}
		added, removed := StepMembers(old.Addresses, row.Addresses)
		s.stepLive(added, removed)
		t.compareSetIDs(s, row)
		return
	}
	for _, r := range []*nb.AddressSet{old, row} {
		if r == nil {
			continue
		}
		if s := t.sets[r.Name]; s != nil {
			t.compareSet(s)
			s.track.rowsDirty = true
			t.touchTrack(s.track)
		}
	}
}
