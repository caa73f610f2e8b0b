package lint

import (
	"fmt"
	"slices"
	"strings"

	"rung/model"
	"rung/model/selectors"
	"rung/model/verdict"
	"rung/model/words"
)

// dnsDropRule is an ingress rule that drops DNS queries at the DNS pods.
type dnsDropRule struct {
	p *model.Policy
	r *model.Rule
	// dropped has the pods whose queries it drops, by protocol.
	dropped [apiServer]selectors.PodSet
}

// protocols has the protocols of DNS.
var protocols = [apiServer]string{dnsUDP: "UDP", dnsTCP: "TCP"}

// rulesDroppingDNS returns the ingress rules that drop queries at the DNS pods, in the order in which they
// decide. A query that a policy above allows to all DNS pods is not dropped by rules below. A policy of the
// same priority does not count as above.
func (l *needLint) rulesDroppingDNS() []dnsDropRule {
	if l.dnsDropRules != nil {
		return l.dnsDropRules
	}
	l.dnsDropRules = []dnsDropRule{}
	s := l.services
	if s.DNSPods.IsEmpty() {
		return l.dnsDropRules
	}
	type rung struct {
		tier     int
		priority int32
	}
	var at rung
	var above, beside [apiServer]selectors.PodSet
	for _, p := range l.policies {
		subject := l.x.SubjectSet(p)
		if p.Kind.HasPriority() && p.Priority > l.max || !subject.Meets(s.DNSPods) {
			continue
		}
		if here := (rung{p.Tier, p.Priority}); here != at {
			for proto := range protocols {
				above[proto] = above[proto].Or(beside[proto])
			}
			at, beside = here, [apiServer]selectors.PodSet{}
		}
		decided := l.noteRulesDroppingDNS(p, above)
		for proto := range protocols {
			if s.DNSPods.IsWithin(subject) {
				beside[proto] = beside[proto].Or(decided[proto])
			}
		}
	}
	return l.dnsDropRules
}

// noteRulesDroppingDNS records the rules of a policy that drop queries at its DNS pods. It returns the pods whose
// queries this policy or one above decides.
func (l *needLint) noteRulesDroppingDNS(p *model.Policy, decided [apiServer]selectors.PodSet) [apiServer]selectors.PodSet {
	s := l.services
	for i := range p.Ingress {
		r := &p.Ingress[i]
		if r.MatchesNothing() {
			continue
		}
		way := dnsDropRule{p: p, r: r}
		peers := l.x.PeersSet(r)
		for proto, name := range protocols {
			if !l.matchesDNSPort(r, name, s.DNSPorts[name]) {
				continue
			}
			if r.Action == model.Deny {
				way.dropped[proto] = peers.AndNot(decided[proto]).AndNot(s.DNSPods)
			}
			decided[proto] = decided[proto].Or(peers)
		}
		if !way.dropped[dnsUDP].IsEmpty() || !way.dropped[dnsTCP].IsEmpty() {
			l.dnsDropRules = append(l.dnsDropRules, way)
		}
	}
	return decided
}

// checkRulesDroppingDNS reports the rules that drop queries at the DNS pods.
func (l *needLint) checkRulesDroppingDNS() {
	s := l.services
	for _, way := range l.rulesDroppingDNS() {
		kind, severity := DNSTCPNotAllowed, model.SeverityWarning
		if !way.dropped[dnsUDP].IsEmpty() {
			kind, severity = DNSNotAllowed, l.dnsSeverity(way.p)
		}
		var ports, who, dns []string
		for proto, name := range protocols {
			if !way.dropped[proto].IsEmpty() {
				ports = append(ports, fmt.Sprintf("%s %d", name, s.DNSPorts[name]))
			}
		}
		for pod := range l.x.Pods(way.dropped[dnsUDP].Or(way.dropped[dnsTCP])) {
			if pod.PrimaryUDN() == "" {
				who = append(who, podName(pod))
			}
		}
		dns = append(dns, model.MapSeq(l.x.Pods(l.x.SubjectSet(way.p).And(s.DNSPods)), podName)...)
		if len(who) == 0 {
			continue
		}
		whose := words.Count(len(who), "pod")
		if len(who) == 1 {
			whose = who[0]
		}
		f := l.addAboutRule(way.p, way.r, kind, fmt.Sprintf("denies DNS queries of %s at the DNS pods, %s (%s); no rule above allows them",
			whose, words.ListSome(dns, shown), strings.Join(ports, ", ")))
		f.Severity, f.Remedy = severity, "allow DNS (UDP and TCP) to the DNS pods in a rule above, or exclude them from the subject"
	}
}

