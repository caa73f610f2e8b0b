package lint

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/network"
	"rung/model/selectors"
	"rung/model/verdict"
	"rung/model/words"
)

type netpolLint struct {
	*linter
	isolatingByNS map[string][]isolatingPolicy // isolating NetworkPolicies by namespace; nil until first used
	levels        map[string]string            // problems of log levels by namespace
}

// checkNetpol reports differences between what a NetworkPolicy says and what OVN-Kubernetes does
// (ovn-kubernetes.md#rule-rows).
func (l *netpolLint) checkNetpol(p *model.Policy) {
	if p.IsRejected() { // no rows; addInvalid reported it
		return
	}
	elsewhere := l.isElsewhere(p)
	l.checkSelectsNothing(p)
	for r := range p.AllRules() {
		l.checkPorts(p, r)
		if !elsewhere {
			l.checkCoveredPods(p, r, "leave the pods' addresses out with except, and select pods by labels")
			l.checkCoveredNodes(p, r)
		}
	}
	if elsewhere {
		return
	}
	for _, d := range model.Directions {
		l.checkRulesOutsideTypes(p, d)
	}
}

// checkSelectsNothing reports a NetworkPolicy whose subject or peers match no pod. A policy for all pods of a
// namespace may wait for the first. In a namespace without pods the finding is a note.
func (l *linter) checkSelectsNothing(p *model.Policy) {
	if !l.pods || p.IsRejected() {
		return
	}
	if l.x.SelectedPods(p).IsEmpty() && !p.Subject.Pods.MatchesEverything() {
		f := l.addAbout(p, SubjectNothing, "the subject "+p.Subject.String()+" matches no pod: the policy decides nothing now")
		if l.x.PodsMatchingIn(p.Namespace, model.SelectEverything()).IsEmpty() {
			f.Severity = model.SeverityInfo
		}
	}
	for r := range p.AllRules() {
		var nothing []string
		for i := range r.Peers {
			pe := &r.Peers[i]
			if (pe.Kind == model.PeerNamespaces || pe.Kind == model.PeerPods) && !l.x.PeerSelected(pe).Meets(l.x.EligiblePods()) &&
				!l.isHostNetwork(pe) {
				nothing = append(nothing, strconv.Quote(pe.String()))
			}
		}
		if len(nothing) > 0 {
			f := l.addEmptyPeers(p, r, nothing)
			if len(nothing) == len(r.Peers) && p.IsolatesDirection(r.Direction) {
				f.Severity = model.SeverityWarning // what the rule allows is denied
			}
		}
	}
}

// isHostNetwork reports whether a peer selects the namespace that represents the nodes. It has no pods.
func (l *linter) isHostNetwork(pe *model.Peer) bool {
	if l.hostNamespace == "" || pe.Namespace != "" {
		return pe.Namespace != "" && pe.Namespace == l.hostNamespace
	}
	for ns := range l.x.NamespacesMatching(pe.Namespaces) {
		if ns.Name == l.hostNamespace {
			return true
		}
	}
	return false
}

// checkCoveredNodes reports an ingress network that covers node addresses, but not the management address. A
// node reaches pods of other nodes from its management address.
func (l *linter) checkCoveredNodes(p *model.Policy, r *model.Rule) {
	if r.Direction != model.Ingress {
		return
	}
	// in returns the peers' network that contains an address, as written; ok is false if none does.
	in := func(a netip.Addr) (string, bool) {
		for i := range r.Peers {
			for _, text := range r.Peers[i].Networks {
				n, ok := selectors.ParseNetwork(text)
				if ok && n.Contains(a) && !slices.ContainsFunc(slices.Collect(selectors.ParsedNetworks(r.Peers[i].Except)),
					func(e netip.Prefix) bool { return e.Contains(a) }) {
					return text, true
				}
			}
		}
		return "", false
	}
	for i := range r.Peers {
		if r.Peers[i].Kind != model.PeerNetworks && l.isHostNetwork(&r.Peers[i]) {
			return
		}
	}
	var covered []string
	source := ""
	for node := range l.c.Nodes() {
		from := verdict.ParseAddrs(node.MgmtIPs)
		if len(from) == 0 || slices.ContainsFunc(from, func(a netip.Addr) bool { _, ok := in(a); return ok }) {
			continue
		}
		for _, a := range verdict.ParseAddrs(node.InternalIPs) {
			if text, ok := in(a); ok && !slices.Contains(covered, text) {
				covered, source = append(covered, text), cmp.Or(source, from[0].String()+" of "+node.Name)
			}
		}
	}
	if len(covered) > 0 {
		l.addAboutRule(p, r, NetworkCoversNodes, fmt.Sprintf("%s %s node addresses that nodes do not connect from: a node reaches pods "+
			"of other nodes from its management address, for example %s",
			words.ListFew(covered, shown), words.OneOrMany(len(covered), "covers", "cover"), source))
	}
}

