package logline

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"rung/model"
	"rung/model/verdict"
	"rung/model/words"
)

// proposeSubject proposes the subject of a new policy: the best single selectors of namespaces and pods for
// the pods of the lines.
func (p *proposer) proposeSubject() {
	targets := p.aboutPods
	if len(targets) == 0 {
		return
	}
	spaces := map[string]bool{}
	var in []labelClass
	for i := range targets {
		pod := p.pods.PodAt(i)
		spaces[pod.Namespace] = true
		in = append(in, lastingLabels(pod.Labels.Map()))
	}
	var others []labelClass
	for i := range p.pods.EligiblePods().Each() {
		if pod := p.pods.PodAt(i); spaces[pod.Namespace] && !targets[i] {
			others = append(others, lastingLabels(pod.Labels.Map()))
		}
	}
	podSel, _ := oneSelector(in, others)
	nsSel, _ := oneSelector(p.namespaceLabels(spaces))
	p.proposal.Subject = model.Subject{Namespaces: nsSel, Pods: podSel, AllPods: podSel.MatchesEverything()}
}

// namespaceLabels returns the labels of the given namespaces and of all other namespaces.
func (p *proposer) namespaceLabels(some map[string]bool) (in, others []labelClass) {
	for n := range p.c.Namespaces() {
		if some[n.Name] {
			in = append(in, lastingLabels(n.Labels.Map()))
		} else {
			others = append(others, lastingLabels(n.Labels.Map()))
		}
	}
	return classesByName(in), classesByName(others)
}

// classesByName reduces namespaces to their names if all have the name label: other shared labels are
// coincidence.
func classesByName(all []labelClass) []labelClass {
	out := make([]labelClass, len(all))
	for i, c := range all {
		if c[nameLabel] == "" {
			return all
		}
		out[i] = labelClass{nameLabel: c[nameLabel]}
	}
	return out
}

// proposeRules makes the rules of a direction: one for all peers with the same ports.
func (p *proposer) proposeRules(d model.Direction) {
	type group struct {
		ports []verdict.PortRange
		peers []connectionEnd
	}
	groups := map[string]*group{}
	for e, ports := range p.ports[d] {
		ranges := joinPortRanges(ports)
		k := fmt.Sprint(ranges)
		if groups[k] == nil {
			groups[k] = &group{ports: ranges}
		}
		groups[k].peers = append(groups[k].peers, e)
	}
	for _, g := range slices.SortedFunc(maps.Values(groups), func(a, b *group) int {
		return cmp.Or(cmp.Compare(len(b.peers), len(a.peers)), strings.Compare(fmt.Sprint(a.ports), fmt.Sprint(b.ports)))
	}) {
		slices.SortFunc(g.peers, func(a, b connectionEnd) int { return cmp.Or(cmp.Compare(a.pod, b.pod), a.addr.Compare(b.addr)) })
		allPeers, allNetworks := p.peerSelectors(g.peers), joinNetworks(g.peers)
		var allPorts []model.Port
		for _, r := range g.ports {
			allPorts = append(allPorts, model.Port{Protocol: string(r.Protocol), Start: int32(r.Lo), End: int32(r.Hi)})
		}
		portChunks := [][]model.Port{nil}
		if len(allPorts) > 0 {
			portChunks = slices.Collect(slices.Chunk(allPorts, mostPorts))
		}
		for _, ports := range portChunks {
			peers, networks := allPeers, allNetworks
			for len(peers)+len(networks) > 0 {
				r := model.Rule{Direction: d, Index: p.firstMatching[d], Action: p.Action, Ports: ports}
				n := min(mostPeers, len(peers))
				r.Peers, peers = slices.Clone(peers[:n]), peers[n:]
				room := min(mostPeers-n, len(networks))
				for some := range slices.Chunk(networks[:room], networksOfPeer) {
					r.Peers = append(r.Peers, model.Peer{Kind: model.PeerNetworks, Networks: some})
				}
				networks = networks[room:]
				p.proposal.Rules = append(p.proposal.Rules, r)
			}
		}
	}
}

