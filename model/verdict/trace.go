package verdict

import (
	"fmt"
	"slices"
	"sync"

	"rung/model"
	"rung/model/ovn/match"
	"rung/model/selectors"
)

// The reasons why a rule does not match.
const (
	whyNotSubject = "subject"
	whyPeer       = "peer"
	whyPort       = "port"
	whyProtocol   = "protocol"
)

// triedTiers lists the rules tried in a hop until something decided.
func triedTiers(x *Index, h *tierHop, s *StageVerdict) (out []TriedTier) {
	last := func(t *Term) bool {
		return s.Decided != nil && !(s.Verdict == Unknown) &&
			(int(t.Tier) > s.Decided.Tier || int(t.Tier) == s.Decided.Tier && int(t.Priority) < s.Decided.Priority)
	}
	terms := hopTerms(x, h)
	passed := -1 // the tier that passed the packet on
	for i := range terms {
		t := &terms[i]
		if last(t) {
			break
		}
		if t.Switch&h.hopSwitch == 0 || int(t.Tier) == passed && !termMatches(x, t, h) {
			continue
		}
		if r := &x.Rules[t.Rule]; r.Policy == nil && t.Effect == Allows && !termMatches(x, t, h) {
			continue // hairpin, own-node and multicast rows are shown only if they match
		}
		a := Attempt{Why: whyNoMatch(x, t, h)}
		a.Matched = a.Why == ""
		a.Note = noteOfMismatch(x, t, h, a.Why)
		a.Decider = deciderOfTerm(x, t, h, a.Matched || a.Why != whyPort)
		if !a.Matched && (a.Why != whyPort || a.Policy.Kind != model.KindNP) {
			a.Defect = ""
		}
		if a.Matched && t.Effect == Passes {
			passed = int(t.Tier)
		}
		out = addAttempt(out, a)
	}
	for i := range out {
		out[i].Attempts = dropOtherPods(out[i].Attempts)
	}
	return out
}

// MatchingRules returns the rules that match a connection, by path, even if an earlier rule decides.
func MatchingRules(x *Index, c Connection) (out [][]int32, err error) {
	_, err = answerByPaths(x, c, func(w *packetRoute) []StageVerdict {
		var rules []int32
		for _, h := range w.hops(x) {
			terms := hopTerms(x, &h)
			for i := range terms {
				if termMatches(x, &terms[i], &h) {
					rules = append(rules, terms[i].Rule)
				}
			}
		}
		out = append(out, rules)
		return nil
	})
	return out, err
}

// dropOtherPods removes a policy's attempts about other pods if another attempt is about this pod. A rule with
// a named port has a row for each port's pods, and a peer with Self one for each namespace.
func dropOtherPods(all []Attempt) []Attempt {
	about := map[model.Key]bool{}
	for i := range all {
		about[all[i].Policy] = about[all[i].Policy] || all[i].Rule >= 0
	}
	return slices.DeleteFunc(all, func(a Attempt) bool { return a.Why == whyNotSubject && about[a.Policy] })
}

func addAttempt(out []TriedTier, a Attempt) []TriedTier {
	if n := len(out); n == 0 || out[n-1].Tier != a.Tier || out[n-1].Band != a.Band {
		out = append(out, TriedTier{Tier: a.Tier, Band: a.Band})
	}
	in := &out[len(out)-1]
	if a.Why == whyNotSubject {
		a.Rule, a.RuleName, a.Action, a.Note = -1, "", "", ""
	}
	for i := range in.Attempts {
		b := &in.Attempts[i]
		if b.Policy != a.Policy || b.Direction != a.Direction || b.Rule != a.Rule {
			continue
		}
		// Of a rule's rows, show the matching one.
		if a.Matched && !b.Matched {
			*b = a
		}
		return out
	}
	in.Attempts = append(in.Attempts, a)
	return out
}

// whyNoMatch returns which part of a term does not match, empty if all match.
func whyNoMatch(x *Index, t *Term, h *tierHop) string {
	r := &x.Rules[t.Rule]
	one, other := h.ends()
	from := x.Conditions[t.From].HoldsFor(x, one, h.zone)
	to := x.Conditions[t.To].HoldsFor(x, other, h.zone) && (t.OutPort == 0 || x.Conditions[t.OutPort-1].HoldsFor(x, &h.out, h.zone)) &&
		(!t.OutRouter || h.out.Router)
	subject, peer := from, to
	if (r.Direction == model.Ingress) != h.reply {
		subject, peer = to, from
	}
	if about := x.IsAbout(t, h.service); r.Direction == model.Ingress {
		subject = subject && about // it applies to the clients of a Service
	} else {
		peer = peer && about
	}
	switch {
	case !subject:
		return whyNotSubject
	case !peer:
		return whyPeer
	case !t.Ports.HasProtocol(h.proto) && (t.Ports == nil || len(t.Ports) > 0):
		return whyProtocol
	case !t.Ports.Has(h.proto, h.port):
		return whyPort
	}
	return ""
}

