package verdict

import (
	"slices"

	"rung/model"
)

// tierWalk is one walk through the tiers.
type tierWalk struct {
	list    []int32
	terms   []Term
	verdict Verdict
	decided []int32 // terms
	passed  []int32
	hits    []Hit
}

// walkTiers walks into w, whose lists it reuses, since there are many walks.
func (a *auditor) walkTiers(w *tierWalk, list []int32, terms []Term, proto int8, port uint16) {
	a.tries += len(list)
	w.list, w.terms, w.hits = list, terms, CollectHits(list, terms, proto, port, w.hits[:0]).Hits
	s := SettleHitsInto(w.hits, w.decided[:0], w.passed[:0])
	w.verdict, w.decided, w.passed = s.Verdict, s.Decided, s.Passed
}

// auditedPort is one port of the connections between two classes. It represents all ports up to the next edge.
type auditedPort struct {
	*auditor
	walks        [Walks]tierWalk
	walkIndex    int  // the current walk
	makesVerdict bool // the current walk makes the verdict
	verdict      Verdict
	from, to     int32
	nodes        NodePairing
	proto        int8
	ports        PortRange
}

func (p *auditedPort) auditPort() {
	for walk, list := range p.candidates {
		p.auditor.walkTiers(&p.walks[walk], list, p.x.Terms[walkStages[walk]], p.proto, p.ports.Lo)
	}
	p.verdict = Allow
	for i := range p.walks {
		p.verdict = JoinVerdicts(p.verdict, p.walks[i].verdict)
	}
	settled := false
	for i := range p.walks {
		w := &p.walks[i]
		p.walkIndex, p.makesVerdict = i, !settled && w.verdict == p.verdict && (p.verdict != Allow || len(w.decided) > 0)
		settled = settled || p.makesVerdict
		p.noteWalk()
	}
}

// exampleConnection returns an example of the current connections.
func (p *auditedPort) exampleConnection() Connection {
	return p.auditor.connectionAt(p.from, p.to, p.nodes, p.ports.Protocol, p.ports.ExamplePort())
}

// noteWalk notes the effects of the matching terms of the current walk.
func (p *auditedPort) noteWalk() {
	w := &p.walks[p.walkIndex]
	for _, i := range w.list {
		t := &w.terms[i]
		u := p.auditedByRule[t.Rule]
		if u < 0 || !t.Ports.Has(p.proto, p.ports.Lo) {
			continue
		}
		r := &p.rules[u]
		p.tries++
		decides := slices.Contains(w.decided, i) || slices.Contains(w.passed, i)
		worth := int8(1)
		if decides {
			worth += 2
		}
		if p.makesVerdict {
			worth++ // where nothing else makes the verdict
		}
		if worth > p.exampleQuality[u] {
			r.Matches, r.Example, p.exampleQuality[u] = true, p.exampleConnection(), worth
		}
		if !decides {
			if !r.Decides { // not needed for a deciding rule
				p.countRules(u, w.terms, w.decided)
				for k, i := range w.passed {
					if w.terms[i].Tier == t.Tier {
						p.countRules(u, w.terms, w.passed[k:k+1])
					}
				}
			}
			continue
		}
		r.Decides = true
		p.noteDecision(u, t)
	}
	p.noteCuts()
}

// noteRules adds the rules of terms except u, each once, up to mostNamed.
func noteRules(into *[]int32, terms []Term, refs []int32, u int32, of []int32) {
	for _, i := range refs {
		if r := terms[i].Rule; of[r] != u && !slices.Contains(*into, r) && len(*into) < mostNamed {
			*into = append(*into, r)
		}
	}
}

// mostNamed bounds the rules named for one rule.
const mostNamed = 20

// noteClashes notes the rules that share the priority of a rule's term and disagree with it, even if the other
// end denies the connection.
func (p *auditedPort) noteClashes(r *AuditedRule, t *Term) {
	w := &p.walks[p.walkIndex]
	for _, list := range [...][]int32{w.decided, w.passed} {
		for _, i := range list {
			o := &w.terms[i]
			key := p.x.Rules[o.Rule].Key
			if o.Tier != t.Tier || o.Priority != t.Priority || o.Effect == t.Effect || key == r.Policy {
				continue
			}
			undefined := p.verdict == Undefined
			k := slices.IndexFunc(r.Clashes, func(c RuleClash) bool { return c.Policy == key })
			switch {
			case k < 0:
				r.Clashes = append(r.Clashes, RuleClash{key, p.exampleConnection(), undefined})
			case undefined && !r.Clashes[k].Undefined:
				r.Clashes[k] = RuleClash{key, p.exampleConnection(), true}
			}
		}
	}
}

