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
	"rung/model/plan"
	"rung/model/words"
)

// PolicySet is the set of policies that a template makes of answers.
type PolicySet struct {
	Template *Template
	Name     string
	Answers  Answers // complete
	Policies []SetPolicy
	// Notes say what is worth knowing before it is applied.
	Notes []string
	// Expect are the statements that must hold with the set.
	Expect []Statement
	// Besides says what the expectations leave out.
	Besides []string
	// LeavesTo is set where other policies decide what the set is about; Spaces are the
	// namespaces meant.
	LeavesTo LeftDecisions
	Spaces   []string
}

// LeftDecisions says to whom a set leaves decisions.
type LeftDecisions string

// To whom decisions are left.
const (
	LeavesNothing LeftDecisions = ""
	LeavesLower   LeftDecisions = "lower tiers" // NetworkPolicies and the baseline decide
	LeavesHigher  LeftDecisions = "others"      // every other policy decides before
)

// SetPolicy is one policy of a set.
type SetPolicy struct {
	Key  model.PolicyKey
	Part string
	Why  string // what it is for, in one line
	// Object is the policy as the API has it.
	Object map[string]any
	place  plan.TierSlot
	// onto changes the namespaces that a policy is for where it is there already, instead of replacing
	// its spec; nil replaces. It is false where it could not.
	onto func(namespaces map[string]any) bool
}

// PutOnto is the policy put over the one there is: what the set does not decide stays.
func (p *SetPolicy) PutOnto(old map[string]any) map[string]any {
	notes := childObject(childObject(old, "metadata"), "annotations")
	notes[model.AnnotationTemplate] = childObject(childObject(p.Object, "metadata"), "annotations")[model.AnnotationTemplate]
	is, was := childObject(p.Object, "spec"), childObject(old, "spec")
	switch own, inTiers := is["appliedTo"].([]any); {
	case p.onto == nil:
		old["spec"] = is
	case inTiers:
		for _, part := range partsWithSubjects(was) {
			p.putOntoApplied(part, own[0])
		}
	default:
		namespaces, ok := childObject(was, "subject")["namespaces"].(map[string]any)
		if !ok || !p.onto(namespaces) {
			was["subject"] = is["subject"]
		}
	}
	return old
}

// putOntoApplied changes the entry of an appliedTo that tells the namespaces of the set; where there is none,
// the policy's own comes to the others.
func (p *SetPolicy) putOntoApplied(part jsonObject, own any) {
	all, _ := part["appliedTo"].([]any)
	for _, e := range all {
		entry, _ := e.(map[string]any)
		if namespaces, ok := entry["namespaceSelector"].(map[string]any); ok && p.onto(namespaces) {
			return
		}
	}
	part["appliedTo"] = append(all, own)
}

// partsWithSubjects are the spec of a policy in a tier, or its rules where each says itself what it is for.
func partsWithSubjects(spec jsonObject) (out []jsonObject) {
	for _, side := range []string{"ingress", "egress"} {
		rules, _ := spec[side].([]any)
		for _, r := range rules {
			if rule, ok := r.(map[string]any); ok && rule["appliedTo"] != nil {
				out = append(out, rule)
			}
		}
	}
	if spec["appliedTo"] != nil || len(out) == 0 {
		return []jsonObject{spec}
	}
	return out
}

