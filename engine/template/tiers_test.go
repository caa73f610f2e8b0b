package template_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/engine/template"
	"rung/model"
	"rung/model/convert"
	"rung/model/plan"
	"rung/revision"
	"rung/sources/manifests"
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
	admin, tiers := template.NewWorld(rev), inTiers(rev)
	for _, tpl := range template.AllTemplates() {
		given := template.Answers{"name": "made"}
		before, err := template.MakeSet(admin, tpl, given, true)
		if err != nil {
			t.Fatalf("%s: %v", tpl.Name, err)
		}
		after, err := template.MakeSet(tiers, tpl, given, true)
		if err != nil {
			t.Fatalf("%s in tiers: %v", tpl.Name, err)
		}
		admins, tiered := objects(t, before.Text), objects(t, after.Text)
		if len(admins) == 0 || len(admins) != len(tiered) {
			t.Fatalf("%s: %d policies, and %d in tiers", tpl.Name, len(admins), len(tiered))
		}
		converted := convert.ToAntrea(revisionOf(t, admins).Cluster)
		for i := range admins {
			name := admins[i].(*model.Policy).Name
			at := slices.IndexFunc(converted.Policies, func(p *model.Policy) bool { return p.Name == name })
			if at < 0 {
				t.Fatalf("%s: %s is not converted", tpl.Name, name)
			}
			if diff := cmp.Diff(restate(converted.Policies[at]), restate(tiered[i].(*model.Policy)), bySelectorKey); diff != "" {
				t.Errorf("%s, %s: (-converted +made)\n%s", tpl.Name, name, diff)
			}
		}
	}
}

// acnp is a policy about all pods, in a tier.
func acnp(name, tier, at, action string) string {
	return "apiVersion: crd.antrea.io/v1beta1\nkind: ClusterNetworkPolicy\nmetadata: {name: " + name + "}\nspec:\n  tier: " + tier + "\n  priority: " + at +
		"\n  appliedTo: [{namespaceSelector: {}}]\n  ingress: [{name: all, action: " + action + ", from: [{namespaceSelector: {}}]}]\n"
}

func tier(name, at string) string {
	return "apiVersion: crd.antrea.io/v1beta1\nkind: Tier\nmetadata: {name: " + name + "}\nspec: {priority: " + at + "}\n"
}

const (
	adminCNP = `apiVersion: policy.networking.k8s.io/v1alpha2
kind: ClusterNetworkPolicy
metadata: {name: shut}
spec: {tier: Admin, priority: 5, subject: {namespaces: {}}, ingress: [{action: Deny, from: [{namespaces: {}}]}]}
`
	allowANP = `apiVersion: policy.networking.k8s.io/v1alpha1
kind: AdminNetworkPolicy
metadata: {name: open}
spec: {priority: 5, subject: {namespaces: {}}, ingress: [{action: Allow, from: [{namespaces: {}}]}]}
`
)

// inTiers is the world of a cluster where Antrea decides.
func inTiers(rev *revision.Revision) *template.World {
	return template.NewWorld(revision.New(revision.Facts{Number: 1, Cluster: rev.Cluster, Loaded: true, System: system.Antrea}, nil))
}

