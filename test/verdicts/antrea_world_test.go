package verdicts

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"

	"rung/model"
	"rung/model/verdict"
	"rung/test/made"
)

// antreaWorld draws clusters whose policies Antrea enforces, with peers of all kinds.
type antreaWorld struct {
	*world
	l7 float64 // the priority of the last policy with layer 7, which ties with none
}

func newAntreaWorld(seed uint64) *antreaWorld {
	return &antreaWorld{world: &world{r: rand.New(rand.NewPCG(seed, 14))}, l7: 100}
}

var antreaSpaces = []string{"a", "b", "c", "d"}

func onAntrea(tb testing.TB, c *model.Cluster) *verdict.Index {
	tb.Helper()
	return verdict.NewIndex(verdict.View{Cluster: c, Options: verdict.Options{IPv4: true, IPv6: true, Precedence: verdict.Antrea}})
}

func service(name, selector, kind string, ips ...string) *model.Service {
	ns, n := name[:1], name[2:]
	s := &model.Service{Meta: model.Meta{Key: model.Key{Kind: model.KindService, Namespace: ns, Name: n}}, Type: kind, ClusterIPs: ips}
	if selector != "" {
		s.Selector = made.Pod("x/x", selector).Labels
	}
	for i := range int32(3) {
		s.Ports = append(s.Ports, model.ServicePort{Protocol: "TCP", Port: 80 + i, TargetPort: []string{"http", "81", "0"}[i]})
	}
	return s
}

func antreaGroup(kind model.Kind, namespace, name string) *model.Group {
	return &model.Group{Meta: model.Meta{Key: model.Key{Kind: kind, Namespace: namespace, Name: name}}}
}

func (w *antreaWorld) cluster() *model.Cluster {
	var objects []model.Object
	for i, name := range antreaSpaces {
		if i == 3 && w.odds(4) {
			continue // its pods are there, the object is not
		}
		objects = append(objects, made.NS(name, w.pick("org=1", "org=2", "org=1,env=p", "org=2,env=p", "env=p", "")))
	}
	for i, name := range worldNodes {
		n := made.Node(name, w.pick("role=w", "role=c", ""))
		n.InternalIPs = []string{fmt.Sprintf("172.18.0.%d", i+2)}
		if w.odds(2) {
			n.PodCIDRs = []string{fmt.Sprintf("10.244.%d.0/24", i), fmt.Sprintf("fd01:%d::/64", i)}
		}
		objects = append(objects, n)
	}
	for _, o := range w.pods() {
		p := o.(*model.Pod)
		p.Namespace, p.Networks = w.pick(antreaSpaces...), nil
		p.ServiceAccount = w.pick("default", "default", "s1", "s2")
		objects = append(objects, p)
	}
	objects = append(objects, service("a/s", w.pick("app=x", "app=y"), "NodePort", "10.96.0.1", "fd02::1"),
		service("b/s", w.pick("app=x", "app=y"), "ClusterIP", "10.96.0.2"), service("a/headless", "app=x", "ClusterIP"), service("b/bare", "", "ClusterIP", "10.96.0.3"))
	for i := range int32(3) {
		objects = append(objects, &model.Tier{Meta: model.Meta{Key: model.Key{Kind: model.KindTier, Name: fmt.Sprintf("custom%d", i)}}, Priority: 40 + 70*i})
	}
	objects = append(objects, w.groups()...)
	for i := range 1 + w.r.IntN(7) {
		p := w.native(model.KindACNP, "", fmt.Sprintf("acnp%d", i))
		objects = append(objects, p)
		if p.Tiered.Priority < 100 && w.odds(3) {
			objects = append(objects, contrary(p))
		}
	}
	for i := range w.r.IntN(3) {
		objects = append(objects, w.native(model.KindANNP, w.pick("a", "b"), fmt.Sprintf("annp%d", i)))
	}
	for i := range w.r.IntN(3) {
		objects = append(objects, w.upstream(fmt.Sprintf("anp%d", i)))
	}
	if w.odds(3) {
		p := w.upstream("default")
		p.Kind, p.Tier, p.Priority = model.KindBANP, model.TierBaseline, 0
		objects = append(objects, p)
	}
	for i := range w.r.IntN(3) {
		objects = append(objects, w.netpol(fmt.Sprintf("np%d", i)))
	}
	return made.Cluster(objects...)
}

// contrary is a policy that ties with another one and says the contrary.
func contrary(p *model.Policy) *model.Policy {
	out := *p
	out.Name += "-contrary"
	for _, rules := range []*[]model.Rule{&out.Ingress, &out.Egress} {
		*rules = slices.Clone(*rules)
		for i := range *rules {
			r := &(*rules)[i]
			a := *r.Tiered
			r.Tiered = &a
			if r.Action == model.Allow {
				r.Action, a.Action = model.Deny, "Drop"
			} else {
				r.Action, a.Action = model.Allow, "Allow"
			}
		}
	}
	return &out
}

