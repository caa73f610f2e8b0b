package verify

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
	"rung/model/verdict"
	"rung/model/words"
	"rung/sources/manifests/yamltree"
)

// writeHead writes what the file contains.
func (w *statementWriter) writeHead(namespaces []string) {
	between := "all namespaces"
	if len(namespaces) > 0 {
		between = words.ListSome(slices.Sorted(slices.Values(namespaces)), 6)
	}
	w.writeComment("Connections that the policies allow and deny between the pods of " + between + ".")
	w.writeComment("Written by rung verify --write; check it with rung verify FILE.")
	if left := leftOutText(w.leftOut); left != "" {
		w.writeComment("Pods left out, which policies do not select: " + left + ".")
	}
}

func (w *statementWriter) writeComment(text string) {
	w.text.WriteString("# " + words.CleanText(text) + "\n")
}

func (w *statementWriter) writeStatement(m map[string]any) {
	w.statements = append(w.statements, m)
	w.text.WriteString("\n")
	lead := "- "
	for _, name := range []string{"name", "expect", "from", "to", "port", "exceptPort"} {
		v, ok := m[name]
		if !ok {
			continue
		}
		list, isList := v.([]any)
		w.text.WriteString(lead + name + ":")
		lead = "  "
		switch {
		case name == "port" || name == "exceptPort": // without the quotes that YAML does not need
			w.text.WriteString(" " + strings.ReplaceAll(fmt.Sprint(v), " ", ", ") + "\n")
		case !isList:
			w.text.WriteString(" " + yamltree.FlowText(v) + "\n")
		default:
			w.text.WriteString("\n")
			for _, e := range list {
				w.text.WriteString("  - " + yamltree.FlowText(e) + "\n")
			}
		}
	}
}

// portTexts converts ports for a statement: one, or a list.
func portTexts(ports []verdict.PortRange) any {
	var out []any
	for _, p := range ports {
		switch {
		case p.IsEveryPort():
			out = append(out, string(p.Protocol))
		case p.Lo == p.Hi:
			out = append(out, fmt.Sprintf("%d/%s", p.Lo, p.Protocol))
		default:
			out = append(out, fmt.Sprintf("%d-%d/%s", p.Lo, p.Hi, p.Protocol))
		}
	}
	return singleOrList(out)
}

// singleOrList returns the element of a list of one, else the list.
func singleOrList(list []any) any {
	if len(list) == 1 {
		return list[0]
	}
	return list
}

// podsBySpace groups the pods of units by namespace, in the units' order.
func (w *statementWriter) podsBySpace(units []int) (order []string, pods map[string][]*model.Pod) {
	pods = map[string][]*model.Pod{}
	for _, i := range units {
		u := &w.units[i]
		if pods[u.space] == nil {
			order = append(order, u.space)
		}
		pods[u.space] = append(pods[u.space], u.pods...)
	}
	return order, pods
}

// unitEnds converts units to the ends of statements: whole namespaces in one end, parts by their common
// labels, else by their names.
func (w *statementWriter) unitEnds(units []int) any {
	var whole, out []any
	order, pods := w.podsBySpace(units)
	for _, space := range order {
		if len(pods[space]) == len(w.ordinary[space]) {
			whole = append(whole, space)
			continue
		}
		out = append(out, map[string]any{"namespace": space, "pod": podChoice(pods[space], w.ordinary[space])})
	}
	if len(whole) > 0 {
		out = append([]any{map[string]any{"namespace": singleOrList(whole)}}, out...)
	}
	return singleOrList(out)
}

// unitNames names units for people.
func (w *statementWriter) unitNames(units []int) string {
	var out []string
	order, pods := w.podsBySpace(units)
	for _, space := range order {
		name := space
		if len(pods[space]) != len(w.ordinary[space]) {
			name = yamltree.FlowText(podChoice(pods[space], w.ordinary[space])) + " in " + space
		}
		out = append(out, name)
	}
	return words.ListFew(out, 4)
}

// replicaLabels lists pod labels that distinguish replicas, not workloads.
var replicaLabels = []string{"pod-template-hash", "controller-revision-hash", "pod-template-generation",
	"batch.kubernetes.io/controller-uid", "controller-uid"}

// podChoice selects some of a namespace's pods: by the label that needs the fewest values, else by names.
func podChoice(some, all []*model.Pod) any {
	chosen := map[model.Key]bool{}
	for _, p := range some {
		chosen[p.Key] = true
	}
	key, best := "", []string(nil)
	for _, k := range labelKeys(some[0]) {
		var values []string
		fits := true
		for _, p := range all {
			v, has := p.Labels.Map()[k]
			if chosen[p.Key] && !has {
				fits = false
				break
			}
			if chosen[p.Key] {
				values = model.AppendNew(values, v)
			}
		}
		for _, p := range all {
			v, has := p.Labels.Map()[k]
			fits = fits && (chosen[p.Key] || !has || !slices.Contains(values, v))
		}
		if fits && isSelectable(k, values) && (best == nil || len(values) < len(best)) {
			key, best = k, values
		}
	}
	if best == nil {
		sorted := slices.SortedFunc(slices.Values(some), func(a, b *model.Pod) int { return a.Key.Compare(b.Key) })
		return singleOrList(model.MapList(sorted, func(p *model.Pod) any { return p.Name }))
	}
	slices.Sort(best)
	return map[string]any{key: singleOrList(model.MapList(best, func(v string) any { return v }))}
}

// isSelectable reports whether a selector may have the values: manifests contain labels that an API server
// would reject.
func isSelectable(key string, values []string) bool {
	in := metav1.LabelSelectorRequirement{Key: key, Operator: metav1.LabelSelectorOpIn, Values: values}
	_, err := model.NewSelector(&metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{in}})
	return err == nil && !slices.Contains(values, "")
}

// labelKeys returns the labels that may select a pod, those describing the application first.
func labelKeys(p *model.Pod) (out []string) {
	for k := range p.Labels.Map() {
		if !slices.Contains(replicaLabels, k) && !strings.HasPrefix(k, "statefulset.kubernetes.io/") {
			out = append(out, k)
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		first := []string{"app.kubernetes.io/name", "app"}
		if d := slices.Index(first, b) - slices.Index(first, a); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return out
}
