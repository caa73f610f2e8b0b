package template

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
	"rung/model/words"
)

// Set is the set of policies that a template makes of answers.
type Set struct {
	Template *Template
	Name     string
	Answers  Answers // complete
	Policies []Policy
	// Notes say what is worth knowing before it is applied.
	Notes []string
	// Expect are the statements that must hold with the set.
	Expect []Statement
	// Besides says what the expectations leave out.
	Besides []string
	// LeavesTo is set where other policies decide what the set is about; Spaces are the
	// namespaces meant.
	LeavesTo Leaves
	Spaces   []string
}

// Leaves says to whom a set leaves decisions.
type Leaves string

// To whom decisions are left.
const (
	LeavesNothing Leaves = ""
	LeavesLower   Leaves = "lower tiers" // NetworkPolicies and the baseline decide
	LeavesHigher  Leaves = "others"      // every other policy decides before
)

// Policy is one policy of a set.
type Policy struct {
	Key  model.PolicyKey
	Part string
	Why  string // what it is for, in one line
	// Object is the policy as the API has it.
	Object map[string]any
	// onto changes a policy that is there already, as the API has it, instead of replacing
	// its spec; nil replaces.
	onto func(old map[string]any)
}

// Onto is the policy put over the one there is: what the set does not decide stays.
func (p *Policy) Onto(old map[string]any) map[string]any {
	notes := child(child(old, "metadata"), "annotations")
	notes[model.AnnotationTemplate] = child(child(p.Object, "metadata"), "annotations")[model.AnnotationTemplate]
	if p.onto != nil {
		p.onto(old)
	} else {
		old["spec"] = p.Object["spec"]
	}
	return old
}

// child is a part of an object, made where there is none.
func child(o object, name string) object {
	c, ok := o[name].(map[string]any)
	if !ok {
		c = object{}
		o[name] = c
	}
	return c
}

// Statement is an expectation: what must become of connections.
type Statement struct {
	Name     string
	Allow    bool
	From, To []End
	Ports    []string // as expectations have them; none for all
}

// End are pods, or nodes, or an address.
type End struct {
	Spaces, Pods *metav1.LabelSelector
	Nodes        *metav1.LabelSelector
	Addresses    []string
}

// mainPart is the part of the policy that is about the whole set.
const mainPart = "main"

// maker makes one set.
type maker struct {
	w   *World
	t   *Template
	a   Answers
	at  []int32
	set *Set
}

// Make makes the set of complete answers (Complete).
func (t *Template) Make(w *World, a Answers) (*Set, error) { return t.build(w, a, "") }

// build makes a set: that of a name, or the first name that is free.
func (t *Template) build(w *World, a Answers, keep string) (*Set, error) {
	own := *w
	own.keeps = keep
	name := keep
	if name == "" {
		name = a[askName]
	}
	for n := 1; ; n++ {
		try := name
		if try == "" {
			try = t.Name
			if n > 1 {
				try += "-" + strconv.Itoa(n)
			}
		}
		m := &maker{w: &own, t: t, a: a, set: &Set{Template: t, Name: try, Answers: a}}
		for _, f := range list(a[askPriority]) {
			p, err := strconv.ParseInt(f, 10, 32)
			if err != nil {
				return nil, fmt.Errorf("priority %q: want a number", f)
			}
			m.at = append(m.at, int32(p))
		}
		if len(m.at) != t.priorities {
			return nil, fmt.Errorf("template %s takes %d priorities, not %d", t.Name, t.priorities, len(m.at))
		}
		if err := t.make(m); err != nil {
			return nil, fmt.Errorf("template %s: %w", t.Name, err)
		}
		taken := m.taken()
		switch {
		case keep != "" || taken == "":
			return m.set, nil
		case name != "":
			return nil, fmt.Errorf("there is a policy %s already: choose another name for the set", taken)
		case n == 100:
			return nil, fmt.Errorf("there are sets up to %s already: give this one a name", try)
		}
	}
}

// taken is a policy of the set whose name another one has. The baseline can have one name
// only.
func (m *maker) taken() string {
	for _, p := range m.set.Policies {
		if p.Key.Kind == model.KindANP && m.w.Cluster.Policy(p.Key) != nil {
			return p.Key.Name
		}
	}
	for _, k := range Sets(m.w.Cluster) {
		if k.Name == m.set.Name {
			return k.Policies[0].Name
		}
	}
	return ""
}

