package convert

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/test/made"
)

// cnp is a policy made like an ANP as a ClusterNetworkPolicy.
func cnp(p *model.Policy, tier int) *model.Policy {
	p.Kind, p.Tier = model.KindCNP, tier
	return p
}

func banp(subject string, ingress, egress []model.Rule) *model.Policy {
	p := made.ANP("default", 0, subject, ingress, egress)
	p.Kind, p.Tier = model.KindBANP, model.TierBaseline
	return p
}

// text is a policy, a line for itself and one for each rule.
func text(p *model.Policy) (out []string) {
	line := fmt.Sprintf("%s tier %d priority %d %s", p.Label(), p.Tier, p.Priority, p.Subject)
	if p.HasLogging {
		line += " logs " + p.Logging
	}
	out = append(out, line)
	for r := range p.AllRules() {
		out = append(out, fmt.Sprintf("  %s %s %s %s", r.Label(), r.Action, strings.Join(r.PeerTexts(), " | "), strings.Join(r.PortTexts(), ",")))
	}
	return out
}

func resultText(r *Result) (out []string) {
	for _, p := range r.Policies {
		out = append(out, text(p)...)
	}
	for _, c := range r.Rules {
		if c.Label == Exact {
			continue
		}
		out = append(out, fmt.Sprintf("%s %s %d: %s: %s", c.Policy.Label(), c.Direction.Lower(), c.Index, c.Label, c.Why))
	}
	return out
}

func many(n int, r model.Rule) []model.Rule { return slices.Repeat([]model.Rule{r}, n) }

var (
	everyone = made.Peers(made.NSPeer("*"))
	domain   = model.Peer{Kind: model.PeerDNS, DNSName: "*.example.com"}
)

