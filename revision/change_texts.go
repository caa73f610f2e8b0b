package revision

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"rung/model"
	"rung/model/lint"
	"rung/model/verdict"
	"rung/model/verdict/diff"
	"rung/model/words"
)

// DiffConnections finds how verdicts of connections change from this revision to another with the same pods.
// The error is the context's.
func DiffConnections(r *Revision, ctx context.Context, next *Revision, ask diff.DiffQuestions) (*diff.Difference, error) {
	return diff.DiffIndexes(ctx, r.Verdicts(), next.Verdicts(), ask)
}

// VitalEndpoints returns the endpoints that nearly every pod needs: cluster DNS and the API server.
func VitalEndpoints(r *Revision) lint.VitalEndpoints {
	return lint.FindVitalEndpoints(r.Cluster, r.PodIndex())
}

// EndsText names the ends of one side of connections: "blue/api-0, blue/api-1",
// "blue (7 pods)", "12 namespaces (340 pods)", "10.0.0.0/8 except 10.1.0.0/16".
func EndsText(e verdict.Ends) string {
	var parts []string
	switch n := len(e.Namespaces); {
	case e.Pods > 0 && e.Pods < 3:
		for _, k := range e.FirstPods {
			parts = append(parts, k.Namespace+"/"+k.Name)
		}
	case n > 3:
		parts = append(parts, fmt.Sprintf("%s (%s)", words.Count(n, "namespace"), words.Count(e.Pods, "pod")))
	case n > 0:
		parts = append(parts, fmt.Sprintf("%s (%s)", strings.Join(e.Namespaces, ", "), words.Count(e.Pods, "pod")))
	}
	outside := outsideTexts(e)
	if len(outside) > 0 {
		parts = append(parts, words.ListFew(outside, 5))
	}
	return strings.Join(parts, ", ")
}

// outsideTexts names the outside networks, each with its exceptions.
func outsideTexts(e verdict.Ends) (out []string) {
	around := make([][]string, len(e.Outside))
	for _, n := range e.Except {
		narrow := -1
		for i, o := range e.Outside {
			if o.Overlaps(n) && o.Bits() < n.Bits() && (narrow < 0 || o.Bits() > e.Outside[narrow].Bits()) {
				narrow = i
			}
		}
		if narrow >= 0 {
			around[narrow] = append(around[narrow], addressesText(n))
		}
	}
	for i, n := range e.Outside {
		text := addressesText(n)
		if len(around[i]) > 0 {
			except := "except " + words.ListSome(around[i], 3)
			if len(e.Outside) > 1 {
				except = "(" + except + ")"
			}
			text += " " + except
		}
		out = model.AppendNew(out, text)
	}
	return out
}

func addressesText(n netip.Prefix) string {
	switch {
	case n.Bits() == 0:
		return "other addresses"
	case n.IsSingleIP():
		return n.Addr().String()
	}
	return n.String()
}

// PortsText returns "any port", "UDP 53", "TCP", "TCP 80, 8080–8090", or the exceptions if that is shorter:
// "any port but UDP 53".
func PortsText(ports []verdict.PortRange) string {
	out := listPorts(ports)
	if len(ports) < 3 {
		return out
	}
	rest := otherPorts(ports)
	if len(rest) == 0 {
		return "any port"
	}
	if but := "any port but " + listPorts(rest); len(but) < len(out) {
		return but
	}
	return out
}

var protocolOrder = []verdict.Protocol{verdict.TCP, verdict.UDP, verdict.SCTP, verdict.ICMP}

// otherPorts returns all ports except the given ones.
func otherPorts(ports []verdict.PortRange) (out []verdict.PortRange) {
	for _, proto := range protocolOrder {
		mine := portsOfProtocol(ports, proto)
		if proto == verdict.ICMP {
			if len(mine) == 0 {
				out = append(out, verdict.PortRange{Protocol: proto})
			}
			continue
		}
		next := 1
		for _, p := range mine {
			if int(p.Lo) > next {
				out = append(out, verdict.PortRange{Protocol: proto, Lo: uint16(next), Hi: p.Lo - 1})
			}
			next = max(next, int(p.Hi)+1)
		}
		if next <= 65535 {
			out = append(out, verdict.PortRange{Protocol: proto, Lo: uint16(next), Hi: 65535})
		}
	}
	return out
}

func portsOfProtocol(ports []verdict.PortRange, proto verdict.Protocol) []verdict.PortRange {
	out := model.Filter(ports, func(p verdict.PortRange) bool { return p.Protocol == proto })
	slices.SortFunc(out, func(a, b verdict.PortRange) int { return cmp.Compare(a.Lo, b.Lo) })
	return out
}

func listPorts(ports []verdict.PortRange) string {
	var all []string
	for _, proto := range protocolOrder {
		var some []string
		whole := false
		for _, p := range portsOfProtocol(ports, proto) {
			switch {
			case p.IsEveryPort():
				whole = true
			case p.Lo == p.Hi:
				some = append(some, fmt.Sprint(p.Lo))
			default:
				some = append(some, fmt.Sprintf("%d–%d", p.Lo, p.Hi))
			}
		}
		if whole {
			all = append(all, string(proto))
		} else if len(some) > 0 {
			all = append(all, string(proto)+" "+words.ListFew(some, 4))
		}
	}
	return strings.Join(all, ", ")
}

// DecidersText names the deciding rules: `ANP wall egress 0 "all"`, several at one priority, or "no policy".
func DecidersText(ds []verdict.Decider) string {
	if len(ds) == 0 {
		return "no policy"
	}
	var names []string
	for i := range ds {
		d := &ds[i]
		s := d.Policy.Label()
		if d.Rule >= 0 {
			s += " " + RuleLabel(d.Direction, d.Rule, d.RuleName)
		}
		names = model.AppendNew(names, s)
	}
	return words.ListSome(names, 3)
}

