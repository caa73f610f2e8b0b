package lint

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/test/made"
)

// np makes a NetworkPolicy "namespace/name"; types are its policyTypes.
func np(name, pods, types string, ingress, egress []model.Rule) *model.Policy {
	space, n, _ := strings.Cut(name, "/")
	p := anp(n, 0, "*", ingress, egress)
	p.Key, p.Tier = model.Key{Kind: model.KindNP, Namespace: space, Name: n}, model.TierNetwork
	p.Subject = model.Subject{Namespace: space, Namespaces: model.SelectEverything(), Pods: made.Sel(pods)}
	p.IsolatesIngress, p.IsolatesEgress = strings.Contains(types, "I"), strings.Contains(types, "E")
	return p
}

// npRule is an Allow of everybody; ports are "TCP:80", "TCP:1-2", "TCP" for the
// whole protocol and "TCP/http" for a named port.
func npRule(ports ...string) model.Rule {
	r := rule(model.Allow, nil, ports...)
	r.AnyPeer = true
	for i := range r.Ports {
		if r.Ports[i].Name == "" {
			continue
		}
		proto, name, _ := strings.Cut(r.Ports[i].Name, "/")
		r.Ports[i] = model.Port{Protocol: proto, Name: name}
	}
	return r
}

func firewall(namespace string, egress ...model.Rule) *model.Policy {
	p := anp("default", 0, "*", nil, egress)
	p.Key, p.Tier = model.Key{Kind: model.KindEF, Namespace: namespace, Name: "default"}, model.TierNetwork
	p.Subject = model.Subject{Namespace: namespace, Namespaces: model.SelectEverything(), Pods: model.SelectEverything(), AllPods: true}
	return p
}

func logsAs(namespace, raw string) model.Object {
	n := &model.Namespace{Meta: meta(model.KindNamespace, "", namespace, "tenant="+namespace)}
	n.Annotations = map[string]string{model.AnnotationLogging: raw}
	return n
}

func notTaken(p *model.Policy) *model.Policy {
	p.Invalid = []model.Broken{{Code: "profile", Message: "not taken"}}
	return p
}

func dns(name string) []model.Peer { return []model.Peer{{Kind: model.PeerDNS, DNSName: name}} }

func subnetNode(name string, mgmt ...string) model.Object {
	n := node(name, "")
	n.MgmtIPs = mgmt
	return n
}

// divergence is a case: what a cluster, base() and some more, shows of codes.
type divergence struct {
	name  string
	codes []string
	extra []model.Object
	bare  bool // without base()
	blind bool // without the subnets of pods
	v4    bool // with rows for IPv4 alone
	want  []string
}

