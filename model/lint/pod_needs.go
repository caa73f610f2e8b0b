package lint

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"rung/model"
	"rung/model/selectors"
	"rung/model/verdict"
	"rung/model/words"
)

// podNeed is a service that pods must reach.
type podNeed int

const (
	dnsUDP podNeed = iota
	dnsTCP
	apiServer
	needs
)

// needShare is how much of a need a rule decides.
type needShare int

const (
	noShare needShare = iota
	partialShare
	fullShare
)

// needRule is an egress rule with the needs that it decides.
type needRule struct {
	p      *model.Policy
	r      *model.Rule
	shares [needs]needShare
}

type needLint struct {
	*linter
	services     *VitalServices
	deciders     []needRule    // see decidingRules; nil until first used
	dnsDropRules []dnsDropRule // ingress rules that drop queries at the DNS pods; nil until first used
}

// decidingRules returns the egress rules that decide about a need, in order. It collects them once.
func (l *needLint) decidingRules() []needRule {
	if l.deciders != nil {
		return l.deciders
	}
	l.deciders = []needRule{}
	for _, p := range l.policies {
		for i := range p.Egress {
			if n := l.needShares(&p.Egress[i]); n != [needs]needShare{} {
				l.deciders = append(l.deciders, needRule{p, &p.Egress[i], n})
			}
		}
	}
	return l.deciders
}

// needShares returns how much of each need the rule decides. While no DNS pod is known, a rule
// that allows or passes the usual DNS ports counts as deciding DNS.
func (l *needLint) needShares(r *model.Rule) (n [needs]needShare) {
	s := l.services
	for what, proto := range map[podNeed]string{dnsUDP: "UDP", dnsTCP: "TCP"} {
		switch {
		case !s.DNSPods.IsEmpty():
			if l.matchesDNSPort(r, proto, s.DNSPorts[proto]) {
				have := l.dnsPodsAmong(r)
				n[what] = classifyShare(!have.IsEmpty(), s.DNSPods.IsWithin(have))
			}
		case r.Action == model.Deny:
			n[what] = l.denyShare(r)
		case l.namesOnlyServices(r): // never matches
		case selectors.PortMatch(r.Ports, proto, DNSPort) || selectors.PortMatch(r.Ports, proto, AltDNSPort):
			n[what] = fullShare
		}
	}
	if len(s.API) > 0 && selectors.PortMatch(r.Ports, "TCP", s.APIPort) {
		n[apiServer] = l.apiShare(r)
	}
	return n
}

// classifyShare returns the share of a rule that decides any, or all, of a need.
func classifyShare(anyOfIt, allOfIt bool) needShare {
	switch {
	case !anyOfIt:
		return noShare
	case allOfIt:
		return fullShare
	}
	return partialShare
}

// dnsPodsAmong returns the DNS pods among a rule's peers, by label or address.
func (l *needLint) dnsPodsAmong(r *model.Rule) (have selectors.PodSet) {
	want := l.services.DNSPods
	add := func(s selectors.PodSet) {
		if s.Meets(want) {
			have = have.Or(s.And(want))
		}
	}
	for i := range r.Peers {
		add(l.x.PeerSelected(&r.Peers[i]))
		for n := range selectors.ParsedNetworks(r.Peers[i].Networks) {
			if !l.isOfLackedFamily(n) {
				add(l.x.InNetwork(n))
			}
		}
	}
	return have
}

// apiShare returns how much of the API server's addresses a rule's peers cover.
func (l *needLint) apiShare(r *model.Rule) needShare {
	var set selectors.NetworkSet
	for i := range r.Peers {
		for n := range selectors.ParsedNetworks(r.Peers[i].Networks) {
			set.Add(n, i)
		}
		if r.Peers[i].Kind != model.PeerNodes {
			continue
		}
		for _, node := range l.x.NodesMatching(r.Peers[i].Nodes) {
			for _, a := range verdict.ParseAddrs(node.HostIPs) {
				set.Add(netip.PrefixFrom(a, a.BitLen()), i)
			}
		}
	}
	isIn := func(a netip.Addr) bool {
		_, _, ok := set.NarrowestCovering(netip.PrefixFrom(a, a.BitLen()))
		return ok
	}
	isOut := func(a netip.Addr) bool { return !isIn(a) }
	return classifyShare(slices.ContainsFunc(l.services.API, isIn), !slices.ContainsFunc(l.services.API, isOut))
}

// denyShare returns whole for a Deny of every address or every pod, on any port.
func (l *needLint) denyShare(r *model.Rule) needShare {
	if len(r.Ports) > 0 {
		return noShare
	}
	for i := range r.Peers {
		pe := &r.Peers[i]
		if isEveryPod(pe) {
			return fullShare
		}
		for n := range selectors.ParsedNetworks(pe.Networks) {
			if l.isEveryAddress(n) {
				return fullShare
			}
		}
	}
	return noShare
}

// isEveryAddress reports whether a network has all addresses of a family of the cluster.
func (l *linter) isEveryAddress(n netip.Prefix) bool {
	return n.Bits() == 0 && !l.isOfLackedFamily(n)
}

// isOfLackedFamily reports whether a network belongs to the family that the cluster lacks.
func (l *linter) isOfLackedFamily(n netip.Prefix) bool {
	return l.missing.name != "" && l.missing.allAddresses.Addr().Is4() == n.Addr().Is4()
}

// matchesDNSPort reports whether a rule matches a port of the DNS pods, by number or name.
func (l *needLint) matchesDNSPort(r *model.Rule, proto string, port int32) bool {
	return selectors.PortMatch(r.Ports, proto, port) ||
		slices.ContainsFunc(l.x.FirstPod(l.services.DNSPods).Ports, func(c model.ContainerPort) bool {
			return c.Name != "" && c.Protocol == proto && c.Port == port &&
				slices.ContainsFunc(r.Ports, func(p model.Port) bool { return p.Name == c.Name })
		})
}

