package made

import (
	"fmt"
	"math/rand/v2"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"rung/model"
)

// Sel reads "a=b,c in (d e),!f"; "*" is everything.
func Sel(s string) model.Selector {
	if s == "*" {
		out, _ := model.NewSelector(&metav1.LabelSelector{})
		return out
	}
	ls, err := metav1.ParseToLabelSelector(s)
	if err != nil {
		panic(err)
	}
	out, err := model.NewSelector(ls)
	if err != nil {
		panic(err)
	}
	return out
}

func parseLabels(s string) model.Labels {
	m := map[string]string{}
	for kv := range strings.SplitSeq(s, ",") {
		if k, v, ok := strings.Cut(kv, "="); ok {
			m[k] = v
		}
	}
	return model.NewLabels(m)
}

func NS(name, labels string) *model.Namespace {
	return &model.Namespace{Meta: model.Meta{Key: model.Key{Kind: model.KindNamespace, Name: name}, Labels: parseLabels(labels)}}
}

// Pod makes a running pod on a node; name is "namespace/name".
func Pod(name, labels string, ips ...string) *model.Pod {
	ns, n, _ := strings.Cut(name, "/")
	return &model.Pod{Meta: model.Meta{Key: model.Key{Kind: model.KindPod, Namespace: ns, Name: n}, Labels: parseLabels(labels)}, NodeName: "worker", Phase: "Running", IPs: ips}
}

// WithPorts gives a pod container ports.
func WithPorts(p *model.Pod, ports ...model.ContainerPort) *model.Pod {
	p.Ports = ports
	return p
}

func Node(name, labels string, ips ...string) *model.Node {
	return &model.Node{Meta: model.Meta{Key: model.Key{Kind: model.KindNode, Name: name}, Labels: parseLabels(labels)}, HostIPs: ips}
}

func NSPeer(s string) model.Peer {
	return model.Peer{Kind: model.PeerNamespaces, Namespaces: Sel(s), Pods: model.SelectEverything()}
}
func PodPeer(ns, pods string) model.Peer {
	return model.Peer{Kind: model.PeerPods, Namespaces: Sel(ns), Pods: Sel(pods)}
}
func NetPeer(cidrs ...string) model.Peer {
	return model.Peer{Kind: model.PeerNetworks, Networks: cidrs}
}
func NodePeer(s string) model.Peer { return model.Peer{Kind: model.PeerNodes, Nodes: Sel(s)} }

func TCP(port int32) model.Port { return model.Port{Protocol: "TCP", Start: port, End: port} }
func UDP(port int32) model.Port { return model.Port{Protocol: "UDP", Start: port, End: port} }

func Rule(a model.Action, peers []model.Peer, ports ...model.Port) model.Rule {
	return model.Rule{Action: a, Peers: peers, Ports: ports}
}

func Peers(p ...model.Peer) []model.Peer { return p }

// ANP makes a policy whose subject is namespaces; rules get direction and
// index.
func ANP(name string, priority int32, subject string, ingress, egress []model.Rule) *model.Policy {
	p := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindANP, Name: name}}, Tier: model.TierAdmin, Priority: priority,
		Subject: model.Subject{Namespaces: Sel(subject), AllPods: true}, Ingress: ingress, Egress: egress}
	for i := range p.Ingress {
		p.Ingress[i].Direction, p.Ingress[i].Index = model.Ingress, i
	}
	for i := range p.Egress {
		p.Egress[i].Direction, p.Egress[i].Index = model.Egress, i
	}
	return p
}

func Cluster(objects ...model.Object) *model.Cluster {
	c, _ := (*model.Cluster)(nil).Upsert(objects, nil)
	return c
}

// RandomCluster has pods of every eligibility in namespaces of which some have
// no object.
func RandomCluster(r *rand.Rand, namespaces, pods int) *model.Cluster {
	var objects []model.Object
	for i := range namespaces {
		if i%7 != 6 {
			objects = append(objects, NS(fmt.Sprintf("ns%d", i), fmt.Sprintf("tenant=t%d,env=e%d", i%5, i%3)))
		}
	}
	for i := range pods {
		p := Pod(fmt.Sprintf("ns%d/pod%d", r.IntN(namespaces), i), fmt.Sprintf("app=a%d,tier=x%d", r.IntN(40), r.IntN(4)))
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
	return Cluster(objects...)
}
