package pattern_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/compiler"
	"rung/engine/pattern"
	"rung/engine/verify"
	"rung/examples"
	"rung/model"
	"rung/model/lint"
	"rung/model/template"
	"rung/revision"

	"rung/sources/manifests"
)

// demo is a revision of the demo with more objects.
func demo(t *testing.T, more ...string) *revision.Revision {
	t.Helper()
	res, err := manifests.Read(t.Context(), manifests.Options{FS: examples.Files, Paths: []string{"."}})
	if err != nil {
		t.Fatal(err)
	}
	return revisionOf(t, append(res.Objects, objects(t, more...)...))
}

func objects(t *testing.T, texts ...string) (out []model.Object) {
	t.Helper()
	for _, text := range texts {
		res := manifests.Parse("more.yaml", []byte(text), manifests.Options{})
		for _, b := range res.Broken {
			if b.IsError() {
				t.Fatalf("%s\n%s", b, text)
			}
		}
		out = append(out, res.Objects...)
	}
	return out
}

func revisionOf(t *testing.T, all []model.Object) *revision.Revision {
	t.Helper()
	c, _ := (*model.Cluster)(nil).Upsert(all, nil)
	return revision.New(revision.Facts{Number: 1, Cluster: c, Loaded: true, Desired: compiler.Compile(c, compiler.Options{IPv4: true})}, nil)
}

func namespace(name, tenant string) string {
	return "apiVersion: v1\nkind: Namespace\nmetadata: {name: " + name + ", labels: {kubernetes.io/metadata.name: " + name + ", tenant: " + tenant + "}}\n"
}

func names(keys []model.PolicyKey) (out []string) {
	for _, k := range keys {
		out = append(out, k.Label())
	}
	return out
}

// TestTemplates: on the demo every template offers answers that make valid policies, and what
// must hold with them holds; the set is known again and misses nothing.
func TestTemplates(t *testing.T) {
	for _, c := range []struct {
		name  string
		given template.Answers
		want  []string // policies
		at    string
		asIf  bool // the pods of the labels are imagined
	}{
		{"tenant-isolation", template.Answers{"tenants": "blue,green,red,yellow"}, []string{"ANP tenant-isolation-blue", "ANP tenant-isolation-green",
			"ANP tenant-isolation-red", "ANP tenant-isolation-yellow", "ANP tenant-isolation"}, "31,33", false},
		{"tenant-isolation", template.Answers{"tenants": "blue,red", "others": "tenants", "name": "walls", "priority": "20"}, []string{"ANP walls-blue", "ANP walls-red", "ANP walls"}, "20,23", false},
		{"default-deny", nil, []string{"ANP default-deny-needs", "ANP default-deny-dns", "ANP default-deny"}, "31,33,80", false},
		{"default-deny", template.Answers{"direction": "ingress"}, []string{"ANP default-deny"}, "31,33,80", false},
		{"monitoring", nil, []string{"ANP monitoring", "ANP monitoring-scrapes"}, "31,33", false},
		{"quarantine", nil, []string{"ANP quarantine-2"}, "32", true},
		{"quarantine", template.Answers{"except": "name=monitoring"}, []string{"ANP quarantine-2"}, "32", true},
		{"break-glass", nil, []string{"ANP break-glass-2", "ANP break-glass-2-opens"}, "13,16", true},
		{"baseline", nil, nil, "", false},
		{"delegate", nil, []string{"ANP delegate"}, "32", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			rev := demo(t)
			w := pattern.WorldOf(rev).PreparedWorld()
			made, err := pattern.MakeSet(w, template.FindTemplate(c.name), c.given, true)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, names(made.New)); diff != "" {
				t.Errorf("policies (-want +got):\n%s", diff)
			}
			if made.Answers["priority"] != c.at {
				t.Errorf("at %s, want %s", made.Answers["priority"], c.at)
			}
			if c.name == "baseline" && (len(made.Changed) != 1 || made.Base == "" || !strings.HasPrefix(made.Text, "# The one BaselineAdminNetworkPolicy")) {
				t.Errorf("the baseline there is keeps its text: %v\n%s", made.Changed, made.Text)
			}
			text, err := made.Expectations(t.Context(), rev)
			if err != nil {
				t.Fatal(err)
			}
			statements, problems := verify.ReadStatements("expect.yaml", text)
			if len(problems) > 0 || len(statements) == 0 {
				t.Fatalf("%v\n%s", problems, text)
			}
			// What is applied is the text, not what it was made of.
			after := revisionOf(t, append(all(rev), objects(t, made.Text)...))
			results, problems, err := verify.JudgeStatements(t.Context(), after, statements, verify.Options{AsIf: c.asIf})
			if err != nil || len(problems) > 0 {
				t.Fatal(err, problems)
			}
			for _, r := range results {
				if !r.Holds {
					t.Errorf("%s does not hold: %s", r.Statement.Title(), r.Message())
				}
			}
			found := false
			for _, k := range template.KnownSets(after.Cluster, false) {
				found = found || k.Name == made.Name && k.Template == made.Template && len(k.Policies) == len(made.Policies)
				if m := k.MissingPolicies(after.Cluster); len(m) > 0 {
					t.Errorf("the set misses %v", m)
				}
			}
			if !found {
				t.Errorf("the set %s is not known again", made.Name)
			}
		})
	}
}