// peerSelectors returns selectors of the pods among ends. Namespaces with the same pod selectors are joined.
func (p *proposer) peerSelectors(ends []connectionEnd) (out []model.Peer) {
	targets := map[string][]labelClass{}
	is := map[int]bool{}
	for _, e := range ends {
		if e.pod >= 0 {
			pod := p.pods.PodAt(e.pod)
			targets[pod.Namespace] = append(targets[pod.Namespace], lastingLabels(pod.Labels.Map()))
			is[e.pod] = true
		}
	}
	others := map[string][]labelClass{}
	for i := range p.pods.EligiblePods().Each() {
		if pod := p.pods.PodAt(i); targets[pod.Namespace] != nil && !is[i] {
			others[pod.Namespace] = append(others[pod.Namespace], lastingLabels(pod.Labels.Map()))
		}
	}
	type alike struct {
		pods   []model.Selector
		spaces map[string]bool
		first  string
	}
	same := map[string]*alike{}
	for ns, in := range targets {
		sels := severalSelectors(in, others[ns])
		var key strings.Builder
		for _, s := range sels {
			key.WriteString(s.Key() + "\n")
		}
		a := same[key.String()]
		if a == nil {
			a = &alike{pods: sels, spaces: map[string]bool{}, first: ns}
			same[key.String()] = a
		}
		a.spaces[ns], a.first = true, min(a.first, ns)
	}
	for _, a := range slices.SortedFunc(maps.Values(same), func(a, b *alike) int { return strings.Compare(a.first, b.first) }) {
		for _, ns := range severalSelectors(p.namespaceLabels(a.spaces)) {
			for _, pods := range a.pods {
				out = append(out, model.Peer{Kind: words.Choose(pods.MatchesEverything(), model.PeerNamespaces, model.PeerPods),
					Namespaces: ns, Pods: pods})
			}
		}
	}
	return out
}

// joinPortRanges joins adjacent ports to ranges. It returns nil, every port, if ICMP is among them: no port names
// it.
func joinPortRanges(ports map[verdict.Ports]bool) (out []verdict.PortRange) {
	var all []verdict.Ports
	for p := range ports {
		if p.Protocol == verdict.ICMP {
			return nil
		}
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b verdict.Ports) int {
		return cmp.Or(cmp.Compare(a.Protocol, b.Protocol), cmp.Compare(a.Port, b.Port))
	})
	for _, p := range all {
		if n := len(out); n > 0 && out[n-1].Protocol == p.Protocol && int(out[n-1].Hi)+1 == int(p.Port) {
			out[n-1].Hi = p.Port
			continue
		}
		out = append(out, verdict.PortRange{Protocol: p.Protocol, Lo: p.Port, Hi: p.Port})
	}
	return out
}

// joinNetworks returns the addresses among ends as networks; addresses that fill a network become that network.
func joinNetworks(ends []connectionEnd) (texts []string) {
	var out []netip.Prefix
	for _, e := range ends {
		if e.pod < 0 {
			out = append(out, netip.PrefixFrom(e.addr, e.addr.BitLen()))
		}
	}
	for joined := true; joined; {
		joined = false
		slices.SortFunc(out, netip.Prefix.Compare)
		out = slices.Compact(out)
		for i := 0; i+1 < len(out); i++ {
			a, b := out[i], out[i+1]
			if a.Bits() != b.Bits() || a.Bits() < 2 || a.Addr().Is4() != b.Addr().Is4() {
				continue
			}
			if up, up2 := parentNetwork(a), parentNetwork(b); up == up2 {
				out, joined = slices.Replace(out, i, i+2, up), true
			}
		}
	}
	for _, n := range out {
		texts = append(texts, n.String())
	}
	return texts
}

func parentNetwork(p netip.Prefix) netip.Prefix {
	return netip.PrefixFrom(p.Addr(), p.Bits()-1).Masked()
}
