package compiler

import "rung/model"

// IsSubject says whether the policy applies to the pod (or would, without rows),
// without listing the others.
func (d *Desired) IsSubject(c *Compiled, p *model.Pod) bool {
	if d == nil || c == nil || p == nil || !p.SubjectEligible() {
		return false
	}
	ns, ok := d.space.namespaces.Get(p.Namespace)
	if !ok {
		return false
	}
	b, ok := d.space.buckets.Get(treeKey(p.Namespace, p.Labels.Key(), false))
	if !ok {
		return false
	}
	for _, g := range c.subjects {
		if g.selects(p.Namespace, ns, b.bucketKey) {
			return true
		}
	}
	return false
}

// NamedPorts says whether some rule has named ports: the policy's ACLs then
// depend on the zone and on which logical switch ports exist there.
func (p *Compiled) NamedPorts() bool { return p.named }
