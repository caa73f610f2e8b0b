package convert

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/test/made"
)

// native is a policy of Antrea: an ANNP where it has a namespace.
func native(name, tier string, priority float64, applied []model.AppliedTo, rules ...model.Rule) *model.Policy {
	p := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindACNP, Name: name}}, Tier: model.TierAdmin,
		Tiered: &model.TieredPolicy{Tier: tier, Priority: priority, AppliedTo: applied}}
	if ns, of, ok := strings.Cut(name, "/"); ok {
		p.Key = model.Key{Kind: model.KindANNP, Namespace: ns, Name: of}
	}
	for _, r := range rules {
		addRule(p, r)
	}
	return p
}

// to and from are an egress and an ingress rule; without peers they are about everything.
func to(action string, peers []model.Peer, ports ...model.Port) model.Rule {
	act := model.Action(action)
	if action == "Drop" || action == "Reject" {
		act = model.Deny
	}
	return model.Rule{Direction: model.Egress, Action: act, Peers: peers, AnyPeer: len(peers) == 0, Ports: ports, Tiered: &model.TieredRule{Action: action}}
}

func from(action string, peers []model.Peer, ports ...model.Port) model.Rule {
	r := to(action, peers, ports...)
	r.Direction = model.Ingress
	return r
}

func on(namespaces, pods string) model.AppliedTo {
	return model.AppliedTo{Select: true, Namespaces: made.Sel(namespaces), Pods: made.Sel(pods)}
}

func ons(list ...string) (out []model.AppliedTo) {
	for _, s := range list {
		out = append(out, on(s, "*"))
	}
	return out
}

func alike(pods string, labels ...string) []model.Peer {
	return made.Peers(model.Peer{Kind: model.PeerPods, Namespaces: model.SelectEverything(), Pods: made.Sel(pods),
		Match: &model.NamespaceMatch{Self: len(labels) == 0, SameLabels: labels}})
}

func group(name string) model.Peer { return model.Peer{Kind: model.PeerGroup, Group: name} }

// with changes a rule.
func with(r model.Rule, change func(*model.Rule)) model.Rule {
	change(&r)
	return r
}

func where(r model.Rule, applied ...model.AppliedTo) model.Rule {
	r.Tiered.AppliedTo = applied
	return r
}

// sayings are lines of what was made, of what differs and how, of what wants it again, and of
// notes.
func sayings(r *Result) (out []string) {
	for _, p := range r.Policies {
		line := fmt.Sprintf("%s %d %s", p.Label(), p.Priority, p.Subject)
		if p.Tier == model.TierBaseline && p.Kind == model.KindCNP {
			line += " baseline"
		}
		if p.HasLogging {
			line += " logs " + p.Logging
		}
		if a := p.Tiered; a != nil {
			line = fmt.Sprintf("%s %s %g %s", p.Label(), a.Tier, a.Priority, p.AppliedText())
		}
		out = append(out, line)
		for r := range p.AllRules() {
			line := fmt.Sprintf("  %s %s %s %s", r.Label(), r.ActionText(), strings.Join(r.PeerTexts(), " | "), strings.Join(r.PortTexts(), ","))
			if r.Tiered != nil && r.Tiered.Logging {
				line += " logs"
			}
			out = append(out, strings.TrimRight(line, " "))
		}
	}
	for _, c := range r.Rules {
		if c.Label != Exact {
			out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s %d %s, %s: %s", c.Policy.Label(), c.Direction.Lower(), c.Index, c.Label, c.Differs, c.Why)))
		}
	}
	for _, a := range r.Repeated {
		out = append(out, fmt.Sprintf("again %s %v %v", a.Policy.Label(), a.Labels, a.Values))
	}
	for _, n := range r.Notes {
		out = append(out, n.Policy.Label()+": "+n.Text)
	}
	return out
}

