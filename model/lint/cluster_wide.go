package lint

import (
	"cmp"
	"fmt"
	"slices"

	"rung/model"
	"rung/model/ladder"
	"rung/model/selectors"
	"rung/model/verdict"
	"rung/model/words"
)

// isClusterWide reports whether a rule of an admin policy allows or denies everything between the pods of the
// cluster. Subject and peers are then all pods, or all outside system namespaces, on every port.
func isClusterWide(x *selectors.PodIndex, p *model.Policy, r *model.Rule) bool {
	return p.Kind.IsAdmin() && r.Action != model.Pass && !r.MatchesNothing() && isEveryPort(r) &&
		(SelectsEverything(p.Subject) || hasAllOrdinaryPods(x, x.SubjectSet(p))) && arePeersAllPods(x, r)
}

// isEveryPort reports whether a rule covers every port, or every TCP port.
func isEveryPort(r *model.Rule) bool {
	return len(r.Ports) == 0 || slices.ContainsFunc(r.Ports, func(p model.Port) bool {
		return p.Name == "" && p.Protocol == "TCP" && p.Start <= 1 && p.End >= 65535
	})
}

// arePeersAllPods reports whether the peers of a rule are all pods, as written or at present.
func arePeersAllPods(x *selectors.PodIndex, r *model.Rule) bool {
	var all selectors.PodSet
	for i := range r.Peers {
		pe := &r.Peers[i]
		if isEveryPod(pe) {
			return true
		}
		all = all.Or(x.PeerSet(pe))
		for n := range selectors.ParsedNetworks(pe.Networks) {
			if n.Bits() == 0 {
				return true
			}
			all = all.Or(x.InNetwork(n))
		}
	}
	return hasAllOrdinaryPods(x, all)
}

// isEveryPod reports whether a peer selects every pod, as written.
func isEveryPod(pe *model.Peer) bool {
	return (pe.Kind == model.PeerNamespaces || pe.Kind == model.PeerPods) && SelectsEverything(model.Subject{Namespace: pe.Namespace,
		Namespaces: pe.Namespaces, Pods: pe.Pods, AllPods: pe.Kind == model.PeerNamespaces})
}

// hasAllOrdinaryPods reports whether a set has every pod outside system namespaces, in several namespaces.
func hasAllOrdinaryPods(x *selectors.PodIndex, set selectors.PodSet) bool {
	for pod := range x.Pods(x.EligiblePods().AndNot(set)) {
		if !model.IsSystemNamespace(pod.Namespace) {
			return false
		}
	}
	first := ""
	for pod := range x.Pods(set) {
		if !model.IsSystemNamespace(pod.Namespace) {
			first = cmp.Or(first, pod.Namespace)
			if first != pod.Namespace {
				return true
			}
		}
	}
	return false
}

// checkClusterWide reports rules that open or close the cluster above others: they decide, and without them others
// would decide differently.
func (d *verdictLint) checkClusterWide(audit *verdict.Audit) {
	type masked struct{ rules, opposed int }
	under := map[ruleAt]masked{}
	for i := range audit.Rules {
		r := &audit.Rules[i]
		if !r.Matches || r.Decides {
			continue
		}
		for j := range r.DecidersBefore {
			by := &r.DecidersBefore[j]
			at := ruleAt{by.Policy, by.Direction, by.Rule}
			m := under[at]
			m.rules++
			if by.Action != r.Action && r.Policy.Kind.IsAdmin() {
				m.opposed++
			}
			under[at] = m
		}
	}
	for i := range audit.Rules {
		r := &audit.Rules[i]
		p := d.c.Policy(r.Policy)
		rule := p.Rule(r.Direction, r.Rule)
		if !r.Decides || !isClusterWide(d.x, p, rule) {
			continue
		}
		m := under[ruleAt{r.Policy, r.Direction, r.Rule}]
		switch {
		case r.Action == model.Allow && (r.MattersAtEnd || m.opposed > 0):
			d.addAboutRule(p, rule, OpenToAll, "allows everything between all pods, above other rules: "+
				clusterWideText("opens", m.rules, &r.ChangedPairs))
		case r.Action == model.Deny && m.opposed > 0:
			d.addAboutRule(p, rule, ClosedToAll, "denies everything between all pods, above rules that allow: "+
				clusterWideText("blocks", m.rules, &r.ChangedPairs))
		case r.Action == model.Deny && r.ChangedPairs.Pairs > 0 && p.Tier != model.TierBaseline && !SelectsEverything(p.Subject):
			// It overrides no rule, but what it closes may hide an earlier fault. A subject of every pod has
			// EmptySelectorDeny instead.
			d.addAboutRule(p, rule, ClosedToAll, "denies everything between all pods: "+
				clusterWideText("blocks", m.rules, &r.ChangedPairs)).Severity = model.SeverityWarning
		default:
			continue
		}
		if len(r.ChangedPairs.Examples) > 0 {
			d.addWitness(&r.ChangedPairs.Examples[0])
		} else {
			d.addWitness(&r.Example)
		}
	}
}

// clusterWideText describes the effect of a rule that opens or closes the cluster.
func clusterWideText(does string, idle int, t *verdict.ChangedPairs) string {
	pairs := "no pair of pods"
	if t.Pairs > 0 {
		some := model.MapList(t.Examples, func(c verdict.Connection) string { return endText(c.From) + " → " + endText(c.To) })
		if t.Pairs > len(some) {
			some[0] = "such as " + some[0]
		}
		pairs = words.OneOrMany(t.Pairs, "1 pair of pods", words.Thousands(t.Pairs)+" pairs of pods") + " (" + words.ListSome(some, shown) + ")"
	}
	return fmt.Sprintf("%s %s because of it, and it %s %s now", words.Count(idle, "rule"), words.OneOrMany(idle, "never applies",
		"never apply"), does, pairs)
}

// addClusterWideUncounted replaces checkClusterWide in clusters too large for verdicts: it only counts the rules below.
func (l *linter) addClusterWideUncounted(v *verdict.Index) {
	type seen struct {
		p *model.Policy
		r *model.Rule
	}
	for _, d := range model.Directions {
		var above []seen
		below := map[*model.Rule]int{}
		for _, p := range slices.SortedFunc(l.c.AllPolicies(), ladder.ComparePolicies) {
			if !p.Kind.IsAdmin() || v.Options().NoRows[p.Key] != nil {
				continue
			}
			rules := p.Rules(d)
			for i := range rules {
				r := &rules[i]
				for _, s := range above {
					if s.r.Action != r.Action && !r.MatchesNothing() {
						below[s.r]++
					}
				}
				if isClusterWide(l.x, p, r) {
					above = append(above, seen{p, r})
				}
			}
		}
		for _, s := range above {
			n := below[s.r]
			if n == 0 {
				continue
			}
			kind, does := OpenToAll, "allows"
			if s.r.Action == model.Deny {
				kind, does = ClosedToAll, "denies"
			}
			l.addAboutRule(s.p, s.r, kind, fmt.Sprintf("%s everything between all pods, above %s with another action; the effect on these was not "+
				"computed", does, words.Count(n, "rule")))
		}
	}
}
