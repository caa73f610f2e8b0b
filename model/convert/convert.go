package convert

import (
	"cmp"
	"maps"
	"slices"

	"rung/model"
	"rung/model/ladder"
	"rung/model/logline"
	"rung/model/words"
)

// FidelityLabel is how well the other API expresses a rule.
type FidelityLabel string

// The labels.
const (
	Exact         FidelityLabel = "exact"           // every connection is decided as before
	Approximate   FidelityLabel = "approximate"     // some connections are, or an undefined order was chosen
	Inexpressible FidelityLabel = "not expressible" // the rule is left out
)

// Rule reports the conversion of a source rule.
type Rule struct {
	// Policy, Direction and Index identify the source rule.
	Policy    model.PolicyKey
	Direction model.Direction
	Index     int
	Label     FidelityLabel
	Why       string // what differs, a clause for people; empty if exact
	// MadeRules are the new rules: several if the rule was split, empty if it was left out.
	MadeRules []MadeRule
	// Differs is the kind of difference; empty if the rule is exact or decided nothing.
	Differs Difference
}

// Difference is how an inexact rule differs. Finding a connection that shows it takes the verdicts of both
// sides, which this package does not know.
type Difference string

// The differences.
const (
	// DiffersNow: the rule may decide a current connection differently. Whether it does depends on the rules
	// after it.
	DiffersNow Difference = "now"
	// DiffersLater: every current connection is decided as before; objects that come or change later are not
	// covered.
	DiffersLater Difference = "later"
	// DiffersAnswer: every connection is decided as before, but a denied client gets a different answer.
	DiffersAnswer Difference = "answer"
)

// MadeRule is the place of a new rule.
type MadeRule struct {
	Policy    model.PolicyKey
	Direction model.Direction
	Index     int
}

// Result is the outcome of a conversion.
type Result struct {
	// Policies are the new policies, in the order in which they decide. They are in normal form: without text,
	// object, UID and status.
	Policies []*model.Policy
	// Rules are the results for the source rules, in the order in which their policies decide.
	Rules []Rule
	// Repeated are the policies split by namespace or by label value: a new value requires another conversion.
	Repeated []SplitPolicy
	// Notes are about whole policies.
	Notes []PolicyNote
}

// SplitPolicy is a policy that was split into one for each existing value.
type SplitPolicy struct {
	Policy model.PolicyKey
	// Labels are the namespace labels whose values count; empty if the policies are per namespace.
	Labels []string
	// Values are the existing values; values of several labels are joined by a comma.
	Values []string
}

// PolicyNote is a note about a source policy.
type PolicyNote struct {
	Policy model.PolicyKey
	Text   string // a clause for people
}

// Label returns the worst label of the rules; Exact without rules.
func (r *Result) Label() FidelityLabel {
	worst := Exact
	for i := range r.Rules {
		switch l := r.Rules[i].Label; {
		case l == Inexpressible:
			return l
		case l == Approximate:
			worst = l
		}
	}
	return worst
}

// policyMaker makes policies one by one.
type policyMaker struct {
	out   Result
	taken map[model.PolicyKey]bool
}

func newPolicyMaker() *policyMaker { return &policyMaker{taken: map[model.PolicyKey]bool{}} }

// beginPolicy begins a policy of a kind, without rules. Subject, logging, labels and annotations come from
// another policy; the name is the first of names that is free.
func (m *policyMaker) beginPolicy(from *model.Policy, kind model.Kind, tier int, priority int32, names ...string) *model.Policy {
	p := &model.Policy{Tier: tier, Priority: priority, Subject: from.Subject,
		Logging: from.Logging, HasLogging: from.HasLogging}
	p.Labels, p.Annotations = from.Labels, maps.Clone(from.Annotations)
	for _, name := range names {
		p.Key = model.Key{Kind: kind, Name: name}
		if !m.taken[p.Key] {
			break
		}
	}
	m.taken[p.Key] = true
	m.out.Policies = append(m.out.Policies, p)
	return p
}

// addRule adds a rule to a new policy and returns its place.
func addRule(p *model.Policy, r model.Rule) MadeRule {
	list := &p.Ingress
	if r.Direction == model.Egress {
		list = &p.Egress
	}
	r.Index = len(*list)
	*list = append(*list, r)
	return MadeRule{p.Key, r.Direction, r.Index}
}