func antreaCluster(more ...model.Object) *model.Cluster {
	g := func(name string) *model.Group {
		return &model.Group{Meta: model.Meta{Key: model.Key{Kind: model.KindClusterGroup, Name: name}}}
	}
	sel, nets, svc, both := g("sel"), g("nets"), g("svc"), g("both")
	sel.Select, sel.Namespaces, sel.Pods = true, made.Sel("t=1"), made.Sel("app=x")
	nets.Networks = []string{"10.0.0.0/8"}
	svc.Service = &model.Key{Kind: model.KindService, Namespace: "a", Name: "web"}
	both.Children = []string{"sel", "nets"}
	return made.Cluster(append([]model.Object{made.NS("a", "kubernetes.io/metadata.name=a,t=1"), made.NS("b", "kubernetes.io/metadata.name=b,t=2,e=P_1"),
		made.NS("c", "kubernetes.io/metadata.name=c"), sel, nets, svc, both,
		&model.Tier{Meta: model.Meta{Key: model.Key{Kind: model.KindTier, Name: "early"}}, Priority: 10},
		&model.Service{Meta: model.Meta{Key: *svc.Service}, ClusterIPs: []string{"10.96.0.1"}, Selector: made.Pod("a/x", "app=w").Labels,
			Ports: []model.ServicePort{{Protocol: "TCP", Port: 80, TargetPort: "8080"}}}}, more...)...)
}