// GroupText describes changed connections: "blue (2 pods) → red (2 pods), TCP 80: 4 pairs".
func GroupText(g *diff.FlipGroup) string {
	return fmt.Sprintf("%s → %s, %s%s: %s", EndsText(g.From), EndsText(g.To), PortsText(g.Ports), words.OnNetwork(g.Network),
		words.Count(g.Pairs, "pair"))
}

// DecidedText names the rules that decide before and after the change.
func DecidedText(g *diff.FlipGroup) string {
	before, after := DecidersText(g.ByBefore), DecidersText(g.ByAfter)
	if before == after {
		return "decided by " + after + " before and after"
	}
	return fmt.Sprintf("decided before by %s, after by %s", before, after)
}

// ExampleText describes one connection of the group.
func ExampleText(g *diff.FlipGroup) string { return "for example " + g.Example.String() }

// FlipsText counts the verdict changes: "14 pairs allow → deny, 2 pairs deny → allow".
func FlipsText(totals []diff.PairTotal) string {
	var out []string
	for _, t := range totals {
		if t.Before != t.After {
			out = append(out, fmt.Sprintf("%s %s → %s", words.Count(t.Pairs, "pair"), t.Before, t.After))
		}
	}
	return strings.Join(out, ", ")
}

// FlipsHeadline describes the verdict changes as people read them first, what opens before what closes: "opens 122
// pairs · 20 across namespaces · 3 protected". It is empty if none changes.
func FlipsHeadline(d *diff.Difference) string {
	var opens, closes, others []string
	for _, t := range d.Totals {
		across, protected := 0, 0
		for i := range d.Reaches {
			if r := &d.Reaches[i]; r.Before == t.Before && r.After == t.After {
				across, protected = across+r.AcrossNamespaces.Pairs, protected+r.Protected.Pairs
			}
		}
		text := words.Count(t.Pairs, "pair")
		if across > 0 {
			text += " · " + words.Thousands(across) + " across namespaces"
		}
		switch {
		case t.Before == t.After:
		case t.Before == verdict.Deny && t.After == verdict.Allow:
			if protected > 0 {
				text += " · " + words.Thousands(protected) + " protected"
			}
			opens = append(opens, "opens "+text)
		case t.Before == verdict.Allow && t.After == verdict.Deny:
			closes = append(closes, "closes "+text)
		default:
			others = append(others, fmt.Sprintf("%s %s → %s", words.Count(t.Pairs, "pair"), t.Before, t.After))
		}
	}
	return strings.Join(slices.Concat(opens, closes, others), "; ")
}

// OneSidedDenyTexts describes connections that both ends denied before a change and one end denies after it: "4 pairs
// are still denied by the senders' egress alone".
func OneSidedDenyTexts(d *diff.Difference) (out []string) {
	for i := range d.StillDeniedPairs {
		h := &d.StillDeniedPairs[i]
		end := "the receivers' ingress"
		if h.AtSenders {
			end = "the senders' egress"
		}
		out = append(out, fmt.Sprintf("%s still denied by %s alone (%s)%s: for example %s", words.OneOrMany(h.Pairs, "1 pair is",
			words.Thousands(h.Pairs)+" pairs are"), end, DecidersText(h.Deciders), words.OnNetwork(h.Network), h.Example))
	}
	return out
}

// NoChangeText explains why no verdict changes.
func NoChangeText(d *diff.Difference) string {
	const none = "no verdict changes"
	for _, t := range d.Totals {
		if t.Before == t.After {
			return fmt.Sprintf("%s; %s decided by another rule", none, words.OneOrMany(t.Pairs, "1 pair is", words.Thousands(t.Pairs)+" pairs are"))
		}
	}
	matches, decides := false, false
	var instead []string
	for i := range d.Rules {
		u := &d.Rules[i]
		if u.IsBefore && slices.ContainsFunc(d.Rules, func(o diff.RuleUse) bool { return !o.IsBefore && o.Policy == u.Policy }) {
			continue
		}
		matches, decides = matches || u.Matches, decides || u.Decides
		for _, by := range u.Instead {
			instead = model.AppendNew(instead, by.Policy.Label())
		}
	}
	switch {
	case len(d.Rules) == 0 || decides:
		return none
	case !matches:
		return none + ": no connection matches its rules now"
	}
	return fmt.Sprintf("%s; its rules never apply: %s %s first", none, words.ListSome(instead, 3),
		words.OneOrMany(len(instead), "decides", "decide"))
}

// NeverDecidingTexts names the changed rules that decide nothing after the change, and the rules that decide instead.
// It skips rules that decided nothing before.
func NeverDecidingTexts(d *diff.Difference, c *model.Cluster) (out []string) {
	for i := range d.Rules {
		u := &d.Rules[i]
		idle := func(o diff.RuleUse) bool {
			return o.IsBefore && o.Policy == u.Policy && o.Direction == u.Direction && o.Rule == u.Rule && !o.Decides
		}
		p := c.Policy(u.Policy)
		if u.IsBefore || u.Decides || !u.Matches || p == nil || slices.ContainsFunc(d.Rules, idle) {
			continue // a rule without matches has a finding
		}
		var by []string
		for k := range u.Instead {
			by = model.AppendNew(by, DecidersText(u.Instead[k:k+1]))
		}
		out = append(out, fmt.Sprintf("%s %s never applies: %s %s first", u.Policy.Label(),
			RuleLabel(u.Direction, u.Rule, p.Rule(u.Direction, u.Rule).Name), words.ListSome(by, 2), words.OneOrMany(len(by), "decides", "decide")))
	}
	return out
}
