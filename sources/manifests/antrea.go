package manifests

import (
	"cmp"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"rung/model"
	"rung/model/antrea"
	"rung/model/words"
	"rung/sources/manifests/yamltree"
)

// antreaPolicy reads an Antrea policy.
func (n *normaliser) antreaPolicy(o *AntreaPolicy) {
	p := n.p
	p.Tier, p.Tiered = model.TierAdmin, &model.TieredPolicy{Tier: antrea.Application}
	if o == nil {
		return
	}
	p.Tiered.Tier = cmp.Or(words.CleanText(o.Spec.Tier), p.Tiered.Tier)
	if p.Tiered.Tier == antrea.Baseline {
		p.Tier = model.TierBaseline
	}
	p.Tiered.Priority = o.Spec.Priority
	p.Tiered.AppliedTo = n.antreaAppliedTo(o.Spec.AppliedTo, "spec.appliedTo")
	p.Tiered.Phase = words.CleanText(o.Status.Phase)
	p.Tiered.NodesRealized, p.Tiered.NodesDesired = o.Status.CurrentNodesRealized, o.Status.DesiredNodesRealized
	n.p.Conditions = CleanConditions(o.Status.Conditions)
	written := p.Original.(*unstructured.Unstructured) // for generated names
	for _, d := range model.Directions {
		raw, _, _ := unstructured.NestedSlice(written.Object, "spec", d.Lower())
		for i := range o.Spec.directionRules(d) {
			n.addRule(n.antreaRule(d, i, &o.Spec.directionRules(d)[i], raw[i]))
		}
	}
	n.antreaAdmission(&o.Spec)
}

// generatedName returns the name of an unnamed rule. Its form is Antrea's, but Antrea does not document the
// hash input: Rung hashes the rule as JSON with sorted keys (antrea.md#rule-names). raw loses its nulls.
func generatedName(dir model.Direction, action string, raw any) string {
	sum := sha1.Sum([]byte(model.CompactJSON(yamltree.DropNulls(raw))))
	return dir.Lower() + "-" + strings.ToLower(action) + "-" + hex.EncodeToString(sum[:])[:7]
}

func (n *normaliser) antreaRule(dir model.Direction, i int, o *antreaRule, raw any) model.Rule {
	at := fmt.Sprintf("spec.%s[%d]", dir.Lower(), i)
	a := &model.TieredRule{Action: words.CleanText(o.Action), Logging: o.EnableLogging, LogLabel: words.CleanText(o.LogLabel),
		AppliedTo: n.antreaAppliedTo(o.AppliedTo, at+".appliedTo")}
	r := model.Rule{Direction: dir, Index: i, Name: words.CleanText(o.Name), Tiered: a, Action: model.Deny}
	if a := model.Action(o.Action); a == model.Allow || a == model.Pass {
		r.Action = a
	}
	if o.Name == "" {
		r.Name, a.Generated = generatedName(dir, a.Action, raw), true
	}
	peers := o.peersOf(dir)
	r.AnyPeer = len(peers) == 0 && len(o.ToServices) == 0
	for j := range peers {
		r.Peers = append(r.Peers, n.antreaPeer(&peers[j], fmt.Sprintf("%s.%s[%d]", at, peersField(dir), j)))
	}
	for _, s := range o.ToServices {
		a.ToServices = append(a.ToServices, n.serviceKey(&s.antreaName))
	}
	for _, port := range o.Ports {
		r.Ports = append(r.Ports, npPort(port.NetworkPolicyPort))
	}
	for _, pr := range o.Protocols {
		switch {
		case pr.ICMP != nil:
			a.Protocols = append(a.Protocols, model.RuleProtocol{Protocol: "ICMP", Type: pr.ICMP.Type, Code: pr.ICMP.Code})
		case pr.IGMP != nil:
			a.Protocols = append(a.Protocols, model.RuleProtocol{Protocol: "IGMP", Type: pr.IGMP.Type, Group: words.CleanText(pr.IGMP.Group)})
		}
	}
	for _, l := range o.L7Protocols {
		a.L7 = append(a.L7, l7Text(&l))
	}
	return r
}

// serviceKey returns the key of a Service. The namespace defaults to the policy's or Group's.
func (n *normaliser) serviceKey(s *antreaName) model.Key {
	return model.Key{Kind: model.KindService, Namespace: cmp.Or(words.CleanText(s.Namespace), n.p.Namespace), Name: words.CleanText(s.Name)}
}

