package networks

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rung/model"
)

// policies puts the rows of NetworkPolicies and MultiNetworkPolicies.
func (r *reference) policies() {
	for p := range r.c.Policies(model.KindNP) {
		if n, known, _ := r.active(p.Namespace); known {
			r.policy(n, p)
		}
	}
	if r.o.NoMultiPolicies {
		return
	}
	for p := range r.c.Policies(model.KindMNP) {
		for _, n := range r.targets(p) {
			r.policy(n, p)
		}
	}
}

// targets follows networks.md#multinetworkpolicy.
func (r *reference) targets(p *model.Policy) (out []*net) {
	text := strings.ReplaceAll(p.Annotations["k8s.v1.cni.cncf.io/policy-for"], " ", "")
	for _, item := range strings.Split(text, ",") {
		key := p.Namespace + "/" + item
		if parts := strings.Split(item, "/"); len(parts) > 1 {
			key = parts[0] + "/" + parts[1]
		}
		if n := r.networks.byKey[key]; n != nil && !n.primary && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// policy puts the rows of a policy on a network: its groups, the deny groups of the namespace, its rules.
func (r *reference) policy(n *net, p *model.Policy) {
	if len(p.Invalid) > 0 || n != nil && len(r.families(n)) == 0 && selectsPeers(p) {
		return
	}
	c, name := controllerName(n), named(p.Namespace+":"+p.Name)
	group := externalIDs(c, "NetworkPolicy", name)
	ports := r.localPorts(n, p.Namespace, p.Subject.Pods)
	r.put(Row{Table: "Port_Group", Name: Hashed(group["k8s.ovn.org/id"]), IDs: group, Ports: ports})
	allow, deny := r.levels(p.Namespace)
	for _, dir := range []string{"Ingress", "Egress"} {
		r.isolate(n, p.Namespace, dir, deny)
		if dir == "Ingress" && p.IsolatesIngress || dir == "Egress" && p.IsolatesEgress {
			key := "Port_Group " + joinID(c, "NetpolNamespace", named(p.Namespace), directed(dir))
			row := r.rows[key]
			row.Ports = append(row.Ports, ports...)
			r.rows[key] = row
		}
		for i, rule := range p.Rules(model.Direction(dir)) {
			action := "allow-related"
			if r.o.Stateless && p.Annotations["k8s.ovn.org/acl-stateless"] == "true" {
				action = "allow-stateless"
			}
			for protocol, l4 := range portTerms(rule.Ports) {
				for block, l3 := range r.peerTerms(n, p.Namespace, dir, rule.Peers) {
					r.acl(c, "NetworkPolicy", dir, fmt.Sprintf("NP:%s:%s:%s:%d", p.Namespace, p.Name, dir, i), 1001, action,
						l3+l4+" && "+portTerm(dir, Hashed(group["k8s.ovn.org/id"])), allow, group["k8s.ovn.org/id"],
						name, directed(dir), pair{"gress-index", strconv.Itoa(i)}, pair{"port-policy-protocol", protocol}, pair{"ip-block-index", block})
				}
			}
		}
	}
}

// selectsPeers says whether a policy has a peer of selectors.
func selectsPeers(p *model.Policy) bool {
	for _, rules := range [][]model.Rule{p.Ingress, p.Egress} {
		for _, rule := range rules {
			for _, peer := range rule.Peers {
				if peer.Kind != model.PeerNetworks {
					return true
				}
			}
		}
	}
	return false
}

// isolate puts the default deny of a namespace, once.
func (r *reference) isolate(n *net, namespace, dir, deny string) {
	c := controllerName(n)
	group := externalIDs(c, "NetpolNamespace", named(namespace), directed(dir))
	id := group["k8s.ovn.org/id"]
	if _, there := r.rows["Port_Group "+id]; there {
		return
	}
	r.put(Row{Table: "Port_Group", Name: Hashed(id), IDs: group})
	at := portTerm(dir, Hashed(id))
	row := func(what string, priority int, action, match, level string) {
		r.acl(c, "NetpolNamespace", dir, "NP:"+namespace+":"+dir, priority, action, match, level, id, named(namespace), directed(dir), pair{"type", what})
	}
	row("defaultDeny", 1000, "drop", at, deny)
	row("arpAllow", 1001, "allow", at+" && (arp || nd)", "")
	if r.o.AllowICMP {
		row("icmpAllow", 1001, "allow", at+" && (icmp || icmp6)", "")
	}
}

// peerTerms are the terms about a rule's peers, by ip-block-index.
func (r *reference) peerTerms(n *net, namespace, dir string, peers []model.Peer) map[string]string {
	side := map[string]string{"Ingress": "src", "Egress": "dst"}[dir]
	families := r.families(n)
	if len(peers) == 0 {
		var exprs []string
		for _, f := range families {
			exprs = append(exprs, "ip"+f)
		}
		if len(exprs) == 0 { // of a network without addresses
			exprs = []string{"ip4"}
		}
		return map[string]string{"-1": either(exprs...)}
	}
	var blocks []string
	sets := map[string][]string{} // by family
	for _, peer := range peers {
		if peer.Kind == model.PeerNetworks {
			for _, cidr := range peer.Networks {
				at := "ip" + addressFamily(cidr) + "." + side
				block := at + " == " + cidr
				if len(peer.Except) > 0 {
					block = "(" + block + " && " + at + " != {" + strings.Join(peer.Except, ", ") + "})"
				}
				blocks = append(blocks, block)
			}
			continue
		}
		for f, name := range r.peerSet(n, namespace, &peer) {
			sets[f] = append(sets[f], "$"+name)
		}
	}
	out := map[string]string{}
	if len(blocks) > 0 {
		out["-2"] = either(blocks...)
	}
	var exprs []string
	for _, f := range families {
		if len(sets[f]) > 0 {
			slices.Sort(sets[f])
			exprs = append(exprs, "ip"+f+"."+side+" == {"+strings.Join(slices.Compact(sets[f]), ", ")+"}")
		}
	}
	if len(exprs) > 0 {
		out["-1"] = either(exprs...)
	}
	return out
}

// peerSet puts the sets of a peer of selectors.
func (r *reference) peerSet(n *net, namespace string, p *model.Peer) map[string]string {
	all := func(ns *model.Namespace) bool { return p.Namespaces.Matches(ns.Labels) }
	switch {
	case p.Kind == model.PeerNamespaces:
		return r.set(n, p.Namespaces.OVNText()+"_LS{}_LNM", true, all, model.SelectEverything())
	case p.Namespace != "":
		return r.set(n, namespace+"_"+p.Pods.OVNText(), false, func(ns *model.Namespace) bool { return ns.Name == namespace }, p.Pods)
	}
	return r.set(n, p.Namespaces.OVNText()+"_"+p.Pods.OVNText(), false, all, p.Pods)
}

// portTerms are the terms about a rule's ports, by protocol.
func portTerms(ports []model.Port) map[string]string {
	if len(ports) == 0 {
		return map[string]string{"None": ""}
	}
	out := map[string]string{}
	for _, p := range ports {
		protocol := strings.ToLower(p.Protocol)
		var single, terms []string
		for _, q := range ports {
			switch {
			case q.Protocol != p.Protocol || q.Name != "" || q.Start == 0:
			case q.Start == q.End:
				single = append(single, strconv.Itoa(int(q.Start)))
			default:
				terms = append(terms, fmt.Sprintf("%d<=%s.dst<=%d", q.Start, protocol, q.End))
			}
		}
		switch len(single) {
		case 0:
		case 1:
			terms = append([]string{protocol + ".dst==" + single[0]}, terms...)
		default:
			terms = append([]string{protocol + ".dst=={" + strings.Join(single, ",") + "}"}, terms...)
		}
		out[protocol] = " && " + protocol
		if len(terms) > 0 {
			out[protocol] += " && " + either(terms...)
		}
	}
	return out
}
