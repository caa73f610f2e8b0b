package antrea

import (
	"cmp"
	"slices"
	"strings"

	"rung/model"
	"rung/model/words"
)

// accountLabel is reserved by Antrea for itself.
const accountLabel = "internal.antrea.io/service-account"

// checkLabels finds pods and namespaces with accountLabel, and selectors with it.
func (k *checker) checkLabels() {
	var names []string
	var first *model.Meta
	note := func(m *model.Meta, name string) {
		if _, ok := m.Labels.Map()[accountLabel]; ok {
			names, first = append(names, name), cmp.Or(first, m)
		}
	}
	for p := range k.c.Pods() {
		note(&p.Meta, p.Namespace+"/"+p.Name)
	}
	for ns := range k.c.Namespaces() {
		note(&ns.Meta, "namespace "+ns.Name)
	}
	if first != nil {
		slices.Sort(names)
		k.addAboutObject(first, AccountLabel, words.ListFew(names, 3)+words.OneOrMany(len(names), " has", " have")+" the label "+accountLabel+
			", which Antrea reserves", "remove the label")
	}
	for p := range k.c.EveryPolicy() {
		if slices.ContainsFunc(policySelectors(p), usesAccountLabel) {
			k.addAboutObject(&p.Meta, AccountLabel, "selects by the label "+accountLabel+", which Antrea reserves",
				"select by serviceAccount")
		}
	}
	for _, kind := range []model.Kind{model.KindClusterGroup, model.KindGroup} {
		for g := range k.c.Groups(kind) {
			if usesAccountLabel(g.Namespaces) || usesAccountLabel(g.Pods) {
				k.addAboutObject(&g.Meta, AccountLabel, "selects by the label "+accountLabel+", which Antrea reserves",
					"use serviceAccount in the policy")
			}
		}
	}
}

func usesAccountLabel(s model.Selector) bool { return strings.Contains(s.Key(), accountLabel) }

func policySelectors(p *model.Policy) []model.Selector {
	out := []model.Selector{p.Subject.Namespaces, p.Subject.Pods}
	add := func(list []model.AppliedTo) {
		for i := range list {
			out = append(out, list[i].Namespaces, list[i].Pods)
		}
	}
	if p.Tiered != nil {
		add(p.Tiered.AppliedTo)
	}
	for r := range p.AllRules() {
		if r.Tiered != nil {
			add(r.Tiered.AppliedTo)
		}
		for i := range r.Peers {
			out = append(out, r.Peers[i].Namespaces, r.Peers[i].Pods)
		}
	}
	return out
}
