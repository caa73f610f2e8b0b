package antrea_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/antrea"
)

func tier(name string, priority int32) *model.Tier {
	return &model.Tier{Meta: model.Meta{Key: model.Key{Kind: model.KindTier, Name: name}}, Priority: priority}
}

func acnp(name, tier string, priority float64, rules ...model.Rule) *model.Policy {
	return policyOf(model.Key{Kind: model.KindACNP, Name: name}, tier, priority, rules)
}

func annp(namespace, name, tier string, priority float64, rules ...model.Rule) *model.Policy {
	return policyOf(model.Key{Kind: model.KindANNP, Namespace: namespace, Name: name}, tier, priority, rules)
}

func policyOf(k model.Key, tier string, priority float64, rules []model.Rule) *model.Policy {
	if tier == "" {
		tier = antrea.Application
	}
	p := &model.Policy{Meta: model.Meta{Key: k}, Tiered: &model.TieredPolicy{Tier: tier, Priority: priority,
		AppliedTo: []model.AppliedTo{{Select: true, Namespaces: model.SelectEverything(), Pods: model.SelectEverything()}}}}
	p.Ingress = rules
	return p
}

func other(kind model.Kind, namespace, name string, tier int, priority int32) *model.Policy {
	return &model.Policy{Meta: model.Meta{Key: model.Key{Kind: kind, Namespace: namespace, Name: name}}, Tier: tier, Priority: priority}
}

func clusterOf(objects ...model.Object) *model.Cluster {
	c, _ := (&model.Cluster{}).Upsert(objects, nil)
	return c
}

// TestOrder is the effective order of 30 policies over 8 tiers, between which the
// NetworkPolicies of Kubernetes and its own precedence stand.
func TestOrder(t *testing.T) {
	c := clusterOf(tier("first", 1), tier("edge", 120),
		// The order here is not that of the answer.
		acnp("b3", antrea.Baseline, 1), annp("shop", "b2", antrea.Baseline, 0.5), acnp("b4", antrea.Baseline, 10000),
		other(model.KindBANP, "", "default", model.TierBaseline, 0),
		other(model.KindNP, "shop", "z", model.TierNetwork, 0), other(model.KindNP, "data", "y", model.TierNetwork, 0), other(model.KindNP, "shop", "a", model.TierNetwork, 0),
		other(model.KindANP, "", "anp-5", model.TierAdmin, 5), other(model.KindANP, "", "anp-1", model.TierAdmin, 1), other(model.KindANP, "", "anp-5b", model.TierAdmin, 5),
		acnp("app-10", "", 10), annp("default", "app-9.5", "", 9.5), acnp("app-2", antrea.Application, 2),
		acnp("plat-1", "platform", 1), annp("x", "plat-1", "platform", 1), acnp("plat-1.5", "platform", 1.5),
		acnp("net-7", "networkops", 7), annp("x", "net-6.999", "networkops", 6.999),
		acnp("edge-1", "edge", 1), acnp("edge-1000", "edge", 1000),
		acnp("sec-5", "securityops", 5), annp("a", "sec-5", "securityops", 5), annp("b", "sec-5", "securityops", 5), acnp("sec-1", "securityops", 1),
		acnp("em-100", "emergency", 100), acnp("em-20", "emergency", 20), annp("x", "em-1", "emergency", 1),
		acnp("first-10000", "first", 10000), annp("x", "first-1", "first", 1),
		acnp("lost", "nowhere", 1))
	var got []string
	for _, p := range antrea.EffectiveOrder(c) {
		text := fmt.Sprintf("%d %g %s", p.Tier, p.Priority(), p.Policy.Key.Label())
		if p.IsTied() {
			text += fmt.Sprintf(" tied %d", len(p.TiedPolicies()))
		}
		if p.Missing {
			text = "missing " + p.Policy.Key.Label()
		}
		got = append(got, text)
	}
	want := []string{
		"1 1 ANNP x/first-1", "1 10000 ACNP first-10000",
		"50 1 ANNP x/em-1", "50 20 ACNP em-20", "50 100 ACNP em-100",
		"100 1 ACNP sec-1", "100 5 ACNP sec-5 tied 2", "100 5 ANNP a/sec-5 tied 2", "100 5 ANNP b/sec-5 tied 2",
		"120 1 ACNP edge-1", "120 1000 ACNP edge-1000",
		"150 6.999 ANNP x/net-6.999", "150 7 ACNP net-7",
		"200 1 ACNP plat-1 tied 1", "200 1 ANNP x/plat-1 tied 1", "200 1.5 ACNP plat-1.5",
		"250 2 ACNP app-2", "250 9.5 ANNP default/app-9.5", "250 10 ACNP app-10",
		"251 1 ANP anp-1", "251 5 ANP anp-5 tied 1", "251 5 ANP anp-5b tied 1",
		"252 0 NP data/y", "252 0 NP shop/a", "252 0 NP shop/z",
		"253 0.5 ANNP shop/b2", "253 1 ACNP b3", "253 10000 ACNP b4",
		"254 0 BANP default",
		"missing ACNP lost",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The three policies of the documentation: ingress and egress rules by tier, then by the
// policy's priority, then by number.
func TestOrderOfRules(t *testing.T) {
	c := clusterOf(acnp("acnp1", antrea.Application, 10), annp("x", "annp1", antrea.Application, 15), acnp("acnp3", "emergency", 20))
	var got []string
	for _, p := range antrea.EffectiveOrder(c) {
		got = append(got, p.Policy.Name)
	}
	if diff := cmp.Diff([]string{"acnp3", "acnp1", "annp1"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTiers(t *testing.T) {
	described := tier("emergency", 49)
	described.Description = "of the cluster"
	var got []string
	for _, tr := range antrea.TiersInOrder(clusterOf(tier("mine", 10), tier("same", 10), described)) {
		got = append(got, fmt.Sprintf("%d %s %v %s", tr.Priority, tr.Name, tr.Static, tr.Description))
	}
	want := []string{"10 mine false ", "10 same false ", "50 emergency true of the cluster", "100 securityops true ", "150 networkops true ",
		"200 platform true ", "250 application true ", "253 baseline true "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
