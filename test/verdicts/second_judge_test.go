package verdicts

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"sort"
	"strings"
	"testing"

	"rung/model"
	"rung/model/verdict"
	second "rung/test/judge"
	"rung/test/made"
)

// TestSecondJudge asks random connections of random clusters, of the engine and of a
// judge who knows the documents alone (test/judge): both say the same, stage by stage, by
// the same deciders.
func TestSecondJudge(t *testing.T) {
	clusters, each := draws(300, 4500), draws(40, 50) // 100,000 of all that some policy is asked about
	seen := map[string]int{}
	asked, failed := 0, 0
	for seed := range clusters {
		w := newWorld(uint64(seed) + 20_000)
		c, o := w.cluster()
		c = w.odd(c)
		x, _ := indexOf(t, c, o)
		for range each {
			q := w.connection(c)
			a, err := verdict.FromPolicies(x, q)
			if err != nil {
				if !errors.Is(err, verdict.ErrQuestion) {
					t.Fatal(err)
				}
				continue
			}
			asked++
			note(seen, &a)
			if what := judged(x, q, &a); what != "" {
				failed++
				if failed > 12 {
					t.Fatalf("seed %d: %s: %s", seed, q, what)
				}
				t.Errorf("seed %d: %s: %s", seed, q, what)
				break // others of this cluster are of the same kind
			}
		}
	}
	decided := asked - seen["not applicable"]
	t.Logf("%d connections over %d clusters, %d that a policy is asked about: %v", asked, clusters, decided, seen)
	if decided < 5000 {
		t.Errorf("only %d connections were decided", decided)
	}
	for _, what := range []string{"allow", "deny", "undefined", "unknown", "not applicable", "defect", "passed", "tier 1", "tier 2", "tier 3",
		"NetpolNamespace", "NetpolDefault", "NetpolNode", "MulticastNS", "MulticastCluster", "EgressFirewall", "NetworkPolicy", "hairpin"} {
		if seen[what] == 0 {
			t.Errorf("never drawn: %s", what)
		}
	}
}

// judged is what the second judge says differently of an answer, empty for nothing.
func judged(x *verdict.Index, q verdict.Connection, a *verdict.Answer) string {
	v := x.Options()
	o := second.Options{V4: v.IPv4, V6: v.IPv6, Subnets: v.ClusterSubnets, Defaults: v.Defaults, Multicast: v.Multicast,
		ICMP: v.AllowICMP, HostNS: v.HostNetworkNamespace, DNS: v.DNS}
	for i := range a.Paths {
		p := &a.Paths[i]
		to, port := q.To, q.Port
		if to.Key.Kind == model.KindService {
			to, port = p.To.Endpoint, p.To.Port // which endpoints a Service has is not the judge's business
		}
		c := second.Connection{Protocol: string(q.Protocol), Port: int(port)}
		var from, dest []netip.Addr
		c.From, from = judgeEnd(x.Cluster(), q.From, true)
		c.To, dest = judgeEnd(x.Cluster(), to, false)
		c.From.Addr, c.To.Addr = pairOf(from, dest, q.Family)
		c.Hairpin = q.To.Key.Kind == model.KindService && c.From.Pod != nil && c.From.Pod == c.To.Pod
		if what := judgedApart(p, second.Judge(x.Cluster(), o, c)); what != "" {
			return what
		}
	}
	return ""
}

// judgeEnd is who an endpoint is, and at which addresses: a pod, a node (which sends from
// its management port), one of them by its address, or what is outside.
func judgeEnd(c *model.Cluster, e verdict.Endpoint, source bool) (second.End, []netip.Addr) {
	parse := func(of ...[]string) (out []netip.Addr) {
		for _, text := range slices.Concat(of...) {
			out = append(out, netip.MustParseAddr(text))
		}
		return out
	}
	node := func(n *model.Node) []netip.Addr {
		if source {
			return parse(n.MgmtIPs)
		}
		return parse(n.InternalIPs, n.HostIPs)
	}
	var end second.End
	var addrs []netip.Addr
	switch e.Key.Kind {
	case model.KindPod:
		end.Pod = c.Pod(e.Key.Namespace, e.Key.Name)
		addrs = parse(end.Pod.IPs)
		if end.Pod.HostNetwork && c.Node(end.Pod.NodeName) != nil {
			addrs = node(c.Node(end.Pod.NodeName))
		}
	case model.KindNode:
		end.Node = c.Node(e.Key.Name)
		addrs = node(end.Node)
	default:
		var owners []*model.Pod
		for p := range c.Pods() {
			if p.CanBePeer() && slices.Contains(parse(p.IPs), e.Addr) {
				owners = append(owners, p)
			}
		}
		if len(owners) == 1 {
			end.Pod = owners[0]
		}
		for n := range c.Nodes() {
			if len(owners) != 1 && slices.Contains(parse(n.HostIPs, n.InternalIPs, n.MgmtIPs, n.GatewayIPs), e.Addr) {
				end.Node = n
			}
		}
	}
	if e.Addr.IsValid() {
		addrs = []netip.Addr{e.Addr}
	}
	return end, addrs
}