// noteDecision notes what changes without the deciding term of a rule.
func (p *auditedPort) noteDecision(u int32, t *Term) {
	r := &p.rules[u]
	p.noteClashes(r, t)
	if !r.Matters || p.countsTurned[u] {
		own := func(rule int32) bool { return p.auditedByRule[rule] == u }
		verdict, by := p.verdictWithout(own)
		if by.verdict != p.walks[p.walkIndex].verdict {
			r.MattersAtEnd = true
		}
		if p.countsTurned[u] && verdict != p.verdict {
			p.noteOnce(candidateNote{rule: u, kind: verdictTurned})
		}
		r.Matters = r.Matters || verdict != p.verdict
		r.Undecided = r.Undecided || len(by.decided) == 0
		if !r.Matters {
			noteRules(&p.auditor.decidersWithout[u], by.terms, by.decided, u, p.auditedByRule)
			for k, i := range by.passed { // a Pass of its own tier ends the tier before it
				if by.terms[i].Tier == t.Tier {
					noteRules(&p.auditor.decidersWithout[u], by.terms, by.passed[k:k+1], u, p.auditedByRule)
				}
			}
		}
	}
	if n := p.allowByRule[u]; n >= 0 && !p.allow[n].Matters {
		q := &p.allow[n]
		if !q.Decides {
			q.Decides, q.Example = true, p.exampleConnection()
		}
		own := func(rule int32) bool { return p.x.Rules[rule].Key == q.Policy }
		verdict, _ := p.verdictWithout(own)
		q.Matters = verdict != p.verdict
	}
	if allowed := &p.walks[0]; r.Policy.Kind == model.KindEF && p.verdict == Deny && t.Effect == Drops && r.Overruled == nil &&
		p.walkIndex > 0 && allowed.verdict == Allow &&
		len(allowed.decided) > 0 && allowed.terms[allowed.decided[0]].Tier == model.TierAdmin {
		if q := p.exampleConnection(); q.To.Key.Name == "" {
			r.Overruled = &OverruledConnection{q, p.termDeciders(allowed.terms, allowed.decided)}
		}
	}
	if t.Tier == model.TierAdmin && (t.Effect == Passes || len(p.walks[p.walkIndex].decided) <= 1) {
		p.verdictAsPass(r, t)
	}
}

// verdictWithout returns the verdict without some rules, and the current walk without them. The walk is valid
// until the next call.
func (p *auditedPort) verdictWithout(own func(rule int32) bool) (Verdict, *tierWalk) {
	out, here := Allow, &p.walks[p.walkIndex]
	for i := range p.walks {
		w := &p.walks[i]
		p.list = p.list[:0]
		for _, k := range w.list {
			if !own(w.terms[k].Rule) {
				p.list = append(p.list, k)
			}
		}
		v := w.verdict
		switch {
		case len(p.list) == len(w.list):
		case i == p.walkIndex:
			p.auditor.walkTiers(&p.againWalk, p.list, w.terms, p.proto, p.ports.Lo)
			v, here = p.againWalk.verdict, &p.againWalk
		default:
			p.tries += len(p.list)
			v = WalkVerdict(p.list, w.terms, p.proto, p.ports.Lo, &p.auditor.hits)
		}
		out = JoinVerdicts(out, v)
	}
	return out, here
}

// verdictAsPass notes what would decide if the tier of a term ended with it.
func (p *auditedPort) verdictAsPass(r *AuditedRule, t *Term) {
	pass := t.Effect == Passes
	switch {
	case pass && r.DecidedBelow, !pass && r.Overruled != nil:
		return
	case t.Effect == Allows && p.verdict != Allow, t.Effect == Drops && p.verdict != Deny:
		return // no other tier would change the verdict
	}
	w := &p.walks[p.walkIndex]
	below := w.list // the list is in order of tiers
	for len(below) > 0 && w.terms[below[0]].Tier <= t.Tier {
		below = below[1:]
	}
	next := &p.againWalk
	p.auditor.walkTiers(next, below, w.terms, p.proto, p.ports.Lo)
	instead := next.verdict
	for i := range p.walks {
		if i != p.walkIndex {
			instead = JoinVerdicts(instead, p.walks[i].verdict)
		}
	}
	switch {
	case pass:
		r.DecidedBelow = len(next.decided) > 0
		if !r.DecidedBelow && r.Through == nil && p.verdict == Allow {
			q := p.exampleConnection()
			r.Through = &q
		}
	case t.Effect == Allows && p.verdict == Allow && instead == Deny:
		if by := p.termDeciders(next.terms, next.decided); slices.ContainsFunc(by, isDefaultDeny) {
			r.Overruled = &OverruledConnection{p.exampleConnection(), by}
		}
	case t.Effect == Drops && p.verdict == Deny && instead == Allow:
		by := p.termDeciders(next.terms, next.decided)
		if p.walkIndex == 0 { // an EgressFirewall decides after the egress rules
			by = append(by, p.termDeciders(p.walks[1].terms, p.walks[1].decided)...)
		}
		by = slices.DeleteFunc(by, func(d Decider) bool { return !p.namesAllowed(&d) })
		if len(by) > 0 {
			r.Overruled = &OverruledConnection{p.exampleConnection(), by}
		}
	}
}

func isDefaultDeny(d Decider) bool {
	return d.Rule < 0 && d.Action == model.Deny && (d.Policy.Kind == model.KindNetpolNamespace || d.Policy.Kind == model.KindIsolation2016)
}

// namesAllowed reports whether an Allow of a NetworkPolicy or EgressFirewall names its peers.
func (a *auditor) namesAllowed(d *Decider) bool {
	if d.Policy.Kind != model.KindNP && d.Policy.Kind != model.KindEF || d.Rule < 0 || d.Action != model.Allow {
		return false
	}
	r := a.x.Cluster().Policy(d.Policy).Rule(d.Direction, d.Rule)
	return r != nil && !r.AnyPeer
}

// termDeciders returns the rules of terms, each once.
func (a *auditor) termDeciders(terms []Term, refs []int32) (out []Decider) {
	for _, r := range RulesOfTerms(terms, refs) {
		out = AddDecider(out, a.x.RuleDecider(r))
	}
	return out
}
