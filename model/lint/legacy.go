package lint

import (
	"fmt"
	"strings"

	"rung/model"
	"rung/model/legacy"
	"rung/model/lint/codes"
	"rung/model/words"
)

// How to come from what was written in 2016 to today's objects.
const (
	remedyConvert = "rung convert --to networkpolicy writes today's equal"
	remedyJSON    = `write {"ingress": {"isolation": "DefaultDeny"}}, or remove the annotation`
)

// isolationAnnotations reports the isolation annotations of 2016
// (older-forms.md#the-isolation-annotation-of-2016): what they meant, whether it counts,
// and what stands beside them.
func (l *linter) isolationAnnotations() {
	today := map[string][]string{} // NetworkPolicies of today's API, by namespace
	for _, p := range l.others {
		if p.Kind == model.KindNP && !legacy.Is2016(p) && p.Isolates(model.Ingress) {
			today[p.Namespace] = append(today[p.Namespace], p.Name)
		}
	}
	for ns := range l.c.Namespaces() {
		i, there := legacy.Of(ns)
		if !there {
			continue
		}
		say := func(code string, s model.Severity, message, remedy string) {
			l.out = append(l.out, model.Finding{Code: code, Severity: s, Policy: ns.Key, Rule: -1, Message: message, Remedy: remedy, Origin: ns.Origin})
		}
		if !i.Isolated {
			say(codes.IsolationInvalid, model.SeverityWarning, fmt.Sprintf("the annotation %s isolates nothing: %s", model.AnnotationIsolation, i.Problem), remedyJSON)
			continue
		}
		if !l.legacy {
			say(codes.IsolationIgnored, model.SeverityWarning, fmt.Sprintf("the annotation %s isolates nothing today: Kubernetes since 1.7 and OVN-Kubernetes ignore it",
				model.AnnotationIsolation), remedyConvert+"; --legacy-isolation shows what it meant")
		}
		if names := today[ns.Name]; len(names) > 0 {
			message := fmt.Sprintf("it has the isolation annotation of 2016 and %s of today that %s ingress (%s): ", words.Count(len(names), "NetworkPolicy"),
				words.Form(len(names), "isolates", "isolate"), words.Few(names, shown))
			if l.legacy {
				message += "with --legacy-isolation both count"
			} else {
				message += "only these count"
			}
			say(codes.IsolationBoth, model.SeverityInfo, message, "remove the annotation once NetworkPolicies isolate what it meant")
		}
	}
}

// netpol2016 reports NetworkPolicies of extensions/v1beta1
// (older-forms.md#networkpolicies-of-extensionsv1beta1).
func (l *linter) netpol2016(p *model.Policy) {
	if !legacy.Is2016(p) {
		return
	}
	remedy := remedyConvert
	message := "apiVersion " + p.APIVersion + " is gone since Kubernetes 1.16: "
	if l.legacy {
		message += "it is read as the API of 2016, and isolates nothing by itself"
	} else {
		message += "it is read as networking.k8s.io/v1"
	}
	if newer := legacy.Newer(p); len(newer) > 0 && l.legacy {
		message += "; that API had no " + strings.Join(newer, ", ")
	}
	l.about(p, codes.NetpolOlderAPI, model.SeverityWarning, message, remedy)
	if l.legacy && !legacy.Isolated(l.c, p.Namespace) {
		l.about(p, codes.NetpolNoEffect, model.SeverityWarning, "it decides nothing: namespace "+p.Namespace+" is not isolated by its annotation",
			"isolate the namespace, or delete the policy")
	}
	for r := range p.AllRules() {
		if !legacy.MatchesNothing(p, r) {
			continue
		}
		message := "a list of its rule is there and empty: in 2016 that matched nothing, today it matches everything"
		if l.legacy {
			message = "a list of its rule is there and empty: the rule matches nothing, as in 2016"
		}
		l.aboutRule(p, r, codes.NetpolEmptyList, model.SeverityWarning, message, "remove the rule if nothing is meant, or the list if everything is")
	}
}
