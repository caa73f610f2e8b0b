package system

import "fmt"

// ovnDraft returns the text of a new AdminNetworkPolicy. Its subject and peers match nothing until somebody
// names a namespace.
func ovnDraft(_ string, priority float64) string { return fmt.Sprintf(ovnDraftText, int32(priority)) }

const ovnDraftText = `apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata:
  name: new-policy
  # annotations:
  #   k8s.ovn.org/acl-logging: '{"deny": "alert", "allow": "notice"}'
spec:
  priority: %d
  # The pods the policy is for. "namespaces: {}" is every pod of the cluster.
  subject:
    namespaces:
      matchLabels:
        kubernetes.io/metadata.name: CHANGE-ME
  # The first rule that matches decides: Allow, Deny, or Pass (leave it to
  # NetworkPolicies and the baseline).
  ingress:
  - name: allow-from-somewhere
    action: Allow
    from:
    - namespaces:
        matchLabels:
          kubernetes.io/metadata.name: CHANGE-ME
    ports:
    - portNumber:
        protocol: TCP
        port: 8080
  # egress:
  # - name: deny-to-somewhere
  #   action: Deny
  #   to:
  #   - networks:
  #     - 192.0.2.0/24
`