// pairOf are the first addresses of a family that both have, IPv4 first.
func pairOf(from, to []netip.Addr, family verdict.Family) (a, b netip.Addr) {
	for _, f := range []verdict.Family{verdict.IPv4, verdict.IPv6} {
		i := slices.IndexFunc(from, func(a netip.Addr) bool { return verdict.AddrFamily(a) == f })
		j := slices.IndexFunc(to, func(a netip.Addr) bool { return verdict.AddrFamily(a) == f })
		if i >= 0 && j >= 0 && (family == verdict.AnyFamily || family == f) {
			return from[i], to[j]
		}
	}
	return a, b
}

// judgedApart is the first thing in which a path and the judge's answer differ.
func judgedApart(p *verdict.Path, want second.Answer) string {
	if (p.Verdict == verdict.NotApplicable) != (want.Verdict == second.None) {
		return fmt.Sprintf("%s (%s), and the judge says %s (%s)", p.Verdict, p.Reason, want.Verdict, want.Why)
	}
	if p.Verdict == verdict.NotApplicable {
		return ""
	}
	if string(p.Verdict) != string(want.Verdict) || len(p.Stages) != len(want.Hops) {
		return fmt.Sprintf("%s in %d stages %v, and the judge says %s in %d %v", p.Verdict, len(p.Stages), p.Stages, want.Verdict, len(want.Hops), want.Hops)
	}
	for i := range p.Stages {
		s, h := &p.Stages[i], &want.Hops[i]
		if s.Stage != h.Stage || s.Zone != h.Zone || string(s.Verdict) != string(h.Verdict) {
			return fmt.Sprintf("%s in %s: %s; the judge says of %s in %s: %s", s.Stage, s.Zone, s.Verdict, h.Stage, h.Zone, h.Verdict)
		}
		// Of several that agree the engine names one, of several that do not it names all.
		who, named := s.Candidates, all(h.By)
		if !h.Open {
			if len(s.Candidates) > 0 {
				return fmt.Sprintf("%s in %s: candidates %v, and the judge has none: %v", s.Stage, s.Zone, who, h.By)
			}
			if s.Decided != nil {
				who = []verdict.Decider{*s.Decided}
				if slices.Contains(named, deciderText(*s.Decided)) {
					named = []string{deciderText(*s.Decided)}
				}
			}
		}
		var by, passed []string
		for _, d := range who {
			by = append(by, deciderText(d))
		}
		for _, d := range s.Passed {
			passed = append(passed, deciderText(d))
		}
		sort.Strings(by)
		sort.Strings(passed)
		if !slices.Equal(by, named) || !slices.Equal(passed, all(h.Passed)) {
			return fmt.Sprintf("%s in %s: %s by %q after %q, and the judge says by %q after %q", s.Stage, s.Zone, s.Verdict, by, passed, all(h.By), all(h.Passed))
		}
	}
	return ""
}

func all(by []second.By) (out []string) {
	for _, b := range by {
		out = append(out, byText(b.Tier, b.Key, b.Direction, b.Rule, b.Action))
	}
	sort.Strings(out)
	return out
}

func deciderText(d verdict.Decider) string {
	return byText(d.Tier, d.Policy, d.Direction, d.Rule, d.Action)
}

func byText(tier int, k model.Key, d model.Direction, rule int, a model.Action) string {
	return strings.Join([]string{fmt.Sprint(tier), k.String(), string(d), fmt.Sprint(rule), string(a)}, " ")
}

// odd puts into a cluster what is seldom: what cannot be read, and names that do not
// count.
func (w *world) odd(c *model.Cluster) *model.Cluster {
	var objects []model.Object
	for p := range c.AllPolicies() {
		q := *p
		switch {
		case w.odds(20):
			q.Invalid = []model.Broken{{Code: w.pick(model.InvalidCIDR, model.InvalidSelector, model.InvalidProtocol, model.InvalidCIDRForm)}}
		case p.Kind.IsAdmin() && w.odds(10):
			q.Logging, q.HasLogging = w.pick(`{"DENY":"alert","x":1}`, `null`, ``, `[]`, `{"deny":1}`, `{"pass":"info"}`, `{"pass":"INFO"}`), true
		default:
			continue
		}
		objects = append(objects, &q)
	}
	for p := range c.Policies(model.KindNP) {
		q := *p // what OVN cannot read of an IP block takes the rule's row along
		if len(p.Egress) == 0 || len(q.Invalid) > 0 || !w.odds(3) {
			continue
		}
		q.Egress = slices.Clone(p.Egress)
		q.Egress[0].AnyPeer = false
		q.Egress[0].Peers = append(slices.Clone(q.Egress[0].Peers), made.NetPeer(w.pick("10.0.0.0/08", "::ffff:a01:0/112", "10.1.0.0/24")))
		q.Invalid = []model.Broken{{Code: model.InvalidCIDRForm}}
		objects = append(objects, &q)
	}
	for n := range c.Nodes() {
		if w.odds(12) {
			m := *n
			m.HostIPs, m.HostErr = nil, "invalid CIDR address"
			objects = append(objects, &m)
		}
	}
	if w.odds(8) {
		ef := w.firewall("a")
		ef.Name = "other"
		objects = append(objects, ef)
	}
	c, _ = c.Upsert(objects, nil)
	return c
}
