package convert

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/antrea"
	"rung/model/plan"
	"rung/model/words"
)

// makeAdmin makes the policies of all tiers that decide before NetworkPolicies.
func (f *importer) makeAdmin(ties []policyTie) {
	var before, behind []policyTie // the existing ClusterNetworkPolicies of Kubernetes
	first, last, behindCNPs := lastEnforced(), lastEnforced(), -1
	for p := range f.c.Policies(model.KindANP) {
		last.limitBefore(p)
		first.limitBefore(p)
	}
	for p := range f.c.Policies(model.KindCNP) {
		if p.Tier == model.TierAdmin {
			first.limitBefore(p)
			behindCNPs = max(behindCNPs, int(p.Priority))
		}
	}
	for _, t := range ties {
		switch {
		case t.tier > antrea.PriorityApplication:
		case behindCNPs < 0 || t.tier < antrea.PriorityAdminCNP:
			before = append(before, t)
		case t.tier == antrea.PriorityAdminCNP:
			t.leaveOutRules("it shares Antrea's priority %d with existing ClusterNetworkPolicies of Kubernetes", t.tier)
		default:
			behind = append(behind, t)
		}
	}
	f.placeTies(before, model.TierAdmin, 0, first)
	f.placeTies(behind, model.TierAdmin, behindCNPs+1, last)
}

// lastPriority is the highest priority number available, and why.
type lastPriority struct {
	priority int
	why      string
}

// limitBefore lowers the limit to one before a policy that must decide later.
func (h *lastPriority) limitBefore(p *model.Policy) {
	if at := int(p.Priority) - 1; at < h.priority {
		*h = lastPriority{at, fmt.Sprintf("before %s (%d), which must decide after it", p.Label(), p.Priority)}
	}
}

// lastEnforced returns the last priority that OVN-Kubernetes enforces.
func lastEnforced() lastPriority {
	return lastPriority{model.MaxPriority, fmt.Sprintf("up to %d", model.MaxPriority)}
}

// leaveOutRules leaves out the rules of a tie, with a reason.
func (t *policyTie) leaveOutRules(format string, a ...any) {
	for _, s := range t.rules {
		if len(s.clauses) > 0 {
			s.clauses = nil
			s.addDifference(format, a...)
		}
	}
}

// placeTies gives ties priorities within a range, spaced as the planner would. If there are too few, the last
// ties are left out.
func (f *importer) placeTies(ties []policyTie, tier, from int, to lastPriority) {
	cut := make([][]tiePart, len(ties))
	n := 0
	for i := range ties {
		cut[i] = ties[i].splitByPriority(f.limits.rules)
		n += len(cut[i])
	}
	room := max(0, to.priority-from+1)
	for i := len(ties) - 1; n > room && i >= 0; i-- {
		why := "no free priority " + to.why
		if room > 0 {
			why += fmt.Sprintf(": all %d go to policies before it", room)
		}
		ties[i].leaveOutRules("%s", why)
		n -= len(cut[i])
		cut[i] = nil
	}
	if n == 0 {
		return
	}
	at := spacedPriorities(n, from, to.priority)
	for _, slots := range cut {
		for i := range slots {
			priority := at[0]
			slots[i].makePolicies(func(from *model.Policy, c *ruleClause) *model.Policy {
				return f.beginClausePolicy(from, c, tier, priority)
			}, ruleOfClause)
			at = at[1:]
		}
	}
}

// spacedPriorities returns n priorities of a range, spaced as the planner would.
func spacedPriorities(n, from, to int) []int32 {
	slots := make([]plan.Placement, n)
	for i := range slots {
		slots[i] = plan.Placement{Policy: strconv.Itoa(i), Priority: int32(i)}
	}
	step, start := int32(1), int32(0)
	if b, err := plan.NewBoard(slots, int32(to-from)); err == nil {
		usual := b.UsualSpacing()
		step, start = usual.Step, usual.Start
	}
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(from) + start + step*int32(i)
	}
	return out
}

// Longest names of rules and of objects that the APIs accept, with room for a number.
const (
	longestRuleName = 100
	longestName     = 240
)

// ruleOfClause returns the new rule of a clause.
func ruleOfClause(s *convertedRule, c *ruleClause) model.Rule {
	name := s.rule.Name
	if s.rule.Tiered.Generated {
		name = ""
	} else if len(name) > longestRuleName {
		name = name[:longestRuleName]
	}
	return model.Rule{Direction: s.rule.Direction, Name: name, Action: s.rule.Action, Peers: clonedPeers(c.peers),
		Ports: slices.Clone(c.ports)}
}

