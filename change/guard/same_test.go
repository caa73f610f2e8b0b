package guard

import (
	"strings"
	"testing"
)

// Two versions of a policy of Antrea decide alike only where nothing differs that Antrea
// decides by: what a change of the rest does to connections is worked out.
func TestSameDecisionsOfAntrea(t *testing.T) {
	const text = `apiVersion: crd.antrea.io/v1beta1
kind: ClusterNetworkPolicy
metadata: {name: a}
spec:
  tier: securityops
  priority: 5
  appliedTo: [{namespaceSelector: {matchLabels: {role: a}}}]
  ingress:
  - {name: one, action: Drop, from: [{namespaces: {match: Self}}], ports: [{protocol: TCP, port: 80}]}
  - {name: two, action: Allow, from: [{group: g}], protocols: [{icmp: {icmpType: 8, icmpCode: 0}}]}
  egress:
  - {name: three, action: Pass, to: [{namespaces: {sameLabels: [org]}}]}
  - {name: four, action: Allow, toServices: [{name: s, namespace: ns}]}
  - {name: five, action: Allow, to: [{serviceAccount: {name: s, namespace: ns}}]}
`
	old := parsed(t, text)[0]
	for _, tt := range []struct {
		from, to string
		same     bool
	}{
		{"five", "other", true},
		{"name: one,", "name: one, enableLogging: true, logLabel: x,", true},
		{"tier: securityops", "tier: emergency", false},
		{"priority: 5", "priority: 4.5", false},
		{"{role: a}", "{role: b}", false},
		{"namespaceSelector: {matchLabels: {role: a}}", "group: g", false},
		{"namespaceSelector: {matchLabels: {role: a}}", "serviceAccount: {name: s, namespace: ns}", false},
		{"namespaceSelector: {matchLabels: {role: a}}", "nodeSelector: {}", false},
		{"action: Drop", "action: Reject", false},
		{"from: [{namespaces: {match: Self}}]", "from: [{namespaces: {sameLabels: [x]}}]", false},
		{"{group: g}", "{group: h}", false},
		{"icmpType: 8", "icmpType: 13", false},
		{"icmpCode: 0", "icmpCode: 1", false},
		{"[org]", "[org, env]", false},
		{"toServices: [{name: s,", "toServices: [{name: other,", false},
		{"serviceAccount: {name: s,", "serviceAccount: {name: other,", false},
		{"port: 80", "port: 81", false},
	} {
		next := strings.Replace(text, tt.from, tt.to, 1)
		if next == text {
			t.Fatalf("no %q", tt.from)
		}
		if p := parsed(t, next)[0]; SameDecisions(old, p) != tt.same || SameDecisions(p, old) != tt.same {
			t.Errorf("%s → %s: same %t", tt.from, tt.to, !tt.same)
		}
	}
	// Each rule may have its own.
	each := strings.NewReplacer("  appliedTo: [{namespaceSelector: {matchLabels: {role: a}}}]\n", "", "action:", "appliedTo: [{podSelector: {}}], action:").Replace(text)
	if a, b := parsed(t, each)[0], parsed(t, strings.Replace(each, "podSelector: {}", "podSelector: {matchLabels: {role: z}}", 1))[0]; SameDecisions(a, b) || !SameDecisions(a, a) {
		t.Error("what one rule applies to is no difference")
	}
}
