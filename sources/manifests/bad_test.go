package manifests

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
)

// anpWith is a policy with one ingress or egress rule of these lines.
func anpWith(spec string) string {
	return anpHead + "metadata:\n  name: bad\nspec:\n  priority: 10\n  subject:\n    namespaces: {}\n" + spec
}

const goodANP = "---\n" + anpHead + "metadata: {name: good}\nspec: {priority: 1, subject: {namespaces: {}}}\n"

// Each bad input with everything that is said about it; the policy "good" that
// stands behind it in the file is always read.
func TestBadInput(t *testing.T) {
	many := anpWith("  ingress:\n" + strings.Repeat("  - {action: Deny, from: [{namespaces: {}}]}\n", 101))
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"malformed YAML", "kind: [\nfoo: bar\n",
			[]string{"error yaml x.yaml:2 (document 0): is not YAML: did not find expected ',' or ']'"}},
		{"a tab for indentation", "metadata:\n\tname: x\n",
			[]string{"error yaml x.yaml:2 (document 0): is not YAML: found character that cannot start any token"}},
		{"unknown field", anpWith("  ingres: []\n"),
			[]string{`error unknown-field x.yaml:9 (document 0): AdminNetworkPolicy/bad: spec.ingres: unknown field; did you mean "ingress"?`}},
		{"misplaced field", anpWith("  ingress:\n  - action: Deny\n    from:\n    - namespaces: {}\n      ports: []\n"),
			[]string{"error unknown-field x.yaml:13 (document 0): AdminNetworkPolicy/bad: spec.ingress[0].from[0].ports: unknown field; known fields: namespaces, pods"}},
		{"value for values", anpWith("  ingress:\n  - action: Deny\n    from:\n    - namespaces:\n        matchExpressions:\n        - {key: tenant, operator: NotIn, value: yellow}\n"),
			[]string{`error unknown-field x.yaml:14 (document 0): AdminNetworkPolicy/bad: spec.ingress[0].from[0].namespaces.matchExpressions[0].value: unknown field; did you mean "values"?`,
				`error schema x.yaml:14 (document 0): AdminNetworkPolicy/bad: spec.ingress[0].from[0].namespaces.matchExpressions[0].values: Invalid value: "string": spec.ingress[0].from[0].namespaces.matchExpressions[0].values in body must be of type array: "string"`}},
		{"field of another case", anpWith("  Ingress: []\n"),
			[]string{`error unknown-field x.yaml:9 (document 0): AdminNetworkPolicy/bad: spec.Ingress: unknown field; did you mean "ingress"?`}},
		{"half an older form", anpWith("  ingress:\n  - action: Deny\n    from:\n    - namespaces:\n        namespaceSelector: {}\n        matchLabels: {}\n"),
			[]string{"error unknown-field x.yaml:13 (document 0): AdminNetworkPolicy/bad: spec.ingress[0].from[0].namespaces.namespaceSelector: unknown field; old form of a peer: write the selector itself, namespaces: {matchLabels: …}"}},
		{"unparsable CIDR", anpWith("  egress:\n  - {action: Deny, to: [{networks: [10.0.0.0/33]}]}\n"),
			[]string{`error cel x.yaml:10 (document 0): AdminNetworkPolicy/bad: spec.egress[0].to[0].networks[0]: Invalid value: "10.0.0.0/33": Invalid CIDR format provided; write address/length, as 10.0.0.0/8 or fd00::/8`}},
		{"address for a CIDR", anpWith("  egress:\n  - {action: Deny, to: [{networks: [10.0.0.1]}]}\n"),
			[]string{`error cel x.yaml:10 (document 0): AdminNetworkPolicy/bad: spec.egress[0].to[0].networks[0]: Invalid value: "10.0.0.1": Invalid CIDR format provided; write 10.0.0.1/32`}},
		{"IPv4-mapped CIDR", anpWith("  egress:\n  - {action: Deny, to: [{networks: ['::ffff:10.0.0.0/104']}]}\n"),
			[]string{`error cel x.yaml:10 (document 0): AdminNetworkPolicy/bad: spec.egress[0].to[0].networks[0]: Invalid value: "::ffff:10.0.0.0/104": Invalid CIDR format provided; write 10.0.0.0/8`}},
		{"the same CIDR twice", anpWith("  egress:\n  - {action: Deny, to: [{networks: [10.0.0.0/8, 10.0.0.0/8]}]}\n"),
			[]string{`error schema x.yaml:10 (document 0): AdminNetworkPolicy/bad: spec.egress[0].to[0].networks[1]: Duplicate value: "10.0.0.0/8"`}},
		{"priority 1001", anpHead + "metadata: {name: bad}\nspec: {priority: 1001, subject: {namespaces: {}}}\n",
			[]string{"error schema x.yaml:4 (document 0): AdminNetworkPolicy/bad: spec.priority: 1001 should be less than or equal to 1000"}},
		{"priority -1", anpHead + "metadata: {name: bad}\nspec: {priority: -1, subject: {namespaces: {}}}\n",
			[]string{"error schema x.yaml:4 (document 0): AdminNetworkPolicy/bad: spec.priority: -1 should be greater than or equal to 0"}},
		{"no priority", anpHead + "metadata: {name: bad}\nspec: {subject: {namespaces: {}}}\n",
			[]string{"error schema x.yaml:4 (document 0): AdminNetworkPolicy/bad: spec.priority: Required value"}},
		{"a string for a number", anpHead + "metadata: {name: bad}\nspec: {priority: '10', subject: {namespaces: {}}}\n",
			[]string{`error field-type x.yaml:4 (document 0): AdminNetworkPolicy/bad: spec.priority: must be a whole number, not "10"`}},
		{"a number out of range", anpHead + "metadata: {name: bad}\nspec: {priority: 99999999999, subject: {namespaces: {}}}\n",
			[]string{"error field-type x.yaml:4 (document 0): AdminNetworkPolicy/bad: spec.priority: 99999999999 is out of range for a whole number of 32 bits"}},
		{"a boolean for a string", anpHead + "metadata: {name: bad, labels: {on-call: yes}}\nspec: {priority: 1, subject: {namespaces: {}}}\n",
			[]string{"error field-type x.yaml:3 (document 0): AdminNetworkPolicy/bad: metadata.labels.on-call: must be a string, not the boolean yes; put it in quotes"}},
		{"a mapping for a list", anpWith("  ingress:\n    action: Deny\n"),
			[]string{"error field-type x.yaml:10 (document 0): AdminNetworkPolicy/bad: spec.ingress: must be a list, not a mapping"}},
		{"a field twice", anpHead + "metadata: {name: bad}\nspec: {priority: 1, priority: 2, subject: {namespaces: {}}}\n",
			[]string{"error duplicate-field x.yaml:4 (document 0): AdminNetworkPolicy/bad: spec.priority: is given twice"}},
		{"a label twice", anpHead + "metadata: {name: bad, labels: {a: b, a: c}}\nspec: {priority: 1, subject: {namespaces: {}}}\n",
			[]string{"error duplicate-field x.yaml:3 (document 0): AdminNetworkPolicy/bad: metadata.labels.a: is given twice"}},
		{"101 rules", many,
			[]string{"error schema x.yaml:9 (document 0): AdminNetworkPolicy/bad: spec.ingress: Too many: 101: must have at most 100 items"}},
		{"rule without peers", anpWith("  ingress:\n  - {action: Deny, from: []}\n"),
			[]string{"error schema x.yaml:10 (document 0): AdminNetworkPolicy/bad: spec.ingress[0].from: must have at least one item"}},
		{"peer without a field", anpWith("  ingress:\n  - action: Deny\n    from:\n    - namespaces:\n"),
			[]string{"error schema x.yaml:12 (document 0): AdminNetworkPolicy/bad: spec.ingress[0].from[0]: must have one field set, has none"}},
		{"peer with two fields", anpWith("  ingress:\n  - {action: Deny, from: [{namespaces: {}, pods: {namespaceSelector: {}, podSelector: {}}}]}\n"),
			[]string{"error schema x.yaml:10 (document 0): AdminNetworkPolicy/bad: spec.ingress[0].from[0]: must have one field set, has more"}},
		{"unknown action", anpWith("  ingress:\n  - {action: Drop, from: [{namespaces: {}}]}\n"),
			[]string{`error schema x.yaml:10 (document 0): AdminNetworkPolicy/bad: spec.ingress[0].action: Unsupported value: "Drop": supported values: "Allow", "Deny", "Pass"`}},
		{"named port to a network", anpWith("  egress:\n  - {action: Deny, to: [{networks: [10.0.0.0/8]}], ports: [{namedPort: http}]}\n"),
			[]string{"error cel x.yaml:10 (document 0): AdminNetworkPolicy/bad: spec.egress[0]: networks/nodes/domainNames peer cannot be set with namedPorts since there are no namedPorts for networks/nodes/domainNames"}},
		{"port 0", anpWith("  ingress:\n  - {action: Deny, from: [{namespaces: {}}], ports: [{portNumber: {port: 0}}]}\n"),
			[]string{"error schema x.yaml:10 (document 0): AdminNetworkPolicy/bad: spec.ingress[0].ports[0].portNumber.port: 0 should be greater than or equal to 1"}},
		{"BANP of another name", "apiVersion: policy.networking.k8s.io/v1alpha1\nkind: BaselineAdminNetworkPolicy\nmetadata: {name: bad}\nspec: {subject: {namespaces: {}}}\n",
			[]string{`error cel x.yaml:1 (document 0): BaselineAdminNetworkPolicy/bad: Only one baseline admin network policy with metadata.name="default" can be created in the cluster`}},
		{"BANP that passes", "apiVersion: policy.networking.k8s.io/v1alpha1\nkind: BaselineAdminNetworkPolicy\nmetadata: {name: default}\nspec: {subject: {namespaces: {}}, ingress: [{action: Pass, from: [{namespaces: {}}]}]}\n",
			[]string{`error schema x.yaml:4 (document 0): BaselineAdminNetworkPolicy/default: spec.ingress[0].action: Unsupported value: "Pass": supported values: "Allow", "Deny"`}},
		{"a name that is none", anpHead + "metadata: {name: Bad_Name}\nspec: {priority: 1, subject: {namespaces: {}}}\n",
			[]string{"error metadata x.yaml:3 (document 0): AdminNetworkPolicy/Bad_Name: metadata.name: Invalid value: \"Bad_Name\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"}},
		{"no name", anpHead + "metadata: {}\nspec: {priority: 1, subject: {namespaces: {}}}\n",
			[]string{"error metadata x.yaml:1 (document 0): AdminNetworkPolicy: metadata.name: is missing"}},
		{"a namespace on a cluster-wide kind", anpHead + "metadata: {name: bad, namespace: blue}\nspec: {priority: 1, subject: {namespaces: {}}}\n",
			[]string{"error metadata x.yaml:3 (document 0): AdminNetworkPolicy/bad: metadata.namespace: Forbidden: not allowed on this type"}},
		{"a version that is none", "apiVersion: policy.networking.k8s.io/v1\nkind: AdminNetworkPolicy\nmetadata: {name: bad}\n",
			[]string{"error api-version x.yaml:1 (document 0): AdminNetworkPolicy/bad: apiVersion policy.networking.k8s.io/v1 is not known for this kind; write apiVersion: policy.networking.k8s.io/v1alpha1"}},
		{"a misspelt kind", "apiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolcy\nmetadata: {name: bad}\n",
			[]string{"error unknown-kind x.yaml:2 (document 0): AdminNetworkPolcy/bad: this kind does not exist in policy.networking.k8s.io; did you mean AdminNetworkPolicy?"}},
		{"a kind Rung does not read", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: blue}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: d}\n",
			[]string{"info unknown-kind x.yaml:1 (document 0): ConfigMap/blue/c: skipped: unsupported kind (and 1 more like this)"}},
		{"kinds Rung does not read", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: blue}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: d}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: e}\n",
			[]string{"info unknown-kind x.yaml:1 (document 0): skipped: 3 objects of unsupported kinds: ConfigMap 2, Secret 1"}},
		{"a policy Rung does not read", "apiVersion: crd.projectcalico.org/v1\nkind: GlobalNetworkPolicy\nmetadata: {name: c}\n",
			[]string{"warning unknown-kind x.yaml:1 (document 0): GlobalNetworkPolicy/c: skipped: unsupported kind of policy"}},
		{"no object at all", "just text\n", []string{`error not-an-object x.yaml:1 (document 0): is "just text", not a Kubernetes object`}},
		{"an object without kind", "metadata: {name: x}\n", []string{"error not-an-object x.yaml:1 (document 0): x: has no apiVersion or no kind"}},
		{"the same policy twice", goodANP,
			[]string{"error duplicate-object x.yaml:7 (document 1): AdminNetworkPolicy/good: is given twice: skipped, the one in x.yaml:2 (document 0) counts"}},
		{"aliases that expand", "a: &a [x, x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]\nd: [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]\n",
			[]string{"error yaml-aliases x.yaml:1 (document 0): aliases expand to more than 1000 nodes"}},
		{"an alias to itself", "a: &a [*a]\n", []string{`error yaml-aliases x.yaml:1 (document 0): anchor "a" contains itself`}},
		{"an unknown anchor", "a: *b\n", []string{"error yaml x.yaml:1 (document 0): is not YAML: unknown anchor 'b' referenced"}},
		{"control and bidi characters", anpHead + "metadata: {name: \"b\\e[31m\\u202ead\"}\nspec: {priority: 1, subject: {namespaces: {}}, \"x\\ny\": 1}\n",
			[]string{"error unknown-field x.yaml:4 (document 0): AdminNetworkPolicy/b\ufffd[31m\ufffdad: spec[x\ufffdy]: unknown field; known fields: egress, ingress, priority, subject",
				"error metadata x.yaml:3 (document 0): AdminNetworkPolicy/b\ufffd[31m\ufffdad: metadata.name: Invalid value: \"b\\x1b[31m\\u202ead\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"}},
		{"NetworkPolicy", "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: bad, namespace: blue}\nspec:\n  podSelector: {}\n  ingress:\n  - from:\n    - ipBlock: {cidr: 10.0.0.0/8, except: [11.0.0.0/9]}\n      podSelector: {}\n    - {}\n    - ipBlock: {cidr: 10.0.0.0/8, except: [11.0.0.0/9]}\n    ports:\n    - {port: 99999, protocol: ICMP}\n  policyTypes: [Both]\n",
			[]string{
				"error schema x.yaml:8 (document 0): NetworkPolicy/blue/bad: spec.ingress[0].from[0]: Forbidden: may not have both ipBlock and a selector",
				"error schema x.yaml:10 (document 0): NetworkPolicy/blue/bad: spec.ingress[0].from[1]: Required value: must name a peer",
				`error schema x.yaml:11 (document 0): NetworkPolicy/blue/bad: spec.ingress[0].from[2].ipBlock.except[0]: Invalid value: "11.0.0.0/9": must be a strict subset of 10.0.0.0/8`,
				`error schema x.yaml:13 (document 0): NetworkPolicy/blue/bad: spec.ingress[0].ports[0].protocol: Unsupported value: "ICMP": supported values: "TCP", "UDP", "SCTP"`,
				"error schema x.yaml:13 (document 0): NetworkPolicy/blue/bad: spec.ingress[0].ports[0].port: Invalid value: 99999: must be between 1 and 65535, inclusive",
				`error schema x.yaml:14 (document 0): NetworkPolicy/blue/bad: spec.policyTypes[0]: Unsupported value: "Both": supported values: "Ingress", "Egress"`,
			}},
		{"NetworkPolicy, unknown field", "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: bad}\nspec: {podSelector: {}, engress: []}\n",
			[]string{`error unknown-field x.yaml:4 (document 0): NetworkPolicy/default/bad: spec.engress: unknown field; did you mean "egress"?`}},
		{"EgressFirewall", "apiVersion: k8s.ovn.org/v1\nkind: EgressFirewall\nmetadata: {name: bad, namespace: blue}\nspec:\n  egress:\n  - {type: Drop, to: {cidrSelector: 10.0.0.0/8, dnsName: a.example}}\n",
			[]string{
				`error schema x.yaml:3 (document 0): EgressFirewall/blue/bad: metadata.name: Invalid value: "bad": an EgressFirewall must be named default`,
				`error schema x.yaml:6 (document 0): EgressFirewall/blue/bad: spec.egress[0].type: Unsupported value: "Drop": supported values: "Allow", "Deny"`,
				"error schema x.yaml:6 (document 0): EgressFirewall/blue/bad: spec.egress[0].to: Invalid value: 2: must have exactly one of cidrSelector, dnsName, nodeSelector",
			}},
		{"an unknown field of a pod", "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: good}\nspec: {newField: {a: b}}\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: good}\n",
			[]string{"warning unknown-field x.yaml:4 (document 0): Pod/good/p: spec.newField: unknown field, ignored"}},
		{"a wrong type in a pod", "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: good, labels: {a: 1}}\n",
			[]string{"error field-type x.yaml:3 (document 0): Pod/good/p: metadata.labels.a: must be a string, not the number 1; put it in quotes"}},
		{"a time that is none", "apiVersion: v1\nkind: Event\nmetadata: {name: e, namespace: good}\ninvolvedObject: {}\nseries:\n  lastObservedTime: soon\n",
			[]string{`error field-type x.yaml:6 (document 0): Event/good/e: series.lastObservedTime: must be a time, not "soon"`}},
		{"a port out of range", "apiVersion: v1\nkind: Service\nmetadata: {name: s, namespace: good}\nspec:\n  ports:\n  - {port: 80, targetPort: 99999999999}\n",
			[]string{"error field-type x.yaml:6 (document 0): Service/good/s: spec.ports[0].targetPort: 99999999999 is out of range for a whole number of 32 bits"}},
		{"host-cidrs that cannot be read", "apiVersion: v1\nkind: Node\nmetadata: {name: bad, annotations: {k8s.ovn.org/host-cidrs: nope}}\n",
			[]string{`warning annotation x.yaml:1 (document 0): Node/bad: metadata.annotations[k8s.ovn.org/host-cidrs]: cannot be read: policies that select this node by a nodes peer fail as a whole: failed to unmarshal k8s.ovn.org/host-cidrs annotation nope for node "bad": invalid character 'o' in literal null (expecting 'u')`}},
		{"a List whose items are none", "apiVersion: v1\nkind: List\nitems: {}\n",
			[]string{"error not-an-object x.yaml:1 (document 0): List: items is a mapping, not a list"}},
		{"two mistakes in a rule, one of which hides the other from the API server", anpWith("  egress:\n  - {action: Deny, to: [{networks: [10.0.0.0/33]}, {networks: [fd00::/129, 10.0.0.1]}], ports: [{portNumber: {protocol: TCP}}]}\n"),
			[]string{
				`error schema x.yaml:10 (document 0): AdminNetworkPolicy/bad: spec.egress[0].ports[0].portNumber.port: Required value`,
				`error cel x.yaml:10 (document 0): AdminNetworkPolicy/bad: spec.egress[0].to[0].networks[0]: Invalid value: "10.0.0.0/33": Invalid CIDR format provided; write address/length, as 10.0.0.0/8 or fd00::/8`,
				`error cel x.yaml:10 (document 0): AdminNetworkPolicy/bad: spec.egress[0].to[1].networks[0]: Invalid value: "fd00::/129": Invalid CIDR format provided; write address/length, as 10.0.0.0/8 or fd00::/8`,
				`error cel x.yaml:10 (document 0): AdminNetworkPolicy/bad: spec.egress[0].to[1].networks[1]: Invalid value: "10.0.0.1": Invalid CIDR format provided; write 10.0.0.1/32`}},
		{"a type and a CIDR", anpWith("  egress:\n  - {action: Deny, to: [{networks: [10.0.0.0/33]}], ports: [{portNumber: {port: '80'}}]}\n"),
			[]string{
				`error field-type x.yaml:10 (document 0): AdminNetworkPolicy/bad: spec.egress[0].ports[0].portNumber.port: must be a whole number, not "80"`,
				`error cel x.yaml:10 (document 0): AdminNetworkPolicy/bad: spec.egress[0].to[0].networks[0]: Invalid value: "10.0.0.0/33": Invalid CIDR format provided; write address/length, as 10.0.0.0/8 or fd00::/8`}},
		{"a broken item of a List", "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: [\n- apiVersion: v1\n  kind: Namespace\n  metadata: {name: m}\n",
			[]string{"error yaml x.yaml:5 (document 0, item 0): is not YAML: did not find expected node content"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Parse("x.yaml", []byte(c.text+goodANP), Options{Limits: Limits{AliasNodes: 1000}})
			var got []string
			for _, b := range r.Broken {
				got = append(got, string(b.Severity)+" "+b.Code+" "+b.String())
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
			good := model.Key{Kind: model.KindANP, Name: "good"}
			if len(r.Objects) == 0 || r.Objects[len(r.Objects)-1].ObjectKey() != good && r.Objects[0].ObjectKey() != good {
				t.Error("the good policy was not read")
			}
			for _, line := range got {
				if strings.ContainsAny(line, "\n\x1b") {
					t.Errorf("more than a line: %q", line)
				}
			}
		})
	}
}

