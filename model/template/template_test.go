package template

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/selectors"
)

// world is a cluster of namespaces "blue tenant=blue", and of policies "name@priority" with
// an annotation.
func world(t *testing.T, namespaces []string, policies ...*model.Policy) *World {
	t.Helper()
	var all []model.Object
	for _, text := range namespaces {
		f := strings.Fields(text)
		labels := map[string]string{nameLabel: f[0]}
		for _, l := range f[1:] {
			k, v, _ := strings.Cut(l, "=")
			labels[k] = v
		}
		all = append(all, &model.Namespace{Meta: model.Meta{Key: model.Key{Kind: model.KindNamespace, Name: f[0]}, Labels: model.NewLabels(labels)}})
	}
	for _, p := range policies {
		all = append(all, p)
	}
	c, _ := (*model.Cluster)(nil).Upsert(all, nil)
	return &World{Cluster: c, Index: selectors.NewPodIndex(c, nil), Max: 99}
}

func anp(name string, priority int32, record string) *model.Policy {
	p := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindANP, Name: name}}, Tier: model.TierAdmin, Priority: priority}
	if record != "" {
		p.Annotations = map[string]string{model.AnnotationTemplate: record}
	}
	return p
}

var tenants = []string{"kube-system", "blue tenant=blue env=prod", "blue-dev tenant=blue env=dev", "green tenant=green env=prod", "odd env=prod"}

func TestOffers(t *testing.T) {
	w := world(t, tenants)
	for _, c := range []struct {
		template, question string
		given              Answers
		want               []Choice
	}{
		{"tenant-isolation", "label", nil, []Choice{{"tenant", "2 values on 3 namespaces"}, {"env", "2 values on 4 namespaces"}}},
		{"tenant-isolation", "tenants", Answers{"label": "tenant"}, []Choice{{"blue,green", "every value there is"}, {"blue", "blue, blue-dev"}, {"green", "green"}}},
		{"tenant-isolation", "leave-out", Answers{"label": "tenant", "tenants": "blue"}, []Choice{{"green", "no tenants"}}},
		{"tenant-isolation", "priority", nil, []Choice{{"40,43", "free"}}},
		{"default-deny", "namespaces", nil, []Choice{{"env=prod", "blue, green, odd"}, {"tenant=blue", "blue, blue-dev"},
			{nameLabel + " notin (kube-system)", "all but the system's, future ones too"}}},
		{"default-deny", "priority", nil, []Choice{{"40,43,71", "free; the last after every policy"}}},
		{"break-glass", "priority", nil, []Choice{{"40,43", "free"}}},
		{"monitoring", "ports", nil, []Choice{{"any", "every port"}}},
	} {
		if diff := cmp.Diff(c.want, FindTemplate(c.template).Question(c.question).OfferedChoices(w, c.given)); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", c.template, c.question, diff)
		}
	}
	for _, tt := range AllTemplates() {
		if n := len(tt.AskedQuestions()); n < 2 || n > 3 {
			t.Errorf("%s asks %d questions", tt.Name, n)
		}
	}
}

