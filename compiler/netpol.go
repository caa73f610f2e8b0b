package compiler

import (
	"cmp"
	"slices"
	"strconv"

	"rung/model"
	"rung/model/ladder"
	"rung/model/logline"
	"rung/model/ovn/dialect"
	"rung/model/ovn/match"
	"rung/model/ovn/nb"
)

// applyNetpol replaces a NetworkPolicy, or removes it if p is nil.
func (c *networkCompiler) applyNetpol(k model.PolicyKey, p *model.Policy) {
	all := c.netpols[k.Namespace]
	if p != nil {
		if all == nil {
			all = map[string]*model.Policy{}
			c.netpols[k.Namespace] = all
		}
		all[k.Name] = p
	} else {
		delete(all, k.Name)
		if len(all) == 0 {
			delete(c.netpols, k.Namespace)
		}
	}
	c.staleWork.isolation[k.Namespace] = struct{}{}
	c.putSharing(k, p, c.compileNetpol)
}

// putSharing replaces a policy's unit and its use of shared units, or removes both if p is nil.
func (c *networkCompiler) putSharing(k model.PolicyKey, p *model.Policy,
	compile func(*model.Policy, map[model.PolicyKey]sharedSet) *CompiledUnit) {
	var next *CompiledUnit
	needs := map[model.PolicyKey]sharedSet{}
	if p != nil {
		next = compile(p, needs)
	}
	c.putUnit(k, next) // first, so that groups it shares with removed units survive
	c.setNeeds(k, needs)
}

// compileNetpol compiles a NetworkPolicy's port group and rules (ovn-kubernetes.md#isolation-groups,
// #rule-rows). Its peers' address sets are separate units, which it adds to needs.
func (c *networkCompiler) compileNetpol(p *model.Policy, needs map[model.PolicyKey]sharedSet) *CompiledUnit {
	out := &CompiledUnit{Key: c.name().netpolKey(p.Namespace, p.Name), Policy: p, owner: nb.OwnerNetworkPolicy}
	out.subjects = []*selectorGroup{c.internGroup(p.Subject.Namespaces, p.Subject.Pods, p.Namespace, false)}
	out.WhyNoRows = cmp.Or(FirstInvalid(p, model.InvalidCIDRForm), c.refusals().WhyNotOnNetwork(p))
	if out.WhyNoRows != nil {
		return out
	}
	out.levels = c.namespaceLevels(p.Namespace)
	name := nb.IDPair{Key: nb.KeyName, Value: p.Namespace + ":" + p.Name}
	out.setGroup(name)
	for r := range p.AllRules() {
		c.compileNetpolRule(out, r, name, needs)
	}
	out.noteRelated(needs, c.name().isolationKey(p.Namespace, model.Ingress), c.name().isolationKey(p.Namespace, model.Egress))
	return out
}

// setGroup gives the unit a port group of its own.
func (out *CompiledUnit) setGroup(pairs ...nb.IDPair) {
	out.GroupIDs = nb.IDs(nb.ControllerName(out.Key.Network), out.owner, pairs...)
	out.GroupName = nb.HashedName(out.GroupIDs[nb.KeyID])
}

func (c *networkCompiler) compileNetpolRule(out *CompiledUnit, r *model.Rule, name nb.IDPair, needs map[model.PolicyKey]sharedSet) {
	p := out.Policy
	action := nb.ActionAllowRelated
	if c.options.Stateless && p.Annotations[model.AnnotationStateless] == "true" {
		action = nb.ActionAllowStateless
	}
	cr := &compiledRule{rule: r, priority: ladder.PriorityNetpolAllow, action: action, peers: make([]*selectorGroup, len(r.Peers))}
	out.rules = append(out.rules, cr)
	dir := match.Direction(r.Direction)
	var sets4, sets6 []string
	var blocks []match.IPBlock
	for i := range r.Peers {
		peer := &r.Peers[i]
		if peer.Kind == model.PeerNetworks {
			for _, cidr := range peer.Networks {
				blocks = append(blocks, match.IPBlock{CIDR: cidr, Except: peer.Except})
			}
			continue
		}
		s := sharedSet{network: string(c.name()), ns: peer.Namespaces, pods: peer.Pods, namespace: peer.Namespace,
			legacy: peer.Kind == model.PeerNamespaces}
		cr.peers[i] = s.podGroup(c)
		needs[s.unitKey()] = s
		if four := s.setName(familyV4); !slices.Contains(sets4, four) {
			sets4, sets6 = append(sets4, four), append(sets6, s.setName(familyV6))
		}
	}
	type part struct{ l3, block string }
	var parts []part
	if r.AnyPeer {
		parts = append(parts, part{match.NetpolAny(c.options.IPv4, c.options.IPv6), nb.BlockSelectors})
	}
	switch {
	case len(blocks) == 0:
	case c.options.AlternateForms.Has(dialect.MergedIPBlocks):
		for i := range blocks {
			parts = append(parts, part{match.NetpolBlock(dir, blocks[i]), strconv.Itoa(i)})
		}
	default:
		parts = append(parts, part{match.NetpolBlocks(dir, blocks), nb.BlockMerged})
	}
	if len(sets4) > 0 {
		parts = append(parts, part{match.NetpolSelectors(dir, sets4, sets6, c.options.IPv4, c.options.IPv6), nb.BlockSelectors})
	}
	for _, l4 := range netpolL4s(r) {
		for _, at := range parts {
			out.fixed = append(out.fixed, out.newACL(c.options, rowSpec{
				name: logline.ACLName(out.Key, r.Direction, r.Index),
				pairs: []nb.IDPair{name, {Key: nb.KeyDirection, Value: string(r.Direction)},
					{Key: nb.KeyGressIndex, Value: strconv.Itoa(r.Index)}, {Key: nb.KeyProtocol, Value: l4.protocol},
					{Key: nb.KeyIPBlock, Value: at.block}},
				direction: r.Direction, priority: ladder.PriorityNetpolAllow, action: action, level: out.levels.Allow,
				match: match.NetpolMatch(dir, at.l3, l4.text, out.GroupName), sampled: true,
			}))
		}
	}
}

