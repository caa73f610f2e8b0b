package verdict

import (
	"cmp"
	"slices"

	"rung/model"
	"rung/model/ovn/nb"
)

// FromPolicies returns the policies' answer about a connection. The error is an ErrQuestion: an unknown end,
// or an impossible question.
func FromPolicies(x *Index, c Connection) (Answer, error) {
	return answerByPaths(x, c, func(w *packetRoute) []StageVerdict { return askPolicies(x, w) })
}

// TracePolicies returns the answer of FromPolicies, with every rule that was tried.
func TracePolicies(x *Index, c Connection) (Answer, error) {
	return answerByPaths(x, c, func(w *packetRoute) []StageVerdict {
		out := askPolicies(x, w)
		hops := w.hops(x)
		for i := range out {
			if hops[i].openPod == nil {
				out[i].Tiers = triedTiers(x, &hops[i], &out[i])
			}
		}
		return out
	})
}

// answerByPaths finds the ends of a connection and judges each way between them.
func answerByPaths(x *Index, c Connection, judge func(*packetRoute) []StageVerdict) (Answer, error) {
	out := Answer{Connection: c}
	if err := c.CheckQuestion(); err != nil {
		return out, err
	}
	from, err := resolveEnd(x, c.From, true)
	if err != nil {
		return out, err
	}
	var to []resolvedEnd
	service, port := Endpoint{}, c.Port
	out.Front = findServiceFront(x, c)
	if out.Front != nil {
		service, port = Endpoint{Key: out.Front.Service}, out.Front.Port
	} else if c.To.Key.Kind == model.KindService {
		service = c.To
	}
	if service.Key.Name != "" {
		var none string
		if to, none, err = serviceBackends(x, service, c.Protocol, port); err != nil {
			return out, err
		}
		to = endpointsOfFamily(to, c)
		if none != "" {
			out.Verdict, out.Reason = NotApplicable, none
			return out, nil
		}
	} else {
		f, err := resolveEnd(x, c.To, false)
		if err != nil {
			return out, err
		}
		f.Port = c.Port
		to = []resolvedEnd{f}
	}
	for i := range to {
		out.Paths = append(out.Paths, pathTo(x, c, from, to[i], service, out.Front, judge))
	}
	out.JoinPaths()
	return out, nil
}

// endpointsOfFamily returns the endpoints of a Service that match the connection's family, else all.
func endpointsOfFamily(to []resolvedEnd, c Connection) []resolvedEnd {
	family := c.AskedFamily()
	has := func(f resolvedEnd) bool { return f.whyNotAsked != "" || family.FirstAddr(f.addrs).IsValid() }
	if family == AnyFamily || !slices.ContainsFunc(to, has) {
		return to
	}
	return slices.DeleteFunc(to, func(f resolvedEnd) bool { return !has(f) })
}

// pathTo returns the path to one end. service is the Service it is an endpoint of, and front the address that
// was asked, nil if the Service was asked by name.
func pathTo(x *Index, c Connection, from, to resolvedEnd, service Endpoint, front *ServiceFront,
	judge func(*packetRoute) []StageVerdict) Path {
	open := to.isolated && to.pod.LeavesOpen(string(c.Protocol), to.Port) && len(to.addrs) > 0
	if open {
		to.whyNotAsked = ""
	}
	matched := from.whyNotAsked == "" && to.whyNotAsked == "" && chooseAddrs(&from, &to, c.AskedFamily())
	p := Path{From: from.End, To: to.End}
	samePod := from.pod != nil && to.pod != nil && from.pod.Key == to.pod.Key && !to.Addr.IsMulticast()
	switch {
	case from.whyNotAsked != "":
		p.Verdict, p.Reason = NotApplicable, from.whyNotAsked
	case to.whyNotAsked != "":
		p.Verdict, p.Reason = NotApplicable, to.whyNotAsked
	case !matched:
		p.Verdict, p.Reason = NotApplicable, "the ends have no address family in common"
	case from.pod == nil && to.pod == nil:
		p.Verdict, p.Reason = NotApplicable, whyNoPod(x, &from, &to)
	case samePod && service.Key.Name == "":
		p.Verdict, p.Reason = NotApplicable, "a pod reaches itself without leaving its network"
	default:
		w := &packetRoute{from: newRouteEnd(x, &from), to: newRouteEnd(x, &to), proto: int8(c.Protocol.Number()), port: to.Port, hairpin: samePod,
			atEnds: x.Precedence().AtEnds}
		if open {
			w.openPod = to.pod
			p.Note = "the pod leaves the port open on this network: tier 0 allows it before any policy applies"
		}
		if service.Key.Name != "" {
			w.service, w.servicePort = serviceAddr(x, service, AddrFamily(to.Addr)), c.Port
			w.serviceKey, w.front = service.Key, front
		}
		if front != nil && front.Kind != ClusterIP {
			w.service = frontAddr(x, front, AddrFamily(to.Addr))
			if front.Kind == NodePort && from.pod != nil && from.Zone != front.Node {
				at := *front
				at.Addr = w.service
				throughNode(x, &p, w, &at, judge)
				return p
			}
		}
		if samePod && w.atEnds {
			p.Note = "the pod reaches itself through the Service"
		} else if samePod {
			p.Note = "the pod reaches itself through the Service: from " + x.HairpinAddr(AddrFamily(from.Addr)).String()
		}
		p.Stages = judge(w)
		p.Verdict = JoinStages(p.Stages)
		if i := slices.IndexFunc(p.Stages, func(s StageVerdict) bool { return s.Verdict == p.Verdict }); i >= 0 {
			p.Reason = p.Stages[i].Reason
		}
		if f := firewallOfReplies(x, &from, &to); f != nil && p.Verdict == Allow && p.Note == "" {
			p.Note = "replies skip " + f.Key.String() + ": OVN tracks the connection"
		}
	}
	return p
}

