package verdict

import (
	"cmp"
	"slices"

	"rung/model"
)

// FromPolicies is what the policies make of a connection. An error is an ErrQuestion: an
// end that does not exist, or a question without sense.
func (x *Index) FromPolicies(c Connection) (Answer, error) {
	return x.answer(c, func(w *way) []StageVerdict { return x.judge(w) })
}

// Trace is FromPolicies with all that was tried.
func (x *Index) Trace(c Connection) (Answer, error) {
	return x.answer(c, func(w *way) []StageVerdict {
		out := x.judge(w)
		hops := w.hops()
		for i := range out {
			out[i].Tiers = x.tried(&hops[i], &out[i])
		}
		return out
	})
}

// answer finds the ends of a connection and asks about each way between them.
func (x *Index) answer(c Connection, judge func(*way) []StageVerdict) (Answer, error) {
	out := Answer{Connection: c}
	if err := c.Check(); err != nil {
		return out, err
	}
	from, err := x.find(c.From, true)
	if err != nil {
		return out, err
	}
	var to []found
	service, port := Endpoint{}, c.Port
	if out.Front = x.front(c); out.Front != nil {
		service, port = Endpoint{Key: out.Front.Service}, out.Front.Port
	} else if c.To.Key.Kind == model.KindService {
		service = c.To
	}
	if service.Key.Name != "" {
		var none string
		if to, none, err = x.backends(service, c.Protocol, port); err != nil {
			return out, err
		}
		to = ofFamily(to, c)
		if none != "" {
			out.Verdict, out.Reason = NotApplicable, none
			return out, nil
		}
	} else {
		f, err := x.find(c.To, false)
		if err != nil {
			return out, err
		}
		f.Port = c.Port
		to = []found{f}
	}
	for i := range to {
		out.Paths = append(out.Paths, x.path(c, from, to[i], service, out.Front, judge))
	}
	out.Conclude()
	return out, nil
}

// ofFamily leaves out the endpoints of a Service that a connection of its family cannot mean,
// where it has others.
func ofFamily(to []found, c Connection) []found {
	family := c.familyOf()
	has := func(f found) bool { return f.none != "" || family.First(f.addrs).IsValid() }
	if family == AnyFamily || !slices.ContainsFunc(to, has) {
		return to
	}
	return slices.DeleteFunc(to, func(f found) bool { return !has(f) })
}

// path is the way to one end: service is the Service that it is an endpoint of, and front how
// that was asked where it was not by its name.
func (x *Index) path(c Connection, from, to found, service Endpoint, front *Front, judge func(*way) []StageVerdict) Path {
	matched := from.none == "" && to.none == "" && pair(&from, &to, c.familyOf())
	p := Path{From: from.End, To: to.End}
	samePod := from.pod != nil && to.pod != nil && from.pod.Key == to.pod.Key && !to.Addr.IsMulticast()
	switch {
	case from.none != "":
		p.Verdict, p.Reason = NotApplicable, from.none
	case to.none != "":
		p.Verdict, p.Reason = NotApplicable, to.none
	case !matched:
		p.Verdict, p.Reason = NotApplicable, "the ends have no address family in common"
	case from.pod == nil && to.pod == nil && x.onAntrea():
		p.Verdict, p.Reason = NotApplicable, x.antreaNode(&from, &to)
	case from.pod == nil && to.pod == nil:
		p.Verdict, p.Reason = NotApplicable, "no policy is asked: neither end is a pod of the default network"
		if from.Note != "" && to.Note != "" {
			p.Reason = from.Note
		}
	case samePod && service.Key.Name == "":
		p.Verdict, p.Reason = NotApplicable, "a pod reaches itself without leaving its network"
	default:
		w := &way{from: x.endOf(&from), to: x.endOf(&to), proto: int8(c.Protocol.number()), port: to.Port, hairpin: samePod, antrea: x.onAntrea()}
		if service.Key.Name != "" {
			w.service, w.servicePort = x.serviceAddr(service, FamilyOf(to.Addr)), c.Port
			w.serviceKey, w.front = service.Key, front
		}
		if front != nil && front.Kind != ClusterIP {
			w.service = x.frontAddr(front, FamilyOf(to.Addr))
			if front.Kind == NodePort && from.pod != nil && from.Zone != front.Node {
				at := *front
				at.Addr = w.service
				x.throughNode(&p, w, &at, judge)
				return p
			}
		}
		if samePod && x.onAntrea() {
			p.Note = "the pod reaches itself through the Service"
		} else if samePod {
			p.Note = "the pod reaches itself through the Service: from " + hairpinAddrs[FamilyOf(from.Addr).at()].String()
		}
		p.Stages = judge(w)
		p.Verdict = join(p.Stages)
		if i := slices.IndexFunc(p.Stages, func(s StageVerdict) bool { return s.Verdict == p.Verdict }); i >= 0 {
			p.Reason = p.Stages[i].Reason
		}
	}
	return p
}

// judge asks the policies at every hop of a way.
func (x *Index) judge(w *way) []StageVerdict {
	hops := w.hops()
	out := make([]StageVerdict, len(hops))
	var buf [32]hit
	for i := range hops {
		h := &hops[i]
		s, hits := x.decide(h, buf[:0])
		out[i] = x.stage(h, s, hits)
	}
	return out
}

func (x *Index) stage(h *hop, s settled, hits []hit) StageVerdict {
	terms := x.termsOf(h.stage)
	out := StageVerdict{Stage: h.stage, Zone: h.zone, Verdict: s.verdict}
	for _, i := range s.passed {
		out.Passed = addDecider(out.Passed, x.decider(&terms[i], h, true))
	}
	for _, i := range s.decided {
		d := x.decider(&terms[i], h, true)
		if out.Decided == nil {
			out.Decided = &d
		}
		if s.open {
			out.Candidates = addDecider(out.Candidates, d)
		}
	}
	if s.verdict == Unknown {
		i := slices.IndexFunc(hits, func(h hit) bool { return h.maybe })
		out.Reason = cmp.Or(x.rules[terms[hits[i].ref].rule].maybe, multicastActions)
	}
	return out
}

// decider is the rule of a term; matched says that the term matches.
func (x *Index) decider(t *term, h *hop, matched bool) Decider {
	r := &x.rules[t.rule]
	d := x.ruleDecider(t.rule)
	d.Tier, d.Priority = int(t.tier), int(t.priority)
	if !x.onAntrea() && r.key.Kind == model.KindNP {
		var to *model.Pod
		if h.out.end >= 0 {
			to = x.pods.At(int(x.ends[h.out.end].pod))
		}
		if d.Defect == "" || !matched {
			d.Defect = netpolDefect(r.policy.Rule(r.direction, r.rule), h.proto, h.port, to, matched)
		}
	}
	if r.key.Kind == model.KindNetpolNode || r.key.Kind == model.KindAntreaNode {
		d.Policy.Name = h.zone
	}
	if len(r.isolating) > 0 {
		d.Isolating = x.isolating(r, t, h)
	}
	return d
}

// isolating are the NetworkPolicies that isolate the pod in question.
func (x *Index) isolating(r *ruleRef, t *term, h *hop) (out []model.Key) {
	at := h.in.port
	if r.direction == model.Ingress {
		at = h.out.port
	}
	for _, k := range r.isolating {
		p := x.Cluster().Policy(k)
		if at >= 0 && x.subjects(p).Has(int(x.ends[at].pod)) {
			out = append(out, k)
		}
	}
	return out
}
