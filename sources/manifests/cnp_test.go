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
			[]string{"invalid cnp-empty-protocol x.yaml:9 (document 0): ClusterNetworkPolicy/next: spec.ingress[0].protocols[0].udp: names no port: the API refuses it, and which ports it means is open; write destinationPort: {number: …} or {range: {start: …, end: …}}; for all ports leave protocols out, for all of UDP write the range 1 to 65535"}},
		{"a named port to a network", spec("Admin", "  egress:\n  - {action: Deny, to: [{networks: [10.0.0.0/8]}], protocols: [{destinationNamedPort: x}]}\n"), false,
			[]string{"error cel x.yaml:9 (document 0): ClusterNetworkPolicy/next: spec.egress[0]: networks/nodes/domainNames peer cannot be set with namedPorts since there are no namedPorts for networks/nodes/domainNames"}},
		{"a range the wrong way", rule("{action: Deny, from: [{namespaces: {}}], protocols: [{tcp: {destinationPort: {range: {start: 9, end: 8}}}}]}"), false,
			[]string{"error cel x.yaml:9 (document 0): ClusterNetworkPolicy/next: spec.ingress[0].protocols[0].tcp.destinationPort.range: Start port must be less than End port"}},
		{"26 rules", spec("Admin", "  ingress:\n"+strings.Repeat("  - {action: Deny, from: [{namespaces: {}}]}\n", 26)), false,
			[]string{"error schema x.yaml:8 (document 0): ClusterNetworkPolicy/next: spec.ingress: Too many: 26: must have at most 25 items"}},
		{"a tier that is none", spec("Platform", ""), true,
			[]string{`invalid profile x.yaml:5 (document 0): ClusterNetworkPolicy/next: spec.tier: is "Platform", which is no tier; write Admin or Baseline`}},
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
