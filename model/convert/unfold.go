package convert

import (
	"strings"

	"rung/model"
	"rung/model/words"
)

// sameLabels are the labels that a namespace must have for a policy to be there for its
// pods, whichever rule names them (antrea.md#same-labels).
func sameLabels(p *model.Policy) (out []string) {
	for r := range p.AllRules() {
		for i := range r.Peers {
			if m := r.Peers[i].Match; m != nil {
				out = append(out, m.SameLabels...)
			}
		}
	}
	return distinct(out)
}

// value is what the namespaces of a group have in common.
type value struct {
	name     string // for people, and in the name of the policy
	selector model.Selector
}

// emptyValue is the label value that is empty, for people.
const emptyValue = `""`

// valueOf is what a namespace has of labels, all of them; without labels it is its name.
func valueOf(ns *model.Namespace, keys []string) (v value, ok bool) {
	if len(keys) == 0 {
		return value{ns.Name, named(ns.Name)}, true
	}
	labels, texts := map[string]string{}, []string{}
	for _, k := range keys {
		v, has := ns.Labels.Map()[k]
		if !has {
			return value{}, false
		}
		labels[k], texts = v, append(texts, v)
	}
	name := strings.Join(texts, ",")
	if name == "" {
		name = emptyValue
	}
	return value{name, model.SelectorOf(model.NewLabels(labels))}, true
}

// values are those of the namespaces that a subject has, in order.
func (f *importer) values(subject *model.Subject, keys []string) (out []value) {
	seen := map[string]bool{}
	for ns := range f.c.Namespaces() {
		if !subject.Namespaces.Matches(ns.Labels) {
			continue
		}
		if v, ok := valueOf(ns, keys); ok && !seen[v.name] {
			seen[v.name] = true
			out = append(out, v)
		}
	}
	return out
}

// unfold says a peer that is seen from the namespace of the pod: once for each value there is.
func (f *importer) unfold(s *saying, subjects []model.Subject, peer *model.Peer, ports []model.Port) {
	labels := peer.Match.SameLabels
	if peer.Match.Self {
		labels = nil
	}
	var names []string
	for i := range subjects {
		for _, v := range f.values(&subjects[i], labels) {
			names = append(names, v.name)
			subject := subjectOf(and(subjects[i].Namespaces, v.selector), subjects[i].Pods)
			s.add(subject, &Record{From: s.policy.Label(), Labels: labels, Value: v.name, Of: subjects[i].Namespaces},
				[]model.Peer{podsOf(v.selector, peer.Pods)}, ports)
		}
	}
	names = distinct(names)
	switch {
	case peer.Match.Self && len(names) == 0:
		s.drift("there is no namespace that it applies to")
	case len(names) == 0:
		s.drift("there is no namespace with %s that it applies to", labelled(labels))
	case peer.Match.Self:
		s.drift("one policy for each of %s: a new one is not covered", words.Count(len(names), "namespace"))
	default:
		s.drift("one policy for each of %s of %s: a new one is not covered", words.Count(len(names), "value"), labelled(labels))
	}
	f.again(s.policy.Key, labels, names)
}

func labelled(labels []string) string {
	return words.Form(len(labels), "label ", "labels ") + words.List(labels, 3)
}

// again notes that new values want the conversion again.
func (f *importer) again(k model.PolicyKey, labels, values []string) {
	for i := range f.out.Again {
		if a := &f.out.Again[i]; a.Policy == k && strings.Join(a.Labels, ",") == strings.Join(labels, ",") {
			a.Values = distinct(append(a.Values, values...))
			return
		}
	}
	f.out.Again = append(f.out.Again, Again{Policy: k, Labels: append([]string(nil), labels...), Values: values})
}