// beginClausePolicy begins the policy of a clause. The name joins the source namespace, the source name and
// the clause's value.
func (f *importer) beginClausePolicy(from *model.Policy, p *ruleClause, tier int, priority int32) *model.Policy {
	name := from.Name
	if from.Namespace != "" {
		name = from.Namespace + "-" + name
	}
	next := *from
	next.Subject, next.Annotations, next.Logging, next.HasLogging = p.subject, nil, "", false
	if p.value != nil {
		name += "-" + nameSlug(p.value.Value)
		next.Annotations = map[string]string{model.AnnotationConverted: p.value.Annotation()}
	}
	return f.beginPolicy(&next, f.targetKind, tier, priority, f.freeName(f.targetKind, name))
}

// freeName returns an unused name of the kind.
func (m *policyMaker) freeName(kind model.Kind, name string) string {
	if len(name) > longestName {
		name = strings.TrimRight(name[:longestName], "-.")
	}
	out := name
	for i := 2; m.taken[model.Key{Kind: kind, Name: out}]; i++ {
		out = fmt.Sprintf("%s-%d", name, i)
	}
	return out
}

// nameSlug returns a value in a form for object names.
func nameSlug(value string) string {
	if value == emptyValue {
		return "empty"
	}
	return words.Slug(value)
}

// namespaceValue is a namespace, or a value of namespace labels, that gets its own policy.
type namespaceValue struct {
	name     string // for people, and in the name of the policy
	selector model.Selector
}

// emptyValue is the text of the empty label value.
const emptyValue = `""`

// namespaceLabelValue returns a namespace's values of the labels in keys, or its name if keys is empty. ok is false if a
// label is missing.
func namespaceLabelValue(ns *model.Namespace, keys []string) (v namespaceValue, ok bool) {
	if len(keys) == 0 {
		return namespaceValue{ns.Name, namespaceNamed(ns.Name)}, true
	}
	texts, has := antrea.LabelValues(ns, keys)
	if !has {
		return namespaceValue{}, false
	}
	labels := map[string]string{}
	for i, k := range keys {
		labels[k] = texts[i]
	}
	return namespaceValue{cmp.Or(strings.Join(texts, ","), emptyValue), model.SelectLabels(model.NewLabels(labels))}, true
}

// valuesOfSubject returns the distinct values of the labels in keys among the namespaces that a subject
// selects, in order of namespaces. Without keys the values are the namespaces themselves.
func (f *importer) valuesOfSubject(subject *model.Subject, keys []string) (out []namespaceValue) {
	seen := map[string]bool{}
	for ns := range f.c.Namespaces() {
		if !subject.Namespaces.Matches(ns.Labels) {
			continue
		}
		if v, ok := namespaceLabelValue(ns, keys); ok && !seen[v.name] {
			seen[v.name] = true
			out = append(out, v)
		}
	}
	return out
}

// splitPeer converts a peer that depends on the namespace of the subject's pod, once for each existing value.
func (f *importer) splitPeer(s *convertedRule, subjects []model.Subject, peer *model.Peer, ports []model.Port) {
	labels := peer.Match.SameLabels
	if peer.Match.Self {
		labels = nil
	}
	var names []string
	for i := range subjects {
		for _, v := range f.valuesOfSubject(&subjects[i], labels) {
			names = append(names, v.name)
			subject := newSubject(andSelector(subjects[i].Namespaces, v.selector), subjects[i].Pods)
			s.addPeers(subject, &ValueRecord{From: s.policy.Label(), Labels: labels, Value: v.name, Namespaces: subjects[i].Namespaces},
				[]model.Peer{newPodPeer(v.selector, peer.Pods)}, ports)
		}
	}
	names = sortedDistinct(names)
	switch {
	case peer.Match.Self && len(names) == 0:
		s.addLaterDifference("it applies to no namespace")
	case len(names) == 0:
		s.addLaterDifference("it applies to no namespace with %s", labelsText(labels))
	case peer.Match.Self:
		s.addLaterDifference("one policy for each of %s: new ones are not covered", words.Count(len(names), "namespace"))
	default:
		s.addLaterDifference("one policy for each of %s of %s: new ones are not covered", words.Count(len(names), "value"), labelsText(labels))
	}
	f.noteRepeated(s.policy.Key, labels, names)
}

func labelsText(labels []string) string {
	return words.OneOrMany(len(labels), "label ", "labels ") + words.List(labels, 3)
}

// noteRepeated records that new values require another conversion.
func (f *importer) noteRepeated(k model.PolicyKey, labels, values []string) {
	for i := range f.out.Repeated {
		if a := &f.out.Repeated[i]; a.Policy == k && strings.Join(a.Labels, ",") == strings.Join(labels, ",") {
			a.Values = sortedDistinct(append(a.Values, values...))
			return
		}
	}
	f.out.Repeated = append(f.out.Repeated, SplitPolicy{Policy: k, Labels: append([]string(nil), labels...), Values: values})
}
