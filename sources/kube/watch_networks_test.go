package kube

import (
	"slices"
	"testing"

	"rung/model"
	"rung/model/network"
)

// TestWatchNetworks: the objects of other networks are read where the server serves them, and told of
// nowhere else.
func TestWatchNetworks(t *testing.T) {
	noLeaks(t)
	const ovn, cni, beta = "/apis/k8s.ovn.org/v1", "/apis/k8s.cni.cncf.io/v1", "/apis/k8s.cni.cncf.io/v1beta1"
	a := newWatchAPI(t)
	populate(a)
	a.served[ovn+"/userdefinednetworks"] = "k8s.ovn.org/v1 UserDefinedNetwork"
	a.served[cni+"/network-attachment-definitions"] = "k8s.cni.cncf.io/v1 NetworkAttachmentDefinition"
	a.served[beta+"/multi-networkpolicies"] = "k8s.cni.cncf.io/v1beta1 MultiNetworkPolicy"
	object := func(name string, annotations, spec map[string]any) map[string]any {
		return map[string]any{"metadata": map[string]any{"name": name, "namespace": "blue", "annotations": annotations}, "spec": spec}
	}
	a.put(ovn+"/userdefinednetworks", object("net", nil, map[string]any{"topology": "Layer3",
		"layer3": map[string]any{"role": "Primary", "subnets": []any{map[string]any{"cidr": "10.20.0.0/16"}}}}))
	config := `{"type":"ovn-k8s-cni-overlay","name":"l2","netAttachDefName":"blue/l2","topology":"layer2","subnets":"10.30.0.0/16"}`
	a.put(cni+"/network-attachment-definitions", object("l2", nil, map[string]any{"config": config}))
	a.put(cni+"/network-attachment-definitions", object("bad", nil, map[string]any{"config": "{"}))
	a.put(beta+"/multi-networkpolicies", object("web", map[string]any{model.AnnotationPolicyFor: "l2"}, map[string]any{"podSelector": map[string]any{}, "policyTypes": []any{"Ingress"}}))
	cl, _ := a.cluster("t-1")
	s := startWatch(t, cl, quickTiming)
	s.untilLoaded()
	udn, nad, bad, policy := model.Key{Kind: model.KindUDN, Namespace: "blue", Name: "net"}, model.Key{Kind: model.KindNAD, Namespace: "blue", Name: "l2"},
		model.Key{Kind: model.KindNAD, Namespace: "blue", Name: "bad"}, model.Key{Kind: model.KindMNP, Namespace: "blue", Name: "web"}
	s.until("the networks and the policy", func() bool {
		return s.objects[udn] != nil && s.objects[nad] != nil && s.objects[bad] != nil && s.objects[policy] != nil
	})
	s.look(func() {
		if d := s.objects[udn].(*network.Definition); d.Config.Name != "blue_net" || !d.Config.Primary {
			t.Errorf("definition %+v", d)
		}
		if n := s.objects[nad].(*network.Attachment); n.Config.Name != "l2" || n.Err != "" || n.Version == "" {
			t.Errorf("attachment %+v: config %+v, %q, version %q", n, n.Config, n.Err, n.Version)
		}
		if p := s.objects[policy].(*model.Policy); !p.IsolatesIngress || p.IsolatesEgress || p.Annotations[model.AnnotationPolicyFor] != "l2" {
			t.Errorf("policy %+v", p)
		}
		if len(s.broken) != 1 || s.broken[0].Key != bad || s.broken[0].Field != "spec.config" {
			t.Errorf("broken %v", s.broken)
		}
		var told []model.Kind
		for _, r := range s.resources {
			if slices.Contains([]model.Kind{model.KindUDN, model.KindCUDN, model.KindNAD, model.KindCNC, model.KindMNP}, r.Kind) {
				told = append(told, r.Kind)
				if !r.Rows || r.Conn != model.ConnSynced {
					t.Errorf("resource %+v", r)
				}
			}
		}
		if !slices.Equal(told, []model.Kind{model.KindUDN, model.KindNAD, model.KindMNP}) {
			t.Errorf("told of %v", told)
		}
	})
	a.remove(beta+"/multi-networkpolicies", "blue/web")
	s.until("the policy is gone", func() bool { return s.objects[policy] == nil })
}
