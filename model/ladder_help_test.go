package model

import (
	"fmt"
	"math/rand/v2"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// sel reads "a=b,c in (d e),!f"; "*" is everything.
func sel(s string) Selector {
	if s == "*" {
		out, _ := NewSelector(&metav1.LabelSelector{})
		return out
	}
	ls, err := metav1.ParseToLabelSelector(s)
	if err != nil {
		panic(err)
	}
	out, err := NewSelector(ls)
	if err != nil {
		panic(err)
	}
	return out
}

func labelsOf(s string) Labels {
	m := map[string]string{}
	for kv := range strings.SplitSeq(s, ",") {
		if k, v, ok := strings.Cut(kv, "="); ok {
			m[k] = v
		}
	}
	return NewLabels(m)
}

func testNS(name, labels string) *Namespace {
	return &Namespace{Meta{Key: Key{KindNamespace, "", name}, Labels: labelsOf(labels)}}
}

// testPod makes a running pod on a node; name is "namespace/name".
func testPod(name, labels string, ips ...string) *Pod {
	ns, n, _ := strings.Cut(name, "/")
	return &Pod{Meta: Meta{Key: Key{KindPod, ns, n}, Labels: labelsOf(labels)}, NodeName: "worker", Phase: "Running", IPs: ips}
}

// withPorts gives a pod container ports.
func withPorts(p *Pod, ports ...ContainerPort) *Pod {
	p.Ports = ports
	return p
}

func testNode(name, labels string, ips ...string) *Node {
	return &Node{Meta: Meta{Key: Key{KindNode, "", name}, Labels: labelsOf(labels)}, HostIPs: ips}
}

func nsPeer(s string) Peer { return Peer{Kind: PeerNamespaces, Namespaces: sel(s), Pods: Everything()} }
func podPeer(ns, pods string) Peer {
	return Peer{Kind: PeerPods, Namespaces: sel(ns), Pods: sel(pods)}
}
func netPeer(cidrs ...string) Peer { return Peer{Kind: PeerNetworks, Networks: cidrs} }
func nodePeer(s string) Peer       { return Peer{Kind: PeerNodes, Nodes: sel(s)} }

func tcp(port int32) Port { return Port{Protocol: "TCP", Start: port, End: port} }
func udp(port int32) Port { return Port{Protocol: "UDP", Start: port, End: port} }

func rule(a Action, peers []Peer, ports ...Port) Rule {
	return Rule{Action: a, Peers: peers, Ports: ports}
}

func peers(p ...Peer) []Peer { return p }

// testANP makes a policy whose subject is namespaces; rules get direction and
// index.
func testANP(name string, priority int32, subject string, ingress, egress []Rule) *Policy {
	p := &Policy{Meta: Meta{Key: Key{KindANP, "", name}}, Tier: TierAdmin, Priority: priority,
		Subject: Subject{Namespaces: sel(subject), AllPods: true}, Ingress: ingress, Egress: egress}
	for i := range p.Ingress {
		p.Ingress[i].Direction, p.Ingress[i].Index = Ingress, i
	}
	for i := range p.Egress {
		p.Egress[i].Direction, p.Egress[i].Index = Egress, i
	}
	return p
}

func testCluster(objects ...Object) *Cluster {
	c, _ := (*Cluster)(nil).Upsert(objects, nil)
	return c
}

// randomCluster has pods of every eligibility in namespaces of which some have
// no object.
func randomCluster(r *rand.Rand, namespaces, pods int) *Cluster {
	var objects []Object
	for i := range namespaces {
		if i%7 != 6 {
			objects = append(objects, testNS(fmt.Sprintf("ns%d", i), fmt.Sprintf("tenant=t%d,env=e%d", i%5, i%3)))
		}
	}
	for i := range pods {
		p := testPod(fmt.Sprintf("ns%d/pod%d", r.IntN(namespaces), i), fmt.Sprintf("app=a%d,tier=x%d", r.IntN(40), r.IntN(4)))
		if r.IntN(9) > 0 {
			p.IPs = []string{fmt.Sprintf("10.%d.%d.%d", 1+i>>16, i>>8&255, i&255)}
		}
		if r.IntN(4) == 0 {
			p.IPs = append(p.IPs, fmt.Sprintf("fd00::%x", i+1))
		}
		switch r.IntN(12) {
		case 0:
			p.HostNetwork = true
		case 1:
			p.Phase = "Succeeded"
		case 2:
			p.NodeName = ""
		}
		objects = append(objects, p)
	}
	return testCluster(objects...)
}
