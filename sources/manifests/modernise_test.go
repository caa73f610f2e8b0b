package manifests

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
)

// firstForm is the AdminNetworkPolicy that the first documents show, with a comment.
const firstForm = `apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata:
  name: priority-50-example
spec:
  priority: 50
  subject:
    namespaces:
      matchLabels:
        kubernetes.io/metadata.name: gryffindor
  ingress:
  - name: "deny-all-ingress-from-slytherin" # the whole house
    action: "Deny"
    from:
    - pods:
        namespaces:
          namespaceSelector:
            matchLabels:
              conformance-house: slytherin
        podSelector:
          matchLabels:
            conformance-house: slytherin
  egress:
  - name: "pass-all-egress-to-slytherin"
    action: "Pass"
    to:
    - pods:
        namespaces:
          namespaceSelector:
            matchLabels:
              conformance-house: slytherin
        podSelector:
          matchLabels:
            conformance-house: slytherin
`

// A policy in the first form is shown as it was meant, does not count, and says what it is
// today.
func TestOlderForm(t *testing.T) {
	r := Parse("x.yaml", []byte(firstForm), Options{})
	if len(r.Broken) != 0 || len(r.Objects) != 1 {
		t.Fatalf("%d objects, broken %v", len(r.Objects), r.Broken)
	}
	p := r.Objects[0].(*model.Policy)
	if p.YAML != firstForm {
		t.Errorf("its text became\n%s", p.YAML)
	}
	if got := p.Ingress[0].Peers[0]; got.Namespaces.String() != "conformance-house=slytherin" || got.Pods.String() != "conformance-house=slytherin" {
		t.Errorf("peer %s", got)
	}
	if !p.IsRejected() {
		t.Error("it counts as if the server of today took it")
	}
	var said []string
	for _, b := range p.Invalid {
		said = append(said, b.String())
	}
	want := []string{
		"x.yaml:17 (document 0): AdminNetworkPolicy/priority-50-example: spec.ingress[0].from[0].pods.namespaces.namespaceSelector: is of an older form: today's API server drops it and rejects the rest of the peer, which lacks namespaceSelector; spec.ingress[0].from[0].pods.namespaces becomes pods.namespaceSelector, with the selector directly in it; the console (e) opens the converted text",
		"x.yaml:29 (document 0): AdminNetworkPolicy/priority-50-example: spec.egress[0].to[0].pods.namespaces.namespaceSelector: is of an older form: today's API server drops it and rejects the rest of the peer, which lacks namespaceSelector; spec.egress[0].to[0].pods.namespaces becomes pods.namespaceSelector, with the selector directly in it; the console (e) opens the converted text",
	}
	if d := cmp.Diff(want, said); d != "" {
		t.Error(d)
	}
	if bad := Validate(p); len(bad) > 0 {
		t.Errorf("what is not of the older form is refused: %v", bad)
	}
	now, broken := ParsePolicy([]byte(p.Older.Upgrade))
	if len(broken) > 0 || now == nil || now.IsRejected() || now.Older != nil {
		t.Fatalf("today's form: %v\n%s", broken, p.Older.Upgrade)
	}
	if !strings.Contains(p.Older.Upgrade, "# the whole house") {
		t.Errorf("the comment is lost:\n%s", p.Older.Upgrade)
	}
	if now.Ingress[0].Peers[0].String() != p.Ingress[0].Peers[0].String() || now.Egress[0].Peers[0].String() != p.Egress[0].Peers[0].String() {
		t.Errorf("it says something else today:\n%s", p.Older.Upgrade)
	}
	if model.SameContent(p, now) {
		t.Error("the two count as the same text")
	}
}

