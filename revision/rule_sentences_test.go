package revision

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
	"rung/sources/manifests"
)

func selector(t *testing.T, s string) model.Selector {
	t.Helper()
	ls, err := metav1.ParseToLabelSelector(s)
	if err != nil {
		t.Fatal(err)
	}
	out, err := model.NewSelector(ls)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSays(t *testing.T) {
	meta := func(k model.Kind, ns, name, label string) model.Meta {
		m := map[string]string{}
		if label != "" {
			m["app"] = label
		}
		return model.Meta{Key: model.Key{Kind: k, Namespace: ns, Name: name}, Labels: model.NewLabels(m)}
	}
	pod := func(name, app string) *model.Pod {
		return &model.Pod{Meta: meta(model.KindPod, "ns", name, app), NodeName: "n", Phase: "Running", IPs: []string{"10.0.0.1"}}
	}
	base := []model.Object{&model.Namespace{Meta: meta(model.KindNamespace, "", "ns", "")}, pod("a", "a"), pod("b1", "b"), pod("b2", "b"),
		&model.Node{Meta: meta(model.KindNode, "", "n", "node"), HostIPs: []string{"172.18.0.2"}}}
	ef := &model.Policy{Meta: meta(model.KindEF, "ns", "default", ""), Tier: model.TierNetwork}
	pods := func(app string) model.Peer {
		return model.Peer{Kind: model.PeerPods, Namespaces: model.SelectEverything(), Pods: selector(t, "app="+app)}
	}
	nets := func(n ...string) model.Peer { return model.Peer{Kind: model.PeerNetworks, Networks: n} }
	nodes := model.Peer{Kind: model.PeerNodes, Nodes: selector(t, "app=node")}
	for _, tc := range []struct {
		name    string
		kind    model.Kind
		subject string
		rule    model.Rule
		with    []model.Object
		prio    int32
		want    string
	}{
		{"deny ingress", model.KindANP, "a", model.Rule{Direction: model.Ingress, Action: model.Deny, Peers: []model.Peer{pods("b")}}, nil, 1,
			"What 2 pods send to the one pod of the subject on any port, unless an earlier rule decided, is denied. NetworkPolicies and the baseline are not consulted."},
		{"allow ingress", model.KindANP, "b", model.Rule{Direction: model.Ingress, Action: model.Allow, Peers: []model.Peer{pods("a")}, Ports: []model.Port{{Protocol: "TCP", Start: 80, End: 80}, {Name: "web"}}}, nil, 1,
			`What 1 pod sends to the 2 pods of the subject on tcp 80 and "web", unless an earlier rule decided, is allowed, with the replies. NetworkPolicies and the baseline are not consulted. Egress rules for the sender decide as well, before this one.`},
		{"an unknown protocol", model.KindANP, "a", model.Rule{Direction: model.Ingress, Action: model.Deny, Peers: []model.Peer{pods("b")}, Ports: []model.Port{{Protocol: "tcp", Start: 80, End: 80}}}, nil, 1,
			`▲ it matches nothing: OVN-Kubernetes does not know protocol "tcp", so OVN cannot use the row.`},
		{"an unknown protocol beside one that works", model.KindANP, "a", model.Rule{Direction: model.Ingress, Action: model.Deny, Peers: []model.Peer{pods("b")}, Ports: []model.Port{{Protocol: "kube", Start: 80, End: 80}, {Protocol: "TCP", Start: 81, End: 81}}}, nil, 1,
			`What 2 pods send to the one pod of the subject on tcp 81, unless an earlier rule decided, is denied. NetworkPolicies and the baseline are not consulted. ▲ its ports of protocol "kube" match nothing: OVN-Kubernetes does not know it, so OVN cannot use the row.`},
		{"allow egress", model.KindANP, "a", model.Rule{Direction: model.Egress, Action: model.Allow, Peers: []model.Peer{pods("b"), nodes, nets("10.0.0.0/8", "192.0.2.0/24")}}, []model.Object{ef}, 1,
			"What the one pod of the subject sends to 2 pods, 1 node and 2 networks on any port, unless an earlier rule decided, is allowed, with the replies. NetworkPolicies and the baseline are not consulted. An EgressFirewall of the namespace still applies to what leaves the cluster. Ingress rules for the pods at the other end decide as well."},
		{"allow egress to networks", model.KindANP, "a", model.Rule{Direction: model.Egress, Action: model.Allow, Peers: []model.Peer{nets("0.0.0.0/1", "128.0.0.0/1", "::/0")}}, nil, 1,
			"What the one pod of the subject sends to every IPv4 address and every IPv6 address on any port, unless an earlier rule decided, is allowed, with the replies. NetworkPolicies and the baseline are not consulted."},
		{"pass", model.KindANP, "a", model.Rule{Direction: model.Egress, Action: model.Pass, Peers: []model.Peer{pods("b")}}, nil, 1,
			"What the one pod of the subject sends to 2 pods on any port, unless an earlier rule decided, is passed on: a NetworkPolicy that selects the pod decides, else the baseline; without either it is allowed."},
		{"baseline", model.KindBANP, "a", model.Rule{Direction: model.Ingress, Action: model.Deny, Peers: []model.Peer{pods("b")}}, nil, 0,
			"What 2 pods send to the one pod of the subject on any port, unless an AdminNetworkPolicy, a NetworkPolicy or an earlier rule decided, is denied."},
		{"no subject", model.KindANP, "x", model.Rule{Direction: model.Ingress, Action: model.Deny, Peers: []model.Peer{pods("b")}}, nil, 1,
			"Nothing now: the subject selects no pod."},
		{"no peer", model.KindANP, "a", model.Rule{Direction: model.Ingress, Action: model.Deny, Peers: []model.Peer{pods("x")}}, nil, 1,
			"Nothing now: its peers match no pod or node."},
		{"not programmed", model.KindANP, "a", model.Rule{Direction: model.Ingress, Action: model.Deny, Peers: []model.Peer{pods("b")}}, nil, 100,
			"OVN-Kubernetes does not program this policy: error attempting to add ANP p with priority 100 because, OVNK only supports priority ranges 0-99. Old rows stay and still decide."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := &model.Policy{Meta: meta(tc.kind, "", "p", ""), Tier: model.TierAdmin, Priority: tc.prio,
				Subject: model.Subject{Namespaces: model.SelectEverything(), Pods: selector(t, "app="+tc.subject)}}
			if tc.kind == model.KindBANP {
				p.Tier = model.TierBaseline
			}
			if tc.rule.Direction == model.Ingress {
				p.Ingress = []model.Rule{tc.rule}
			} else {
				p.Egress = []model.Rule{tc.rule}
			}
			c, _ := (*model.Cluster)(nil).Upsert(append(append([]model.Object{p}, base...), tc.with...), nil)
			got := strings.Join(RuleSentences(New(Facts{Cluster: c}, nil), p, p.Rule(tc.rule.Direction, 0)), " ")
			if got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
		})
	}
}

