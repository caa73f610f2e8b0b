package verdicts

import (
	"fmt"
	"maps"
	"slices"

	"rung/model"
	"rung/model/verdict"
	"rung/test/made"
)

// plain is a cluster in which both systems make the same of what is not converted: of
// NetworkPolicies without rules that isolate nobody and without named ports, of ANPs without
// named ports and nodes, enforced ones. EgressFirewalls are nothing to Antrea.
func (w *world) plain(c *model.Cluster, antrea bool) *model.Cluster {
	var next []model.Object
	var gone []model.Key
	for ns := range c.Namespaces() {
		o := *ns
		l := maps.Clone(ns.Labels.Map())
		l["kubernetes.io/metadata.name"] = ns.Name
		o.Labels = model.NewLabels(l)
		next = append(next, &o)
	}
	for n := range c.Nodes() {
		o := *n
		o.HostIPs, o.MgmtIPs = n.InternalIPs, nil
		next = append(next, &o)
	}
	for p := range c.AllPolicies() {
		o := *p
		switch {
		case p.Kind == model.KindEF:
			gone = append(gone, p.Key)
		case p.Kind == model.KindNP:
			o.Invalid = nil
			o.Ingress, o.Egress = unnamed(p.Ingress, p.IsolatesIngress), unnamed(p.Egress, p.IsolatesEgress)
			next = append(next, &o)
		case antrea && p.Kind.IsAdmin():
			o.Ingress, o.Egress = unnamed(p.Ingress, true), unnamed(p.Egress, true)
			o.Logging, o.HasLogging = "", false
			if p.Kind == model.KindANP {
				o.Priority += 60
			}
			if w.odds(2) {
				gone = append(gone, p.Key)
				continue
			}
			next = append(next, &o)
		}
	}
	for p := range c.Pods() {
		// NetworkPolicies' selectors take nodes by their pods, in OVN-Kubernetes.
		if p.HostNetwork && c.Count(model.KindNP) > 0 {
			gone = append(gone, p.Key)
		}
	}
	for _, name := range antreaSpaces {
		if c.Namespace(name) == nil {
			next = append(next, made.NS(name, "org=1,kubernetes.io/metadata.name="+name))
		}
	}
	c, _ = c.Upsert(nil, gone)
	c, _ = c.Upsert(next, nil)
	return c
}

func unnamed(rules []model.Rule, keep bool) (out []model.Rule) {
	if !keep {
		return nil
	}
	for _, r := range rules {
		r.Ports = slices.DeleteFunc(slices.Clone(r.Ports), func(p model.Port) bool { return p.Name != "" || p.IsBroken() || p.Start == 0 })
		r.Peers = slices.DeleteFunc(slices.Clone(r.Peers), func(p model.Peer) bool { return p.Kind == model.PeerNodes })
		r.Index = len(out)
		if len(r.Peers) > 0 || r.AnyPeer {
			out = append(out, r)
		}
	}
	return out
}

// tame is a cluster without most of what the other APIs cannot say, so that long runs of rules
// are exact.
func tame(c *model.Cluster) *model.Cluster {
	var next []model.Object
	for p := range c.TieredPolicies() {
		o, a := *p, *p.Tiered
		o.Tiered, a.AppliedTo = &a, tamed(p, p.Tiered.AppliedTo)
		for _, rules := range []*[]model.Rule{&o.Ingress, &o.Egress} {
			*rules = slices.Clone(*rules)
			for i := range *rules {
				r := &(*rules)[i]
				n := *r.Tiered
				n.AppliedTo, n.Protocols, n.ToServices, n.L7 = tamed(p, n.AppliedTo), nil, nil, nil
				r.Tiered, r.Peers = &n, slices.DeleteFunc(slices.Clone(r.Peers), func(q model.Peer) bool {
					return slices.Contains([]model.PeerKind{model.PeerDNS, model.PeerServiceAccount, model.PeerNodes}, q.Kind) ||
						r.Direction == model.Ingress && (q.Kind == model.PeerNetworks || q.Kind == model.PeerGroup)
				})
				if len(r.Peers) == 0 {
					r.Peers, r.AnyPeer = made.Peers(made.NSPeer("*")), false
				}
				r.Ports = slices.DeleteFunc(slices.Clone(r.Ports), func(q model.Port) bool { return q.Name != "" })
			}
		}
		next = append(next, &o)
	}
	c, _ = c.Upsert(next, nil)
	return c
}

func tamed(p *model.Policy, list []model.AppliedTo) []model.AppliedTo {
	out := slices.DeleteFunc(slices.Clone(list), func(a model.AppliedTo) bool {
		return a.ServiceAccount != nil || a.Service != nil || a.Nodes != nil
	})
	if len(out) == 0 && len(list) > 0 {
		return []model.AppliedTo{{Select: true, Namespaces: model.SelectEverything(), Pods: made.Sel("app=x")}}
	}
	return out
}

// natives is a cluster with policies of Antrea beside its own.
func (w *antreaWorld) natives(c *model.Cluster) *model.Cluster {
	var next []model.Object
	for i := range int32(3) {
		next = append(next, &model.Tier{Meta: model.Meta{Key: model.Key{Kind: model.KindTier, Name: fmt.Sprintf("custom%d", i)}}, Priority: 40 + 70*i})
	}
	next = append(next, w.groups()...)
	for i := range 1 + w.r.IntN(4) {
		next = append(next, w.native(model.KindACNP, "", fmt.Sprintf("acnp%d", i)))
	}
	next = append(next, w.native(model.KindANNP, "a", "annp"))
	c, _ = c.Upsert(next, nil)
	return c
}

// onOVN is a cluster as OVN-Kubernetes enforces it, ClusterNetworkPolicies too: none with a
// priority that is not supported, or a logging annotation that it cannot read.
func onOVN(c *model.Cluster) enforced {
	none := map[model.PolicyKey]*model.NoRows{}
	for p := range c.AllPolicies() {
		if _, err := p.LogLevels(); err != nil || p.Priority > model.MaxPriority {
			none[p.Key] = &model.NoRows{}
		}
	}
	v := verdict.View{Cluster: c, Options: verdict.Options{IPv4: true, IPv6: true, NoRows: none}}
	return enforced{verdict.NewIndex(v), c}
}

// someCNP makes ClusterNetworkPolicies of some of the ANPs.
func (w *world) someCNP(c *model.Cluster) *model.Cluster {
	for p := range c.Policies(model.KindANP) {
		if !w.odds(3) {
			continue
		}
		o := *p
		o.Kind = model.KindCNP
		if w.odds(2) {
			o.Tier = model.TierBaseline
		}
		c, _ = c.Upsert([]model.Object{&o}, []model.Key{p.Key})
	}
	return c
}
