package verdict

import (
	"rung/model"
	"rung/model/ladder"
)

// The isolation annotation of 2016 (older-forms.md#the-isolation-annotation-of-2016): pods of an isolated
// namespace are reached only if NetworkPolicies allow it, wherever the connection begins. OVN-Kubernetes then
// had no rows that let a pod's own node, or the pod itself, through.

// ruleCounts reports whether a NetworkPolicy's rule decides anything.
func (m *termMaker) ruleCounts(p *model.Policy, r *model.Rule) bool {
	return !m.x.view.LegacyIsolation || model.RulesCount(m.x.view.Cluster, p, r.Direction) && !model.MatchesNothing(p, r)
}

// addAnnotated makes the terms that drop all other traffic to isolated namespaces.
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

// wholeNamespace returns a policy that selects every pod of a namespace.
func wholeNamespace(name string) *model.Policy {
	return &model.Policy{Subject: model.Subject{Namespace: name, Namespaces: model.SelectEverything(), Pods: model.SelectEverything(),
		AllPods: true}}
}

// sparedCondition returns the condition that an end is not a pod of an isolated namespace. The rows that
// OVN-Kubernetes writes for every pod do not open isolated namespaces.
func (m *termMaker) sparedCondition() int32 {
	if !m.x.view.LegacyIsolation {
		return m.noCondition()
	}
	return m.conditionID("spared", func(c *Condition) {
		c.Set, c.everyAddrByFamily = NewSet(len(m.x.Ends)), [2]bool{true, true}
		for i := range m.x.Ends {
			if !model.IsIsolated(m.x.view.Cluster, m.x.Pods.PodAt(int(m.x.Ends[i].Pod)).Namespace) {
				c.Set.Add(int32(i))
			}
		}
	})
}
