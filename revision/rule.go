package revision

import (
	"cmp"
	"strconv"

	"rung/model"
	"rung/model/ovn/nb"
)

// ACLs returns the desired ACLs of a policy in a zone ("" for all zones): ingress before egress, by rule, then
// by id. It is cheap: unlike Rows it lists no members of address sets.
func (r *Revision) ACLs(k model.PolicyKey, zone string) []*nb.ACL {
	d, c := r.findUnit(k)
	if c == nil {
		return nil
	}
	return d.ACLs(c, zone, r.livePorts(zone))
}

// UnitKey returns the key of the unit with a policy's rows: the policy's key, with the network if it is not
// the default one; the first by name if there are several.
func UnitKey(r *Revision, k model.PolicyKey) model.PolicyKey {
	if c := r.DesiredFor(k).Policy(k); c != nil {
		return c.Key
	}
	return k
}

// RelatedUnits returns the other units with rows for a policy: the default deny of its namespace and the
// address sets that its rules share with others.
func (r *Revision) RelatedUnits(k model.PolicyKey) []model.PolicyKey {
	return r.DesiredFor(k).RelatedUnits(k)
}

// DesiredSet returns the desired address set of a name among those in a policy's rules, own or shared
// (ovn-kubernetes.md#pod-selector-sets). It is nil if the policy has no such set.
func (r *Revision) DesiredSet(k model.PolicyKey, name string) *nb.AddressSet {
	for _, unit := range append([]model.PolicyKey{k}, r.RelatedUnits(k)...) {
		d, c := r.findUnit(unit)
		if c == nil {
			continue
		}
		for _, s := range c.Sets {
			if s.Name == name {
				return &nb.AddressSet{Name: s.Name, ExternalIDs: s.ExternalIDs, Addresses: d.SetMembers(s)}
			}
		}
	}
	return nil
}

// InZone reports whether a unit has rows in a zone: a node's unit has rows only in its own zone.
func (r *Revision) InZone(k model.PolicyKey, zone string) bool {
	c := r.DesiredFor(k).Policy(k)
	return c == nil || c.HasRowsIn(zone)
}

// DesiredGroup returns the desired port group of a policy in a zone, nil if it has none. After the zone was
// read, it leaves out subject pods without a logical switch port there.
func (r *Revision) DesiredGroup(k model.PolicyKey, zone string) *nb.PortGroup {
	d, c := r.findUnit(k)
	if c == nil {
		return nil
	}
	live := r.livePorts(zone)
	return d.PortGroup(c, zone, live, d.ACLs(c, zone, live))
}

// IsSubject reports whether a policy applies to a pod, or would if it had rows.
func (r *Revision) IsSubject(k model.PolicyKey, pod *model.Pod) bool {
	d := r.DesiredFor(k)
	return d.IsSubject(d.Policy(k), pod)
}

// RuleLabel returns a rule as people write it: `egress 5 "default-deny"`.
func RuleLabel(d model.Direction, rule int, name string) string {
	s := d.Lower()
	if rule >= 0 {
		s = cmp.Or(s, "rule")
		s += " " + strconv.Itoa(rule)
	}
	if name != "" {
		s += ` "` + name + `"`
	}
	return s
}
