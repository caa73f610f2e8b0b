package convert

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/test/made"
)

// What a policy for each value is of is known from the policies that were made, and with
// them which namespaces are newer.
func TestUnfolded(t *testing.T) {
	own := native("own", "application", 5, ons("t"), from("Allow", alike("*")), from("Drop", everyone))
	tenants := native("tenants", "application", 6, ons("*"), from("Allow", alike("*", "t", "e")))
	c := antreaCluster(own, tenants)
	for _, to := range []model.Kind{model.KindANP, model.KindCNP} {
		res := FromAntrea(c, to)
		var objects []model.Object
		for _, p := range res.Policies {
			objects = append(objects, p)
		}
		after, _ := c.Upsert(objects, nil)
		missing := func(more ...model.Object) (out []string) {
			now, _ := after.Upsert(more, nil)
			for _, u := range AllSplitPolicies(now) {
				for _, m := range u.MissingValues(now) {
					out = append(out, fmt.Sprintf("%s %v %s of %v at %s", u.From, u.Labels, m.Value, m.Namespaces, u.Policies[0].Name))
				}
			}
			return out
		}
		if out := missing(); len(out) > 0 {
			t.Errorf("%s: just converted: %q", to, out)
		}
		// A namespace that own does not apply to, one that both do, two of one new pair of
		// values, one without a label that must be there, and one of values there are.
		got := missing(made.NS("d", "x=1"), made.NS("e", "t=3,e=4"), made.NS("f", "t=3,e=4"), made.NS("g", "t=9"), made.NS("h", "t=2,e=P_1"))
		if diff := cmp.Diff([]string{
			"ACNP own [] e of [e] at own-a", "ACNP own [] f of [f] at own-a", "ACNP own [] g of [g] at own-a", "ACNP own [] h of [h] at own-a",
			"ACNP tenants [t e] 3,4 of [e f] at tenants-2-p-1",
		}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", to, diff)
		}
		gone, _ := after.Upsert(nil, []model.Key{{Kind: to, Name: "own-b"}})
		if u := AllSplitPolicies(gone); len(u) == 0 || len(u[0].MissingValues(gone)) != 1 || u[0].MissingValues(gone)[0].Value != "b" {
			t.Errorf("%s: a policy that is gone is not missed", to)
		}
	}
}

// Anybody may write the annotation.
func TestRecordOf(t *testing.T) {
	whole := ValueRecord{From: "ACNP own", Labels: []string{"a", "b"}, Value: "1,2", Namespaces: selectorOfKeys([]string{"a", "b"})}
	for _, tt := range []struct {
		name, raw, want string
	}{
		{"what Rung writes", whole.Annotation(), "ACNP own [a b] 1,2 a,b"},
		{"all namespaces", `{"from":"ACNP own","labels":[],"value":"x","of":""}`, "ACNP own [] x "},
		{"an escape", `{"from":"ACNP \u001b[2Jown","value":"x"}`, "ACNP �[2Jown [] x "},
		{"no JSON", `{`, ""},
		{"no value", `{"from":"ACNP own"}`, ""},
		{"no selector", `{"from":"ACNP own","value":"x","of":"a in"}`, ""},
		{"too long", `{"from":"ACNP own","value":"x","of":"` + strings.Repeat(" ", maxRecord) + `"}`, ""},
	} {
		p := made.ANP("p", 1, "*", nil, nil)
		p.Annotations = map[string]string{model.AnnotationConverted: tt.raw}
		got := ""
		if r, ok := ReadRecord(p); ok {
			got = fmt.Sprintf("%s %v %s %s", r.From, r.Labels, r.Value, r.Namespaces.Key())
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	if _, ok := ReadRecord(made.ANP("p", 1, "*", nil, nil)); ok {
		t.Error("there is no annotation")
	}
}
