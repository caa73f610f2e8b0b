package compiler

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strconv"

	"rung/model"
	"rung/model/ovn/match"
	"rung/model/ovn/nb"
)

// ACLs returns a policy's ACLs in a zone, "" for all zones: ingress before egress, by rule, then by id. Only
// policies with named ports have ACLs that differ between zones. The slice may be shared: append to it, but
// never sort or change it.
func (d *Desired) ACLs(c *CompiledUnit, zone string, live *nb.DB) []*nb.ACL {
	if !c.HasRowsIn(zone) {
		return nil
	}
	if !c.hasNamedPorts {
		return slices.Clip(c.fixed)
	}
	out := slices.Clone(c.fixed)
	for _, cr := range c.rules {
		if len(cr.names) > 0 {
			out = append(out, d.namedACLs(c, cr, zone, live)...)
		}
	}
	slices.SortStableFunc(out, compareACL)
	return out
}

// ACLCount returns the number of ACLs that ACLs lists for all zones, without writing their matches.
func (d *Desired) ACLCount(c *CompiledUnit) int {
	n := len(c.fixed)
	for _, cr := range c.rules {
		if len(cr.names) > 0 {
			n += d.namedProtocols(c, cr)
		}
	}
	return n
}

// namedProtocols counts the protocols that a rule's named ports resolve to.
func (d *Desired) namedProtocols(c *CompiledUnit, cr *compiledRule) int {
	found := map[string]bool{}
	for _, p := range d.namedPortPods(c, cr, "", nil) {
		if len(p.IPs) == 0 {
			continue
		}
		for i := range p.Ports {
			if port := &p.Ports[i]; slices.Contains(cr.names, port.Name) && slices.Contains(apiProtocols[:], port.Protocol) {
				found[port.Protocol] = true
			}
		}
	}
	return len(found)
}

// namedPortPods returns the pods in which a rule's named ports are looked up (ovn-kubernetes.md#named-ports).
// An ingress rule reads the zone's subject pods. By a side effect of OVN-Kubernetes, visible in its rows, it
// also reads the peer pods of all zones. An egress rule reads the peer pods.
func (d *Desired) namedPortPods(c *CompiledUnit, cr *compiledRule, zone string, live *nb.DB) (pods []*model.Pod) {
	if cr.rule.Direction == model.Ingress {
		for _, p := range d.SubjectPods(c) {
			if zone != "" && p.NodeName != zone {
				continue
			}
			if live == nil || live.PortByName(nb.PortName(p.Namespace, p.Name)) != nil {
				pods = append(pods, p)
			}
		}
	}
	for _, g := range cr.peers {
		if g != nil {
			pods = append(pods, d.podsOfGroups(g)...)
		}
	}
	return pods
}

func compareACL(a, b *nb.ACL) int {
	ai, _ := strconv.Atoi(a.ExternalIDs[nb.KeyGressIndex])
	bi, _ := strconv.Atoi(b.ExternalIDs[nb.KeyGressIndex])
	return cmp.Or(cmp.Compare(b.ExternalIDs[nb.KeyDirection], a.ExternalIDs[nb.KeyDirection]), // Ingress first
		cmp.Compare(ai, bi), cmp.Compare(a.ID(), b.ID()))
}

// namedACLs resolves a rule's named ports. Items are sorted by name, then by address as text. Duplicates and
// addresses of disabled families stay.
func (d *Desired) namedACLs(c *CompiledUnit, cr *compiledRule, zone string, live *nb.DB) []*nb.ACL {
	pods := d.namedPortPods(c, cr, zone, live)
	items := map[string][]match.NamedItem{}
	for _, name := range cr.names {
		found := map[string][]match.NamedItem{}
		for _, p := range pods {
			for _, port := range p.Ports {
				i := slices.Index(apiProtocols[:], port.Protocol)
				if port.Name != name || i < 0 {
					continue
				}
				proto := protocols[i]
				for _, ip := range p.IPs {
					found[proto] = append(found[proto], match.NamedItem{IP: ip, Port: port.Port})
				}
			}
		}
		for proto, list := range found {
			slices.SortStableFunc(list, func(a, b match.NamedItem) int { return cmp.Compare(a.IP, b.IP) })
			items[proto] = append(items[proto], list...)
		}
	}
	var acls []*nb.ACL
	for _, proto := range protocols {
		if len(items[proto]) > 0 {
			acls = append(acls, c.ruleACL(d.options, cr, proto+"-namedPort", cr.matchWriter(c.GroupName).NamedPortMatch(proto, items[proto])))
		}
	}
	return acls
}

// sampleID returns the metadata of an ACL's Sample: the unsigned 32-bit FNV-1a hash of id, match and action
// (ovn-kubernetes.md#samples).
func sampleID(a *nb.ACL) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(a.ID() + a.Match + a.Action))
	return strconv.FormatUint(uint64(h.Sum32()), 10)
}
