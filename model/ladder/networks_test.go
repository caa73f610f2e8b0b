package ladder

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/network"
	"rung/test/made"
)

// A policy that no controller takes isolates nothing: there is no default deny of it.
func TestNoDenyOfUnprogrammed(t *testing.T) {
	policy := func(kind model.Kind, ns, name, policyFor string, peers ...model.Peer) *model.Policy {
		p := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: kind, Namespace: ns, Name: name}, Annotations: map[string]string{model.AnnotationPolicyFor: policyFor}}, Tier: model.TierNetwork,
			Subject: model.Subject{Namespaces: model.SelectEverything(), Pods: model.SelectEverything(), Namespace: ns}, IsolatesIngress: true, Ingress: []model.Rule{made.Rule(model.Allow, peers)}}
		p.Ingress[0].Direction = model.Ingress
		return p
	}
	bare := &network.Attachment{Meta: model.Meta{Key: model.Key{Kind: model.KindNAD, Namespace: "app", Name: "bare"}}, Config: network.Config{Name: "bare", Topology: network.Layer2}}
	c := made.Cluster(made.NS("plain", ""), made.NS("app", ""), made.NS("waits", model.LabelPrimaryUDN+"="), bare,
		policy(model.KindNP, "plain", "p", ""), policy(model.KindNP, "waits", "p", ""), policy(model.KindMNP, "app", "peers", "bare", made.NSPeer("")), policy(model.KindMNP, "app", "nowhere", "none"))
	denies := func(c *model.Cluster) (out []string) {
		for _, u := range New(c, Options{Networks: network.NewTable(c)}).Tiers[model.TierNetwork].Units {
			if u.Key.Kind == model.KindNetpolNamespace {
				out = append(out, u.Key.String())
			}
		}
		return out
	}
	if diff := cmp.Diff([]string{"NetpolNamespace/plain/Ingress"}, denies(c)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	c, _ = c.Upsert([]model.Object{policy(model.KindMNP, "app", "blocks", "bare", made.NetPeer("10.0.0.0/8"))}, nil)
	if diff := cmp.Diff([]string{"NetpolNamespace/app/Ingress@bare", "NetpolNamespace/plain/Ingress"}, denies(c)); diff != "" {
		t.Errorf("with one that is taken (-want +got)\n%s", diff)
	}
}
