package lint

import (
	"rung/model"
	"rung/model/ladder"

	"slices"
)

// System says how a network plugin checks and orders policies. The zero System is rows
// of OVN-Kubernetes, with no policies of others.
type System struct {
	// Check returns all faults by the plugin's admission and its documentation, Order the
	// order of policies. No other checks are made: they are about OVN-Kubernetes' rows, and
	// there are none.
	Check func(*model.Cluster) []model.Finding
	Order func(*model.Cluster) []ladder.Place
	Idle  IdlePolicies
}

// IdlePolicies are policies that decide nothing under a system.
type IdlePolicies struct {
	Kinds           []model.Kind
	Message, Remedy string
}

// checkTierPlaces looks at a cluster whose policies have no rows.
func (l *linter) checkTierPlaces(s *System) {
	for i, p := range s.Order(l.c) {
		l.order[p.Policy.Key] = i
		if p.Policy.Tiered == nil {
			l.addInvalid(p.Policy)
		}
	}
	l.out = append(l.out, s.Check(l.c)...)
}

// finishFindings adds what decides nothing under the system and what could not be read, and sorts.
func (l *linter) finishFindings(idle *IdlePolicies, broken []model.Broken) []model.Finding {
	for _, k := range idle.Kinds {
		for p := range l.c.Policies(k) {
			l.addAbout(p, OtherSystem, idle.Message).Remedy = idle.Remedy
		}
	}
	for i := range broken {
		l.addBroken(&broken[i])
	}
	slices.SortStableFunc(l.out, l.compareFindings)
	return l.out
}