// childObject is a part of an object, made where there is none.
func childObject(o jsonObject, name string) jsonObject {
	c, ok := o[name].(map[string]any)
	if !ok {
		c = jsonObject{}
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

// setMaker makes one set.
type setMaker struct {
	world      *World
	template   *Template
	answers    Answers
	priorities []plan.TierSlot
	set        *PolicySet
}

// MakeSet makes the set of complete answers (CompleteAnswers).
func (t *Template) MakeSet(w *World, a Answers) (*PolicySet, error) { return t.buildSet(w, a, "") }

// buildSet makes a set: that of a name, or the first name that is free.
func (t *Template) buildSet(w *World, a Answers, keep string) (*PolicySet, error) {
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
		m := &setMaker{world: &own, template: t, answers: a, set: &PolicySet{Template: t, Name: try, Answers: a}}
		for _, f := range splitList(a[askPriority]) {
			p, err := readPlace(f)
			if err != nil {
				return nil, fmt.Errorf("priority %q: want a number", f)
			}
			m.priorities = append(m.priorities, p)
		}
		if len(m.priorities) != t.priorities {
			return nil, fmt.Errorf("template %s takes %d priorities, not %d", t.Name, t.priorities, len(m.priorities))
		}
		if err := t.make(m); err != nil {
			return nil, fmt.Errorf("template %s: %w", t.Name, err)
		}
		if own.Tiers != nil {
			if err := m.putIntoTiers(); err != nil {
				return nil, fmt.Errorf("template %s: %w", t.Name, err)
			}
		}
		taken := m.takenName()
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

// takenName is a policy of the set whose name another one has. The baseline can have one name
// only.
func (m *setMaker) takenName() string {
	for _, p := range m.set.Policies {
		if p.Key.Kind != model.KindBANP && m.world.Cluster.Policy(p.Key) != nil {
			return p.Key.Name
		}
	}
	for _, k := range KnownSets(m.world.Cluster, m.world.Tiers != nil) {
		if k.Name == m.set.Name {
			return k.Policies[0].Name
		}
	}
	return ""
}

// addANP adds a policy of the set.
func (m *setMaker) addANP(part, why string, at plan.TierSlot, subject jsonObject, ingress, egress []any) *SetPolicy {
	spec := jsonObject{"priority": int64(at.Priority), "subject": subject}
	p := m.addPolicy(part, why, model.PolicyKey{Kind: model.KindANP, Name: policyName(m.set.Name, part)}, spec, ingress, egress)
	p.place = at
	return p
}

func (m *setMaker) addPolicy(part, why string, key model.PolicyKey, spec jsonObject, ingress, egress []any) *SetPolicy {
	if len(ingress) > 0 {
		spec["ingress"] = ingress
	}
	if len(egress) > 0 {
		spec["egress"] = egress
	}
	answers := maps.Clone(m.answers)
	maps.DeleteFunc(answers, func(name, v string) bool { return name == askName || v == "" })
	record := SetRecord{Template: m.template.Name, Set: m.set.Name, Part: part, Answers: answers}
	m.set.Policies = append(m.set.Policies, SetPolicy{Key: key, Part: part, Why: why, Object: jsonObject{
		"apiVersion": "policy.networking.k8s.io/v1alpha1", "kind": string(key.Kind),
		"metadata": jsonObject{"name": key.Name, "annotations": jsonObject{model.AnnotationTemplate: record.Annotation()}},
		"spec":     spec,
	}})
	return &m.set.Policies[len(m.set.Policies)-1]
}

// setLogging sets what the policy logs.
func (p *SetPolicy) setLogging(levels model.LogLevels) {
	childObject(childObject(p.Object, "metadata"), "annotations")[model.AnnotationLogging] = levels.AnnotationText()
}

// addStatement states something that must hold. An EgressFirewall may still drop connections that
// an AdminNetworkPolicy allows: its namespaces are left out of the sources of an Allow.
func (m *setMaker) addStatement(s Statement) {
	if s.Allow {
		from := slices.Clone(s.From)
		for i := range from {
			from[i].Spaces = m.withoutFirewalled(from[i].Spaces)
			if from[i].Spaces != s.From[i].Spaces && len(m.world.namespacesOf(from[i].Spaces)) == 0 {
				return // nobody is left
			}
		}
		s.From = from
	}
	m.set.Expect = append(m.set.Expect, s)
}

// withoutFirewalled leaves namespaces with an EgressFirewall that denies out of a selector.
func (m *setMaker) withoutFirewalled(s *metav1.LabelSelector) *metav1.LabelSelector {
	var walled []string
	for _, ns := range m.world.namespacesOf(s) {
		for p := range m.world.Cluster.Policies(model.KindEF) {
			if p.Namespace == ns && slices.ContainsFunc(p.Egress, func(r model.Rule) bool { return r.Action == model.Deny }) {
				walled = append(walled, ns)
			}
		}
	}
	if len(walled) == 0 {
		return s
	}
	note := "an EgressFirewall decides besides what leaves " + words.ListSome(walled, 3) + ": what is expected to be allowed leaves it out"
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
			name += "-" + numberOfText(part)
		}
	}
	if len(name) > longestName {
		name = strings.TrimRight(name[:longestName-7], "-.") + "-" + numberOfText(set+part)
	}
	return name
}

// numberOfText tells texts apart that become one name.
func numberOfText(text string) string {
	h := fnv.New32a()
	h.Write([]byte(text))
	return fmt.Sprintf("%06x", h.Sum32()&0xffffff)
}
