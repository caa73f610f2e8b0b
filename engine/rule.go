package engine

import (
	"rung/model"
	"rung/model/nb"
)

// ACLs are the desired ACLs of a policy in a zone ("" for all zones together):
// ingress before egress, by rule, then by id. Unlike Rows it lists no members
// of address sets, which a page that shows one rule need not pay for.
func (r *Revision) ACLs(k model.PolicyKey, zone string) []*nb.ACL {
	c := r.desired.Policy(k)
	if c == nil || c.None != nil {
		return nil
	}
	return r.desired.ACLs(c, zone, r.hasPort(zone))
}

// DesiredSet is the desired address set of that name among a policy's, nil when
// the policy has none of it.
func (r *Revision) DesiredSet(k model.PolicyKey, name string) *nb.AddressSet {
	c := r.desired.Policy(k)
	if c == nil || c.None != nil {
		return nil
	}
	for _, s := range c.Sets {
		if s.Name == name {
			return &nb.AddressSet{Name: s.Name, ExternalIDs: s.ExternalIDs, Addresses: r.desired.Members(s)}
		}
	}
	return nil
}

// DesiredGroup is the desired port group of a policy in a zone, nil when the
// policy has none. A subject pod without a logical switch port there is left
// out once the zone was read.
func (r *Revision) DesiredGroup(k model.PolicyKey, zone string) *nb.PortGroup {
	c := r.desired.Policy(k)
	if c == nil || c.None != nil {
		return nil
	}
	has := r.hasPort(zone)
	return r.desired.PortGroup(c, zone, has, r.desired.ACLs(c, zone, has))
}

// IsSubject says whether a policy applies to a pod, or would if it had rows.
func (r *Revision) IsSubject(k model.PolicyKey, pod *model.Pod) bool {
	return r.desired.IsSubject(r.desired.Policy(k), pod)
}
