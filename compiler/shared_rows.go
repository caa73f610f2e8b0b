package compiler

import (
	"cmp"
	"maps"
	"slices"

	"rung/model"
	"rung/model/ovn/nb"
)

// The address families as ids spell them.
const (
	familyV4 = "v4"
	familyV6 = "v6"
)

var bothFamilies = []string{familyV4, familyV6}

// familyNames returns the names of the address families that rows are compiled for.
func (o *Options) familyNames() []string {
	switch {
	case o.IPv4 && o.IPv6:
		return bothFamilies
	case o.IPv6:
		return bothFamilies[1:]
	case o.IPv4:
		return bothFamilies[:1]
	}
	return nil
}

// sharedSet describes address sets that form a unit of their own because several policies may use them. They
// hold the pods of two selectors (ovn-kubernetes.md#pod-selector-sets) or a DNS name's addresses
// (ovn-kubernetes.md#firewall-match).
type sharedSet struct {
	network   string // whose controller writes it, or empty for the default network
	ns, pods  model.Selector
	namespace string // instead of ns
	// legacy marks sets of peers without podSelector: they omit host-networked pods.
	legacy bool
	dns    string // instead of pods
}

func (s sharedSet) unitKey() model.PolicyKey {
	if s.dns != "" {
		return model.PolicyKey{Kind: model.KindEFDNS, Name: s.dns}
	}
	name := s.namespace
	if name == "" {
		name = s.ns.OVNText()
	}
	name += "_" + s.pods.OVNText()
	if s.legacy {
		name += "_LNM"
	}
	return model.PolicyKey{Kind: model.KindPodSelector, Name: name, Network: s.network}
}

// externalIDs returns the external_ids of one family's set.
func (s sharedSet) externalIDs(family string) map[string]string {
	k := s.unitKey()
	return nb.IDs(nb.ControllerName(k.Network), string(k.Kind), nb.IDPair{Key: nb.KeyName, Value: k.Name},
		nb.IDPair{Key: nb.KeyIPFamily, Value: family})
}

func (s sharedSet) setName(family string) string {
	return nb.HashedName(s.externalIDs(family)[nb.KeyID])
}

// podGroup returns the group of the set's pods, or nil for a DNS name.
func (s sharedSet) podGroup(c *networkCompiler) *selectorGroup {
	if s.dns != "" {
		return nil
	}
	ns := s.ns
	if s.namespace != "" {
		ns = model.SelectEverything()
	}
	return c.internGroup(ns, s.pods, s.namespace, !s.legacy)
}

func (c *networkCompiler) compileShared(s sharedSet) *CompiledUnit {
	k := s.unitKey()
	out := &CompiledUnit{Key: k, owner: string(k.Kind)}
	var groups []*selectorGroup
	g := s.podGroup(c)
	if g != nil {
		groups = []*selectorGroup{g}
		out.shared = groups
	}
	addrs, known := c.options.DNS[s.dns]
	if c.isHostNamespace(s) {
		for n := range c.cluster.Nodes() {
			addrs = slices.Concat(addrs, n.MgmtIPs, n.GatewayIPs)
		}
	}
	for _, f := range c.options.familyNames() {
		out.addSet(s.externalIDs(f), f, groups, addrs).KeptByOthers = s.dns != "" && !known || c.isFrozen(g)
	}
	return out
}

// isHostNamespace reports whether the set also holds the nodes' own addresses: it selects whole namespaces,
// among them the host network's (ovn-kubernetes.md#pod-selector-sets).
func (c *networkCompiler) isHostNamespace(s sharedSet) bool {
	if !s.legacy || !s.pods.MatchesEverything() || s.network != "" {
		return false
	}
	ns := c.cluster.Namespace(c.hostNamespace())
	return ns != nil && (s.namespace == ns.Name || s.namespace == "" && s.ns.Matches(ns.Labels))
}

func (c *networkCompiler) hostNamespace() string {
	return cmp.Or(c.options.HostNetworkNamespace, DefaultHostNetworkNamespace)
}

// noteRelated records which other units hold rows for a policy.
func (out *CompiledUnit) noteRelated(needs map[model.PolicyKey]sharedSet, others ...model.PolicyKey) {
	out.related = slices.AppendSeq(others, maps.Keys(needs))
	slices.SortFunc(out.related, model.Key.Compare)
}

// setNeeds records which shared units a unit uses. A shared unit exists while at least one unit uses it.
func (c *networkCompiler) setNeeds(user model.PolicyKey, sets map[model.PolicyKey]sharedSet) {
	for k, s := range sets {
		u := c.sharing[k]
		if u == nil {
			u = &sharedUnit{set: s, users: map[model.PolicyKey]struct{}{}}
			c.sharing[k] = u
			c.putUnit(k, c.compileShared(s))
		}
		u.users[user] = struct{}{}
	}
	for _, k := range c.sharedNeeds[user] {
		if _, still := sets[k]; still {
			continue
		}
		u := c.sharing[k]
		delete(u.users, user)
		if len(u.users) == 0 {
			delete(c.sharing, k)
			c.putUnit(k, nil)
		}
	}
	if len(sets) == 0 {
		delete(c.sharedNeeds, user)
	} else {
		c.sharedNeeds[user] = slices.Collect(maps.Keys(sets))
	}
}

type sharedUnit struct {
	set   sharedSet
	users map[model.PolicyKey]struct{}
}
