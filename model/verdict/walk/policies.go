package walk

import (
	"cmp"
	"slices"

	"rung/model"
	"rung/model/verdict"
	"rung/model/verdict/index"
)

// FromPolicies returns the policies' answer about a connection. An error is an
// ErrQuestion: an end that does not exist, or a question without sense.
func FromPolicies(x *index.Index, c verdict.Connection) (verdict.Answer, error) {
	return answer(x, c, func(w *way) []verdict.StageVerdict { return judge(x, w) })
}

// Trace is FromPolicies with all that was tried.
func Trace(x *index.Index, c verdict.Connection) (verdict.Answer, error) {
	return answer(x, c, func(w *way) []verdict.StageVerdict {
		out := judge(x, w)
		hops := w.hops()
		for i := range out {
			out[i].Tiers = tried(x, &hops[i], &out[i])
		}
		return out
	})
}

// answer finds the ends of a connection and asks about each way between them.
func answer(x *index.Index, c verdict.Connection, judge func(*way) []verdict.StageVerdict) (verdict.Answer, error) {
	out := verdict.Answer{Connection: c}
	if err := c.Check(); err != nil {
		return out, err
	}
	from, err := find(x, c.From, true)
	if err != nil {
		return out, err
	}
	var to []found
	service, port := verdict.Endpoint{}, c.Port
	out.Front = front(x, c)
	if out.Front != nil {
		service, port = verdict.Endpoint{Key: out.Front.Service}, out.Front.Port
	} else if c.To.Key.Kind == model.KindService {
		service = c.To
	}
	if service.Key.Name != "" {
		var none string
		if to, none, err = backends(x, service, c.Protocol, port); err != nil {
			return out, err
		}
		to = ofFamily(to, c)
		if none != "" {
			out.Verdict, out.Reason = verdict.NotApplicable, none
			return out, nil
		}
	} else {
		f, err := find(x, c.To, false)
		if err != nil {
			return out, err
		}
		f.Port = c.Port
		to = []found{f}
	}
	for i := range to {
		out.Paths = append(out.Paths, path(x, c, from, to[i], service, out.Front, judge))
	}
	out.Conclude()
	return out, nil
}

// ofFamily leaves out the endpoints of a Service that a connection of its family cannot mean,
// where it has others.
func ofFamily(to []found, c verdict.Connection) []found {
	family := c.AskedFamily()
	has := func(f found) bool { return f.none != "" || family.First(f.addrs).IsValid() }
	if family == verdict.AnyFamily || !slices.ContainsFunc(to, has) {
		return to
	}
	return slices.DeleteFunc(to, func(f found) bool { return !has(f) })
}

// path is the way to one end: service is the Service that it is an endpoint of, and front how
// that was asked where it was not by its name.
func path(x *index.Index, c verdict.Connection, from, to found, service verdict.Endpoint, front *verdict.Front, judge func(*way) []verdict.StageVerdict) verdict.Path {
	matched := from.none == "" && to.none == "" && pair(&from, &to, c.AskedFamily())
	p := verdict.Path{From: from.End, To: to.End}
	samePod := from.pod != nil && to.pod != nil && from.pod.Key == to.pod.Key && !to.Addr.IsMulticast()
	switch {
	case from.none != "":
		p.Verdict, p.Reason = verdict.NotApplicable, from.none
	case to.none != "":
		p.Verdict, p.Reason = verdict.NotApplicable, to.none
	case !matched:
		p.Verdict, p.Reason = verdict.NotApplicable, "the ends have no address family in common"
	case from.pod == nil && to.pod == nil:
		p.Verdict, p.Reason = verdict.NotApplicable, noPod(x, &from, &to)
	case samePod && service.Key.Name == "":
		p.Verdict, p.Reason = verdict.NotApplicable, "a pod reaches itself without leaving its network"
	default:
		w := &way{from: endOf(x, &from), to: endOf(x, &to), proto: int8(c.Protocol.Number()), port: to.Port, hairpin: samePod, atEnds: x.Precedence().AtEnds}
		if service.Key.Name != "" {
			w.service, w.servicePort = serviceAddr(x, service, verdict.FamilyOf(to.Addr)), c.Port
			w.serviceKey, w.front = service.Key, front
		}
		if front != nil && front.Kind != verdict.ClusterIP {
			w.service = frontAddr(x, front, verdict.FamilyOf(to.Addr))
			if front.Kind == verdict.NodePort && from.pod != nil && from.Zone != front.Node {
				at := *front
				at.Addr = w.service
				throughNode(x, &p, w, &at, judge)
				return p
			}
		}
		if samePod && w.atEnds {
			p.Note = "the pod reaches itself through the Service"
		} else if samePod {
			p.Note = "the pod reaches itself through the Service: from " + index.HairpinAddrs[verdict.FamilyOf(from.Addr).Index()].String()
		}
		p.Stages = judge(w)
		p.Verdict = verdict.JoinStages(p.Stages)
		if i := slices.IndexFunc(p.Stages, func(s verdict.StageVerdict) bool { return s.Verdict == p.Verdict }); i >= 0 {
			p.Reason = p.Stages[i].Reason
		}
	}
	return p
}

