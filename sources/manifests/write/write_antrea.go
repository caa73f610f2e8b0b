package write

import (
	"fmt"

	"rung/model"
)

// antrea fills the spec of a policy of Antrea.
func (w *writer) antrea(spec tree) {
	a := w.p.Tiered
	if a == nil {
		w.cannot("spec", "has no tier and no priority")
		return
	}
	spec["tier"], spec["priority"] = a.Tier, a.Priority
	if len(a.AppliedTo) > 0 {
		spec["appliedTo"] = w.appliedTo(a.AppliedTo, "spec.appliedTo")
	}
	for _, d := range model.Directions {
		var rules []any
		for i := range w.p.Rules(d) {
			rules = append(rules, w.antreaRule(&w.p.Rules(d)[i], fmt.Sprintf("spec.%s[%d]", d.Lower(), i)))
		}
		if len(rules) > 0 {
			spec[d.Lower()] = rules
		}
	}
}

// antreaWords are the actions of rules that were not Antrea's before.
var antreaWords = map[model.Action]string{model.Allow: "Allow", model.Deny: "Drop", model.Pass: "Pass"}

func (w *writer) antreaRule(r *model.Rule, at string) tree {
	a := r.Tiered
	if a == nil {
		a = &model.TieredRule{Action: antreaWords[r.Action]}
	}
	out := tree{"action": a.Action}
	if r.Name != "" && !a.Generated {
		out["name"] = r.Name
	}
	if len(a.AppliedTo) > 0 {
		out["appliedTo"] = w.appliedTo(a.AppliedTo, at+".appliedTo")
	}
	var peers, services, ports, protocols []any
	for i := range r.Peers {
		peers = append(peers, w.antreaPeer(&r.Peers[i], fmt.Sprintf("%s.%s[%d]", at, side(r), i)))
	}
	for _, s := range a.ToServices {
		services = append(services, tree{"namespace": s.Namespace, "name": s.Name})
	}
	for i := range r.Ports {
		ports = append(ports, w.antreaPort(&r.Ports[i], fmt.Sprintf("%s.ports[%d]", at, i)))
	}
	for _, p := range a.Protocols {
		protocols = append(protocols, antreaProtocolTree(p))
	}
	if len(a.L7) > 0 {
		w.cannot(at+".l7Protocols", "are kept as a text only")
	}
	for field, list := range map[string][]any{side(r): peers, "toServices": services, "ports": ports, "protocols": protocols} {
		if len(list) > 0 {
			out[field] = list
		}
	}
	if a.Logging {
		out["enableLogging"] = true
	}
	if a.LogLabel != "" {
		out["logLabel"] = a.LogLabel
	}
	return out
}

func antreaProtocolTree(p model.RuleProtocol) tree {
	of := tree{}
	if p.Protocol == "IGMP" {
		if p.Type != nil {
			of["igmpType"] = int64(*p.Type)
		}
		if p.Group != "" {
			of["groupAddress"] = p.Group
		}
		return tree{"igmp": of}
	}
	if p.Type != nil {
		of["icmpType"] = int64(*p.Type)
	}
	if p.Code != nil {
		of["icmpCode"] = int64(*p.Code)
	}
	return tree{"icmp": of}
}

func (w *writer) antreaPort(p *model.Port, at string) tree {
	if !model.KnowsProtocol(p.Protocol) {
		w.cannot(at, "is of a protocol that the API does not have: %s", p.String())
	}
	out := tree{"protocol": p.Protocol}
	switch {
	case p.Name != "":
		out["port"] = p.Name
	case p.Start > 0:
		out["port"] = int64(p.Start)
		if p.Range || p.End > p.Start {
			out["endPort"] = int64(p.End)
		}
	}
	return out
}

func (w *writer) antreaPeer(p *model.Peer, at string) tree {
	switch {
	case p.Kind == model.PeerNetworks && len(p.Networks) == 1 && len(p.Except) == 0:
		return tree{"ipBlock": tree{"cidr": p.Networks[0]}}
	case p.Kind == model.PeerGroup:
		return tree{"group": p.Group}
	case p.Kind == model.PeerServiceAccount && p.ServiceAccount != nil:
		return tree{"serviceAccount": accountTree(p.ServiceAccount)}
	case p.Kind == model.PeerDNS:
		return tree{"fqdn": p.DNSName}
	case p.Kind == model.PeerNodes:
		return tree{"nodeSelector": w.selector(p.Nodes, at+".nodeSelector")}
	case p.Kind == model.PeerNamespaces:
		return tree{"namespaceSelector": w.selector(p.Namespaces, at+".namespaceSelector")}
	case p.Kind == model.PeerPods && p.Match != nil:
		out := tree{"namespaces": tree{"match": "Self"}}
		if !p.Match.Self {
			out = tree{"namespaces": tree{"sameLabels": listOf(p.Match.SameLabels)}}
		}
		if !p.Pods.Empty() {
			out["podSelector"] = w.selector(p.Pods, at+".podSelector")
		}
		return out
	case p.Kind == model.PeerPods && p.Namespace == w.p.Namespace:
		out := tree{"podSelector": w.selector(p.Pods, at+".podSelector")}
		if p.Namespace == "" && !p.Namespaces.Empty() {
			out["namespaceSelector"] = w.selector(p.Namespaces, at+".namespaceSelector")
		}
		return out
	case p.Kind == model.PeerPods && p.Namespace == "": // of a policy of one namespace
		return tree{"podSelector": w.selector(p.Pods, at+".podSelector"), "namespaceSelector": w.selector(p.Namespaces, at+".namespaceSelector")}
	}
	w.cannot(at, "is of a kind that the API does not have there: %s", p.String())
	return nil
}

func accountTree(a *model.ServiceAccount) tree { return tree{"namespace": a.Namespace, "name": a.Name} }

func (w *writer) appliedTo(list []model.AppliedTo, at string) (out []any) {
	for i := range list {
		a, at := &list[i], fmt.Sprintf("%s[%d]", at, i)
		var t tree
		switch {
		case a.Group != "":
			t = tree{"group": a.Group}
		case a.ServiceAccount != nil:
			t = tree{"serviceAccount": accountTree(a.ServiceAccount)}
		case a.Service != nil:
			t = tree{"service": tree{"namespace": a.Service.Namespace, "name": a.Service.Name}}
		case a.Nodes != nil:
			t = tree{"nodeSelector": w.selector(*a.Nodes, at+".nodeSelector")}
		case a.Select:
			t = w.appliedPods(a, at)
		default:
			w.cannot(at, "selects nothing")
		}
		out = append(out, t)
	}
	return out
}

// appliedPods leaves a selector of everything out where the other says enough.
func (w *writer) appliedPods(a *model.AppliedTo, at string) tree {
	out := tree{}
	if w.p.Namespace == "" && (a.Pods.Empty() || !a.Namespaces.Empty()) {
		out["namespaceSelector"] = w.selector(a.Namespaces, at+".namespaceSelector")
	}
	if w.p.Namespace != "" || !a.Pods.Empty() {
		out["podSelector"] = w.selector(a.Pods, at+".podSelector")
	}
	return out
}
