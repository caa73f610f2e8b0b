package manifests

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
)

// of2022 and today are one policy, then and now.
const (
	of2022 = `apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata:
  name: cluster-wide-allow
spec:
  priority: 34
  subject:
    namespaceAndPodSelector:
      namespaceSelector:
        matchLabels:
          kubernetes.io/metadata.name: shop
      podSelector: {}
  ingress:
  - action: Allow
    from:
    - namespaces:
        self: true # each other
    ports:
      # what the web serves
      list:
      - protocol: TCP
        port: 8080
      - port: 9000
        endPort: 9100
  - action: Deny
    from:
    - namespaces:
        notSelf: true
    ports:
      allPorts: true
  egress:
  - action: Pass
    to:
    - namespacedPods:
        namespaces:
          namespaceSelector:
            matchLabels:
              team: dns
        pods:
          podSelector:
            matchLabels:
              app: dns
    ports:
      list:
      - protocol: UDP
        port: 53
`
	today = `apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata:
  name: cluster-wide-allow
spec:
  priority: 34
  subject:
    pods:
      namespaceSelector:
        matchLabels:
          kubernetes.io/metadata.name: shop
      podSelector: {}
  ingress:
    - action: Allow
      from:
        - namespaces:
            matchLabels:
              kubernetes.io/metadata.name: shop # each other
      ports:
        # what the web serves
        - portNumber:
            protocol: TCP
            port: 8080
        - portRange:
            protocol: TCP
            start: 9000
            end: 9100
    - action: Deny
      from:
        - namespaces:
            matchExpressions:
              - key: kubernetes.io/metadata.name
                operator: NotIn
                values:
                  - shop
  egress:
    - action: Pass
      to:
        - pods:
            namespaceSelector:
              matchLabels:
                team: dns
            podSelector:
              matchLabels:
                app: dns
      ports:
        - portNumber:
            protocol: UDP
            port: 53
`
)

// A whole policy of 2022 is shown as it was meant, and is today's, with its comments.
func TestForm2022(t *testing.T) {
	small := of2022
	for _, f := range []string{"namespaceAndPodSelector", "namespacedPods", "notSelf", "allPorts", "endPort", "podSelector", "namespaceSelector"} {
		small = strings.ReplaceAll(small, f, strings.ToLower(f))
	}
	for name, text := range map[string]string{"as it was last": of2022, "in small letters, as it was first": small} {
		r := Parse("x.yaml", []byte(text), Options{})
		if len(r.Broken) != 0 || len(r.Objects) != 1 {
			t.Fatalf("%s: %d objects, broken %v", name, len(r.Objects), r.Broken)
		}
		p := r.Objects[0].(*model.Policy)
		if p.YAML != text || p.Older == nil || !p.IsRejected() {
			t.Fatalf("%s: older %+v, refused %v, text\n%s", name, p.Older, p.IsRejected(), p.YAML)
		}
		if len(p.Older.Reasons) > 0 {
			t.Errorf("%s: %v", name, p.Older.Reasons)
		}
		if d := cmp.Diff(today, p.Older.Upgrade); d != "" {
			t.Errorf("%s: today (-want +got):\n%s", name, d)
		}
		for _, b := range p.Invalid {
			if b.Code != model.InvalidOlder || b.Origin.Line == 0 {
				t.Errorf("%s: %s", name, b)
			}
		}
		if bad := Validate(p); len(bad) > 0 {
			t.Errorf("%s: what is not of the older form is refused: %v", name, bad)
		}
		now, broken := ParsePolicy([]byte(p.Older.Upgrade))
		if len(broken) > 0 || now == nil || now.IsRejected() || now.Older != nil {
			t.Fatalf("%s: %v", name, broken)
		}
		if d := cmp.Diff(rulesOf(now), rulesOf(p)); d != "" {
			t.Errorf("%s: it is shown otherwise than it is written (-written +shown):\n%s", name, d)
		}
	}
}

// directionRules is what a policy says, in lines.
func rulesOf(p *model.Policy) (out []string) {
	out = append(out, p.Subject.String())
	for _, r := range append(append([]model.Rule{}, p.Ingress...), p.Egress...) {
		l := string(r.Direction) + " " + string(r.Action)
		for _, pe := range r.Peers {
			l += " | " + pe.String()
		}
		for _, po := range r.Ports {
			l += " : " + po.String()
		}
		out = append(out, l)
	}
	return out
}

