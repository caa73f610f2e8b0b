package convert

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"rung/model"
)

// convertRule converts a rule to Antrea's API: one clause, since a policy has one subject.
func (x *exporter) convertRule(p *model.Policy, r *model.Rule) *convertedRule {
	s := &convertedRule{policy: p, rule: r}
	var peers []model.Peer
	for i := range r.Peers {
		peers = append(peers, acnpPeers(s, &r.Peers[i])...)
	}
	ports, ok := acnpPorts(s)
	switch {
	case len(r.Peers) == 0:
		s.addLaterDifference("it names no peer and matches nothing; in Antrea's API it would match everything")
	case ok:
		s.clauses = []*ruleClause{{column: p.Key.String(), subject: p.Subject, peers: peers, ports: ports}}
	}
	return s
}

// acnpPeers converts a peer: one peer for each of its networks.
func acnpPeers(s *convertedRule, p *model.Peer) (out []model.Peer) {
	switch p.Kind {
	case model.PeerNetworks:
		for _, n := range p.Networks {
			out = append(out, model.Peer{Kind: model.PeerNetworks, Networks: []string{n}})
		}
		return out
	case model.PeerNodes:
		s.addDifference(nodesDifference, p.Nodes)
	case model.PeerDNS:
		s.addDifference("the addresses of %s depend on DNS", p.DNSName)
	}
	return clonedPeers([]model.Peer{*p})
}

// acnpPorts converts the ports of a rule; ok is false if none can be expressed.
func acnpPorts(s *convertedRule) (out []model.Port, ok bool) {
	r := s.rule
	for _, p := range r.Ports {
		switch {
		case p.Name != "":
			noteACNPNamedPort(s, p.Name)
			for _, protocol := range []string{"TCP", "UDP", "SCTP"} {
				out = append(out, model.Port{Protocol: protocol, Name: p.Name})
			}
		case p.IsReversed(): // left out: matches nothing there either
		case p.IsBroken():
			s.addLaterDifference("the API does not support protocol %s, which matches nothing in OVN-Kubernetes", strconv.Quote(p.Protocol))
		case p.Start == 0:
			s.addDifference("its ports are undefined: it names a protocol without a port")
			return nil, false
		default:
			p.Range = p.Range && p.End > p.Start
			out = append(out, p)
		}
	}
	return out, len(out) > 0 || len(r.Ports) == 0
}

// noteACNPNamedPort notes how a named port differs (ovn-kubernetes.md#named-ports).
func noteACNPNamedPort(s *convertedRule, name string) {
	switch {
	case s.rule.Direction == model.Ingress:
		s.addDifference("port %s: OVN-Kubernetes also uses ports that peers declare, Antrea does not", strconv.Quote(name))
	case slices.ContainsFunc(s.rule.Peers, func(q model.Peer) bool { return q.Kind != model.PeerPods && q.Kind != model.PeerNamespaces }):
		s.addDifference("port %s: OVN-Kubernetes resolves it on pods only, Antrea also in networks", strconv.Quote(name))
	}
}

// ruleOfClause returns the new rule of a clause. Antrea has no Pass in its baseline tier. A connection that
// passes there is allowed by default, so Pass becomes Allow.
func (x *exporter) ruleOfClause(s *convertedRule, c *ruleClause) model.Rule {
	r := s.rule
	out := model.Rule{Direction: r.Direction, Name: x.names[r], Action: r.Action, Peers: clonedPeers(c.peers), Ports: slices.Clone(c.ports)}
	if s.policy.Tier == model.TierBaseline && r.Action == model.Pass {
		out.Action = model.Allow
	}
	levels, _ := s.policy.LogLevels() // off after an error, which whyIdle reports
	out.Tiered = &model.TieredRule{Action: string(out.Action), Logging: levels.ForAction(r.Action) != ""}
	if out.Action == model.Deny {
		out.Tiered.Action = "Drop"
	}
	return out
}

// nameRules gives the rules of a policy distinct names, as Antrea requires.
func (x *exporter) nameRules(p *model.Policy) {
	taken := map[string]bool{}
	for r := range p.AllRules() {
		taken[r.Name] = true
	}
	seen := map[string]bool{}
	for r := range p.AllRules() {
		name := cmp.Or(r.Name, fmt.Sprintf("%s-%d", r.Direction.Lower(), r.Index))
		if r.Name == "" || seen[name] {
			for base, i := name, 2; taken[name]; i++ {
				name = fmt.Sprintf("%s-%d", base, i)
			}
		}
		seen[name], taken[name] = true, true
		x.names[r] = name
	}
}

