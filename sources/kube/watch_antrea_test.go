package kube

import (
	"testing"

	"rung/model"
	"rung/model/antrea"
)

// TestWatchTierDeleted: a Tier that goes while it is watched leaves the policies that are in
// it, of which it is said; the rest is as it was.
func TestWatchTierDeleted(t *testing.T) {
	noLeaks(t)
	const group = "/apis/crd.antrea.io/v1beta1"
	a := newWatchAPI(t)
	populate(a)
	a.served[group+"/tiers"] = "crd.antrea.io/v1beta1 Tier"
	a.served[group+"/clusternetworkpolicies"] = "crd.antrea.io/v1beta1 ClusterNetworkPolicy"
	object := func(name string, spec, status map[string]any) map[string]any {
		return map[string]any{"metadata": map[string]any{"name": name}, "spec": spec, "status": status}
	}
	policy := func(name, tier string) map[string]any {
		return object(name, map[string]any{"tier": tier, "priority": int64(5),
			"appliedTo": []any{map[string]any{"namespaceSelector": map[string]any{}}},
			"ingress":   []any{map[string]any{"action": "Drop"}},
		}, map[string]any{"phase": "Realized", "currentNodesRealized": int64(1), "desiredNodesRealized": int64(1)})
	}
	a.put(group+"/tiers", object("mine", map[string]any{"priority": int64(10)}, nil))
	a.put(group+"/clusternetworkpolicies", policy("one", "mine"))
	a.put(group+"/clusternetworkpolicies", policy("two", "application"))
	cl, _ := a.cluster("t-1")
	s := startWatch(t, cl, quickTiming)
	s.untilLoaded()
	tier := model.Key{Kind: model.KindTier, Name: "mine"}
	s.until("the policies and their Tier", func() bool { return s.objects[tier] != nil && len(s.objects) == 10 })
	said := func() (out []string) {
		var objects []model.Object
		for _, o := range s.objects {
			objects = append(objects, o)
		}
		c, _ := (&model.Cluster{}).Upsert(objects, nil)
		for _, f := range antrea.CheckCluster(c) {
			if f.Code == antrea.TierDeleted || f.Code == antrea.TierMissing {
				out = append(out, f.Code+" "+f.Policy.Name)
			}
		}
		return out
	}
	s.look(func() {
		if out := said(); len(out) > 0 {
			t.Errorf("before: %q", out)
		}
	})
	a.remove(group+"/tiers", "<nil>/mine")
	s.until("the Tier is gone", func() bool { return s.objects[tier] == nil })
	s.look(func() {
		if out := said(); len(out) != 1 || out[0] != antrea.TierDeleted+" one" {
			t.Errorf("after: %q", out)
		}
		if len(s.objects) != 9 || len(s.broken) > 0 {
			t.Errorf("%d objects, broken %v", len(s.objects), s.broken)
		}
	})
}