func (d divergence) run(t *testing.T) {
	t.Helper()
	objects := d.extra
	if !d.bare {
		objects = append(base(), objects...)
	}
	want := d.want
	if want == nil {
		want = []string{}
	}
	if diff := cmp.Diff(want, show(Run(cluster(objects...), nil, Options{NoSubnets: d.blind, IPv4: d.v4}), d.codes...)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNamedPortDivergences(t *testing.T) {
	const allow, deny = model.Allow, model.Deny
	both := pod("red/both", "app=both", "10.0.1.9", "grpc:TCP:9000", "grpc:UDP:9000")
	both.IPs = append(both.IPs, "fd00::9")
	host := pod("red/host", "app=host", "10.0.1.8", "metrics:TCP:9100")
	host.HostNetwork = true
	tests := []divergence{
		{name: "peers that declare the name", codes: []string{NamedPortPeers.Code}, extra: []model.Object{both,
			anp("a", 1, "tenant=blue", rules{rule(deny, inNS("tenant"), "http"), rule(deny, inNS("tenant"), "http", "grpc"), rule(allow, inNS("tenant=red"), "grpc")}, nil)},
			want: []string{
				`warning named-port-reaches-peers a ingress 1: the rows of the named port "grpc" have no outport: on nodes with a pod of the subject they also deny connections between peers, to 1 pod outside the subject: tcp 9000 (red/both), udp 9000 (red/both)`,
				`warning named-port-reaches-peers a ingress 2: the rows of the named port "grpc" have no outport: on nodes with a pod of the subject they also allow connections between peers, to 1 pod outside the subject: tcp 9000 (red/both), udp 9000 (red/both); ` +
					"no subject pod declares the name, so the rule does nothing for the subject"}},
		{name: "numbers, host-networked peers, lone peers, egress and no subject", codes: []string{NamedPortPeers.Code}, extra: []model.Object{both, host,
			anp("a", 1, "tenant=blue", rules{rule(deny, inNS("tenant"), "TCP:9000"), rule(deny, inNS("tenant"), "metrics"), rule(deny, to(model.PeerPods, "* + app=both"), "grpc")},
				rules{rule(deny, inNS("tenant"), "grpc")}),
			anp("b", 2, "tenant=empty", rules{rule(deny, inNS("tenant"), "grpc")}, nil)}},
		{name: "a number beside the name serves the subject", codes: []string{NamedPortPeers.Code}, extra: []model.Object{both, banp(rules{rule(deny, inNS("tenant"), "grpc", "TCP:1")}, nil),
			podSubject(anp("a", 1, "tenant=blue", rules{rule(deny, inNS("tenant"), "grpc", "TCP:1")}, nil), "app=web")},
			want: []string{`warning named-port-reaches-peers a ingress 0: the rows of the named port "grpc" have no outport: on nodes with a pod of the subject they also deny connections between peers, to 1 pod outside the subject: tcp 9000 (red/both), udp 9000 (red/both)`}},
		{name: "a family without pod subnets", codes: []string{NamedPortFamily.Code}, extra: []model.Object{both, subnetNode("n1", "10.0.0.2"), subnetNode("n2", "10.0.1.2"),
			anp("a", 1, "tenant=red", rules{rule(deny, inNS("tenant=blue"), "grpc")}, rules{rule(deny, inNS("tenant"), "http", "grpc"), rule(deny, inNS("tenant"), "http"), rule(deny, inNS("tenant"), "TCP:9000")})},
			want: []string{
				`info named-port-family a ingress 0: no node has a pod subnet of IPv6, yet the rows of the named port "grpc" have the IPv6 addresses of 1 pod: tcp 9000 (red/both), udp 9000 (red/both); they never match together with the other family's address set`,
				`info named-port-family a egress 0: no node has a pod subnet of IPv6, yet the rows of the named port "grpc" have the IPv6 addresses of 1 pod: tcp 9000 (red/both), udp 9000 (red/both); an egress row has no address set, so it matches them although the rest of the policy ignores that family`}},
		{name: "IPv6 alone", codes: []string{NamedPortFamily.Code}, extra: []model.Object{subnetNode("n1", "fd00::2"), anp("a", 1, "tenant=red", nil, rules{rule(deny, inNS("tenant=blue"), "http")})},
			want: []string{`info named-port-family a egress 0: no node has a pod subnet of IPv4, yet the rows of the named port "http" have the IPv4 addresses of 1 pod: tcp 8080 (blue/web-1); an egress row has no address set, so it matches them although the rest of the policy ignores that family`}},
		{name: "both families, and subnets that are not known", codes: []string{NamedPortFamily.Code}, extra: []model.Object{both, subnetNode("n1", "10.0.0.2", "fd00::2"), anp("a", 1, "*", nil, rules{rule(deny, inNS("*"), "grpc")})}},
		{name: "a family that rows are not compiled for", codes: []string{NamedPortFamily.Code}, v4: true, extra: []model.Object{both,
			anp("a", 1, "tenant=red", nil, rules{rule(deny, inNS("tenant"), "grpc")})},
			want: []string{`info named-port-family a egress 0: rows are not compiled for IPv6, yet the rows of the named port "grpc" have the IPv6 addresses of 1 pod: tcp 9000 (red/both), udp 9000 (red/both); an egress row has no address set, so it matches them although the rest of the policy ignores that family`}},
		{name: "no subnets are known", codes: []string{NamedPortFamily.Code}, extra: []model.Object{both, anp("a", 1, "*", nil, rules{rule(deny, inNS("*"), "grpc")})}},
	}
	for _, tt := range tests {
		t.Run(tt.name, tt.run)
	}
}

func TestNetworkPolicyDivergences(t *testing.T) {
	const deny = model.Deny
	tests := []divergence{
		{name: "a named port opens the protocol", codes: []string{NetpolNamedPort.Code, NetpolPortLost.Code}, extra: []model.Object{
			np("blue/a", "*", "I", rules{npRule("TCP/http"), npRule("TCP/http", "TCP/grpc", "UDP:53"), npRule("UDP/http"), npRule("TCP/http", "TCP"), npRule("TCP:80"), npRule()}, nil),
			np("red/b", "*", "E", nil, rules{npRule("TCP/http")}), np("red/c", "*", "I", rules{npRule("UDP/grpc")}, nil),
			pod("red/one", "", "10.0.1.7", "grpc:TCP:9000", "grpc:UDP:9000"), pod("red/two", "", "10.0.1.8", "grpc:UDP:9001"), pod("red/three", "", "10.0.1.6", "grpc:UDP:9001")},
			want: []string{
				`warning netpol-named-port-opens-protocol a ingress 0: the named port "http" opens the whole of tcp: the row has no port, and allows every tcp port, not only tcp 8080 (blue/web-1)`,
				`warning netpol-named-port-opens-protocol a ingress 1: the named ports "http", "grpc" open the whole of tcp: the row has no port, and allows every tcp port, not only tcp 8080 (blue/web-1)`,
				`warning netpol-named-port-opens-protocol a ingress 2: the named port "http" opens the whole of udp: the row has no port, and allows every udp port though no receiving pod of the rule declares the name`,
				`warning netpol-named-port-opens-protocol b egress 0: the named port "http" opens the whole of tcp: the row has no port, and allows every tcp port, not only tcp 8080 (blue/web-1)`,
				`warning netpol-named-port-opens-protocol c ingress 0: the named port "grpc" opens the whole of udp: the row has no port, and allows every udp port, not only udp 9000 (red/one), udp 9001 (red/three)`}},
		{name: "no pods are known", bare: true, codes: []string{NetpolNamedPort.Code, NetpolPortLost.Code}, extra: []model.Object{np("blue/a", "*", "I", rules{npRule("TCP/http"), npRule("TCP/http", "TCP:1")}, nil)},
			want: []string{`warning netpol-named-port-opens-protocol a ingress 0: the named port "http" opens the whole of tcp: the row has no port`,
				`warning netpol-port-lost a ingress 1: the named port "http" is lost: only the numbered ports remain in the row, tcp 1`}},
		{name: "a protocol without a port beside a number", codes: []string{NetpolPortLost.Code}, extra: []model.Object{
			np("blue/a", "*", "I", rules{npRule("TCP", "TCP:80", "TCP:8000-9000"), npRule("TCP", "UDP:53"), npRule("TCP", "TCP:1-65535"), npRule("UDP:53", "UDP", "UDP/dns", "TCP")}, nil)},
			want: []string{"warning netpol-port-lost a ingress 0: tcp without a port (any) is lost: only the numbered ports remain in the row, tcp 80, tcp 8000–9000",
				"warning netpol-port-lost a ingress 3: udp without a port (any) is lost: only the numbered ports remain in the row, udp 53"}},
		{name: "a named port beside a number", codes: []string{NetpolPortLost.Code}, extra: []model.Object{
			np("blue/a", "*", "I", rules{npRule("TCP/http", "TCP:443"), npRule("TCP/http", "TCP:8000-9000"), npRule("TCP/grpc", "TCP:443")}, nil)},
			want: []string{`warning netpol-port-lost a ingress 0: the named port "http", tcp 8080 on blue/web-1, is lost: only the numbered ports remain in the row, tcp 443`}},
		{name: "rules of a direction that is left out, of isolated pods", codes: []string{NetpolDirection.Code}, extra: []model.Object{
			np("blue/open", "app=web", "E", rules{npRule("TCP:1"), npRule("TCP:2")}, rules{npRule()}), np("blue/other", "app=other", "I", nil, nil), np("blue/shut", "*", "I", nil, nil), np("red/shut", "*", "I", nil, nil),
			np("red/open", "*", "I", nil, rules{npRule()})},
			want: []string{"warning netpol-rules-outside-policytypes open ingress 0: policyTypes omits ingress, but OVN-Kubernetes still compiles its 2 rules: they open what NP blue/shut denies to blue/web-1",
				"info netpol-rules-outside-policytypes open egress 0: policyTypes omits egress, but OVN-Kubernetes still compiles its 1 rule: nothing else denies egress of its pods now, so it opens nothing yet"}},
		{name: "isolated are other pods, another namespace, another direction", codes: []string{NetpolDirection.Code}, extra: []model.Object{
			np("blue/open", "app=web", "E", rules{npRule()}, nil), np("blue/shut", "app=other", "I", nil, nil), np("red/shut", "*", "I", nil, nil), np("blue/out", "*", "E", nil, nil)},
			want: []string{"info netpol-rules-outside-policytypes open ingress 0: policyTypes omits ingress, but OVN-Kubernetes still compiles its 1 rule: nothing else denies ingress of its pods now, so it opens nothing yet"}},
		{name: "the baseline denies", codes: []string{NetpolDirection.Code}, extra: []model.Object{banp(rules{rule(model.Allow, inNS("*")), rule(deny, inNS("*"))}, nil), np("red/open", "*", "", rules{npRule()}, rules{npRule()})},
			want: []string{"warning netpol-rules-outside-policytypes open ingress 0: policyTypes omits ingress, but OVN-Kubernetes still compiles its 1 rule: it decides instead of BANP default ingress 1, which denies red/db",
				"info netpol-rules-outside-policytypes open egress 0: policyTypes omits egress, but OVN-Kubernetes still compiles its 1 rule: nothing else denies egress of its pods now, so it opens nothing yet"}},
		{name: "policies that are not programmed", codes: []string{NetpolDirection.Code, NetpolNamedPort.Code}, extra: []model.Object{
			notTaken(np("blue/a", "*", "E", rules{npRule("TCP/http")}, nil)), np("blue/b", "*", "E", rules{npRule()}, nil), notTaken(np("blue/c", "*", "I", nil, nil)), notTaken(banp(rules{rule(deny, inNS("*"))}, nil))},
			want: []string{"info netpol-rules-outside-policytypes b ingress 0: policyTypes omits ingress, but OVN-Kubernetes still compiles its 1 rule: nothing else denies ingress of its pods now, so it opens nothing yet"}},
		{name: "policyTypes as the rules are", codes: []string{NetpolDirection.Code}, extra: []model.Object{np("blue/a", "*", "IE", rules{npRule()}, rules{npRule()}), np("blue/b", "*", "I", rules{npRule()}, nil)}},
		{name: "log levels of the namespace", codes: []string{NamespaceLogging.Code}, extra: []model.Object{
			logsAs("a", `{"deny":"Alert","allow":"info"}`), np("a/policy", "*", "I", nil, nil), firewall("a"), logsAs("b", `{"allow":"x","Deny":"y"}`), np("b/b", "*", "I", nil, nil),
			logsAs("c", `{"deny":1}`), np("c/c", "*", "I", nil, nil), logsAs("d", "[]"), np("d/d", "*", "I", nil, nil), logsAs("e", "alert"), np("e/e", "*", "I", nil, nil)},
			want: []string{
				`warning namespace-logging-invalid policy: the annotation k8s.ovn.org/acl-logging of namespace a: invalid log level "Alert": deny is not logged`,
				`warning namespace-logging-invalid b: the annotation k8s.ovn.org/acl-logging of namespace b: invalid log level "y": deny is not logged; invalid log level "x": allow is not logged`,
				`warning namespace-logging-invalid c: the annotation k8s.ovn.org/acl-logging of namespace c: cannot be read, allow and deny are not logged: json: cannot unmarshal number into Go struct field ACLLoggingLevels.deny of type string`,
				`warning namespace-logging-invalid d: the annotation k8s.ovn.org/acl-logging of namespace d: cannot be read, allow and deny are not logged: json: cannot unmarshal array into Go value of type util.ACLLoggingLevels`,
				`warning namespace-logging-invalid e: the annotation k8s.ovn.org/acl-logging of namespace e: cannot be read, allow and deny are not logged: invalid character 'a' looking for beginning of value`,
				`warning namespace-logging-invalid default: the annotation k8s.ovn.org/acl-logging of namespace a: invalid log level "Alert": deny is not logged`}},
		{name: "log levels that are taken, and a namespace without policies", codes: []string{NamespaceLogging.Code}, extra: []model.Object{
			logsAs("a", `{"deny":"alert","ALLOW":"info","pass":"loud","more":1}`), np("a/a", "*", "I", nil, nil), logsAs("b", ""), np("b/b", "*", "I", nil, nil), logsAs("c", "null"), np("c/c", "*", "I", nil, nil),
			logsAs("d", "["), anp("x", 1, "tenant=d", nil, nil), np("gone/x", "*", "I", nil, nil)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, tt.run)
	}
}

func TestEgressFirewallDivergences(t *testing.T) {
	const allow, deny = model.Allow, model.Deny
	misnamed := firewall("blue", rule(deny, to(model.PeerNodes, "role=x")))
	misnamed.Name = "other"
	said := firewall("red")
	said.Name, said.Invalid = "other", []model.Broken{{Code: "schema", Field: "metadata.name", Message: "must be default"}}
	long := func(n int) *model.Policy {
		rs := make(rules, n)
		for i := range rs {
			rs[i] = rule(allow, inNets("192.0.2.0/24"))
		}
		return firewall("blue", rs...)
	}
	api := to(model.PeerNodes, "node-role.kubernetes.io/control-plane")
	bad := node("odd", "role=odd")
	bad.HostErr = "not JSON"
	all := []string{FirewallName.Code, FirewallTooLong.Code, FirewallPods.Code, FirewallSubnets.Code, FirewallDNS.Code, FirewallOverrules.Code, PeerNothing.Code}
	tests := []divergence{
		{name: "another name", codes: append(all, "schema"), extra: []model.Object{misnamed, said},
			want: []string{"error egressfirewall-name other: an EgressFirewall that is not named default is not programmed", "error schema other: metadata.name: must be default"}},
		{name: "not programmed", codes: all, extra: []model.Object{notTaken(firewall("blue", rule(deny, inNets("10.0.0.0/8"))))}},
		{name: "too many rules", codes: all, extra: []model.Object{long(8002)},
			want: []string{"error egressfirewall-too-long default egress 8001: 8,002 rules: rule 8001 has no OVN priority left, and the whole EgressFirewall is not programmed"}},
		{name: "as many rules as there may be", codes: all, extra: []model.Object{long(8001)}},
		{name: "networks of pods", codes: all, extra: []model.Object{firewall("blue", rule(allow, inNets("10.0.1.0/24")), rule(deny, inNets("10.0.0.0/8")), rule(deny, inNets("192.0.2.0/24")), rule(deny, inNets("0.0.0.0/0")))},
			want: []string{"warning egressfirewall-leaves-pods default egress 1: 10.0.0.0/8 contains addresses of 5 pods, e.g. blue/web-1, but the row excludes pod subnets: its Deny never applies to pods",
				"info egressfirewall-leaves-pods default egress 0: 10.0.1.0/24 contains addresses of 3 pods, e.g. blue/web-2, but the row excludes pod subnets: its Allow never applies to pods"}},
		{name: "networks of pods, the subnets unknown", blind: true, codes: all, extra: []model.Object{firewall("blue", rule(allow, inNets("192.0.2.0/24")), rule(deny, inNets("0.0.0.0/0")))},
			want: []string{"warning egressfirewall-subnets-unknown default egress 1: 0.0.0.0/0 contains addresses of 5 pods, e.g. blue/web-1, and the pod subnets are unknown: OVN-Kubernetes excludes them from this row, Rung's compiled row does not"}},
		{name: "nodes without an address", codes: all, extra: []model.Object{bad, node("bare", "role=bare"), firewall("blue", rule(deny, to(model.PeerNodes, "role=x")), rule(allow, to(model.PeerNodes, "role=bare")),
			rule(deny, to(model.PeerNodes, "role=worker")), rule(deny, to(model.PeerNodes, "role=odd")))},
			want: []string{`warning peer-matches-nothing default egress 0: the peer "nodes: role=x" matches no node: the rule has no row now (Deny)`,
				`info peer-matches-nothing default egress 1: no node that the peer "nodes: role=bare" matches has the annotation k8s.ovn.org/host-cidrs: the rule has no row now (Allow)`}},
		{name: "no nodes are known", bare: true, codes: all, extra: []model.Object{firewall("blue", rule(deny, to(model.PeerNodes, "role=x")))}},
		{name: "DNS names", codes: all, extra: []model.Object{firewall("blue", rule(allow, inNets("192.0.2.0/24")), rule(allow, dns("a.example")), rule(allow, dns("b.example")))},
			want: []string{"info egressfirewall-dns default egress 1: 2 rules use DNS names (a.example, b.example): addresses come from the nodes' DNS, known from live rows or --dns-addresses; a name without addresses matches nothing"}},
		{name: "drops what an ANP allows", codes: all, extra: []model.Object{anp("a", 1, "tenant=blue", nil, rules{rule(allow, inNS("*")), rule(allow, api, "TCP:6443")}),
			firewall("blue", rule(allow, inNets("192.0.2.0/24")), rule(allow, to(model.PeerNodes, "role=worker")), rule(deny, inNets("0.0.0.0/0")))},
			want: []string{"warning egressfirewall-overrules-allow default egress 2: denies what ANP a egress 1 allows, e.g. blue/web-1 → 172.18.0.2: an EgressFirewall decides in the to-lport stage, " +
				"after the egress rules of AdminNetworkPolicies, whatever they allowed"}},
		{name: "drops a network although a name is allowed above", codes: []string{FirewallOverrules.Code}, extra: []model.Object{anp("a", 1, "*", nil, rules{rule(allow, inNets("198.51.100.0/24"), "TCP:443")}),
			firewall("blue", rule(allow, dns("a.example")), rule(deny, inNets("198.51.100.0/25")), rule(deny, inNets("198.51.0.0/16"), "TCP:443"))},
			want: []string{"warning egressfirewall-overrules-allow default egress 2: denies what ANP a egress 0 allows, e.g. blue/web-1 → 198.51.100.0/24: an EgressFirewall decides in the to-lport stage, " +
				"after the egress rules of AdminNetworkPolicies, whatever they allowed"}},
		{name: "a name may be that address", codes: []string{FirewallOverrules.Code}, extra: []model.Object{anp("a", 1, "*", nil, rules{rule(allow, inNets("198.51.100.7/32"))}),
			firewall("blue", rule(allow, dns("a.example")), rule(deny, inNets("0.0.0.0/0")))}},
		{name: "allowed above, by nodes, in part, on other ports, of other pods, of pods, or not enforced", codes: []string{FirewallOverrules.Code}, extra: []model.Object{
			anp("a", 1, "tenant=blue", nil, rules{rule(allow, api), rule(allow, inNets("192.0.2.0/24")), rule(allow, inNets("203.0.113.0/24")), rule(allow, inNets("10.0.0.0/16")), rule(model.Pass, inNets("198.51.100.0/24"))}),
			anp("b", 2, "tenant=red", nil, rules{rule(allow, inNets("198.51.100.0/24"))}), anp("c", 100, "*", nil, rules{rule(allow, inNets("198.51.100.0/24"))}),
			firewall("blue", rule(allow, api), rule(allow, inNets("192.0.2.128/25")), rule(deny, inNets("203.0.113.0/24"), "TCP:25"), rule(allow, inNets("203.0.0.0/16")), rule(deny, inNets("0.0.0.0/0")))}},
	}
	for _, tt := range tests {
		t.Run(tt.name, tt.run)
	}
}

func TestRulesBeyondRange(t *testing.T) {
	many := func(n int) rules {
		rs := make(rules, n)
		for i := range rs {
			rs[i] = rule(model.Allow, inNets(fmt.Sprintf("192.0.%d.%d/32", i/256, i%256)))
		}
		return rs
	}
	tests := []divergence{
		{name: "the next priority is held", codes: []string{RuleOutOfRange.Code}, extra: []model.Object{anp("a", 5, "*", nil, many(201)), anp("b", 6, "*", nil, many(1)), anp("c", 7, "*", nil, many(100)), anp("d", 8, "*", nil, many(1))},
			want: []string{"error rule-beyond-range a egress 100: 201 egress rules, but the API accepts at most 100: from rule 100 on they have the OVN priorities of the rules of priority 6; where they overlap with rules of ANP b (priority 6), ANP c (priority 7), which one wins is undefined"}},
		{name: "it is free, has no such rules, or is not enforced", codes: []string{RuleOutOfRange.Code}, extra: []model.Object{anp("a", 99, "*", nil, many(101)), anp("b", 100, "*", nil, many(1)), anp("c", 5, "*", nil, many(101)), anp("d", 6, "*", many(1), nil), anp("e", 7, "*", nil, many(1))},
			want: []string{"warning rule-beyond-range c egress 100: 101 egress rules, but the API accepts at most 100: from rule 100 on they have the OVN priorities of the rules of priority 6",
				"warning rule-beyond-range a egress 100: 101 egress rules, but the API accepts at most 100: from rule 100 on they have the OVN priorities of the rules of priority 100"}},
		{name: "the baseline", codes: []string{RuleOutOfRange.Code}, extra: []model.Object{banp(nil, many(101))},
			want: []string{"warning rule-beyond-range default egress 100: 101 egress rules, but the API accepts at most 100: from rule 100 on they get OVN priorities below the baseline's"}},
		{name: "as many as there may be", codes: []string{RuleOutOfRange.Code}, extra: []model.Object{anp("a", 5, "*", many(100), many(100)), anp("b", 6, "*", many(100), many(100)), np("blue/a", "*", "E", nil, many(150)), firewall("blue", many(150)...)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, tt.run)
	}
}

func TestLongNamesOfNamespacedPolicies(t *testing.T) {
	space, long := strings.Repeat("s", 30), strings.Repeat("n", 30)
	tests := []divergence{
		{name: "policies whose rules log alike", codes: []string{NameCut.Code}, extra: []model.Object{np(space+"/"+long+"-a", "*", "I", rules{npRule()}, nil), np(space+"/"+long+"-b", "*", "E", rules{npRule()}, rules{npRule()})},
			want: []string{
				"warning name-cut " + long + "-a: the names of namespace and policy are too long (62 characters): OVN cuts the ACL names, so log lines of ingress 0 share a name with those of other rules, for example of NP " + space + "/" + long + "-b",
				"warning name-cut " + long + "-b: the names of namespace and policy are too long (62 characters): OVN cuts the ACL names, so log lines of ingress 0, egress 0 share a name with those of other rules, for example of NP " + space + "/" + long + "-a"}},
		{name: "cut and alone, and just short enough", codes: []string{NameCut.Code}, extra: []model.Object{np(space+"/"+long[:20], "*", "I", rules{npRule()}, rules{npRule()}), np(space+"/"+long[:18]+"b", "*", "I", rules{npRule()}, nil)},
			want: []string{"info name-cut " + long[:20] + ": the names of namespace and policy are too long (50 characters): OVN cuts the ACL names of ingress 0"}},
		{name: "as the default deny", codes: []string{NameCut.Code}, extra: []model.Object{np(strings.Repeat("s", 60)+"/a", "*", "I", rules{npRule()}, nil)},
			want: []string{"warning name-cut a: the names of namespace and policy are too long (61 characters): OVN cuts the ACL names, so log lines of ingress 0 share a name with those of other rules, " +
				"for example of the default deny of namespace " + strings.Repeat("s", 60)}},
		{name: "EgressFirewalls", codes: []string{NameCut.Code}, extra: []model.Object{
			firewall(strings.Repeat("s", 59), rule(model.Allow, inNets("192.0.2.0/24")), rule(model.Allow, inNets("198.51.100.0/24"))),
			firewall(strings.Repeat("t", 58), rule(model.Allow, inNets("192.0.2.0/24")), rule(model.Allow, inNets("198.51.100.0/24"))),
			firewall(strings.Repeat("u", 60), rule(model.Allow, inNets("192.0.2.0/24")), rule(model.Allow, inNets("198.51.100.0/24")))},
			want: []string{"warning name-cut default: the namespace name is too long (59 characters): OVN cuts the ACL names, so log lines of egress 0, egress 1 share a name with those of other rules",
				"warning name-cut default: the namespace name is too long (60 characters): OVN cuts the ACL names, so log lines of egress 0, egress 1 share a name with those of other rules"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, tt.run)
	}
}
