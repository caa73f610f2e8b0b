package lint

import (
	"fmt"
	"strings"

	"rung/model"
	"rung/model/words"
)

// checkIsolations reports the isolation annotations of 2016 (older-forms.md#the-isolation-annotation-of-2016):
// whether they take effect, and today's isolating NetworkPolicies in the same namespace.
func (l *netpolLint) checkIsolations() {
	today := map[string][]string{} // NetworkPolicies of today's API, by namespace
	for _, p := range l.otherPolicies {
		if p.Kind == model.KindNP && !model.IsNetpol2016(p) && p.IsolatesDirection(model.Ingress) {
			today[p.Namespace] = append(today[p.Namespace], p.Name)
		}
	}
	for ns := range l.c.Namespaces() {
		i, there := model.NamespaceIsolation(ns)
		if !there {
			continue
		}
		say := func(k *Kind, message string) {
			l.addFinding(k, model.Finding{Policy: ns.Key, Rule: -1, Message: message, Origin: ns.Origin})
		}
		if !i.Isolated {
			say(IsolationInvalid, fmt.Sprintf("the annotation %s isolates nothing: %s", model.AnnotationIsolation, i.Problem))
			continue
		}
		if !l.legacy {
			say(IsolationIgnored, fmt.Sprintf("the annotation %s isolates nothing today: Kubernetes since 1.7 and OVN-Kubernetes ignore it",
				model.AnnotationIsolation))
		}
		if names := today[ns.Name]; len(names) > 0 {
			counts := "only these count"
			if l.legacy {
				counts = "with --legacy-isolation both count"
			}
			say(IsolationBoth, fmt.Sprintf("it has the isolation annotation of 2016 and %s of today that %s ingress (%s): %s",
				words.Count(len(names), "NetworkPolicy"), words.OneOrMany(len(names), "isolates", "isolate"), words.ListFew(names, shown), counts))
		}
	}
}

// checkNetpol2016 reports NetworkPolicies of extensions/v1beta1
// (older-forms.md#networkpolicies-of-extensionsv1beta1).
func (l *netpolLint) checkNetpol2016(p *model.Policy) {
	if !model.IsNetpol2016(p) {
		return
	}
	message := "apiVersion " + p.APIVersion + " is gone since Kubernetes 1.16: "
	if l.legacy {
		message += "it is read as the API of 2016, and isolates nothing by itself"
	} else {
		message += "it is read as networking.k8s.io/v1"
	}
	if newer := model.NewerFields(p); len(newer) > 0 && l.legacy {
		message += "; that API had no " + strings.Join(newer, ", ")
	}
	l.addAbout(p, NetpolOlderAPI, message)
	if l.legacy && !model.IsIsolated(l.c, p.Namespace) {
		l.addAbout(p, NetpolNoEffect, "it decides nothing: namespace "+p.Namespace+" is not isolated by its annotation")
	}
	for r := range p.AllRules() {
		if !model.MatchesNothing(p, r) {
			continue
		}
		message := "the rule has an empty list: in 2016 that matched nothing, today it matches everything"
		if l.legacy {
			message = "the rule has an empty list: it matches nothing, as in 2016"
		}
		l.addAboutRule(p, r, NetpolEmptyList, message)
	}
}
