package verdicts

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"

	"rung/model"
	"rung/model/verdict"
)

// antreaJudge judges single connections from docs/antrea.md, rule by rule and without the
// index: what a rule says is asked of the one connection each time.
type antreaJudge struct{ c *model.Cluster }

// antreaEnd is an end: a pod, or an address that is no pod's.
type antreaEnd struct {
	pod  *model.Pod
	addr netip.Addr
	node string // whose address it is
}

func (j *antreaJudge) end(e *verdict.End) antreaEnd {
	out := antreaEnd{addr: e.Addr}
	if p := j.c.Pod(e.Key.Namespace, e.Key.Name); e.Key.Kind == model.KindPod && p != nil && !p.HostNetwork {
		out.pod = p
	}
	for n := range j.c.Nodes() {
		for _, ip := range append(slices.Clone(n.InternalIPs), gatewayOf(n)...) {
			if ip == e.Addr.String() && out.pod == nil {
				out.node = n.Name
			}
		}
	}
	return out
}

func gatewayOf(n *model.Node) (out []string) {
	for _, text := range n.PodCIDRs {
		out = append(out, netip.MustParsePrefix(text).Addr().Next().String())
	}
	return out
}

// match is whether a rule matches.
type matched uint8

const (
	no matched = iota
	yes
	perhaps
)

// antreaRule is a rule that matches, or may.
type antreaRule struct {
	tier, priority float64
	index          int
	action         string // Allow, Drop, Reject, Pass, l7
	match          matched
	policy         model.Key
}

func (r *antreaRule) compare(o *antreaRule) int {
	return cmp.Or(cmp.Compare(r.tier, o.tier), cmp.Compare(r.priority, o.priority), cmp.Compare(r.index, o.index))
}

// asked is one connection at one of its pods.
type asked struct {
	*antreaJudge
	dir      model.Direction
	pod      *model.Pod
	peer     antreaEnd
	to       *model.Pod // where it goes
	proto    verdict.Protocol
	port     uint16
	service  *model.Service
	multi    bool
	external bool
}

var antreaTierOf = map[string]float64{"emergency": 50, "securityops": 100, "networkops": 150, "platform": 200, "application": 250, "baseline": 253}

// path judges a path.
func (j *antreaJudge) path(c verdict.Connection, p *verdict.Path) verdict.Verdict {
	from, to := j.end(&p.From), j.end(&p.To)
	q := asked{antreaJudge: j, to: to.pod, proto: c.Protocol, port: p.To.Port, multi: p.To.Addr.IsMulticast()}
	if q.multi {
		q.to = nil
	}
	if c.To.Key.Kind == model.KindService {
		q.service, _ = j.c.Get(c.To.Key).(*model.Service)
	}
	out := verdict.Allow
	if from.pod != nil {
		e := q
		e.dir, e.pod, e.peer = model.Egress, from.pod, to
		if q.multi {
			e.peer.pod = nil
		}
		out = verdict.JoinVerdicts(out, e.verdict())
	}
	if to.pod != nil && !q.multi {
		i := q
		i.dir, i.pod, i.peer, i.external = model.Ingress, to.pod, from, from.pod == nil
		switch {
		case from.node != "" && from.node == to.pod.NodeName: // a node reaches its own pods
		case from.pod == to.pod: // it comes back through the Service
		default:
			out = verdict.JoinVerdicts(out, i.verdict())
		}
	}
	return out
}

// verdict is that of one pod: every way in which what may match matches, and every rule of
// those that tie.
func (q *asked) verdict() verdict.Verdict {
	rules, isolated, allowed := q.rules()
	var open []int // of the rules that may match, then of those whose layer 7 decides
	for i := range rules {
		if rules[i].match == perhaps {
			open = append(open, i)
		}
	}
	maybe := len(open)
	for i := range rules {
		if rules[i].action == "l7" {
			open = append(open, i)
		}
	}
	seen := map[string]bool{}
	for choice := range 1 << len(open) {
		on := make([]bool, len(rules))
		for i := range rules {
			on[i] = rules[i].match != no
		}
		l7 := map[int]bool{}
		for b, i := range open {
			if b >= maybe {
				l7[i] = choice&(1<<b) != 0
			} else {
				on[i] = choice&(1<<b) != 0
			}
		}
		seen[q.walk(rules, on, l7, isolated, allowed)] = true
	}
	outside := q.others()
	if len(seen) > 1 || outside && !maps.Equal(seen, map[string]bool{"D": true}) {
		return verdict.Unknown
	}
	switch {
	case seen["A"]:
		return verdict.Allow
	case seen["D"]:
		return verdict.Deny
	}
	return verdict.Undefined
}

