package rule

import (
	"strings"

	"rung/engine"
	"rung/model"
	"rung/ui/detail"
)

// says is what a rule does, in sentences.
func says(r *engine.Revision, p *model.Policy, rule *model.Rule) []string {
	if !p.Kind.IsAdmin() {
		return []string{"Not compiled yet: what a " + p.Kind.Short() + " decides is not decided here."}
	}
	// Nothing is enforced on the primary network of those apart.
	subjects, apart := r.SubjectCount(p.Key)
	none := r.None(p.Key)
	switch {
	case none != nil:
		return []string{"OVN-Kubernetes does not program this policy: " + none.Message + ". Rows it had before stay and still decide."}
	case subjects == 0 && apart > 0:
		return []string{"Nothing now: the pods of the subject have a primary user-defined network, where the policy is not enforced."}
	case subjects == 0:
		return []string{"Nothing now: the subject selects no pod."}
	}
	peers, nobody := peerText(r, p.Key, rule)
	if nobody {
		return []string{"Nothing now: no pod or node is behind its peers."}
	}
	var what string
	pods, sends := "the "+detail.Count(subjects, "pod"), " send"
	if subjects == 1 {
		pods, sends = "the one pod", " sends"
	}
	if rule.Direction == model.Ingress {
		if strings.HasPrefix(peers, "1 ") && !strings.Contains(peers, " and ") {
			sends = " sends"
		} else {
			sends = " send"
		}
		what = "What " + peers + sends + " to " + pods + " of the subject"
	} else {
		what = "What " + pods + " of the subject" + sends + " to " + peers
	}
	if ports := portText(rule); ports != "" {
		what += " on " + ports
	}
	if p.Kind == model.KindBANP {
		what += ", where no AdminNetworkPolicy, no NetworkPolicy and no earlier rule decided,"
	} else {
		what += ", where no earlier rule decided,"
	}
	return append([]string{what + " " + outcome(p, rule)}, after(r, p, rule)...)
}

func outcome(p *model.Policy, rule *model.Rule) string {
	asked := " NetworkPolicies and the baseline are not asked any more."
	if p.Kind == model.KindBANP {
		asked = ""
	}
	switch rule.Action {
	case model.Allow:
		return "is allowed, with the replies." + asked
	case model.Deny:
		return "is dropped." + asked
	case model.Pass:
		return "is passed on: a NetworkPolicy that selects the pod decides, else the baseline; without either it is allowed."
	}
	return "is left to " + string(rule.Action) + "."
}

// after says who else has a word.
func after(r *engine.Revision, p *model.Policy, rule *model.Rule) []string {
	if rule.Action != model.Allow {
		return nil
	}
	var out []string
	if rule.Direction == model.Egress {
		if r.Cluster.Count(model.KindEF) > 0 {
			out = append(out, "An EgressFirewall of the namespace still decides about what leaves the cluster.")
		}
		if podPeers(rule) {
			out = append(out, "Ingress rules for the pods at the other end decide as well.")
		}
		return out
	}
	return append(out, "Egress rules for the sender decide as well, before this one.")
}

func podPeers(rule *model.Rule) bool {
	for i := range rule.Peers {
		if k := rule.Peers[i].Kind; k == model.PeerNamespaces || k == model.PeerPods {
			return true
		}
	}
	return false
}

// peerText names who is at the other end; nobody says that there is no one now.
func peerText(r *engine.Revision, k model.PolicyKey, rule *model.Rule) (text string, nobody bool) {
	var parts, networks []string
	pods, nodes := 0, 0
	hasPods, hasNodes := false, false
	seen := map[model.Key]bool{}
	for i := range rule.Peers {
		pe := &rule.Peers[i]
		switch pe.Kind {
		case model.PeerNetworks:
			networks = append(networks, pe.Networks...)
		case model.PeerNodes:
			hasNodes = true
			for n := range r.Cluster.Nodes() {
				if pe.Nodes.Matches(n.Labels) && !seen[n.Key] {
					seen[n.Key] = true
					nodes++
				}
			}
		case model.PeerNamespaces, model.PeerPods:
			hasPods = true
			for _, pod := range r.PeerPods(k, rule.Direction, rule.Index, i) {
				if !seen[pod.Key] {
					seen[pod.Key] = true
					pods++
				}
			}
		}
	}
	if hasPods && pods > 0 {
		parts = append(parts, detail.Count(pods, "pod"))
	}
	if hasNodes && nodes > 0 {
		parts = append(parts, detail.Count(nodes, "node"))
	}
	parts = append(parts, networkText(networks)...)
	if len(parts) == 0 {
		return "", hasPods || hasNodes
	}
	return detail.Join(parts, 6), false
}

func networkText(networks []string) []string {
	if len(networks) == 0 {
		return nil
	}
	if whole := model.WholeFamilies(networks); len(whole) > 0 {
		out := make([]string, 0, len(whole))
		for _, w := range whole {
			if strings.Contains(w, "::") {
				out = append(out, "every IPv6 address")
			} else {
				out = append(out, "every IPv4 address")
			}
		}
		return out
	}
	return []string{detail.Count(len(networks), "network")}
}

func portText(rule *model.Rule) string {
	if len(rule.Ports) == 0 {
		return "any port"
	}
	parts := make([]string, len(rule.Ports))
	for i, p := range rule.Ports {
		parts[i] = p.String()
	}
	return detail.Join(parts, 5)
}
