package manifests

import (
	"strings"
	"testing"

	"rung/model"
)

// What another release of the CRD took, and the status of the dump says is enforced, is read
// as OVN-Kubernetes reads it, with a warning; without such a status it is refused, and said.
func TestEnforcedElsewhere(t *testing.T) {
	const policy = `apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata: {name: old}
spec:
  priority: 5
  subject: {namespaces: {}}
  egress:
  - {action: Deny, to: [{networks: ["10.0.0.0/08"]}], ports: []}
  - {action: Deny, to: [{networks: ["::ffff:10.0.0.0/104"]}]}
`
	const status = "status: {conditions: [{type: Ready-In-Zone-a, status: \"STATUS\", reason: SetupSucceeded, message: done, lastTransitionTime: \"2026-01-01T00:00:00Z\"}]}\n"
	for _, c := range []struct {
		text string
		want bool
	}{
		{policy, false},
		{policy + strings.Replace(status, "STATUS", "False", 1), false},
		{policy + strings.Replace(status, "STATUS", "True", 1), true},
	} {
		r, err := Read(t.Context(), Options{Paths: []string{"a.yaml"}, FS: mapFiles(map[string]string{"a.yaml": c.text})})
		if err != nil {
			t.Fatal(err)
		}
		found := r.Policies()
		if len(found) == 1 != c.want || len(r.Broken) != 3 {
			t.Errorf("read: %t, and complaints: %v\n%s", len(found) == 1, r.Broken, c.text)
			continue
		}
		for _, b := range r.Broken {
			if b.Key.Name != "old" || b.IsError() == c.want || c.want && b.Severity != model.SeverityWarning {
				t.Errorf("%s: %v", b.Severity, b)
			}
		}
		if !c.want {
			continue
		}
		for i, rule := range found[0].Egress {
			if len(rule.Ports) > 0 || rule.Peers[0].Networks[0] != "10.0.0.0/8" {
				t.Errorf("rule %d: %v %v", i, rule.Peers, rule.Ports)
			}
		}
		if found[0].IsRejected() {
			t.Errorf("refused: %v", found[0].Invalid)
		}
	}
}
