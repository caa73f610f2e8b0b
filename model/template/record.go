package template

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"rung/model"
	"rung/model/clean"
)

// mostRecord bounds what is believed of an annotation, in bytes.
const mostRecord = 64 << 10

// Record is what the annotation of a policy says about the set it is of.
type Record struct {
	Template string `json:"template"`
	Set      string `json:"set"`
	// Part is which policy of the set it is: "deny", "tenant=blue".
	Part    string  `json:"part"`
	Answers Answers `json:"answers"`
}

// Annotation is the text of the annotation: JSON, its keys sorted.
func (r Record) Annotation() string {
	text, _ := json.Marshal(r) // texts only
	return string(text)
}

// ParseRecord reads an annotation, which anybody may have written: every text comes back
// clean.
func ParseRecord(raw string) (Record, error) {
	if len(raw) > mostRecord {
		return Record{}, fmt.Errorf("is longer than %d bytes", mostRecord)
	}
	var in Record
	if err := json.Unmarshal([]byte(raw), &in); err != nil {
		return Record{}, fmt.Errorf("is not what Rung writes: %s", clean.Text(err.Error()))
	}
	r := Record{Template: clean.Text(in.Template), Set: clean.Text(in.Set), Part: clean.Text(in.Part), Answers: Answers{}}
	for k, v := range in.Answers {
		r.Answers[clean.Text(k)] = clean.Text(v)
	}
	if r.Template == "" || r.Set == "" || r.Part == "" {
		return Record{}, errors.New("names no template, no set or no part")
	}
	if len(validation.IsDNS1123Label(r.Set)) > 0 {
		return Record{}, errors.New("names a set by what is no name")
	}
	return r, nil
}

// RecordOf reads the annotation of a policy; ok is false where there is none, or none that
// can be read.
func RecordOf(p *model.Policy) (r Record, ok bool) {
	raw, has := p.Annotations[model.AnnotationTemplate]
	if !has {
		return r, false
	}
	r, err := ParseRecord(raw)
	return r, err == nil
}

// Known is a set that is in the cluster.
type Known struct {
	Name     string
	Template *Template // nil where this Rung does not know it
	Called   string    // what the annotation calls the template
	Answers  Answers
	Policies []*model.Policy // by name
	parts    map[string]*model.Policy
}

// Sets are those of a cluster, by name.
func Sets(c *model.Cluster) []*Known {
	byName := map[string]*Known{}
	var out []*Known
	for _, kind := range []model.Kind{model.KindANP, model.KindBANP} {
		for p := range c.Policies(kind) {
			r, ok := RecordOf(p)
			if !ok {
				continue
			}
			k := byName[r.Set]
			if k == nil {
				k = &Known{Name: r.Set, Called: r.Template, Template: Find(r.Template), parts: map[string]*model.Policy{}}
				byName[r.Set], out = k, append(out, k)
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
	}
	slices.SortFunc(out, func(a, b *Known) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// SetOf is the set that a policy is of, nil for none.
func SetOf(c *model.Cluster, key model.PolicyKey) *Known {
	for _, k := range Sets(c) {
		if slices.ContainsFunc(k.Policies, func(p *model.Policy) bool { return p.Key == key }) {
			return k
		}
	}
	return nil
}

// Main is the policy that is about the whole set; where it is gone, the first of the others.
func (k *Known) Main() *model.Policy {
	if p := k.parts[mainPart]; p != nil {
		return p
	}
	return k.Policies[0]
}

// Missing is a policy that a set should have and has not.
type Missing struct {
	Part   string
	Policy string // its name
	// Value is that of a tenant that came since, and Namespaces are those that have it; both
	// empty where the policy is gone.
	Value      string
	Namespaces []string
}

// Missing are the policies that are not there: of tenants that came since, and those that
// are gone. A set of a template that this Rung does not know, or whose answers cannot be
// read, misses nothing.
func (k *Known) Missing(c *model.Cluster) (out []Missing) {
	if k.Template == nil || k.Template.parts == nil {
		return nil
	}
	parts := k.Template.parts(k.Answers)
	for _, part := range parts {
		if k.parts[part] == nil {
			out = append(out, Missing{Part: part, Policy: policyName(k.Name, part)})
		}
	}
	if k.Template != isolation {
		return out
	}
	for _, v := range k.added(c) {
		m := Missing{Part: tenantPart(v), Policy: policyName(k.Name, tenantPart(v)), Value: v}
		for ns := range c.Namespaces() {
			if has, ok := ns.Labels.Map()[k.Answers[askLabel]]; ok && has == v {
				m.Namespaces = append(m.Namespaces, ns.Name)
			}
		}
		out = append(out, m)
	}
	return out
}

// added are the values of the tenants' label that are in the cluster, and neither tenants
// of the set nor left out of it.
func (k *Known) added(c *model.Cluster) (out []string) {
	known := append(list(k.Answers[askTenants]), list(k.Answers[askLeftOut])...)
	for ns := range c.Namespaces() {
		v, ok := ns.Labels.Map()[k.Answers[askLabel]]
		if ok && v != "" && !slices.Contains(known, v) && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	return out
}
