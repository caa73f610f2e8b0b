package verdict

import (
	"context"
	"fmt"
	"net/netip"
	"slices"

	"rung/model"
)

// Asked says what a Difference is about besides all flips.
type Asked struct {
	// About are policies of whose rules it is told what they decide.
	About []model.Key
	// Watches are connections that are counted by themselves as well.
	Watches []Watch
}

// Watch is some of all connections: those to some ends, on some ports.
type Watch struct {
	To    func(*model.Pod) bool // nil for no pod
	Addrs []netip.Addr          // of no pod
	Ports []PortRange           // none for all
}

// Difference is what a change does to connections. It is complete: what it does not name
// stays as it was.
type Difference struct {
	// Flips become another verdict, what hurts first. Others keep their verdict and are
	// decided by another rule.
	Flips, Others []Group
	// Totals count the pairs of Flips and Others, each once however many of its ports do.
	Totals []Total
	// Opened is the part of Totals that a Deny of an admin policy kept shut before.
	Opened []Total
	// Watched are the flips of each Watch.
	Watched [][]Group
	// Rules are those of Asked.About that the change is about.
	Rules []RuleUse
}

// Total is how many pairs become what: a pair of which ports go both ways counts for both.
type Total struct {
	Before, After Verdict
	Pairs         int
}

// Group is connections that become the same through the same rules.
type Group struct {
	Before, After Verdict
	// ByBefore and ByAfter decide at the stage that settles it; none where nothing matches,
	// which lets it through. Several are of one priority.
	ByBefore, ByAfter []Decider
	Ports             []PortRange
	From, To          Ends
	// Pairs counts the pairs of ends: of pods, each with each of its addresses; a network
	// outside counts as one.
	Pairs   int
	Example Connection
}

// KeptShut says whether it flips, and a Deny of an admin policy denied it before.
func (g *Group) KeptShut() bool {
	return g.Before == Deny && g.After != Deny && slices.ContainsFunc(g.ByBefore, func(d Decider) bool {
		return d.Policy.Kind.IsAdmin() && d.Action == model.Deny
	})
}

// PortRange is a run of ports of a protocol. ICMP has ports 0 to 0.
type PortRange struct {
	Protocol Protocol
	Lo, Hi   uint16
}

// Whole says whether it is every port of the protocol.
func (r PortRange) Whole() bool { return r.Protocol == ICMP || r.Lo <= 1 && r.Hi == lastPort }

// familiar are ports that people know, the most likely first: an example is given with one
// where it can be.
var familiar = [...]Ports{{TCP, 80}, {TCP, 443}, {TCP, 8080}, {UDP, 53}}

// Example is a port of the range, a familiar one where it has one: all of its ports are
// decided alike.
func (r PortRange) Example() uint16 {
	for _, p := range familiar {
		if p.Protocol == r.Protocol && r.Lo <= p.Port && p.Port <= r.Hi {
			return p.Port
		}
	}
	return r.Lo
}

// Ends are the ends of one side of connections.
type Ends struct {
	Pods       int
	Some       []model.Key // the first three pods
	Namespaces []string    // of the pods, in order
	// Outside are networks without a pod's address, and single addresses.
	Outside []netip.Prefix
}