// What the API server takes and OVN-Kubernetes does not: the policy is read, and
// Invalid says why it cannot be applied.
func TestProfile(t *testing.T) {
	for _, c := range []struct {
		name, text string
		skip       bool // gate 1 would refuse it
		want       []string
	}{
		{"domainNames", anpWith("  egress:\n  - action: Allow\n    to:\n    - networks: [10.0.1.7/8]\n    - domainNames: [a.example.com]\n"), false,
			[]string{"profile x.yaml:13 (document 0): AdminNetworkPolicy/bad: spec.egress[0].to[1].domainNames: OVN-Kubernetes does not know domainNames: its controllers crash on such a peer; name the networks, or write an EgressFirewall with dnsName"}},
		{"unknown protocol", anpWith("  ingress:\n  - {action: Deny, from: [{namespaces: {}}], ports: [{portNumber: {port: 1, protocol: ICMP}}, {portRange: {start: 1, end: 2, protocol: ''}}]}\n"), false,
			[]string{
				`protocol x.yaml:10 (document 0): AdminNetworkPolicy/bad: spec.ingress[0].ports[0].portNumber.protocol: is "ICMP": OVN-Kubernetes writes a broken row for it; write TCP, UDP or SCTP`,
				`protocol x.yaml:10 (document 0): AdminNetworkPolicy/bad: spec.ingress[0].ports[1].portRange.protocol: is "": OVN-Kubernetes writes a broken row for it; write TCP, UDP or SCTP`}},
		{"ranges that end before they begin", anpWith("  ingress:\n  - {action: Deny, from: [{namespaces: {}}], ports: [{portRange: {start: 9000, end: 8000}}, {portRange: {start: 80, end: 80}}]}\n"), false,
			[]string{`port-range x.yaml:10 (document 0): AdminNetworkPolicy/bad: spec.ingress[0].ports[0].portRange: ends at 8000, before its start 9000: it matches no port; write start: 8000 and end: 9000`}},
		{"a selector that is none", anpWith("  ingress:\n  - {action: Deny, from: [{namespaces: {matchExpressions: [{key: a, operator: Is}]}}]}\n"), false,
			[]string{`selector x.yaml:10 (document 0): AdminNetworkPolicy/bad: spec.ingress[0].from[0].namespaces: label selector: "Is" is not a valid label selector operator`}},
		{"host bits are fine, and priorities above 99, and bad logging", anpHead + "metadata: {name: bad, annotations: {k8s.ovn.org/acl-logging: '{'}}\nspec: {priority: 120, subject: {namespaces: {}}, egress: [{action: Deny, to: [{networks: [10.0.1.7/8]}]}]}\n", false, nil},
		{"gate 1 left out", anpWith("  egress:\n  - action: Drop\n    to:\n    - networks: [10.0.0.0/33, '::ffff:1.2.3.4/120']\n    - namespaces:\n    ports:\n    - {}\n"), true,
			[]string{
				`profile x.yaml:10 (document 0): AdminNetworkPolicy/bad: spec.egress[0].action: is "Drop": OVN-Kubernetes' controllers crash on it; write Allow or Deny`,
				`cidr x.yaml:12 (document 0): AdminNetworkPolicy/bad: spec.egress[0].to[0].networks[0]: "10.0.0.0/33" is not a CIDR; write address/length, as 10.0.0.0/8 or fd00::/8`,
				`cidr-form x.yaml:12 (document 0): AdminNetworkPolicy/bad: spec.egress[0].to[0].networks[1]: "::ffff:1.2.3.4/120" is not in the common form: OVN-Kubernetes reads it as 1.2.3.0/24, newer CRDs reject it; write 1.2.3.4/24`,
				"profile x.yaml:13 (document 0): AdminNetworkPolicy/bad: spec.egress[0].to[1]: names no peer: OVN-Kubernetes' controllers crash on it; set one of namespaces, pods, nodes, networks",
				"profile x.yaml:15 (document 0): AdminNetworkPolicy/bad: spec.egress[0].ports[0]: names no port: OVN-Kubernetes' controllers crash on it; set one of portNumber, portRange, namedPort"}},
		{"empty subject", anpHead + "metadata: {name: bad}\nspec: {priority: 1, subject: {}}\n", true,
			[]string{"profile x.yaml:4 (document 0): AdminNetworkPolicy/bad: spec.subject: selects nothing: OVN-Kubernetes' controllers crash on it; set namespaces or pods"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Parse("x.yaml", []byte(c.text), Options{SkipSchema: c.skip})
			if len(r.Objects) != 1 || len(r.Broken) != 0 {
				t.Fatalf("objects %v broken %v", r.Objects, r.Broken)
			}
			var got []string
			for _, b := range r.Policies()[0].Invalid {
				got = append(got, b.Code+" "+b.String())
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}
