package manifests

import (
	"fmt"
	"strings"

	"rung/model"
)

// fillAntrea fills the spec of a policy of Antrea.
func (w *policyWriter) fillAntrea(spec jsonTree) {
	a := w.p.Tiered
	if a == nil {
		w.addCannot("spec", "has no tier and no priority")
		return
	}
	spec["tier"], spec["priority"] = a.Tier, a.Priority
	if len(a.AppliedTo) > 0 {
		spec["appliedTo"] = w.appliedTo(a.AppliedTo, "spec.appliedTo")
	}
	w.fillRules(spec, w.antreaRule)
}

// antreaWords are Antrea's actions for rules that come from other kinds.
var antreaWords = map[model.Action]string{model.Allow: "Allow", model.Deny: "Drop", model.Pass: "Pass"}

func (w *policyWriter) antreaRule(r *model.Rule, at string) jsonTree {
	a := r.Tiered
	if a == nil {
		a = &model.TieredRule{Action: antreaWords[r.Action]}
	}
	out := jsonTree{"action": a.Action}
	if r.Name != "" && !a.Generated {
		out["name"] = r.Name
	}
	if len(a.AppliedTo) > 0 {
		out["appliedTo"] = w.appliedTo(a.AppliedTo, at+".appliedTo")
	}
	var peers, services, ports, protocols []any
	for i := range r.Peers {
		peers = append(peers, w.antreaPeer(&r.Peers[i], fmt.Sprintf("%s.%s[%d]", at, peersField(r.Direction), i)))
	}
	for _, s := range a.ToServices {
		services = append(services, nameTree(s.Namespace, s.Name))
	}
	for i := range r.Ports {
		ports = append(ports, w.antreaPort(&r.Ports[i], fmt.Sprintf("%s.ports[%d]", at, i)))
	}
	for _, p := range a.Protocols {
		protocols = append(protocols, antreaProtocolTree(p))
	}
	if len(a.L7) > 0 {
		w.addCannot(at+".l7Protocols", "cannot be written")
	}
	for field, list := range map[string][]any{peersField(r.Direction): peers, "toServices": services, "ports": ports, "protocols": protocols} {
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

func antreaProtocolTree(p model.RuleProtocol) jsonTree {
	name, of := strings.ToLower(p.Protocol), jsonTree{} // ICMP has no group, IGMP no code
	for field, number := range map[string]*int32{name + "Type": p.Type, name + "Code": p.Code} {
		if number != nil {
			of[field] = int64(*number)
		}
	}
	if p.Group != "" {
		of["groupAddress"] = p.Group
	}
	return jsonTree{name: of}
}

func (w *policyWriter) antreaPort(p *model.Port, at string) jsonTree {
	if !model.KnowsProtocol(p.Protocol) {
		w.addCannot(at, "has a protocol that the API lacks: %s", p.String())
	}
	out := jsonTree{"protocol": p.Protocol}
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

func (w *policyWriter) antreaPeer(p *model.Peer, at string) jsonTree {
	switch {
	case p.Kind == model.PeerNetworks && len(p.Networks) == 1 && len(p.Except) == 0:
		return jsonTree{"ipBlock": jsonTree{"cidr": p.Networks[0]}}
	case p.Kind == model.PeerGroup:
		return jsonTree{"group": p.Group}
	case p.Kind == model.PeerServiceAccount && p.ServiceAccount != nil:
		return jsonTree{"serviceAccount": nameTree(p.ServiceAccount.Namespace, p.ServiceAccount.Name)}
	case p.Kind == model.PeerDNS:
		return jsonTree{"fqdn": p.DNSName}
	case p.Kind == model.PeerNodes:
		return jsonTree{"nodeSelector": w.labelSelector(p.Nodes, at+".nodeSelector")}
	case p.Kind == model.PeerNamespaces:
		return jsonTree{"namespaceSelector": w.labelSelector(p.Namespaces, at+".namespaceSelector")}
	case p.Kind == model.PeerPods && p.Match != nil:
		out := jsonTree{"namespaces": jsonTree{"match": "Self"}}
		if !p.Match.Self {
			out = jsonTree{"namespaces": jsonTree{"sameLabels": anyList(p.Match.SameLabels)}}
		}
		if !p.Pods.MatchesEverything() {
			out["podSelector"] = w.labelSelector(p.Pods, at+".podSelector")
		}
		return out
	case p.Kind == model.PeerPods && p.Namespace == w.p.Namespace:
		out := jsonTree{"podSelector": w.labelSelector(p.Pods, at+".podSelector")}
		if p.Namespace == "" && !p.Namespaces.MatchesEverything() {
			out["namespaceSelector"] = w.labelSelector(p.Namespaces, at+".namespaceSelector")
		}
		return out
	case p.Kind == model.PeerPods && p.Namespace == "": // of a namespaced policy
		return w.podsSelector(p.Namespaces, p.Pods, at)
	}
	w.addCannot(at, "is a kind of peer that the API does not allow there: %s", p.String())
	return nil
}

func nameTree(namespace, name string) jsonTree { return jsonTree{"namespace": namespace, "name": name} }

func (w *policyWriter) appliedTo(list []model.AppliedTo, at string) (out []any) {
	for i := range list {
		a, at := &list[i], fmt.Sprintf("%s[%d]", at, i)
		var t jsonTree
		switch {
		case a.Group != "":
			t = jsonTree{"group": a.Group}
		case a.ServiceAccount != nil:
			t = jsonTree{"serviceAccount": nameTree(a.ServiceAccount.Namespace, a.ServiceAccount.Name)}
		case a.Service != nil:
			t = jsonTree{"service": nameTree(a.Service.Namespace, a.Service.Name)}
		case a.Nodes != nil:
			t = jsonTree{"nodeSelector": w.labelSelector(*a.Nodes, at+".nodeSelector")}
		case a.Select:
			t = w.appliedPods(a, at)
		default:
			w.addCannot(at, "selects nothing")
		}
		out = append(out, t)
	}
	return out
}

// appliedPods returns the selectors, omitting a selector of everything if the other suffices.
func (w *policyWriter) appliedPods(a *model.AppliedTo, at string) jsonTree {
	out := jsonTree{}
	if w.p.Namespace == "" && (a.Pods.MatchesEverything() || !a.Namespaces.MatchesEverything()) {
		out["namespaceSelector"] = w.labelSelector(a.Namespaces, at+".namespaceSelector")
	}
	if w.p.Namespace != "" || !a.Pods.MatchesEverything() {
		out["podSelector"] = w.labelSelector(a.Pods, at+".podSelector")
	}
	return out
}
