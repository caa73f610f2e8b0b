package selectors

import (
	"net/netip"
	"slices"

	"rung/model"
)

// MayMeet reports whether rules of two policies could match the same traffic, with any future pods. It is
// false only if their selectors, networks or ports certainly exclude each other.
func MayMeet(a *model.Policy, ra *model.Rule, b *model.Policy, rb *model.Rule) bool {
	return ra.Direction == rb.Direction && SubjectsMayMeet(a, b) &&
		newPortSet(ra.Ports).mayMeet(newPortSet(rb.Ports)) && peersMayMeet(ra, rb)
}

// SubjectsMayMeet reports whether a pod could be subject of both policies.
func SubjectsMayMeet(a, b *model.Policy) bool {
	if a.Subject.Namespace != "" && b.Subject.Namespace != "" && a.Subject.Namespace != b.Subject.Namespace {
		return false
	}
	return !a.Subject.Namespaces.ExcludesSelector(b.Subject.Namespaces) && !subjectPods(a).ExcludesSelector(subjectPods(b))
}

func (s portSet) mayMeet(o portSet) bool {
	if len(s.names) > 0 && (o.isEverything || len(o.ranges)+len(o.names) > 0) || len(o.names) > 0 && (s.isEverything || len(s.ranges) > 0) {
		return true // a name may mean any number
	}
	_, _, ok := s.commonPort(o)
	return ok
}

func peersMayMeet(a, b *model.Rule) bool {
	if a.AnyPeer || b.AnyPeer {
		return true
	}
	for i := range a.Peers {
		for j := range b.Peers {
			if peersMeet(&a.Peers[i], &b.Peers[j]) {
				return true
			}
		}
	}
	return false
}

// selectsByLabels reports whether the peer selects pods by labels.
func selectsByLabels(pe *model.Peer) bool {
	return pe.Kind == model.PeerNamespaces || pe.Kind == model.PeerPods
}

func podLabels(pe *model.Peer) model.Selector {
	if pe.Kind == model.PeerNamespaces {
		return model.SelectEverything()
	}
	return pe.Pods
}

func peersMeet(pe, o *model.Peer) bool {
	switch {
	case selectsByLabels(pe) && selectsByLabels(o):
		return !pe.Namespaces.ExcludesSelector(o.Namespaces) && !podLabels(pe).ExcludesSelector(podLabels(o))
	case pe.Kind == model.PeerNodes && o.Kind == model.PeerNodes:
		return !pe.Nodes.ExcludesSelector(o.Nodes)
	case pe.Kind == model.PeerNetworks && o.Kind == model.PeerNetworks:
		for p := range ParsedNetworks(pe.Networks) {
			for q := range ParsedNetworks(o.Networks) {
				if p.Overlaps(q) {
					return true
				}
			}
		}
	case pe.Kind == model.PeerNetworks:
		return len(WholeFamilies(pe.Networks)) > 0 // any pod or node may have such an address
	case o.Kind == model.PeerNetworks:
		return len(WholeFamilies(o.Networks)) > 0
	}
	return false
}

// WholeFamilies returns the families, "0.0.0.0/0" and "::/0", that the networks cover entirely.
func WholeFamilies(networks []string) (out []string) {
	var ps []netip.Prefix
	for p := range ParsedNetworks(networks) {
		ps = append(ps, p.Masked())
	}
	for _, whole := range []string{"0.0.0.0/0", "::/0"} {
		if isFilledBy(netip.MustParsePrefix(whole), ps) {
			out = append(out, whole)
		}
	}
	return out
}

// isFilledBy reports whether the networks cover all of p.
func isFilledBy(p netip.Prefix, by []netip.Prefix) bool {
	var within []netip.Prefix
	for _, n := range by {
		switch {
		case n.Addr().Is4() != p.Addr().Is4() || !n.Overlaps(p):
		case n.Bits() <= p.Bits():
			return true
		default:
			within = append(within, n)
		}
	}
	if len(within) < 2 { // one narrower network cannot fill both halves
		return false
	}
	low, high := splitPrefix(p)
	return isFilledBy(low, within) && isFilledBy(high, within)
}

