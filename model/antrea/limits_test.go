package antrea_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/antrea"
)

// TestLimits: priorities are counted, not policies, with those of baseline apart; the last
// that is within a limit is no finding, the next one is.
func TestLimits(t *testing.T) {
	rule := func(n int) (out []model.Rule) {
		for i := range n {
			out = append(out, model.Rule{Direction: model.Ingress, Index: i, Action: model.Deny, AnyPeer: true, Tiered: &model.TieredRule{Action: "Drop"}})
		}
		return out
	}
	policies := func(n, rules int, tier string, shared bool) (out []model.Object) {
		for i := range n {
			priority := 1 + float64(i)/10
			if shared {
				priority = 1
			}
			out = append(out, acnp(fmt.Sprintf("p%05d", i), tier, priority, rule(rules)...))
		}
		return out
	}
	for _, tt := range []struct {
		name    string
		objects []model.Object
		want    []string
	}{
		{"10,000 priorities of policies", policies(10000, 1, "", false), nil},
		{"one more", policies(10001, 1, "", false), []string{"antrea-priorities-limit: 10,001 policy priorities and 10,001 rule priorities: Antrea supports 10,000 and 50,000"}},
		{"one more, in another tier", append(policies(10000, 1, "", false), acnp("q", "emergency", 1, rule(1)...)), []string{"antrea-priorities-limit: 10,001 policy priorities and 10,001 rule priorities: Antrea supports 10,000 and 50,000"}},
		{"50,000 priorities of rules", policies(5000, 10, "", false), nil},
		{"one rule more", append(policies(5000, 10, "", false), acnp("q", "", 9999, rule(1)...)), []string{"antrea-priorities-limit: 5,001 policy priorities and 50,001 rule priorities: Antrea supports 10,000 and 50,000"}},
		{"many policies that share one", policies(10001, 2, "", true), nil},
		{"150 in baseline", policies(15, 10, antrea.Baseline, false), nil},
		{"151 in baseline", append(policies(15, 10, antrea.Baseline, false), acnp("q", antrea.Baseline, 99, rule(1)...)), []string{"antrea-baseline-limit: the baseline tier has 151 rule priorities: Antrea supports 150"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range antrea.CheckCluster(clusterOf(tt.objects...)) {
				if strings.HasSuffix(f.Code, "-limit") {
					got = append(got, f.Code+": "+f.Message)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
