package made

import "rung/model"

// LadderCluster has something on every tier of the ladder, a duplicate that conflicts,
// and priorities that are not supported.
func LadderCluster() *model.Cluster {
	np := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindNP, Namespace: "blue", Name: "allow-web"}}, Tier: model.TierNetwork, Subject: model.Subject{Namespace: "blue", Pods: Sel("app=web")}}
	ef := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindEF, Namespace: "blue", Name: "default"}}, Tier: model.TierNetwork, Subject: model.Subject{Namespace: "blue", AllPods: true}}
	banp := ANP("default", 0, "type=workload", []model.Rule{Rule(model.Deny, Peers(NSPeer("*")))}, nil)
	banp.Kind, banp.Tier = model.KindBANP, model.TierBaseline
	return Cluster(NS("blue", "tenant=blue"), NS("red", "tenant=red"),
		Pod("blue/web-1", "app=web", "10.1.0.1"), Pod("red/web-1", "app=web", "10.1.0.2"),
		ANP("quarantine", 60, "*", []model.Rule{Rule(model.Deny, Peers(NSPeer("*")))}, nil),
		ANP("allow-metrics", 60, "tenant=blue", []model.Rule{Rule(model.Allow, Peers(NSPeer("tenant=red")), TCP(9090))}, nil),
		ANP("break-glass", 30, "*", nil, []model.Rule{Rule(model.Allow, Peers(NSPeer("*"))), Rule(model.Pass, Peers(NSPeer("*")))}),
		ANP("experimental", 120, "app=canary", []model.Rule{Rule(model.Deny, Peers(NSPeer("*")))}, nil),
		ANP("experimental-2", 120, "*", []model.Rule{Rule(model.Allow, Peers(NSPeer("*")))}, nil), np, ef, banp)
}

// Tier2Cluster has one of everything that tier 2 holds.
func Tier2Cluster() *model.Cluster {
	np := func(ns, name string, ingress, egress []model.Rule, in, out bool) *model.Policy {
		return &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindNP, Namespace: ns, Name: name}}, Tier: model.TierNetwork, Ingress: ingress, Egress: egress,
			Subject: model.Subject{Namespaces: model.SelectEverything(), Pods: model.SelectEverything(), Namespace: ns}, IsolatesIngress: in, IsolatesEgress: out}
	}
	allow := []model.Rule{Rule(model.Allow, nil)}
	ef := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindEF, Namespace: "blue", Name: "default"}}, Tier: model.TierNetwork,
		Egress: []model.Rule{Rule(model.Allow, nil), Rule(model.Deny, nil)}, Subject: model.Subject{Namespace: "blue", AllPods: true}}
	bad := np("red", "refused", nil, nil, true, true)
	bad.Invalid = []model.Broken{{Code: "profile"}}
	objects := []model.Object{ef, bad, np("blue", "both", allow, allow, true, true), np("blue", "in", allow, nil, true, false),
		np("green", "closed", nil, nil, true, false),
		ANP("both", 10, "*", []model.Rule{Rule(model.Allow, nil)}, []model.Rule{Rule(model.Deny, nil)}), ANP("in", 10, "*", []model.Rule{Rule(model.Deny, nil)}, nil)}
	for ns, multicast := range map[string]string{"blue": "true", "green": "false", "red": ""} {
		objects = append(objects, &model.Namespace{Meta: model.Meta{Key: model.Key{Kind: model.KindNamespace, Name: ns}, Annotations: map[string]string{model.AnnotationMulticast: multicast}}})
	}
	c, _ := (&model.Cluster{}).Upsert(objects, nil)
	return c
}