// TestSaysTier2: the sentences of NetworkPolicies and EgressFirewalls, "policy
// direction index" each.
func TestSaysTier2(t *testing.T) {
	res := manifests.Parse("world.yaml", []byte(`
{apiVersion: v1, kind: Namespace, metadata: {name: ns}}
---
{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: ns, labels: {app: a}}, spec: {nodeName: node, containers: [{name: c}]}, status: {phase: Running, podIPs: [{ip: 10.0.0.1}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: b, namespace: ns, labels: {app: b}}, spec: {nodeName: node, containers: [{name: c}]}, status: {phase: Running, podIPs: [{ip: 10.0.0.2}]}}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: np, namespace: ns}
spec:
  podSelector: {matchLabels: {app: a}}
  policyTypes: [Ingress]
  ingress: [{from: [{podSelector: {matchLabels: {app: b}}}], ports: [{port: 80}]}, {}, {from: [{ipBlock: {cidr: 10.0.0.0/8, except: [10.1.0.0/16]}}]}]
  egress: [{}]
---
apiVersion: k8s.ovn.org/v1
kind: EgressFirewall
metadata: {name: default, namespace: ns}
spec: {egress: [{type: Allow, to: {cidrSelector: 1.2.3.0/24}, ports: [{protocol: TCP, port: 443}]}, {type: Allow, to: {dnsName: example.com}}, {type: Deny, to: {cidrSelector: 0.0.0.0/0}}]}
`), manifests.Options{})
	if len(res.Broken) > 0 {
		t.Fatal(res.Broken)
	}
	c, _ := (*model.Cluster)(nil).Upsert(res.Objects, nil)
	np, ef := model.Key{Kind: model.KindNP, Namespace: "ns", Name: "np"}, model.Key{Kind: model.KindEF, Namespace: "ns", Name: "default"}
	const kept = " is allowed, with the replies. The baseline is not consulted. "
	const rest = "What no NetworkPolicy of ns allows these pods is denied by the default deny of ns, ingress. Egress rules for the sender decide as well, before this one."
	const late = " It decides last, in the to-lport stage: even after an Allow of an AdminNetworkPolicy or NetworkPolicy, not after their Deny."
	for _, tc := range []struct {
		key   model.Key
		dir   model.Direction
		index int
		want  string
	}{
		{np, model.Ingress, 0, "What 1 pod sends to the one pod of the subject on tcp 80, unless an AdminNetworkPolicy decided," + kept + rest},
		{np, model.Ingress, 1, "What anybody sends to the one pod of the subject on any port, unless an AdminNetworkPolicy decided," + kept + rest},
		{np, model.Ingress, 2, "What 1 network (1 exception) sends to the one pod of the subject on any port, unless an AdminNetworkPolicy decided," + kept + rest},
		{np, model.Egress, 0, "What the one pod of the subject sends to anywhere on any port, unless an AdminNetworkPolicy decided," + kept +
			"▲ policyTypes leave Egress out: the policy isolates no pod there, but OVN-Kubernetes still applies the rule. An EgressFirewall of the namespace still applies to what leaves the cluster."},
		{ef, model.Egress, 0, "What the 2 pods of the subject send to 1.2.3.0/24 on tcp 443, unless an earlier rule of the EgressFirewall decided, is allowed." + late},
		{ef, model.Egress, 1, "Nothing now: its destination has no address. Its index stays reserved."},
		{ef, model.Egress, 2, "What the 2 pods of the subject send to every IPv4 address on any port, unless an earlier rule of the EgressFirewall decided, is denied." + late},
	} {
		p := c.Policy(tc.key)
		if got := strings.Join(RuleSentences(New(Facts{Cluster: c}, nil), p, p.Rule(tc.dir, tc.index)), " "); got != tc.want {
			t.Errorf("%s %s %d: %s\nwant %s", tc.key.Label(), tc.dir, tc.index, got, tc.want)
		}
	}
}