// netpolL4 is the L4 part of one protocol's rows.
type netpolL4 struct{ protocol, text string }

// netpolL4s groups a rule's ports by protocol, as OVN-Kubernetes does (ovn-kubernetes.md#rule-rows). A named
// port counts as no port and opens the whole protocol. Next to numbers, entries without one have no effect.
func netpolL4s(r *model.Rule) []netpolL4 {
	if len(r.Ports) == 0 {
		return []netpolL4{{protocol: "None"}}
	}
	var out []netpolL4
	for _, proto := range protocols {
		var terms []match.PortTerm
		found := false
		for _, p := range r.Ports {
			if matchProtocol(p) != proto {
				continue
			}
			found = true
			if p.Name == "" && p.Start != 0 {
				terms = append(terms, match.PortTerm{Lo: p.Start, Hi: p.End})
			}
		}
		if found {
			out = append(out, netpolL4{proto, match.L4(proto, terms)})
		}
	}
	return out
}

// rebuildIsolation rebuilds the default-deny units of a namespace. Both exist, with all rows, while it has a
// NetworkPolicy (ovn-kubernetes.md#isolation-groups).
func (c *networkCompiler) rebuildIsolation(namespace string) {
	var programmed []*model.Policy // others isolate nothing (networks.md#namespaces, #multinetworkpolicy)
	for _, p := range c.netpols[namespace] {
		if c.refusals().WhyNotOnNetwork(p) == nil {
			programmed = append(programmed, p)
		}
	}
	for _, dir := range model.Directions {
		k := c.name().isolationKey(namespace, dir)
		if len(programmed) == 0 {
			c.putUnit(k, nil)
			continue
		}
		c.putUnit(k, c.compileIsolation(k, dir, programmed))
	}
}

// compileIsolation compiles a namespace's default deny in one direction
// (ovn-kubernetes.md#default-deny).
func (c *networkCompiler) compileIsolation(k model.PolicyKey, dir model.Direction, policies []*model.Policy) *CompiledUnit {
	out := &CompiledUnit{Key: k, owner: nb.OwnerNetpolNamespace, levels: c.namespaceLevels(k.Namespace)}
	for _, p := range policies {
		g := c.internGroup(p.Subject.Namespaces, p.Subject.Pods, p.Namespace, false)
		if p.IsolatesDirection(dir) && !slices.Contains(out.subjects, g) {
			out.subjects = append(out.subjects, g)
		}
	}
	name, direction := nb.IDPair{Key: nb.KeyName, Value: k.Namespace}, nb.IDPair{Key: nb.KeyDirection, Value: string(dir)}
	out.setGroup(name, direction)
	row := func(kind, expr string, priority int, action, level string) {
		out.fixed = append(out.fixed, out.newACL(c.options, rowSpec{
			name:      logline.ACLName(model.PolicyKey{Kind: model.KindNP, Namespace: k.Namespace}, dir, 0),
			pairs:     []nb.IDPair{name, direction, {Key: nb.KeyType, Value: kind}},
			direction: dir, priority: priority, action: action, level: level, match: expr, sampled: true,
		}))
	}
	d := match.Direction(dir)
	row("arpAllow", match.ARPMatch(d, out.GroupName), ladder.PriorityNetpolAllow, nb.ActionAllow, "")
	row("defaultDeny", match.DenyMatch(d, out.GroupName), ladder.PriorityNetpolDeny, nb.ActionDrop, out.levels.Deny)
	if c.options.AllowICMP {
		row("icmpAllow", match.ICMPMatch(d, out.GroupName), ladder.PriorityNetpolAllow, nb.ActionAllow, "")
	}
	return out
}

// namespaceLevels returns the log levels of a namespace's annotation.
func (c *networkCompiler) namespaceLevels(namespace string) model.LogLevels {
	ns := c.cluster.Namespace(namespace)
	if ns == nil {
		return model.LogLevels{}
	}
	l, _ := model.NamespaceLogLevels(ns.Annotations[model.AnnotationLogging])
	return l
}
