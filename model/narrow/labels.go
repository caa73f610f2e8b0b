package narrow

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// nameLabel is on every namespace.
const nameLabel = "kubernetes.io/metadata.name"

// passing labels change with every revision of a workload, so no rule lasts that selects by
// them.
var passing = []string{"pod-template-hash", "controller-revision-hash", "pod-template-generation", "controller-uid",
	"batch.kubernetes.io/controller-uid"}

// telling labels are tried first where several would do.
var telling = []string{nameLabel, "app.kubernetes.io/name", "app", "k8s-app", "app.kubernetes.io/component", "component", "name"}

// mostValues bounds the values of one expression.
const mostValues = 20

// mostTries bounds how many selectors are tried to be widened for one more class: the
// newest, whose classes come just before it in order.
const mostTries = 8

// class is the lasting labels that some pods share.
type class = map[string]string

// lasting are labels without those that pass.
func lasting(labels map[string]string) class {
	out := maps.Clone(labels)
	for _, k := range passing {
		delete(out, k)
	}
	return out
}

// classes are the different ones, in order.
func classes(all []class) (out []class) {
	had := map[string]bool{}
	for _, c := range all {
		if k := classKey(c); !had[k] {
			had[k] = true
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b class) int { return strings.Compare(classKey(a), classKey(b)) })
	return out
}

func classKey(c class) string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(c)) {
		b.WriteString(k + "\x00" + c[k] + "\x00")
	}
	return b.String()
}

// without are the classes of a that are not among b.
func without(a, b []class) (out []class) {
	had := map[string]bool{}
	for _, c := range b {
		had[classKey(c)] = true
	}
	for _, c := range classes(a) {
		if !had[classKey(c)] {
			out = append(out, c)
		}
	}
	return out
}

// requirement is one condition of a selector.
type requirement struct {
	key    string
	op     metav1.LabelSelectorOperator
	values []string
}

func (r *requirement) holds(c class) bool {
	v, there := c[r.key]
	switch r.op {
	case metav1.LabelSelectorOpIn:
		return there && slices.Contains(r.values, v)
	case metav1.LabelSelectorOpNotIn:
		return !there || !slices.Contains(r.values, v)
	}
	return !there // DoesNotExist
}

// cost orders conditions that keep as much out: what people write first.
func (r *requirement) cost() int {
	rank := slices.Index(telling, r.key)
	if rank < 0 {
		rank = len(telling)
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

// requirements are the conditions that all of some classes meet, by any label that one of
// them or of the others has.
func requirements(in, others []class) (out []requirement) {
	keys := map[string]bool{}
	for _, list := range [][]class{in, others} {
		for _, c := range list {
			for k := range c {
				keys[k] = true
			}
		}
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
			out = append(out, requirement{key: k, op: metav1.LabelSelectorOpDoesNotExist})
		case have == len(in) && len(values) <= mostValues:
			out = append(out, requirement{k, metav1.LabelSelectorOpIn, slices.Sorted(maps.Keys(values))})
		case have < len(in):
			not := map[string]bool{}
			for _, c := range others {
				if v, ok := c[k]; ok && !values[v] {
					not[v] = true
				}
			}
			if len(not) > 0 && len(not) <= mostValues {
				out = append(out, requirement{k, metav1.LabelSelectorOpNotIn, slices.Sorted(maps.Keys(not))})
			}
		}
	}
	return out
}

// one is a selector of some classes that keeps out as many of the others as one selector
// can; exact says that it keeps out all.
func one(in, others []class) (sel *metav1.LabelSelector, exact bool) {
	in, others = classes(in), without(others, in)
	all := requirements(in, others)
	slices.SortStableFunc(all, func(a, b requirement) int { return cmp.Compare(a.cost(), b.cost()) })
	var chosen []requirement
	left := others
	for len(left) > 0 {
		best, out := -1, 0
		for i := range all {
			n := 0
			for _, c := range left {
				if !all[i].holds(c) {
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
		left = slices.DeleteFunc(slices.Clone(left), func(c class) bool { return !all[best].holds(c) })
	}
	// A requirement is not needed where the others keep out the same classes.
	for i := len(chosen) - 1; i >= 0; i-- {
		rest := slices.Delete(slices.Clone(chosen), i, i+1)
		if !slices.ContainsFunc(others, func(c class) bool { return holdAll(rest, c) && !holdAll(chosen, c) }) {
			chosen = rest
		}
	}
	if len(chosen) == 0 && len(all) > 0 && all[0].op == metav1.LabelSelectorOpIn && len(all[0].values) == 1 {
		chosen = all[:1] // what comes later is not meant
	}
	return selectorOf(chosen), len(left) == 0
}

func holdAll(all []requirement, c class) bool {
	return !slices.ContainsFunc(all, func(r requirement) bool { return !r.holds(c) })
}

func selectorOf(all []requirement) *metav1.LabelSelector {
	out := &metav1.LabelSelector{}
	slices.SortFunc(all, func(a, b requirement) int { return strings.Compare(a.key, b.key) })
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
	return out
}

// several are selectors which together select some classes and none of the others: each
// class by itself can be selected exactly.
func several(in, others []class) []*metav1.LabelSelector {
	in, others = classes(in), without(others, in)
	if sel, exact := one(in, others); exact {
		return []*metav1.LabelSelector{sel}
	}
	var groups [][]class
	for _, c := range in {
		joined := false
		for i := max(0, len(groups)-mostTries); i < len(groups); i++ {
			with := append(slices.Clone(groups[i]), c)
			if _, exact := one(with, others); exact {
				groups[i], joined = with, true
				break
			}
		}
		if !joined {
			groups = append(groups, []class{c})
		}
	}
	out := make([]*metav1.LabelSelector, len(groups))
	for i := range groups {
		out[i], _ = one(groups[i], others)
	}
	return out
}