func TestFields(t *testing.T) {
	logs := made.ANP("logs", 5, "*", nil, nil)
	logs.Logging, logs.HasLogging = `{"deny":"alert"}`, true
	pods := made.ANP("pods", 7, "a=b", nil, []model.Rule{
		made.Rule(model.Allow, made.Peers(made.PodPeer("x=y", "!z"), made.NodePeer("role=w"), made.NetPeer("10.0.0.0/8", "fd00::/8"))),
		made.Rule(model.Pass, made.Peers(made.NodePeer("*")), model.Port{Protocol: "SCTP", Start: 1, End: 9, Range: true})})
	pods.Subject.AllPods, pods.Subject.Pods = false, made.Sel("app in (u,v)")
	pods.Egress[0].Name = "first"
	bad := made.ANP("bad", 8, "*", []model.Rule{made.Rule(model.Deny, everyone)}, nil)
	bad.Invalid = []model.Broken{{Code: model.InvalidCIDR, Field: "spec.x", Message: "is no CIDR"}}
	for _, c := range []struct {
		name string
		to   func([]*model.Policy) Result
		in   []*model.Policy
		want []string
	}{
		{"every field of an ANP", ToCNP, []*model.Policy{pods, logs}, []string{
			`CNP logs tier 1 priority 5 ns: all logs {"deny":"alert"}`,
			"CNP pods tier 1 priority 7 pods: app in (u,v) in ns: a=b",
			`  egress rule 0 "first" Allow pods: !z in ns: x=y | nodes: role=w | networks: 10.0.0.0/8, fd00::/8 `,
			"  egress rule 1 Pass nodes: all sctp 1–9"}},
		{"ports", ToCNP, []*model.Policy{made.ANP("p", 1, "*", []model.Rule{
			made.Rule(model.Deny, everyone, made.TCP(80), made.UDP(53), model.Port{Name: "http"}, model.Port{Protocol: "TCP", Start: 5, End: 5, Range: true})}, nil)}, []string{
			"CNP p tier 1 priority 1 ns: all", `  ingress rule 0 Deny ns: all tcp 80,udp 53,"http",tcp 5`}},
		{"a protocol nobody knows", ToCNP, []*model.Policy{made.ANP("p", 1, "*", []model.Rule{
			made.Rule(model.Deny, everyone, made.TCP(80), model.Port{Protocol: "tcp", Start: 1, End: 1}),
			made.Rule(model.Deny, everyone, model.Port{Protocol: "tcp", Start: 1, End: 1})}, nil)}, []string{
			"CNP p tier 1 priority 1 ns: all", "  ingress rule 0 Deny ns: all tcp 80",
			`ANP p ingress 0: approximate: the API does not support protocol "tcp" 1, which matches nothing in OVN-Kubernetes`,
			`ANP p ingress 1: not expressible: the API does not support protocol "tcp" 1, which matches nothing in OVN-Kubernetes`}},
		{"the baseline, beside an ANP of its name", ToCNP, []*model.Policy{
			banp("*", []model.Rule{made.Rule(model.Deny, everyone)}, nil), made.ANP("default", 3, "*", nil, nil)}, []string{
			"CNP default tier 1 priority 3 ns: all", "CNP default-baseline tier 3 priority 90 ns: all", "  ingress rule 0 Deny ns: all "}},
		{"what OVN-Kubernetes does not take", ToCNP, []*model.Policy{bad}, []string{"ANP bad ingress 0: not expressible: spec.x is no CIDR"}},
		{"no priority left", ToCNP, []*model.Policy{made.ANP("low", 500, "*", nil, []model.Rule{made.Rule(model.Deny, everyone)}),
			made.ANP("wide", 2, "*", many(26, made.Rule(model.Deny, everyone)), nil)}, slices.Concat(
			[]string{"CNP wide tier 1 priority 20 ns: all"}, lines(0, 25), []string{"CNP wide-part-2 tier 1 priority 21 ns: all"}, lines(0, 1),
			[]string{"ANP low egress 0: not expressible: no free priority up to 1000"})},
		{"other kinds are left out", ToCNP, []*model.Policy{{Meta: model.Meta{Key: model.Key{Kind: model.KindNP, Namespace: "a", Name: "n"}}}}, nil},

		{"every field of a CNP", ToANP, []*model.Policy{cnp(made.ANP("p", 40, "a=b", nil, []model.Rule{
			made.Rule(model.Allow, made.Peers(made.NodePeer("*"), made.NetPeer("10.0.0.0/8")), made.TCP(80)), made.Rule(model.Pass, everyone)}), model.TierAdmin)}, []string{
			"ANP p tier 1 priority 40 ns: a=b", "  egress rule 0 Allow nodes: all | networks: 10.0.0.0/8 tcp 80", "  egress rule 1 Pass ns: all "}},
		{"domains", ToANP, []*model.Policy{cnp(made.ANP("p", 40, "*", nil, []model.Rule{
			made.Rule(model.Allow, made.Peers(made.NodePeer("*"), domain)), made.Rule(model.Allow, made.Peers(domain))}), model.TierAdmin)}, []string{
			"ANP p tier 1 priority 40 ns: all", "  egress rule 0 Allow nodes: all ",
			"CNP p egress 0: approximate: without domain names, which the API does not support: *.example.com",
			"CNP p egress 1: not expressible: the API does not support domain names: *.example.com"}},
		{"a protocol without a port", ToANP, []*model.Policy{cnp(made.ANP("p", 40, "*", []model.Rule{
			made.Rule(model.Deny, everyone, model.Port{Protocol: "TCP"})}, nil), model.TierAdmin)}, []string{"ANP p tier 1 priority 40 ns: all",
			"CNP p ingress 0: not expressible: its ports are undefined: it names a protocol without a port"}},
		{"priorities that OVN-Kubernetes does not enforce, a tie kept", ToANP, []*model.Policy{
			cnp(made.ANP("a", 1000, "*", nil, nil), model.TierAdmin), cnp(made.ANP("b", 3, "*", nil, nil), model.TierAdmin),
			cnp(made.ANP("c", 1000, "*", nil, nil), model.TierAdmin)}, []string{
			"ANP b tier 1 priority 25 ns: all", "ANP a tier 1 priority 75 ns: all", "ANP c tier 1 priority 75 ns: all"}},
		{"a name that an ANP has", ToANP, []*model.Policy{cnp(made.ANP("a", 4, "*", nil, nil), model.TierAdmin), made.ANP("a", 3, "*", nil, nil)}, []string{
			"ANP a tier 1 priority 3 ns: all", "ANP a-cnp tier 1 priority 4 ns: all"}},
		{"baselines in their order, Pass is the default's Allow", ToANP, []*model.Policy{
			cnp(made.ANP("z", 10, "*", []model.Rule{made.Rule(model.Pass, everyone)}, nil), model.TierBaseline),
			cnp(made.ANP("a", 20, "*", []model.Rule{made.Rule(model.Deny, everyone)}, nil), model.TierBaseline)}, []string{
			"BANP default tier 3 priority 0 ns: all", "  ingress rule 0 Allow ns: all ", "  ingress rule 1 Deny ns: all "}},
		{"baselines of one priority", ToANP, []*model.Policy{
			cnp(made.ANP("z", 10, "*", []model.Rule{made.Rule(model.Allow, everyone)}, nil), model.TierBaseline),
			cnp(made.ANP("a", 10, "*", []model.Rule{made.Rule(model.Deny, everyone)}, nil), model.TierBaseline)}, []string{
			"BANP default tier 3 priority 0 ns: all", "  ingress rule 0 Deny ns: all ", "  ingress rule 1 Allow ns: all ",
			"CNP a ingress 0: approximate: a and z share a priority: their order was undefined and is fixed now",
			"CNP z ingress 0: approximate: a and z share a priority: their order was undefined and is fixed now"}},
		{"baselines of two subjects", ToANP, []*model.Policy{
			cnp(made.ANP("z", 10, "*", []model.Rule{made.Rule(model.Allow, everyone)}, nil), model.TierBaseline),
			cnp(made.ANP("a", 11, "t=1", []model.Rule{made.Rule(model.Deny, everyone)}, nil), model.TierBaseline)}, []string{
			"BANP default tier 3 priority 0 ns: all", "  ingress rule 0 Allow ns: all ",
			"CNP a ingress 0: not expressible: only one BaselineAdminNetworkPolicy is allowed: its subject is that of CNP z"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := c.to(c.in)
			if d := cmp.Diff(c.want, resultText(&r)); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

func lines(from, to int) (out []string) {
	for i := from; i < to; i++ {
		out = append(out, fmt.Sprintf("  ingress rule %d Deny ns: all ", i))
	}
	return out
}

// Lists that are longer than the API of CNP takes are split; none is too long.
// What is made has no part in the logging session of what it is made of, nor its level; what
// only moves keeps both, since it is the same object.
func TestLoggingSessions(t *testing.T) {
	deny := []model.Rule{made.Rule(model.Deny, everyone)}
	const former, set = `{"deny":"alert"}`, `{"allow":"info","deny":"info"}`
	session := func(p *model.Policy, former, now string) *model.Policy {
		s := model.LogSession{ID: "s", By: "ada@pc", Since: time.Unix(1e9, 0), Set: set, Former: former, HadFormer: former != ""}
		p.Logging, p.HasLogging = now, true
		p.Annotations = map[string]string{model.AnnotationLogging: now, model.AnnotationLogSession: s.AnnotationText()}
		return p
	}
	in := func(name string) *model.Policy { return made.ANP(name, 5, "*", deny, nil) }
	odd := in("odd")
	odd.Annotations = map[string]string{model.AnnotationLogSession: "?"}
	for _, c := range []struct {
		name    string
		result  Result
		logging string
		session bool
	}{
		{"a level before", ToCNP([]*model.Policy{session(in("p"), former, set)}), former, false},
		{"none before", ToCNP([]*model.Policy{session(in("p"), "", set)}), "", false},
		{"the level was changed meanwhile", ToCNP([]*model.Policy{session(in("p"), "", former)}), former, false},
		{"a record that cannot be read", ToCNP([]*model.Policy{odd}), "", false},
		{"a CNP", ToANP([]*model.Policy{session(cnp(in("p"), model.TierAdmin), former, set)}), former, false},
		{"a CNP that is the baseline", ToANP([]*model.Policy{session(cnp(in("p"), model.TierBaseline), "", set)}), "", false},
		{"a CNP that stays one", ToCNP([]*model.Policy{session(cnp(in("p"), model.TierAdmin), former, set)}), set, true},
		{"an ANP that stays one", ToANP([]*model.Policy{session(in("p"), former, set)}), set, true},
	} {
		p := c.result.Policies[0]
		if _, has := p.Annotations[model.AnnotationLogSession]; has != c.session {
			t.Errorf("%s: a session: %v", c.name, has)
		}
		if level := p.Annotations[model.AnnotationLogging]; p.Logging != c.logging || level != c.logging || p.HasLogging != (c.logging != "") {
			t.Errorf("%s: logs %q, annotation %q; want %q", c.name, p.Logging, level, c.logging)
		}
	}
	given := session(in("p"), "", set)
	r := ToAntrea(antreaCluster(given))
	if p := r.Policies[0]; len(p.Annotations) > 0 || p.Ingress[0].Tiered.Logging {
		t.Errorf("Antrea: %v, logs %v", p.Annotations, p.Ingress[0].Tiered.Logging)
	}
	if _, has := given.LogSession(); !has || given.Logging != set {
		t.Error("what was given was changed")
	}
}

func TestLimits(t *testing.T) {
	wide := made.Rule(model.Deny, nil)
	for i := range 60 {
		wide.Peers = append(wide.Peers, made.NSPeer(fmt.Sprintf("n=%d", i)))
	}
	for i := range int32(30) {
		wide.Ports = append(wide.Ports, made.TCP(i+1))
	}
	var networks []string
	for i := range 55 {
		networks = append(networks, fmt.Sprintf("10.0.%d.0/24", i))
	}
	p := made.ANP("p", 9, "*", append([]model.Rule{wide}, many(99, made.Rule(model.Allow, everyone))...),
		[]model.Rule{made.Rule(model.Deny, made.Peers(made.NetPeer(networks...)))})
	r := ToCNP([]*model.Policy{p})
	if l := r.Label(); l != Exact {
		t.Error(l)
	}
	if n := len(r.Rules[0].MadeRules); n != 6 {
		t.Errorf("60 peers with 30 ports are %d rules, want 3 × 2", n)
	}
	if n := len(r.Policies); n != 5 { // 105 rules
		t.Errorf("%d policies", n)
	}
	for i, q := range r.Policies {
		if q.Priority != 90+int32(i) {
			t.Errorf("part %d has priority %d", i, q.Priority)
		}
		for _, d := range model.Directions {
			if len(q.Rules(d)) > cnpRules {
				t.Errorf("%d rules", len(q.Rules(d)))
			}
		}
		for rule := range q.AllRules() {
			if len(rule.Peers) > cnpPeers || len(rule.Ports) > cnpPorts {
				t.Errorf("%d peers, %d ports", len(rule.Peers), len(rule.Ports))
			}
			for _, pe := range rule.Peers {
				if len(pe.Networks) > cnpNetworks {
					t.Errorf("%d networks", len(pe.Networks))
				}
			}
		}
	}
}

// ANP → CNP → ANP is the same normal form, also where policies are split on the way.
func TestRoundTrip(t *testing.T) {
	logged := made.ANP("logged", 3, "*", []model.Rule{made.Rule(model.Pass, everyone, model.Port{Name: "http"})}, nil)
	logged.Logging, logged.HasLogging = "{}", true
	small := []*model.Policy{logged,
		made.ANP("a", 30, "t=1", []model.Rule{made.Rule(model.Allow, made.Peers(made.PodPeer("x", "y")), made.TCP(80), made.UDP(53))},
			[]model.Rule{made.Rule(model.Deny, made.Peers(made.NetPeer("0.0.0.0/0", "::/0"), made.NodePeer("*")))}),
		made.ANP("b", 30, "*", nil, []model.Rule{made.Rule(model.Deny, everyone, model.Port{Protocol: "TCP", Start: 1, End: 1024, Range: true})}),
		banp("*", []model.Rule{made.Rule(model.Allow, everyone), made.Rule(model.Deny, everyone)}, nil)}
	large := append(slices.Clone(small), made.ANP("large", 31, "*", many(100, made.Rule(model.Allow, everyone)), many(26, made.Rule(model.Deny, everyone))))
	for name, in := range map[string][]*model.Policy{"small": small, "large": large} {
		t.Run(name, func(t *testing.T) {
			there := ToCNP(in)
			back := ToANP(there.Policies)
			if there.Label() != Exact || back.Label() != Exact {
				t.Fatal(resultText(&there), resultText(&back))
			}
			want := Result{Policies: adminPolicies(in)}
			if d := cmp.Diff(resultText(&want), resultText(&Result{Policies: back.Policies})); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}