// add adds a policy of the set.
func (m *maker) add(part, why string, priority int32, subject object, ingress, egress []any) *Policy {
	spec := object{"priority": int64(priority), "subject": subject}
	return m.policy(part, why, model.PolicyKey{Kind: model.KindANP, Name: policyName(m.set.Name, part)}, spec, ingress, egress)
}

func (m *maker) policy(part, why string, key model.PolicyKey, spec object, ingress, egress []any) *Policy {
	if len(ingress) > 0 {
		spec["ingress"] = ingress
	}
	if len(egress) > 0 {
		spec["egress"] = egress
	}
	answers := maps.Clone(m.a)
	maps.DeleteFunc(answers, func(name, v string) bool { return name == askName || v == "" })
	record := Record{Template: m.t.Name, Set: m.set.Name, Part: part, Answers: answers}
	m.set.Policies = append(m.set.Policies, Policy{Key: key, Part: part, Why: why, Object: object{
		"apiVersion": "policy.networking.k8s.io/v1alpha1", "kind": string(key.Kind),
		"metadata": object{"name": key.Name, "annotations": object{model.AnnotationTemplate: record.Annotation()}},
		"spec":     spec,
	}})
	return &m.set.Policies[len(m.set.Policies)-1]
}

// logs sets what the policy logs.
func (p *Policy) logs(levels model.LogLevels) {
	child(child(p.Object, "metadata"), "annotations")[model.AnnotationLogging] = levels.Annotation()
}

// expect states something that must hold. An EgressFirewall may still drop connections that
// an AdminNetworkPolicy allows: its namespaces are left out of the sources of an Allow.
func (m *maker) expect(s Statement) {
	if s.Allow {
		from := slices.Clone(s.From)
		for i := range from {
			from[i].Spaces = m.without(from[i].Spaces)
			if from[i].Spaces != s.From[i].Spaces && len(m.w.spaces(from[i].Spaces)) == 0 {
				return // nobody is left
			}
		}
		s.From = from
	}
	m.set.Expect = append(m.set.Expect, s)
}

// without leaves namespaces with an EgressFirewall that denies out of a selector.
func (m *maker) without(s *metav1.LabelSelector) *metav1.LabelSelector {
	var walled []string
	for _, ns := range m.w.spaces(s) {
		for p := range m.w.Cluster.Policies(model.KindEF) {
			if p.Namespace == ns && slices.ContainsFunc(p.Egress, func(r model.Rule) bool { return r.Action == model.Deny }) {
				walled = append(walled, ns)
			}
		}
	}
	if len(walled) == 0 {
		return s
	}
	note := "an EgressFirewall decides besides what leaves " + words.Some(walled, 3) + ": what is expected to be allowed leaves it out"
	if !slices.Contains(m.set.Besides, note) {
		m.set.Besides = append(m.set.Besides, note)
	}
	out := s.DeepCopy()
	out.MatchExpressions = append(out.MatchExpressions, metav1.LabelSelectorRequirement{Key: nameLabel, Operator: metav1.LabelSelectorOpNotIn, Values: walled})
	return out
}

// longestName keeps OVN from cutting the names of the policy's ACLs
// (ovn-kubernetes.md#acl-names).
const longestName = 44

// policyName returns the name of a policy of a set: the set's own for the main one, else
// with its part. A name that is too long is cut and ends with a number of its own.
func policyName(set, part string) string {
	name := set
	if part != mainPart {
		_, value, ok := strings.Cut(part, "=")
		if !ok {
			value = part
		}
		name += "-" + words.Slug(value)
		if words.Slug(value) != value {
			name += "-" + number(part)
		}
	}
	if len(name) > longestName {
		name = strings.TrimRight(name[:longestName-7], "-.") + "-" + number(set+part)
	}
	return name
}

// number tells texts apart that become one name.
func number(text string) string {
	h := fnv.New32a()
	h.Write([]byte(text))
	return fmt.Sprintf("%06x", h.Sum32()&0xffffff)
}