// judge asks the policies at every hop of a way.
func judge(x *index.Index, w *way) []verdict.StageVerdict {
	hops := w.hops()
	out := make([]verdict.StageVerdict, len(hops))
	var buf [32]index.Hit
	for i := range hops {
		h := &hops[i]
		s, hits := decide(x, h, buf[:0])
		out[i] = stage(x, h, s, hits)
	}
	return out
}

func stage(x *index.Index, h *hop, s index.Settled, hits []index.Hit) verdict.StageVerdict {
	terms := termsOf(x, h.stage)
	out := verdict.StageVerdict{Stage: h.stage, Zone: h.zone, Verdict: s.Verdict}
	for _, i := range s.Passed {
		out.Passed = verdict.AddDecider(out.Passed, decider(x, &terms[i], h, true))
	}
	for _, i := range s.Decided {
		d := decider(x, &terms[i], h, true)
		if out.Decided == nil {
			out.Decided = &d
		}
		if s.Open {
			out.Candidates = verdict.AddDecider(out.Candidates, d)
		}
	}
	if s.Verdict == verdict.Unknown {
		i := slices.IndexFunc(hits, func(h index.Hit) bool { return h.Maybe })
		out.Reason = cmp.Or(x.Rules[terms[hits[i].Ref].Rule].Maybe, multicastActions)
	}
	return out
}

// decider is the rule of a term; matched says that the term matches.
func decider(x *index.Index, t *index.Term, h *hop, matched bool) verdict.Decider {
	r := &x.Rules[t.Rule]
	d := x.RuleDecider(t.Rule)
	d.Tier, d.Priority = int(t.Tier), int(t.Priority)
	if defect := x.Precedence().Defect; defect != nil && r.Key.Kind == model.KindNP {
		var to *model.Pod
		if h.out.End >= 0 {
			to = x.Pods.At(int(x.Ends[h.out.End].Pod))
		}
		if d.Defect == "" || !matched {
			d.Defect = defect(r.Policy.Rule(r.Direction, r.Index), h.proto, h.port, to, matched)
		}
	}
	if r.OwnNode {
		d.Policy.Name = h.zone
	}
	if len(r.Isolating) > 0 {
		d.Isolating = isolating(x, r, t, h)
	}
	return d
}

// isolating are the NetworkPolicies that isolate the pod in question.
func isolating(x *index.Index, r *index.Rule, t *index.Term, h *hop) (out []model.Key) {
	at := h.in.Port
	if r.Direction == model.Ingress {
		at = h.out.Port
	}
	for _, k := range r.Isolating {
		p := x.Cluster().Policy(k)
		if at >= 0 && x.Subjects(p).Has(int(x.Ends[at].Pod)) {
			out = append(out, k)
		}
	}
	return out
}