// Each place of the form of 2022, what it is today, or why nothing is.
func TestPlacesOf2022(t *testing.T) {
	const one, many = "{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: shop}}}", "{namespaces: {}}"
	for _, c := range []struct {
		name, subject, rule string // a rule without its action
		shown               string
		reason              string
		priority            string
	}{
		{"every port", many, "{from: [{namespaces: {}}], ports: {allPorts: true}}", "Ingress Deny | ns: all", "", "1"},
		{"allPorts that is false", many, "{from: [{namespaces: {}}], ports: {allPorts: false}}", "Ingress Deny | ns: all", "allPorts could only be true", "1"},
		{"both", many, "{from: [{namespaces: {}}], ports: {allPorts: true, list: [{port: 1}]}}", "Ingress Deny | ns: all : tcp 1", "it has allPorts and list; only one is allowed", "1"},
		{"an empty list", many, "{from: [{namespaces: {}}], ports: {list: []}}", "Ingress Deny | ns: all", "an empty list selected no port, but today a rule without ports selects all: remove the rule", "1"},
		{"TCP where no protocol is", many, "{from: [{namespaces: {}}], ports: {list: [{port: 80}]}}", "Ingress Deny | ns: all : tcp 80", "", "1"},
		{"SCTP, a range", many, "{from: [{namespaces: {}}], ports: {list: [{protocol: SCTP, port: 80, endPort: 90}]}}", "Ingress Deny | ns: all : sctp 80–90", "", "1"},
		{"a range of one", many, "{from: [{namespaces: {}}], ports: {list: [{protocol: UDP, port: 80, endPort: 80}]}}", "Ingress Deny | ns: all : udp 80", "", "1"},
		{"a name", many, "{from: [{namespaces: {}}], ports: {list: [{protocol: TCP, port: web}]}}", "Ingress Deny | ns: all : \"web\"",
			"list[0] is TCP only, but today's namedPort takes the protocol of the pods' port: write namedPort if that is TCP", "1"},
		{"no port", many, "{from: [{namespaces: {}}], ports: {list: [{protocol: TCP}]}}", "", "", "1"},
		{"self, one namespace", one, "{from: [{namespaces: {self: true}}]}", "Ingress Deny | ns: name=shop", "", "1"},
		{"self, any namespace", many, "{from: [{namespaces: {self: true}}]}", "Ingress Deny | ns: name",
			"today's API cannot compare with the subject's own namespace: write one policy for each namespace", "1"},
		{"self that is false", one, "{from: [{namespaces: {self: false}}]}", "Ingress Deny | ns: name", "self could only be true", "1"},
		{"self and more", one, "{from: [{namespaces: {self: true, sameLabels: [a]}}]}", "Ingress Deny | ns: a", "it has two fields; only one is allowed", "1"},
		{"pods of its own namespace", one, "{from: [{namespacedPods: {namespaces: {self: true}, pods: {podSelector: {matchLabels: {app: db}}}}}]}",
			"Ingress Deny | pods: app=db in ns: name=shop", "", "1"},
		{"priority 0", one, "{from: [{namespaces: {}}]}", "Ingress Deny | ns: all",
			"releases of that form disagree about priority 0 (before all policies, or after NetworkPolicies like today's baseline): write a BaselineAdminNetworkPolicy, or another priority", "0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rule := "{action: Deny, " + strings.TrimPrefix(c.rule, "{")
			r := Parse("x.yaml", []byte(anpHead+"metadata: {name: a}\nspec: {priority: "+c.priority+", subject: "+c.subject+", ingress: ["+rule+"]}\n"), Options{})
			if c.shown == "" { // it says nothing that can be shown
				if len(r.Objects) != 0 || len(r.Broken) == 0 {
					t.Errorf("%d objects, %v", len(r.Objects), r.Broken)
				}
				return
			}
			if len(r.Objects) != 1 {
				t.Fatalf("broken %v", r.Broken)
			}
			p := r.Objects[0].(*model.Policy)
			if d := cmp.Diff([]string{c.shown}, rulesOf(p)[1:]); d != "" {
				t.Errorf("shown (-want +got):\n%s", d)
			}
			if p.Older == nil || !p.IsRejected() {
				t.Fatal("it counts as today's form")
			}
			got := strings.Join(p.Older.Reasons, "; ")
			if !strings.HasSuffix(got, c.reason) || (got == "") != (c.reason == "") || (p.Older.Upgrade == "") != (c.reason != "") {
				t.Fatalf("reason %q, upgrade\n%s", got, p.Older.Upgrade)
			}
			if c.reason != "" {
				return
			}
			now, broken := ParsePolicy([]byte(p.Older.Upgrade))
			if len(broken) > 0 || now == nil || now.Older != nil || now.IsRejected() {
				t.Fatalf("%v\n%s", broken, p.Older.Upgrade)
			}
			if d := cmp.Diff(rulesOf(p), rulesOf(now)); d != "" {
				t.Errorf("upgraded to something else (-shown +upgraded):\n%s", d)
			}
		})
	}
}

// The baseline of that document is written in the same form, without a priority.
func TestOlderBaseline(t *testing.T) {
	text := strings.NewReplacer("kind: AdminNetworkPolicy", "kind: BaselineAdminNetworkPolicy", "name: priority-50-example", "name: default", "  priority: 50\n", "",
		"pass-all", "deny-all", `"Pass"`, `"Deny"`).Replace(firstForm)
	r := Parse("x.yaml", []byte(text), Options{})
	if len(r.Objects) != 1 {
		t.Fatal(r.Broken)
	}
	p := r.Objects[0].(*model.Policy)
	if p.Older == nil || p.Older.Upgrade == "" || !p.IsRejected() {
		t.Fatalf("older %+v, refused %v", p.Older, p.IsRejected())
	}
	now, broken := ParsePolicy([]byte(p.Older.Upgrade))
	if len(broken) > 0 || now.Kind != model.KindBANP {
		t.Fatal(broken)
	}
	if d := cmp.Diff(rulesOf(p), rulesOf(now)); d != "" {
		t.Errorf("(-shown +upgraded):\n%s", d)
	}
}
