package packets_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"rung/model"
	"rung/model/convert"
	"rung/model/verdict"
	"rung/test/made"
)

const (
	antreaClusters     = 50
	soakAntreaClusters = 800
)

// OVN delivers what policies of Antrea say, by the verdicts from those policies on Antrea,
// where it has the rows of the AdminNetworkPolicies that they became and every rule of the
// conversion is labelled exact.
func TestAntreaPacketsAgree(t *testing.T) {
	seed, rounds := seeded(t, antreaClusters, soakAntreaClusters)
	r := newRun(t)
	began, drawn, rules, became := time.Now(), 0, 0, 0
	for n := 0; n < rounds; drawn++ {
		if drawn > 200*rounds {
			t.Fatalf("of %d sets %d are exact", drawn, n)
		}
		d := drawAntrea(rand.New(rand.NewPCG(seed, 8000+uint64(drawn))))
		source := made.Cluster(d.objects...)
		c := convert.FromAntrea(source, model.KindANP)
		if c.Label() != convert.Exact || len(c.Rules) == 0 {
			continue
		}
		n++
		rules += len(c.Rules)
		became += len(c.Policies)
		d.become(c.Policies)
		options := verdict.Options{IPv4: d.options.IPv4, IPv6: d.options.IPv6, Precedence: verdict.Antrea}
		r.other = func() *verdict.Index { return verdict.NewIndex(verdict.View{Cluster: source, Options: options}) }
		r.cluster(d)
		if t.Failed() {
			t.Fatalf("in set %d of RUNG_SEED=%d, which was\n%s", drawn, seed, describeAntrea(source))
		}
	}
	t.Logf("%s: of %d sets %d are exact: %d rules of Antrea in %d policies, %d connections, %s: %v", r.w.tools.Describe(), drawn, rounds,
		rules, became, r.connections, time.Since(began).Round(time.Second), r.kinds)
	r.tally()
	if r.verdict["all"] < 1000 {
		t.Errorf("only %d verdicts were confirmed", r.verdict["all"])
	}
	for _, kind := range []string{"ANP", "BANP", "NP", "drop", "allow", "pass", "IPv4", "IPv6", "tcp", "udp", "sctp"} {
		if r.kinds[kind] < 5 {
			t.Errorf("only %d connections met %s", r.kinds[kind], kind)
		}
	}
	for _, what := range []string{"allow", "deny", "pod to pod", "pod to outside", "outside to pod"} {
		if r.verdict[what] < 20 {
			t.Errorf("only %d are %s", r.verdict[what], what)
		}
	}
}

// become puts the policies that were made in place of Antrea's objects.
func (d *drawn) become(policies []*model.Policy) {
	d.objects = slices.DeleteFunc(d.objects, func(o model.Object) bool {
		switch o.ObjectKey().Kind {
		case model.KindACNP, model.KindANNP, model.KindTier, model.KindClusterGroup, model.KindGroup:
			return true
		}
		return false
	})
	for _, p := range policies {
		d.objects = append(d.objects, p)
	}
}

// drawAntrea makes a cluster with policies of Antrea in its tiers, and a NetworkPolicy or two
// between them. Connections of nodes are left out: what nodes may reach, each system decides
// in its own way.
func drawAntrea(r *rand.Rand) *drawn {
	d := draw(r)
	d.options.Stateless, d.options.AllowICMP, d.options.Multicast = false, false, 0
	d.only = func(t *trial) bool {
		return !t.packet.Dst.IsMulticast() && t.asked.From.Key.Kind != model.KindNode && t.asked.To.Key.Kind != model.KindNode
	}
	d.objects = slices.DeleteFunc(d.objects, func(o model.Object) bool { _, is := o.(*model.Policy); return is })
	for _, o := range d.objects {
		if ns, is := o.(*model.Namespace); is {
			labels := ns.Labels.Map()
			if labels == nil {
				labels = map[string]string{}
			}
			labels["kubernetes.io/metadata.name"] = ns.Name
			ns.Labels = model.NewLabels(labels)
			delete(ns.Annotations, model.AnnotationMulticast)
		}
	}
	for i, priority := range []int32{40, 110} {
		d.objects = append(d.objects, &model.Tier{Meta: model.Meta{Key: model.Key{Kind: model.KindTier, Name: fmt.Sprint("custom", i)}}, Priority: priority})
	}
	group := &model.Group{Meta: model.Meta{Key: model.Key{Kind: model.KindClusterGroup, Name: "some"}}, Select: true,
		HasNamespaces: true, Namespaces: made.Sel(d.pick("*", "t=1")), Pods: made.Sel(d.pick("app=x", "app=y"))}
	d.objects = append(d.objects, group)
	priorities := d.r.Perm(40)
	for i := range 2 + d.r.IntN(4) {
		kind, ns := model.KindACNP, ""
		if d.one(4) {
			kind, ns = model.KindANNP, d.pick(namespaces...)
		}
		d.objects = append(d.objects, d.antreaPolicy(kind, ns, fmt.Sprint("p", i), 1+float64(priorities[i])/4))
	}
	for i := range d.r.IntN(3) {
		p := made.ANP(fmt.Sprint("np", i), 0, "*", nil, nil)
		p.Kind, p.Namespace, p.Tier = model.KindNP, d.pick(namespaces...), model.TierNetwork
		p.Subject = model.Subject{Namespaces: model.SelectEverything(), Pods: made.Sel("app=x"), Namespace: p.Namespace}
		p.IsolatesIngress, p.IsolatesEgress = true, d.one(2)
		p.Ingress = []model.Rule{{Direction: model.Ingress, Action: model.Allow, Peers: made.Peers(made.NSPeer(d.pick("t=1", "*")))}}
		d.objects = append(d.objects, p)
	}
	return d
}

