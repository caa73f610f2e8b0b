package compiler

import (
	"net/netip"
	"strings"
	"testing"

	"rung/model"
	"rung/test/made"
)

// labels makes labels from "k=v k2=v2".
func labels(s string) model.Labels {
	m := map[string]string{}
	for _, f := range strings.Fields(s) {
		k, v, _ := strings.Cut(f, "=")
		m[k] = v
	}
	return model.NewLabels(m)
}

func namespace(name, l string) *model.Namespace {
	return &model.Namespace{Meta: model.Meta{Key: model.Key{Kind: model.KindNamespace, Name: name}, Labels: labels(l + " kubernetes.io/metadata.name=" + name)}}
}

func pod(nsname, l, node string, ips ...string) *model.Pod {
	ns, name, _ := strings.Cut(nsname, "/")
	return &model.Pod{Meta: model.Meta{Key: model.Key{Kind: model.KindPod, Namespace: ns, Name: name}, Labels: labels(l)},
		NodeName: node, Phase: "Running", IPs: ips}
}

func node(name, l string, ips ...string) *model.Node {
	return &model.Node{Meta: model.Meta{Key: model.Key{Kind: model.KindNode, Name: name}, Labels: labels(l)}, HostIPs: ips}
}

func policyOf(kind model.Kind, name string, prio int32, subject model.Subject, rules ...model.Rule) *model.Policy {
	p := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: kind, Name: name}}, Tier: model.TierAdmin, Priority: prio, Subject: subject}
	if kind == model.KindBANP {
		p.Tier = model.TierBaseline
	}
	for _, r := range rules {
		if r.Direction == model.Ingress {
			r.Index = len(p.Ingress)
			p.Ingress = append(p.Ingress, r)
		} else {
			r.Index = len(p.Egress)
			p.Egress = append(p.Egress, r)
		}
	}
	return p
}

func anp(name string, prio int32, subject model.Subject, rules ...model.Rule) *model.Policy {
	return policyOf(model.KindANP, name, prio, subject, rules...)
}

func banp(subject model.Subject, rules ...model.Rule) *model.Policy {
	return policyOf(model.KindBANP, "default", 0, subject, rules...)
}

func nsSubject(t testing.TB, s string) model.Subject {
	return model.Subject{Namespaces: made.Sel(s), Pods: model.SelectEverything(), AllPods: true}
}

func nsPeer(t testing.TB, s string) model.Peer {
	return model.Peer{Kind: model.PeerNamespaces, Namespaces: made.Sel(s), Pods: model.SelectEverything()}
}

func podPeer(t testing.TB, ns, pods string) model.Peer {
	return model.Peer{Kind: model.PeerPods, Namespaces: made.Sel(ns), Pods: made.Sel(pods)}
}

func nodePeer(t testing.TB, s string) model.Peer {
	return model.Peer{Kind: model.PeerNodes, Nodes: made.Sel(s)}
}

func netPeer(cidrs ...string) model.Peer {
	return model.Peer{Kind: model.PeerNetworks, Networks: cidrs}
}

func rule(dir model.Direction, a model.Action, ports []model.Port, peers ...model.Peer) model.Rule {
	return model.Rule{Direction: dir, Action: a, Peers: peers, Ports: ports}
}

// ports reads "TCP/80 TCP/100-200 UDP/53 name".
func ports(t testing.TB, s string) []model.Port {
	t.Helper()
	var out []model.Port
	for _, f := range strings.Fields(s) {
		proto, num, ok := strings.Cut(f, "/")
		if !ok {
			out = append(out, model.Port{Name: f})
			continue
		}
		lo, hi, isRange := strings.Cut(num, "-")
		p := model.Port{Protocol: proto, Range: isRange, Start: atoi(t, lo)}
		p.End = p.Start
		if isRange {
			p.End = atoi(t, hi)
		}
		out = append(out, p)
	}
	return out
}

func atoi(t testing.TB, s string) (n int32) {
	t.Helper()
	for _, c := range s {
		if c < '0' || c > '9' {
			t.Fatalf("port %q", s)
		}
		n = n*10 + (c - '0')
	}
	return n
}

func clusterOf(objects ...model.Object) *model.Cluster {
	c, _ := (*model.Cluster)(nil).Upsert(objects, nil)
	return c
}

// canonical is the text OVN-Kubernetes writes for a pod's address.
func canonical(s string) string { return netip.MustParseAddr(s).String() }