// all are the objects of a revision.
func all(rev *revision.Revision) (out []model.Object) {
	for o := range rev.Cluster.Objects() {
		out = append(out, o)
	}
	return out
}

// TestWhole: a tenant that came since is a finding, and what is missing is made: its policy,
// and its name in the Deny, whose text otherwise stays as it is, at the priorities where the
// set is now.
func TestWhole(t *testing.T) {
	rev := demo(t)
	made, err := pattern.MakeSet(pattern.WorldOf(rev), template.FindTemplate("tenant-isolation"), template.Answers{"tenants": "blue,green,red,yellow"}, true)
	if err != nil {
		t.Fatal(err)
	}
	// Somebody wrote into the Deny, and moved the set.
	text := strings.Replace(made.Text, "# tenants reach nobody else", "# Ask the network team first.\n# tenants reach nobody else", 1)
	text = strings.ReplaceAll(strings.ReplaceAll(text, "priority: 31\n", "priority: 10\n"), "priority: 33\n", "priority: 12\n")
	rev = revisionOf(t, append(all(demo(t, namespace("violet", "violet"), namespace("violet-dev", "violet"))), objects(t, text)...))
	var said []string
	for _, f := range revision.FindingsOfObjects(rev) {
		if f.Code == lint.TemplateIncomplete.Code {
			said = append(said, f.Policy.Name+": "+f.Message+" → "+f.Remedy)
		}
	}
	if diff := cmp.Diff([]string{"tenant-isolation: the tenant violet (namespaces violet, violet-dev) is newer than the set tenant-isolation, made from the template tenant-isolation, " +
		"and is not isolated: no policy of the set is about it → add tenant-isolation-violet, and name violet in the Deny: rung new --update tenant-isolation"}, said); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	whole, err := pattern.CompleteSet(pattern.WorldOf(rev), "tenant-isolation", nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"ANP tenant-isolation-violet"}, names(whole.New)); diff != "" {
		t.Errorf("new (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"ANP tenant-isolation"}, names(whole.Changed)); diff != "" {
		t.Errorf("changed (-want +got):\n%s", diff)
	}
	for _, want := range []string{"priority: 10\n", "- violet\n", "# Ask the network team first.", "priority: 12\n"} {
		if !strings.Contains(whole.Text, want) {
			t.Errorf("no %q in\n%s", want, whole.Text)
		}
	}
	after := revisionOf(t, append(all(rev), objects(t, whole.Text)...))
	if _, err := pattern.CompleteSet(pattern.WorldOf(after), "tenant-isolation", nil); !errors.Is(err, template.ErrWhole) {
		t.Errorf("whole, and asked again: %v", err)
	}

	// It is no tenant after all.
	left, err := pattern.CompleteSet(pattern.WorldOf(rev), "tenant-isolation", []string{"violet"})
	if err != nil || len(left.New) != 0 || len(left.Changed) != 1 {
		t.Fatal(left, err)
	}
	after = revisionOf(t, append(all(rev), objects(t, left.Text)...))
	if k := template.KnownSets(after.Cluster, false)[0]; len(k.MissingPolicies(after.Cluster)) != 0 {
		t.Errorf("left out and missed: %v", k.MissingPolicies(after.Cluster))
	}

	// A policy that is gone comes back where it was.
	c, _ := after.Cluster.Upsert(nil, []model.Key{{Kind: model.KindANP, Name: "tenant-isolation-red"}})
	gone := revision.New(revision.Facts{Number: 2, Cluster: c, Loaded: true, Desired: compiler.Compile(c, compiler.Options{IPv4: true})}, nil)
	back, err := pattern.CompleteSet(pattern.WorldOf(gone), "tenant-isolation", nil)
	if err != nil || len(back.New) != 1 || back.New[0].Name != "tenant-isolation-red" || len(back.Changed) != 0 || !strings.Contains(back.Text, "priority: 10\n") {
		t.Fatalf("%+v, %v", back, err)
	}
}