// isElsewhere reports whether a policy is not programmed on the default network, so that its pods there do not
// matter.
func (l *linter) isElsewhere(p *model.Policy) bool {
	at, _ := l.networks.Place(p.Namespace)
	return p.Kind == model.KindMNP || at == network.OnPrimary || at == network.WithoutNetwork
}

// protocolPorts are a rule's ports of one protocol, by form.
type protocolPorts struct {
	numbers     []model.Port
	names       []model.Port
	withoutPort bool // an entry without a port
}

// checkPorts reports ports that match more or less than written. Names and entries without a port both become
// port 0. Alone they open the whole protocol; next to a number they are lost.
func (l *netpolLint) checkPorts(p *model.Policy, r *model.Rule) {
	if !slices.ContainsFunc(r.Ports, func(port model.Port) bool { return port.Start == 0 && port.End == 0 }) {
		return
	}
	groups := map[string]*protocolPorts{}
	var order []string
	for _, port := range r.Ports {
		g := groups[port.Protocol]
		if g == nil {
			g = &protocolPorts{}
			groups[port.Protocol], order = g, append(order, port.Protocol)
		}
		switch {
		case port.Name != "":
			g.names = append(g.names, port)
		case port.Start == 0 && port.End == 0:
			g.withoutPort = true
		default:
			g.numbers = append(g.numbers, port)
		}
	}
	for _, protocol := range order {
		switch g := groups[protocol]; {
		case len(g.numbers) > 0:
			l.checkLostPorts(p, r, protocol, g)
		case !g.withoutPort:
			l.checkOpenProtocol(p, r, protocol, g)
		}
	}
}

// checkOpenProtocol reports named ports of a protocol for which the rule has no numbers.
func (l *netpolLint) checkOpenProtocol(p *model.Policy, r *model.Rule, protocol string, g *protocolPorts) {
	on := l.portPods(p, r)
	var names, meant []string
	for _, port := range g.names {
		names = append(names, port.String())
		meant = append(meant, l.portNames.meaningTexts(port.Name, protocol, on)...)
	}
	proto := strings.ToLower(protocol)
	message := fmt.Sprintf("the named %s %s %s the whole of %s: the row has no port",
		words.OneOrMany(len(names), "port", "ports"), words.ListFew(names, shown), words.OneOrMany(len(names), "opens", "open"), proto)
	switch {
	case l.isElsewhere(p):
		message += ", and allows every " + proto + " port"
	case len(meant) > 0:
		message += ", and allows every " + proto + " port, not only " + words.ListFew(meant, shown)
	case l.pods:
		message += ", and allows every " + proto + " port though no receiving pod of the rule declares the name"
	}
	l.addAboutRule(p, r, NetpolNamedPort, message)
}

// checkLostPorts reports ports that the row loses because the protocol also has numbers.
func (l *netpolLint) checkLostPorts(p *model.Policy, r *model.Rule, protocol string, g *protocolPorts) {
	var lost []string
	if g.withoutPort && !slices.ContainsFunc(g.numbers, func(n model.Port) bool { return n.Start <= 1 && n.End >= 65535 }) {
		lost = append(lost, strings.ToLower(protocol)+" without a port (any)")
	}
	if !g.withoutPort && len(g.names) > 0 {
		lost = l.lostNames(p, r, protocol, g)
	}
	if len(lost) == 0 {
		return
	}
	numbers := model.MapList(g.numbers, model.Port.String)
	l.addAboutRule(p, r, NetpolPortLost, fmt.Sprintf("%s %s lost: only the numbered ports remain in the row, %s",
		words.ListFew(lost, shown), words.OneOrMany(len(lost), "is", "are"), words.ListFew(numbers, shown)))
}

// lostNames returns the names that mean a port, on current pods, which no number of the rule allows. It
// returns all names if the pods are unknown.
func (l *netpolLint) lostNames(p *model.Policy, r *model.Rule, protocol string, g *protocolPorts) (lost []string) {
	on := l.portPods(p, r)
	for _, port := range g.names {
		if !l.pods || l.isElsewhere(p) {
			lost = append(lost, "the named port "+port.String())
			continue
		}
		for _, m := range l.portNames.meanings(port.Name, protocol, on) {
			if !selectors.PortMatch(g.numbers, protocol, m.port.Start) {
				lost = append(lost, fmt.Sprintf("the named port %s, %s on %s,", port, m.port, podName(m.pod)))
				break
			}
		}
	}
	return lost
}