// upstream draws an AdminNetworkPolicy whose ports are well-formed; without Pass it may be
// a baseline.
func (w *antreaWorld) upstream(name string) *model.Policy {
	p := w.admin(name)
	for _, rs := range [][]model.Rule{p.Ingress, p.Egress} {
		for i := range rs {
			if name == "default" && rs[i].Action == model.Pass {
				rs[i].Action = model.Deny
			}
			for j := range rs[i].Ports {
				if rs[i].Ports[j].Protocol == "tcp" {
					rs[i].Ports[j].Protocol = "SCTP"
				}
			}
		}
	}
	return p
}

func (w *antreaWorld) groups() []model.Object {
	key := func(ns, name string) *model.Key {
		return &model.Key{Kind: model.KindService, Namespace: ns, Name: name}
	}
	var out []model.Object
	for _, of := range []struct {
		kind model.Kind
		ns   string
	}{{model.KindClusterGroup, ""}, {model.KindGroup, "a"}, {model.KindGroup, "b"}} {
		sel, wide, blocks, svc, bare, nested, deep := antreaGroup(of.kind, of.ns, "sel"), antreaGroup(of.kind, of.ns, "wide"), antreaGroup(of.kind, of.ns, "blocks"),
			antreaGroup(of.kind, of.ns, "svc"), antreaGroup(of.kind, of.ns, "bare"), antreaGroup(of.kind, of.ns, "nested"), antreaGroup(of.kind, of.ns, "deep")
		sel.Select, sel.Namespaces, sel.Pods = true, model.SelectEverything(), w.podSel()
		wide.Select, wide.HasNamespaces, wide.Namespaces, wide.Pods = true, true, w.nsSelector(), w.podSel()
		blocks.Networks = []string{w.network(), w.network()}
		svc.Service, bare.Service = key("a", w.pick("s", "headless")), key("b", w.pick("bare", "gone"))
		nested.Children = []string{w.pick("sel", "wide"), w.pick("blocks", "svc", "bare", "missing", "deep")}
		deep.Children = []string{"nested", "sel"}
		out = append(out, sel, wide, blocks, svc, bare, nested, deep)
	}
	return out
}

func (w *antreaWorld) nsSelector() model.Selector {
	return made.Sel(w.pick("*", "*", "org=1", "org in (1,2)", "env", "!env", "org notin (1)"))
}

func (w *antreaWorld) appliedTo(kind model.Kind) (out []model.AppliedTo) {
	if kind == model.KindACNP && w.odds(9) {
		s := made.Sel(w.pick("*", "role=w"))
		return []model.AppliedTo{{Nodes: &s}}
	}
	for range 1 + w.r.IntN(2) {
		switch n := w.r.IntN(8); {
		case n == 0:
			out = append(out, model.AppliedTo{Group: w.pick("sel", "wide", "blocks", "svc", "nested", "missing", "bare")})
		case n == 1 && kind == model.KindACNP:
			out = append(out, model.AppliedTo{ServiceAccount: &model.ServiceAccount{Namespace: w.pick("a", "b"), Name: w.pick("default", "s1")}})
		case kind == model.KindANNP:
			out = append(out, model.AppliedTo{Select: true, Namespaces: model.SelectEverything(), Pods: w.podSel()})
		default:
			out = append(out, model.AppliedTo{Select: true, Namespaces: w.nsSelector(), Pods: w.podSel()})
		}
	}
	return out
}

func (w *antreaWorld) native(kind model.Kind, ns, name string) *model.Policy {
	a := &model.TieredPolicy{Tier: w.pick("emergency", "application", "application", "application", "application", "application", "baseline", "baseline", "custom0", "custom1", "gone"),
		Priority: []float64{1, 5, 5, 5, 5, 5, 5.5, 10}[w.r.IntN(8)]}
	p := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: kind, Namespace: ns, Name: name}}, Tier: model.TierAdmin, Tiered: a}
	perRule, nodePort := w.odds(4), kind == model.KindACNP && w.odds(10)
	if nodePort {
		a.AppliedTo = []model.AppliedTo{{Service: &model.Key{Kind: model.KindService, Namespace: "a", Name: "s"}}}
	} else if !perRule {
		a.AppliedTo = w.appliedTo(kind)
	}
	for _, d := range model.Directions {
		if nodePort && d == model.Egress {
			continue
		}
		for i := range w.r.IntN(4) {
			r := w.nativeRule(p, d, i, nodePort)
			if perRule && !nodePort {
				r.Tiered.AppliedTo = w.appliedTo(kind)
			}
			if d == model.Ingress {
				p.Ingress = append(p.Ingress, r)
			} else {
				p.Egress = append(p.Egress, r)
			}
		}
	}
	if w.odds(20) {
		p.Invalid = []model.Broken{{Key: p.Key, Code: "antrea-admission", Message: "refused"}}
	}
	return p
}

