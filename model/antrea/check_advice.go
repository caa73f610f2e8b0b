package antrea

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"rung/model"
	"rung/model/selectors"
	"rung/model/words"
)

// nameLabel is the label by which old clusters select namespaces by name. It exists only if Antrea's webhook
// is configured to set it.
const nameLabel = "antrea.io/metadata.name"

// podIndex returns the index of all pods, made at the first call.
func (k *checker) podIndex() *selectors.PodIndex {
	if k.x == nil {
		k.x = selectors.NewPodIndex(k.c, nil)
	}
	return k.x
}

// checkBlock advises against an ipBlock that contains pod addresses outside its exceptions. Blocks of all
// addresses count as intended.
func (k *checker) checkBlock(p *model.Policy, r *model.Rule, pe *model.Peer) {
	for _, text := range pe.Networks {
		n, err := netip.ParsePrefix(text)
		if err != nil || n.Bits() == 0 {
			continue
		}
		if pods := k.podIndex().InNetworkBut(n, pe.Except).Len(); pods > 0 {
			k.addAboutRule(p, r, IPBlockPods, fmt.Sprintf("%s contains addresses of %s, which change", text, words.Count(pods, "pod")),
				"select pods by labels")
		}
	}
}

// checkGroupNetworks finds multicast networks of a group in rules that cannot decide about multicast. Reading
// a policy finds such ipBlocks; a group's networks are known only here.
func (k *checker) checkGroupNetworks(p *model.Policy, r *model.Rule, group string, networks []string) {
	i := slices.IndexFunc(networks, IsMulticast)
	switch {
	case i < 0:
	case r.Direction == model.Ingress:
		k.addAboutRule(p, r, MulticastIngress, "group "+group+" contains "+networks[i]+": ingress rules cannot match multicast", "")
	case r.Action == model.Pass || r.Tiered.Action == "Reject":
		k.addAboutRule(p, r, MulticastAction, "group "+group+" contains "+networks[i]+": "+r.Tiered.Action+" is not supported for multicast",
			"use Allow or Drop")
	}
}

// namesPods reports whether a DNS name is one that Kubernetes makes for a Service or a pod.
func namesPods(name string) bool {
	name = strings.TrimSuffix(name, ".")
	return slices.Contains(strings.Split(strings.ToLower(name), "."), "svc") || strings.HasSuffix(name, ".pod.cluster.local")
}

// checkFallback advises against an Allow by fqdn if no rule drops other traffic of the same pods.
func (k *checker) checkFallback(p *model.Policy, r *model.Rule) {
	if r.Action != model.Allow {
		return
	}
	if k.dropped == nil {
		dropped := selectors.PodSet{}
		for o := range k.c.TieredPolicies() {
			for i := range o.Egress {
				if o.Egress[i].Action == model.Deny {
					s := k.r.ScopeOfRule(o, &o.Egress[i])
					dropped = dropped.Or(s.PodSet(k.podIndex()))
				}
			}
		}
		for o := range k.c.Policies(model.KindNP) {
			if o.IsolatesDirection(model.Egress) {
				dropped = dropped.Or(k.podIndex().SubjectSet(o))
			}
		}
		k.dropped = &dropped
	}
	s := k.r.ScopeOfRule(p, r)
	if pods := s.PodSet(k.podIndex()); !pods.IsEmpty() && !pods.IsWithin(*k.dropped) {
		k.addAboutRule(p, r, FQDNFallback, "no rule drops other egress traffic of its pods: allowing a name alone restricts nothing",
			"drop the rest in a later rule")
	}
}

// nameLabels finds namespace selectors with nameLabel if no namespace has it.
func (k *checker) nameLabels(p *model.Policy) {
	for ns := range k.c.Namespaces() {
		if _, ok := ns.Labels.Map()[nameLabel]; ok {
			return
		}
	}
	uses := func(s model.Selector) bool { return strings.Contains(s.Key(), nameLabel) }
	const says = "no namespace has the label " + nameLabel + ", which Antrea sets only if its webhook is configured to"
	const remedy = "select by kubernetes.io/metadata.name"
	for _, a := range p.Tiered.AppliedTo {
		if uses(a.Namespaces) {
			k.addAboutObject(&p.Meta, NameLabel, says, remedy)
			return
		}
	}
	for r := range p.AllRules() {
		for i := range r.Peers {
			if uses(r.Peers[i].Namespaces) {
				k.addAboutRule(p, r, NameLabel, says, remedy)
				return
			}
		}
	}
}

// IsMulticast reports whether a CIDR lies within the multicast addresses.
func IsMulticast(cidr string) bool {
	p, err := netip.ParsePrefix(cidr)
	return err == nil && p.Addr().IsMulticast() && (p.Addr().Is4() && p.Bits() >= 4 || p.Addr().Is6() && p.Bits() >= 8)
}
