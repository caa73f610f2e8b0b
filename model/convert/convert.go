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

// FidelityLabel says how much of a rule the other API can say.
type FidelityLabel string

// The labels.
const (
	Exact         FidelityLabel = "exact"           // every connection is decided as before
	Approximate   FidelityLabel = "approximate"     // a part of it is, or an order is chosen where there was none
	Inexpressible FidelityLabel = "not expressible" // the rule is left out
)

// Rule is the result of converting one rule.
type Rule struct {
	// Policy, Direction and Index say which rule it was.
	Policy    model.PolicyKey
	Direction model.Direction
	Index     int
	Label     FidelityLabel
	Why       string // what differs, a clause for people; empty where it is exact
	// MadeRules is where it is now: several where it was split, none where it was left out.
	MadeRules []MadeRule
	// Differs says of a rule that is not exact in what; empty where it decided nothing.
	Differs Difference
}

// Difference is in what a rule that is not exact differs. Which connection shows it is for the
// verdicts of both sides to say, which this package does not know.
type Difference string

// The differences.
const (
	// DiffersNow: a connection of today that the rule matches may be decided otherwise. Whether
	// there is one depends on the rules behind it.
	DiffersNow Difference = "now"
	// DiffersLater: every connection of today is decided as before; objects that come or
	// change later are not covered.
	DiffersLater Difference = "later"
	// DiffersAnswer: every connection is decided as before, and a client that is denied is
	// answered otherwise.
	DiffersAnswer Difference = "answer"
)

// MadeRule is a rule of a policy that was made.
type MadeRule struct {
	Policy    model.PolicyKey
	Direction model.Direction
	Index     int
}

// Result is the outcome of a conversion.
type Result struct {
	// Policies that were made, in the order in which they decide. They are in normal form:
	// without text, object, UID and status.
	Policies []*model.Policy
	// Rules of the policies that were given, in the order in which those decide.
	Rules []Rule
	// Repeated are the policies that became one for each namespace, or each value of labels,
	// that there is: a new value wants the conversion again.
	Repeated []RepeatedPolicy
	// Notes are the notes that are not about single rules.
	Notes []PolicyNote
}

// RepeatedPolicy is a policy that became one for each value there is.
type RepeatedPolicy struct {
	Policy model.PolicyKey
	// Labels of namespaces whose values they are for; none where they are for namespaces, by
	// name.
	Labels []string
	// Values are the existing values; where there are several labels, theirs joined by a
	// comma.
	Values []string
}

// PolicyNote is something to know of a policy that was given.
type PolicyNote struct {
	Policy model.PolicyKey
	Text   string // a clause for people
}

// Label is the least that is said of a rule; exact without rules.
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

// beginPolicy begins a policy of a kind with the subject of another and what else is not its rules.
// Its name is the first of those given that is free.
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

// addRule adds a rule to a policy that is made and says where it is.
func addRule(p *model.Policy, r model.Rule) MadeRule {
	list := &p.Ingress
	if r.Direction == model.Egress {
		list = &p.Egress
	}
	r.Index = len(*list)
	*list = append(*list, r)
	return MadeRule{p.Key, r.Direction, r.Index}
}

// noteRule says what became of a rule.
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

// noteInexpressible says that nothing of a policy can be said.
func (m *policyMaker) noteInexpressible(p *model.Policy, why string) {
	for r := range p.AllRules() {
		m.noteRule(p, r, Inexpressible, why)
	}
}

// ignorePolicy leaves out a policy that decided nothing.
func (m *policyMaker) ignorePolicy(p *model.Policy, why string) {
	from := len(m.out.Rules)
	m.noteInexpressible(p, why)
	for i := range m.out.Rules[from:] {
		m.out.Rules[from+i].Differs = ""
	}
}

// sortedResult is the result in its order.
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

// adminPolicies returns the policies of the kinds that this package converts, in the order in which
// they decide. stay are the kinds whose policies remain the same object; policies of the
// other kinds come without their logging sessions.
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

// withoutSession returns a policy as it is when its logging session is over. The session belongs
// to the object it was begun on. Policies made of that object have no part in it, and the
// level that was set for a while would stay on them for good.
func withoutSession(p *model.Policy) *model.Policy {
	if _, has := p.Annotations[model.AnnotationLogSession]; !has {
		return p
	}
	next := *p
	next.Annotations = maps.Clone(p.Annotations)
	delete(next.Annotations, model.AnnotationLogSession)
	if s, ok := p.LogSession(); ok && p.Tiered != nil {
		next.Ingress, next.Egress = logline.Former(p, s)
	} else if ok && !logline.IsChanged(p, s) {
		delete(next.Annotations, model.AnnotationLogging)
		next.Logging, next.HasLogging = words.CleanText(s.Former), s.HadFormer
		if s.HadFormer {
			next.Annotations[model.AnnotationLogging] = next.Logging
		}
	}
	return &next
}

// whyRefused is why OVN-Kubernetes, or the API, takes nothing of a policy; empty where it does.
func whyRefused(p *model.Policy) string {
	if !p.IsRefused() {
		return ""
	}
	for _, b := range p.Invalid {
		if !b.IsTolerated() {
			return b.Field + " " + b.Message
		}
	}
	return ""
}

// clonedPeers are peers whose lists are nobody else's.
func clonedPeers(peers []model.Peer) []model.Peer {
	out := slices.Clone(peers)
	for i := range out {
		out[i].Networks, out[i].Except = slices.Clone(out[i].Networks), slices.Clone(out[i].Except)
	}
	return out
}
