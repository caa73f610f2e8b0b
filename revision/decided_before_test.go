package revision

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/test/given"
)

// TestDecidedBefore: who logs nothing because rules above decide first is told which.
func TestDecidedBefore(t *testing.T) {
	const deny, both = `{"deny": "alert"}`, `{"deny": "alert", "allow": "info"}`
	web := given.NP("blue", "web", "{podSelector: {}, policyTypes: [Ingress], ingress: [{from: [{namespaceSelector: {matchLabels: {tenant: green}}}]}]}")
	loud := func(c *model.Cluster) *model.Cluster {
		ns := *c.Namespace("blue")
		ns.Annotations = map[string]string{model.AnnotationLogging: both}
		next, _ := c.Upsert([]model.Object{&ns}, nil)
		return next
	}
	for _, tc := range []struct {
		name     string
		policies []string
		of       model.PolicyKey
		dir      model.Direction
		rule     int
		want     []string
	}{
		{"of another policy, all", []string{given.LoggingPolicy(given.ANP("over", 5, "", "in deny tenant=green"), deny), given.LoggingPolicy(given.ANP("own", 9, "tenant=blue", "in deny tenant=green tcp:80"), deny)},
			given.ANPKey("own"), "", 0, []string{"Ingress 0 all: over Ingress 0 Deny alert"}},
		{"of the same policy", []string{given.LoggingPolicy(given.ANP("own", 9, "", "in pass tenant=green", "in deny tenant=green"), deny)},
			given.ANPKey("own"), "", 0, []string{"Ingress 1 all: own Ingress 0 Pass -"}},
		{"some only", []string{given.ANP("over", 5, "tenant=blue", "in allow tenant=green"), given.LoggingPolicy(given.ANP("own", 9, "", "in deny *"), deny)},
			given.ANPKey("own"), "", 0, []string{"Ingress 0 some: over Ingress 0 Allow -"}},
		{"an earlier rule that takes part, then one that takes the rest", []string{given.ANP("first", 3, "", "in allow tenant=green tcp:80"), given.ANP("over", 5, "", "in deny *"),
			given.LoggingPolicy(given.ANP("own", 9, "", "in deny tenant=green"), deny)}, given.ANPKey("own"), "", 0,
			[]string{"Ingress 0 all: first Ingress 0 Allow -, over Ingress 0 Deny -"}},
		{"two that take all of it together", []string{given.ANP("over", 5, "tenant=blue", "in deny tenant=green"), given.ANP("other", 6, "tenant=red", "in allow tenant=green"), given.LoggingPolicy(given.ANP("own", 9, "", "in deny tenant=green"), deny),
			given.ANP("rest", 1, "", "out deny tenant=violet", "in pass name=kube-system")}, given.ANPKey("own"), model.Ingress, 0, []string{"Ingress 0 some: over Ingress 0 Deny -, other Ingress 0 Allow -"}},
		{"two that match all there is together", []string{given.ANP("over", 5, "tenant=blue", "in deny tenant=green"), given.ANP("other", 6, "tenant=red", "in allow tenant=green"),
			given.LoggingPolicy(strings.Replace(given.ANP("own", 9, "", "in deny tenant=green"), "namespaces: {}", "namespaces: {matchExpressions: [{key: tenant, operator: In, values: [blue, red]}]}", 1), deny)},
			given.ANPKey("own"), "", 0, []string{"Ingress 0 all together: over Ingress 0 Deny -, other Ingress 0 Allow -"}},
		{"below, at one priority, and of other pods", []string{given.ANP("below", 20, "", "in deny *"), given.ANP("beside", 9, "", "in deny *"), given.ANP("other", 1, "tenant=red", "in deny *"),
			given.LoggingPolicy(given.ANP("own", 9, "tenant=blue", "in deny *"), deny)}, given.ANPKey("own"), "", 0, nil},
		{"rules that do not log are not asked about", []string{given.ANP("over", 5, "", "in allow *"), given.LoggingPolicy(given.ANP("own", 9, "", "in allow *"), deny)},
			given.ANPKey("own"), "", 0, nil},
		{"unless by name", []string{given.ANP("over", 5, "", "in allow *"), given.LoggingPolicy(given.ANP("own", 9, "", "in allow *"), deny)},
			given.ANPKey("own"), model.Ingress, 0, []string{"Ingress 0 all: over Ingress 0 Allow -"}},
		{"a NetworkPolicy and its default deny", []string{given.ANP("over", 5, "", "in deny tenant=green"), web}, given.NPKey("blue", "web"), "", 0,
			[]string{"Ingress 0 all: over Ingress 0 Deny -", "Ingress -1 some: over Ingress 0 Deny -"}},
		{"a Pass leaves it to the NetworkPolicy", []string{given.ANP("over", 5, "", "in pass tenant=green", "in deny tenant=green"), web}, given.NPKey("blue", "web"), model.Ingress, 0, nil},
		{"a Pass for some", []string{given.ANP("over", 5, "", "in pass tenant=green", "in deny *"), web}, given.NPKey("blue", "web"), "", 0,
			[]string{"Ingress -1 some: over Ingress 1 Deny -"}},
		{"the baseline after a NetworkPolicy", []string{web, given.LoggingPolicy(given.BANP("tenant=blue", "in deny *"), deny)},
			model.PolicyKey{Kind: model.KindBANP, Name: "default"}, "", 0, []string{"Ingress 0 all: blue/Ingress Ingress -1 Deny alert"}},
		{"the baseline of others, too", []string{web, given.LoggingPolicy(given.BANP("", "in deny *"), deny)},
			model.PolicyKey{Kind: model.KindBANP, Name: "default"}, "", 0, []string{"Ingress 0 some: blue/Ingress Ingress -1 Deny alert"}},
		{"an EgressFirewall decides after an Allow, not after a Deny", []string{given.ANP("over", 5, "tenant=blue", "out allow 8.8.8.8/32", "out deny 0.0.0.0/0"), given.EF("blue", "{type: Deny, to: {cidrSelector: 8.8.0.0/16}}")},
			model.PolicyKey{Kind: model.KindEF, Namespace: "blue", Name: "default"}, "", 0, []string{"Egress 0 all: over Egress 1 Deny -"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := revisionOf(t, tc.policies...)
			f := r.Facts
			f.Cluster = loud(f.Cluster)
			var got []string
			for _, b := range DecidedBefore(New(f, nil), t.Context(), tc.of, tc.dir, tc.rule) {
				var by []string
				for _, a := range b.RulesAbove {
					name, level := a.Policy.Name, a.Level
					if a.Policy.Namespace != "" {
						name = a.Policy.Namespace + "/" + name
					}
					if level == "" {
						level = "-"
					}
					by = append(by, fmt.Sprintf("%s %s %d %s %s", name, a.Direction, a.Rule, a.Action, level))
				}
				all := map[bool]string{true: "all", false: "some"}[b.DecidesNothing]
				if b.OnlyTogether {
					all = "all together"
				}
				got = append(got, fmt.Sprintf("%s %d %s: %s", b.Direction, b.Rule, all, strings.Join(by, ", ")))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
