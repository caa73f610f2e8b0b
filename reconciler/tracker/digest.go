package tracker

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/nb"
)

// digestSeed makes digests of one process comparable, and only those.
var digestSeed = maphash.MakeSeed()

// digest stands for a unit's live rows in comparisons between zones.
func (t *Tracker) digest(tr *track) *model.UnitDigest {
	d := &model.UnitDigest{}
	add := func(table, id string, hash uint64) {
		d.Rows = append(d.Rows, model.RowDigest{Table: table, ID: id, Hash: hash})
	}
	row := func(uuid string) {
		if a := t.DB.ACL(uuid); a != nil && !perZone(a.ID()) {
			add(nb.TableACL, a.ID(), hashACL(a))
		}
		if s := t.DB.AddressSet(uuid); s != nil {
			add(nb.TableAddressSet, s.ID(), hashSet(s))
		}
		if g := t.DB.PortGroup(uuid); g != nil {
			add(nb.TablePortGroup, g.ID(), maphash.String(digestSeed, g.Name)^hashMap(g.ExternalIDs))
		}
	}
	for _, rows := range []Members{tr.liveACLs, tr.liveSets, tr.liveGroups} {
		for uuid := range rows {
			row(uuid)
		}
	}
	if len(d.Rows) == 0 {
		return nil
	}
	slices.SortFunc(d.Rows, func(a, b model.RowDigest) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Hash, b.Hash))
	})
	var h maphash.Hash
	h.SetSeed(digestSeed)
	for _, r := range d.Rows {
		maphash.WriteComparable(&h, r)
	}
	d.Sum = h.Sum64()
	return d
}

// keepsOthers says whether the unit has sets whose members somebody else keeps.
func keepsOthers(c *compiler.Compiled) bool {
	return c != nil && slices.ContainsFunc(c.Sets, func(s *compiler.SetSpec) bool { return s.Open })
}

// perZone says whether an ACL reads differently in every zone: ingress rules with
// named ports name the subject pods that are there (ovn-kubernetes.md#named-ports).
func perZone(id string) bool {
	if !strings.Contains(id, "-namedPort") {
		return false
	}
	o := nb.OwnerOf(nb.TableACL, map[string]string{nb.KeyID: id})
	return o.Direction != "Egress"
}

func hashACL(a *nb.ACL) uint64 {
	var h maphash.Hash
	h.SetSeed(digestSeed)
	for _, s := range []string{a.Action, a.Direction, a.Match, a.Meter, a.Name, a.Severity} {
		maphash.WriteComparable(&h, s)
	}
	maphash.WriteComparable(&h, [2]int{a.Priority, a.Tier})
	maphash.WriteComparable(&h, [3]bool{a.Log, a.BlankMeter, a.BlankName})
	maphash.WriteComparable(&h, [2]uint64{hashMap(a.ExternalIDs), hashMap(a.Options)})
	return h.Sum64()
}

func hashSet(s *nb.AddressSet) uint64 {
	var h maphash.Hash
	h.SetSeed(digestSeed)
	maphash.WriteComparable(&h, s.Name)
	maphash.WriteComparable(&h, hashMap(s.ExternalIDs))
	for _, a := range s.Addresses { // sorted
		maphash.WriteComparable(&h, a)
	}
	return h.Sum64()
}

// hashMap does not depend on the order.
func hashMap(m map[string]string) (sum uint64) {
	for k, v := range m {
		sum += maphash.Comparable(digestSeed, [2]string{k, v})
	}
	return sum
}