func splitPrefix(p netip.Prefix) (low, high netip.Prefix) {
	b := p.Addr().AsSlice()
	low = netip.PrefixFrom(p.Addr(), p.Bits()+1)
	b[p.Bits()/8] |= 0x80 >> (p.Bits() % 8)
	a, _ := netip.AddrFromSlice(b)
	return low, netip.PrefixFrom(a, p.Bits()+1)
}

// RuleCovers reports whether all traffic that rule r of policy p matches now is also matched by rule o of
// policy q. It is false if r matches nothing. If r reaches nobody now, selectors decide.
func (x *PodIndex) RuleCovers(q *model.Policy, o *ResolvedRule, p *model.Policy, r *ResolvedRule) bool {
	if r.rule.MatchesNothing() || o.rule.Direction != r.rule.Direction || !newPortSet(o.rule.Ports).coversAll(newPortSet(r.rule.Ports)) {
		return false
	}
	subject := x.SubjectSet(p)
	if subject.IsEmpty() || r.reach.IsEmpty() {
		return coversSubject(q, p) && coversPeers(o.rule, r.rule)
	}
	if !subject.IsWithin(x.SubjectSet(q)) {
		return false
	}
	if o.reach.Everyone {
		return true
	}
	if r.reach.Everyone {
		return false
	}
	for f := range r.reach.byFamily {
		if !r.reach.byFamily[f].IsWithin(o.reach.byFamily[f]) {
			return false
		}
	}
	for _, n := range r.reach.Networks {
		if !isFilledBy(n, o.reach.Networks) {
			return false
		}
	}
	return true
}

func coversSubject(q, p *model.Policy) bool {
	return (q.Subject.Namespace == "" || q.Subject.Namespace == p.Subject.Namespace) &&
		q.Subject.Namespaces.IncludesSelector(p.Subject.Namespaces) && subjectPods(q).IncludesSelector(subjectPods(p))
}

func coversPeers(o, r *model.Rule) bool {
	if o.AnyPeer {
		return true
	}
	var networks []netip.Prefix
	for i := range o.Peers {
		for n := range ParsedNetworks(o.Peers[i].Networks) {
			networks = append(networks, n.Masked())
		}
	}
	for i := range r.Peers {
		pe := &r.Peers[i]
		if pe.Kind == model.PeerNetworks {
			for n := range ParsedNetworks(pe.Networks) {
				if !isFilledBy(n.Masked(), networks) {
					return false
				}
			}
			continue
		}
		if !slices.ContainsFunc(o.Peers, func(by model.Peer) bool { return peerIncludes(&by, pe) }) {
			return false
		}
	}
	return !r.AnyPeer
}

func peerIncludes(pe, o *model.Peer) bool {
	switch {
	case selectsByLabels(pe) && selectsByLabels(o):
		return pe.Namespaces.IncludesSelector(o.Namespaces) && podLabels(pe).IncludesSelector(podLabels(o))
	case pe.Kind == model.PeerNodes && o.Kind == model.PeerNodes:
		return pe.Nodes.IncludesSelector(o.Nodes)
	}
	return false
}

// coversAll reports whether s has every port of o; only the same name or everything covers a name.
func (s portSet) coversAll(o portSet) bool {
	if s.isEverything {
		return true
	}
	if o.isEverything {
		return false
	}
	for _, n := range o.names {
		if !slices.Contains(s.names, n) {
			return false
		}
	}
	for _, r := range o.ranges {
		if !s.coversRange(r) {
			return false
		}
	}
	return true
}

// coversRange walks along the range from one range of the set to the next.
func (s portSet) coversRange(r portRange) bool {
	for next := r.start; next <= r.end; {
		far := next
		for _, by := range s.ranges {
			if by.protocol == r.protocol && by.start <= next && by.end >= next {
				far = max(far, by.end+1)
			}
		}
		if far == next {
			return false
		}
		next = far
	}
	return true
}
