package revision

import (
	"strconv"

	"rung/model"
	"rung/model/ovn/nb"
)

// ACLs are the desired ACLs of a policy in a zone ("" for all zones together):
// ingress before egress, by rule, then by id. Unlike Rows it lists no members
// of address sets, which a page that shows one rule need not pay for.
func (r *Revision) ACLs(k model.PolicyKey, zone string) []*nb.ACL {
	d, c := r.unitOf(k)
	if c == nil {
		return nil
	}
	return d.ACLs(c, zone, r.livePorts(zone))
}

// UnitKey is the key of the unit that has the rows of a policy: its own, with the network where that
// is another than the default one; of several the first by name.
func UnitKey(r *Revision, k model.PolicyKey) model.PolicyKey {
	if c := r.DesiredOf(k).Policy(k); c != nil {
		return c.Key
	}
	return k
}

// RelatedUnits are the units besides its own that hold rows for a policy: the default
// deny of its namespace and the address sets its rules share with others.
func (r *Revision) RelatedUnits(k model.PolicyKey) []model.PolicyKey {
	return r.DesiredOf(k).RelatedUnits(k)
}

// DesiredSet is the desired address set of that name among those a policy's rules
// name: its own, or one it shares with others (ovn-kubernetes.md#pod-selector-sets).
// nil when the policy has none of it.
func (r *Revision) DesiredSet(k model.PolicyKey, name string) *nb.AddressSet {
	for _, unit := range append([]model.PolicyKey{k}, r.RelatedUnits(k)...) {
		d, c := r.unitOf(unit)
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

// InZone says whether a unit has rows in a zone: those of a node are in its own
// only.
func (r *Revision) InZone(k model.PolicyKey, zone string) bool {
	c := r.DesiredOf(k).Policy(k)
	return c == nil || c.HasRowsIn(zone)
}

// DesiredGroup is the desired port group of a policy in a zone, nil when the
// policy has none. A subject pod without a logical switch port there is left
// out once the zone was read.
func (r *Revision) DesiredGroup(k model.PolicyKey, zone string) *nb.PortGroup {
	d, c := r.unitOf(k)
	if c == nil {
		return nil
	}
	live := r.livePorts(zone)
	return d.PortGroup(c, zone, live, d.ACLs(c, zone, live))
}

// IsSubject says whether a policy applies to a pod, or would if it had rows.
func (r *Revision) IsSubject(k model.PolicyKey, pod *model.Pod) bool {
	d := r.DesiredOf(k)
	return d.IsSubject(d.Policy(k), pod)
}

// RuleLabel is a rule as people write it: `egress 5 "default-deny"`.
func RuleLabel(d model.Direction, rule int, name string) string {
	s := d.Lower()
	if rule >= 0 {
		s += " " + strconv.Itoa(rule)
	}
	if name != "" {
		s += ` "` + name + `"`
	}
	return s
}
