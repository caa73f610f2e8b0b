package lint

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	"rung/model"
	"rung/model/selectors"
	"rung/model/verdict"
	"rung/model/words"
)

// apiCut has the pods that one NetworkPolicy, isolation or EgressFirewall cuts off from the API server.
type apiCut struct {
	by      verdict.Decider
	pods    int
	example verdict.Connection
}

// checkAPICuts reports the NetworkPolicies and EgressFirewalls that cut pods off from the API server. It tests
// one pod of each kind. AdminNetworkPolicies are left to the findings about their Deny rules.
func (d *verdictLint) checkAPICuts() {
	s := d.needs.services
	if len(s.API) == 0 {
		return
	}
	asked := map[string]*apiCut{} // by kind of pod, nil if nothing is cut
	var cuts []*apiCut
	for pod := range d.podsOfNetpols() {
		kind := selectors.ReplicaKey(pod)
		cut, known := asked[kind]
		if !known {
			if found := d.findAPICut(pod); found != nil {
				i := slices.IndexFunc(cuts, func(c *apiCut) bool { return isSameDecider(&c.by, &found.by) })
				if i < 0 {
					i, cuts = len(cuts), append(cuts, found)
				}
				cut = cuts[i]
			}
			asked[kind] = cut
		}
		if cut != nil {
			cut.pods++
		}
	}
	for _, cut := range cuts {
		d.addAPICut(cut)
	}
}

// podsOfNetpols returns the pods to which an EgressFirewall applies, or a NetworkPolicy that isolates egress.
func (d *verdictLint) podsOfNetpols() func(func(*model.Pod) bool) {
	var pods selectors.PodSet
	for p := range d.c.AllPolicies() {
		if !p.IsRejected() && (p.Kind == model.KindEF || p.Kind == model.KindNP && p.IsolatesDirection(model.Egress)) {
			pods = pods.Or(d.x.SubjectSet(p))
		}
	}
	return d.x.Pods(pods)
}

// findAPICut finds the isolation or EgressFirewall that cuts a pod off from the API server, or nil.
func (d *verdictLint) findAPICut(pod *model.Pod) *apiCut {
	for _, q := range APIConnections(pod, d.needs.services) {
		a, err := verdict.FromPolicies(d.v, q)
		if err != nil || a.Verdict != verdict.Deny {
			continue
		}
		for s := range a.Stages() {
			if s.Verdict == verdict.Deny && s.Decided != nil {
				if k := s.Decided.Policy.Kind; k != model.KindEF && len(s.Decided.Isolating) == 0 {
					break // an AdminNetworkPolicy or the baseline
				}
				return &apiCut{by: *s.Decided, example: q}
			}
		}
	}
	return nil
}

func isSameDecider(a, b *verdict.Decider) bool {
	return a.Policy == b.Policy && a.Rule == b.Rule && slices.Equal(a.Isolating, b.Isolating)
}

// addAPICut adds the finding of one cut. A rule that tries to allow the API server makes it a warning.
func (d *verdictLint) addAPICut(cut *apiCut) {
	s := d.needs.services
	by := decidingPolicies(&cut.by)
	p := d.c.Policy(by[0])
	if p == nil {
		return
	}
	what := fmt.Sprintf("%s off from the API server (%s, TCP %d)", words.Count(cut.pods, "pod"), s.API[0], s.APIPort)
	api := netip.PrefixFrom(s.API[0], s.API[0].BitLen())
	var f *model.Finding
	if cut.by.Rule >= 0 && p.Rule(cut.by.Direction, cut.by.Rule) != nil {
		f = d.addAboutRule(p, p.Rule(cut.by.Direction, cut.by.Rule), APINotAllowed, "cuts "+what)
		f.Remedy = fmt.Sprintf("allow TCP %d to the API server's nodes, by nodeSelector or as %s, in a rule above", s.APIPort, api)
	} else {
		f = d.addAbout(p, APINotAllowed, fmt.Sprintf("the egress isolation of namespace %s cuts %s, and no NetworkPolicy allows it", p.Namespace,
			what))
		f.Severity, f.Remedy = model.SeverityInfo, fmt.Sprintf("allow TCP %d to %s, if these pods need the API server", s.APIPort, api)
	}
	for _, k := range by {
		if p := d.c.Policy(k); p != nil {
			if hint := d.missedAPIRule(p); hint != "" {
				f.Severity, f.Message = model.SeverityWarning, f.Message+"; "+hint
				break
			}
		}
	}
	f.Witness = d.findWitness(cut.example)
}

