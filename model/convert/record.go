package convert

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
	"rung/model/words"
)

// maxRecord is the maximum length of an accepted annotation, in bytes.
const maxRecord = 16 << 10

// ValueRecord is the annotation of one of the policies that SplitPolicy made, one for each value: the source
// policy and the value.
type ValueRecord struct {
	From string `json:"from"` // the source policy for people: "ACNP own"
	// Labels are the namespace labels of Value; if empty, Value is a namespace.
	Labels []string `json:"labels"`
	Value  string   `json:"value"`
	// Namespaces selects the namespaces that the source policy applied to; Of is the same in kubectl's syntax.
	Namespaces     model.Selector `json:"-"`
	NamespacesText string         `json:"of"`
}

// Annotation returns the record as annotation text.
func (r ValueRecord) Annotation() string {
	r.Labels, r.NamespacesText = append([]string{}, r.Labels...), r.Namespaces.Key()
	text, _ := json.Marshal(r) // cannot fail: texts only
	return string(text)
}

// ReadRecord reads the annotation of a policy. Anyone may have written it, so every text is cleaned. ok is false
// if the annotation is missing or invalid.
func ReadRecord(p *model.Policy) (r *ValueRecord, ok bool) {
	raw, has := p.Annotations[model.AnnotationConverted]
	if !has {
		return nil, false
	}
	r, err := parseRecord(raw)
	return r, err == nil
}

func parseRecord(raw string) (*ValueRecord, error) {
	if len(raw) > maxRecord {
		return nil, fmt.Errorf("is longer than %d bytes", maxRecord)
	}
	r := &ValueRecord{}
	if err := json.Unmarshal([]byte(raw), r); err != nil {
		return nil, fmt.Errorf("is not what Rung writes: %s", words.CleanText(err.Error()))
	}
	r.From, r.Value, r.Namespaces = words.CleanText(r.From), words.CleanText(r.Value), model.SelectEverything()
	for i, l := range r.Labels {
		r.Labels[i] = words.CleanText(l)
	}
	if r.From == "" || r.Value == "" {
		return nil, errors.New("names no policy or no value")
	}
	if r.NamespacesText == "" {
		return r, nil
	}
	ls, err := metav1.ParseToLabelSelector(r.NamespacesText)
	if err == nil {
		r.Namespaces, err = model.NewSelector(ls)
	}
	if err != nil {
		return nil, fmt.Errorf("selects namespaces by what is no selector: %s", words.CleanText(err.Error()))
	}
	return r, nil
}

// SplitPolicies has the policies that one policy was split into, one for each value.
type SplitPolicies struct {
	From       string
	Labels     []string
	Policies   []*model.Policy // by kind and name
	namespaces model.Selector
	values     map[string]bool
}

// AllSplitPolicies returns the unfolded policies of a cluster, in the order of their sources.
// Policies of two APIs are kept apart: each API needs all values.
func AllSplitPolicies(c *model.Cluster) []*SplitPolicies {
	byID := map[string]*SplitPolicies{}
	for p := range c.Policies(model.KindANP, model.KindCNP) {
		r, ok := ReadRecord(p)
		if !ok {
			continue
		}
		id := strings.Join([]string{r.From, string(p.Kind), strings.Join(r.Labels, ","), r.Namespaces.Key()}, "\x00")
		u := byID[id]
		if u == nil {
			u = &SplitPolicies{From: r.From, Labels: r.Labels, namespaces: r.Namespaces, values: map[string]bool{}}
			byID[id] = u
		}
		u.Policies = append(u.Policies, p)
		u.values[r.Value] = true
	}
	var out []*SplitPolicies
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		slices.SortFunc(byID[id].Policies, func(a, b *model.Policy) int { return a.Key.Compare(b.Key) })
		out = append(out, byID[id])
	}
	return out
}

// MissingValue is a value without a policy.
type MissingValue struct {
	Value      string
	Namespaces []string // namespaces with the value
}

