package verdicts

import (
	"net/netip"
	"slices"

	"rung/model"
	"rung/model/verdict"
)

// matches asks whether a rule matches: peers, then ports.
func (q *asked) matches(p *model.Policy, r *model.Rule) matched {
	if r.Tiered != nil && len(r.Tiered.ToServices) > 0 {
		if q.service == nil || !slices.Contains(r.Tiered.ToServices, q.service.Key) {
			return no
		}
		for _, ip := range q.service.ClusterIPs {
			if a := netip.MustParseAddr(ip); a.Is4() == q.peer.addr.Is4() {
				return yes
			}
		}
		return no
	}
	peer := no
	if r.AnyPeer {
		peer = yes
	}
	for i := range r.Peers {
		if m := q.peerMatches(p, &r.Peers[i]); m == yes || peer == no {
			peer = m
		}
	}
	ports := q.portMatches(r)
	if peer == no || ports == no {
		return no
	}
	return max(peer, ports)
}

func (q *asked) peerMatches(p *model.Policy, peer *model.Peer) matched {
	is := func(ok bool) matched {
		if ok {
			return yes
		}
		return no
	}
	in := func(cidrs, except []string) bool {
		has := func(text string) bool { return mustPrefix(text).Contains(q.peer.addr) }
		return slices.ContainsFunc(cidrs, has) && !slices.ContainsFunc(except, has)
	}
	other := q.peer.pod
	switch peer.Kind {
	case model.PeerDNS:
		return perhaps
	case model.PeerNetworks:
		return is(in(peer.Networks, peer.Except))
	case model.PeerNodes:
		n := q.c.Node(q.peer.node)
		return is(n != nil && peer.Nodes.Matches(n.Labels))
	case model.PeerGroup:
		return is(slices.ContainsFunc(q.groupsOf(p, peer.Group), func(g *model.Group) bool {
			return other != nil && q.member(g, other) || in(g.Networks, nil)
		}))
	}
	if other == nil {
		return no
	}
	switch {
	case peer.ServiceAccount != nil:
		return is(other.Namespace == peer.ServiceAccount.Namespace && other.ServiceAccount == peer.ServiceAccount.Name)
	case peer.Match != nil && peer.Match.Self:
		return is(other.Namespace == q.pod.Namespace && peer.Pods.Matches(other.Labels))
	case peer.Match != nil:
		a, b := q.c.Namespace(q.pod.Namespace), q.c.Namespace(other.Namespace)
		for _, l := range peer.Match.SameLabels {
			if a == nil || b == nil {
				return no
			}
			v, has := a.Labels.Map()[l]
			if w, too := b.Labels.Map()[l]; !has || !too || v != w {
				return no
			}
		}
		return is(peer.Pods.Matches(other.Labels))
	case peer.Namespace != "":
		return is(other.Namespace == peer.Namespace && peer.Pods.Matches(other.Labels))
	case peer.Kind == model.PeerNamespaces:
		return is(q.selected(peer.Namespaces, model.SelectEverything(), other))
	}
	return is(q.selected(peer.Namespaces, peer.Pods, other))
}

func mustPrefix(text string) netip.Prefix {
	p, err := netip.ParsePrefix(text)
	if err != nil {
		panic(err)
	}
	return p
}

func (q *asked) portMatches(r *model.Rule) matched {
	var protocols []model.RuleProtocol
	if r.Tiered != nil {
		protocols = r.Tiered.Protocols
	}
	if len(r.Ports)+len(protocols) == 0 {
		return yes
	}
	out := no
	for _, p := range protocols {
		if p.Protocol == "ICMP" && q.proto == verdict.ICMP {
			if p.Type == nil && p.Code == nil {
				return yes
			}
			out = perhaps
		}
	}
	for _, p := range r.Ports {
		switch {
		case p.Name != "":
			if q.to == nil || !slices.ContainsFunc(q.to.Ports, func(c model.ContainerPort) bool {
				return c.Name == p.Name && c.Protocol == string(q.proto) && uint16(c.Port) == q.port && (p.Protocol == "" || p.Protocol == c.Protocol)
			}) {
				continue
			}
		case p.Protocol != string(q.proto):
			continue
		case p.Start != 0 && (int32(q.port) < p.Start || int32(q.port) > max(p.Start, p.End) || p.IsReversed()):
			continue
		}
		return yes
	}
	return out
}

// others says whether a policy of nodes, or of clients of a NodePort, may drop it.
func (q *asked) others() bool {
	for _, k := range []model.Kind{model.KindACNP} {
		for p := range q.c.Policies(k) {
			if _, ok := q.tier(p.Tiered.Tier); !ok || p.IsRejected() {
				continue
			}
			for r := range p.AllRules() {
				if r.Action != model.Deny {
					continue
				}
				list := p.Tiered.AppliedTo
				if len(r.Tiered.AppliedTo) > 0 {
					list = r.Tiered.AppliedTo
				}
				for _, a := range list {
					// At a node the pod is the other end.
					if n := q.c.Node(q.peer.node); a.Nodes != nil && n != nil && a.Nodes.Matches(n.Labels) && r.Direction != q.dir && q.other(p, r) {
						return true
					}
					if a.Service != nil && q.external && q.service != nil && q.service.Key == *a.Service && r.Direction == q.dir &&
						(r.AnyPeer || slices.ContainsFunc(r.Peers, func(peer model.Peer) bool { return q.peerMatches(p, &peer) == yes })) {
						return true
					}
				}
			}
		}
	}
	return false
}

// other asks whether a rule that applies to a node may be about the pod.
func (q *asked) other(p *model.Policy, r *model.Rule) bool {
	o := *q
	o.peer = antreaEnd{pod: q.pod, addr: q.ownAddr()}
	if r.AnyPeer || len(r.Tiered.ToServices) > 0 {
		return r.AnyPeer
	}
	return slices.ContainsFunc(r.Peers, func(peer model.Peer) bool {
		return peer.Match == nil && o.peerMatches(p, &peer) != no
	})
}

// ownAddr is the pod's address of the other end's family.
func (q *asked) ownAddr() netip.Addr {
	for _, ip := range q.pod.IPs {
		if a := netip.MustParseAddr(ip); a.Is4() == q.peer.addr.Is4() {
			return a
		}
	}
	return netip.Addr{}
}