// Places in tiers: before what denies, with room between, and behind everything.
func TestTierPlaces(t *testing.T) {
	const end = "application/1,application/2"
	for name, c := range map[string]struct {
		objects                   []string
		monitor, deny, quarantine string // the places offered
	}{
		"none":                {nil, end, end + ",application/3", "application/1"},
		"allows alone":        {[]string{acnp("a", "platform", "5", "Allow")}, end, end + ",application/3", "platform/3"},
		"a deny":              {[]string{acnp("a", "platform", "5", "Drop")}, "platform/2,platform/4", "platform/2,platform/4,application/1", "platform/3"},
		"close together":      {[]string{acnp("a", "platform", "5", "Allow"), acnp("b", "platform", "5.1", "Pass")}, "platform/5.03,platform/5.06", "platform/5.03,platform/5.06,application/1", "platform/3"},
		"first of its tier":   {[]string{acnp("a", "emergency", "7", "Allow"), acnp("b", "securityops", "1", "Reject")}, "emergency/8,emergency/9", "emergency/8,emergency/9,application/1", "emergency/4"},
		"first of all":        {[]string{acnp("a", "emergency", "1", "Drop")}, "", "", ""},
		"the end is taken":    {[]string{acnp("a", "application", "10000", "Allow"), acnp("b", "platform", "5", "Drop")}, "platform/2,platform/4", "", "platform/3"},
		"in the baseline":     {[]string{acnp("a", "baseline", "5", "Drop")}, end, end + ",application/3", "application/1"},
		"in a tier not there": {[]string{acnp("a", "nowhere", "5", "Drop")}, end, end + ",application/3", "application/1"},
		"in a refused tier":   {[]string{tier("a", "120"), tier("b", "120"), tier("c", "251"), acnp("a", "b", "5", "Drop"), acnp("c", "c", "5", "Drop")}, end, end + ",application/3", "application/1"},
		"in a custom tier":    {[]string{tier("a", "120"), acnp("a", "a", "1", "Drop")}, "securityops/1,securityops/2", "securityops/1,securityops/2,application/1", "securityops/1"},
		"refused priorities":  {[]string{acnp("a", "application", "1e9", "Drop"), acnp("b", "platform", "-3", "Drop")}, end, end + ",application/3", "application/1"},
		"a CNP denies":        {[]string{adminCNP, acnp("a", "application", "5", "Drop")}, "platform/1,platform/2", "platform/1,platform/2,application/6", "platform/1"},
		"an ANP allows":       {[]string{allowANP}, end, end + ",application/3", "application/1"},
	} {
		t.Run(name, func(t *testing.T) {
			w := inTiers(revisionOf(t, loose(t, c.objects...)))
			for name, want := range map[string]string{"monitoring": c.monitor, "default-deny": c.deny, "quarantine": c.quarantine} {
				tpl := template.FindTemplate(name)
				got := w.FirstChoice(tpl, tpl.Question("priority"), nil)
				if got != want {
					t.Errorf("%s is offered %q, want %q", name, got, want)
				}
				if got == "" {
					continue
				}
				if again, err := tpl.CheckAnswer(w, tpl.Question("priority"), got, nil); again != got || err != nil {
					t.Errorf("%s is taken as %q: %v", name, again, err)
				}
			}
		})
	}
}

// loose reads objects whatever is wrong with them.
func loose(t *testing.T, texts ...string) (out []model.Object) {
	t.Helper()
	for _, text := range texts {
		out = append(out, manifests.Parse("loose.yaml", []byte(text), manifests.Options{SkipSchema: true}).Objects...)
	}
	return out
}

// What stands behind every tier, and a baseline without room, are said.
func TestTierLimits(t *testing.T) {
	deny := template.FindTemplate("default-deny")
	w := inTiers(demo(t, allowANP))
	made, err := template.MakeSet(w, deny, template.Answers{}, true)
	if err != nil {
		t.Fatal(err)
	}
	if note := strings.Join(made.Notes, "\n"); !strings.Contains(note, "ANP open decides after every tier, and so after the Deny") {
		t.Errorf("notes: %s", note)
	}
	if offer := w.OfferedChoices(deny, deny.Question("priority"), nil)[0].Note; !strings.Contains(offer, "after every tier, and before ") {
		t.Errorf("offered: %s", offer)
	}
	full := inTiers(demo(t, acnp("last", "baseline", "10000", "Allow")))
	if _, err := template.MakeSet(full, template.FindTemplate("baseline"), template.Answers{}, true); !errors.Is(err, plan.ErrNoSpace) {
		t.Errorf("a baseline behind the last priority: %v", err)
	}
	for _, w := range []*template.World{w, template.NewWorld(demo(t))} {
		if _, err := deny.CheckAnswer(w, deny.Question("priority"), ",", nil); err == nil || !strings.HasPrefix(err.Error(), "want free priorities") {
			t.Errorf("no priority at all: %v", err)
		}
	}
}
