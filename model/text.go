package model

import (
	"net/netip"
	"strconv"
	"strings"
)

// String returns the subject for people: "ns: all", "ns: tenant=blue", "pods: app=web", "pods: app=web in ns:
// tenant=blue".
func (s Subject) String() string {
	if s.Namespace != "" {
		if s.AllPods || s.Pods.MatchesEverything() {
			return "ns: " + s.Namespace
		}
		return "pods: " + s.Pods.String() + " in " + s.Namespace
	}
	if s.AllPods {
		return "ns: " + s.Namespaces.String()
	}
	return podsText(s.Namespaces, s.Pods)
}

func podsText(namespaces, pods Selector) string {
	switch {
	case pods.MatchesEverything():
		return "ns: " + namespaces.String()
	case namespaces.MatchesEverything():
		return "pods: " + pods.String()
	}
	return "pods: " + pods.String() + " in ns: " + namespaces.String()
}

// String returns the peer for people: like a subject, or "nodes: all", "networks: 10.0.0.0/8, 192.168.0.0/16".
func (p Peer) String() string {
	switch p.Kind {
	case PeerGroup:
		return "group: " + p.Group
	case PeerEntities:
		text := "external entities: " + p.Pods.String()
		if !p.Namespaces.MatchesEverything() {
			text += " in ns: " + p.Namespaces.String()
		}
		return text
	case PeerServiceAccount:
		return "service account: " + p.ServiceAccount.String()
	case PeerNamespaces:
		return "ns: " + p.Namespaces.String()
	case PeerPods:
		if p.Match != nil {
			return p.Match.peerText(p.Pods)
		}
		if p.Namespace != "" {
			return Subject{Namespace: p.Namespace, Pods: p.Pods}.String()
		}
		return podsText(p.Namespaces, p.Pods)
	case PeerNodes:
		return "nodes: " + p.Nodes.String()
	case PeerNetworks:
		text := "networks: " + strings.Join(p.Networks, ", ")
		if len(p.Except) > 0 {
			text += " except " + strings.Join(p.Except, ", ")
		}
		return text
	case PeerDNS:
		return "domain: " + p.DNSName
	}
	return string(p.Kind)
}

// String returns the port for people: "tcp 80", "udp 8000–8010", "sctp", or a named port in quotes. A protocol
// unknown to OVN-Kubernetes keeps its spelling: `protocol "tcp" 80` is not TCP.
func (p Port) String() string {
	proto := strings.ToLower(p.Protocol)
	if p.Name == "" && !KnowsProtocol(p.Protocol) {
		proto = "protocol " + strconv.Quote(p.Protocol)
	}
	switch {
	case p.Name != "":
		return strconv.Quote(p.Name)
	case p.Start == 0 && p.End == 0:
		return proto
	case p.End > p.Start, p.IsReversed():
		return proto + " " + strconv.Itoa(int(p.Start)) + "–" + strconv.Itoa(int(p.End))
	}
	return proto + " " + strconv.Itoa(int(p.Start))
}

// Label returns the rule's name for people, counting from 0 like OVN's names: `egress rule 5 "default-deny"`.
func (r *Rule) Label() string {
	text := r.Direction.Lower() + " rule " + strconv.Itoa(r.Index)
	if r.Name != "" {
		text += " " + strconv.Quote(r.Name)
	}
	return text
}

// ParsePrefixes returns the valid prefixes among some texts.
func ParsePrefixes(texts []string) (out []netip.Prefix) {
	for _, text := range texts {
		if p, err := netip.ParsePrefix(text); err == nil {
			out = append(out, p)
		}
	}
	return out
}
