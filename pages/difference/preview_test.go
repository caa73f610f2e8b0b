package difference

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"rung/compiler"
	"rung/model"
	"rung/revision"
	"rung/sources/manifests"
)

const anpText = `apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata: {name: p, labels: {team: a}}
spec:
  priority: 10
  subject: {namespaces: {matchLabels: {t: a}}}
  ingress:
  - {name: one, action: Deny, from: [{namespaces: {matchLabels: {t: b}}}], ports: [{portNumber: {protocol: TCP, port: 80}}]}
  - {name: two, action: Allow, from: [{pods: {namespaceSelector: {}, podSelector: {matchLabels: {app: x}}}}]}
  egress:
  - {action: Pass, to: [{networks: [192.0.2.0/24]}]}
`

const npText = `apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: p, namespace: s}
spec:
  podSelector: {matchLabels: {app: x}}
  policyTypes: [Ingress]
  ingress:
  - from: [{podSelector: {matchLabels: {app: why}}}, {ipBlock: {cidr: 10.0.0.0/8, except: [10.1.0.0/16]}}]
    ports: [{port: 80}]
`

const acnpText = `apiVersion: crd.antrea.io/v1beta1
kind: ClusterNetworkPolicy
metadata: {name: p}
spec:
  priority: 5
  tier: application
  appliedTo: [{namespaceSelector: {matchLabels: {t: a}}}]
  ingress:
  - {name: one, action: Drop, enableLogging: false, logLabel: first, from: [{podSelector: {matchLabels: {app: x}}}]}
  egress:
  - {name: two, action: Allow, toServices: [{name: s, namespace: m}]}
  - {name: three, action: Drop, protocols: [{icmp: {icmpType: 8}}]}
`

// TestEachFieldIsTold changes a policy field by field: what is told of it names what differs.
func TestEachFieldIsTold(t *testing.T) {
	for _, c := range []struct{ text, old, now, want string }{
		{anpText, "action: Deny", "action: Allow", `ingress rule 0 "one": Deny tcp 80 from ns: t=b → Allow tcp 80 from ns: t=b`},
		{anpText, "action: Allow", "action: Pass", `ingress rule 1 "two": Allow any port from pods: app=x → Pass any port from`},
		{anpText, "action: Pass", "action: Deny", "egress rule 0: Pass any port to networks: 192.0.2.0/24 → Deny any port to"},
		{anpText, "name: one", "name: uno", `ingress rule 0 "uno": Deny tcp 80`},
		{anpText, "name: one", "name: uno", "spec.ingress[0].name: one → uno"},
		{anpText, "port: 80", "port: 81", "Deny tcp 80 from ns: t=b → Deny tcp 81 from"},
		{anpText, "protocol: TCP", "protocol: UDP", "→ Deny udp 80 from"},
		{anpText, "{t: b}", "{t: c}", "→ Deny tcp 80 from ns: t=c"},
		{anpText, "192.0.2.0/24", "192.0.2.0/25", "192.0.2.0/24 → Pass any port to networks: 192.0.2.0/25"},
		{anpText, "{t: a}", "{t: z}", "spec.subject.namespaces.matchLabels.t: a → z"},
		{anpText, "team: a", "team: b", "metadata.labels.team: a → b"},
		{npText, "{app: x}", "{app: z}", "spec.podSelector.matchLabels.app: x → z"},
		{npText, "policyTypes: [Ingress]", "policyTypes: [Ingress, Egress]", "spec.policyTypes"},
		{npText, "{app: why}", "{app: z}", "ingress rule 0: Allow tcp 80 from"},
		{npText, "[10.1.0.0/16]", "[10.2.0.0/16]", "10.1.0.0/16 → Allow tcp 80 from"},
		{npText, "port: 80", "port: 80, endPort: 90", "→ Allow tcp 80–90 from"},
		{acnpText, "action: Drop", "action: Reject", "Drop any port from pods: app=x → Reject any port from"},
		{acnpText, "enableLogging: false", "enableLogging: true", "spec.ingress[0].enableLogging: false → true"},
		{acnpText, "logLabel: first", "logLabel: other", "spec.ingress[0].logLabel: first → other"},
		{acnpText, "action: Drop, enableLogging: false", "action: Reject, enableLogging: true", "spec.ingress[0].enableLogging: false → true"},
		{acnpText, "action: Drop, enableLogging", "action: Reject, appliedTo: [{podSelector: {}}], enableLogging", "spec.ingress[0].appliedTo"},
		{acnpText, "  ingress:\n  - {name: one, action: Drop, enableLogging: false, logLabel: first", "  ingress:\n  - {name: new, action: Allow}\n  - {name: one, action: Drop, enableLogging: false, logLabel: other",
			"spec.ingress[1].logLabel: first → other"},
		{acnpText, "name: s,", "name: r,", "→ Allow any port to Service: m/r"},
		{acnpText, "icmpType: 8", "icmpType: 0", `egress rule 1 "three"`},
		{acnpText, "tier: application", "tier: platform", "spec.tier: application → platform"},
		{acnpText, "{t: a}", "{t: z}", "spec.appliedTo"},
	} {
		other := strings.Replace(c.text, c.old, c.now, 1)
		d, err := Compare(t.Context(), readPolicy(t, c.text), readPolicy(t, other), [2]string{"a", "b"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var told []string
		for _, l := range d.PolicyLines() {
			told = append(told, l.Detail)
		}
		if !slices.ContainsFunc(told, func(s string) bool { return strings.Contains(s, c.want) }) {
			t.Errorf("%s → %s: told is %q, want %q", c.old, c.now, told, c.want)
		}
	}
}

// readPolicy is a revision of one policy and namespaces and pods that it may be about.
func readPolicy(t *testing.T, text string) *revision.Revision {
	t.Helper()
	docs := []string{text}
	for i, n := range []string{"s", "m", "a", "b"} {
		docs = append(docs, fmt.Sprintf("apiVersion: v1\nkind: Namespace\nmetadata: {name: %s, labels: {t: %[1]s}}\n", n))
		docs = append(docs, fmt.Sprintf("apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: %s, labels: {app: x}}\nspec: {nodeName: n1}\nstatus: {phase: Running, podIP: 10.1.0.%d}\n", n, i+2))
	}
	r := manifests.Parse("x.yaml", []byte(strings.Join(docs, "---\n")), manifests.Options{})
	for _, b := range r.Broken {
		if b.IsError() {
			t.Fatal(b.Message)
		}
	}
	c, _ := (*model.Cluster)(nil).Upsert(r.Objects, nil)
	return revision.New(revision.Facts{Cluster: c, Desired: compiler.Compile(c, compiler.Options{IPv4: true, Defaults: compiler.On})}, nil)
}
