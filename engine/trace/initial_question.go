package trace

import (
	"net/netip"

	"rung/model"
	"rung/revision"
)

// QuestionOfPod returns a question that starts from a pod.
func QuestionOfPod(k model.Key) Question { return Question{From: EndText(k)} }

// QuestionOfPolicy returns a connection that the first rule of a policy matches; parts stay empty if unknown.
func QuestionOfPolicy(r *revision.Revision, k model.PolicyKey) Question {
	p := r.Cluster.Policy(k)
	if p == nil {
		return Question{}
	}
	for _, d := range []model.Direction{model.Ingress, model.Egress} {
		for _, rule := range p.Rules(d) {
			return QuestionOfRule(r, k, d, rule.Index)
		}
	}
	return subjectEnd(r, p, model.Egress)
}

// QuestionOfRule returns a connection that a rule matches, from its first pod, peer and port. Parts that the
// rule leaves open stay empty.
func QuestionOfRule(r *revision.Revision, k model.PolicyKey, d model.Direction, index int) Question {
	p := r.Cluster.Policy(k)
	if p == nil {
		return Question{}
	}
	q := subjectEnd(r, p, d)
	rule := p.Rule(d, index)
	if rule == nil {
		return q
	}
	peer := peerEnd(r, rule, k, q)
	if d == model.Ingress {
		q.From = peer
	} else {
		q.To = peer
	}
	for i := range rule.Ports {
		port := &rule.Ports[i]
		if port.Start > 0 {
			q.Protocol, q.Port = port.Protocol, int(port.Start)
			break
		}
	}
	return q
}

// subjectEnd returns a question with the policy's first pod at the subject's end.
func subjectEnd(r *revision.Revision, p *model.Policy, d model.Direction) (q Question) {
	pods := r.Subjects(p.Key)
	if len(pods) == 0 {
		return q
	}
	if d == model.Ingress {
		q.To = EndText(pods[0].Key)
	} else {
		q.From = EndText(pods[0].Key)
	}
	return q
}

// peerEnd returns the first pod, node or address of a rule's peers that is not the other end.
func peerEnd(r *revision.Revision, rule *model.Rule, k model.PolicyKey, q Question) string {
	for i := range rule.Peers {
		switch p := &rule.Peers[i]; p.Kind {
		case model.PeerNamespaces, model.PeerPods:
			for _, pod := range r.PeerPods(k, rule.Direction, rule.Index, i) {
				if end := EndText(pod.Key); end != q.From && end != q.To {
					return end
				}
			}
		case model.PeerNodes:
			for n := range r.Cluster.Nodes() {
				if p.Nodes.Matches(n.Labels) {
					return EndText(n.Key)
				}
			}
		case model.PeerNetworks:
			for _, text := range p.Networks {
				n, err := netip.ParsePrefix(text)
				switch {
				case err != nil || n.Bits() == 0:
				case n.IsSingleIP():
					return n.Addr().String()
				default:
					return n.Masked().Addr().Next().String()
				}
			}
		}
	}
	return ""
}
