package live

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
)

// Big is a cluster of so many pods in namespaces of 25, on ten nodes, and so
// many AdminNetworkPolicies, each with so many rules: half ingress, half
// egress, with pods as peers.
func Big(pods, policies, rules int) *model.Cluster {
	var objects []model.Object
	sel := func(k, v string) model.Selector {
		s, err := model.NewSelector(&metav1.LabelSelector{MatchLabels: map[string]string{k: v}})
		if err != nil {
			panic(err) // the labels above are valid
		}
		return s
	}
	for i := range 10 {
		objects = append(objects, &model.Node{Meta: model.Meta{Key: model.Key{Kind: model.KindNode, Name: fmt.Sprintf("node-%d", i)}}})
	}
	for i := range (pods + 24) / 25 {
		objects = append(objects, &model.Namespace{Meta: model.Meta{Key: model.Key{Kind: model.KindNamespace, Name: fmt.Sprintf("ns-%03d", i)},
			Labels: model.NewLabels(map[string]string{"tenant": fmt.Sprint(i % 4)})}})
	}
	for i := range pods {
		objects = append(objects, &model.Pod{Meta: model.Meta{
			Key:    model.Key{Kind: model.KindPod, Namespace: fmt.Sprintf("ns-%03d", i/25), Name: fmt.Sprintf("pod-%05d", i)},
			Labels: model.NewLabels(map[string]string{"app": fmt.Sprint(i % 10)})},
			NodeName: fmt.Sprintf("node-%d", i%10), Phase: "Running", IPs: []string{fmt.Sprintf("10.%d.%d.%d", 128+i/60000, i/250%240, i%250+1)}})
	}
	for i := range policies {
		p := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindANP, Name: fmt.Sprintf("policy-%02d", i)}}, Tier: model.TierAdmin,
			Priority: int32(i % 100), Subject: model.Subject{Namespaces: sel("tenant", fmt.Sprint(i%4)), Pods: model.SelectEverything(), AllPods: true}}
		for j := range rules {
			r := model.Rule{Name: fmt.Sprintf("rule-%d", j), Action: []model.Action{model.Allow, model.Deny, model.Pass}[j%3],
				Peers: []model.Peer{{Kind: model.PeerPods, Namespaces: model.SelectEverything(), Pods: sel("app", fmt.Sprint(j%10))},
					{Kind: model.PeerNamespaces, Namespaces: sel("tenant", fmt.Sprint((i+j)%4)), Pods: model.SelectEverything()}}}
			if j%2 == 0 {
				r.Direction, r.Index = model.Ingress, len(p.Ingress)
				p.Ingress = append(p.Ingress, r)
			} else {
				r.Direction, r.Index = model.Egress, len(p.Egress)
				p.Egress = append(p.Egress, r)
			}
		}
		objects = append(objects, p)
	}
	c, _ := (*model.Cluster)(nil).Upsert(objects, nil)
	return c
}