// decidingPolicies returns the policies that isolate the pod, else the policy of the rule.
func decidingPolicies(d *verdict.Decider) []model.Key {
	if len(d.Isolating) > 0 {
		return d.Isolating
	}
	return []model.Key{d.Policy}
}

// missedAPIRule describes an egress Allow that tries to allow the API server, but names the address or port of
// its Service; empty if none does.
func (d *verdictLint) missedAPIRule(p *model.Policy) string {
	s := d.needs.services
	svc, _ := d.c.Get(model.Key{Kind: model.KindService, Name: APIService, Namespace: APINamespace}).(*model.Service)
	if svc == nil {
		return ""
	}
	name := p.Label()
	for i := range p.Egress {
		r := &p.Egress[i]
		if r.Action != model.Allow {
			continue
		}
		for _, a := range verdict.ParseAddrs(svc.ClusterIPs) {
			if networksHave(r, a) {
				return fmt.Sprintf("%s egress %d names the Service address %s, which load balancing replaces before rules apply", name, i, a)
			}
		}
		for _, sp := range svc.Ports {
			if sp.Port == s.APIPort || cmp.Or(sp.Protocol, "TCP") != "TCP" || len(r.Ports) == 0 ||
				!selectors.PortMatch(r.Ports, "TCP", sp.Port) || selectors.PortMatch(r.Ports, "TCP", s.APIPort) {
				continue
			}
			if r.AnyPeer || d.needs.apiShare(r) != noShare {
				return fmt.Sprintf("%s egress %d names the Service port %d, but the API server listens on %d", name, i, sp.Port, s.APIPort)
			}
		}
	}
	return ""
}

// networksHave reports whether a network of the rule's peers has an address. Whole families do not count.
func networksHave(r *model.Rule, a netip.Addr) bool {
	for i := range r.Peers {
		for n := range selectors.ParsedNetworks(r.Peers[i].Networks) {
			if n.Bits() > 0 && n.Contains(a) {
				return true
			}
		}
	}
	return false
}

// checkWebhooks reports Services with the name of a webhook that the API server cannot call.
func (d *verdictLint) checkWebhooks() {
	callers := WebhookCallers(d.c, d.v.Options().Precedence, d.needs.services)
	for q := range WebhookCalls(d.c, callers) {
		svc, _ := d.c.Get(q.To.Key).(*model.Service)
		if svc == nil || !IsNamedWebhook(svc) {
			continue
		}
		a, err := verdict.FromPolicies(d.v, q)
		if err != nil || a.Verdict != verdict.Deny || len(a.Paths) == 0 {
			continue
		}
		for s := range a.Stages() {
			if s.Verdict != verdict.Deny || s.Decided == nil {
				continue
			}
			if p := d.c.Policy(decidingPolicies(s.Decided)[0]); p != nil && !d.hasWebhookFinding(p.Key, svc) {
				d.addAbout(p, WebhookCut, webhookText(svc)).Remedy = fmt.Sprintf("allow ingress from %s to the pods of the Service",
					words.ListFew(callerAddrs(d.v, callers), shown))
				d.addWitness(&q)
			}
			break
		}
	}
}

func webhookText(svc *model.Service) string {
	return fmt.Sprintf("cuts the API server off from service %s/%s, which is named like a webhook", svc.Namespace, svc.Name)
}

// hasWebhookFinding reports whether another caller of the same Service already gave this finding.
func (d *verdictLint) hasWebhookFinding(k model.Key, svc *model.Service) bool {
	return slices.ContainsFunc(d.out, func(f model.Finding) bool {
		return f.Code == WebhookCut.Code && f.Policy == k && f.Message == webhookText(svc)
	})
}

// callerAddrs returns the source addresses of callers.
func callerAddrs(x *verdict.Index, callers []verdict.Endpoint) (out []string) {
	p := cmp.Or(x.Options().Precedence, verdict.Stages)
	for _, e := range callers {
		if n := x.Cluster().Node(e.Key.Name); n != nil && e.Key.Kind == model.KindNode {
			out = append(out, model.MapList(verdict.ParseAddrs(p.SourceAddrs(n)), netip.Addr.String)...)
		} else if e.Addr.IsValid() {
			out = append(out, e.Addr.String())
		}
	}
	return out
}
