package logline

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
)

func TestDecodeName(t *testing.T) {
	r := strings.Repeat
	anp := func(name string, d model.Direction, rule int, exact bool) RuleRef {
		return RuleRef{model.Key{Kind: model.KindANP, Namespace: "", Name: name}, d, rule, exact}
	}
	np := func(ns, name string, d model.Direction, rule int, exact bool) RuleRef {
		return RuleRef{model.Key{Kind: model.KindNP, Namespace: ns, Name: name}, d, rule, exact}
	}
	ef := func(ns string, rule int, exact bool) RuleRef {
		return RuleRef{model.Key{Kind: model.KindEF, Namespace: ns, Name: "default"}, model.Egress, rule, exact}
	}
	for _, tc := range []struct {
		name string
		want RuleRef
		bad  bool
	}{
		{name: "ANP:cluster-control:Egress:5", want: anp("cluster-control", model.Egress, 5, true)},
		{name: "ANP:a.b-c:Ingress:99", want: anp("a.b-c", model.Ingress, 99, true)},
		{name: "BANP:default:Ingress:0", want: RuleRef{model.Key{Kind: model.KindBANP, Namespace: "", Name: "default"}, model.Ingress, 0, true}},
		{name: "NP:default:test-policy:Egress:12", want: np("default", "test-policy", model.Egress, 12, true)},
		{name: "NP:default:Ingress", want: np("default", "", model.Ingress, -1, true)},
		{name: "NP:blue:ingress:Ingress:0", want: np("blue", "ingress", model.Ingress, 0, true)},
		{name: "EF:blue:0", want: ef("blue", 0, true)},
		{name: "EF:blue:8000", want: ef("blue", 8000, true)},

		// 63 characters: what is left of the policy's name, the direction, the index.
		{name: "ANP:" + r("a", 59), want: anp(r("a", 59), "", -1, false)},
		{name: "ANP:" + r("a", 58) + ":", want: anp(r("a", 58), "", -1, false)},
		{name: "ANP:" + r("a", 57) + ":E", want: anp(r("a", 57), model.Egress, -1, false)},
		{name: "ANP:" + r("a", 52) + ":Egress", want: anp(r("a", 52), model.Egress, -1, false)},
		{name: "ANP:" + r("a", 51) + ":Egress:", want: anp(r("a", 51), model.Egress, -1, false)},
		{name: "ANP:" + r("a", 50) + ":Egress:1", want: anp(r("a", 50), model.Egress, -1, false)},
		{name: "ANP:" + r("a", 50) + ":Egress:0", want: anp(r("a", 50), model.Egress, 0, true)},
		{name: "ANP:" + r("a", 49) + ":Egress:12", want: anp(r("a", 49), model.Egress, 12, true)},
		{name: "BANP:" + r("a", 58), want: RuleRef{model.Key{Kind: model.KindBANP, Namespace: "", Name: r("a", 58)}, "", -1, false}},
		{name: "NP:" + r("n", 60), want: np(r("n", 60), "", "", -1, false)},
		{name: "NP:" + r("n", 57) + ":ab", want: np(r("n", 57), "ab", "", -1, false)},
		{name: "NP:" + r("n", 57) + ":In", want: np(r("n", 57), "", model.Ingress, -1, false)},
		{name: "NP:" + r("n", 52) + ":Ingress", want: np(r("n", 52), "", model.Ingress, -1, true)},
		{name: "NP:ns:" + r("p", 46) + ":Ingress:12", want: np("ns", r("p", 46), model.Ingress, -1, false)},
		{name: "EF:" + r("n", 60), want: ef(r("n", 60), -1, false)},
		{name: "EF:" + r("n", 58) + ":1", want: ef(r("n", 58), -1, false)},

		{name: "", bad: true},
		{name: "ANP", bad: true},
		{name: "ANP:", bad: true},
		{name: "ANP:p", bad: true},
		{name: "ANP:p:Egress", bad: true},
		{name: "ANP:p:Egress:", bad: true},
		{name: "ANP::Egress:1", bad: true},
		{name: "ANP:p:egress:1", bad: true},
		{name: "ANP:p:E:1", bad: true},
		{name: "ANP:p:Egress:01", bad: true},
		{name: "ANP:p:Egress:-1", bad: true},
		{name: "ANP:p:Egress:x", bad: true},
		{name: "ANP:p:Egress:1:2", bad: true},
		{name: "ANP:" + r("a", 60), bad: true},
		{name: "NP:ns", bad: true},
		{name: "NP:ns:In", bad: true},
		{name: "NP:ns:Ingress:0", bad: true},
		{name: "EF:ns", bad: true},
		{name: "verify-audit-logging_deny-all", bad: true},
		{name: "np/default-deny-ingress.default/IPv4/0", bad: true},
	} {
		got, ok := DecodeName(tc.name)
		if ok == tc.bad {
			t.Errorf("DecodeName(%q) ok = %v", tc.name, ok)
		}
		if d := cmp.Diff(tc.want, got); d != "" {
			t.Errorf("DecodeName(%q) (-want +got):\n%s", tc.name, d)
		}
	}
}

