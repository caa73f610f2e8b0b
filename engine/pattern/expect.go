package pattern

import (
	"context"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/engine/verify"
	"rung/model"
	"rung/model/template"
	"rung/model/words"
	"rung/revision"
	"rung/sources/manifests/yamltree"
)

// expectationsOf are the statements of a set. Where it leaves decisions to other policies, it
// is stated what they decide: the lower tiers alone, or all of them.
func expectationsOf(ctx context.Context, m *MadeSet, rev *revision.Revision) ([]byte, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# What must hold with %s, made from the template %s.\n", m.Name, m.Template.Name)
	b.WriteString("# Check it with: rung verify FILE\n")
	for _, n := range m.Besides {
		b.WriteString("# " + words.CleanText(n) + ".\n")
	}
	for i := range m.Expect {
		writeStatement(&b, &m.Expect[i])
	}
	if m.LeavesTo == template.LeavesNothing {
		return []byte(b.String()), nil
	}
	oracle := m.RevisionAfter(rev)
	if m.LeavesTo == template.LeavesLower {
		var above []model.Key
		for p := range rev.Cluster.EveryPolicy() {
			if p.Tier == model.TierAdmin {
				above = append(above, p.Key)
			}
		}
		oracle = rev.WithPolicies(nil, above)
		b.WriteString("# NetworkPolicies and the baseline decide; this is what they make of it now.\n")
	} else {
		b.WriteString("# Other policies come first; this is what they and the set make of it now.\n")
	}
	w, err := verify.WriteStatements(ctx, oracle, m.Spaces)
	if err != nil {
		return nil, err
	}
	// The file's introduction stands above already.
	text := string(w.Text)
	for strings.HasPrefix(text, "# ") && !strings.HasPrefix(text, "# Pods left out") {
		_, text, _ = strings.Cut(text, "\n")
	}
	b.WriteString(text)
	return []byte(b.String()), nil
}

func writeStatement(b *strings.Builder, s *template.Statement) {
	expect := "deny"
	if s.Allow {
		expect = "allow"
	}
	fmt.Fprintf(b, "\n- name: %s\n  expect: %s\n", yamltree.FlowText(s.Name), expect)
	for _, side := range []struct {
		name string
		ends []template.End
	}{{"from", s.From}, {"to", s.To}} {
		var all []any
		for i := range side.ends {
			all = append(all, endOf(&side.ends[i]))
		}
		if len(all) == 1 {
			fmt.Fprintf(b, "  %s: %s\n", side.name, yamltree.FlowText(all[0]))
		} else {
			fmt.Fprintf(b, "  %s: %s\n", side.name, yamltree.FlowText(all))
		}
	}
	if len(s.Ports) > 0 {
		fmt.Fprintf(b, "  port: [%s]\n", strings.Join(s.Ports, ", "))
	}
	b.WriteString("  allowNone: true\n")
}

// endOf is an end as statements have it.
func endOf(e *template.End) any {
	out := map[string]any{}
	if e.Spaces != nil {
		out["namespace"] = selectorAsStatement(e.Spaces)
	}
	if e.Pods != nil {
		out["pod"] = selectorAsStatement(e.Pods)
	}
	if e.Nodes != nil {
		out["node"] = selectorAsStatement(e.Nodes)
	}
	if len(e.Addresses) > 0 {
		var all []any
		for _, a := range e.Addresses {
			all = append(all, a)
		}
		out["address"] = any(all)
		if len(all) == 1 {
			out["address"] = all[0]
		}
	}
	return out
}

// selectorAsStatement is a selector as statements have it: labels alone where it has nothing else.
func selectorAsStatement(s *metav1.LabelSelector) any {
	labels := map[string]any{}
	for k, v := range s.MatchLabels {
		labels[k] = v
	}
	if len(s.MatchExpressions) == 0 {
		return labels
	}
	var all []any
	plain := true
	for _, e := range s.MatchExpressions {
		r := map[string]any{"key": e.Key, "operator": string(e.Operator)}
		var values []any
		for _, v := range e.Values {
			values = append(values, v)
		}
		if len(values) > 0 {
			r["values"] = values
		}
		if _, twice := labels[e.Key]; twice || e.Operator != metav1.LabelSelectorOpIn {
			plain = false
		} else {
			labels[e.Key] = values
		}
		all = append(all, r)
	}
	if plain {
		return labels
	}
	out := map[string]any{"matchExpressions": all}
	if len(s.MatchLabels) > 0 {
		same := map[string]any{}
		for k, v := range s.MatchLabels {
			same[k] = v
		}
		out["matchLabels"] = same
	}
	return out
}