// walk is what can happen: A, D, or AD where rules that tie disagree.
func (q *asked) walk(rules []antreaRule, on []bool, l7 map[int]bool, isolated, allowed bool) string {
	var regular func(from int) map[byte]bool
	network := func() map[byte]bool {
		switch {
		case isolated && allowed:
			return map[byte]bool{'A': true}
		case isolated:
			return map[byte]bool{'D': true}
		}
		return regular(1 << 20)
	}
	regular = func(mode int) map[byte]bool {
		baseline := mode != 0
		for i := 0; i < len(rules); {
			end := i
			for end < len(rules) && rules[i].compare(&rules[end]) == 0 {
				end++
			}
			out := map[byte]bool{}
			if (rules[i].tier > 252) == baseline {
				for k := i; k < end; k++ {
					switch {
					case !on[k]:
					case rules[k].action == "Pass":
						maps.Copy(out, network())
					case rules[k].action == "Allow" || rules[k].action == "l7" && l7[k]:
						out['A'] = true
					default:
						out['D'] = true
					}
				}
			}
			if len(out) > 0 {
				return out
			}
			i = end
		}
		if !baseline {
			return network()
		}
		return map[byte]bool{'A': true}
	}
	out := regular(0)
	return map[[2]bool]string{{true, false}: "A", {false, true}: "D", {true, true}: "AD"}[[2]bool{out['A'], out['D']}]
}

// rules are those that match or may, in order, and what NetworkPolicies say.
func (q *asked) rules() (out []antreaRule, isolated, allowed bool) {
	for _, k := range []model.Kind{model.KindACNP, model.KindANNP, model.KindANP, model.KindBANP, model.KindNP} {
		for p := range q.c.Policies(k) {
			if p.IsRejected() {
				continue
			}
			switch k {
			case model.KindNP:
				in := p.Namespace == q.pod.Namespace && p.Subject.Pods.Matches(q.pod.Labels) && q.c.Namespace(p.Namespace) != nil
				if !in || !p.HasType(q.dir) {
					continue
				}
				isolated = true
				for i := range p.Rules(q.dir) {
					allowed = allowed || q.matches(p, &p.Rules(q.dir)[i]) == yes
				}
			case model.KindANP, model.KindBANP:
				ns := q.c.Namespace(q.pod.Namespace)
				if ns == nil || !p.Subject.Namespaces.Matches(ns.Labels) || !p.Subject.AllPods && !p.Subject.Pods.Matches(q.pod.Labels) {
					continue
				}
				tier := 251.0
				if k == model.KindBANP {
					tier = 254
				}
				for i := range p.Rules(q.dir) {
					r := &p.Rules(q.dir)[i]
					out = append(out, antreaRule{tier, float64(p.Priority), i, string(r.Action), q.matches(p, r), p.Key})
				}
			default:
				out = append(out, q.native(p)...)
			}
		}
	}
	out = slices.DeleteFunc(out, func(r antreaRule) bool { return r.match == no })
	slices.SortStableFunc(out, func(a, b antreaRule) int { return a.compare(&b) })
	return out, isolated, allowed
}

func (q *asked) tier(name string) (float64, bool) {
	if t, ok := antreaTierOf[name]; ok {
		return t, true
	}
	for t := range q.c.Tiers() {
		if t.Name == name {
			return float64(t.Priority), true
		}
	}
	return 0, false
}

