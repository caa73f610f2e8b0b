package model_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/sources/manifests"
	"rung/test/made"
)

// The value as it is documented, and what is not: nothing but it isolates.
func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       model.Isolation
	}{
		{"as documented", "{\n  \"ingress\": {\n    \"isolation\": \"DefaultDeny\"\n  }\n}\n", model.Isolation{Isolated: true}},
		{"on one line", `{"ingress":{"isolation":"DefaultDeny"}}`, model.Isolation{Isolated: true}},
		{"more fields", `{"ingress":{"isolation":"DefaultDeny","x":1},"egress":{}}`, model.Isolation{Isolated: true}},
		{"quotes lost", "{ingress: {isolation: DefaultDeny}}",
			model.Isolation{Invalid: true, Problem: "is not JSON: invalid character 'i' looking for beginning of object key string"}},
		{"cut off", `{"ingress": {"isolation": "DefaultDeny"}`, model.Isolation{Invalid: true, Problem: "is not JSON: unexpected end of JSON input"}},
		{"empty", " \n", model.Isolation{Invalid: true, Problem: "is empty"}},
		{"a list", `["DefaultDeny"]`, model.Isolation{Invalid: true, Problem: "the value is a JSON array, not an object"}},
		{"a number for a word", `{"ingress":{"isolation":1}}`, model.Isolation{Invalid: true, Problem: "ingress.isolation is a JSON number, not a string"}},
		{"a word for an object", `{"ingress":"DefaultDeny"}`, model.Isolation{Invalid: true, Problem: "ingress is a JSON string, not an object"}},
		{"nothing said", `{}`, model.Isolation{Problem: "has no ingress.isolation"}},
		{"null", `null`, model.Isolation{Problem: "has no ingress.isolation"}},
		{"another value", `{"ingress":{"isolation":"DefaultAllow"}}`, model.Isolation{Problem: `ingress.isolation is "DefaultAllow", not "DefaultDeny"`}},
		{"another case", `{"ingress":{"isolation":"defaultdeny"}}`, model.Isolation{Problem: `ingress.isolation is "defaultdeny", not "DefaultDeny"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, model.ReadIsolation(c.text)); d != "" {
				t.Error(d)
			}
		})
	}
}

func cluster(t *testing.T, text string) *model.Cluster {
	t.Helper()
	r := manifests.Parse("x.yaml", []byte(text), manifests.Options{})
	for _, b := range r.Broken {
		t.Fatal(b)
	}
	return made.Cluster(r.Objects...)
}

const isolated = `
apiVersion: v1
kind: Namespace
metadata: {name: shop, annotations: {net.beta.kubernetes.io/network-policy: '{"ingress": {"isolation": "DefaultDeny"}}'}}
---
`

func np(name, more string) string {
	return "apiVersion: extensions/v1beta1\nkind: NetworkPolicy\nmetadata: {name: " + name + ", namespace: shop}\nspec: " + more + "\n---\n"
}

// What is made, and what is said about what is not.
func TestToNetworkPolicies(t *testing.T) {
	type result struct{ Made, Notes []string }
	for _, c := range []struct {
		name, text string
		want       result
	}{
		{"isolated, no policies", isolated, result{Made: []string{"default-deny-ingress: 0 rules"},
			Notes: []string{"Namespace shop: the annotation net.beta.kubernetes.io/network-policy can be removed"}}},
		{"one that allows", isolated + np("web", "{podSelector: {matchLabels: {app: web}}, ingress: [{from: [{podSelector: {}}]}, {}]}"),
			result{Made: []string{"default-deny-ingress: 0 rules", "web: 2 rules"},
				Notes: []string{"Namespace shop: the annotation net.beta.kubernetes.io/network-policy can be removed"}}},
		{"empty lists", isolated + np("web", "{podSelector: {}, ingress: [{from: []}, {ports: []}]}"),
			result{Made: []string{"default-deny-ingress: 0 rules"}, Notes: []string{
				"Namespace shop: the annotation net.beta.kubernetes.io/network-policy can be removed",
				"NP shop/web: ingress rule 0 not converted: its empty list matched nothing in 2016 but matches everything today",
				"NP shop/web: ingress rule 1 not converted: its empty list matched nothing in 2016 but matches everything today",
				"NP shop/web: not converted: it allows nothing, and the default deny is already there"}}},
		{"the name is taken", isolated + np("default-deny-ingress", "{podSelector: {}, ingress: [{}]}"),
			result{Made: []string{"default-deny-ingress-2: 0 rules", "default-deny-ingress: 1 rules"},
				Notes: []string{"Namespace shop: the annotation net.beta.kubernetes.io/network-policy can be removed"}}},
		{"isolated already", isolated + "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: deny, namespace: shop}\nspec: {podSelector: {}}\n",
			result{Notes: []string{"Namespace shop: NetworkPolicy deny already isolates all its pods: no default deny was added",
				"Namespace shop: the annotation net.beta.kubernetes.io/network-policy can be removed"}}},
		{"not isolated", np("web", "{podSelector: {}, ingress: [{}]}"),
			result{Notes: []string{"NP shop/web: not converted: namespace shop is not isolated, so it had no effect; today it would isolate its pods"}}},
		{"wrong JSON", "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, annotations: {net.beta.kubernetes.io/network-policy: 'DefaultDeny'}}\n",
			result{Notes: []string{"Namespace shop: not isolated: the annotation is not JSON: invalid character 'D' looking for beginning of value"}}},
		{"what came later", isolated + np("web", "{podSelector: {}, policyTypes: [Ingress, Egress], ingress: [{from: [{ipBlock: {cidr: 10.0.0.0/8}}]}], egress: [{}]}"),
			result{Made: []string{"default-deny-ingress: 0 rules", "web: 1 rules"}, Notes: []string{
				"Namespace shop: the annotation net.beta.kubernetes.io/network-policy can be removed",
				"NP shop/web: 1 egress rule not converted: the API of 2016 had no egress",
				"NP shop/web: has fields newer than the API of 2016: ipBlock; converted unchanged"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := model.ToNetworkPolicies(cluster(t, c.text))
			var out result
			for _, o := range got.NewPolicies {
				out.Made = append(out.Made, o.Name+": "+string(rune('0'+len(o.Spec.Ingress)))+" rules")
				if len(o.Spec.PolicyTypes) != 1 || o.Spec.PolicyTypes[0] != "Ingress" {
					t.Errorf("%s isolates %v", o.Name, o.Spec.PolicyTypes)
				}
			}
			for _, n := range got.Notes {
				out.Notes = append(out.Notes, n.About.Label()+": "+n.Text)
			}
			if d := cmp.Diff(c.want, out); d != "" {
				t.Error(d)
			}
		})
	}
}

// Whatever stands there, it is told either that it isolates or why it does not.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{`{"ingress": {"isolation": "DefaultDeny"}}`, "{", `{"ingress": null}`, `{"ingress": {"isolation": "x"}}`, "[]", "\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if i := model.ReadIsolation(text); i.Isolated == (i.Problem != "") || i.Isolated && i.Invalid {
			t.Errorf("%q: %+v", text, i)
		}
	})
}
