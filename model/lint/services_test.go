package lint

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/antrea"
	"rung/test/made"
)

// netpol makes a NetworkPolicy of namespace blue that isolates both ways.
func netpol(name, pods string, ingress, egress rules) *model.Policy {
	p := &model.Policy{Meta: meta(model.KindNP, "blue", name, ""), Tier: model.TierNetwork,
		Subject: model.Subject{Namespace: "blue", Pods: made.Sel(pods)}, Ingress: ingress, Egress: egress, IsolatesIngress: true, IsolatesEgress: true}
	for _, list := range []rules{p.Ingress, p.Egress} {
		for i := range list {
			list[i].Index, list[i].Action = i, model.Allow
		}
	}
	for i := range p.Ingress {
		p.Ingress[i].Direction = model.Ingress
	}
	for i := range p.Egress {
		p.Egress[i].Direction = model.Egress
	}
	return p
}

func TestPeersThatAreServices(t *testing.T) {
	dns := &model.Service{Meta: meta(model.KindService, "kube-system", "names", ""), Selector: labels("app=dns"), ClusterIPs: []string{"172.30.0.10"},
		Ports: []model.ServicePort{{Name: "dns", Protocol: "UDP", Port: 53}}}
	api := &model.Service{Meta: meta(model.KindService, "default", "kubernetes", ""), ClusterIPs: []string{"172.30.0.1"}, LoadBalancerIPs: []string{"203.0.113.7"},
		Ports: []model.ServicePort{{Protocol: "TCP", Port: 443, TargetPort: "6443"}}}
	at := &model.EndpointSlice{Meta: meta(model.KindEndpointSlice, "default", "kubernetes", ""), Service: "kubernetes", Addresses: []string{"172.18.0.2"},
		Ports: []model.EndpointPort{{Protocol: "TCP", Port: 6443}}}
	excepted := inNets("172.30.0.0/24")
	excepted[0].Except = []string{"172.30.0.0/28"}
	firewall := &model.Policy{Meta: meta(model.KindEF, "blue", "default", ""), Subject: model.Subject{Namespace: "blue", Pods: model.SelectEverything()},
		Egress: rules{{Direction: model.Egress, Action: model.Allow, Peers: inNets("172.30.0.0/16")}}}
	c := cluster(append(base(), dns, api, at, firewall,
		netpol("one", "app=web", nil, rules{rule("", inNets("172.30.0.10/32"), "UDP:53"), rule("", inNets("172.30.0.1/32"), "TCP:443"), rule("", inNets("198.51.100.7/32")),
			rule("", excepted), rule("", inNets("203.0.113.7/32"), "TCP:443"), rule("", inNets("203.0.113.7/32"), "TCP:80")}),
		netpol("from", "app=web", rules{rule("", inNets("172.30.0.10/32"))}, nil),
		anp("strict", 5, "tenant=blue", nil, rules{rule(model.Allow, inNets("172.30.0.1/32"), "TCP:443"), rule(model.Deny, inNets("0.0.0.0/0"))}),
		banp(nil, rules{rule(model.Deny, inNets("172.30.0.10/32 198.51.100.0/24"))}))...)
	const first = ": load balancing comes first, and rules see the address of an endpoint, so the rule "
	want := []string{
		"warning peer-service-address strict egress 0: 172.30.0.1 is the address of service default/kubernetes" + first + "never matches it",
		"warning peer-service-address from ingress 0: 172.30.0.10 is the address of service kube-system/names: no connection has a Service address as its source, so the rule never matches it",
		"warning peer-service-address one egress 0: 172.30.0.10 is the address of service kube-system/names" + first + "never matches it",
		"warning peer-service-address one egress 1: 172.30.0.1 is the address of service default/kubernetes" + first + "never matches it",
		"warning peer-service-address one egress 4: 203.0.113.7 is the address of service default/kubernetes" + first + "never matches it",
		"warning peer-service-address default egress 0: 172.30.0.10 is the address of service kube-system/names" + first + "never matches it",
		"info peer-service-address default egress 0: 172.30.0.0/16 contains 2 Service addresses, for example 172.30.0.1 is the address of service default/kubernetes" + first + "does not match connections to these Services",
	}
	found := Run(c, nil, Options{})
	if diff := cmp.Diff(want, show(found, PeerService.Code)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, f := range found {
		if f.Code == PeerService.Code && f.Policy.Name == "strict" && f.Remedy != "name the endpoints: 172.18.0.2 TCP 6443" {
			t.Errorf("remedy %q", f.Remedy)
		}
	}
}

// Antrea's rules are asked after load balancing, too; an exception leaves pods out of a network.
func TestServicePeersOfAntrea(t *testing.T) {
	api := &model.Service{Meta: meta(model.KindService, "default", "kubernetes", ""), ClusterIPs: []string{"172.30.0.1"}}
	but, pods := inNets("10.0.0.0/8"), inNets("10.0.0.0/8")
	but[0].Except = []string{"10.0.0.0/24"}
	p := &model.Policy{Meta: meta(model.KindACNP, "", "strict", ""), Tiered: &model.TieredPolicy{Tier: "securityops", AppliedTo: []model.AppliedTo{{Pods: model.SelectEverything(), Namespaces: made.Sel("tenant")}}}}
	for i, peers := range [][]model.Peer{inNets("172.30.0.1/32"), but, pods} {
		p.Egress = append(p.Egress, model.Rule{Direction: model.Egress, Index: i, Action: model.Allow, Peers: peers, Tiered: &model.TieredRule{Action: "Allow"}})
	}
	found := Run(cluster(append(base(), api, p)...), nil, Options{System: System{Order: antrea.EffectiveOrder, Check: antrea.CheckCluster}})
	want := []string{
		"warning peer-service-address strict egress 0: 172.30.0.1 is the address of service default/kubernetes: load balancing comes first, and rules see the address of an endpoint, so the rule never matches it",
		"info antrea-ipblock-pods strict egress 1: 10.0.0.0/8 contains addresses of 3 pods, which change",
		"info antrea-ipblock-pods strict egress 2: 10.0.0.0/8 contains addresses of 5 pods, which change",
	}
	if diff := cmp.Diff(want, show(found, PeerService.Code, antrea.IPBlockPods)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A rule that names the address of the DNS Service allows no DNS, known pods or not.
func TestServiceAddressIsNoAllowedDNS(t *testing.T) {
	dns := &model.Service{Meta: meta(model.KindService, "kube-system", "names", ""), ClusterIPs: []string{"172.30.0.10"}}
	c := cluster(ns("blue", "tenant=blue"), pod("blue/web", "app=web", "10.0.0.4"), dns,
		anp("strict", 5, "tenant=blue", nil, rules{rule(model.Allow, inNets("172.30.0.10/32"), "UDP:53"), rule(model.Deny, inNets("0.0.0.0/0"))}))
	want := []string{"warning dns-not-allowed strict egress 1: denies the subject's pods DNS over UDP, and no rule above allows it"}
	if diff := cmp.Diff(want, show(Run(c, nil, Options{}), DNSNotAllowed.Code)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNetworkPoliciesOfNobody(t *testing.T) {
	mixed := inNS("tenant=red", "tenant=purple")
	elsewhere := netpol("secondary", "app=wbe", rules{rule("", inNS("tenant=purple"))}, nil)
	elsewhere.Kind = model.KindMNP
	early := netpol("early", "*", nil, nil)
	early.Namespace, early.Subject.Namespace = "empty", "empty"
	later := netpol("later", "app=web", nil, nil)
	later.Namespace, later.Subject.Namespace = "empty", "empty"
	c := cluster(append(base(), ns("hosts", "role=hosts"), elsewhere, early, later,
		netpol("misspelt", "app=wbe", nil, nil),
		netpol("from", "app=web", rules{rule("", inNS("name=monitoring"), "TCP:9090"), rule("", mixed), rule("", inNS("role=hosts"))}, rules{rule("", inNets("198.51.100.0/24"))}))...)
	want := []string{
		"warning peer-matches-nothing from ingress 0: the peer \"ns: name=monitoring\" matches no pod or node: the rule does nothing now (Allow)",
		"warning subject-matches-nothing misspelt: the subject pods: app=wbe in blue matches no pod: the policy decides nothing now",
		"warning subject-matches-nothing secondary: the subject pods: app=wbe in blue matches no pod: the policy decides nothing now",
		"warning peer-matches-nothing secondary ingress 0: the peer \"ns: tenant=purple\" matches no pod or node: the rule does nothing now (Allow)",
		"info peer-matches-nothing from ingress 1: the peer \"ns: tenant=purple\" matches no pod or node",
		"info subject-matches-nothing later: the subject pods: app=web in empty matches no pod: the policy decides nothing now",
	}
	got := show(Run(c, nil, Options{HostNetworkNamespace: "hosts"}), SubjectNothing.Code, PeerNothing.Code)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// Without the namespace's meaning it is one more that matches nothing.
	if other := show(Run(c, nil, Options{}), PeerNothing.Code); len(other) == 0 || cmp.Equal(other, got) {
		t.Errorf("without a namespace for nodes: %v", other)
	}
}

func TestIngressNetworksOfNodes(t *testing.T) {
	far := node("far", "", "192.168.10.12")
	far.MgmtIPs = []string{"10.128.1.2"}
	but := inNets("192.168.10.0/24")
	but[0].Except = []string{"192.168.10.12/32"}
	c := cluster(append(base(), far, netpol("from-nodes", "app=web", rules{rule("", inNets("192.168.10.0/24"), "TCP:2379"), rule("", inNets("192.168.10.0/24 10.128.1.2/32")),
		rule("", inNets("0.0.0.0/0")), rule("", but)}, rules{rule("", inNets("192.168.10.0/24"))}))...)
	want := []string{
		"warning network-covers-nodes from-nodes ingress 0: 192.168.10.0/24 covers node addresses that nodes do not connect from: a node reaches pods of other nodes from its management address, for example 10.128.1.2 of far"}
	if diff := cmp.Diff(want, show(Run(c, nil, Options{}), NetworkCoversNodes.Code)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
