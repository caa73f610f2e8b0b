package revision

import (
	"testing"

	"rung/model"
	"rung/model/verdict"
	"rung/model/verdict/diff"
)

// What becomes of connections is counted in the same form wherever it is said.
func TestBigCounts(t *testing.T) {
	totals := []diff.PairTotal{{Before: verdict.Allow, After: verdict.Deny, Pairs: 1650}, {Before: verdict.Deny, After: verdict.Allow, Pairs: 12345}}
	group := &diff.FlipGroup{Pairs: 1650, From: verdict.Ends{Namespaces: []string{"blue"}, Pods: 1234}, To: verdict.Ends{FirstPods: []model.Key{{Namespace: "red", Name: "web"}}, Pods: 1},
		Ports: []verdict.PortRange{{Protocol: verdict.TCP, Lo: 80, Hi: 80}}}
	for _, c := range []struct{ got, want string }{
		{FlipsText(totals), "1,650 pairs allow → deny, 12,345 pairs deny → allow"},
		{FlipsHeadline(&diff.Difference{Totals: totals, Reaches: []diff.FlipReach{{Before: verdict.Allow, After: verdict.Deny,
			AcrossNamespaces: diff.FlipShare{Pairs: 1200}, Protected: diff.FlipShare{Pairs: 3}}}}),
			"opens 12,345 pairs; closes 1,650 pairs · 1,200 across namespaces"},
		{FlipsBrief(totals), "denies 1,650 pairs, opens 12,345"},
		{GroupText(group), "blue (1,234 pods) → red/web, TCP 80: 1,650 pairs"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
