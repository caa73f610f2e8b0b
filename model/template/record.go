package template

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"rung/model"
	"rung/model/plan"
	"rung/model/words"
)

// mostRecord bounds what is believed of an annotation, in bytes.
const mostRecord = 64 << 10

// SetRecord is the annotation of a policy about the set it belongs to.
type SetRecord struct {
	Template string `json:"template"`
	Set      string `json:"set"`
	// Part is which policy of the set it is: "deny", "tenant=blue".
	Part    string  `json:"part"`
	Answers Answers `json:"answers"`
}

// Annotation is the text of the annotation: JSON, its keys sorted.
func (r SetRecord) Annotation() string {
	text, _ := json.Marshal(r) // texts only
	return string(text)
}

// ParseRecord reads an annotation, which anybody may have written: every text comes back
// clean.
func ParseRecord(raw string) (SetRecord, error) {
	if len(raw) > mostRecord {
		return SetRecord{}, fmt.Errorf("is longer than %d bytes", mostRecord)
	}
	var in SetRecord
	if err := json.Unmarshal([]byte(raw), &in); err != nil {
		return SetRecord{}, fmt.Errorf("is not what Rung writes: %s", words.CleanText(err.Error()))
	}
	r := SetRecord{Template: words.CleanText(in.Template), Set: words.CleanText(in.Set), Part: words.CleanText(in.Part), Answers: Answers{}}
	for k, v := range in.Answers {
		r.Answers[words.CleanText(k)] = words.CleanText(v)
	}
	if r.Template == "" || r.Set == "" || r.Part == "" {
		return SetRecord{}, errors.New("names no template, no set or no part")
	}
	if len(validation.IsDNS1123Label(r.Set)) > 0 {
		return SetRecord{}, errors.New("names a set by what is no name")
	}
	return r, nil
}

// RecordOf reads the annotation of a policy; ok is false where there is none, or none that
// can be read.
func RecordOf(p *model.Policy) (r SetRecord, ok bool) {
	raw, has := p.Annotations[model.AnnotationTemplate]
	if !has {
		return r, false
	}
	r, err := ParseRecord(raw)
	return r, err == nil
}

// KnownSet is a set that is in the cluster.
type KnownSet struct {
	Name     string
	Template *Template // nil where this Rung does not know it
	Called   string    // what the annotation calls the template
	Answers  Answers
	Policies []*model.Policy // by name
	parts    map[string]*model.Policy
}

// setID tells sets apart: those of AdminNetworkPolicies and those in tiers may have the same name.
type setID struct {
	name    string
	inTiers bool
}

// KnownSets returns the sets of templates in a cluster, by name; those of policies in tiers, before others of
// their name, only where tiers decide.
func KnownSets(c *model.Cluster, inTiers bool) []*KnownSet {
	byName := map[setID]*KnownSet{}
	var out []*KnownSet
	for p := range c.EveryPolicy() {
		r, ok := RecordOf(p)
		if !ok || p.Tier == model.TierNetwork || p.Namespace != "" || p.Kind == model.KindCNP || p.Tiered != nil && !inTiers {
			continue
		}
		id := setID{r.Set, p.Tiered != nil}
		k := byName[id]
		if k == nil {
			k = &KnownSet{Name: r.Set, Called: r.Template, Template: FindTemplate(r.Template), parts: map[string]*model.Policy{}}
			byName[id], out = k, append(out, k)
		}
		if r.Template != k.Called {
			continue // two templates, one name: the first has it
		}
		k.Policies = append(k.Policies, p)
		k.parts[r.Part] = p
		// The main policy is changed with every change of the set; its answers hold.
		if k.Answers == nil || r.Part == mainPart {
			k.Answers = r.Answers
		}
	}
	slices.SortFunc(out, func(a, b *KnownSet) int {
		if a.Name == b.Name && a.isInTiers() {
			return -1
		}
		return strings.Compare(a.Name, b.Name)
	})
	return out
}

// SetOf is the set that a policy is of, nil for none.
func SetOf(c *model.Cluster, key model.PolicyKey) *KnownSet {
	for _, k := range KnownSets(c, key.Kind.IsTiered()) {
		if slices.ContainsFunc(k.Policies, func(p *model.Policy) bool { return p.Key == key }) {
			return k
		}
	}
	return nil
}

func (k *KnownSet) isInTiers() bool { return k.Policies[0].Tiered != nil }

// MainPolicy is the policy that is about the whole set; where it is gone, the first of the others.
func (k *KnownSet) MainPolicy() *model.Policy {
	if p := k.parts[mainPart]; p != nil {
		return p
	}
	return k.Policies[0]
}

// MissingPolicy is a policy that a set should have and has not.
type MissingPolicy struct {
	Part   string
	Policy string // its name
	// Value is the label value of a tenant that came since, and Namespaces are the tenant's; both
	// empty where the policy is gone.
	Value      string
	Namespaces []string
}

// MissingPolicies are the policies that are not there: of tenants that came since, and those that
// are gone. A set of a template that this Rung does not know, or whose answers cannot be
// read, misses nothing.
func (k *KnownSet) MissingPolicies(c *model.Cluster) (out []MissingPolicy) {
	if k.Template == nil || k.Template.parts == nil {
		return nil
	}
	parts := k.Template.parts(k.Answers)
	for _, part := range parts {
		if k.parts[part] == nil {
			out = append(out, MissingPolicy{Part: part, Policy: policyName(k.Name, part)})
		}
	}
	if k.Template != isolation {
		return out
	}
	for _, v := range k.addedTenants(c) {
		m := MissingPolicy{Part: tenantPart(v), Policy: policyName(k.Name, tenantPart(v)), Value: v}
		for ns := range c.Namespaces() {
			if has, ok := ns.Labels.Map()[k.Answers[askLabel]]; ok && has == v {
				m.Namespaces = append(m.Namespaces, ns.Name)
			}
		}
		out = append(out, m)
	}
	return out
}