// portPods returns the pods that have the rule's ports: the subject for ingress, the peers for egress.
func (l *netpolLint) portPods(p *model.Policy, r *model.Rule) selectors.PodSet {
	if r.Direction == model.Ingress {
		return l.x.SubjectSet(p)
	}
	return l.x.ReachOfRule(r).ReachedPods()
}

// isolatingPolicy is a NetworkPolicy that isolates pods.
type isolatingPolicy struct {
	p    *model.Policy
	pods selectors.PodSet
}

// findIsolating returns a policy of the namespace that isolates a pod of the set in a direction, and that pod;
// nil if none does. The first call collects all isolating policies.
func (l *netpolLint) findIsolating(namespace string, d model.Direction, set selectors.PodSet) (*model.Policy, *model.Pod) {
	if l.isolatingByNS == nil {
		l.isolatingByNS = map[string][]isolatingPolicy{}
		for _, p := range l.otherPolicies {
			if p.IsolatesDirection(model.Ingress) || p.IsolatesDirection(model.Egress) {
				l.isolatingByNS[p.Namespace] = append(l.isolatingByNS[p.Namespace], isolatingPolicy{p, l.x.SubjectSet(p)})
			}
		}
	}
	for _, i := range l.isolatingByNS[namespace] {
		if i.p.IsolatesDirection(d) && i.pods.Meets(set) {
			return i.p, l.x.FirstPod(i.pods.And(set))
		}
	}
	return nil, nil
}

// checkRulesOutsideTypes reports rules of a direction that policyTypes omits: Kubernetes ignores them, OVN-Kubernetes
// compiles them. They matter if another NetworkPolicy isolates their pods, or if the baseline would deny: a
// row of tier 2 keeps it from being asked.
func (l *netpolLint) checkRulesOutsideTypes(p *model.Policy, d model.Direction) {
	rules := p.Rules(d)
	if len(rules) == 0 || p.IsolatesDirection(d) {
		return
	}
	severity := model.SeverityWarning
	message := fmt.Sprintf("policyTypes omits %s, but OVN-Kubernetes still compiles its %s: ", d.Lower(), words.Count(len(rules), "rule"))
	side := "from"
	if d == model.Ingress {
		side = "to"
	}
	subject := l.x.SubjectSet(p)
	if by, pod := l.findIsolating(p.Namespace, d, subject); pod != nil {
		message += fmt.Sprintf("%s what %s denies %s %s", words.OneOrMany(len(rules), "it opens", "they open"),
			by.Label(), side, podName(pod))
	} else if by, r, pod := l.findBaselineDeny(d, subject); pod != nil {
		message += fmt.Sprintf("%s instead of %s, which denies %s",
			words.OneOrMany(len(rules), "it decides", "they decide"), ruleText(p, by, r), podName(pod))
	} else {
		severity = model.SeverityInfo
		message += fmt.Sprintf("nothing else denies %s of its pods now, so %s nothing yet", d.Lower(),
			words.OneOrMany(len(rules), "it opens", "they open"))
	}
	f := l.addAboutRule(p, &rules[0], NetpolDirection, message)
	f.Severity, f.Remedy = severity, "remove the rules, or name "+string(d)+" in policyTypes"
}

// findBaselineDeny finds a Deny of the baseline for pods of the set.
func (l *netpolLint) findBaselineDeny(d model.Direction, set selectors.PodSet) (*model.Policy, *model.Rule, *model.Pod) {
	for _, p := range l.policies {
		if p.Tier != model.TierBaseline || p.IsRejected() || !l.x.SubjectSet(p).Meets(set) {
			continue
		}
		for i := range p.Rules(d) {
			if r := &p.Rules(d)[i]; r.Action == model.Deny {
				return p, r, l.x.FirstPod(l.x.SubjectSet(p).And(set))
			}
		}
	}
	return nil, nil, nil
}

// checkNamespaceLogging reports the logging annotation of a policy's namespace if it makes OVN-Kubernetes
// ignore a level. Unlike an AdminNetworkPolicy, the policy is still programmed
// (ovn-kubernetes.md#namespace-logging).
func (l *netpolLint) checkNamespaceLogging(p *model.Policy) {
	wrong, known := l.levels[p.Namespace]
	if !known {
		if n := l.c.Namespace(p.Namespace); n != nil {
			_, problems := model.NamespaceLogLevels(n.Annotations[model.AnnotationLogging])
			wrong = words.CleanText(strings.Join(problems, "; "))
		}
		l.levels[p.Namespace] = wrong
	}
	if wrong != "" {
		l.addAbout(p, NamespaceLogging, "the annotation "+model.AnnotationLogging+" of namespace "+p.Namespace+": "+
			wrong).Remedy = `use JSON such as {"deny":"alert","allow":"info"}; levels: ` +
			strings.Join(model.LogSeverities, ", ") + `, or "" for off`
	}
}
