package verdict

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"rung/model"
	"rung/model/selectors"
)

// declaredPort is a container port that a rule names.
type declaredPort struct {
	proto int8
	port  uint16
}

// addNamedPorts makes the terms of a rule's named ports, one for each resolved protocol and number
// (ovn-kubernetes.md#named-ports). t is the rule's term without ports.
func (m *termMaker) addNamedPorts(p *model.Policy, r *model.Rule, ref Rule, t Term, stage int) {
	names := map[string]bool{}
	for i := range r.Ports {
		if n := r.Ports[i].Name; n != "" {
			names[n] = true
		}
	}
	if len(names) == 0 {
		return
	}
	at := "named " + subjectKey(p) + " " + string(r.Direction) + " " + RuleMatch(r) + " "
	byPeer := m.podsDeclaring(m.x.Pods.PeersSet(r), names)
	if r.Direction == model.Egress {
		for _, d := range sortedPorts(byPeer) {
			t.Ports, t.To = d.portSet(), m.itemsCondition(at+d.key(), byPeer[d], nil)
			m.addTerm(stage, t)
		}
		return
	}
	subjects := m.x.SubjectPods(p)
	zones := map[string]bool{}
	for i := range subjects.Each() {
		zones[m.x.Pods.PodAt(i).NodeName] = true
	}
	bySubject := m.podsDeclaring(subjects, names)
	for _, d := range sortedPorts(bySubject) {
		t.Ports, t.To = d.portSet(), m.itemsCondition(at+"subject "+d.key(), bySubject[d], nil)
		m.addTerm(stage, t)
	}
	// Rows of ingress rules also match the peers as destinations, on each switch with a subject: the
	// destination's, and the one where the packet leaves its node.
	ref.defect = DefectNamedPeer
	t.Rule = m.addRule(ref)
	from := m.conditionInZones(at, t.From, zones)
	for _, d := range sortedPorts(byPeer) {
		t.Ports = d.portSet()
		there := t
		there.To = m.itemsCondition(at+"peer there "+d.key(), byPeer[d], zones)
		m.addTerm(stage, there)
		here := t
		here.Switch, here.From, here.To = AtSource, from, m.itemsCondition(at+"peer "+d.key(), byPeer[d], nil)
		m.addTerm(stage, here)
	}
}

func (d declaredPort) portSet() PortSet { return PortSet{{d.proto, d.port, d.port}} }

func (d declaredPort) key() string {
	return strconv.Itoa(int(d.proto)) + " " + strconv.Itoa(int(d.port))
}

func sortedPorts[T any](of map[declaredPort]T) []declaredPort {
	return slices.SortedFunc(maps.Keys(of), func(a, b declaredPort) int {
		return cmp.Or(cmp.Compare(a.proto, b.proto), cmp.Compare(a.port, b.port))
	})
}

// podsDeclaring returns the pods of a set that declare a port with one of the names, by port.
func (m *termMaker) podsDeclaring(pods selectors.PodSet, names map[string]bool) map[declaredPort][]int32 {
	out := map[declaredPort][]int32{}
	for i := range pods.Each() {
		for _, c := range m.x.Pods.PodAt(i).Ports {
			if proto := protocolIndex(c.Protocol); names[c.Name] && proto >= 0 {
				d := declaredPort{proto, uint16(c.Port)}
				if n := len(out[d]); n == 0 || out[d][n-1] != int32(i) {
					out[d] = append(out[d], int32(i))
				}
			}
		}
	}
	return out
}

// itemsCondition makes the condition that an address belongs to one of the pods, in any family. If zones is
// not nil, only pods of those zones count.
func (m *termMaker) itemsCondition(key string, pods []int32, zones map[string]bool) int32 {
	return m.addressCondition(key, func(a conditionAddrs) {
		for _, i := range pods {
			for e := m.x.FirstEnd[i]; e < m.x.FirstEnd[i+1]; e++ {
				a.c.Set.Add(e)
			}
		}
		m.x.shareAddresses(a.c.Set)
		if zones != nil {
			m.x.restrictToZones(a.c.Set, zones)
		}
	})
}

// conditionInZones returns a condition restricted to some zones.
func (m *termMaker) conditionInZones(key string, of int32, zones map[string]bool) int32 {
	return m.conditionID("in "+key, func(c *Condition) {
		c.Set = slices.Clone(m.x.Conditions[of].Set)
		m.x.restrictToZones(c.Set, zones)
	})
}

func (x *Index) restrictToZones(s Set, zones map[string]bool) {
	x.dropEnds(s, func(p *model.Pod) bool { return !zones[p.NodeName] })
}

// RuleMatch returns a key that is equal for rules of one subject that match the same connections.
func RuleMatch(r *model.Rule) string {
	out := fmt.Sprint(r.Ports, r.AnyPeer)
	for i := range r.Peers {
		out += "\x01" + peerKey(&r.Peers[i])
	}
	if r.Tiered != nil {
		out += fmt.Sprint("\x01", r.PortTexts(), r.Tiered.ToServices, r.Tiered.L7)
	}
	return out
}
