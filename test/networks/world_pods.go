package networks

import (
	"strconv"

	"rung/model"
	"rung/test/made"
)

func (w *World) pod() *model.Pod {
	ns := w.one(worldNamespaces...)
	p := made.Pod(ns+"/p-"+strconv.Itoa(w.IntN(5)), w.one("app=x", "app=y", "app=x,tier=1", ""))
	p.NodeName, p.Phase = w.one(append(Zones, "n1")...), w.one("Running", "Running", "Running", "Pending", "Succeeded", "Failed")
	p.UID = strconv.Itoa(w.IntN(3))
	if !w.odds(8) {
		p.IPs = append(p.IPs, "10.244.1."+strconv.Itoa(w.IntN(30)), "fd01::"+strconv.Itoa(1+w.IntN(9)))[:1+w.IntN(2)]
	}
	p.HostNetwork = w.odds(10)
	if p.HostNetwork {
		return p
	}
	if w.odds(10) { // not scheduled
		p.NodeName, p.IPs, p.Phase = "", nil, "Pending"
		return p
	}
	p.Networks = []model.PodNetwork{{Name: "default", IPs: p.IPs}}
	if n := w.owner[ns]; n != nil && !w.odds(8) {
		p.Networks = append(p.Networks, w.entry(ns+"/"+n.name, n, "primary"))
	}
	for range w.IntN(4) {
		n := w.networks[w.IntN(len(w.networks))]
		at := n.namespace
		if at == "" {
			at = w.one(worldNamespaces...)
		}
		key := at + "/" + n.name
		if w.odds(10) {
			key = at + "/nowhere"
		}
		times := 0
		for _, had := range p.Attachments {
			if had == key || had == key+"/"+strconv.Itoa(times) {
				times++
			}
		}
		if times > 0 {
			key += "/" + strconv.Itoa(times)
		}
		p.Attachments = append(p.Attachments, key)
		if !n.config.Primary && !w.odds(6) {
			p.Networks = append(p.Networks, w.entry(key, n, ""))
		}
	}
	switch w.IntN(16) {
	case 0:
		p.Networks, p.NetworksErr = nil, "is no JSON"
	case 1:
		p.Attachments, p.AttachmentsErr = nil, "is no list"
	}
	return p
}

// entry is an entry of pod-networks.
func (w *World) entry(key string, n *worldNetwork, role string) model.PodNetwork {
	e := model.PodNetwork{Name: key, Role: role}
	for _, s := range n.config.Subnets {
		a := s.Addr()
		for range 3 + w.IntN(20) {
			a = a.Next()
		}
		e.IPs = append(e.IPs, a.String())
	}
	return e
}

func (w *World) policy() *model.Policy {
	ns := w.one(worldNamespaces...)
	kind := []model.Kind{model.KindNP, model.KindNP, model.KindMNP, model.KindMNP, model.KindEF}[w.IntN(5)]
	p := &model.Policy{Meta: newMeta(kind, ns, w.one("one", "two"), ""), Tier: model.TierNetwork}
	p.Annotations = map[string]string{}
	if kind == model.KindEF {
		p.Name, p.Subject = "default", model.Subject{Namespaces: model.SelectEverything(), Pods: model.SelectEverything(), AllPods: true, Namespace: ns}
		for i := range 1 + w.IntN(3) {
			p.Egress = append(p.Egress, w.firewallRule(i))
		}
		return p
	}
	p.Subject = model.Subject{Namespaces: model.SelectEverything(), Pods: made.Sel(w.one("", "app=x", "!app")), Namespace: ns}
	p.IsolatesIngress, p.IsolatesEgress = w.odds(2), w.odds(2)
	if w.odds(3) {
		p.Annotations[model.AnnotationStateless] = w.one("true", "yes")
	}
	if kind == model.KindMNP {
		p.Annotations[model.AnnotationPolicyFor] = w.policyFor()
	}
	blocks := kind == model.KindMNP && w.odds(2)
	for _, dir := range []model.Direction{model.Ingress, model.Egress} {
		var rules []model.Rule
		for i := range w.IntN(3) {
			rules = append(rules, w.rule(dir, i, ns, blocks))
		}
		if dir == model.Ingress {
			p.Ingress = rules
		} else {
			p.Egress = rules
		}
	}
	return p
}

