package manifests

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
)

const cnpHead = "apiVersion: policy.networking.k8s.io/v1alpha2\nkind: ClusterNetworkPolicy\nmetadata: {name: next}\n"

// cnpLines are a policy and its rules, one line each.
func cnpLines(p *model.Policy) []string {
	out := []string{p.Label() + " " + p.Subject.String()}
	for r := range p.AllRules() {
		out = append(out, r.Label()+" "+string(r.Action)+" "+strings.Join(r.PeerTexts(), " | ")+" "+strings.Join(r.PortTexts(), ", "))
	}
	return out
}

// Every field of a ClusterNetworkPolicy.
func TestCNP(t *testing.T) {
	r := Parse("x.yaml", []byte(cnpHead+`spec:
  tier: Baseline
  priority: 1000
  subject: {pods: {namespaceSelector: {matchLabels: {team: web}}, podSelector: {matchLabels: {app: shop}}}}
  ingress:
  - {name: from-edge, action: Accept, from: [{namespaces: {matchLabels: {zone: edge}}}, {pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: probe}}}}],
     protocols: [{tcp: {destinationPort: {number: 8443}}}, {udp: {destinationPort: {range: {start: 7000, end: 7010}}}}, {sctp: {destinationPort: {number: 9}}}, {destinationNamedPort: metrics}]}
  - {action: Pass, from: [{namespaces: {}}]}
  egress:
  - {action: Accept, to: [{nodes: {matchLabels: {role: infra}}}, {networks: [10.9.0.0/16, "fd09::/32"]}, {domainNames: [api.example.org, "*.example.net"]}]}
  - {action: Deny, to: [{networks: [0.0.0.0/0]}]}
`), Options{})
	if len(r.Broken) > 0 || len(r.Objects) != 1 {
		t.Fatal(r.Broken)
	}
	p := r.Policies()[0]
	if p.Kind != model.KindCNP || p.Tier != model.TierBaseline || p.Priority != 1000 || len(p.Invalid) > 0 {
		t.Errorf("%+v", p)
	}
	want := []string{"CNP next pods: app=shop in ns: team=web",
		`ingress rule 0 "from-edge" Allow ns: zone=edge | pods: app=probe tcp 8443, udp 7000–7010, sctp 9, "metrics"`,
		"ingress rule 1 Pass ns: all ",
		"egress rule 0 Allow nodes: role=infra | networks: 10.9.0.0/16, fd09::/32 | domain: api.example.org | domain: *.example.net ",
		"egress rule 1 Deny networks: 0.0.0.0/0 "}
	if d := cmp.Diff(want, cnpLines(p)); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
	again, err := FromObject(p.Original, p.Origin)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, cnpLines(again)); d != "" {
		t.Errorf("its object: -want +got\n%s", d)
	}
	if found := Parse("y.yaml", []byte(again.YAML), Options{}); len(found.Broken) > 0 || len(found.Objects) != 1 {
		t.Errorf("the text that is written cannot be read: %v\n%s", found.Broken, again.YAML)
	}
}

