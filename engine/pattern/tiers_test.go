package pattern_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/engine/pattern"
	"rung/model"
	"rung/model/convert"
	"rung/model/plan"
	"rung/model/template"
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
	admin, tiers := pattern.WorldOf(rev), inTiers(rev)
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
	w := pattern.WorldOf(rev)
	w.Tiers = system.Antrea.Templates
	return w
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
				got := tpl.Question("priority").FirstChoice(w, nil)
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
	made, err := pattern.MakeSet(w, deny, template.Answers{}, true)
	if err != nil {
		t.Fatal(err)
	}
	if note := strings.Join(made.Notes, "\n"); !strings.Contains(note, "ANP open decides after every tier, and so after the Deny") {
		t.Errorf("notes: %s", note)
	}
	if offer := deny.Question("priority").OfferedChoices(w, nil)[0].Note; !strings.Contains(offer, "after every tier, and before ") {
		t.Errorf("offered: %s", offer)
	}
	full := inTiers(demo(t, acnp("last", "baseline", "10000", "Allow")))
	if _, err := pattern.MakeSet(full, template.FindTemplate("baseline"), template.Answers{}, true); !errors.Is(err, plan.ErrNoRoom) {
		t.Errorf("a baseline behind the last priority: %v", err)
	}
	for _, w := range []*template.World{w, pattern.WorldOf(demo(t))} {
		if _, err := deny.CheckAnswer(w, deny.Question("priority"), ",", nil); err == nil || !strings.HasPrefix(err.Error(), "want free priorities") {
			t.Errorf("no priority at all: %v", err)
		}
	}
}

// without is a text without the documents that have a line.
func without(text string, lines ...string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(text, "---\n"), func(d string) bool {
		return slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(d, l+"\n") })
	}), "---\n")
}

// A set that was made is completed between its own policies, wherever they were moved, whatever else is
// there; and of what was written into its policies nothing is lost.
func TestTierSetGrows(t *testing.T) {
	rev := demo(t)
	text := func(tpl string, given template.Answers) string {
		t.Helper()
		made, err := pattern.MakeSet(inTiers(rev), template.FindTemplate(tpl), given, true)
		if err != nil {
			t.Fatal(err)
		}
		return made.Text
	}
	walls := text("tenant-isolation", template.Answers{"name": "walls", "tenants": "blue,red", "priority": "platform/5,platform/7"})
	deny := text("default-deny", template.Answers{"name": "walls"})
	const twoEntries, both = "appliedTo:\n    - podSelector:\n        matchLabels:\n          app: web\n    - namespaceSelector:", "appliedTo:\n    - namespaceSelector:"
	perRule := regexp.MustCompile(`(?s)  appliedTo:\n.*?  ingress:\n    - name: deny-others-ingress\n`).ReplaceAllString(walls[strings.LastIndex(walls, "---\n"):],
		"  ingress:\n    - name: deny-others-ingress\n      appliedTo: [{namespaceSelector: {matchExpressions: [{key: tenant, operator: In, values: [blue, red]}]}}]\n")
	perRule = regexp.MustCompile(`(?s)  egress:.*`).ReplaceAllString(perRule, "")
	for name, c := range map[string]struct {
		text  string
		more  []string
		gone  []string          // lines of the policies that are gone
		wants map[string]string // places of policies that are made
		is    string            // in the text
	}{
		"a new tenant":           {walls, nil, nil, map[string]string{"walls-violet": "platform/5"}, "- violet"},
		"something first of all": {walls, []string{acnp("a", "emergency", "1", "Drop")}, nil, map[string]string{"walls-violet": "platform/5"}, ""},
		"the Deny was moved": {strings.Replace(walls, "priority: 7\n", "priority: 3\n", 1), []string{acnp("a", "platform", "2", "Allow")}, []string{"  name: walls-blue", "  name: walls-red"},
			map[string]string{"walls-blue": "platform/2.5", "walls-red": "platform/2.5"}, ""},
		"no room before the Deny": {strings.Replace(walls, "priority: 7\n", "priority: 1\n", 1), []string{acnp("a", "platform", "5", "Allow")}, []string{"  name: walls-blue", "  name: walls-red"},
			map[string]string{"walls-blue": "networkops/1"}, ""},
		"its place was taken": {deny, []string{acnp("a", "application", "1", "Allow")}, []string{"  name: walls-needs"}, map[string]string{"walls-needs": "application/1.5"}, ""},
		"another entry":       {strings.Replace(walls, both, twoEntries, -1), nil, nil, map[string]string{"walls-violet": "platform/5"}, "app: web"},
		"rule by rule":        {walls[:strings.LastIndex(walls, "---\n")] + perRule, nil, nil, map[string]string{"walls-violet": "platform/5"}, "violet"},
	} {
		t.Run(name, func(t *testing.T) {
			all := append(slices.Collect(rev.Cluster.Objects()), objects(t, without(c.text, c.gone...))...)
			r := revisionOf(t, append(append(all, objects(t, c.more...)...), objects(t, namespace("violet", "violet"))...))
			made, err := pattern.CompleteSet(inTiers(r), "walls", nil)
			if err != nil {
				t.Fatal(err)
			}
			after := made.RevisionAfter(r).Cluster
			for name, want := range c.wants {
				p := after.Policy(model.PolicyKey{Kind: model.KindACNP, Name: name})
				if p == nil {
					t.Fatalf("%s is not made:\n%s", name, made.Text)
				}
				if got := fmt.Sprintf("%s/%v", p.Tiered.Tier, p.Tiered.Priority); got != want {
					t.Errorf("%s stands at %s, want %s", name, got, want)
				}
			}
			if !strings.Contains(made.Text, c.is) {
				t.Errorf("no %s in\n%s", c.is, made.Text)
			}
			if sets := template.KnownSets(after, true); len(sets) != 1 || len(sets[0].MissingPolicies(after)) > 0 {
				t.Errorf("%d sets, or something is missing", len(sets))
			}
		})
	}
}

// Policies that decide nothing here are no part of a set: they would hide that one of its own is gone.
func TestSetsOfOneKind(t *testing.T) {
	rev := demo(t)
	set := func(w *template.World) string {
		t.Helper()
		made, err := pattern.MakeSet(w, template.FindTemplate("tenant-isolation"), template.Answers{"name": "walls", "tenants": "blue,red"}, true)
		if err != nil {
			t.Fatal(err)
		}
		return made.Text
	}
	admin, tiers := set(pattern.WorldOf(rev)), set(inTiers(rev))
	all := append(slices.Collect(rev.Cluster.Objects()), objects(t, without(admin, "  name: walls-blue"), tiers)...)
	c := revisionOf(t, all)
	sets := template.KnownSets(c.Cluster, false)
	if len(sets) != 1 || len(sets[0].MissingPolicies(c.Cluster)) != 1 {
		t.Fatalf("%d sets, want one that has lost a policy", len(sets))
	}
	if sets := template.KnownSets(c.Cluster, true); len(sets) != 2 || sets[0].MainPolicy().Tiered == nil || len(sets[0].MissingPolicies(c.Cluster)) != 0 {
		t.Errorf("where tiers decide there are %d sets, want that in tiers first", len(sets))
	}
	w := pattern.WorldOf(c)
	w.Tiers = nil // as on OVN-Kubernetes
	made, err := pattern.CompleteSet(w, "walls", nil)
	if err != nil || len(made.New) != 1 || made.New[0].Kind != model.KindANP {
		t.Errorf("made %v: %v", made, err)
	}
}