func TestComplete(t *testing.T) {
	w := world(t, tenants)
	_, err := isolation.CompleteAnswers(w, Answers{"label": "env"}, false)
	var missing *MissingError
	if !errors.As(err, &missing) || err.Error() != "template tenant-isolation needs answers: tenants (for example dev,prod), priority (for example 40,43)" {
		t.Errorf("%v", err)
	}
	got, err := isolation.CompleteAnswers(w, Answers{"tenants": " blue , blue ", "priority": "50"}, true)
	want := Answers{"label": "tenant", "tenants": "blue", "priority": "50,53", "others": "all", "leave-out": "green", "name": ""}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestRecord(t *testing.T) {
	r := SetRecord{Template: "quarantine", Set: "quarantine", Part: "main", Answers: Answers{"pods": "a=b", "priority": "3"}}
	const text = `{"template":"quarantine","set":"quarantine","part":"main","answers":{"pods":"a=b","priority":"3"}}`
	if r.Annotation() != text {
		t.Errorf("written as %s", r.Annotation())
	}
	got, err := ParseRecord(text)
	if diff := cmp.Diff(r, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for _, bad := range []string{"", "no JSON", "[]", `{"template":"x"}`, `{"template":1,"set":"a","part":"b"}`, strings.Repeat(" ", mostRecord+1)} {
		if _, err := ParseRecord(bad); err == nil {
			t.Errorf("%.30q is taken", bad)
		}
	}
}

func FuzzRecord(f *testing.F) {
	f.Add(`{"template":"tenant-isolation","set":"s","part":"main","answers":{"label":"tenant","tenants":"blue"}}`)
	f.Add(`{"template":"default-deny","set":"s","part":"needs","answers":{"priority":"-1,9999999999"}}`)
	f.Fuzz(func(t *testing.T, raw string) {
		w := world(t, tenants, anp("x", 7, raw))
		for _, k := range KnownSets(w.Cluster, false) {
			k.MissingPolicies(w.Cluster)
			if s, err := k.MakeMissing(w, nil); err == nil && len(s.Policies) == 0 {
				t.Errorf("a set of nothing: %q", raw)
			}
		}
	})
}

func TestSets(t *testing.T) {
	record := func(part, tenants string) string {
		return SetRecord{"tenant-isolation", "walls", part, Answers{"label": "tenant", "tenants": tenants}}.Annotation()
	}
	w := world(t, tenants, anp("walls", 43, record("main", "blue")), anp("walls-blue", 40, record("tenant=blue", "")),
		anp("z-other", 50, SetRecord{"quarantine", "walls", "main", nil}.Annotation()), anp("broken", 51, "no JSON"),
		anp("later", 52, SetRecord{"of-tomorrow", "new", "main", nil}.Annotation()))
	sets := KnownSets(w.Cluster, false)
	if len(sets) != 2 || sets[0].Name != "new" || sets[0].Template != nil || sets[0].MissingPolicies(w.Cluster) != nil {
		t.Fatalf("%+v", sets)
	}
	if _, err := sets[0].MakeMissing(w, nil); err == nil || !strings.Contains(err.Error(), "which this Rung does not know") {
		t.Errorf("a template of tomorrow: %v", err)
	}
	walls := SetOf(w.Cluster, model.PolicyKey{Kind: model.KindANP, Name: "walls-blue"})
	want := []MissingPolicy{{Part: "tenant=green", Policy: "walls-green", Value: "green", Namespaces: []string{"green"}}}
	if walls == nil || walls.MainPolicy().Name != "walls" || len(walls.Policies) != 2 {
		t.Fatalf("%+v", walls)
	}
	if diff := cmp.Diff(want, walls.MissingPolicies(w.Cluster)); diff != "" {
		t.Errorf("missing (-want +got):\n%s", diff)
	}
}

func TestNames(t *testing.T) {
	for part, want := range map[string]string{mainPart: "walls", "tenant=blue": "walls-blue", "opens": "walls-opens"} {
		if got := policyName("walls", part); got != want {
			t.Errorf("%s: %s, want %s", part, got, want)
		}
	}
	seen := map[string]string{}
	for _, part := range []string{"tenant=Blue", "tenant=blue", "tenant=b_lue", "tenant=b-lue", "tenant=b.lue", "tenant=" + strings.Repeat("x", 63), "tenant=" + strings.Repeat("x", 62)} {
		name := policyName("walls", part)
		if seen[name] != "" || len(name) > longestName {
			t.Errorf("%s of %s and %s", name, part, seen[name])
		}
		seen[name] = part
	}
}

func TestSelectorsAndPorts(t *testing.T) {
	for text, want := range map[string]string{"all": "all", "name=shop": "name=shop", "tenant=blue,env in (prod, dev)": "env in (dev,prod),tenant=blue", "!tenant": "!tenant"} {
		s, err := selectorOf(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		sel, err := model.NewSelector(s)
		if err != nil || sel.String() != want {
			t.Errorf("%s: %s, %v, want %s", text, sel, err, want)
		}
	}
	for _, bad := range []string{"", "a=b=c", "a in b", "-=x"} {
		if s, err := selectorOf(bad); err == nil {
			t.Errorf("%q is taken: %v", bad, s)
		}
	}
	got, err := portsOf("80, 8000-8100,53/udp")
	if diff := cmp.Diff("80/TCP 8000-8100/TCP 53/UDP", strings.Join(portTexts(got), " ")); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	for _, bad := range []string{"0", "70000", "9-8", "80/ICMP", "http"} {
		if _, err := portsOf(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