// TestRefused: answers that make no set say why.
func TestRefused(t *testing.T) {
	full := ""
	for i := range 100 {
		full += "---\napiVersion: policy.networking.k8s.io/v1alpha1\nkind: AdminNetworkPolicy\nmetadata: {name: p" + string(rune('a'+i/26)) + string(rune('a'+i%26)) + "}\nspec: {priority: " + strconv.Itoa(i) + ", subject: {namespaces: {matchLabels: {a: b}}}, ingress: [{action: Deny, from: [{namespaces: {}}]}]}\n"
	}
	for _, c := range []struct {
		name, template string
		given          template.Answers
		more           string
		want           string
	}{
		{"a question it does not ask", "quarantine", template.Answers{"label": "x"}, "", `does not ask for "label"; it asks for pods, except, priority, name`},
		{"a priority that is taken", "quarantine", template.Answers{"priority": "34"}, "", "34 is taken by cluster-control"},
		{"one above the range", "quarantine", template.Answers{"priority": "120"}, "", "120 is no priority: want numbers from 0 to 99"},
		{"too many", "quarantine", template.Answers{"priority": "1,2"}, "", "the template takes 1"},
		{"descending", "monitoring", template.Answers{"priority": "5,2"}, "", "want them ascending"},
		{"a name that is taken", "quarantine", template.Answers{"name": "quarantine"}, "", "there is a policy quarantine already: choose another name for the set"},
		{"no labels", "delegate", template.Answers{"namespaces": "tenant=a=b"}, "", "no labels"},
		{"every pod in quarantine", "quarantine", template.Answers{"pods": "all"}, "", "all are too many"},
		{"a pod for its label", "quarantine", template.Answers{"pods": "red/canary-0"}, "", "red/canary-0 is a pod: want a label, KEY=VALUE; its labels: app=canary"},
		{"a pod's name for its label", "quarantine", template.Answers{"pods": "canary-0"}, "", "red/canary-0 is a pod: want a label"},
		{"no port", "monitoring", template.Answers{"ports": "80,x"}, "", "x is no port"},
		{"no direction", "baseline", template.Answers{"direction": "up"}, "", "want one of both, egress, ingress"},
		{"no value of a label", "tenant-isolation", template.Answers{"tenants": "a b"}, "", "is no value of a label"},
		{"a tenant that is none", "tenant-isolation", template.Answers{"tenants": "blue", "leave-out": "blue"}, "", "blue is among the tenants and among those that are left out"},
		{"no priority is free", "quarantine", nil, full, "needs an answer: priority"},
	} {
		rev := demo(t)
		if c.more != "" {
			rev = demo(t, c.more)
		}
		_, err := pattern.MakeSet(pattern.WorldOf(rev), template.FindTemplate(c.template), c.given, true)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := pattern.CompleteSet(pattern.WorldOf(demo(t)), "walls", nil); err == nil || !strings.Contains(err.Error(), "no policy here was made from a template") {
		t.Errorf("a set that is not there: %v", err)
	}
}

// TestOddValues: values of labels that are no names of objects make policies all the same, each
// with a name of its own that OVN does not cut.
func TestOddValues(t *testing.T) {
	long := "a" + strings.Repeat("-very", 11) + "-long"
	rev := demo(t, namespace("n1", "'Blue'"), namespace("n2", "'a.b_c'"), namespace("n3", "'a.b-c'"), namespace("n4", long), namespace("n5", "'main'"), namespace("n6", "'true'"))
	made, err := pattern.MakeSet(pattern.WorldOf(rev), template.FindTemplate("tenant-isolation"), template.Answers{"tenants": "blue,Blue,a.b_c,a.b-c,main,true," + long}, true)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, p := range made.Policies {
		if seen[p.Key.Name] || len(p.Key.Name) > 48 {
			t.Errorf("name %s", p.Key.Name)
		}
		seen[p.Key.Name] = true
	}
	after := revisionOf(t, append(all(rev), objects(t, made.Text)...))
	if n := len(template.KnownSets(after.Cluster, false)[0].Policies); n != 8 {
		t.Errorf("%d policies are known again, want 8", n)
	}
}