// needDecision is how earlier rules decide about a need.
type needDecision struct {
	decider      *needRule   // nil if no rule decides
	partDeciders []*needRule // earlier rules that decide part of it
}

func (d needDecision) isOpen() bool { return d.decider == nil }

// isPartAllowed reports whether a rule allows a part of the need.
func (d needDecision) isPartAllowed() bool {
	return slices.ContainsFunc(d.partDeciders, func(n *needRule) bool { return n.r.Action != model.Deny })
}

func (d needDecision) isDenied() bool { return d.decider != nil && d.decider.r.Action == model.Deny }

// decisionBefore returns the decision about a need of the policy's subject before the rule: by earlier rules
// of the policy, and by policies above it that apply to the whole subject.
func (l *needLint) decisionBefore(p *model.Policy, r *model.Rule, what podNeed) (d needDecision) {
	subject := l.x.SubjectSet(p)
	for i := range l.decidingRules() {
		n := &l.deciders[i]
		switch {
		case n.shares[what] == noShare:
			continue
		case n.p == p:
			if n.r.Index >= r.Index {
				return d
			}
		case l.order[n.p.Key] > l.order[p.Key]:
			return d
		case n.p.Tier == p.Tier && n.p.Priority == p.Priority, // same priority
			n.p.Kind.HasPriority() && n.p.Priority > l.max, // not enforced
			!subject.IsWithin(l.x.SubjectSet(n.p)):
			continue
		}
		if n.shares[what] == partialShare {
			d.partDeciders = append(d.partDeciders, n)
			if !l.allowAllTogether(what, d.partDeciders) {
				continue
			}
		}
		d.decider = n
		return d
	}
	return d
}

// allowAllTogether reports whether rules that each allow a part of DNS allow all of it together.
func (l *needLint) allowAllTogether(what podNeed, parts []*needRule) bool {
	if what == apiServer || l.services.DNSPods.IsEmpty() {
		return false
	}
	var have selectors.PodSet
	for _, n := range parts {
		if n.r.Action != model.Deny {
			have = have.Or(l.dnsPodsAmong(n.r))
		}
	}
	return l.services.DNSPods.IsWithin(have)
}

// checkDeny reports the needs that an egress Deny cuts. all is true for a network of every address.
func (l *needLint) checkDeny(p *model.Policy, r *model.Rule, all bool) {
	var before [needs]needDecision
	shares := l.needShares(r)
	for what := range needs {
		before[what] = l.decisionBefore(p, r, what)
	}
	if all {
		l.addDenyAll(p, r, shares, before)
	}
	if shares[dnsUDP] != noShare && before[dnsUDP].isOpen() {
		l.addAboutRule(p, r, DNSNotAllowed, fmt.Sprintf("denies the subject's pods %s, and %s",
			l.needText(dnsUDP), openText(before[dnsUDP]))).Severity = l.dnsSeverity(p)
	}
	alone := shares[dnsUDP] == noShare && before[dnsUDP].isOpen() // rules below decide about UDP
	if shares[dnsTCP] != noShare && before[dnsTCP].isOpen() && (alone || !before[dnsUDP].isOpen() && !before[dnsUDP].isDenied()) {
		how, udp := "is not allowed by any rule above this one", l.decisionText(p, dnsUDP, before[dnsUDP])
		if before[dnsTCP].isPartAllowed() {
			how = "is allowed only in part by the rules above this one"
		}
		if alone {
			udp = "this rule does not match " + l.needText(dnsUDP)
		}
		f := l.addAboutRule(p, r, DNSTCPNotAllowed, fmt.Sprintf("%s %s; %s", l.needText(dnsTCP), how, udp))
		f.Fix = l.addTCP(p, before[dnsUDP].decider)
	}
}

// addTCP returns the change that allows DNS over TCP in the rule of the same policy that allows it over UDP.
func (l *needLint) addTCP(p *model.Policy, udp *needRule) model.Fix {
	port := l.services.DNSPorts["TCP"]
	if udp == nil || udp.p != p || udp.r.Action != model.Allow || !p.Kind.IsAdmin() || p.Original == nil || port == 0 ||
		!selectors.PortMatch(udp.r.Ports, "UDP", l.services.DNSPorts["UDP"]) {
		return model.Fix{}
	}
	return model.Fix{Text: fmt.Sprintf("add TCP %d to egress %d", port, udp.r.Index), Port: port, Rule: udp.r.Index}
}

// addDenyAll reports a Deny of every address, with the decisions above it about what pods need.
func (l *needLint) addDenyAll(p *model.Policy, r *model.Rule, shares [needs]needShare, before [needs]needDecision) {
	severity, message := model.SeverityWarning, "denies all egress of the subject's pods that no rule above decides"
	if len(r.Ports) > 0 {
		ports := model.MapList(r.Ports, func(p model.Port) string { return p.String() })
		severity, message = model.SeverityInfo, "denies egress of the subject's pods to "+
			words.ListFew(ports, shown)+", at any address, that no rule above decides"
	}
	var facts []string
	for what := range needs {
		if what == apiServer && len(l.services.API) == 0 || len(r.Ports) > 0 && shares[what] == noShare {
			continue
		}
		facts = append(facts, l.decisionText(p, what, before[what]))
		if before[what].isOpen() {
			severity = model.SeverityWarning
		}
	}
	if len(facts) > 0 {
		message += "; " + strings.Join(facts, ", ")
	}
	l.addAboutRule(p, r, DenyAllNetworks, message).Severity = severity
}