// noteRule records the result for a rule.
func (m *policyMaker) noteRule(p *model.Policy, r *model.Rule, l FidelityLabel, why string, to ...MadeRule) {
	if len(to) == 0 {
		l = Inexpressible
	}
	var d Difference
	if l != Exact {
		d = DiffersNow
	}
	m.out.Rules = append(m.out.Rules, Rule{Policy: p.Key, Direction: r.Direction, Index: r.Index, Label: l, Why: why, MadeRules: to,
		Differs: d})
}

// noteInexpressible records that no rule of a policy can be expressed.
func (m *policyMaker) noteInexpressible(p *model.Policy, why string) {
	for r := range p.AllRules() {
		m.noteRule(p, r, Inexpressible, why)
	}
}

// ignorePolicy leaves out a policy that decides nothing.
func (m *policyMaker) ignorePolicy(p *model.Policy, why string) {
	from := len(m.out.Rules)
	m.noteInexpressible(p, why)
	for i := range m.out.Rules[from:] {
		m.out.Rules[from+i].Differs = ""
	}
}

// sortedResult returns the result with policies and rules in order.
func (m *policyMaker) sortedResult(given []*model.Policy) Result {
	slices.SortStableFunc(m.out.Policies, func(a, b *model.Policy) int {
		if a.Tiered != nil && b.Tiered != nil {
			return 0 // made in their order
		}
		return ladder.ComparePolicies(a, b)
	})
	place := map[model.PolicyKey]int{}
	for i, p := range given {
		place[p.Key] = i
	}
	slices.SortStableFunc(m.out.Rules, func(a, b Rule) int {
		return cmp.Or(cmp.Compare(place[a.Policy], place[b.Policy]),
			cmp.Compare(slices.Index(model.Directions[:], a.Direction), slices.Index(model.Directions[:], b.Direction)),
			cmp.Compare(a.Index, b.Index))
	})
	return m.out
}

// adminPolicies returns the policies of the kinds that this package converts, in the order in which they
// decide. Policies of a kind in stay remain the same object; others lose their logging sessions.
func adminPolicies(policies []*model.Policy, stay ...model.Kind) []*model.Policy {
	out := slices.DeleteFunc(slices.Clone(policies), func(p *model.Policy) bool { return !p.Kind.IsAdmin() })
	slices.SortFunc(out, ladder.ComparePolicies)
	for i, p := range out {
		if !slices.Contains(stay, p.Kind) {
			out[i] = withoutSession(p)
		}
	}
	return out
}

// withoutSession returns a policy in its state after the logging session. The session belongs to the source
// object: a policy made from it would keep the session's temporary level forever.
func withoutSession(p *model.Policy) *model.Policy {
	if _, has := p.Annotations[model.AnnotationLogSession]; !has {
		return p
	}
	next := *p
	next.Annotations = maps.Clone(p.Annotations)
	delete(next.Annotations, model.AnnotationLogSession)
	if s, ok := p.LogSession(); ok && p.Tiered != nil {
		next.Ingress, next.Egress = logline.RulesAfterSession(p, s)
	} else if ok && !logline.IsChanged(p, s) {
		delete(next.Annotations, model.AnnotationLogging)
		next.Logging, next.HasLogging = words.CleanText(s.Former), s.HadFormer
		if s.HadFormer {
			next.Annotations[model.AnnotationLogging] = next.Logging
		}
	}
	return &next
}

// whyRefused returns why OVN-Kubernetes or the API rejects a policy; empty if neither does.
func whyRefused(p *model.Policy) string {
	if !p.IsRejected() {
		return ""
	}
	for _, b := range p.Invalid {
		if !b.IsTolerated() {
			return b.Field + " " + b.Message
		}
	}
	return ""
}

// clonedPeers returns a copy of peers that shares no lists.
func clonedPeers(peers []model.Peer) []model.Peer {
	out := slices.Clone(peers)
	for i := range out {
		out[i].Networks, out[i].Except = slices.Clone(out[i].Networks), slices.Clone(out[i].Except)
	}
	return out
}
