package lint

import (
	"rung/model"
	"rung/model/antrea"
	"rung/model/lint/codes"
)

// otherSystem is said of policies of a system whose precedence does not hold.
var otherSystem = &codes.Kind{Code: antrea.OtherSystem, Severity: model.SeverityWarning, Remedy: "write an AdminNetworkPolicy, or say --system antrea"}

// antrea looks at a cluster on which Antrea's precedence holds: what its admission
// refuses and its documentation advises against. What the other checks know is of
// OVN-Kubernetes' rows, and there are none.
func (l *linter) antrea() {
	for i, p := range antrea.Order(l.c) {
		l.order[p.Policy.Key] = i
		if p.Policy.Antrea == nil {
			l.invalid(p.Policy)
		}
	}
	l.out = append(l.out, antrea.Check(l.c)...)
	for p := range l.c.Policies(model.KindEF) {
		l.about(p, otherSystem, "decides nothing here: EgressFirewalls are of OVN-Kubernetes, and Antrea's precedence holds in this cluster").
			Remedy = "write an Antrea ClusterNetworkPolicy, or say --system ovn-kubernetes"
	}
}

// ofAntrea says that policies of Antrea decide nothing where OVN-Kubernetes' precedence
// holds.
func (l *linter) ofAntrea() {
	for p := range l.c.AntreaPolicies() {
		l.about(p, otherSystem, "decides nothing here: it is a policy of Antrea, and OVN-Kubernetes' precedence holds in this cluster")
	}
}