// What the API refuses of a ClusterNetworkPolicy is said at its line; what it drops without a
// word is an error too.
func TestBadCNP(t *testing.T) {
	spec := func(tier, rules string) string {
		return cnpHead + "spec:\n  tier: " + tier + "\n  priority: 5\n  subject: {namespaces: {}}\n" + rules
	}
	rule := func(text string) string { return spec("Admin", "  ingress:\n  - "+text+"\n") }
	for _, c := range []struct {
		name, text string
		skip       bool
		want       []string
	}{
		{"the ports of v1alpha1", rule("{action: Deny, from: [{namespaces: {}}], ports: [{portNumber: {port: 80}}]}"), false,
			[]string{"error unknown-field x.yaml:9 (document 0): ClusterNetworkPolicy/next: spec.ingress[0].ports: unknown field; a field of v1alpha1, which the API server drops: the rule would match every port; write protocols: [{tcp: {destinationPort: {number: …}}}]"}},
		{"a port number of v1alpha1", rule("{action: Deny, from: [{namespaces: {}}], protocols: [{portNumber: {port: 80}}]}"), false,
			[]string{"error unknown-field x.yaml:9 (document 0): ClusterNetworkPolicy/next: spec.ingress[0].protocols[0].portNumber: unknown field; a field of v1alpha1: write tcp, udp or sctp: {destinationPort: {number: …}}"}},
		{"Allow", rule("{action: Allow, from: [{namespaces: {}}]}"), false,
			[]string{`error schema x.yaml:9 (document 0): ClusterNetworkPolicy/next: spec.ingress[0].action: Unsupported value: "Allow": supported values: "Accept", "Deny", "Pass"`}},
		{"an empty protocol", rule("{action: Deny, from: [{namespaces: {}}], protocols: [{tcp: {}}]}"), false,
			[]string{"error schema x.yaml:9 (document 0): ClusterNetworkPolicy/next: spec.ingress[0].protocols[0].tcp: must have one field set, has none"}},
		{"an empty protocol of a server with another CRD", rule("{action: Deny, from: [{namespaces: {}}], protocols: [{udp: {}}]}"), true,
			[]string{"invalid cnp-empty-protocol x.yaml:9 (document 0): ClusterNetworkPolicy/next: spec.ingress[0].protocols[0].udp: names no port: the API rejects it, and its ports are unknown; write destinationPort: {number: …} or {range: {start: …, end: …}}; for all ports omit protocols, for all of UDP write the range 1 to 65535"}},
		{"a named port to a network", spec("Admin", "  egress:\n  - {action: Deny, to: [{networks: [10.0.0.0/8]}], protocols: [{destinationNamedPort: x}]}\n"), false,
			[]string{"error cel x.yaml:9 (document 0): ClusterNetworkPolicy/next: spec.egress[0]: networks/nodes/domainNames peer cannot be set with namedPorts since there are no namedPorts for networks/nodes/domainNames"}},
		{"a range the wrong way", rule("{action: Deny, from: [{namespaces: {}}], protocols: [{tcp: {destinationPort: {range: {start: 9, end: 8}}}}]}"), false,
			[]string{"error cel x.yaml:9 (document 0): ClusterNetworkPolicy/next: spec.ingress[0].protocols[0].tcp.destinationPort.range: Start port must be less than End port"}},
		{"26 rules", spec("Admin", "  ingress:\n"+strings.Repeat("  - {action: Deny, from: [{namespaces: {}}]}\n", 26)), false,
			[]string{"error schema x.yaml:8 (document 0): ClusterNetworkPolicy/next: spec.ingress: Too many: 26: must have at most 25 items"}},
		{"a tier that is none", spec("Platform", ""), true,
			[]string{`invalid profile x.yaml:5 (document 0): ClusterNetworkPolicy/next: spec.tier: is "Platform", not a tier; write Admin or Baseline`}},
		{"the old version", strings.Replace(rule("{action: Deny, from: [{namespaces: {}}]}"), "v1alpha2", "v1alpha1", 1), false,
			[]string{"error api-version x.yaml:1 (document 0): ClusterNetworkPolicy/next: apiVersion policy.networking.k8s.io/v1alpha1 is not known for this kind; write apiVersion: policy.networking.k8s.io/v1alpha2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Parse("x.yaml", []byte(c.text), Options{SkipSchema: c.skip})
			var got []string
			for _, b := range r.Broken {
				got = append(got, string(b.Severity)+" "+b.Code+" "+b.String())
			}
			for _, p := range r.Policies() {
				for _, b := range p.Invalid {
					got = append(got, "invalid "+b.Code+" "+b.String())
				}
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

// Every limit and rule of the schema of a ClusterNetworkPolicy, broken once; what is just
// within it is taken.
func TestCNPSchema(t *testing.T) {
	text := func(head, rules string) string { return cnpHead + "spec:\n" + head + rules }
	const head, all = "  tier: Admin\n  priority: 5\n  subject: {namespaces: {}}\n", "from: [{namespaces: {}}]"
	in := func(rule string) string { return text(head, "  ingress:\n  - {"+rule+"}\n") }
	out := func(rule string) string { return text(head, "  egress:\n  - {"+rule+"}\n") }
	list := func(n int, of string) string { return strings.TrimSuffix(strings.Repeat(of+", ", n), ", ") }
	for _, c := range []struct{ name, text, want string }{
		{"no tier", text(strings.Replace(head, "  tier: Admin\n", "", 1), ""), "spec.tier"},
		{"another tier", text(strings.Replace(head, "Admin", "admin", 1), ""), "spec.tier: Unsupported value"},
		{"no priority", text(strings.Replace(head, "  priority: 5\n", "", 1), ""), "spec.priority"},
		{"priority 0", text(strings.Replace(head, "5", "0", 1), ""), ""},
		{"priority 1000", text(strings.Replace(head, "5", "1000", 1), ""), ""},
		{"priority 1001", text(strings.Replace(head, "5", "1001", 1), ""), "spec.priority"},
		{"priority -1", text(strings.Replace(head, "5", "-1", 1), ""), "spec.priority"},
		{"no subject", text(strings.Replace(head, "  subject: {namespaces: {}}\n", "", 1), ""), "spec.subject"},
		{"an empty subject", text(strings.Replace(head, "{namespaces: {}}", "{}", 1), ""), "spec.subject"},
		{"two subjects", text(strings.Replace(head, "{namespaces: {}}", "{namespaces: {}, pods: {namespaceSelector: {}, podSelector: {}}}", 1), ""), "spec.subject"},
		{"no action", in(all), "spec.ingress[0].action"},
		{"no peers", in("action: Deny"), "spec.ingress[0].from"},
		{"an empty list of peers", in("action: Deny, from: []"), "spec.ingress[0].from"},
		{"a peer that is none", in("action: Deny, from: [{}]"), "spec.ingress[0].from[0]"},
		{"a peer that is two", in("action: Deny, from: [{namespaces: {}, pods: {namespaceSelector: {}, podSelector: {}}}]"), "spec.ingress[0].from[0]"},
		{"25 peers", in("action: Deny, from: [" + list(25, "{namespaces: {}}") + "]"), ""},
		{"26 peers", in("action: Deny, from: [" + list(26, "{namespaces: {}}") + "]"), "spec.ingress[0].from"},
		{"networks as a source", in("action: Deny, from: [{networks: [10.0.0.0/8]}]"), "spec.ingress[0].from[0].networks: unknown field"},
		{"nodes as a source", in("action: Deny, from: [{nodes: {}}]"), "spec.ingress[0].from[0].nodes: unknown field"},
		{"domains as a source", in("action: Accept, from: [{domainNames: [a.example.org]}]"), "spec.ingress[0].from[0].domainNames: unknown field"},
		{"a name of 100", in("action: Deny, " + all + ", name: " + strings.Repeat("n", 100)), ""},
		{"a name of 101", in("action: Deny, " + all + ", name: " + strings.Repeat("n", 101)), "spec.ingress[0].name"},
		{"25 protocols", in("action: Deny, " + all + ", protocols: [" + list(25, "{destinationNamedPort: a}") + "]"), ""},
		{"26 protocols", in("action: Deny, " + all + ", protocols: [" + list(26, "{destinationNamedPort: a}") + "]"), "spec.ingress[0].protocols"},
		{"no protocols in their list", in("action: Deny, " + all + ", protocols: []"), "spec.ingress[0].protocols"},
		{"a protocol that is none", in("action: Deny, " + all + ", protocols: [{}]"), "spec.ingress[0].protocols[0]"},
		{"a protocol that is two", in("action: Deny, " + all + ", protocols: [{destinationNamedPort: a, tcp: {destinationPort: {number: 1}}}]"), "spec.ingress[0].protocols[0]"},
		{"an empty udp", in("action: Deny, " + all + ", protocols: [{udp: {}}]"), "spec.ingress[0].protocols[0].udp"},
		{"an empty sctp", in("action: Deny, " + all + ", protocols: [{sctp: {}}]"), "spec.ingress[0].protocols[0].sctp"},
		{"a port that is none", in("action: Deny, " + all + ", protocols: [{tcp: {destinationPort: {}}}]"), "destinationPort"},
		{"a port that is two", in("action: Deny, " + all + ", protocols: [{tcp: {destinationPort: {number: 1, range: {start: 1, end: 2}}}}]"), "destinationPort"},
		{"port 0", in("action: Deny, " + all + ", protocols: [{tcp: {destinationPort: {number: 0}}}]"), "destinationPort"},
		{"port 65535", in("action: Deny, " + all + ", protocols: [{tcp: {destinationPort: {number: 65535}}}]"), ""},
		{"port 65536", in("action: Deny, " + all + ", protocols: [{tcp: {destinationPort: {number: 65536}}}]"), "destinationPort"},
		{"a range of one port", in("action: Deny, " + all + ", protocols: [{tcp: {destinationPort: {range: {start: 9, end: 9}}}}]"), "Start port must be less than End port"},
		{"all ports of a protocol", in("action: Deny, " + all + ", protocols: [{tcp: {destinationPort: {range: {start: 1, end: 65535}}}}]"), ""},
		{"a named port to nodes", out("action: Deny, to: [{nodes: {}}], protocols: [{destinationNamedPort: a}]"), "networks/nodes/domainNames peer cannot be set with namedPorts"},
		{"a named port to domains", out("action: Accept, to: [{domainNames: [a.example.org]}], protocols: [{destinationNamedPort: a}]"), "networks/nodes/domainNames peer cannot be set with namedPorts"},
		{"a named port to pods", out("action: Deny, to: [{namespaces: {}}], protocols: [{destinationNamedPort: a}]"), ""},
		{"no networks in their list", out("action: Deny, to: [{networks: []}]"), "spec.egress[0].to[0]"},
		{"a network twice", out("action: Deny, to: [{networks: [10.0.0.0/8, 10.0.0.0/8]}]"), "spec.egress[0].to[0].networks[1]: Duplicate value"},
		{"a network that is none", out("action: Deny, to: [{networks: [10.0.0.0]}]"), "spec.egress[0].to[0].networks"},
		{"a domain that is none", out("action: Accept, to: [{domainNames: ['a..b']}]"), "spec.egress[0].to[0].domainNames"},
		{"a star in the middle", out("action: Accept, to: [{domainNames: ['a.*.example.org']}]"), "spec.egress[0].to[0].domainNames"},
		{"25 rules in a direction", text(head, "  egress:\n"+strings.Repeat("  - {action: Deny, to: [{namespaces: {}}]}\n", 25)), ""},
		{"26 egress rules", text(head, "  egress:\n"+strings.Repeat("  - {action: Deny, to: [{namespaces: {}}]}\n", 26)), "spec.egress: Too many: 26"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, b := range Parse("x.yaml", []byte(c.text), Options{}).Broken {
				got = append(got, b.Field+": "+b.Message)
			}
			all := strings.Join(got, "\n")
			if c.want == "" && all != "" || c.want != "" && !strings.Contains(all, c.want) {
				t.Errorf("said %q, want %q", all, c.want)
			}
		})
	}
}
