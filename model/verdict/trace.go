package verdict

import (
	"slices"

	"rung/model"
)

// What keeps a rule from matching.
const (
	whyNotSubject = "subject"
	whyPeer       = "peer"
	whyPort       = "port"
	whyProtocol   = "protocol"
)

// tried lists what was tried in a hop until something decided.
func (x *Index) tried(h *hop, s *StageVerdict) (out []Tried) {
	last := func(t *term) bool {
		return s.Decided != nil && !(s.Verdict == Unknown) &&
			(int(t.tier) > s.Decided.Tier || int(t.tier) == s.Decided.Tier && int(t.priority) < s.Decided.Priority)
	}
	terms := x.termsOf(h.stage)
	passed := -1 // the tier that passed the packet on
	for i := range terms {
		t := &terms[i]
		if last(t) {
			break
		}
		if t.at&h.where == 0 || int(t.tier) == passed && !x.matches(t, h) {
			continue
		}
		if r := &x.rules[t.rule]; r.policy == nil && t.does == allows && !x.matches(t, h) {
			continue // hairpin, own-node and multicast rows are told where they match
		}
		a := Attempt{Why: x.why(t, h)}
		a.Matched = a.Why == ""
		a.Decider = x.decider(t, h, a.Matched || a.Why != whyPort)
		if !a.Matched && (a.Why != whyPort || a.Policy.Kind != model.KindNP) {
			a.Defect = ""
		}
		if a.Matched && t.does == passes {
			passed = int(t.tier)
		}
		out = addAttempt(out, a)
	}
	for i := range out {
		out[i].What = withoutOthers(out[i].What)
	}
	return out
}

// MatchingRules are the rules that match a connection, by path and stage, whether they are asked
// or something decides before them.
func (x *Index) MatchingRules(c Connection) (out [][]int32, err error) {
	_, err = x.answer(c, func(w *way) []StageVerdict {
		var rules []int32
		for _, h := range w.hops() {
			terms := x.termsOf(h.stage)
			for i := range terms {
				if x.matches(&terms[i], &h) {
					rules = append(rules, terms[i].rule)
				}
			}
		}
		out = append(out, rules)
		return nil
	})
	return out, err
}

// withoutOthers leaves out that a rule is about other pods where another of its policy is
// about this one: a rule with a named port has rows that are about the pods with that port,
// and one of Antrea's with Self is one for each namespace.
func withoutOthers(all []Attempt) []Attempt {
	about := map[model.Key]bool{}
	for i := range all {
		about[all[i].Policy] = about[all[i].Policy] || all[i].Rule >= 0
	}
	return slices.DeleteFunc(all, func(a Attempt) bool { return a.Why == whyNotSubject && about[a.Policy] })
}

func addAttempt(out []Tried, a Attempt) []Tried {
	if n := len(out); n == 0 || out[n-1].Tier != a.Tier || out[n-1].Band != a.Band {
		out = append(out, Tried{Tier: a.Tier, Band: a.Band})
	}
	in := &out[len(out)-1]
	if a.Why == whyNotSubject {
		a.Rule, a.RuleName, a.Action = -1, "", ""
	}
	for i := range in.What {
		b := &in.What[i]
		if b.Policy != a.Policy || b.Direction != a.Direction || b.Rule != a.Rule {
			continue
		}
		// Of a rule that stands for several rows, that which matched is told.
		if a.Matched && !b.Matched {
			*b = a
		}
		return out
	}
	in.What = append(in.What, a)
	return out
}

// why says in a word what keeps a term from matching, empty where it matches.
func (x *Index) why(t *term, h *hop) string {
	r := &x.rules[t.rule]
	from := x.conds[t.from].holds(x, &h.in, h.zone)
	to := x.conds[t.to].holds(x, &h.out, h.zone) && (t.outPort == 0 || x.conds[t.outPort-1].holds(x, &h.out, h.zone)) &&
		(!t.outRouter || h.out.router)
	subject, peer := from, to
	if r.direction == model.Ingress {
		subject, peer = to, from
	}
	if about := x.about(t, h.service); r.direction == model.Ingress {
		subject = subject && about // it applies to the clients of a Service
	} else {
		peer = peer && about
	}
	switch {
	case !subject:
		return whyNotSubject
	case !peer:
		return whyPeer
	case !t.ports.protocol(h.proto):
		return whyProtocol
	case !t.ports.has(h.proto, h.port):
		return whyPort
	}
	return ""
}