// noteOfMismatch explains two surprising mismatches: a rule with the address of the Service that was asked,
// and a named port that no container declares. It returns "" for all others.
func noteOfMismatch(x *Index, t *Term, h *tierHop, why string) string {
	r := &x.Rules[t.Rule]
	if r.Policy == nil || h.reply {
		return ""
	}
	rule := r.Policy.Rule(r.Direction, r.Index)
	switch {
	case rule == nil:
	case why == whyPeer && r.Direction == model.Egress:
		return noteOfServiceAddr(x, rule, h)
	case why == whyPort && t.Ports != nil && len(t.Ports) == 0:
		if h.out.End < 0 {
			return ""
		}
		pod := x.Pods.PodAt(int(x.Ends[h.out.End].Pod))
		for _, port := range rule.Ports {
			if port.Name != "" && !slices.ContainsFunc(pod.Ports, func(c model.ContainerPort) bool { return c.Name == port.Name }) {
				return fmt.Sprintf("no container of %s/%s declares a port named %s; init containers do not count", pod.Namespace, pod.Name, port.Name)
			}
		}
	}
	return ""
}

// noteOfServiceAddr names the Service whose address is in the rule while the connection goes to an endpoint.
func noteOfServiceAddr(x *Index, r *model.Rule, h *tierHop) string {
	for i := range r.Peers {
		for n := range selectors.ParsedNetworks(r.Peers[i].Networks) {
			if n.Bits() == 0 || n.Contains(h.out.Addr) { // an exception leaves the endpoint out
				continue
			}
			for s := range x.Cluster().Services() {
				for _, a := range ParseAddrs(s.ClusterIPs) {
					if n.Contains(a) && slices.ContainsFunc(listEndpoints(x, s),
						func(f resolvedEnd) bool { return slices.Contains(f.addrs, h.out.Addr) }) {
						return fmt.Sprintf("%s is the address of service %s/%s, which load balancing replaces before rules apply", a, s.Namespace, s.Name)
					}
				}
			}
		}
	}
	return ""
}

// MatchCache parses each ACL match once; several zones may share it. The zero value is ready, and safe for
// concurrent use.
type MatchCache struct {
	mu     sync.Mutex
	parsed map[string]*parsedMatch
}

// parsedMatch is a parsed match.
type parsedMatch struct {
	expr match.Expr // nil: OVN does not understand it either
	// inGroup or outGroup is the port group whose port, as inport or outport, the match requires. Most rows
	// are skipped by that alone. restExpr is the rest of the match.
	inGroup, outGroup string
	restExpr          match.Expr
}

func (m *MatchCache) parseMatch(text string) *parsedMatch {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.parsed[text]
	if !ok {
		p = &parsedMatch{}
		if e, err := match.Parse(text); err == nil {
			p.expr = e
			p.inGroup, p.outGroup, p.restExpr = neededGroup(e)
		}
		if m.parsed == nil {
			m.parsed = map[string]*parsedMatch{}
		}
		m.parsed[text] = p
	}
	return p
}

// ForgetUnused clears the cache if it has more than twice as many matches as the zone has rows, since most
// matches are then unused.
func (m *MatchCache) ForgetUnused(rows int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.parsed) > 2*rows+1000 {
		clear(m.parsed)
	}
}

// neededGroup finds "inport == @group", else "outport == @group", among the terms of a conjunction, and
// returns the other terms as rest.
func neededGroup(e match.Expr) (in, out string, rest match.Expr) {
	and, ok := e.(*match.And)
	if !ok {
		return "", "", e
	}
	at := -1
	for i, t := range and.Terms {
		c, ok := t.(*match.Cmp)
		if !ok || c.Op != match.EQ || len(c.Values) != 1 || c.Values[0].Kind != match.ConstPortGroup {
			continue
		}
		switch {
		case c.Field.Name == "inport":
			at, in, out = i, c.Values[0].Name(), ""
		case c.Field.Name == "outport" && in == "":
			at, out = i, c.Values[0].Name()
		}
	}
	if at < 0 {
		return "", "", e
	}
	return in, out, &match.And{Terms: slices.Concat(and.Terms[:at], and.Terms[at+1:])}
}