// Names of OVN-Kubernetes before 2023 tell namespace, policy and rule, or a namespace's default deny.
func TestDecodeOldName(t *testing.T) {
	np := func(ns, name string, d model.Direction, rule int) RuleRef {
		return RuleRef{model.Key{Kind: model.KindNP, Namespace: ns, Name: name}, d, rule, true}
	}
	for name, want := range map[string]RuleRef{
		"shop_deny-all":           np("shop", "deny-all", "", -1),
		"shop_web.v2_0":           np("shop", "web.v2", "", 0),
		"shop_web_12":             np("shop", "web", "", 12),
		"shop_ingressDefaultDeny": np("shop", "", model.Ingress, -1),
		"shop_egressDefaultDeny":  np("shop", "", model.Egress, -1),
	} {
		if got, ok := DecodeOldName(name); !ok || got != want {
			t.Errorf("DecodeOldName(%q) = %+v, %v", name, got, ok)
		}
	}
	for _, name := range []string{"", "shop", "shop_", "_web", "shop_Web", "shop_web_", "shop_web_x", "shop_web_01", "shop_web_1_2", "ANP:shop_web", "-shop_web",
		"shop_ingressDefaultDeny_0", "shop_" + strings.Repeat("w", 58)} {
		if got, ok := DecodeOldName(name); ok {
			t.Errorf("DecodeOldName(%q) = %+v", name, got)
		}
	}
}

// Whatever was cut, the decoded name must not claim more than the rule it came
// from, and an exact one must be that rule.
func TestACLNameDecodes(t *testing.T) {
	for n := 1; n <= 70; n++ {
		name, ns := strings.Repeat("p", n), strings.Repeat("n", (n+1)/2)
		for _, k := range []model.PolicyKey{{Kind: model.KindANP, Namespace: "", Name: name}, {Kind: model.KindBANP, Namespace: "", Name: name},
			{Kind: model.KindNP, Namespace: ns, Name: name}, {Kind: model.KindNP, Namespace: name, Name: ""}, {Kind: model.KindEF, Namespace: name, Name: "default"}} {
			for _, d := range []model.Direction{model.Ingress, model.Egress} {
				for _, i := range []int{0, 1, 9, 10, 99} {
					if k.Kind == model.KindEF && d == model.Ingress {
						continue
					}
					checkDecodes(t, k, d, i)
				}
			}
		}
	}
	if got := ACLName(model.Key{Kind: model.KindPod, Namespace: "a", Name: "b"}, model.Ingress, 0); got != "" {
		t.Errorf("a pod has ACL name %q", got)
	}
}

func checkDecodes(t *testing.T, k model.PolicyKey, d model.Direction, rule int) {
	t.Helper()
	s := ACLName(k, d, rule)
	if len(s) > MaxACLName {
		t.Fatalf("%q has %d characters", s, len(s))
	}
	got, ok := DecodeName(s)
	if !ok {
		t.Fatalf("DecodeName(%q) failed", s)
	}
	want := RuleRef{k, d, rule, true}
	if k.Kind == model.KindNP && k.Name == "" {
		want.Rule = -1
	}
	if got.Exact {
		if got != want {
			t.Errorf("DecodeName(%q) = %+v, want %+v", s, got, want)
		}
		return
	}
	switch {
	case got.Policy.Kind != k.Kind,
		!strings.HasPrefix(k.Name, got.Policy.Name),
		!strings.HasPrefix(k.Namespace, got.Policy.Namespace),
		got.Direction != "" && got.Direction != d,
		got.Rule != -1:
		t.Errorf("DecodeName(%q) = %+v of %+v", s, got, want)
	}
}

func FuzzDecodeName(f *testing.F) {
	for _, s := range []string{"ANP:p:Egress:1", "NP:a:b:Ingress:0", "NP:a:Egress", "EF:a:3",
		"BANP:" + strings.Repeat("x", 58)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		ref, ok := DecodeName(s)
		if ok && ref.Exact && ACLName(ref.Policy, ref.Direction, ref.Rule) != s {
			t.Errorf("%q decodes to %+v, whose name is %q", s, ref,
				ACLName(ref.Policy, ref.Direction, ref.Rule))
		}
	})
}
