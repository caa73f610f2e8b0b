package lint

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"rung/model"
	"rung/test/made"
)

func labels(s string) model.Labels {
	m := map[string]string{}
	for kv := range strings.SplitSeq(s, ",") {
		if k, v, ok := strings.Cut(kv, "="); ok {
			m[k] = v
		}
	}
	return model.NewLabels(m)
}

func meta(k model.Kind, namespace, name, l string) model.Meta {
	return model.Meta{Key: model.Key{Kind: k, Namespace: namespace, Name: name}, Labels: labels(l)}
}

func ns(name, l string) model.Object {
	return &model.Namespace{Meta: meta(model.KindNamespace, "", name, l)}
}

// pod makes a running pod; ports are "name:PROTO:number".
func pod(name, l, ip string, ports ...string) *model.Pod {
	space, n, _ := strings.Cut(name, "/")
	p := &model.Pod{Meta: meta(model.KindPod, space, n, l), NodeName: "worker", Phase: "Running"}
	if ip != "" {
		p.IPs = []string{ip}
	}
	for _, text := range ports {
		f := strings.Split(text, ":")
		var number int32
		fmt.Sscan(f[2], &number)
		p.Ports = append(p.Ports, model.ContainerPort{Name: f[0], Protocol: f[1], Port: number})
	}
	return p
}

func node(name, l string, ips ...string) *model.Node {
	return &model.Node{Meta: meta(model.KindNode, "", name, l), HostIPs: ips, InternalIPs: ips}
}

func to(kind model.PeerKind, texts ...string) []model.Peer {
	var out []model.Peer
	for _, t := range texts {
		switch kind {
		case model.PeerNamespaces:
			out = append(out, model.Peer{Kind: kind, Namespaces: made.Sel(t), Pods: model.SelectEverything()})
		case model.PeerPods:
			n, p, _ := strings.Cut(t, " + ")
			out = append(out, model.Peer{Kind: kind, Namespaces: made.Sel(n), Pods: made.Sel(p)})
		case model.PeerNodes:
			out = append(out, model.Peer{Kind: kind, Nodes: made.Sel(t)})
		case model.PeerNetworks:
			out = append(out, model.Peer{Kind: kind, Networks: strings.Fields(t)})
		}
	}
	return out
}

func inNS(texts ...string) []model.Peer { return to(model.PeerNamespaces, texts...) }
func inNets(t string) []model.Peer      { return to(model.PeerNetworks, t) }

// rule reads ports as "TCP:80", "TCP:80-90" or a name.
func rule(a model.Action, peers []model.Peer, ports ...string) model.Rule {
	r := model.Rule{Action: a, Peers: peers}
	for _, text := range ports {
		proto, number, ok := strings.Cut(text, ":")
		p := model.Port{Name: text}
		if ok {
			p = model.Port{Protocol: proto}
			from, to, ranged := strings.Cut(number, "-")
			fmt.Sscan(from, &p.Start)
			p.End = p.Start
			if ranged {
				fmt.Sscan(to, &p.End)
			}
		}
		r.Ports = append(r.Ports, p)
	}
	return r
}

func anp(name string, priority int32, subject string, ingress, egress []model.Rule) *model.Policy {
	p := &model.Policy{Meta: meta(model.KindANP, "", name, ""), Tier: model.TierAdmin, Priority: priority,
		Subject: model.Subject{Namespaces: made.Sel(subject), Pods: model.SelectEverything(), AllPods: true}, Ingress: ingress, Egress: egress}
	for i := range p.Ingress {
		p.Ingress[i].Direction, p.Ingress[i].Index = model.Ingress, i
	}
	for i := range p.Egress {
		p.Egress[i].Direction, p.Egress[i].Index = model.Egress, i
	}
	return p
}

func cluster(objects ...model.Object) *model.Cluster {
	c, _ := (*model.Cluster)(nil).Upsert(objects, nil)
	return c
}

// show is one finding in a line; only picks codes when there are any.
func show(fs []model.Finding, only ...string) []string {
	out := []string{}
	for _, f := range fs {
		for _, code := range only {
			if code == f.Code {
				rule := ""
				if f.Rule >= 0 {
					rule = fmt.Sprintf(" %s %d", f.Direction.Lower(), f.Rule)
				}
				out = append(out, fmt.Sprintf("%s %s %s%s: %s", f.Severity, f.Code, f.Policy.Name, rule, f.Message))
			}
		}
	}
	return out
}

func BenchmarkRun(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	var objects []model.Object
	for i := range 100 {
		objects = append(objects, ns(fmt.Sprintf("ns%d", i), fmt.Sprintf("tenant=t%d,env=e%d", i%10, i%3)))
	}
	for i := range 10_000 {
		objects = append(objects, pod(fmt.Sprintf("ns%d/pod%d", r.IntN(100), i), fmt.Sprintf("app=a%d,tier=x%d", r.IntN(40), r.IntN(4)),
			fmt.Sprintf("10.%d.%d.%d", 1+i>>16, i>>8&255, i&255), "http:TCP:8080"))
	}
	objects = append(objects, ns("kube-system", ""), pod("kube-system/dns", "k8s-app=kube-dns", "10.200.0.1", "dns:UDP:53"))
	for i := range 100 {
		var lists [2][]model.Rule
		for d := range lists {
			for j := range 100 {
				peers := to(model.PeerPods, fmt.Sprintf("tenant=t%d + app=a%d", r.IntN(10), r.IntN(40)))
				if d == 1 && j%20 == 19 {
					peers = inNets("0.0.0.0/0")
				}
				lists[d] = append(lists[d], rule([]model.Action{model.Allow, model.Deny, model.Pass}[r.IntN(3)], peers, fmt.Sprintf("TCP:%d", 1+r.IntN(2000))))
			}
		}
		objects = append(objects, anp(fmt.Sprintf("policy-%d", i), int32(i), fmt.Sprintf("tenant=t%d", r.IntN(10)), lists[0], lists[1]))
	}
	c := cluster(objects...)
	b.ReportAllocs()
	for b.Loop() {
		Run(c, nil, Options{})
	}
}
