package model

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	networkingv1 "k8s.io/api/networking/v1"

	"rung/model/words"
)

// DefaultDeny is the only isolating value.
const DefaultDeny = "DefaultDeny"

// Isolation is the isolation that an annotation requests.
type Isolation struct {
	// Isolated reports that the namespace's pods accept only what NetworkPolicies allow.
	Isolated bool
	// Problem is why an annotation does not isolate, or empty.
	Problem string
	// Invalid reports that the annotation cannot be read at all.
	Invalid bool
}

// ReadIsolation reads the annotation's value. An invalid or different value does not isolate.
func ReadIsolation(text string) Isolation {
	var v struct {
		Ingress *struct {
			Isolation *string `json:"isolation"`
		} `json:"ingress"`
	}
	if strings.TrimSpace(text) == "" {
		return Isolation{Problem: "is empty", Invalid: true}
	}
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return Isolation{Problem: jsonProblem(err), Invalid: true}
	}
	switch {
	case v.Ingress == nil || v.Ingress.Isolation == nil:
		return Isolation{Problem: "has no ingress.isolation"}
	case *v.Ingress.Isolation != DefaultDeny:
		return Isolation{Problem: fmt.Sprintf("ingress.isolation is %q, not %q", words.CleanText(*v.Ingress.Isolation), DefaultDeny)}
	}
	return Isolation{Isolated: true}
}

// jsonProblem describes an error of package json for people who do not know Go.
func jsonProblem(err error) string {
	if t, ok := err.(*json.UnmarshalTypeError); ok {
		want := "a string"
		if t.Type.Kind() == reflect.Struct {
			want = "an object"
		}
		return fmt.Sprintf("%s is a JSON %s, not %s", cmp.Or(words.CleanText(t.Field), "the value"), words.CleanText(t.Value), want)
	}
	return "is not JSON: " + words.CleanText(err.Error())
}

// NamespaceIsolation returns the isolation requested by a namespace's annotation; there is false without one.
func NamespaceIsolation(ns *Namespace) (i Isolation, there bool) {
	if ns == nil {
		return Isolation{}, false
	}
	text, there := ns.Annotations[AnnotationIsolation]
	if !there {
		return Isolation{}, false
	}
	return ReadIsolation(text), true
}

// IsIsolated reports whether the annotation isolates a namespace.
func IsIsolated(c *Cluster, namespace string) bool {
	i, _ := NamespaceIsolation(c.Namespace(namespace))
	return i.Isolated
}

// IsNetpol2016 reports whether a policy is a NetworkPolicy of the API of 2016.
func IsNetpol2016(p *Policy) bool {
	return p.Kind == KindNP && p.APIVersion == APIVersionNP2016
}

// IsolatesPods reports whether a NetworkPolicy by itself isolates its pods in a direction. If the annotation
// counts, NetworkPolicies of 2016 do not; their namespace's annotation does.
func IsolatesPods(p *Policy, d Direction, annotationCounts bool) bool {
	return !(annotationCounts && IsNetpol2016(p)) && p.IsolatesDirection(d)
}

// RulesCount reports whether the rules of a NetworkPolicy decide anything if the annotation counts. Rules of
// 2016 decide only ingress, and only in an isolated namespace.
func RulesCount(c *Cluster, p *Policy, d Direction) bool {
	return !IsNetpol2016(p) || d == Ingress && IsIsolated(c, p.Namespace)
}

// MatchesNothing reports whether a rule of a NetworkPolicy of 2016 matches nothing because of an empty list of
// peers or ports. Since Kubernetes 1.7 an empty list means any, like a missing one
// (older-forms.md#networkpolicies-of-extensionsv1beta1).
func MatchesNothing(p *Policy, r *Rule) bool {
	o, typed := p.Original.(*networkingv1.NetworkPolicy)
	if !typed || !IsNetpol2016(p) || r.Direction != Ingress || r.Index >= len(o.Spec.Ingress) {
		return false
	}
	in := &o.Spec.Ingress[r.Index]
	return in.From != nil && len(in.From) == 0 || in.Ports != nil && len(in.Ports) == 0
}

// NewerFields returns the fields of a policy that the API of 2016 did not have.
func NewerFields(p *Policy) (fields []string) {
	o, typed := p.Original.(*networkingv1.NetworkPolicy)
	if !typed || !IsNetpol2016(p) {
		return nil
	}
	seen := map[string]bool{}
	has := func(field string, is bool) {
		if is && !seen[field] {
			seen[field] = true
			fields = append(fields, field)
		}
	}
	has("policyTypes", len(o.Spec.PolicyTypes) > 0)
	has("egress", len(o.Spec.Egress) > 0)
	for _, r := range o.Spec.Ingress {
		for _, f := range r.From {
			has("ipBlock", f.IPBlock != nil)
			has("podSelector beside namespaceSelector", f.PodSelector != nil && f.NamespaceSelector != nil)
		}
		for _, port := range r.Ports {
			has("endPort", port.EndPort != nil)
		}
	}
	return fields
}