func (d *drawn) antreaPolicy(kind model.Kind, ns, name string, priority float64) *model.Policy {
	tier := d.pick("emergency", "securityops", "application", "application", "custom0", "custom1", "baseline")
	p := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: kind, Namespace: ns, Name: name}}, Tier: model.TierAdmin,
		Tiered: &model.TieredPolicy{Tier: tier, Priority: priority}}
	perRule := d.one(5)
	if !perRule {
		p.Tiered.AppliedTo = d.appliedTo(kind)
	}
	for _, dir := range model.Directions {
		for i := range d.r.IntN(3) {
			word := d.pick("Allow", "Allow", "Drop", "Drop", "Pass")
			if word == "Pass" && tier == "baseline" {
				word = "Allow"
			}
			r := model.Rule{Direction: dir, Index: i, Action: map[string]model.Action{"Allow": model.Allow, "Drop": model.Deny, "Pass": model.Pass}[word],
				Tiered: &model.TieredRule{Action: word}, Ports: d.ports(d.one(12))}
			if perRule {
				r.Tiered.AppliedTo = d.appliedTo(kind)
			}
			for range 1 + d.r.IntN(2) {
				r.Peers = append(r.Peers, d.antreaPeer(p, dir))
			}
			list := &p.Ingress
			if dir == model.Egress {
				list = &p.Egress
			}
			*list = append(*list, r)
		}
	}
	return p
}

func (d *drawn) appliedTo(kind model.Kind) []model.AppliedTo {
	a := model.AppliedTo{Select: true, Namespaces: model.SelectEverything(), Pods: made.Sel(d.pick("*", "app=x", "!app"))}
	if kind == model.KindACNP {
		a.Namespaces = made.Sel(d.pick("*", "t=1", "t in (1,2)"))
		if d.one(8) {
			return []model.AppliedTo{{Group: "some"}}
		}
	}
	return []model.AppliedTo{a}
}

func (d *drawn) antreaPeer(p *model.Policy, dir model.Direction) model.Peer {
	pods := made.Sel(d.pick("*", "app=x", "app=y"))
	if p.Kind == model.KindACNP {
		switch d.r.IntN(8) {
		case 0:
			return model.Peer{Kind: model.PeerPods, Namespaces: model.SelectEverything(), Pods: pods, Match: &model.NamespaceMatch{Self: true}}
		case 1:
			return model.Peer{Kind: model.PeerPods, Namespaces: model.SelectEverything(), Pods: pods, Match: &model.NamespaceMatch{SameLabels: []string{"t"}}}
		case 2:
			return model.Peer{Kind: model.PeerGroup, Group: "some"}
		}
	}
	switch n := d.r.IntN(5); {
	case n == 0:
		return model.Peer{Kind: model.PeerPods, Namespace: p.Namespace, Namespaces: model.SelectEverything(), Pods: pods}
	case n == 1 && dir == model.Egress:
		return made.NetPeer(d.network())
	case n < 3:
		return made.NSPeer(d.pick("*", "t=1", "t=2"))
	}
	return made.PodPeer(d.pick("*", "t=1", "env=p"), d.pick("*", "app=x", "app=y"))
}

// describeAntrea are the policies of Antrea in a few lines.
func describeAntrea(c *model.Cluster) (out string) {
	for p := range c.TieredPolicies() {
		out += fmt.Sprintf("%s %s %v %v\n", p.Key, p.Tiered.Tier, p.Tiered.Priority, p.Tiered.AppliedTo)
		for r := range p.AllRules() {
			out += fmt.Sprintf("  %+v %+v\n", *r, r.Tiered.AppliedTo)
		}
	}
	return out
}