func TestFromAntrea(t *testing.T) {
	refused := native("bad", "application", 1, ons("*"), to("Drop", everyone))
	refused.Invalid = []model.Broken{{Code: "x", Field: "spec.priority", Message: "0: want 1.0 to 10000.0"}}
	logs := func(r model.Rule) model.Rule {
		r.Tiered.Logging = true
		return r
	}
	protocol := func(p string) func(*model.Rule) {
		return func(r *model.Rule) {
			r.Tiered.Protocols = append(r.Tiered.Protocols, model.RuleProtocol{Protocol: p})
		}
	}
	anp := made.ANP("there", 2, "*", nil, nil)
	for _, c := range []struct {
		name string
		to   model.Kind
		in   []model.Object
		want []string
	}{
		{"selectors and ports", model.KindANP, []model.Object{native("p", "application", 5, []model.AppliedTo{on("t=1", "app=x")},
			with(from("Allow", made.Peers(made.PodPeer("t=2", "app=y"), made.NSPeer("e")), made.TCP(80), model.Port{Protocol: "UDP", Start: 5, End: 9, Range: true}), func(r *model.Rule) { r.Name = "first" }),
			from("Pass", everyone, model.Port{Protocol: "SCTP"}), to("Drop", made.Peers(made.NetPeer("10.0.0.0/8"))), to("Drop", nil, made.TCP(25)))}, []string{
			"ANP p 10 pods: app=x in ns: t=1", `  ingress rule 0 "first" Allow pods: app=y in ns: t=2 | ns: e tcp 80,udp 5–9`, "  ingress rule 1 Pass ns: all sctp 1–65535",
			"  egress rule 0 Deny networks: 10.0.0.0/8", "  egress rule 1 Deny ns: all | networks: 0.0.0.0/0, ::/0 tcp 25"}},
		{"what the API has not", model.KindANP, []model.Object{native("p", "application", 5, ons("*"), from("Reject", everyone), from("Drop", nil),
			from("Allow", made.Peers(made.NetPeer("10.0.0.0/8"), made.NSPeer("*"), made.NetPeer("fd00::/8"))), from("Allow", made.Peers(made.NodePeer("*"))),
			from("Allow", everyone, model.Port{Protocol: "TCP", Name: "http"}), to("Allow", everyone, model.Port{Protocol: "TCP", Name: "http"}),
			to("Allow", made.Peers(made.NodePeer("r=w"))), to("Allow", made.Peers(model.Peer{Kind: model.PeerDNS, DNSName: "*.x.com"})),
			to("Allow", made.Peers(model.Peer{Kind: model.PeerServiceAccount, ServiceAccount: &model.ServiceAccount{Namespace: "a", Name: "s"}})),
			with(to("Allow", nil), func(r *model.Rule) { r.Tiered.L7 = []string{"http GET"} }), with(to("Drop", everyone, made.TCP(80)), protocol("ICMP")), with(to("Drop", nil), protocol("IGMP")))},
			[]string{"ANP p 10 ns: all", "  ingress rule 0 Deny ns: all", "  ingress rule 1 Deny ns: all", "  ingress rule 2 Allow ns: all", `  ingress rule 3 Allow ns: all "http"`,
				`  egress rule 0 Allow ns: all "http"`, "  egress rule 1 Allow nodes: r=w", "  egress rule 2 Deny ns: all tcp 80",
				"ACNP p ingress 0 approximate, answer: rejected connections are dropped without an answer: the API has no Reject",
				"ACNP p ingress 1 approximate, now: connections from nodes and outside the cluster: the API supports pods only",
				"ACNP p ingress 2 approximate, now: the API does not support networks in ingress: 10.0.0.0/8 and fd00::/8",
				"ACNP p ingress 3 not expressible, now: connections from nodes (all): the API supports pods only",
				`ACNP p ingress 4 approximate, now: port "http": the API's named ports have no protocol, and OVN-Kubernetes also uses ports that peers declare`,
				`ACNP p egress 0 approximate, now: port "http" matches every protocol: the API's named ports have no protocol`,
				"ACNP p egress 1 approximate, now: nodes (r=w): Antrea uses InternalIPs and gateways, OVN-Kubernetes all addresses",
				"ACNP p egress 2 not expressible, now: the API does not support domain names: *.x.com",
				"ACNP p egress 3 not expressible, now: selectors cannot match pods by service account: a/s",
				"ACNP p egress 4 not expressible, now: the API does not support layer 7: http GET",
				"ACNP p egress 5 approximate, now: the API does not support icmp", "ACNP p egress 6 not expressible, now: the API does not support igmp"}},
		{"order of tiers and priorities, ties kept", model.KindANP, []model.Object{native("z", "application", 5, ons("*"), to("Drop", everyone)), native("b/n", "application", 5, ons("*"), to("Allow", everyone)),
			native("y", "application", 4.5, ons("*"), to("Drop", everyone)), native("x", "early", 100, ons("*"), to("Drop", everyone))}, []string{
			"ANP x 10 ns: all", "  egress rule 0 Deny ns: all", "ANP y 20 ns: all", "  egress rule 0 Deny ns: all",
			"ANP b-n 30 ns: name=b", "  egress rule 0 Allow ns: all", "ANP z 30 ns: all", "  egress rule 0 Deny ns: all"}},
		{"before the ANPs there are, as many as fit", model.KindANP, []model.Object{anp, native("there", "application", 1, ons("*"), to("Drop", everyone)),
			native("y", "application", 2, ons("*"), to("Drop", everyone)), native("z", "application", 3, ons("*"), to("Drop", everyone))}, []string{
			"ANP there-2 0 ns: all", "  egress rule 0 Deny ns: all", "ANP y 1 ns: all", "  egress rule 0 Deny ns: all",
			"ACNP z egress 0 not expressible, now: no free priority before ANP there (2), which must decide after it: all 2 go to policies before it"}},
		{"around the CNPs there are", model.KindCNP, []model.Object{cnp(made.ANP("c", 50, "*", nil, nil), model.TierAdmin), native("y", "platform", 2, ons("*"), to("Drop", everyone)),
			native("z", "application", 3, ons("*"), to("Drop", everyone))}, []string{"CNP y 10 ns: all", "  egress rule 0 Deny ns: all", "CNP z 61 ns: all", "  egress rule 0 Deny ns: all"}},
		{"several appliedTo", model.KindANP, []model.Object{native("p", "application", 5, ons("t=1", "t=2", "t=1"), from("Drop", everyone), to("Allow", everyone))}, []string{
			"ANP p 10 ns: t=1", "  ingress rule 0 Deny ns: all", "  egress rule 0 Allow ns: all", "ANP p-2 10 ns: t=2", "  ingress rule 0 Deny ns: all", "  egress rule 0 Allow ns: all"}},
		{"appliedTo of rules", model.KindANP, []model.Object{native("p", "application", 5, nil, where(from("Drop", everyone), on("t=1", "*")), where(from("Pass", everyone), on("t=1", "*")),
			where(from("Allow", everyone), on("t=2", "*")), where(to("Drop", everyone), on("t=2", "*")))}, []string{
			"ANP p 10 ns: t=1", "  ingress rule 0 Deny ns: all", "  ingress rule 1 Pass ns: all", "ANP p-2 10 ns: t=2", "  egress rule 0 Deny ns: all",
			"ANP p-3 20 ns: t=2", "  ingress rule 0 Allow ns: all"}},
		{"a rule that is left out, in a tie", model.KindANP, []model.Object{native("p", "application", 5, ons("*"), from("Allow", made.Peers(made.NetPeer("10.0.0.0/8"))), from("Drop", everyone)),
			native("q", "application", 5, ons("*"), from("Drop", everyone), from("Allow", everyone))}, []string{
			"ANP q 10 ns: all", "  ingress rule 0 Deny ns: all", "ANP p 20 ns: all", "  ingress rule 0 Deny ns: all", "ANP q-2 20 ns: all", "  ingress rule 0 Allow ns: all",
			"ACNP p ingress 0 not expressible, now: the API does not support networks in ingress: 10.0.0.0/8"}},
		{"ANNP", model.KindANP, []model.Object{native("a/p", "application", 5, []model.AppliedTo{on("*", "app=x")},
			from("Allow", made.Peers(model.Peer{Kind: model.PeerPods, Namespace: "a", Namespaces: model.SelectEverything(), Pods: made.Sel("app=y")})))}, []string{
			"ANP a-p 10 pods: app=x in ns: name=a", "  ingress rule 0 Allow pods: app=y in ns: name=a"}},
		{"Self", model.KindANP, []model.Object{native("p", "application", 5, ons("t"), from("Pass", alike("*")), from("Drop", everyone))}, []string{
			"ANP p-a 10 ns: name=a,t", "  ingress rule 0 Pass ns: name=a", "ANP p-b 10 ns: name=b,t", "  ingress rule 0 Pass ns: name=b", "ANP p 20 ns: t", "  ingress rule 0 Deny ns: all",
			"ACNP p ingress 0 approximate, later: one policy for each of 2 namespaces: new ones are not covered", "again ACNP p [] [a b]"}},
		{"sameLabels: other rules want the labels, too", model.KindANP, []model.Object{native("p", "application", 5, ons("*"), from("Pass", alike("app=x", "t", "e")), from("Drop", everyone))}, []string{
			"ANP p-2-p-1 10 ns: e=P_1,t=2", "  ingress rule 0 Pass pods: app=x in ns: e=P_1,t=2", "ANP p 20 ns: e,t", "  ingress rule 0 Deny ns: all",
			"ACNP p ingress 0 approximate, later: one policy for each of 1 value of labels t and e: new ones are not covered", "again ACNP p [t e] [2,P_1]"}},
		{"sameLabels that nobody has", model.KindANP, []model.Object{native("p", "application", 5, ons("*"), from("Pass", alike("app=x", "none")))}, []string{
			"ACNP p ingress 0 not expressible, later: it applies to no namespace with label none", "again ACNP p [none] []"}},
		{"groups", model.KindANP, []model.Object{native("p", "application", 5, []model.AppliedTo{{Group: "sel"}}, to("Allow", made.Peers(group("sel"), group("nets"))), to("Allow", made.Peers(group("svc"))),
			to("Drop", made.Peers(group("both"))), to("Drop", made.Peers(group("gone"))))}, []string{
			"ANP p 10 pods: app=x in ns: t=1", "  egress rule 0 Allow pods: app=x in ns: t=1 | networks: 10.0.0.0/8", "  egress rule 1 Allow pods: app=w in ns: name=a",
			"  egress rule 2 Deny pods: app=x in ns: t=1 | networks: 10.0.0.0/8", "ACNP p egress 1 approximate, later: ClusterGroup svc is converted with the present selector of Service a/web, not later ones",
			"ACNP p egress 2 approximate, later: ClusterGroup both is converted with its present children, not later ones", "ACNP p egress 3 not expressible, later: ClusterGroup gone does not exist"}},
		{"appliedTo that is no selector", model.KindANP, []model.Object{native("p", "application", 5, []model.AppliedTo{{ServiceAccount: &model.ServiceAccount{Namespace: "a", Name: "s"}}, on("t=1", "*")}, to("Drop", everyone)),
			native("q", "application", 6, []model.AppliedTo{{Nodes: &everyone[0].Namespaces}}, to("Drop", everyone)), native("r", "application", 7, []model.AppliedTo{{Group: "nets"}}, to("Drop", everyone)),
			native("s", "application", 8, []model.AppliedTo{{Service: &model.Key{Namespace: "a", Name: "web"}}}, from("Drop", nil))}, []string{
			"ANP p 10 ns: t=1", "  egress rule 0 Deny ns: all", "ACNP p egress 0 approximate, now: selectors cannot match pods by service account: a/s",
			"ACNP q egress 0 not expressible, now: the API does not support nodes as subject: all",
			"ACNP r egress 0 not expressible, later: ClusterGroup nets has ipBlocks, which appliedTo ignores",
			"ACNP s ingress 0 not expressible, now: the API does not support NodePort Services as subject: a/web"}},
		{"toServices", model.KindANP, []model.Object{native("p", "application", 5, ons("*"), with(to("Drop", nil), func(r *model.Rule) {
			r.AnyPeer, r.Tiered.ToServices = false, []model.Key{{Kind: model.KindService, Namespace: "a", Name: "web"}, {Kind: model.KindService, Namespace: "a", Name: "gone"}}
		}))}, []string{"ANP p 10 ns: all", "  egress rule 0 Deny pods: app=w in ns: name=a tcp 8080",
			"ACNP p egress 0 approximate, now: the API decides after load balancing: it matches the pods behind Service a/web, however they are reached; Service a/gone does not exist"}},
		{"what decides nothing", model.KindANP, []model.Object{refused, native("p", "gone", 5, ons("*"), to("Drop", everyone))}, []string{
			"ACNP bad egress 0 not expressible, : it decides nothing: Antrea rejects it: spec.priority 0: want 1.0 to 10000.0",
			"ACNP p egress 0 not expressible, : it decides nothing: Tier gone does not exist"}},
		{"baseline of one subject", model.KindANP, []model.Object{native("p", "baseline", 5, ons("*"), to("Drop", everyone)), native("q", "baseline", 4, ons("*"), from("Drop", everyone), to("Allow", everyone)),
			native("r", "baseline", 5, ons("*"), to("Allow", everyone))}, []string{
			"BANP default 0 ns: all", "  ingress rule 0 Deny ns: all", "  egress rule 0 Allow ns: all", "  egress rule 1 Deny ns: all", "  egress rule 2 Allow ns: all",
			"ACNP p egress 0 approximate, now: ACNP p and ACNP r share a priority: their order was undefined and is fixed now",
			"ACNP r egress 0 approximate, now: ACNP p and ACNP r share a priority: their order was undefined and is fixed now"}},
		{"baseline of several subjects", model.KindANP, []model.Object{native("p", "baseline", 5, ons("t=1", "t=2"), to("Drop", everyone)), native("q", "baseline", 6, ons("t=2"), to("Allow", everyone))}, []string{
			"BANP default 0 ns: t=1", "  egress rule 0 Deny ns: all", "ACNP p egress 0 approximate, now: only one BaselineAdminNetworkPolicy is allowed: it has one subject, not 1 other",
			"ACNP q egress 0 not expressible, now: only one BaselineAdminNetworkPolicy is allowed: its subject is that of ACNP p"}},
		{"baseline beside a BANP", model.KindANP, []model.Object{banp("*", nil, nil), native("p", "baseline", 5, ons("t=1"), to("Drop", everyone))}, []string{
			"ACNP p egress 0 not expressible, now: the cluster already has its only BaselineAdminNetworkPolicy: BANP default"}},
		{"baseline as CNPs", model.KindCNP, []model.Object{banp("*", nil, nil), native("p", "baseline", 5, ons("t=1"), to("Drop", everyone)), native("q", "baseline", 6, ons("t=2"), to("Allow", everyone))}, []string{
			"CNP p 10 ns: t=1 baseline", "  egress rule 0 Deny ns: all", "CNP q 20 ns: t=2 baseline", "  egress rule 0 Allow ns: all"}},
		{"logging", model.KindANP, []model.Object{native("p", "application", 5, ons("*"), logs(to("Drop", everyone)), logs(to("Allow", everyone)), to("Allow", everyone))}, []string{
			`ANP p 10 ns: all logs {"deny":"info"}`, "  egress rule 0 Deny ns: all", "  egress rule 1 Allow ns: all", "  egress rule 2 Allow ns: all",
			"ACNP p: enableLogging has no level: ANP p logs at info", "ACNP p: ANP p logs per action: an action that only some rules logged is not logged now"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := FromAntrea(antreaCluster(c.in...), c.to)
			if d := cmp.Diff(c.want, sayings(&r)); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

// Lists and policies longer than an API takes are split, and stay at their place.
func TestFromAntreaLimits(t *testing.T) {
	wide := to("Drop", nil)
	wide.AnyPeer = false
	for i := range 130 {
		wide.Peers = append(wide.Peers, made.NSPeer(fmt.Sprintf("n=%d", i)))
	}
	rules := append(slices.Repeat([]model.Rule{to("Allow", everyone)}, 120), wide)
	c := antreaCluster(native("p", "application", 5, ons("*"), rules...))
	for kind, want := range map[model.Kind]string{model.KindANP: "[100 20 1 1]", model.KindCNP: "[25 25 25 25 20 1 1 1 1 1 1]"} {
		r := FromAntrea(c, kind)
		var got []int
		last := int32(-1)
		for _, p := range r.Policies {
			got = append(got, len(p.Egress))
			if p.Priority < last {
				t.Error("out of order")
			}
			last = p.Priority
		}
		if fmt.Sprint(got) != want || r.Label() != Exact {
			t.Errorf("%s: %v rules, want %s: %s", kind, got, want, r.Label())
		}
	}
}