// convertPorts converts the ports of a rule; ok is false if none can be expressed.
func (f *importer) convertPorts(s *convertedRule) (out []model.Port, ok bool) {
	r := s.rule
	for _, p := range r.Tiered.Protocols {
		s.addDifference("the API does not support %s", p.Text())
	}
	for _, p := range r.Ports {
		if p.Protocol == "" && p.Name == "" {
			p.Protocol = "TCP"
		}
		switch {
		case p.Name != "":
			if !slices.ContainsFunc(out, func(q model.Port) bool { return q.Name == p.Name }) {
				f.noteNamedPort(s, p.Name)
				out = append(out, model.Port{Name: p.Name})
			}
		case p.IsReversed():
			s.addDifference("%s matches nothing: the range is reversed", p)
		case p.IsBroken():
			s.addDifference("the API does not support protocol %s", strconv.Quote(p.Protocol))
		case p.Start == 0:
			out = append(out, model.Port{Protocol: p.Protocol, Start: 1, End: 65535, Range: true})
		default:
			end := max(p.Start, p.End)
			out = append(out, model.Port{Protocol: p.Protocol, Start: p.Start, End: end, Range: end > p.Start})
		}
	}
	return out, len(out) > 0 || len(r.Ports)+len(r.Tiered.Protocols) == 0
}

// noteNamedPort notes how a named port differs: it has no protocol. In ingress rules OVN-Kubernetes also looks
// among the peers (ovn-kubernetes.md#named-ports); in egress rules among pods, not in networks.
func (f *importer) noteNamedPort(s *convertedRule, name string) {
	of := map[string]bool{}
	for _, p := range s.rule.Ports {
		of[p.Protocol] = of[p.Protocol] || p.Name == name
	}
	every := of[""] || of["TCP"] && of["UDP"] && of["SCTP"]
	switch {
	case s.rule.Direction == model.Ingress:
		s.addDifference("port %s: the API's named ports have no protocol, and OVN-Kubernetes also uses ports that peers declare",
			strconv.Quote(name))
	case !every:
		s.addDifference("port %s matches every protocol: the API's named ports have no protocol", strconv.Quote(name))
	case slices.ContainsFunc(s.rule.Peers, func(q model.Peer) bool { return q.Kind != model.PeerPods && q.Kind != model.PeerNamespaces }):
		s.addDifference("port %s: OVN-Kubernetes resolves it on pods only, Antrea also in networks", strconv.Quote(name))
	}
}

// addServicePeers replaces the Services of a rule by the pods behind them.
func (f *importer) addServicePeers(s *convertedRule, subjects []model.Subject) {
	for n, k := range s.rule.Tiered.ToServices {
		svc, ok := f.c.Get(k).(*model.Service)
		name := k.Namespace + "/" + k.Name
		switch {
		case !ok:
			s.addLaterDifference("Service %s does not exist", name)
			continue
		case len(svc.ClusterIPs) == 0:
			s.addLaterDifference("Service %s has no cluster IP", name)
			continue
		case len(svc.Selector.Map()) == 0:
			s.addDifference("Service %s has no selector: its pods are unknown", name)
			continue
		}
		s.addDifference("the API decides after load balancing: it matches the pods behind Service %s, however they are reached", name)
		var ports []model.Port
		for _, p := range svc.Ports {
			ports = append(ports, targetPort(&p))
		}
		for _, subject := range subjects {
			s.clauses = append(s.clauses, &ruleClause{column: s.policy.Key.String() + "\x00" + subjectKey(&subject) + "\x00service " +
				strconv.Itoa(n),
				subject: subject, peers: []model.Peer{newPodPeer(namespaceNamed(k.Namespace), model.SelectLabels(svc.Selector))}, ports: ports})
		}
	}
}

// targetPort returns the pods' port behind a Service's port.
func targetPort(p *model.ServicePort) model.Port {
	n, err := strconv.ParseInt(p.TargetPort, 10, 32)
	switch {
	case err != nil && p.TargetPort != "":
		return model.Port{Name: p.TargetPort}
	case n == 0:
		n = int64(p.Port)
	}
	return model.Port{Protocol: cmp.Or(p.Protocol, "TCP"), Start: int32(n), End: int32(n)}
}