// native are the rules of a policy of Antrea.
func (q *asked) native(p *model.Policy) (out []antreaRule) {
	tier, ok := q.tier(p.Tiered.Tier)
	if !ok || !q.realizable(p) || !q.there(p) {
		return nil
	}
	for i := range p.Rules(q.dir) {
		r := &p.Rules(q.dir)[i]
		on := p.Tiered.AppliedTo
		if len(r.Tiered.AppliedTo) > 0 {
			on = r.Tiered.AppliedTo
		}
		if !slices.ContainsFunc(on, func(a model.AppliedTo) bool { return q.applies(p, &a) }) {
			continue
		}
		m, action := q.matches(p, r), r.Tiered.Action
		if len(r.Tiered.L7) > 0 {
			action = "l7"
			if q.proto != verdict.TCP {
				action = "Drop"
			}
		}
		if q.multi && m == yes && (action == "Pass" || action == "Reject") {
			m = perhaps
		}
		out = append(out, antreaRule{tier, p.Tiered.Priority, i, action, m, p.Key})
	}
	return out
}

// realizable: no ANNP applies to a Group with a namespaceSelector.
func (q *asked) realizable(p *model.Policy) bool {
	lists := [][]model.AppliedTo{p.Tiered.AppliedTo}
	for r := range p.AllRules() {
		lists = append(lists, r.Tiered.AppliedTo)
	}
	for _, list := range lists {
		for _, a := range list {
			if a.Group == "" || p.Kind != model.KindANNP {
				continue
			}
			for _, g := range q.groupsOf(p, a.Group) {
				if g.HasNamespaces {
					return false
				}
			}
		}
	}
	return true
}

// there: a policy with sameLabels is a no-op where the namespace lacks one of them.
func (q *asked) there(p *model.Policy) bool {
	for r := range p.AllRules() {
		for _, peer := range r.Peers {
			if peer.Match == nil {
				continue
			}
			for _, l := range peer.Match.SameLabels {
				ns := q.c.Namespace(q.pod.Namespace)
				if ns == nil {
					return false
				}
				if _, has := ns.Labels.Map()[l]; !has {
					return false
				}
			}
		}
	}
	return true
}

func (q *asked) applies(p *model.Policy, a *model.AppliedTo) bool {
	switch {
	case a.Group != "":
		return slices.ContainsFunc(q.groupsOf(p, a.Group), func(g *model.Group) bool { return q.member(g, q.pod) })
	case a.ServiceAccount != nil:
		return q.pod.Namespace == a.ServiceAccount.Namespace && q.pod.ServiceAccount == a.ServiceAccount.Name
	case a.Select && p.Kind == model.KindANNP:
		return q.pod.Namespace == p.Namespace && a.Pods.Matches(q.pod.Labels)
	case a.Select:
		return q.selected(a.Namespaces, a.Pods, q.pod)
	}
	return false
}

func (q *asked) selected(namespaces, pods model.Selector, p *model.Pod) bool {
	ns := q.c.Namespace(p.Namespace)
	return ns != nil && namespaces.Matches(ns.Labels) && pods.Matches(p.Labels)
}

// groupsOf are a group, or its children that have none of their own.
func (q *asked) groupsOf(p *model.Policy, name string) (out []*model.Group) {
	kind := model.KindClusterGroup
	if p.Kind == model.KindANNP {
		kind = model.KindGroup
	}
	get := func(name string) *model.Group {
		g, _ := q.c.Get(model.Key{Kind: kind, Namespace: p.Namespace, Name: name}).(*model.Group)
		return g
	}
	g := get(name)
	if g == nil {
		return nil
	}
	if len(g.Children) == 0 {
		return []*model.Group{g}
	}
	for _, child := range g.Children {
		if c := get(child); c != nil && len(c.Children) == 0 {
			out = append(out, c)
		}
	}
	return out
}

func (q *asked) member(g *model.Group, p *model.Pod) bool {
	switch {
	case g.Service != nil:
		s, _ := q.c.Get(*g.Service).(*model.Service)
		if s == nil || len(s.Selector.Map()) == 0 || p.Namespace != s.Namespace {
			return false
		}
		for k, v := range s.Selector.Map() {
			if p.Labels.Map()[k] != v {
				return false
			}
		}
		return true
	case !g.Select:
		return false
	case g.Kind == model.KindGroup && !g.HasNamespaces:
		return p.Namespace == g.Namespace && g.Pods.Matches(p.Labels)
	}
	return q.selected(g.Namespaces, g.Pods, p)
}
