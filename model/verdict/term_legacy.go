package verdict

import (
	"rung/model"
	"rung/model/ladder"
)

// The isolation annotation of 2016 (older-forms.md#the-isolation-annotation-of-2016), where
// it counts: what reaches a pod of an isolated namespace is what NetworkPolicies allow, and
// nothing else, from wherever it comes. OVN-Kubernetes had no rows of its own then that let
// the node of a pod through, or the pod itself.

// isolatesPods says whether a policy isolates its pods by itself.
func (m *termMaker) isolatesPods(p *model.Policy, d model.Direction) bool {
	if m.x.view.LegacyIsolation {
		return model.IsolatesByItself(p, d)
	}
	return p.IsolatesDirection(d)
}

// ruleCounts says whether a rule of a NetworkPolicy decides anything.
func (m *termMaker) ruleCounts(p *model.Policy, r *model.Rule) bool {
	return !m.x.view.LegacyIsolation || model.RulesCount(m.x.view.Cluster, p, r.Direction) && !model.MatchesNothing(p, r)
}

// addAnnotated makes the terms that drop the rest of what goes to isolated namespaces.
func (m *termMaker) addAnnotated() {
	if !m.x.view.LegacyIsolation {
		return
	}
	for ns := range m.x.view.Cluster.Namespaces() {
		if !model.IsIsolated(m.x.view.Cluster, ns.Name) {
			continue
		}
		key := model.Key{Kind: model.KindIsolation2016, Namespace: ns.Name, Name: string(model.Ingress)}
		m.addTerm(IngressTerms, Term{Tier: model.TierNetwork, Switch: AtDestination, Effect: Drops, Priority: ladder.PriorityNetpolDeny,
			Rule: m.addRule(Rule{Key: key, Direction: model.Ingress, Index: -1, Action: model.Deny}),
			From: m.noCondition(), To: m.subjectCondition("annotated "+ns.Name, wholeNamespace(ns.Name))})
	}
}

// wholeNamespace selects every pod of a namespace.
func wholeNamespace(name string) *model.Policy {
	return &model.Policy{Subject: model.Subject{Namespace: name, Namespaces: model.SelectEverything(), Pods: model.SelectEverything(),
		AllPods: true}}
}

// sparedCondition is everybody but the pods of isolated namespaces, which the rows that
// OVN-Kubernetes has for every pod do not open.
func (m *termMaker) sparedCondition() int32 {
	if !m.x.view.LegacyIsolation {
		return m.noCondition()
	}
	return m.conditionID("spared", func(c *Condition) {
		c.Set, c.everyAddrOf = NewSet(len(m.x.Ends)), [2]bool{true, true}
		for i := range m.x.Ends {
			if !model.IsIsolated(m.x.view.Cluster, m.x.Pods.PodAt(int(m.x.Ends[i].Pod)).Namespace) {
				c.Set.Add(int32(i))
			}
		}
	})
}
