package verdict

import (
	"fmt"
	"maps"
	"slices"

	"rung/model"
)

// ReplyPort stands for the source port of a connection, to which its replies go.
const ReplyPort = 40000

// addReplies makes the terms of replies on a secondary network. In zones without connection tracking OVN
// judges replies as separate packets (networks.md#replies). Such a term has the connection's ends, not the
// reply's, so that it meets the same pairs as every other term.
func (m *termMaker) addReplies() {
	if n := m.x.view.Network; n == nil || n.Primary {
		return
	}
	tracked := m.trackedZones()
	untracked := NewSet(len(m.x.Ends))
	for e := range m.x.Ends {
		if !tracked[m.x.NodeOfEnd(int32(e))] {
			untracked.Add(int32(e))
		}
	}
	zones := fmt.Sprint(slices.Sorted(maps.Keys(tracked)))
	rules := map[int32]int32{}
	for stage, reply := range [...]int{EgressTerms: ReplyEgressTerms, IngressTerms: ReplyIngressTerms} {
		for _, t := range m.x.Terms[stage] {
			subject := m.x.Conditions[t.SubjectCondition(stage)]
			ports, some := replyPorts(t.Ports)
			if !some || !subject.Port || !subject.Set.Meets(untracked) {
				continue
			}
			there := m.conditionID(fmt.Sprint("untracked ", subject.ID, " but ", zones), func(c *Condition) {
				c.Port, c.Set = true, slices.Clone(subject.Set)
				for i := range c.Set {
					c.Set[i] &= untracked[i]
				}
			})
			if _, known := rules[t.Rule]; !known {
				r := m.x.Rules[t.Rule]
				r.Reply = true
				rules[t.Rule] = m.addRule(r)
			}
			t.Rule, t.Ports = rules[t.Rule], ports
			if stage == EgressTerms {
				t.From, t.To = t.To, there
			} else {
				t.From, t.To = there, t.From
			}
			m.addTerm(reply, t)
		}
	}
}

// replyPorts returns the protocols whose replies a row for some ports matches; some is false if there are
// none.
func replyPorts(ports PortSet) (out PortSet, some bool) {
	if ports == nil {
		return nil, true
	}
	for proto := range int8(len(Protocols)) {
		port := uint16(ReplyPort)
		if proto == int8(ICMP.Number()) {
			port = 0
		}
		if ports.Has(proto, port) {
			out = append(out, fullPortRange(proto))
		}
	}
	return out, len(out) > 0
}

// trackedZones returns the nodes on whose switch OVN tracks connections: those with a pod whose policy has an
// allow-related row. Rows of either direction count, even if they match nothing.
func (m *termMaker) trackedZones() map[string]bool {
	out := map[string]bool{}
	for p := range m.x.view.Cluster.Policies(model.KindNP, model.KindMNP) {
		if !m.x.view.IsEnforced(p) || m.x.view.Stateless && p.Annotations[model.AnnotationStateless] == "true" {
			continue
		}
		for r := range p.AllRules() {
			if !hasRows(r) {
				continue
			}
			for i := range m.x.SubjectPods(p).Each() {
				out[m.x.Pods.PodAt(i).NodeName] = true
			}
			break
		}
	}
	return out
}

// hasRows reports whether OVN-Kubernetes writes rows for a rule of a NetworkPolicy.
func hasRows(r *model.Rule) bool {
	known := func(p model.Port) bool { return protocolIndex(p.Protocol) >= 0 }
	return (r.AnyPeer || len(r.Peers) > 0) && (len(r.Ports) == 0 || slices.ContainsFunc(r.Ports, known))
}
