package convert

import (
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

// mostRecord bounds what is believed of an annotation, in bytes.
const mostRecord = 16 << 10

// ValueRecord is the annotation on a policy that stands for one value of several (RepeatedPolicy):
// the policy it was made from, and the value it is for.
type ValueRecord struct {
	From string // the policy that was converted, for people: "ACNP own"
	// Labels of namespaces of whose values one is Value; without any, Value is a namespace.
	Labels []string
	Value  string
	// Namespaces are the namespaces that the policy that was converted applied to.
	Namespaces model.Selector
}

// recordJSON is the annotation's form.
type recordJSON struct {
	From   string   `json:"from"`
	Labels []string `json:"labels"`
	Value  string   `json:"value"`
	Of     string   `json:"of"` // a label selector as kubectl takes it
}

// Annotation is the text of the annotation.
func (r *ValueRecord) Annotation() string {
	text, _ := json.Marshal(recordJSON{r.From, append([]string{}, r.Labels...), r.Value, r.Namespaces.Key()}) // texts only
	return string(text)
}

// RecordOf reads the annotation of a policy, which anybody may have written: every text comes
// back clean. ok is false where there is none, or none that can be read.
func RecordOf(p *model.Policy) (r *ValueRecord, ok bool) {
	raw, has := p.Annotations[model.AnnotationConverted]
	if !has {
		return nil, false
	}
	r, err := parseRecord(raw)
	return r, err == nil
}

func parseRecord(raw string) (*ValueRecord, error) {
	if len(raw) > mostRecord {
		return nil, fmt.Errorf("is longer than %d bytes", mostRecord)
	}
	var in recordJSON
	if err := json.Unmarshal([]byte(raw), &in); err != nil {
		return nil, fmt.Errorf("is not what Rung writes: %s", words.CleanText(err.Error()))
	}
	r := &ValueRecord{From: words.CleanText(in.From), Value: words.CleanText(in.Value), Namespaces: model.SelectEverything()}
	for _, l := range in.Labels {
		r.Labels = append(r.Labels, words.CleanText(l))
	}
	if r.From == "" || r.Value == "" {
		return nil, errors.New("names no policy or no value")
	}
	if in.Of == "" {
		return r, nil
	}
	ls, err := metav1.ParseToLabelSelector(in.Of)
	if err == nil {
		r.Namespaces, err = model.NewSelector(ls)
	}
	if err != nil {
		return nil, fmt.Errorf("selects namespaces by what is no selector: %s", words.CleanText(err.Error()))
	}
	return r, nil
}

// UnfoldedPolicy are the policies of a cluster that one policy became, one for each value.
type UnfoldedPolicy struct {
	From       string
	Labels     []string
	Policies   []*model.Policy // by kind and name
	namespaces model.Selector
	values     map[string]bool
}

// AllUnfolded returns the unfolded policies of a cluster, in the order of their sources.
// Policies of two APIs are kept apart: each API needs all values.
func AllUnfolded(c *model.Cluster) []*UnfoldedPolicy {
	byID := map[string]*UnfoldedPolicy{}
	var ids []string
	for p := range c.Policies(model.KindANP, model.KindCNP) {
		r, ok := RecordOf(p)
		if !ok {
			continue
		}
		id := strings.Join([]string{r.From, string(p.Kind), strings.Join(r.Labels, ","), r.Namespaces.Key()}, "\x00")
		u := byID[id]
		if u == nil {
			u = &UnfoldedPolicy{From: r.From, Labels: r.Labels, namespaces: r.Namespaces, values: map[string]bool{}}
			byID[id], ids = u, append(ids, id)
		}
		u.Policies = append(u.Policies, p)
		u.values[r.Value] = true
	}
	slices.Sort(ids)
	out := make([]*UnfoldedPolicy, len(ids))
	for i, id := range ids {
		slices.SortFunc(byID[id].Policies, func(a, b *model.Policy) int { return a.Key.Compare(b.Key) })
		out[i] = byID[id]
	}
	return out
}

// MissingValue is a value for which there is no policy.
type MissingValue struct {
	Value      string
	Namespaces []string // that have it
}

// MissingValues are the values of namespaces for which there is no policy: of namespaces that came,
// or were labelled, since the conversion, and those whose policy is gone.
func (u *UnfoldedPolicy) MissingValues(c *model.Cluster) (out []MissingValue) {
	at := map[string]int{}
	for ns := range c.Namespaces() {
		v, ok := valueOf(ns, u.Labels)
		if !ok || u.values[v.name] || !u.namespaces.Matches(ns.Labels) {
			continue
		}
		i, known := at[v.name]
		if !known {
			i = len(out)
			at[v.name], out = i, append(out, MissingValue{Value: v.name})
		}
		out[i].Namespaces = append(out[i].Namespaces, ns.Name)
	}
	slices.SortFunc(out, func(a, b MissingValue) int { return strings.Compare(a.Value, b.Value) })
	return out
}

// annotateLogging says by annotation which policies that were made log: those actions of which all
// rules do. Where only some do, none does. Notes say so, that a level was chosen where Antrea
// has none, and which labels of log lines are lost.
func (f *importer) annotateLogging(ties []policyTie) {
	type counts map[model.Action][2]int
	noteLogLabels(f.policyMaker, ties)
	logs := map[model.PolicyKey]counts{}
	of := map[model.PolicyKey]*model.Policy{}
	for i := range ties {
		for _, s := range ties[i].sayings {
			for _, to := range s.madeRules {
				c := logs[to.Policy]
				if c == nil {
					c = counts{}
					logs[to.Policy], of[to.Policy] = c, s.policy
				}
				n := c[s.rule.Action]
				n[1]++
				if s.rule.Tiered.Logging {
					n[0]++
				}
				c[s.rule.Action] = n
			}
		}
	}
	for _, p := range f.out.Policies {
		var l model.LogLevels
		some := false
		for a, level := range map[model.Action]*string{model.Allow: &l.Allow, model.Deny: &l.Deny, model.Pass: &l.Pass} {
			switch n := logs[p.Key][a]; {
			case n[0] > 0 && n[0] == n[1]:
				*level = logLevel
			case n[0] > 0:
				some = true
			}
		}
		if l.IsOn() {
			p.Logging, p.HasLogging = l.AnnotationText(), true
			if p.Annotations == nil {
				p.Annotations = map[string]string{}
			}
			p.Annotations[model.AnnotationLogging] = p.Logging
			f.out.Notes = append(f.out.Notes, PolicyNote{of[p.Key].Key, "enableLogging has no level: " + p.Label() + " logs at " + logLevel})
		}
		if some {
			f.out.Notes = append(f.out.Notes, PolicyNote{of[p.Key].Key,
				"of the rules of one action in " + p.Label() + " only some log, and it logs by action: they no longer log"})
		}
	}
}

// noteLogLabels notes the labels that rules give to their log lines, which other APIs have not.
func noteLogLabels(m *policyMaker, ties []policyTie) {
	lost := map[model.PolicyKey][]string{}
	for i := range ties {
		for _, s := range ties[i].sayings {
			label := s.rule.Tiered.LogLabel
			if label == "" || slices.Contains(lost[s.policy.Key], label) {
				continue
			}
			lost[s.policy.Key] = append(lost[s.policy.Key], label)
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(lost), model.Key.Compare) {
		m.out.Notes = append(m.out.Notes, PolicyNote{key, "logLabel " + words.ListSome(lost[key], 4) + " is left out: log lines of OVN name the policy and its rule"})
	}
}

// noteLogLevels notes the log levels of a policy, which Antrea has no place for: a rule there logs, or not.
func (m *policyMaker) noteLogLevels(p *model.Policy) {
	levels, err := p.LogLevels()
	if err != nil || !levels.IsOn() {
		return
	}
	var lost []string
	for _, action := range []model.Action{model.Allow, model.Deny, model.Pass} {
		if level := levels.LevelOf(action); level != "" {
			lost = append(lost, fmt.Sprintf("%s: %s", action, level))
		}
	}
	m.out.Notes = append(m.out.Notes, PolicyNote{p.Key, "its log levels are left out (" + words.ListSome(lost, 3) + "): enableLogging has no levels"})
}

// logLevel is the level given to rules with enableLogging, which names none.
const logLevel = "info"
