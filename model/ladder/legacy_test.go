package ladder

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/test/made"
)

// A namespace that its annotation isolates stands in tier 2 where that counts, with or
// without NetworkPolicies; those of 2016 have no default deny of their own there.
func TestAnnotatedNamespaces(t *testing.T) {
	annotated := func(name, text string) *model.Namespace {
		ns := made.NS(name, "")
		ns.Annotations = map[string]string{model.AnnotationIsolation: text}
		return ns
	}
	np := func(ns, name, version string) *model.Policy {
		return &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindNP, Namespace: ns, Name: name}}, Tier: model.TierNetwork, IsolatesIngress: true, APIVersion: version,
			Subject: model.Subject{Namespace: ns, Namespaces: model.SelectEverything(), Pods: model.SelectEverything()}}
	}
	const deny = `{"ingress": {"isolation": "DefaultDeny"}}`
	c := made.Cluster(annotated("bare", deny), annotated("wrong", "DefaultDeny"), annotated("shop", deny), made.NS("open", ""),
		np("shop", "web", model.APIVersionNP2016), np("open", "lost", model.APIVersionNP2016), np("open", "today", ""))
	units := func(legacy bool, stage model.Stage) (out []string) {
		for _, s := range New(c, Options{LegacyIsolation: legacy}).Tiers[model.TierNetwork].Sections(stage) {
			for _, n := range s.Namespaces {
				for _, u := range append(n.Policies, n.Denies...) {
					out = append(out, n.Name+": "+u.Key.Label())
				}
			}
			for _, u := range s.Units {
				out = append(out, u.Key.Label())
			}
		}
		return out
	}
	for _, tt := range []struct {
		name   string
		legacy bool
		stage  model.Stage
		want   []string
	}{
		{"today", false, "", []string{"open: NP open/lost", "open: NP open/today", "open: default deny of open, ingress", "shop: NP shop/web", "shop: default deny of shop, ingress"}},
		{"as then", true, "", []string{"bare: isolation annotation of bare", "open: NP open/lost", "open: NP open/today", "open: default deny of open, ingress", "shop: NP shop/web", "shop: isolation annotation of shop"}},
		{"nothing is sent through it", true, model.StageAfterLB, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := units(tt.legacy, tt.stage)
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}
