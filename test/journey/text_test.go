//go:build unix

package journey_test

import (
	"fmt"

	"rung/test/term"
)

type frame = term.Frame

// policyText is a small policy that hurts nobody.
func policyText(name string, priority int) string {
	return fmt.Sprintf(`apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata:
  name: %s
spec:
  priority: %d
  subject:
    namespaces:
      matchLabels:
        kubernetes.io/metadata.name: blue
  ingress:
  - name: from-monitoring
    action: Allow
    from:
    - namespaces:
        matchLabels:
          kubernetes.io/metadata.name: monitoring
  egress:
  - name: to-monitoring
    action: Allow
    to:
    - namespaces:
        matchLabels:
          kubernetes.io/metadata.name: monitoring
`, name, priority)
}
