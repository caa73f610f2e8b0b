package manifests

import (
	"fmt"
	"strings"

	"sigs.k8s.io/network-policy-api/apis/v1alpha1"
	"sigs.k8s.io/network-policy-api/apis/v1alpha2"

	"rung/model"
	"rung/model/words"
)

// readCNP reads a ClusterNetworkPolicy. Its Accept becomes the model's Allow. Values that the API rejects are
// noted as invalid, since a server with another CRD may hold them. domainNames, which OVN-Kubernetes does not
// know but the API does, become peers.
func (n *normaliser) readCNP(o *v1alpha2.ClusterNetworkPolicy) {
	n.p.Priority = o.Spec.Priority
	switch o.Spec.Tier {
	case v1alpha2.AdminTier:
		n.p.Tier = model.TierAdmin
	case v1alpha2.BaselineTier:
		n.p.Tier = model.TierBaseline
	default: // an unknown tier does least harm to the order here
		n.p.Tier = model.TierBaseline
		n.addInvalid(CodeProfile, "spec.tier", fmt.Sprintf("is %q, not a tier", words.CleanText(string(o.Spec.Tier))),
			"write Admin or Baseline")
	}
	if s := o.Spec.Subject; s.Namespaces == nil && s.Pods == nil {
		n.addInvalid(CodeProfile, "spec.subject", "selects nothing: the API rejects it", "set namespaces or pods")
	} else {
		n.readSubject(&v1alpha1.AdminNetworkPolicySubject{Namespaces: s.Namespaces, Pods: (*v1alpha1.NamespacedPod)(s.Pods)})
	}
	for i, r := range o.Spec.Ingress {
		peers := make([]v1alpha2.ClusterNetworkPolicyEgressPeer, len(r.From))
		for j, p := range r.From {
			peers[j].Namespaces, peers[j].Pods = p.Namespaces, p.Pods
		}
		n.cnpRule(model.Ingress, i, r.Name, r.Action, peers, r.Protocols)
	}
	for i, r := range o.Spec.Egress {
		n.cnpRule(model.Egress, i, r.Name, r.Action, r.To, r.Protocols)
	}
	n.p.Conditions = CleanConditions(o.Status.Conditions)
}

func (n *normaliser) cnpRule(dir model.Direction, i int, name string, action v1alpha2.ClusterNetworkPolicyRuleAction,
	peers []v1alpha2.ClusterNetworkPolicyEgressPeer, protocols []v1alpha2.ClusterNetworkPolicyProtocol) {
	r := model.Rule{Direction: dir, Index: i, Name: words.CleanText(name), Action: model.Action(words.CleanText(string(action)))}
	at := fmt.Sprintf("spec.%s[%d]", dir.Lower(), i)
	switch action {
	case v1alpha2.ClusterNetworkPolicyRuleActionAccept:
		r.Action = model.Allow
	case v1alpha2.ClusterNetworkPolicyRuleActionDeny, v1alpha2.ClusterNetworkPolicyRuleActionPass:
	default:
		n.addInvalid(CodeProfile, at+".action", fmt.Sprintf("is %q, not an action", r.Action), "write Accept, Deny or Pass")
	}
	for j := range peers {
		n.cnpPeer(&r, &peers[j], fmt.Sprintf("%s.%s[%d]", at, peersField(dir), j))
	}
	for j := range protocols {
		n.cnpProtocol(&r, &protocols[j], fmt.Sprintf("%s.protocols[%d]", at, j))
	}
	n.addRule(r)
}

func (n *normaliser) cnpPeer(r *model.Rule, p *v1alpha2.ClusterNetworkPolicyEgressPeer, at string) {
	before := len(r.Peers)
	if !n.selectPeer(r, p.Namespaces, (*v1alpha1.NamespacedPod)(p.Pods), p.Nodes, at) && len(p.Networks) > 0 {
		r.Peers = append(r.Peers, networksPeer(n, p.Networks, at))
	}
	for _, name := range p.DomainNames {
		r.Peers = append(r.Peers, model.Peer{Kind: model.PeerDNS, DNSName: words.CleanText(string(name))})
	}
	n.invalidIf(len(r.Peers) == before, CodeProfile, at, "has no peer known to Rung: its meaning is unknown",
		"set one of namespaces, pods, nodes, networks, domainNames")
}

func (n *normaliser) cnpProtocol(r *model.Rule, p *v1alpha2.ClusterNetworkPolicyProtocol, at string) {
	var name string
	var port *v1alpha2.Port
	switch {
	case p.TCP != nil:
		name, port = "TCP", p.TCP.DestinationPort
	case p.UDP != nil:
		name, port = "UDP", p.UDP.DestinationPort
	case p.SCTP != nil:
		name, port = "SCTP", p.SCTP.DestinationPort
	case p.DestinationNamedPort != "":
		r.Ports = append(r.Ports, model.Port{Name: words.CleanText(p.DestinationNamedPort)})
		return
	default:
		n.addInvalid(CodeProfile, at, "has no protocol known to Rung: its meaning is unknown",
			"set one of tcp, udp, sctp, destinationNamedPort")
		return
	}
	out := model.Port{Protocol: name}
	field := at + "." + strings.ToLower(name)
	switch {
	case port != nil && port.Range != nil:
		out.Start, out.End, out.Range = port.Range.Start, port.Range.End, true
		n.noteReversed(&out, field+".destinationPort.range")
	case port != nil && port.Number != 0:
		out.Start, out.End = port.Number, port.Number
	default:
		n.addInvalid(model.InvalidProtocolEmpty, field, "names no port: the API rejects it, and its ports are unknown",
			"write destinationPort: {number: …} or {range: {start: …, end: …}}; for all ports omit protocols, for all of "+
				name+" write the range 1 to 65535")
	}
	r.Ports = append(r.Ports, out)
}