// dnsSeverity returns the severity of a policy that drops DNS. It is an error, but a warning if the DNS pods
// are a guess or the policy is not enforced.
func (l *needLint) dnsSeverity(p *model.Policy) model.Severity {
	if l.services.DNSPods.IsEmpty() || p.Kind.HasPriority() && p.Priority > l.max {
		return model.SeverityWarning
	}
	return model.SeverityError
}

// droppedByText names the rule at the DNS pods that drops queries which the subject's pods may send, or empty.
func (l *needLint) droppedByText(p *model.Policy, what podNeed) string {
	if what == apiServer {
		return ""
	}
	asks := l.x.SubjectSet(p)
	i := slices.IndexFunc(l.rulesDroppingDNS(), func(w dnsDropRule) bool { return w.dropped[what].Meets(asks) })
	if i < 0 {
		return ""
	}
	return ", but denied at the DNS pods by " + ruleText(p, l.dnsDropRules[i].p, l.dnsDropRules[i].r)
}

// checkDNSCuts reports rules that drop queries by the verdicts, unless Run reported them.
func (d *verdictLint) checkDNSCuts(rulesAudit *verdict.Audit) {
	s := d.needs.services
	said := map[ruleAt]bool{}
	for i := range d.out {
		if f := &d.out[i]; f.Code == DNSNotAllowed.Code {
			said[ruleAt{f.Policy, f.Direction, f.Rule}] = true
		}
	}
	for i := range rulesAudit.Rules {
		r := &rulesAudit.Rules[i]
		cut := &r.DNSCuts[verdict.CutUDP]
		if cut.Example == nil || said[ruleAt{r.Policy, r.Direction, r.Rule}] {
			continue
		}
		p := d.c.Policy(r.Policy)
		d.addAboutRule(p, p.Rule(r.Direction, r.Rule), DNSNotAllowed,
			fmt.Sprintf("denies DNS queries of %s at the cluster's DNS (UDP %d)", words.Count(cut.Pods, "pod"), s.DNSPorts["UDP"]))
		d.addWitness(cut.Example)
	}
	for i := range rulesAudit.Isolated {
		of := &rulesAudit.Isolated[i]
		cut := &of.DNSCuts[verdict.CutUDP]
		p := d.c.Policy(of.Policies[0])
		if cut.Example == nil || p == nil {
			continue
		}
		d.addAbout(p, DNSNotAllowed, fmt.Sprintf("the %s isolation of namespace %s denies DNS queries of %s at the cluster's DNS (UDP %d), "+
			"and no NetworkPolicy allows them",
			of.Direction.Lower(), p.Namespace, words.Count(cut.Pods, "pod"), s.DNSPorts["UDP"])).Remedy = "allow DNS (UDP and TCP) in a " +
			"NetworkPolicy"
		d.addWitness(cut.Example)
	}
}

// needText names a need with its port: "DNS over UDP 53".
func (l *needLint) needText(what podNeed) string {
	if what == apiServer {
		return fmt.Sprintf("the API server (TCP %d)", l.services.APIPort)
	}
	text := "DNS over " + protocols[what]
	if port := l.services.DNSPorts[protocols[what]]; port != 0 {
		text += fmt.Sprintf(" %d", port)
	}
	return text
}

func openText(d needDecision) string {
	if d.isPartAllowed() {
		return "rules above allow only a part of it"
	}
	return "no rule above allows it"
}

// decisionText describes the decision about a need.
func (l *needLint) decisionText(p *model.Policy, what podNeed, d needDecision) string {
	text := l.needText(what)
	switch {
	case d.isOpen() && len(d.partDeciders) > 0:
		return text + " decided only in part by " + ruleText(p, d.partDeciders[0].p, d.partDeciders[0].r)
	case d.isOpen():
		return text + " not allowed"
	}
	by := ruleText(p, d.decider.p, d.decider.r)
	switch d.decider.r.Action {
	case model.Allow:
		return text + " allowed by " + by + l.droppedByText(p, what)
	case model.Pass:
		return text + " passed to NetworkPolicies by " + by
	}
	return text + " denied by " + by
}
