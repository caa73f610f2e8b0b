package revision

import (
	"time"

	"rung/model"
	"rung/model/ladder"
)

// SubjectPods returns the pods a policy applies to, or would apply to if it had desired rows.
func SubjectPods(r *Revision, p *model.Policy) []*model.Pod {
	if p == nil {
		return nil
	}
	return r.Subjects(p.Key)
}

// RelatedOutOfSync returns the related units of a policy that are not in sync in every zone.
func RelatedOutOfSync(r *Revision, k model.PolicyKey, now time.Time) (out []model.PolicyKey) {
	for _, unit := range r.RelatedUnits(k) {
		if s := SummarizePolicy(r, unit, now); s.InSync < s.Zones {
			out = append(out, unit)
		}
	}
	return out
}

// LiveACLCount returns the number of live ACLs of a policy over all zones, and the zones that have any. Rows
// of a deleted policy still decide.
func LiveACLCount(r *Revision, k model.PolicyKey) (acls int, zones []string) {
	for _, z := range r.Zones {
		if p := z.PolicyJoin(k); p != nil && p.LiveACLs > 0 {
			acls += p.LiveACLs
			zones = append(zones, z.Name)
		}
	}
	return acls, zones
}

// WaitingPorts returns the names of subject pods' logical ports that do not exist yet in some zone.
func WaitingPorts(r *Revision, k model.PolicyKey) map[string]bool {
	out := map[string]bool{}
	for _, z := range r.Zones {
		p := z.PolicyJoin(k)
		if p == nil || p.Waiting == 0 {
			continue
		}
		for i := range p.Diffs {
			if d := &p.Diffs[i]; d.Waiting != "" && len(d.Fields) > 0 {
				for _, n := range d.Fields[0].Missing {
					out[n] = true
				}
			}
		}
	}
	return out
}

// CountPeerlessRules counts the rules without peers in NetworkPolicies that select other pods: they match this pod too.
func CountPeerlessRules(r *Revision, pod *model.Pod) (n int) {
	for p := range r.Cluster.Policies(model.KindNP) {
		if r.IsSubject(p.Key, pod) {
			continue
		}
		for rule := range p.AllRules() {
			if rule.AnyPeer {
				n++
			}
		}
	}
	return n
}

// CountUnhealthy counts the units of a tier that need attention: frozen, behind, not enforced or not
// comparable in some zone.
func CountUnhealthy(r *Revision, t *ladder.Tier, now time.Time) (n int) {
	if len(r.Zones) == 0 {
		return 0
	}
	for i := range t.Units {
		if k := t.Units[i].Key; r.IsCompiled(k) {
			switch SummarizePolicy(r, k, now).State {
			case model.StateFrozen, model.StateBehind, model.StateNotEnforced, model.StateNotComparable:
				n++
			}
		}
	}
	return n
}

// LoggingPolicies returns the names of the policies that log, in ladder order, and the number of all policies.
// A policy logs by its own setting or its namespace's.
func LoggingPolicies(r *Revision) (names []string, all int) {
	for _, place := range r.PolicyOrder() {
		all++
		for rule := range place.Policy.AllRules() {
			if rule.Tiered != nil && rule.Tiered.Logging {
				names = append(names, place.Policy.ShortLabel())
				break
			}
		}
	}
	if all > 0 {
		return names, all
	}
	for _, k := range ladder.PolicyOrder(r.Cluster) {
		all++
		if l := PolicyLogging(r, r.Cluster.Policy(k)); !l.Levels.IsOn() || l.Namespace == "" && len(l.Problems) > 0 {
			continue
		}
		names = append(names, k.ShortLabel())
	}
	return names, all
}

// RuleFacts are the facts about one rule for tables of rules.
type RuleFacts struct {
	*model.Rule
	// Pods counts the pods behind the peers that select pods, each once. SelectsPods: such peers exist.
	Pods        int
	SelectsPods bool
	ACLs        []string // ids of the desired ACLs of all zones
}

// ListRuleFacts returns the facts of a policy's rules, ingress before egress.
func ListRuleFacts(r *Revision, p *model.Policy) []RuleFacts {
	acls := map[*model.Rule][]string{}
	for _, a := range r.ACLs(p.Key, "") {
		if _, dir, i, ok := RuleOfIDs(a.ExternalIDs); ok {
			acls[p.Rule(dir, i)] = append(acls[p.Rule(dir, i)], a.ID())
		}
	}
	out := make([]RuleFacts, 0, len(p.Ingress)+len(p.Egress))
	for rule := range p.AllRules() {
		f := RuleFacts{Rule: rule, ACLs: acls[rule]}
		f.Pods, f.SelectsPods = podsBehind(r, p.Key, rule)
		out = append(out, f)
	}
	return out
}

func podsBehind(r *Revision, k model.PolicyKey, rule *model.Rule) (n int, selects bool) {
	seen := map[model.Key]bool{}
	for i := range rule.Peers {
		switch rule.Peers[i].Kind {
		case model.PeerNamespaces, model.PeerPods, model.PeerGroup, model.PeerServiceAccount:
		default:
			continue
		}
		selects = true
		pods := r.PeerPods(k, rule.Direction, rule.Index, i)
		if len(rule.Peers) == 1 {
			return len(pods), true
		}
		for _, p := range pods {
			seen[p.Key] = true
		}
	}
	return len(seen), selects
}