// Differ says what becomes of connections from one index to another. The error is that of
// the context.
func Differ(ctx context.Context, before, after *Index, ask Asked) (*Difference, error) {
	var marks []netip.Addr
	for _, w := range ask.Watches {
		for _, a := range w.Addrs {
			if len(after.with(a)) == 0 && len(before.with(a)) == 0 && !slices.Contains(marks, a) {
				marks = append(marks, a)
			}
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	d := &differ{comparison: newComparison(before, after, marks), ask: ask,
		memo: map[string]*decisions{}, results: map[[2]*decisions]*result{}, groups: map[string]*gathered{}, ids: map[string]int32{}}
	d.sides = [2]*side{newSide(d, d.before), newSide(d, d.after)}
	d.sides[0].names, d.sides[1].names = alignedRules(before, after)
	d.watch()
	n, err := 0, error(nil)
	d.each(func(a, b int32, how mode, nodes Nodes, pairs int) bool {
		if n++; n%256 == 0 {
			err = ctx.Err()
		}
		if err == nil {
			d.pair(a, b, how, nodes, pairs)
		}
		return err == nil
	})
	if err != nil {
		return nil, err
	}
	return d.difference(), nil
}

// differ works a Difference out.
type differ struct {
	*comparison
	ask     Asked
	sides   [2]*side
	memo    map[string]*decisions
	results map[[2]*decisions]*result
	groups  map[string]*gathered
	ids     map[string]int32 // of deciders, by what they are
	watches []watched
	uses    []RuleUse
	totals  []Total
	opened  []Total
	// By side and rule of the index, the places in uses; and by place the side, and who
	// decides instead.
	useOf     [2]map[int32][]int
	useSide   []int
	instead   []map[int32]bool
	usesNoted map[*decisions]bool
	key       []byte
}

// side is one of the two indexes.
type side struct {
	c     *Classes
	d     *differ
	names []string // of rules: equal for a rule that is in both
	byOf  []int32  // of rules: the id as a single decider, -1 when not known yet
	by    map[int32][]int32
}

func newSide(d *differ, c *Classes) *side {
	s := &side{c: c, d: d, byOf: make([]int32, len(c.x.rules)), by: map[int32][]int32{}}
	for i := range s.byOf {
		s.byOf[i] = -1
	}
	return s
}

// alignedRules name the rules of two indexes so that a rule keeps its name where others of
// its policy come before it.
func alignedRules(before, after *Index) (a, b []string) {
	nameOf := func(x *Index) []string {
		out := make([]string, len(x.rules))
		for i := range x.rules {
			r := &x.rules[i]
			out[i] = r.key.String() + "\x00" + string(r.direction) + "\x00" + string(r.action)
			if r.policy != nil {
				out[i] += "\x00" + ruleContent(r.policy.Rule(r.direction, r.rule))
			}
		}
		return out
	}
	return nameOf(before), nameOf(after)
}

// ruleContent is equal for rules that match and do the same.
func ruleContent(r *model.Rule) string {
	out := fmt.Sprint(r.Ports, r.AnyPeer)
	for i := range r.Peers {
		out += "\x01" + peerKey(&r.Peers[i])
	}
	return out
}

// decided is one walk: its verdict, and who decides, as an id.
type decided struct {
	verdict Verdict
	by      int32
}

// ruling is what becomes of a run of ports at each walk.
type ruling struct {
	PortRange
	verdict Verdict
	walks   [3]decided
}

// decisions are those of some candidates, for every port.
type decisions struct {
	list []ruling
}

// decisions works them out, each once.
func (s *side) decisions(k *candidates) *decisions {
	s.d.key = k.key(append(s.d.key[:0], byte(s.at())))
	if p := s.d.memo[string(s.d.key)]; p != nil {
		return p
	}
	p := &decisions{}
	for proto := range int8(len(protocols)) {
		edges := s.c.edges(k, proto)
		for i, lo := range edges {
			r := ruling{PortRange: PortRange{protocols[proto], lo, lastPort}}
			if proto == int8(ICMP.number()) {
				r.Hi = 0
			} else if i+1 < len(edges) {
				r.Hi = edges[i+1] - 1
			}
			r.walks[0] = s.walk(k.egress, s.c.x.terms[egressTerms], proto, lo)
			r.walks[1] = s.walk(k.source, s.c.x.terms[ingressTerms], proto, lo)
			r.walks[2] = s.walk(k.destination, s.c.x.terms[ingressTerms], proto, lo)
			r.verdict = Allow
			for _, w := range r.walks {
				r.verdict = worse(r.verdict, w.verdict)
			}
			if n := len(p.list); n > 0 && p.list[n-1].Protocol == r.Protocol && p.list[n-1].verdict == r.verdict && p.list[n-1].walks == r.walks {
				p.list[n-1].Hi = r.Hi
				continue
			}
			p.list = append(p.list, r)
		}
	}
	s.d.memo[string(s.d.key)] = p
	return p
}

func (s *side) at() int {
	if s.d.sides[0] == s {
		return 0
	}
	return 1
}

// collect gathers what counts in one walk through the tiers.
func collect(list []int32, terms []term, proto int8, port uint16, buf []hit) collector {
	k := collector{hits: buf}
	for _, i := range list {
		t := &terms[i]
		counts, more := k.next(t.tier, t.priority)
		if !more {
			break
		}
		if counts && t.ports.has(proto, port) {
			k.add(hit{ref: i, priority: t.priority, tier: t.tier, does: t.does, maybe: t.maybe})
		}
	}
	return k
}

// walk is one walk through the tiers, and who decides it.
func (s *side) walk(list []int32, terms []term, proto int8, port uint16) decided {
	k := collect(list, terms, proto, port, s.c.hits[:0])
	s.c.hits = k.hits
	if len(k.hits) == 0 || !k.open && k.last == passes {
		return decided{Allow, -1}
	}
	if !k.open {
		v := Allow
		if k.last == drops {
			v = Deny
		}
		// All of the last priority decide alike.
		first, last := len(k.hits)-1, len(k.hits)-1
		for first > 0 && k.hits[first-1].with(&k.hits[last]) {
			first--
		}
		if first == last {
			return decided{v, s.single(terms[k.hits[last].ref].rule)}
		}
		var refs []int32
		for _, h := range k.hits[first:] {
			refs = append(refs, h.ref)
		}
		return decided{v, s.several(rulesOf(terms, refs))}
	}
	how := settle(k.hits)
	return decided{how.verdict, s.several(rulesOf(terms, how.decided))}
}

// rulesOf are the rules of terms, each once.
func rulesOf(terms []term, refs []int32) (rules []int32) {
	for _, i := range refs {
		if r := terms[i].rule; !slices.Contains(rules, r) {
			rules = append(rules, r)
		}
	}
	return rules
}

func (s *side) single(rule int32) int32 {
	if s.byOf[rule] < 0 {
		s.byOf[rule] = s.id(s.names[rule], []int32{rule})
	}
	return s.byOf[rule]
}

func (s *side) several(rules []int32) int32 {
	if len(rules) == 1 {
		return s.single(rules[0])
	}
	name := ""
	for _, r := range rules {
		name += s.names[r] + "\x02"
	}
	return s.id(name, rules)
}

func (s *side) id(name string, rules []int32) int32 {
	id, known := s.d.ids[name]
	if !known {
		id = int32(len(s.d.ids))
		s.d.ids[name] = id
	}
	if s.by[id] == nil {
		s.by[id] = rules
	}
	return id
}

// deciders are what an id stands for.
func (s *side) deciders(id int32) (out []Decider) {
	if id < 0 {
		return nil
	}
	for _, i := range s.by[id] {
		r := &s.c.x.rules[i]
		d := Decider{Policy: r.key, Direction: r.direction, Rule: r.rule, Action: r.action, Defect: r.defect}
		if r.policy != nil {
			d.Tier, d.RuleName = int(r.policy.Tier), r.policy.Rule(r.direction, r.rule).Name
		}
		out = append(out, d)
	}
	return out
}
