package template

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/engine/verify"
	"rung/model"
	"rung/model/words"
	"rung/revision"
	"rung/sources/manifests/yamltree"
)

// RevisionAfter returns the revision with the set.
func (s *PolicySet) RevisionAfter(rev *revision.Revision) *revision.Revision {
	return rev.WithPolicies(s.objects, nil)
}

// Expectations returns the statements that must hold with the set, as a file for rung verify. If the set
// leaves decisions to other policies, statements record those decisions: of the lower tiers alone, or of all.
func (s *PolicySet) Expectations(ctx context.Context, rev *revision.Revision) ([]byte, error) {
	var statements strings.Builder
	var walled []string
	w := NewWorld(rev)
	for _, one := range s.expect {
		if err := w.writeStatement(&statements, maps.Clone(one.(object)), &walled); err != nil {
			return nil, fmt.Errorf("expectations of %s: %w", s.Name, err)
		}
	}
	head := fmt.Sprintf("# What must hold with %s, made from the template %s.\n# Check it with: rung verify FILE\n", s.Name, s.Template.Name)
	if len(walled) > 0 {
		head += "# EgressFirewalls also decide about connections from " + words.CleanText(words.ListSome(walled, 3)) +
			": statements that expect allow leave these namespaces out.\n"
	}
	if s.leaves == "" {
		return []byte(head + statements.String()), ctx.Err()
	}
	decides := s.RevisionAfter(rev)
	if s.leaves == LeavesLower {
		var above []model.Key
		for p := range rev.Cluster.EveryPolicy() {
			if p.Tier == model.TierAdmin {
				above = append(above, p.Key)
			}
		}
		decides = rev.WithPolicies(nil, above)
		statements.WriteString("# NetworkPolicies and the baseline decide; this is what they decide now.\n")
	} else {
		statements.WriteString("# Other policies come first; this is what they and the set decide now.\n")
	}
	selector, err := parseSelector(s.Answers["namespaces"])
	if err != nil {
		return nil, fmt.Errorf("expectations of %s: %w", s.Name, err)
	}
	written, err := verify.WriteStatements(ctx, decides, w.selectNamespaces(selector))
	if err != nil {
		return nil, fmt.Errorf("expectations of %s: %w", s.Name, err)
	}
	// The file already has an introduction above.
	text := string(written.Text)
	for strings.HasPrefix(text, "# ") && !strings.HasPrefix(text, "# Pods left out") {
		_, text, _ = strings.Cut(text, "\n")
	}
	return []byte(head + statements.String() + text), nil
}

// writeStatement writes a statement. An EgressFirewall may still deny connections that an AdminNetworkPolicy
// allows: namespaces with a denying one are removed from the sources of an Allow, and named in walled.
func (w *World) writeStatement(b *strings.Builder, statement object, walled *[]string) error {
	if from, _ := statement["from"].(object); statement["expect"] == "allow" {
		selector, err := w.withoutFirewalled(from["namespace"], walled)
		if err != nil || selector == nil {
			return err
		}
		from = maps.Clone(from)
		from["namespace"], statement["from"] = selector, from
	}
	fmt.Fprintf(b, "\n- name: %s\n  expect: %v\n  from: %s\n  to: %s\n", yamltree.FlowText(statement["name"]), statement["expect"],
		yamltree.FlowText(shortEnd(statement["from"])), yamltree.FlowText(shortEnd(statement["to"])))
	if ports, _ := statement["port"].([]any); len(ports) > 0 {
		fmt.Fprintf(b, "  port: %s\n", strings.ReplaceAll(fmt.Sprint(ports), " ", ", "))
	}
	b.WriteString("  allowNone: true\n")
	return nil
}

// shortEnd returns an end of a statement with bare labels for selectors that have only labels.
func shortEnd(end any) any {
	fields, _ := end.(object)
	out := object{}
	for k, v := range fields {
		out[k] = v
		if s, ok := v.(object); ok && len(s) == 1 && s["matchLabels"] != nil {
			out[k] = s["matchLabels"]
		}
	}
	return out
}

// withoutFirewalled removes namespaces with a denying EgressFirewall from a statement's namespaces; nil if
// none is left.
func (w *World) withoutFirewalled(namespaces any, walled *[]string) (any, error) {
	var s metav1.LabelSelector
	labels, _ := namespaces.(object)
	if labels["matchLabels"] == nil && labels["matchExpressions"] == nil {
		labels = object{"matchLabels": labels}
	}
	text, err := json.Marshal(labels)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, err
	}
	var own []string
	for _, ns := range w.selectNamespaces(&s) {
		for p := range w.Cluster.Policies(model.KindEF) {
			if p.Namespace == ns && slices.ContainsFunc(p.Egress, func(r model.Rule) bool { return r.Action == model.Deny }) {
				own = append(own, ns)
			}
		}
	}
	if len(own) == 0 {
		return namespaces, nil
	}
	*walled = append(*walled, own...)
	slices.Sort(*walled)
	*walled = slices.Compact(*walled)
	s.MatchExpressions = append(s.MatchExpressions, metav1.LabelSelectorRequirement{Key: nameLabel, Operator: metav1.LabelSelectorOpNotIn,
		Values: own})
	if len(w.selectNamespaces(&s)) == 0 {
		return nil, nil
	}
	return selectorObject(&s), nil
}
