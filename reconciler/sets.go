package reconciler

import (
	"maps"

	"rung/compiler"
	"rung/model/nb"
)

// compareSet compares a whole address set. A set is known by its name, as
// OVN-Kubernetes knows it (ovn-kubernetes.md#external-ids).
func (t *tracker) compareSet(s *setTrack) {
	s.uuid, s.missing, s.extra, s.ids = "", nil, nil, false
	row := t.db.AddressSetByName(s.spec.Name)
	if row == nil {
		return
	}
	s.uuid = row.UUID
	if !s.spec.Open {
		s.missing, s.extra = compareMembers(t.wanted(s), row.Addresses)
	}
	s.listed = nil
	t.compareSetIDs(s, row)
}

// wanted lists a desired set.
func (t *tracker) wanted(s *setTrack) []string {
	if s.listed != nil {
		return s.listed
	}
	if t.membersOf != nil {
		return t.membersOf(s.spec)
	}
	return t.desired.Members(s.spec)
}

func (t *tracker) compareSetIDs(s *setTrack, row *nb.AddressSet) {
	if s.ids = !maps.Equal(row.ExternalIDs, s.spec.ExternalIDs); s.ids {
		t.reowned(row)
	}
}

// stepDesiredMembers books addresses that joined or left a desired set.
func (t *tracker) stepDesiredMembers(d *compiler.SetDelta) {
	s := t.sets[d.Set.Name]
	// The set of a policy that was compiled anew is another one: it was
	// compared as a whole.
	if s == nil || s.spec != d.Set || t.isFresh(s.track) {
		return
	}
	t.touch(s.track)
	s.listed = nil
	if s.uuid == "" {
		return
	}
	swap(&s.extra, &s.missing, d.Add)
	swap(&s.missing, &s.extra, d.Remove)
}

// stepLiveSet takes in one changed row; old or row is nil for a row that came
// or went. ch is the change that leads from old to row, if one does.
func (t *tracker) stepLiveSet(uuid string, old, row *nb.AddressSet, ch *nb.RowChange) {
	if old != nil && row != nil && old.Name == row.Name {
		s := t.sets[row.Name]
		if s == nil {
			return
		}
		t.touch(s.track)
		if s.uuid != uuid {
			return // another row of the same name
		}
		if !s.spec.Open {
			step := stepOf(old, row, ch)
			swap(&s.extra, &s.missing, step.Removed)
			swap(&s.missing, &s.extra, step.Added)
		}
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
			t.touch(s.track)
		}
	}
}

// stepOf finds how a set differs from what it was; one change of its alone may say so.
func stepOf(old, row *nb.AddressSet, ch *nb.RowChange) nb.MemberStep {
	if ch != nil && ch.Step != nil && ch.Old == nb.Row(old) && ch.New == nb.Row(row) {
		return *ch.Step
	}
	added, removed := stepMembers(old.Addresses, row.Addresses)
	return nb.MemberStep{Added: added, Removed: removed}
}