func (w *antreaWorld) nativeRule(p *model.Policy, d model.Direction, i int, nodePort bool) model.Rule {
	word := w.pick("Allow", "Allow", "Drop", "Drop", "Reject", "Pass")
	if word == "Pass" && p.Tiered.Tier == "baseline" {
		word = "Drop"
	}
	act := map[string]model.Action{"Allow": model.Allow, "Drop": model.Deny, "Reject": model.Deny, "Pass": model.Pass}[word]
	r := model.Rule{Direction: d, Index: i, Action: act, Tiered: &model.TieredRule{Action: word}}
	if nodePort {
		r.AnyPeer = w.odds(3)
		if !r.AnyPeer {
			r.Peers = []model.Peer{made.NetPeer(w.network())}
		}
		return r
	}
	if d == model.Egress && w.odds(8) {
		r.Tiered.ToServices = []model.Key{{Kind: model.KindService, Namespace: w.pick("a", "b"), Name: w.pick("s", "s", "headless")}}
		return r
	}
	for range w.r.IntN(3) {
		r.Peers = append(r.Peers, w.nativePeer(p, d))
	}
	r.AnyPeer = len(r.Peers) == 0
	r.Ports = w.nativePorts()
	if w.odds(8) {
		t := int32(8)
		r.Tiered.Protocols = append(r.Tiered.Protocols, model.RuleProtocol{Protocol: w.pick("ICMP", "IGMP")})
		if w.odds(2) {
			r.Tiered.Protocols[0].Type = &t
		}
	}
	if act == model.Allow && w.odds(12) {
		r.Tiered.L7 = []string{"http GET"}
		w.l7++
		p.Tiered.Priority = w.l7
	}
	return r
}

func (w *antreaWorld) nativePorts() (out []model.Port) {
	for range max(0, w.r.IntN(4)-1) {
		q := model.Port{Protocol: w.pick("TCP", "TCP", "UDP", "SCTP")}
		switch w.r.IntN(5) {
		case 0:
		case 1:
			q.Name = w.pick("http", "dns")
		default:
			q.Start = int32(80 + w.r.IntN(3))
			q.End = q.Start + int32(w.r.IntN(2))
		}
		out = append(out, q)
	}
	return out
}

func (w *antreaWorld) nativePeer(p *model.Policy, d model.Direction) model.Peer {
	cluster := p.Kind == model.KindACNP
	switch n := w.r.IntN(11); {
	case n == 0:
		return model.Peer{Kind: model.PeerNamespaces, Namespaces: w.nsSelector(), Pods: model.SelectEverything()}
	case n == 1:
		return model.Peer{Kind: model.PeerPods, Namespaces: w.nsSelector(), Pods: w.podSel()}
	case n == 2 && cluster:
		return model.Peer{Kind: model.PeerPods, Namespaces: model.SelectEverything(), Pods: w.podSel(), Match: &model.NamespaceMatch{Self: true}}
	case n == 3 && cluster:
		m := &model.NamespaceMatch{SameLabels: []string{"org"}}
		if w.odds(3) {
			m.SameLabels = append(m.SameLabels, "env")
		}
		return model.Peer{Kind: model.PeerPods, Namespaces: model.SelectEverything(), Pods: w.podSel(), Match: m}
	case n == 4:
		return model.Peer{Kind: model.PeerGroup, Group: w.pick("sel", "wide", "blocks", "svc", "nested", "missing", "bare", "deep")}
	case n == 5 && cluster:
		return model.Peer{Kind: model.PeerServiceAccount, ServiceAccount: &model.ServiceAccount{Namespace: w.pick("a", "b"), Name: w.pick("default", "s1")}}
	case n == 6 && cluster:
		return model.Peer{Kind: model.PeerNodes, Nodes: made.Sel(w.pick("*", "role=w", "role notin (w)"))}
	case n == 7 && d == model.Egress:
		return model.Peer{Kind: model.PeerDNS, DNSName: "*.example.com"}
	case n == 8:
		return model.Peer{Kind: model.PeerPods, Namespace: p.Namespace, Namespaces: model.SelectEverything(), Pods: w.podSel()}
	}
	return made.NetPeer(w.network())
}

// connection draws a question.
func (w *antreaWorld) connection(c *model.Cluster) verdict.Connection {
	q := w.world.connection(c)
	switch w.r.IntN(12) {
	case 0:
		q.To = verdict.ServiceEnd(w.pick("a", "b"), w.pick("s", "s", "bare"))
	case 1:
		q.To = verdict.ServiceEnd("a", "headless")
	case 2:
		q.From = verdict.AddrEnd(netip.MustParseAddr(w.pick("172.18.0.2", "10.244.0.1", "192.0.2.9", "8.8.8.8")))
	case 3:
		q.To = verdict.AddrEnd(netip.MustParseAddr(w.pick("172.18.0.3", "10.244.1.1", "192.0.2.9", "8.8.8.8")))
	}
	if q.To.Key.Kind == model.KindService && w.odds(2) {
		q.Protocol, q.Port = verdict.TCP, uint16(80+w.r.IntN(3))
	}
	return q
}
