package tracker

import (
	"maps"

	"rung/compiler"
	"rung/model/ovn/nb"
)

// compareSet compares a whole address set. A set is known by its name, as
// OVN-Kubernetes knows it (ovn-kubernetes.md#external-ids).
func (t *Tracker) compareSet(s *setTrack) {
	s.uuid, s.missing, s.extra, s.ids = "", nil, nil, false
	row := t.DB.AddressSetByName(s.spec.Name)
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
func (t *Tracker) wanted(s *setTrack) []string {
	if s.listed != nil {
		return s.listed
	}
	if t.MembersOf != nil {
		return t.MembersOf(s.spec)
	}
	return t.Desired.Members(s.spec)
}

func (t *Tracker) compareSetIDs(s *setTrack, row *nb.AddressSet) {
	if s.ids = !maps.Equal(row.ExternalIDs, s.spec.ExternalIDs); s.ids {
		t.reowned(row)
	}
}

// stepDesiredMembers books addresses that joined or left a desired set.
func (t *Tracker) stepDesiredMembers(d *compiler.SetDelta) {
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

// stepSet takes in the usual change of a set that is as it was but for its members,
// which the change names, and says whether this was one.
func (t *Tracker) stepSet(before *nb.DB, uuid string, ch *nb.RowChange) bool {
	if ch.Step == nil || ch.Old != nb.Row(before.AddressSet(uuid)) || ch.New != nb.Row(t.DB.AddressSet(uuid)) {
		return false // other changes came before it
	}
	s := t.sets[ch.New.RowName()]
	if s == nil || s.uuid != uuid || s.ids {
		return false
	}
	t.touch(s.track)
	s.stepLive(ch.Step.Added, ch.Step.Removed)
	return true
}

// stepLive books addresses that came into the live set or went out of it.
func (s *setTrack) stepLive(added, removed []string) {
	if !s.spec.Open {
		swap(&s.extra, &s.missing, removed)
		swap(&s.missing, &s.extra, added)
	}
}

// stepLiveSet takes in one changed row; old or row is nil for a row that came
// or went.
func (t *Tracker) stepLiveSet(uuid string, old, row *nb.AddressSet) {
	if old != nil && row != nil && old.Name == row.Name {
		s := t.sets[row.Name]
		if s == nil {
			return
		}
		t.touch(s.track)
		if s.uuid != uuid {
			return // another row of the same name
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
			t.touch(s.track)
		}
	}
}