// firewallOfReplies returns the EgressFirewall of a pod that a client outside the cluster connects to, or nil.
func firewallOfReplies(x *Index, from, to *resolvedEnd) *model.Policy {
	if from.pod != nil || from.node != "" || to.pod == nil {
		return nil
	}
	return x.view.Cluster.Policy(model.Key{Kind: model.KindEF, Namespace: to.pod.Namespace, Name: "default"})
}

// askPolicies judges every hop of a way by the policies.
func askPolicies(x *Index, w *packetRoute) []StageVerdict {
	hops := w.hops(x)
	out := make([]StageVerdict, len(hops))
	var buf [32]Hit
	for i := range hops {
		h := &hops[i]
		if h.openPod != nil {
			out[i] = openStage(h)
			continue
		}
		s, hits := walkHop(x, h, buf[:0])
		out[i] = stageVerdict(x, h, s, hits)
	}
	return out
}

// openStage returns the decision about a port that a pod leaves open on the default network
// (networks.md#tier-0).
func openStage(h *tierHop) StageVerdict {
	ids := nb.IDs(nb.DefaultController, nb.OwnerUDNIsolation, nb.IDPair{Key: nb.KeyName, Value: "OpenPort-" + h.openPod.Key.NamespacedName()},
		nb.IDPair{Key: nb.KeyDirection, Value: string(model.Ingress)})
	return StageVerdict{Stage: h.stage, Zone: h.zone, Verdict: Allow,
		Decided: &Decider{Tier: model.TierIsolation, Direction: model.Ingress, Rule: -1, Priority: 1001, Action: model.Allow, ACL: ids[nb.KeyID]}}
}

func stageVerdict(x *Index, h *tierHop, s SettledWalk, hits []Hit) StageVerdict {
	terms := hopTerms(x, h)
	out := StageVerdict{Stage: h.stage, Zone: h.zone, Reply: h.reply, Verdict: s.Verdict}
	if h.reply && s.Verdict == Deny {
		out.Reason = whyUntracked(x, h.zone)
	}
	for _, i := range s.Passed {
		out.Passed = AddDecider(out.Passed, deciderOfTerm(x, &terms[i], h, true))
	}
	for _, i := range s.Decided {
		d := deciderOfTerm(x, &terms[i], h, true)
		if out.Decided == nil {
			out.Decided = &d
		}
		if s.IsOpen {
			out.Candidates = AddDecider(out.Candidates, d)
		}
	}
	// Several peers of one rule may match: if one surely does, the rule decides.
	if len(out.Candidates) == 1 && slices.ContainsFunc(s.Decided, func(i int32) bool {
		return slices.ContainsFunc(hits, func(h Hit) bool { return h.Ref == i && !h.Maybe })
	}) {
		out.Candidates = nil
	}
	if s.Verdict == Unknown {
		i := slices.IndexFunc(hits, func(h Hit) bool { return h.Maybe })
		out.Reason = cmp.Or(x.Rules[terms[hits[i].Ref].Rule].Maybe, multicastActions)
	}
	return out
}

// deciderOfTerm returns the rule of a term; matched reports whether the term matches.
func deciderOfTerm(x *Index, t *Term, h *tierHop, matched bool) Decider {
	r := &x.Rules[t.Rule]
	d := x.RuleDecider(t.Rule)
	d.Tier, d.Priority = int(t.Tier), int(t.Priority)
	if defect := x.Precedence().Defect; defect != nil && r.Key.Kind == model.KindNP {
		var to *model.Pod
		if h.out.End >= 0 {
			to = x.Pods.PodAt(int(x.Ends[h.out.End].Pod))
		}
		if d.Defect == "" || !matched {
			d.Defect = defect(r.Policy.Rule(r.Direction, r.Index), h.proto, h.port, to, matched)
		}
	}
	if r.OwnNode {
		d.Policy.Name = h.zone
	}
	if len(r.Isolating) > 0 {
		d.Isolating = isolatingPolicies(x, r, t, h)
	}
	return d
}

// isolatingPolicies returns the NetworkPolicies that isolate the hop's pod.
func isolatingPolicies(x *Index, r *Rule, t *Term, h *tierHop) (out []model.Key) {
	at := h.in.Port
	if r.Direction == model.Ingress {
		at = h.out.Port
	}
	for _, k := range r.Isolating {
		p := x.Cluster().Policy(k)
		if at >= 0 && x.SubjectPods(p).Has(int(x.Ends[at].Pod)) {
			out = append(out, k)
		}
	}
	return out
}
