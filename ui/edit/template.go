package edit

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"rung/model"
	"rung/model/ladder"
	"rung/revision"
)

// template is the text a new AdminNetworkPolicy begins with. Its subject and
// peers match nothing until somebody names a namespace.
const template = `apiVersion: policy.networking.k8s.io/v1alpha1
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

// newText is the template for a priority.
func newText(priority int32) string { return fmt.Sprintf(template, priority) }

// newNotes tell where the new policy stands on the ladder.
func newNotes(rev *revision.Revision, priority int32) []string {
	notes := []string{"a new AdminNetworkPolicy. Save and close the editor to see what it does;",
		"nothing is written before you say yes. Close without saving to leave it."}
	l := rev.Ladder()
	above, at, below := l.RungsAround(priority)
	var where []string
	if above != nil {
		where = append(where, "after "+rungText(above))
	}
	if at != nil {
		where = append(where, "at the same priority as "+rungText(at))
	}
	if below != nil {
		where = append(where, "before "+rungText(below))
	}
	if len(where) > 0 {
		notes = append(notes, fmt.Sprintf("Priority %d decides %s (lower numbers first, %d is the last that is enforced).",
			priority, strings.Join(where, ", "), l.Max))
	}
	return notes
}

func rungText(r *ladder.Rung) string {
	names := make([]string, 0, 2)
	for i, p := range r.Policies {
		if i == 2 {
			names = append(names, "…")
			break
		}
		names = append(names, p.Policy.Name)
	}
	return fmt.Sprintf("%s (%d)", strings.Join(names, ", "), r.Priority)
}

// editNotes stand above the text of a policy that is there.
func editNotes(p *model.Policy) []string {
	notes := []string{"editing " + p.Key.Label() + ". Save and close the editor to see what the change does;",
		"nothing is written before you say yes. Close without saving to leave it."}
	if p.Origin.Item >= 0 && p.Origin.File != "" {
		notes = append(notes, "It stands in a List in "+p.Origin.File+": this text was made anew from the object.")
	}
	return append(notes, olderNotes(p)...)
}

// lineOf is the line of a field such as spec.ingress[0].from in a text, counted
// from 1; the nearest field above it that is there, 0 when even the text cannot
// be read.
func lineOf(text, field string) int {
	var doc yaml.Node
	if yaml.Unmarshal([]byte(text), &doc) != nil || len(doc.Content) == 0 {
		return 0
	}
	n := doc.Content[0]
	line := n.Line
	for _, step := range strings.FieldsFunc(field, func(r rune) bool { return r == '.' || r == '[' || r == ']' }) {
		next := (*yaml.Node)(nil)
		switch n.Kind {
		case yaml.MappingNode:
			for i := 0; i+1 < len(n.Content); i += 2 {
				if n.Content[i].Value == step {
					next, line = n.Content[i+1], n.Content[i].Line
				}
			}
		case yaml.SequenceNode:
			if i, err := strconv.Atoi(step); err == nil && i >= 0 && i < len(n.Content) {
				next = n.Content[i]
				line = next.Line
			}
		}
		if next == nil {
			return line
		}
		n = next
	}
	return line
}