// policyFor is an annotation with spaces, names that nobody knows and names with too many parts.
func (w *World) policyFor() string {
	text := ""
	for i := range 1 + w.IntN(3) {
		if i > 0 {
			text += w.one(",", ", ", " ,")
		}
		n := w.networks[w.IntN(len(w.networks))]
		at := n.namespace
		if at == "" {
			at = w.one(worldNamespaces...)
		}
		text += w.one(n.name, at+"/"+n.name, at+" / "+n.name, at+"/"+n.name+"/more", "nowhere", "")
	}
	return text
}

func (w *World) rule(dir model.Direction, i int, ns string, blocks bool) model.Rule {
	r := model.Rule{Direction: dir, Index: i, Action: model.Allow}
	for range w.IntN(4) {
		kind := w.IntN(4)
		if blocks {
			kind = 3
		}
		switch kind {
		case 0:
			r.Peers = append(r.Peers, model.Peer{Kind: model.PeerNamespaces, Namespaces: made.Sel(w.one("", "t=1", "t in (1,2)")), Pods: model.SelectEverything()})
		case 1:
			r.Peers = append(r.Peers, model.Peer{Kind: model.PeerPods, Namespaces: made.Sel(w.one("", "t=1", "env=p")), Pods: made.Sel(w.one("", "app=x", "app=y"))})
		case 2:
			r.Peers = append(r.Peers, model.Peer{Kind: model.PeerPods, Namespace: ns, Namespaces: model.SelectEverything(), Pods: made.Sel(w.one("", "app=x", "app=y"))})
		default:
			peer := model.Peer{Kind: model.PeerNetworks, Networks: []string{w.one("10.0.0.0/8", "10.20.0.0/16", "fd00::/8")}}
			if w.odds(2) && peer.Networks[0] == "10.0.0.0/8" {
				peer.Except = []string{"10.1.0.0/16", "10.2.0.0/16"}
			}
			r.Peers = append(r.Peers, peer)
		}
	}
	r.AnyPeer = len(r.Peers) == 0
	r.Ports = w.ports()
	return r
}

func (w *World) ports() (out []model.Port) {
	for range w.IntN(4) {
		out = append(out, []model.Port{{Protocol: "TCP", Start: 80, End: 80}, {Protocol: "TCP", Start: 443, End: 443}, {Protocol: "UDP"}, {Protocol: "TCP", Name: "http"},
			{Protocol: "SCTP", Start: 8000, End: 9000, Range: true}}[w.IntN(5)])
	}
	return out
}

func (w *World) firewallRule(i int) model.Rule {
	r := model.Rule{Direction: model.Egress, Index: i, Action: model.Allow}
	if w.odds(2) {
		r.Action = model.Deny
	}
	switch w.IntN(4) {
	case 0:
		r.Peers = []model.Peer{{Kind: model.PeerDNS, DNSName: w.one("www.example.com", "other.example.com")}}
	case 1:
		r.Peers = []model.Peer{made.NodePeer(w.one("", "role=w", "role=none"))}
	default:
		r.Peers = []model.Peer{made.NetPeer(w.one("0.0.0.0/0", "::/0", "10.20.4.4/32", "10.128.0.0/14", "10.244.0.0/16", "1.2.3.0/24"))}
	}
	for range w.IntN(3) {
		r.Ports = append(r.Ports, []model.Port{{Protocol: "UDP", Start: 55, End: 55}, {Protocol: "TCP"}, {Protocol: "TCP", Start: 400, End: 400}}[w.IntN(3)])
	}
	return r
}