// addedTenants are the values of the tenants' label that are in the cluster, and neither tenants
// of the set nor left out of it.
func (k *KnownSet) addedTenants(c *model.Cluster) (out []string) {
	known := append(splitList(k.Answers[askTenants]), splitList(k.Answers[askLeftOut])...)
	for ns := range c.Namespaces() {
		v, ok := ns.Labels.Map()[k.Answers[askLabel]]
		if ok && v != "" && !slices.Contains(known, v) && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	return out
}

// ErrWhole says that a set misses nothing.
var ErrWhole = errors.New("nothing is missing")

// MakeMissing makes what a set misses: the policies of tenants that came since, with what has to
// name them, and those that are gone, at the priorities where the others of the set are now.
// Values of leaveOut are recorded as no tenants. Only what has to be written is in the set
// that comes back.
func (k *KnownSet) MakeMissing(w *World, leaveOut []string) (*PolicySet, error) {
	if k.Template == nil {
		return nil, fmt.Errorf("set %s is of the template %q, which this Rung does not know", k.Name, k.Called)
	}
	if len(leaveOut) > 0 && k.Template != isolation {
		return nil, fmt.Errorf("set %s has no tenants to leave out", k.Name)
	}
	missing := k.MissingPolicies(w.Cluster)
	given := maps.Clone(k.Answers)
	delete(given, askPriority)
	delete(given, askName)
	tenants := splitList(given[askTenants])
	if k.Template == isolation {
		for _, v := range k.addedTenants(w.Cluster) {
			if !slices.Contains(leaveOut, v) {
				tenants = append(tenants, v)
			}
		}
		tenants = slices.DeleteFunc(tenants, func(v string) bool { return slices.Contains(leaveOut, v) })
		given[askTenants] = strings.Join(tenants, ",")
		given[askLeftOut] = strings.Join(append(splitList(given[askLeftOut]), leaveOut...), ",")
		if given[askLeftOut] == "" {
			delete(given, askLeftOut) // nobody is: no first offer either, all values are tenants
		}
	}
	for _, v := range leaveOut {
		if k.parts[tenantPart(v)] != nil {
			return nil, fmt.Errorf("%s is a tenant of the set %s: delete its policy first", v, k.Name)
		}
	}
	own := *w
	own.keeps = k.Name
	if !k.isInTiers() {
		own.Tiers = nil
	}
	// Its places are those of its policies: none is offered.
	asked := *k.Template
	asked.Questions = slices.DeleteFunc(slices.Clone(asked.Questions), func(q Question) bool { return q.Kind == Priorities })
	a, err := asked.CompleteAnswers(&own, given, true)
	if err != nil {
		return nil, fmt.Errorf("the annotation of the set %s: %w", k.Name, err)
	}
	if k.Template.priorities > 0 {
		if a[askPriority], err = k.currentPriorities(&own); err != nil {
			return nil, fmt.Errorf("set %s: %w", k.Name, err)
		}
	}
	s, err := k.Template.buildSet(&own, a, k.Name)
	if err != nil {
		return nil, err
	}
	grown := len(splitList(k.Answers[askTenants])) != len(tenants) || len(leaveOut) > 0
	s.Policies = slices.DeleteFunc(s.Policies, func(p SetPolicy) bool {
		gone := slices.ContainsFunc(missing, func(m MissingPolicy) bool { return m.Part == p.Part })
		return !gone && !(p.Part == mainPart && grown)
	})
	if len(s.Policies) == 0 {
		return nil, fmt.Errorf("set %s: %w", k.Name, ErrWhole)
	}
	for _, p := range s.Policies {
		old := w.Cluster.Policy(p.Key)
		if r, ok := (SetRecord{}), false; old != nil {
			r, ok = RecordOf(old)
			if (!ok || r.Set != k.Name || r.Part != p.Part) && p.Key.Kind != model.KindBANP {
				return nil, fmt.Errorf("set %s: there is a policy %s already, which is not of the set", k.Name, p.Key.Name)
			}
		}
	}
	return s, nil
}

// currentPriorities returns the priorities that the policies of the set have now, as text. A
// priority that no policy has any more is the one of the answers, or the next free one.
func (k *KnownSet) currentPriorities(w *World) (string, error) {
	board, err := w.placeBoard()
	if err != nil {
		return "", err
	}
	at := make([]plan.TierSlot, k.Template.priorities)
	was := splitList(k.Answers[askPriority])
	live := make([]bool, len(at))
	for part, p := range k.parts {
		i := k.Template.slots[part]
		if now, ok := placeOf(p); ok && (!live[i] || board.compare(now, at[i]) < 0) {
			at[i], live[i] = now, true
		}
	}
	before := noPlace
	for i := range at {
		if !live[i] {
			var next *plan.TierSlot
			if j := slices.Index(live[i:], true); j > 0 {
				next = &at[i+j]
			}
			if at[i], err = placeAgain(board, before, next, was, i); err != nil {
				return "", err
			}
		}
		before = at[i]
	}
	return placesText(at), nil
}

// placeAgain is the place of a policy that is gone, between those of its set: where it was, or a free one.
func placeAgain(board placeBoard, before plan.TierSlot, next *plan.TierSlot, was []string, i int) (plan.TierSlot, error) {
	if i < len(was) {
		at, err := board.parsePlace(was[i])
		if err == nil && (before == noPlace || board.compare(before, at) < 0) && (next == nil || board.compare(at, *next) < 0) {
			return at, nil
		}
	}
	if next == nil {
		return board.freeAfter(before)
	}
	return board.freeBetween(before, *next)
}
