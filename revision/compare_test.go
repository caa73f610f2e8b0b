package revision

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model/ovn/nb"
)

func TestCompareACL(t *testing.T) {
	want := &nb.ACL{Action: "drop", Direction: nb.FromLport, Options: map[string]string{nb.OptAfterLB: "true"}, Priority: 26595, Tier: 1,
		Match: "m", Meter: "acl-logging", Name: "n", ExternalIDs: map[string]string{"a": "1", nb.KeyName: "x"}}
	live := *want
	live.Priority, live.Log, live.Severity, live.Options = 1, true, "info", nil
	live.ExternalIDs = map[string]string{"a": "1", nb.KeyName: "y", "b": "2"}
	var got []string
	for _, f := range CompareACL(want, &live) {
		if f.Differs {
			got = append(got, f.Name+" "+f.Desired+" "+f.Live)
		}
	}
	expect := []string{"options apply-after-lb –", "priority 26595 1", "log false true", "severity – info",
		"external_ids a=1 k8s.ovn.org/name=x a=1 b=2 k8s.ovn.org/name=y"}
	if diff := cmp.Diff(expect, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"b", "name"}, MapDiffers(want.ExternalIDs, live.ExternalIDs)); diff != "" {
		t.Error(diff)
	}
	for _, f := range CompareACL(want, nil) {
		if f.Differs || f.Live != "" {
			t.Errorf("without a live row nothing differs: %+v", f)
		}
	}
}
