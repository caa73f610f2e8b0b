package logs

import (
	"encoding/json"
	"net/netip"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
	"rung/model/logline"
	"rung/model/verdict"
)

// ruleName is the name of proposed rules, for kinds whose rules have names.
const ruleName = "from-log"

// networksOfPeer is the API's limit of networks in one peer.
const networksOfPeer = 25

// insertRules inserts the rules into a policy in the API's form.
func (p *Proposal) insertRules(object map[string]any, kind model.Kind) {
	spec, _ := object["spec"].(map[string]any)
	added := map[model.Direction]int{}
	for _, r := range p.Rules {
		field := r.Direction.Lower()
		list, _ := spec[field].([]any)
		at := min(r.InsertAt+added[r.Direction], len(list))
		spec[field] = slices.Insert(slices.Clone(list), at, any(ruleObject(&r, kind, p.Action)))
		added[r.Direction]++
	}
}

// ruleObject converts a rule to the API's form.
func ruleObject(r *logline.Rule, kind model.Kind, action model.Action) map[string]any {
	rule := map[string]any{}
	var peers, ports []any
	if kind.IsAdmin() {
		rule["name"], rule["action"] = ruleName, string(action)
		for _, s := range r.Peers {
			peers = append(peers, peerObject(s))
		}
		for nets := range slices.Chunk(r.Networks, networksOfPeer) {
			peers = append(peers, map[string]any{"networks": networkTexts(nets)})
		}
	} else {
		for _, s := range r.Peers {
			peers = append(peers, map[string]any{"namespaceSelector": selectorObject(s.Namespaces), "podSelector": selectorObject(s.Pods)})
		}
		for _, n := range r.Networks {
			peers = append(peers, map[string]any{"ipBlock": map[string]any{"cidr": n.String()}})
		}
	}
	for _, port := range r.Ports {
		ports = append(ports, portObject(port, kind))
	}
	side := "to"
	if r.Direction == model.Ingress {
		side = "from"
	}
	rule[side] = peers
	if len(ports) > 0 {
		rule["ports"] = ports
	}
	return rule
}

func networkTexts(nets []netip.Prefix) (out []any) {
	for _, n := range nets {
		out = append(out, n.String())
	}
	return out
}

func portObject(p verdict.PortRange, kind model.Kind) map[string]any {
	switch {
	case !kind.IsAdmin() && p.Lo == p.Hi:
		return map[string]any{"protocol": string(p.Protocol), "port": int64(p.Lo)}
	case !kind.IsAdmin():
		return map[string]any{"protocol": string(p.Protocol), "port": int64(p.Lo), "endPort": int64(p.Hi)}
	case p.Lo == p.Hi:
		return map[string]any{"portNumber": map[string]any{"protocol": string(p.Protocol), "port": int64(p.Lo)}}
	}
	return map[string]any{"portRange": map[string]any{"protocol": string(p.Protocol), "start": int64(p.Lo), "end": int64(p.Hi)}}
}

// peerObject converts a peer, or the subject, of an AdminNetworkPolicy.
func peerObject(s logline.SelectedPods) map[string]any {
	if len(s.Pods.MatchLabels)+len(s.Pods.MatchExpressions) == 0 {
		return map[string]any{"namespaces": selectorObject(s.Namespaces)}
	}
	return map[string]any{"pods": map[string]any{"namespaceSelector": selectorObject(s.Namespaces), "podSelector": selectorObject(s.Pods)}}
}

func selectorObject(s *metav1.LabelSelector) (out map[string]any) {
	text, _ := json.Marshal(s) // cannot fail: only texts
	_ = json.Unmarshal(text, &out)
	return out
}
