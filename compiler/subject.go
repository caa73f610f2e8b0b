package compiler

import "rung/model"

// IsSubject says whether the policy applies to the pod (or would, without rows),
// without listing the others.
func (d *Desired) IsSubject(c *Compiled, p *model.Pod) bool {
	if d == nil || c == nil || p == nil || !p.SubjectEligible() {
		return false
	}
	ns, ok := d.space.namespaces.Get([]byte(p.Namespace))
	if !ok {
		return false
	}
	k := make([]byte, 0, len(p.Namespace)+1+len(p.Labels.Key()))
	k = append(append(append(k, p.Namespace...), 0), p.Labels.Key()...)
	b, ok := d.space.buckets.Get(k)
	return ok && c.subject.selects(p.Namespace, ns, b.class)
}

// NamedPorts says whether some rule has named ports: the policy's ACLs then
// depend on the zone and on which logical switch ports exist there.
func (p *Compiled) NamedPorts() bool { return p.named }