// MissingValues returns the values of namespaces that have no policy. Such a namespace is new or
// has new labels since the conversion, or its policy is gone.
func (u *SplitPolicies) MissingValues(c *model.Cluster) (out []MissingValue) {
	having := map[string][]string{}
	for ns := range c.Namespaces() {
		if v, ok := namespaceLabelValue(ns, u.Labels); ok && !u.values[v.name] && u.namespaces.Matches(ns.Labels) {
			having[v.name] = append(having[v.name], ns.Name)
		}
	}
	for _, value := range slices.Sorted(maps.Keys(having)) {
		out = append(out, MissingValue{value, having[value]})
	}
	return out
}

// annotateLogging sets the logging annotation of new policies for actions whose rules all log. If only some
// rules of an action log, none logs. Notes name these actions, the chosen level (Antrea has none), and lost
// labels of log lines.
func (f *importer) annotateLogging(ties []policyTie) {
	noteLogLabels(f.policyMaker, ties)
	type group struct {
		policy model.PolicyKey
		action model.Action
	}
	rules, logging := map[group]int{}, map[group]int{}
	of := map[model.PolicyKey]*model.Policy{} // first source of each new policy
	for i := range ties {
		for _, s := range ties[i].rules {
			for _, to := range s.madeRules {
				of[to.Policy] = cmp.Or(of[to.Policy], s.policy)
				g := group{to.Policy, s.rule.Action}
				rules[g]++
				if s.rule.Tiered.Logging {
					logging[g]++
				}
			}
		}
	}
	for _, p := range f.out.Policies {
		var l model.LogLevels
		some := false
		for a, level := range map[model.Action]*string{model.Allow: &l.Allow, model.Deny: &l.Deny, model.Pass: &l.Pass} {
			switch g := (group{p.Key, a}); {
			case logging[g] > 0 && logging[g] == rules[g]:
				*level = logLevel
			case logging[g] > 0:
				some = true
			}
		}
		if l.IsOn() {
			p.Logging, p.HasLogging = l.AnnotationText(), true
			if p.Annotations == nil {
				p.Annotations = map[string]string{}
			}
			p.Annotations[model.AnnotationLogging] = p.Logging
			f.out.Notes = append(f.out.Notes, PolicyNote{of[p.Key].Key,
				"enableLogging has no level: " + p.Label() + " logs at " + logLevel})
		}
		if some {
			f.out.Notes = append(f.out.Notes, PolicyNote{of[p.Key].Key,
				p.Label() + " logs per action: an action that only some rules logged is not logged now"})
		}
	}
}

// noteLogLabels notes the log labels of rules, which other APIs do not have.
func noteLogLabels(m *policyMaker, ties []policyTie) {
	lost := map[model.PolicyKey][]string{}
	for i := range ties {
		for _, s := range ties[i].rules {
			if label := s.rule.Tiered.LogLabel; label != "" && !slices.Contains(lost[s.policy.Key], label) {
				lost[s.policy.Key] = append(lost[s.policy.Key], label)
			}
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(lost), model.Key.Compare) {
		m.out.Notes = append(m.out.Notes, PolicyNote{key,
			"logLabel " + words.ListSome(lost[key], 4) + " is left out: OVN log lines name policy and rule"})
	}
}

// noteLogLevels notes a policy's log levels, which Antrea cannot express: a rule there logs or does not.
func (m *policyMaker) noteLogLevels(p *model.Policy) {
	levels, err := p.LogLevels()
	if err != nil || !levels.IsOn() {
		return
	}
	var lost []string
	for _, action := range []model.Action{model.Allow, model.Deny, model.Pass} {
		if level := levels.ForAction(action); level != "" {
			lost = append(lost, fmt.Sprintf("%s: %s", action, level))
		}
	}
	m.out.Notes = append(m.out.Notes, PolicyNote{p.Key,
		"its log levels are left out (" + words.ListSome(lost, 3) + "): enableLogging has no levels"})
}

// logLevel is the level for rules with enableLogging, which has no level.
const logLevel = "info"
