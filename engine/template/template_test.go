package template_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/compiler"
	"rung/engine/template"
	"rung/engine/verify"
	"rung/model"
	"rung/revision"
	"rung/sources/manifests"
	"rung/test/given/troubled"
)

// demo is a revision of the demo with more objects.
func demo(t *testing.T, more ...string) *revision.Revision {
	t.Helper()
	res, err := manifests.Read(t.Context(), manifests.Options{FS: troubled.Files, Paths: []string{"."}})
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
// must hold with them holds.
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
		{"tenant-isolation", template.Answers{"tenants": "blue,red", "others": "tenants", "name": "walls", "priority": "20,23"}, []string{"ANP walls-blue", "ANP walls-red", "ANP walls"}, "20,23", false},
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
			w := template.NewWorld(rev)
			made, err := template.MakeSet(w, template.FindTemplate(c.name), c.given, true)
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
		{"one above the range", "quarantine", template.Answers{"priority": "120"}, "", "120 is not a priority: must be 0–99"},
		{"too many", "quarantine", template.Answers{"priority": "1,2"}, "", "the template takes 1"},
		{"descending", "monitoring", template.Answers{"priority": "5,2"}, "", "priorities must ascend"},
		{"a name that is taken", "quarantine", template.Answers{"name": "quarantine"}, "", "policy quarantine already exists: choose another name for the set"},
		{"no labels", "delegate", template.Answers{"namespaces": "tenant=a=b"}, "", "invalid labels"},
		{"every pod in quarantine", "quarantine", template.Answers{"pods": "all"}, "", "not every pod"},
		{"a pod for its label", "quarantine", template.Answers{"pods": "red/canary-0"}, "", "red/canary-0 is a pod: want a label, KEY=VALUE; its labels: app=canary"},
		{"a pod's name for its label", "quarantine", template.Answers{"pods": "canary-0"}, "", "red/canary-0 is a pod: want a label"},
		{"no port", "monitoring", template.Answers{"ports": "80,x"}, "", "x is not a port"},
		{"no direction", "baseline", template.Answers{"direction": "up"}, "", "want one of both, egress, ingress"},
		{"no value of a label", "tenant-isolation", template.Answers{"tenants": "a b"}, "", "is not a label value"},
		{"too few", "monitoring", template.Answers{"priority": "5"}, "", "1 priority, and the template takes 2"},
		{"no priority is free", "quarantine", nil, full, "needs an answer: priority"},
	} {
		rev := demo(t)
		if c.more != "" {
			rev = demo(t, c.more)
		}
		_, err := template.MakeSet(template.NewWorld(rev), template.FindTemplate(c.template), c.given, true)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestOddValues: values of labels that are no names of objects make policies all the same, each
// with a name of its own that OVN does not cut.
func TestOddValues(t *testing.T) {
	long := "a" + strings.Repeat("-very", 11) + "-long"
	rev := demo(t, namespace("n1", "'Blue'"), namespace("n2", "'a.b_c'"), namespace("n3", "'a.b-c'"), namespace("n4", long), namespace("n5", "'main'"), namespace("n6", "'true'"))
	made, err := template.MakeSet(template.NewWorld(rev), template.FindTemplate("tenant-isolation"), template.Answers{"tenants": "blue,Blue,a.b_c,a.b-c,main,true," + long}, true)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, k := range made.New {
		if seen[k.Name] || len(k.Name) > 44 {
			t.Errorf("name %s", k.Name)
		}
		seen[k.Name] = true
	}
	if n := len(objects(t, made.Text)); n != 8 {
		t.Errorf("%d policies, want 8", n)
	}
}

// tenants are a system namespace, those of two tenants, and one without.
func tenants(t *testing.T) *template.World {
	t.Helper()
	var texts []string
	for _, f := range []string{"kube-system", "blue, tenant: blue, env: prod", "blue-dev, tenant: blue, env: dev", "green, tenant: green, env: prod", "odd, env: prod"} {
		name, _, _ := strings.Cut(f, ",")
		texts = append(texts, "apiVersion: v1\nkind: Namespace\nmetadata: {name: "+name+", labels: {kubernetes.io/metadata.name: "+f+"}}\n")
	}
	return template.NewWorld(revisionOf(t, objects(t, texts...)))
}

func TestOffers(t *testing.T) {
	w := tenants(t)
	for _, c := range []struct {
		template, question string
		given              template.Answers
		want               []template.Choice
	}{
		{"tenant-isolation", "label", nil, []template.Choice{{"tenant", "2 values on 3 namespaces"}, {"env", "2 values on 4 namespaces"}}},
		{"tenant-isolation", "tenants", template.Answers{"label": "tenant"}, []template.Choice{{"blue,green", "every value"}, {"blue", "blue, blue-dev"}, {"green", "green"}}},
		{"tenant-isolation", "priority", nil, []template.Choice{{"40,43", "free"}}},
		{"default-deny", "namespaces", nil, []template.Choice{{"env=prod", "blue, green, odd"}, {"tenant=blue", "blue, blue-dev"},
			{"kubernetes.io/metadata.name notin (kube-system)", "all but the system's, future ones too"}}},
		{"default-deny", "priority", nil, []template.Choice{{"40,43,71", "free; the last after every policy"}}},
		{"break-glass", "priority", nil, []template.Choice{{"40,43", "free"}}},
		{"monitoring", "ports", nil, []template.Choice{{"any", "every port"}}},
	} {
		tpl := template.FindTemplate(c.template)
		if diff := cmp.Diff(c.want, w.OfferedChoices(tpl, tpl.Question(c.question), c.given)); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", c.template, c.question, diff)
		}
	}
	for _, tpl := range template.AllTemplates() {
		if n := len(tpl.QuestionNames(false)); n < 2 || n > 3 {
			t.Errorf("%s asks %d questions", tpl.Name, n)
		}
	}
}

func TestComplete(t *testing.T) {
	w, isolation := tenants(t), template.FindTemplate("tenant-isolation")
	_, _, err := isolation.CompleteAnswers(w, template.Answers{"label": "env"}, false)
	var missing *template.MissingError
	if !errors.As(err, &missing) || err.Error() != "template tenant-isolation needs answers: tenants (for example dev,prod), priority (for example 40,43)" {
		t.Errorf("%v", err)
	}
	got, _, err := isolation.CompleteAnswers(w, template.Answers{"tenants": " blue , blue ", "priority": "50, 53"}, true)
	want := template.Answers{"label": "tenant", "tenants": "blue", "priority": "50,53", "others": "all", "name": ""}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// TestAnswerOfLines: labels on several lines stay in one comment of the text.
func TestAnswerOfLines(t *testing.T) {
	made, err := template.MakeSet(template.NewWorld(demo(t)), template.FindTemplate("quarantine"), template.Answers{"pods": "a=b,\nc=d"}, true)
	if err != nil || !strings.HasPrefix(made.Text, "# a pod with a=b, c=d is shut off.\n") {
		t.Errorf("%v\n%s", err, made.Text)
	}
}