// What each place of the first form is today, or why nothing is.
func TestOlderPlaces(t *testing.T) {
	const blue = "{namespaces: {matchLabels: {tenant: blue}}}"
	for _, c := range []struct {
		name, subject, peer string
		shown, upgrade      string // the peer as it is shown, and as it is written today
		reason              string
	}{
		{"a selector of namespaces", blue, "namespaces: {namespaceSelector: {matchLabels: {team: web}}}", "ns: team=web", "ns: team=web", ""},
		{"every namespace", blue, "namespaces: {namespaceSelector: {}}", "ns: all", "ns: all", ""},
		{"same labels, one value", blue, "namespaces: {sameLabels: [tenant]}", "ns: tenant=blue", "ns: tenant=blue", ""},
		{"in small letters", blue, "namespaces: {samelabels: [tenant]}", "ns: tenant=blue", "ns: tenant=blue", ""},
		{"same labels, any value", "{namespaces: {}}", "namespaces: {sameLabels: [tenant]}", "ns: tenant", "",
			"today's API cannot compare with the subject, which may have any value of tenant: write one policy for each value"},
		{"same labels, one of two values known", blue, "namespaces: {sameLabels: [tenant, env]}", "ns: env,tenant", "",
			"today's API cannot compare with the subject, which may have any value of tenant, env: write one policy for each value"},
		{"no labels", blue, "namespaces: {sameLabels: []}", "ns: all", "",
			"an empty sameLabels selected nothing, but today's empty selector selects everything: remove the rule"},
		{"not the same labels", blue, "namespaces: {notSameLabels: [tenant]}", "ns: tenant", "",
			"old releases disagree about notSameLabels (without the labels, or with another value than the subject's), and today's API cannot compare with the subject: write one policy for each value of tenant"},
		{"two at once", blue, "namespaces: {namespaceSelector: {matchLabels: {a: b}}, sameLabels: [tenant]}", "ns: a=b", "",
			"it has namespaceSelector and other fields; only one is allowed"},
		{"pods of same labels", blue, "pods: {namespaces: {sameLabels: [tenant]}, podSelector: {matchLabels: {app: db}}}", "pods: app=db in ns: tenant=blue", "pods: app=db in ns: tenant=blue", ""},
		{"an older subject", "{namespaceSelector: {matchLabels: {tenant: blue}}}", "namespaces: {matchLabels: {team: web}}", "ns: team=web", "ns: team=web", ""},
		{"an older subject of pods", "{namespaceAndPodSelector: {namespaceSelector: {}, podSelector: {matchLabels: {app: a}}}}", "namespaces: {}", "ns: all", "ns: all", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := anpHead + "metadata: {name: a}\nspec:\n  priority: 10\n  subject: " + c.subject + "\n  ingress:\n  - action: Deny\n    from:\n    - " + c.peer + "\n"
			for _, list := range []bool{false, true} {
				in := text
				if list {
					in = "apiVersion: v1\nkind: List\nitems:\n- " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
				}
				r := Parse("x.yaml", []byte(in), Options{})
				if len(r.Objects) != 1 {
					t.Fatalf("broken %v", r.Broken)
				}
				p := r.Objects[0].(*model.Policy)
				if got := p.Ingress[0].Peers[0].String(); got != c.shown {
					t.Errorf("shown as %q", got)
				}
				if p.Older == nil || !p.IsRejected() {
					t.Fatal("it counts as today's form")
				}
				if got := strings.Join(p.Older.Reasons, "; "); !strings.HasSuffix(got, c.reason) || (got == "") != (c.reason == "") {
					t.Errorf("reason %q", got)
				}
				if c.upgrade == "" {
					if p.Older.Upgrade != "" {
						t.Errorf("an upgrade\n%s", p.Older.Upgrade)
					}
					continue
				}
				now, broken := ParsePolicy([]byte(p.Older.Upgrade))
				if len(broken) > 0 || now == nil || now.Older != nil || now.IsRejected() {
					t.Fatalf("%v\n%s", broken, p.Older.Upgrade)
				}
				if got := now.Ingress[0].Peers[0].String(); got != c.upgrade || now.Subject.String() != p.Subject.String() {
					t.Errorf("upgraded to %q of %q\n%s", got, now.Subject, p.Older.Upgrade)
				}
			}
		})
	}
}

// A NetworkPolicy of 2016 is read as one of today that isolates ingress, and keeps its API
// version.
func TestNetworkPolicyOf2016(t *testing.T) {
	text := "apiVersion: extensions/v1beta1\nkind: NetworkPolicy\nmetadata: {name: web, namespace: shop}\nspec:\n  podSelector: {matchLabels: {app: web}}\n  ingress:\n  - from:\n    - namespaceSelector: {matchLabels: {team: mon}}\n    ports:\n    - {protocol: TCP, port: 80}\n"
	p, broken := ParsePolicy([]byte(text))
	if p == nil || len(broken) > 0 {
		t.Fatal(broken)
	}
	today, _ := ParsePolicy([]byte(strings.Replace(text, "extensions/v1beta1", "networking.k8s.io/v1", 1)))
	if p.APIVersion != model.APIVersionNP2016 || today.APIVersion != "" {
		t.Errorf("API versions %q and %q", p.APIVersion, today.APIVersion)
	}
	if !p.IsolatesIngress || p.IsolatesEgress || p.Ingress[0].Peers[0].String() != today.Ingress[0].Peers[0].String() || p.Key != today.Key {
		t.Errorf("%+v", p)
	}
	out, err := Marshal(p)
	if err != nil || !strings.HasPrefix(string(out), "apiVersion: extensions/v1beta1\nkind: NetworkPolicy\n") {
		t.Errorf("written as\n%s (%v)", out, err)
	}
	if _, broken := ParsePolicy([]byte(strings.Replace(text, "podSelector: {matchLabels", "podSelecter: {matchLabels", 1))); len(broken) == 0 || broken[0].Code != CodeUnknown {
		t.Errorf("a field it does not know: %v", broken)
	}
}
