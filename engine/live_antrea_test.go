package engine

import (
	"strings"
	"testing"

	"rung/model"
	"rung/model/antrea"
	"rung/model/verdict"
	"rung/revision"
	"rung/system"
)

// A Tier that is deleted under a policy while Rung runs: it is said at that policy, which
// decides nothing from then on; the policies of other Tiers stay and decide as before, the
// policy behind it now for it, too. The Tier made again, all is as it was.
func TestLiveTierDeleted(t *testing.T) {
	tier := func(name, priority string) string {
		return "apiVersion: crd.antrea.io/v1beta1\nkind: Tier\nmetadata: {name: " + name + "}\nspec: {priority: " + priority + "}\n"
	}
	acnp := func(name, tier, action, subject string) string {
		return "apiVersion: crd.antrea.io/v1beta1\nkind: ClusterNetworkPolicy\nmetadata: {name: " + name + "}\n" +
			"spec: {tier: " + tier + ", priority: 5, appliedTo: [{namespaceSelector: {matchLabels: {tenant: " + subject + "}}}], ingress: [{action: " + action + "}]}\n" +
			"status: {phase: Realized, currentNodesRealized: 2, desiredNodesRealized: 2}\n"
	}
	w := newLiveWorld(t, acnp("open", "mine", "Allow", "blue"), acnp("wall", "application", "Drop", "blue"), acnp("other", "yours", "Drop", "red"))
	w.file("mine.yaml", tier("mine", "10"))
	w.file("yours.yaml", tier("yours", "20"))
	r := w.run(func(*Config) {})

	key := func(name string) model.PolicyKey { return model.PolicyKey{Kind: model.KindACNP, Name: name} }
	verdictOf := func(rev *revision.Revision, namespace string) verdict.Verdict {
		a, err := verdict.FromPolicies(rev.Verdicts(), verdict.Connection{From: verdict.PodEnd("green", "web-0"), To: verdict.PodEnd(namespace, "web-0"), Protocol: verdict.TCP, Port: 80})
		if err != nil {
			t.Fatal(err)
		}
		return a.Verdict
	}
	decided := func(rev *revision.Revision, want string) {
		t.Helper()
		if rev.System != system.Antrea || rev.Cluster.Count(model.KindACNP) != 3 || len(rev.Broken) > 0 {
			t.Errorf("%s, %d policies, broken %v", rev.System.Name, rev.Cluster.Count(model.KindACNP), rev.Broken)
		}
		got := string(verdictOf(rev, "blue")) + " " + string(verdictOf(rev, "red"))
		for _, name := range []string{"open", "wall", "other"} {
			if rev.Verdicts().HasPlaceInOrder(key(name)) {
				got += " " + name
			}
		}
		var said []string
		for _, f := range revision.FindingsOfObjects(rev) {
			if f.Code == antrea.TierDeleted || f.Code == antrea.TierMissing {
				said = append(said, f.Code+" "+f.Policy.Name)
			}
		}
		got += ": " + strings.Join(said, ", ")
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	tiers := func(n int) *revision.Revision {
		t.Helper()
		return r.until("the Tiers", func(rev *revision.Revision) bool {
			own := 0
			for range rev.Cluster.Tiers() {
				own++
			}
			return rev.Loaded && own == n
		})
	}
	decided(tiers(2), "allow deny open wall other: ")
	w.file("mine.yaml", "")
	decided(tiers(1), "deny deny wall other: "+antrea.TierDeleted+" open")
	w.file("mine.yaml", tier("mine", "10"))
	decided(tiers(2), "allow deny open wall other: ")
}
