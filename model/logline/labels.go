package logline

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
)

// nameLabel is a label of every namespace.
const nameLabel = "kubernetes.io/metadata.name"

// volatileLabels have another value in every revision of a workload: a rule that uses them soon matches nothing.
var volatileLabels = []string{"pod-template-hash", "controller-revision-hash", "pod-template-generation", "controller-uid",
	"batch.kubernetes.io/controller-uid"}

// preferredLabels go first if several labels would do.
var preferredLabels = []string{nameLabel, "app.kubernetes.io/name", "app", "k8s-app", "app.kubernetes.io/component", "component", "name"}

// maxValues limits the values of a selector expression.
const maxValues = 20

// maxTries is how many selectors are tried to be widened for one more class. The newest are tried, since
// their classes come just before it in order.
const maxTries = 8

// labelClass has the lasting labels shared by some pods.
type labelClass = map[string]string

// lastingLabels returns labels without the passing ones.
func lastingLabels(labels map[string]string) labelClass {
	out := maps.Clone(labels)
	for _, k := range volatileLabels {
		delete(out, k)
	}
	return out
}

// distinctClasses returns the classes sorted, without duplicates.
func distinctClasses(all []labelClass) []labelClass {
	sorted := slices.SortedFunc(slices.Values(all), func(a, b labelClass) int { return strings.Compare(classKey(a), classKey(b)) })
	return slices.CompactFunc(sorted, maps.Equal[labelClass])
}

func classKey(c labelClass) string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(c)) {
		b.WriteString(k + "\x00" + c[k] + "\x00")
	}
	return b.String()
}

// classesWithout returns the distinct classes of a that are not in b.
func classesWithout(a, b []labelClass) (out []labelClass) {
	had := map[string]bool{}
	for _, c := range b {
		had[classKey(c)] = true
	}
	for _, c := range distinctClasses(a) {
		if !had[classKey(c)] {
			out = append(out, c)
		}
	}
	return out
}

// labelRequirement is one condition of a selector.
type labelRequirement struct {
	key    string
	op     metav1.LabelSelectorOperator
	values []string
}

func (r *labelRequirement) holdsFor(c labelClass) bool {
	v, there := c[r.key]
	switch r.op {
	case metav1.LabelSelectorOpIn:
		return there && slices.Contains(r.values, v)
	case metav1.LabelSelectorOpNotIn:
		return !there || !slices.Contains(r.values, v)
	}
	return !there // DoesNotExist
}

// writingCost orders equally selective conditions: lower for what people would write first.
func (r *labelRequirement) writingCost() int {
	rank := slices.Index(preferredLabels, r.key)
	if rank < 0 {
		rank = len(preferredLabels)
	}
	switch {
	case r.op == metav1.LabelSelectorOpIn && len(r.values) == 1:
		return rank
	case r.op == metav1.LabelSelectorOpIn:
		return 100 + rank
	case r.op == metav1.LabelSelectorOpNotIn:
		return 300 + rank
	}
	return 200 + rank
}

// commonRequirements returns the conditions that all classes of in meet, for any label of these or the others.
func commonRequirements(in, others []labelClass) (out []labelRequirement) {
	keys := map[string]string{}
	for _, c := range slices.Concat(in, others) {
		maps.Copy(keys, c)
	}
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		values := map[string]bool{}
		have := 0
		for _, c := range in {
			if v, ok := c[k]; ok {
				have++
				values[v] = true
			}
		}
		switch {
		case have == 0:
			out = append(out, labelRequirement{key: k, op: metav1.LabelSelectorOpDoesNotExist})
		case have == len(in) && len(values) <= maxValues:
			out = append(out, labelRequirement{k, metav1.LabelSelectorOpIn, slices.Sorted(maps.Keys(values))})
		case have < len(in):
			not := map[string]bool{}
			for _, c := range others {
				if v, ok := c[k]; ok && !values[v] {
					not[v] = true
				}
			}
			if len(not) > 0 && len(not) <= maxValues {
				out = append(out, labelRequirement{k, metav1.LabelSelectorOpNotIn, slices.Sorted(maps.Keys(not))})
			}
		}
	}
	return out
}

// oneSelector returns a selector that matches all classes in and excludes as many others as possible. exact is
// true if the selector excludes all others.
func oneSelector(in, others []labelClass) (sel model.Selector, exact bool) {
	in, others = distinctClasses(in), classesWithout(others, in)
	all := commonRequirements(in, others)
	slices.SortStableFunc(all, func(a, b labelRequirement) int { return cmp.Compare(a.writingCost(), b.writingCost()) })
	var chosen []labelRequirement
	left := others
	for len(left) > 0 {
		best, out := -1, 0
		for i := range all {
			n := 0
			for _, c := range left {
				if !all[i].holdsFor(c) {
					n++
				}
			}
			if n > out {
				best, out = i, n
			}
		}
		if best < 0 {
			break
		}
		chosen = append(chosen, all[best])
		left = slices.DeleteFunc(slices.Clone(left), func(c labelClass) bool { return !all[best].holdsFor(c) })
	}
	// Drop a requirement if the others exclude the same classes.
	for i := len(chosen) - 1; i >= 0; i-- {
		rest := slices.Delete(slices.Clone(chosen), i, i+1)
		if !slices.ContainsFunc(others, func(c labelClass) bool { return holdAll(rest, c) && !holdAll(chosen, c) }) {
			chosen = rest
		}
	}
	if len(chosen) == 0 && len(all) > 0 && all[0].op == metav1.LabelSelectorOpIn && len(all[0].values) == 1 {
		chosen = all[:1] // do not select all that may come later
	}
	return newSelector(chosen), len(left) == 0
}

func holdAll(all []labelRequirement, c labelClass) bool {
	return !slices.ContainsFunc(all, func(r labelRequirement) bool { return !r.holdsFor(c) })
}

func newSelector(all []labelRequirement) model.Selector {
	out := &metav1.LabelSelector{}
	slices.SortFunc(all, func(a, b labelRequirement) int { return strings.Compare(a.key, b.key) })
	for _, r := range all {
		if r.op == metav1.LabelSelectorOpIn && len(r.values) == 1 {
			if out.MatchLabels == nil {
				out.MatchLabels = map[string]string{}
			}
			out.MatchLabels[r.key] = r.values[0]
			continue
		}
		out.MatchExpressions = append(out.MatchExpressions, metav1.LabelSelectorRequirement{Key: r.key, Operator: r.op, Values: r.values})
	}
	sel, _ := model.NewSelector(out) // labels of objects are valid
	return sel
}

// severalSelectors returns selectors that together select the classes in and none of the others: each class
// can be selected exactly by itself.
func severalSelectors(in, others []labelClass) []model.Selector {
	in, others = distinctClasses(in), classesWithout(others, in)
	if sel, exact := oneSelector(in, others); exact {
		return []model.Selector{sel}
	}
	var groups [][]labelClass
	for _, c := range in {
		joined := false
		for i := max(0, len(groups)-maxTries); i < len(groups); i++ {
			with := append(slices.Clone(groups[i]), c)
			if _, exact := oneSelector(with, others); exact {
				groups[i], joined = with, true
				break
			}
		}
		if !joined {
			groups = append(groups, []labelClass{c})
		}
	}
	out := make([]model.Selector, len(groups))
	for i := range groups {
		out[i], _ = oneSelector(groups[i], others)
	}
	return out
}
