package pattern_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/engine/pattern"
	"rung/model"
	"rung/model/convert"
	"rung/model/plan"
	"rung/model/template"
	"rung/revision"
	"rung/system"
)

// restated is what a policy in a tier says, without its names and its place.
type restated struct {
	AppliedTo       []model.AppliedTo
	Ingress, Egress []restatedRule
}

type restatedRule struct {
	Action  string
	Logging bool
	Peers   []model.Peer
	Ports   []model.Port
}

var bySelectorKey = cmp.Comparer(func(a, b model.Selector) bool { return a.Key() == b.Key() })

func restate(p *model.Policy) restated {
	rules := func(all []model.Rule) (out []restatedRule) {
		for i := range all {
			out = append(out, restatedRule{all[i].Tiered.Action, all[i].Tiered.Logging, all[i].Peers, all[i].Ports})
		}
		return out
	}
	return restated{p.Tiered.AppliedTo, rules(p.Ingress), rules(p.Egress)}
}

// Every template says in tiers what it says in AdminNetworkPolicies: package convert, which knows nothing
// of templates, makes the same of these.
func TestTiersSayTheSame(t *testing.T) {
	rev := demo(t)
	admin, tiers := pattern.WorldOf(rev), pattern.WorldOf(rev)
	tiers.Tiers = system.Antrea.Templates
	for _, tpl := range template.AllTemplates() {
		given := template.Answers{"name": "made"}
		before, err := pattern.MakeSet(admin, tpl, given, true)
		if err != nil {
			t.Fatalf("%s: %v", tpl.Name, err)
		}
		after, err := pattern.MakeSet(tiers, tpl, given, true)
		if err != nil {
			t.Fatalf("%s in tiers: %v", tpl.Name, err)
		}
		only := revisionOf(t, append(slices.Collect(rev.Cluster.Objects()), objects(t, after.Text)...)).Cluster
		want := map[int]restated{}
		converted := convert.ToAntrea(revisionOf(t, objects(t, before.Text)).Cluster)
		for i, s := range before.Policies {
			for _, p := range converted.Policies {
				if p.Name == s.Key.Name {
					want[i] = restate(p)
				}
			}
		}
		if len(want) != len(before.Policies) {
			t.Fatalf("%s: %d of %d policies converted", tpl.Name, len(want), len(before.Policies))
		}
		for i, s := range after.Policies {
			if diff := cmp.Diff(want[i], restate(only.Policy(s.Key)), bySelectorKey); diff != "" {
				t.Errorf("%s, %s: (-converted +made)\n%s", tpl.Name, s.Part, diff)
			}
		}
	}
}

// Places in tiers: before what denies, with room between, and behind everything.
func TestTierPlaces(t *testing.T) {
	policy := func(name, tier, at, action string) string {
		return "apiVersion: crd.antrea.io/v1beta1\nkind: ClusterNetworkPolicy\nmetadata: {name: " + name + "}\nspec:\n  tier: " + tier + "\n  priority: " + at +
			"\n  appliedTo: [{namespaceSelector: {}}]\n  ingress: [{name: all, action: " + action + ", from: [{namespaceSelector: {}}]}]\n"
	}
	for name, c := range map[string]struct {
		policies                  []string
		monitor, deny, quarantine string // the places offered
	}{
		"none":                {nil, "application/1,application/2", "application/1,application/2,application/3", "application/1"},
		"allows alone":        {[]string{policy("a", "platform", "5", "Allow")}, "application/1,application/2", "application/1,application/2,application/3", "platform/3"},
		"a deny":              {[]string{policy("a", "platform", "5", "Drop")}, "platform/2,platform/4", "platform/2,platform/4,application/1", "platform/3"},
		"close together":      {[]string{policy("a", "platform", "5", "Allow"), policy("b", "platform", "5.1", "Pass")}, "platform/5.03,platform/5.06", "platform/5.03,platform/5.06,application/1", "platform/3"},
		"first of its tier":   {[]string{policy("a", "emergency", "7", "Allow"), policy("b", "securityops", "1", "Reject")}, "emergency/8,emergency/9", "emergency/8,emergency/9,application/1", "emergency/4"},
		"first of all":        {[]string{policy("a", "emergency", "1", "Drop")}, "", "", ""},
		"the end is taken":    {[]string{policy("a", "application", "10000", "Allow"), policy("b", "platform", "5", "Drop")}, "platform/2,platform/4", "", "platform/3"},
		"in the baseline":     {[]string{policy("a", "baseline", "5", "Drop")}, "application/1,application/2", "application/1,application/2,application/3", "application/1"},
		"in a tier not there": {[]string{policy("a", "nowhere", "5", "Drop")}, "application/1,application/2", "application/1,application/2,application/3", "application/1"},
	} {
		t.Run(name, func(t *testing.T) {
			w := pattern.WorldOf(revisionOf(t, objects(t, c.policies...)))
			w.Tiers = system.Antrea.Templates
			for tpl, want := range map[string]string{"monitoring": c.monitor, "default-deny": c.deny, "quarantine": c.quarantine} {
				q := template.FindTemplate(tpl).Question("priority")
				got := q.FirstChoice(w, nil)
				if got != want {
					t.Errorf("%s is offered %q, want %q", tpl, got, want)
				}
				if got == "" {
					continue
				}
				if again, err := template.FindTemplate(tpl).CheckAnswer(w, q, got, nil); again != got || err != nil {
					t.Errorf("%s is taken as %q: %v", got, again, err)
				}
			}
		})
	}
}

// A set that was made stands where it stands, wherever it was moved and whatever else is there.
func TestTierSetGrows(t *testing.T) {
	rev := demo(t)
	grow := func(more string) (*pattern.MadeSet, *revision.Revision, error) {
		all := append(slices.Collect(rev.Cluster.Objects()), objects(t, more)...)
		r := revisionOf(t, append(all, objects(t, namespace("violet", "violet"))...))
		w := pattern.WorldOf(r)
		w.Tiers = system.Antrea.Templates
		made, err := pattern.CompleteSet(w, "walls", nil)
		return made, r, err
	}
	w := pattern.WorldOf(rev)
	w.Tiers = system.Antrea.Templates
	first, err := pattern.MakeSet(w, template.FindTemplate("tenant-isolation"), template.Answers{"name": "walls", "tenants": "blue,red", "priority": "platform/5,platform/7"}, true)
	if err != nil {
		t.Fatal(err)
	}
	made, r, err := grow(first.Text)
	if err != nil {
		t.Fatal(err)
	}
	after := made.RevisionAfter(r).Cluster
	if p := after.Policy(model.PolicyKey{Kind: model.KindACNP, Name: "walls-violet"}); p == nil || (plan.TierSlot{Tier: p.Tiered.Tier, Priority: p.Tiered.Priority}) != (plan.TierSlot{Tier: "platform", Priority: 5}) {
		t.Errorf("the new tenant's: %+v", p)
	}
	main := after.Policy(model.PolicyKey{Kind: model.KindACNP, Name: "walls"})
	if main.Tiered.Priority != 7 {
		t.Errorf("the Deny went to %v", main.Tiered.Priority)
	}
	if !main.Tiered.AppliedTo[0].Namespaces.Matches(model.NewLabels(map[string]string{"tenant": "violet"})) {
		t.Errorf("the Deny does not mean the new tenant:\n%s", main.YAML)
	}
}
