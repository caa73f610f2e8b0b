package kube_test

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
)

// fields are a part of a manifest.
type fields = map[string]any

// oneOf picks one of several.
func oneOf[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// randomPolicies are policies of every kind, as a list for kubectl. Each list has the same
// names, so that one replaces the other. AdminNetworkPolicies with one priority are left
// out: OVN does not define which decides.
func randomPolicies(r *rand.Rand) string {
	priorities := r.Perm(40)
	var items []fields
	add := func(api, kind, ns, name string, spec fields) {
		meta := fields{"name": name}
		if ns != "" {
			meta["namespace"] = ns
		}
		items = append(items, fields{"apiVersion": api, "kind": kind, "metadata": meta, "spec": spec})
	}
	const policies = "policy.networking.k8s.io/v1alpha1"
	for i := range 3 {
		add(policies, "AdminNetworkPolicy", "", "random-"+strconv.Itoa(i), fields{"priority": 30 + priorities[i], "subject": randomSubject(r),
			"ingress": randomRules(r, "from", "Allow", "Deny", "Pass"), "egress": randomRules(r, "to", "Allow", "Deny", "Pass")})
	}
	add(policies, "BaselineAdminNetworkPolicy", "", "default", fields{"subject": randomSubject(r),
		"ingress": randomRules(r, "from", "Allow", "Deny"), "egress": randomRules(r, "to", "Allow", "Deny")})
	for i, ns := range labNamespaces[:2] {
		types := oneOf(r, []string{"Ingress"}, []string{"Egress"}, []string{"Ingress", "Egress"})
		spec := fields{"podSelector": randomPods(r), "policyTypes": types}
		for _, t := range types {
			if t == "Ingress" {
				spec["ingress"] = randomAllows(r, "from")
			} else {
				spec["egress"] = randomAllows(r, "to")
			}
		}
		add("networking.k8s.io/v1", "NetworkPolicy", ns, "random", spec)
		add("k8s.ovn.org/v1", "EgressFirewall", labNamespaces[i+1], "default", fields{"egress": randomFirewall(r)})
	}
	text, _ := json.Marshal(fields{"apiVersion": "v1", "kind": "List", "items": items}) // maps of strings always marshal
	return string(text)
}

func randomNamespaces(r *rand.Rand) fields {
	return oneOf(r, fields{}, fields{"matchLabels": fields{"tenant": oneOf(r, labNamespaces...)}})
}

func randomPods(r *rand.Rand) fields {
	return oneOf(r, fields{}, fields{"matchLabels": fields{"app": oneOf(r, "a", "b")}})
}

func randomSubject(r *rand.Rand) fields {
	if r.IntN(2) == 0 {
		return fields{"namespaces": randomNamespaces(r)}
	}
	return fields{"pods": fields{"namespaceSelector": randomNamespaces(r), "podSelector": randomPods(r)}}
}

func randomNetwork(r *rand.Rand) string {
	return oneOf(r, "0.0.0.0/0", "::/0", "10.244.1.0/24", "fd01:0:0:2::/64", "198.51.100.0/24", "2001:db8::/32", "172.18.0.0/16")
}

// randomRules are those of an AdminNetworkPolicy or the baseline; side is "from" or "to".
func randomRules(r *rand.Rand, side string, actions ...string) (out []fields) {
	for i := range 1 + r.IntN(3) {
		var peer fields
		named := true // networks and nodes have no named ports
		switch n := r.IntN(6); {
		case n < 2 || side == "from" && n == 5:
			peer = fields{"namespaces": randomNamespaces(r)}
		case n < 4 || side == "from":
			peer = fields{"pods": fields{"namespaceSelector": randomNamespaces(r), "podSelector": randomPods(r)}}
		case n == 4:
			peer, named = fields{"networks": []string{randomNetwork(r)}}, false
		default:
			peer, named = fields{"nodes": fields{"matchLabels": fields{"kubernetes.io/hostname": oneOf(r, smallNodes...)}}}, false
		}
		rule := fields{"name": "r" + strconv.Itoa(i), "action": oneOf(r, actions...), side: []fields{peer}}
		switch protocol := oneOf(r, "TCP", "TCP", "UDP", "SCTP"); r.IntN(5) {
		case 0:
			rule["ports"] = []fields{{"portNumber": fields{"protocol": protocol, "port": 8080}}}
		case 1:
			rule["ports"] = []fields{{"portRange": fields{"protocol": protocol, "start": 80, "end": 81}}}
		case 2:
			if named {
				rule["ports"] = []fields{{"namedPort": "http"}}
			}
		}
		out = append(out, rule)
	}
	return out
}

// randomAllows are the rules of a NetworkPolicy; side is "from" or "to".
func randomAllows(r *rand.Rand, side string) (out []fields) {
	for range 1 + r.IntN(2) {
		rule := fields{}
		switch r.IntN(4) {
		case 0:
			rule[side] = []fields{{"namespaceSelector": randomNamespaces(r), "podSelector": randomPods(r)}}
		case 1:
			rule[side] = []fields{{"ipBlock": fields{"cidr": randomNetwork(r)}}}
		case 2:
			rule[side] = []fields{{"podSelector": randomPods(r)}}
		}
		if protocol := oneOf(r, "TCP", "TCP", "UDP", "SCTP"); r.IntN(2) == 0 {
			rule["ports"] = []fields{{"protocol": protocol, "port": oneOf[any](r, 80, 8080, "http")}}
		}
		out = append(out, rule)
	}
	return out
}

func randomFirewall(r *rand.Rand) (out []fields) {
	for range 1 + r.IntN(3) {
		rule := fields{"type": oneOf(r, "Allow", "Deny"), "to": fields{"cidrSelector": randomNetwork(r)}}
		if r.IntN(3) == 0 {
			rule["ports"] = []fields{{"protocol": oneOf(r, "TCP", "UDP", "SCTP"), "port": oneOf(r, 80, 8080)}}
		}
		out = append(out, rule)
	}
	return out
}