// l7Text returns a layer 7 protocol for people: http GET foo.bar.com/api/*.
func l7Text(l *antreaL7) string {
	switch {
	case l.HTTP != nil:
		return words.CleanText(strings.TrimSpace("http " + strings.TrimSpace(l.HTTP.Method+" "+l.HTTP.Host+l.HTTP.Path)))
	case l.TLS != nil:
		return words.CleanText(strings.TrimSpace("tls " + l.TLS.SNI))
	}
	return "any"
}

func (n *normaliser) antreaAppliedTo(list []antreaAppliedTo, at string) []model.AppliedTo {
	var out []model.AppliedTo
	for i := range list {
		a, at := &list[i], fmt.Sprintf("%s[%d]", at, i)
		var m model.AppliedTo
		switch {
		case a.Group != "":
			m.Group = words.CleanText(a.Group)
		case a.ServiceAccount != nil:
			m.ServiceAccount = serviceAccount(a.ServiceAccount)
		case a.Service != nil:
			k := n.serviceKey(a.Service)
			m.Service = &k
		case a.NodeSelector != nil:
			s := n.readSelector(a.NodeSelector, at+".nodeSelector")
			m.Nodes = &s
		case a.ExternalEntity != nil:
			m.Entities = true
			m.Namespaces, m.Pods = n.selectorOrAll(a.NamespaceSelector, at+".namespaceSelector"),
				n.readSelector(a.ExternalEntity, at+".externalEntitySelector")
		default:
			m.Select = a.PodSelector != nil || a.NamespaceSelector != nil
			m.Namespaces, m.Pods = n.selectorOrAll(a.NamespaceSelector, at+".namespaceSelector"), n.selectorOrAll(a.PodSelector, at+".podSelector")
		}
		out = append(out, m)
	}
	return out
}

// selectorOrAll reads a selector; nil selects everything.
func (n *normaliser) selectorOrAll(s *metav1.LabelSelector, field string) model.Selector {
	if s == nil {
		return model.SelectEverything()
	}
	return n.readSelector(s, field)
}

func serviceAccount(a *antreaName) *model.ServiceAccount {
	return &model.ServiceAccount{Namespace: words.CleanText(a.Namespace), Name: words.CleanText(a.Name)}
}

func (n *normaliser) antreaPeer(o *antreaPeer, at string) model.Peer {
	switch {
	case o.IPBlock != nil:
		cidr := words.CleanText(o.IPBlock.CIDR)
		if !IsCommonCIDR(o.IPBlock.CIDR) {
			n.addInvalid(CodeCIDR, at+".ipBlock.cidr", fmt.Sprintf("%q is not a CIDR", cidr), CIDRRemedy(o.IPBlock.CIDR))
		}
		p := model.Peer{Kind: model.PeerNetworks, Networks: []string{cidr}}
		for _, e := range o.IPBlock.Except {
			p.Except = append(p.Except, words.CleanText(e))
		}
		return p
	case o.Group != "":
		return model.Peer{Kind: model.PeerGroup, Group: words.CleanText(o.Group)}
	case o.ServiceAccount != nil:
		return model.Peer{Kind: model.PeerServiceAccount, ServiceAccount: serviceAccount(o.ServiceAccount)}
	case o.FQDN != "":
		return model.Peer{Kind: model.PeerDNS, DNSName: words.CleanText(o.FQDN)}
	case o.NodeSelector != nil:
		return model.Peer{Kind: model.PeerNodes, Nodes: n.readSelector(o.NodeSelector, at+".nodeSelector")}
	case o.Namespaces != nil:
		m := &model.NamespaceMatch{Self: o.Namespaces.Match == "Self"}
		for _, l := range o.Namespaces.SameLabels {
			m.SameLabels = append(m.SameLabels, words.CleanText(l))
		}
		return model.Peer{Kind: model.PeerPods, Namespaces: model.SelectEverything(), Pods: n.selectorOrAll(o.PodSelector, at+".podSelector"),
			Match: m}
	case o.ExternalEntity != nil:
		return model.Peer{Kind: model.PeerEntities, Namespaces: n.selectorOrAll(o.NamespaceSelector, at+".namespaceSelector"),
			Pods: n.readSelector(o.ExternalEntity, at+".externalEntitySelector")}
	case o.NamespaceSelector != nil || o.PodSelector != nil:
		return n.podsPeer(o.NamespaceSelector, o.PodSelector, at)
	}
	return model.Peer{Kind: model.PeerPods} // matches nothing; antreaAdmission reports it
}
